// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What tile.reduce_scatter refuses.

tt.func @programs(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{'tile.reduce_scatter' op expects programs of 2, 4 or 8, but got 16}}
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 16 : i32} : tensor<64x64xf32> -> tensor<64x4xf32>
  tt.return
}

// -----

tt.func @one_program(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{'tile.reduce_scatter' op expects programs of 2, 4 or 8, but got 1}}
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @axis(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{'tile.reduce_scatter' op expects axis in [0, 2), but got 2}}
  %r = tile.reduce_scatter %x {axis = 2 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  tt.return
}

// -----

tt.func @negative_axis(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{'tile.reduce_scatter' op expects axis in [0, 2), but got -1}}
  %r = tile.reduce_scatter %x {axis = -1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  tt.return
}

// -----

tt.func @too_small(%x: tensor<64x4xf32>) {
  // expected-error @+1 {{'tile.reduce_scatter' op expects a multiple of 8 (programs) in dimension 1 of the source, but got 4}}
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 8 : i32} : tensor<64x4xf32> -> tensor<64x1xf32>
  tt.return
}

// -----

tt.func @shape(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{'tile.reduce_scatter' op expects a result of shape [64, 16] and of 'f32', but got 'tensor<16x64xf32>'}}
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<16x64xf32>
  tt.return
}

// -----

tt.func @rank(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{'tile.reduce_scatter' op expects a result of shape [64, 16] and of 'f32', but got 'tensor<64xf32>'}}
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64xf32>
  tt.return
}

// -----

tt.func @element(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{'tile.reduce_scatter' op expects a result of shape [64, 16] and of 'f32', but got 'tensor<64x16xi32>'}}
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xi32>
  tt.return
}

// -----

tt.func @type(%x: tensor<64x64xf16>) {
  // expected-error @+1 {{'tile.reduce_scatter' op operand #0 must be ranked tensor of 32-bit float or 32-bit signless integer values, but got 'tensor<64x64xf16>'}}
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf16> -> tensor<64x16xf16>
  tt.return
}
