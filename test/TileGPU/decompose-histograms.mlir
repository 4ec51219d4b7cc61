// RUN: tilewright-opt %s --tilegpu-decompose-histograms --split-input-file --verify-diagnostics | FileCheck %s

#a = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
// CHECK-LABEL: @histogram
// CHECK-SAME: (%[[X:.*]]: tensor<256xi32{{.*}}, %[[P:.*]]: tensor<256xi1
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0> : tensor<16xi32
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<16xi32, #{{.*}}, mutable>
// CHECK-NEXT: tilegpu.local_store %[[ZERO]], %[[M]]
// CHECK-NEXT: tilegpu.local_count %[[X]], %[[M]] mask %[[P]] : 
// CHECK-NEXT: %[[R:.*]] = tilegpu.local_load %[[M]]
// CHECK-NEXT: return %[[R]]
tt.func private @histogram(%x: tensor<256xi32, #a>, %p: tensor<256xi1, #a>) -> tensor<16xi32, #a> attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.histogram %x, %p : tensor<256xi32, #a> -> tensor<16xi32, #a>
  tt.return %r : tensor<16xi32, #a>
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func private @no_layout(%x: tensor<256xi32>) -> tensor<16xi32> attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{'tt.histogram' op expects tensors with a register layout, but got 'tensor<256xi32>'}}
  %r = tt.histogram %x : tensor<256xi32> -> tensor<16xi32>
  tt.return %r : tensor<16xi32>
}
}
