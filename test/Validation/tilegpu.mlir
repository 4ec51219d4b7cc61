// RUN: tilewright-opt %s --split-input-file --validate-passes --validate-report --tilewright="target=sm_80 num-warps=4" -o /dev/null 2>&1 | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_80 num-warps=4" --tilewright-tilegpu | FileCheck %s --check-prefix=OPS
// RUN: not tilewright-opt %s --split-input-file --validate-passes --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_80 num-warps=4" --tilewright-tilegpu --test-miscompile -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISTAKE

// Kernels are followed through the ops of tilegpu that read shared memory by
// themselves, up to the LLVM dialect; what is wrong behind them is seen.

// A gather from a table that warps share.
// OPS-LABEL: @gather
// OPS: tilegpu.local_gather
// CHECK: remark: 'gather' was run on 3 inputs after each of {{.*}} passes, the last of them '[[LAST:.*]]'
// CHECK-NOT: error
// MISTAKE: error: pass 'test-miscompile' changes what 'gather' computes
tt.func public @gather(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %last = arith.constant dense<255> : tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<i32>>
  %from = arith.subi %last, %i : tensor<256xi32>
  %r = tt.gather %v[%from] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %sum = arith.addi %r, %one : tensor<256xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %op, %sum : tensor<256x!tt.ptr<i32>>
  tt.return
}

// -----

// A dot without matrix instructions.
// OPS-LABEL: @dot
// OPS: tilegpu.multiply_add
// CHECK: remark: 'dot' was run on 3 inputs after each of {{.*}} passes, the last of them '[[LAST]]'
// CHECK-NOT: error
tt.func public @dot(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %starts = arith.muli %rows, %c16 : tensor<16x1xi32>
  %a = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %b = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %a, %b : tensor<16x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %v = tt.load %xp : tensor<16x16x!tt.ptr<f32>>
  %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  %d = tt.dot %v, %t, %zero, inputPrecision = ieee : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %op, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
