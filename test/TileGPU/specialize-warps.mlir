// RUN: tilewright-opt %s --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=4 num-stages=4 specialize-warps=true" --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_80 num-warps=4 specialize-warps=true" | FileCheck %s --check-prefix=OLD
// OLD-NOT: warp_specialize

// The copies of a loop go to an agent of their own, with the numbers that they
// need; memory, maps and mbarriers are both agents'. Four warps arrive where a tile
// has been read; the product of an iteration goes on in the next one, so that it is
// the tile of the iteration before, and of none in the first.

// CHECK-LABEL: @product
// CHECK-SAME: tilegpu.num_warps = 8 : i32
// CHECK-DAG: %[[B:.*]] = tilegpu.tensor_map %arg1
// CHECK-DAG: %[[A:.*]] = tilegpu.tensor_map %arg0
// CHECK: %[[FULL:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<1xi64, {{.*}}, buffers = 4, mutable>
// CHECK-NEXT: tilegpu.mbarrier_init %[[FULL]] :
// CHECK-NEXT: %[[EMPTY:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<1xi64, {{.*}}, buffers = 4, mutable>
// CHECK-NEXT: tilegpu.mbarrier_init %[[EMPTY]] arrivals = 4 :
// CHECK-NEXT: %[[TILE:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x64xf16, {{.*}}, buffers = 4, mutable>
// CHECK: tilegpu.warp_specialize warps = [4, 4] registers = [232, 24] {
// CHECK-NOT: mbarrier_wait before
// CHECK-NOT: bulk_copy
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}, %[[LATER:[a-z0-9]*]] = %false, %[[NUMBER:[a-z0-9]*]] = %c0_i32, %[[PHASE:[a-z0-9]*]] = %c0_i32
// CHECK: %[[F:.*]] = tilegpu.memdesc_index %[[FULL]][%[[NUMBER]]]
// CHECK: %[[T:.*]] = tilegpu.memdesc_index %[[TILE]][%[[NUMBER]]]
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[NUMBER]], %c0_i32
// CHECK: %[[LESS:.*]] = arith.subi %[[NUMBER]], %c1_i32
// CHECK: %[[BEFORE:.*]] = arith.select %[[IS_FIRST]], %c3_i32, %[[LESS]]
// CHECK: %[[E:.*]] = tilegpu.memdesc_index %[[EMPTY]][%[[BEFORE]]]
// CHECK: tilegpu.mbarrier_wait %[[F]] phase %[[PHASE]]
// CHECK: tilegpu.wgmma %[[T]],
// CHECK: tilegpu.wgmma_wait %{{.*}} {pending = 1 : i32}
// CHECK: tilegpu.mbarrier_arrive %[[E]] if %[[LATER]]
// CHECK: tilegpu.agent_return
// CHECK-NEXT: }, {
// CHECK: scf.for %[[K:.*]] = %c0_i32 to %arg5 step %c64_i32 iter_args(%[[NUMBER:[a-z0-9]*]] = %c0_i32, %[[PHASE:[a-z0-9]*]] = %c0_i32) -> (i32, i32)
// CHECK: %[[F:.*]] = tilegpu.memdesc_index %[[FULL]][%[[NUMBER]]]
// CHECK: %[[E:.*]] = tilegpu.memdesc_index %[[EMPTY]][%[[NUMBER]]]
// CHECK: %[[T:.*]] = tilegpu.memdesc_index %[[TILE]][%[[NUMBER]]]
// CHECK: tilegpu.mbarrier_wait before %[[E]] phase %[[PHASE]] {pending = 3 : i32}
// CHECK: tilegpu.bulk_copy %[[A]], %[[B]] at[{{.*}}] to %[[T]], %{{.*}} tell %[[F]] :
// CHECK: scf.yield
// CHECK-NOT: tt.store
// CHECK: tilegpu.agent_return
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c64 : i32
  %n = arith.muli %y, %c64 : i32
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  tt.return
}


// A product of 256 columns has CUDA's assembler ask for 154 registers of a thread at
// the kernel's entry: then one CTA has a multiprocessor, and warps that copy keep
// what those that compute cannot take.
// CHECK-LABEL: @wide_product
// CHECK: tilegpu.warp_specialize warps = [4, 4] registers = [240, 72] {
tt.func public @wide_product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %k64 = arith.extsi %K : i32 to i64
  %n64 = arith.extsi %N : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%k64, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%n64, %one] : <f16>, <tensor<64x256xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%n64, %one] : <f32>, <tensor<64x256xf32>>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x256xf32>) : i32 {
    %va = tt.descriptor_load %da[%c0, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %c0] : !tt.tensordesc<tensor<64x256xf16>> -> tensor<64x256xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x256xf16> -> tensor<64x256xf32>
    scf.yield %d : tensor<64x256xf32>
  }
  tt.descriptor_store %dc[%c0, %c0], %sum : !tt.tensordesc<tensor<64x256xf32>>, tensor<64x256xf32>
  tt.return
}

// Inside of another loop the buffers go on from one run of the loop to the next: the
// other loop carries the number of the next one, and its phase. Behind the loop the
// last tile is released too, if there was one.
// CHECK-LABEL: @persistent
// CHECK: %[[FULL:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<1xi64, {{.*}}, buffers = 4, mutable>
// CHECK: %[[EMPTY:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<1xi64, {{.*}}, buffers = 4, mutable>
// CHECK: tilegpu.warp_specialize warps = [4, 4]
// CHECK: scf.for {{.*}} iter_args(%[[FIRST:[a-z0-9]*]] = %c0_i32, %[[ODD:[a-z0-9]*]] = %c0_i32) -> (i32, i32)
// CHECK: %[[INNER:.*]]:4 = scf.for {{.*}} iter_args(%{{[^,]*}}, %{{[a-z0-9]*}} = %false, %[[NUMBER:[a-z0-9]*]] = %[[FIRST]], %[[PHASE:[a-z0-9]*]] = %[[ODD]])
// CHECK: tilegpu.mbarrier_wait %{{.*}} phase %[[PHASE]]
// CHECK: tilegpu.mbarrier_arrive
// CHECK: tilegpu.wgmma_wait %[[INNER]]#0 {pending = 0 : i32}
// CHECK-NEXT: %[[NONE:.*]] = arith.cmpi eq, %[[INNER]]#2, %c0_i32
// CHECK-NEXT: %[[LESS:.*]] = arith.subi %[[INNER]]#2, %c1_i32
// CHECK-NEXT: %[[LAST:.*]] = arith.select %[[NONE]], %c3_i32, %[[LESS]]
// CHECK-NEXT: %[[E:.*]] = tilegpu.memdesc_index %[[EMPTY]][%[[LAST]]]
// CHECK-NEXT: tilegpu.mbarrier_arrive %[[E]] if %[[INNER]]#1
// CHECK: tt.store
// CHECK: scf.yield %[[INNER]]#2, %[[INNER]]#3 : i32, i32
// CHECK: tilegpu.agent_return
// CHECK-NEXT: }, {
// CHECK: scf.for {{.*}} iter_args(%[[FIRST:[a-z0-9]*]] = %c0_i32, %[[ODD:[a-z0-9]*]] = %c0_i32) -> (i32, i32)
// CHECK: scf.for {{.*}} = %[[FIRST]], {{.*}} = %[[ODD]]
// CHECK: tilegpu.mbarrier_wait before
// CHECK: tilegpu.bulk_copy
// CHECK: tilegpu.agent_return
tt.func public @persistent(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c64 : i32
  scf.for %t = %c0 to %c2 step %c1 : i32 {
    %n = arith.muli %t, %c64 : i32
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  }
  tt.return
}
