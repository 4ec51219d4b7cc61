// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_90a num-warps=4" --canonicalize | FileCheck %s

// A result of 16 bits changes threads once it is narrowed. (Whether an op costs
// less once more than a conversion of its result is asked of its operands as
// they were, not of conversions that stand there already: those had no price,
// and the tile changed threads in 32 bits, before it was scaled; so did the
// scale.)
// CHECK-LABEL: @narrowed
// CHECK: tilegpu.wgmma_wait
// CHECK-NOT: tensor<64x64xf32, #blocked
// CHECK: %[[N:.*]] = arith.truncf {{.*}} to tensor<64x64xbf16, #[[ACC:.*]]>
// CHECK: tilegpu.convert_layout %[[N]] : tensor<64x64xbf16, #[[ACC]]> -> tensor<64x64xbf16, #blocked
tt.func public @narrowed(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %s: f32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %m = arith.muli %r1, %c64 : tensor<64x1xi32>
  %mb = tt.broadcast %m : tensor<64x1xi32> -> tensor<64x64xi32>
  %rb = tt.broadcast %r0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %off = arith.addi %mb, %rb : tensor<64x64xi32>
  %op = tt.splat %o : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %p = tt.addptr %op, %off : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %l = tt.load %p : tensor<64x64x!tt.ptr<bf16>>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %l, %l, %z : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
  %t = tt.trans %d {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %sp = tt.splat %s : f32 -> tensor<64x64xf32>
  %x = arith.mulf %t, %sp : tensor<64x64xf32>
  %b = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xbf16>
  tt.store %p, %b : tensor<64x64x!tt.ptr<bf16>>
  tt.return
}
