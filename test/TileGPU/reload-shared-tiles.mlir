// RUN: tilewright-opt %s --tilegpu-reload-shared-tiles --split-input-file --verify-diagnostics --mlir-print-local-scope | FileCheck %s

// A thread of 128 may hold tiles in 191 of its registers: !sum takes 128,
// !columns 64.
#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#turned = #tilegpu.blocked<elements = [4, 4], threads = [1, 32], warps = [4, 1], order = [0, 1]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#mma = #tilegpu.mma<m16n8, warps = [4, 1]>
#left = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 2>
#right = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 2>
!rows = tensor<128x128xf16, #rows>
!columns = tensor<128x128xf16, #columns>
!turned = tensor<128x128xf16, #turned>
!sum = tensor<128x128xf32, #rows>
!small = tensor<128x32xf32, #rows>
!tile = !tilegpu.memdesc<128x128xf16, #shared, mutable>
!buffers = !tilegpu.memdesc<128x128xf16, #shared, buffers = 2, mutable>
!pointers = tensor<128x128x!tt.ptr<f16>, #rows>
!large = !tilegpu.memdesc<128x128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// The loop leaves the tile as it is.
// CHECK-LABEL: @used_in_a_loop
// CHECK: tilegpu.local_store %{{.*}}, %[[M:.*]] : tensor
// CHECK-NEXT: cf.br
// CHECK: ^bb2:
// CHECK-NEXT: {{.*}}arith.addf {{.*}}xf32
// CHECK-NEXT: %[[A:.*]] = tilegpu.local_load %[[M]]
// CHECK-NEXT: {{.*}}arith.addf %[[A]], %[[A]]
// CHECK-NOT: tilegpu.local_load
tt.func @used_in_a_loop(%x: !rows, %sum: !sum, %n: i32) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : !rows -> !tile
  %a = tilegpu.local_load %m : !tile -> !columns
  cf.br ^head(%c0, %sum : i32, !sum)
^head(%i: i32, %s: !sum):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %t = arith.addf %s, %s : !sum
  %u = arith.addf %a, %a : !columns
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t : i32, !sum)
^exit:
  tt.return %s : !sum
}

// Both are held.
// CHECK-LABEL: @fits
// CHECK: tilegpu.local_load
// CHECK-NEXT: cf.br
// CHECK-NOT: tilegpu.local_load
tt.func @fits(%x: !rows, %sum: !small, %n: i32) -> !small attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : !rows -> !tile
  %a = tilegpu.local_load %m : !tile -> !columns
  cf.br ^head(%c0, %sum : i32, !small)
^head(%i: i32, %s: !small):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %t = arith.addf %s, %s : !small
  %u = arith.addf %a, %a : !columns
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t : i32, !small)
^exit:
  tt.return %s : !small
}

// Without a product the assembler computes a few elements at a time.
// CHECK-LABEL: @no_product
// CHECK: tilegpu.local_load
// CHECK-NEXT: cf.br
// CHECK-NOT: tilegpu.local_load
tt.func @no_product(%x: !rows, %sum: !sum, %n: i32) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : !rows -> !tile
  %a = tilegpu.local_load %m : !tile -> !columns
  cf.br ^head(%c0, %sum : i32, !sum)
^head(%i: i32, %s: !sum):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %t = arith.addf %s, %s : !sum
  %u = arith.addf %a, %a : !columns
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t : i32, !sum)
^exit:
  tt.return %s : !sum
}

// What names the same registers comes along.
// CHECK-LABEL: @renamed
// CHECK: tilegpu.local_store
// CHECK-NEXT: cf.br
// CHECK: ^bb2:
// CHECK-NEXT: {{.*}}arith.addf {{.*}}xf32
// CHECK-NEXT: %[[A:.*]] = tilegpu.local_load
// CHECK-NEXT: %[[B:.*]] = tt.trans %[[A]]
// CHECK-NEXT: {{.*}}arith.addf %[[B]], %[[B]]
tt.func @renamed(%x: !rows, %sum: !sum, %n: i32) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : !rows -> !tile
  %a = tilegpu.local_load %m : !tile -> !columns
  %b = tt.trans %a {order = array<i32: 1, 0>} : !columns -> !turned
  cf.br ^head(%c0, %sum : i32, !sum)
^head(%i: i32, %s: !sum):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %t = arith.addf %s, %s : !sum
  %u = arith.addf %b, %b : !turned
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t : i32, !sum)
^exit:
  tt.return %s : !sum
}

// No tile in shared memory has it, or it does not stay there: one that does is
// made before the loop.
// CHECK-LABEL: @from_elsewhere
// CHECK: %[[A:.*]] = tilegpu.local_load %[[M:.*]] :
// CHECK-NEXT: %[[N:.*]] = tilegpu.local_alloc
// CHECK-NEXT: tilegpu.local_store %[[A]], %[[N]]
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[M]]
// CHECK: ^bb2:
// CHECK: %[[L:.*]] = tilegpu.local_load %[[N]]
// CHECK-NEXT: {{.*}}arith.addf %[[L]], %[[L]]
tt.func @from_elsewhere(%x: !rows, %sum: !sum, %n: i32) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : !rows -> !tile
  %a = tilegpu.local_load %m : !tile -> !columns
  tilegpu.local_store %x, %m : !rows -> !tile
  cf.br ^head(%c0, %sum : i32, !sum)
^head(%i: i32, %s: !sum):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %t = arith.addf %s, %s : !sum
  %u = arith.addf %a, %a : !columns
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t : i32, !sum)
^exit:
  tt.return %s : !sum
}

// Two CTAs have 83968 bytes each: the tile of the loop's takes 65536, this one
// 32768. But all three tiles of the loop's are more than a thread has registers,
// so that there is one CTA.
// CHECK-LABEL: @a_cta_less
// CHECK-NOT: tilegpu.local_load
// CHECK: cf.cond_br
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.local_load
tt.func @a_cta_less(%x: !rows, %sum: !sum, %n: i32) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : !rows -> !tile
  %a = tilegpu.local_load %m : !tile -> !columns
  cf.br ^head(%c0, %sum : i32, !sum)
^head(%i: i32, %s: !sum):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %t = arith.addf %s, %s : !sum
  %o = tilegpu.local_alloc : () -> !large
  tilegpu.local_store %t, %o : !sum -> !large
  %u = arith.addf %a, %a : !columns
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t : i32, !sum)
^exit:
  tt.return %s : !sum
}

// One CTA has 166912 bytes: those of the loop's take 163840, this one 32768.
// CHECK-LABEL: @no_shared_memory
// CHECK: tilegpu.local_load {{.*}}f16
// CHECK-NEXT: {{.*}}cf.br
// CHECK-NOT: tilegpu.local_load {{.*}}f16
tt.func @no_shared_memory(%x: !rows, %sum: !sum, %n: i32) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : !rows -> !tile
  %a = tilegpu.local_load %m : !tile -> !columns
  cf.br ^head(%c0, %sum : i32, !sum)
^head(%i: i32, %s: !sum):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %t = arith.addf %s, %s : !sum
  %o = tilegpu.local_alloc : () -> !large
  tilegpu.local_store %t, %o : !sum -> !large
  %o2 = tilegpu.local_alloc : () -> !large
  tilegpu.local_store %t, %o2 : !sum -> !large
  %o3 = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %o3 : !rows -> !tile
  %t2 = tilegpu.local_load %o : !large -> !sum
  %t3 = tilegpu.local_load %o2 : !large -> !sum
  %u = arith.addf %a, %a : !columns
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t2 : i32, !sum)
^exit:
  tt.return %s : !sum
}

// Without a loop: loaded later, where shared memory has it; what it does not
// have is not stored there.
// CHECK-LABEL: @behind_the_peak
// CHECK: %[[Y:.*]] = arith.addf
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: {{.*}}arith.addf {{.*}}xf32
// CHECK-NEXT: {{.*}}arith.addf %[[Y]], %[[Y]]
// CHECK-NEXT: %[[A:.*]] = tilegpu.local_load %[[M]]
// CHECK-NEXT: {{.*}}arith.addf %[[A]], %[[A]]
// CHECK-NOT: tilegpu.local_store
tt.func @behind_the_peak(%x: !rows, %sum: !sum) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %y = arith.addf %x, %x : !rows
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : !rows -> !tile
  %a = tilegpu.local_load %m : !tile -> !columns
  %t = arith.addf %sum, %sum : !sum
  %w = arith.addf %y, %y : !rows
  %u = arith.addf %a, %a : !columns
  tt.return %t : !sum
}

// A buffer of a pipeline, to which nothing is copied before the next load: the
// copy on its way at this one is to another.
// CHECK-LABEL: @copied
// CHECK: tilegpu.async_wait
// CHECK-NEXT: %[[M:.*]] = tilegpu.memdesc_index
// CHECK-NEXT: {{.*}}arith.addf {{.*}}xf32
// CHECK-NEXT: %[[A:.*]] = tilegpu.local_load %[[M]]
// CHECK-NEXT: {{.*}}arith.addf %[[A]], %[[A]]
// CHECK-NOT: tilegpu.local_load
tt.func @copied(%p: !pointers, %sum: !sum, %n: i32) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %m = tilegpu.local_alloc : () -> !buffers
  cf.br ^head(%c0, %sum : i32, !sum)
^head(%i: i32, %s: !sum):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %to = tilegpu.memdesc_index %m[%c1] : !buffers -> !tile
  %copy = tilegpu.async_copy %p, %to : !pointers -> !tile
  %group = tilegpu.async_commit %copy
  %done = tilegpu.async_wait {pending = 1 : i32}
  %from = tilegpu.memdesc_index %m[%c0] : !buffers -> !tile
  %a = tilegpu.local_load %from : !tile -> !columns
  %t = arith.addf %s, %s : !sum
  %u = arith.addf %a, %a : !columns
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t : i32, !sum)
^exit:
  tt.return %s : !sum
}

// A copy that starts behind the load may be to the buffer that it reads.
// CHECK-LABEL: @copied_behind
// CHECK: %[[A:.*]] = tilegpu.local_load
// CHECK: tilegpu.async_copy
// CHECK: arith.addf %[[A]], %[[A]]
// CHECK-NOT: tilegpu.local_load
tt.func @copied_behind(%p: !pointers, %sum: !sum, %n: i32) -> !sum attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<1.0> : tensor<16x16xf16, #left>
  %r = arith.constant dense<1.0> : tensor<16x8xf16, #right>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
  %product = tilegpu.mma %l, %r, %z instruction = [16, 8, 16] : tensor<16x16xf16, #left> * tensor<16x8xf16, #right> -> tensor<16x8xf32, #mma>
  %m = tilegpu.local_alloc : () -> !buffers
  cf.br ^head(%c0, %sum : i32, !sum)
^head(%i: i32, %s: !sum):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %done = tilegpu.async_wait {pending = 1 : i32}
  %from = tilegpu.memdesc_index %m[%c0] : !buffers -> !tile
  %a = tilegpu.local_load %from : !tile -> !columns
  %to = tilegpu.memdesc_index %m[%c1] : !buffers -> !tile
  %copy = tilegpu.async_copy %p, %to : !pointers -> !tile
  %group = tilegpu.async_commit %copy
  %t = arith.addf %s, %s : !sum
  %u = arith.addf %a, %a : !columns
  %next = arith.addi %i, %c1 : i32
  cf.br ^head(%next, %t : i32, !sum)
^exit:
  tt.return %s : !sum
}
}
