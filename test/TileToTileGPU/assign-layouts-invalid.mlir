// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" --allow-unregistered-dialect --split-input-file --verify-diagnostics

// Ops on tensors that say nothing of where these may be.

tt.func @unknown() {
  // expected-error @+1 {{'test.make' op expects an op that says where its tensors may be (PlacementOpInterface), but got one that does not}}
  %x = "test.make"() : () -> tensor<64xf32>
  tt.return
}

// -----

// Expanded before: by an op of the dialect tt, and all ops of the dialect tile.
tt.func @concatenation(%p: !tt.ptr<f32>) {
  %x = arith.constant dense<1.0> : tensor<64xf32>
  // expected-error @+1 {{'tt.cat' op expects to be expanded before layouts are assigned, by the passes of tilewright-tile and tilewright-tile-to-tilegpu}}
  %y = tt.cat %x, %x : tensor<64xf32> -> tensor<128xf32>
  tt.return
}

// -----

tt.func @solve() {
  %x = arith.constant dense<1.0> : tensor<16x16xf32>
  // expected-error @+1 {{'tile.solve_unit_lower' op expects to be expanded before layouts are assigned, by the passes of tilewright-tile and tilewright-tile-to-tilegpu}}
  %y = tile.solve_unit_lower %x : tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

// Scalars of block pointers are no tensors, but nothing behind knows them.
tt.func @block_pointer(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects to be expanded before layouts are assigned, by the passes of tilewright-tile and tilewright-tile-to-tilegpu}}
  %b = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<64xf32>>
  tt.return
}
