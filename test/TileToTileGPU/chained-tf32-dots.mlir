// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=1" --canonicalize --tilegpu-plan-conversions | FileCheck %s

// The result of a dot in tf32 is the next one's operand where it is: both have
// two neighbours along K in a thread, as the accumulator has columns, instead of
// the one of an instruction's register; so has the other operand, which is
// made once for both. (Else each element of the result would go through shuffles.)
// CHECK: #dot_operand = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 2>
// CHECK: #dot_operand1 = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 2>
// CHECK-LABEL: @chained
// CHECK: %[[FIRST:.*]] = tilegpu.mma
// CHECK: %[[OPERAND:.*]] = tilegpu.convert_layout %[[FIRST]] {tilegpu.means = "registers"} : {{.*}} -> tensor<32x32xf32, #dot_operand>
// CHECK: tilegpu.mma %[[OPERAND]], {{.*}}tensor<32x32xf32, #dot_operand1>
tt.func public @chained(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %size = arith.constant dense<32> : tensor<32x1xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %0 = arith.muli %rows, %size : tensor<32x1xi32>
  %1 = tt.broadcast %0 : tensor<32x1xi32> -> tensor<32x32xi32>
  %2 = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %1, %2 : tensor<32x32xi32>
  %from = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %to = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %p = tt.addptr %from, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %q = tt.addptr %to, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %x = tt.load %p : tensor<32x32x!tt.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %x, %x, %z, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %e = tt.dot %d, %x, %z, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %q, %e : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
