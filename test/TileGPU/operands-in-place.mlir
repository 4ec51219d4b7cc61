// RUN: tilewright-opt %s --tilegpu-reload-shared-tiles --mlir-print-local-scope | FileCheck %s

// A thread of 128 may hold tiles in 175 of its registers: !sum takes 128, !left
// 32, a product's result 32. The product's operand is in shared memory as a
// matrix descriptor can describe it.
#acc = #tilegpu.wgmma<n = 32, warps = [4, 1]>
#left = #tilegpu.dot_operand<index = 0, parent = #acc, kWidth = 2>
#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#n = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 16, order = [1, 0]>
!left = tensor<128x64xf16, #left>
!product = tensor<128x32xf32, #acc>
!pending = !tilegpu.pending<tensor<128x32xf32, #acc>>
!sum = tensor<128x128xf32, #rows>
!a = !tilegpu.memdesc<128x64xf16, #k, mutable>
!b = !tilegpu.memdesc<64x32xf16, #n, mutable>
module attributes {tilegpu.target = "sm_90a"} {

// CHECK-LABEL: @product
// CHECK: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<128x64xf16
// CHECK: tilegpu.local_store %arg0, %[[M]]
// CHECK-NOT: tilegpu.local_load
// CHECK: tilegpu.wgmma %[[M]], {{.*}} : !tilegpu.memdesc<128x64xf16
// CHECK-NOT: tilegpu.local_load
tt.func @product(%x: !left, %sum: !sum, %b: !b, %n: i32) -> (!sum, !product) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !product
  %m = tilegpu.local_alloc : () -> !a
  tilegpu.local_store %x, %m : !left -> !a
  %a = tilegpu.local_load %m : !a -> !left
  cf.br ^head(%c0, %sum, %zeros : i32, !sum, !product)
^head(%i: i32, %s: !sum, %p: !product):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %begin = tilegpu.pend %p : !product -> !pending
  %started = tilegpu.wgmma %a, %b, %begin : !left * !b -> !pending
  %done = tilegpu.wgmma_wait %started {pending = 0 : i32} : !pending -> !product
  %t = arith.addf %s, %s : !sum
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t, %done : i32, !sum, !product)
^exit:
  tt.return %s, %p : !sum, !product
}

// Threads need it too: it is loaded in the loop.
// CHECK-LABEL: @used_otherwise
// CHECK: ^bb2:
// CHECK: %[[A:.*]] = tilegpu.local_load
// CHECK: tilegpu.wgmma %[[A]]
tt.func @used_otherwise(%x: !left, %sum: !sum, %b: !b, %n: i32) -> (!sum, !product, !left) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !product
  %m = tilegpu.local_alloc : () -> !a
  tilegpu.local_store %x, %m : !left -> !a
  %a = tilegpu.local_load %m : !a -> !left
  cf.br ^head(%c0, %sum, %zeros : i32, !sum, !product)
^head(%i: i32, %s: !sum, %p: !product):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %begin = tilegpu.pend %p : !product -> !pending
  %started = tilegpu.wgmma %a, %b, %begin : !left * !b -> !pending
  %done = tilegpu.wgmma_wait %started {pending = 0 : i32} : !pending -> !product
  %t = arith.addf %s, %s : !sum
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t, %done : i32, !sum, !product)
^exit:
  %u = arith.negf %a : !left
  tt.return %s, %p, %u : !sum, !product, !left
}

// The loop writes there what the product is not to see.
// CHECK-LABEL: @overwritten
// CHECK: ^bb2:
// CHECK: tilegpu.wgmma {{.*}} : tensor<128x64xf16
tt.func @overwritten(%x: !left, %sum: !sum, %b: !b, %n: i32) -> (!sum, !product) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !product
  %m = tilegpu.local_alloc : () -> !a
  tilegpu.local_store %x, %m : !left -> !a
  %a = tilegpu.local_load %m : !a -> !left
  cf.br ^head(%c0, %sum, %zeros : i32, !sum, !product)
^head(%i: i32, %s: !sum, %p: !product):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %begin = tilegpu.pend %p : !product -> !pending
  %started = tilegpu.wgmma %a, %b, %begin : !left * !b -> !pending
  %done = tilegpu.wgmma_wait %started {pending = 0 : i32} : !pending -> !product
  tilegpu.local_store %x, %m : !left -> !a
  %t = arith.addf %s, %s : !sum
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t, %done : i32, !sum, !product)
^exit:
  tt.return %s, %p : !sum, !product
}

// A product that is still in flight might see what the next iteration writes.
// CHECK-LABEL: @in_the_loop
// CHECK: ^bb2:
// CHECK: tilegpu.wgmma {{.*}} : tensor<128x64xf16
tt.func @in_the_loop(%x: !left, %sum: !sum, %b: !b, %n: i32) -> (!sum, !product) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !product
  %m = tilegpu.local_alloc : () -> !a
  cf.br ^head(%c0, %sum, %zeros : i32, !sum, !product)
^head(%i: i32, %s: !sum, %p: !product):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  tilegpu.local_store %x, %m : !left -> !a
  %a = tilegpu.local_load %m : !a -> !left
  %t = arith.addf %s, %s : !sum
  %begin = tilegpu.pend %p : !product -> !pending
  %started = tilegpu.wgmma %a, %b, %begin : !left * !b -> !pending
  %done = tilegpu.wgmma_wait %started {pending = 0 : i32} : !pending -> !product
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t, %done : i32, !sum, !product)
^exit:
  tt.return %s, %p : !sum, !product
}

}
