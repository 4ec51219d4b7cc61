// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What tile.solve_unit_lower refuses.

tt.func @rank(%l: tensor<16xf32>) {
  // expected-error @+1 {{'tile.solve_unit_lower' op expects a square matrix, or a batch of them, but got 'tensor<16xf32>'}}
  %x = tile.solve_unit_lower %l : tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @square(%l: tensor<16x32xf32>) {
  // expected-error @+1 {{'tile.solve_unit_lower' op expects a square matrix, or a batch of them, but got 'tensor<16x32xf32>'}}
  %x = tile.solve_unit_lower %l : tensor<16x32xf32> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @rhs_rows(%l: tensor<16x16xf32>, %b: tensor<32x64xf32>) {
  // expected-error @+1 {{'tile.solve_unit_lower' op expects a right-hand side of shape [16, m], but got [32, 64]}}
  %x = tile.solve_unit_lower %l, %b : tensor<16x16xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  tt.return
}

// -----

tt.func @rhs_rank(%l: tensor<16x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{'tile.solve_unit_lower' op expects a right-hand side of shape [16, m], but got [16]}}
  %x = tile.solve_unit_lower %l, %b : tensor<16x16xf32>, tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @rhs_batch(%l: tensor<2x16x16xf32>, %b: tensor<4x16x16xf32>) {
  // expected-error @+1 {{'tile.solve_unit_lower' op expects a right-hand side of shape [2, 16, m], but got [4, 16, 16]}}
  %x = tile.solve_unit_lower %l, %b : tensor<2x16x16xf32>, tensor<4x16x16xf32> -> tensor<4x16x16xf32>
  tt.return
}

// -----

tt.func @result(%l: tensor<16x16xf32>, %b: tensor<16x64xf32>) {
  // expected-error @+1 {{'tile.solve_unit_lower' op expects a result of shape [16, 64], but got [16, 16]}}
  %x = tile.solve_unit_lower %l, %b : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @inverse(%l: tensor<16x16xf32>) {
  // expected-error @+1 {{'tile.solve_unit_lower' op expects a result of shape [16, 16], but got [16, 32]}}
  %x = tile.solve_unit_lower %l : tensor<16x16xf32> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @elements(%l: tensor<16x16xf64>) {
  // expected-error @+1 {{'tile.solve_unit_lower' op operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<16x16xf64>'}}
  %x = tile.solve_unit_lower %l : tensor<16x16xf64> -> tensor<16x16xf64>
  tt.return
}

// -----

tt.func @tile_size() {
  %l = ub.poison : tensor<3x3xf32>
  // expected-error @+1 {{'tile.solve_unit_lower' op expects every dimension of a tile to be a power of two, but got 3 in dimension 0 of 'tensor<3x3xf32>'}}
  %x = tile.solve_unit_lower %l : tensor<3x3xf32> -> tensor<3x3xf32>
  tt.return
}
