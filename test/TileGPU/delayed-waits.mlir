// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_90a num-warps=4" --canonicalize --cse --tilegpu-schedule-loops=num-stages=2 | FileCheck %s

// Of several products in a loop: what one has made is stored under the next,
// the wait for which stands behind the store; a store stays before what else
// touches global memory.

// CHECK-LABEL: tt.func @chain
// CHECK: %[[READ:.*]] = tilegpu.wgmma {{.*}} -> <tensor<64x32xf32
// CHECK-NOT: tilegpu.wgmma {{.*}} -> <
// CHECK: %[[SUMS:.*]] = tilegpu.wgmma_wait %[[READ]] {{.*}}pending = 0 : i32
// CHECK-NOT: tt.store
// CHECK: %[[NEXT:.*]] = tilegpu.wgmma {{.*}} -> <tensor<64x128xf32
// CHECK-NOT: tilegpu.wgmma_wait
// CHECK: tt.store
// CHECK: tilegpu.wgmma_wait %[[NEXT]] {{.*}}pending = 0 : i32
// CHECK: scf.yield
tt.func @chain(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %next = arith.constant dense<4096> : tensor<32x128xi32>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %start = arith.constant dense<0.0> : tensor<128x64xf32>
  %size = arith.constant dense<128> : tensor<32x1xi32>
  %row = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %column = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %first = arith.muli %rows, %size : tensor<32x1xi32>
  %r = tt.broadcast %first : tensor<32x1xi32> -> tensor<32x128xi32>
  %c = tt.broadcast %columns : tensor<1x128xi32> -> tensor<32x128xi32>
  %offsets = arith.addi %r, %c : tensor<32x128xi32>
  %base = tt.splat %p : !tt.ptr<bf16> -> tensor<32x128x!tt.ptr<bf16>>
  %a = tt.addptr %base, %offsets : tensor<32x128x!tt.ptr<bf16>>, tensor<32x128xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %a, %state = %start) -> (tensor<32x128x!tt.ptr<bf16>>, tensor<128x64xf32>) : i32 {
    %x = tt.load %at : tensor<32x128x!tt.ptr<bf16>>
    %s = arith.truncf %state : tensor<128x64xf32> to tensor<128x64xbf16>
    %d = tt.dot %x, %s, %zero : tensor<32x128xbf16> * tensor<128x64xbf16> -> tensor<32x64xf32>
    %h = arith.truncf %d : tensor<32x64xf32> to tensor<32x64xbf16>
    tt.store %outs, %d : tensor<32x64x!tt.ptr<f32>>
    %turned = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x128xbf16> -> tensor<128x32xbf16>
    %t = tt.dot %turned, %h, %state : tensor<128x32xbf16> * tensor<32x64xbf16> -> tensor<128x64xf32>
    %then = tt.addptr %at, %next : tensor<32x128x!tt.ptr<bf16>>, tensor<32x128xi32>
    scf.yield %then, %t : tensor<32x128x!tt.ptr<bf16>>, tensor<128x64xf32>
  }
  %ends = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %ends, %sums#1 : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @atomic_between
// CHECK: tt.store
// CHECK: tt.atomic_rmw
// CHECK: tilegpu.wgmma {{.*}} -> <tensor<64x128xf32
// CHECK: scf.yield
tt.func @atomic_between(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %one = arith.constant 1.0 : f32
  %next = arith.constant dense<4096> : tensor<32x128xi32>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %start = arith.constant dense<0.0> : tensor<128x64xf32>
  %size = arith.constant dense<128> : tensor<32x1xi32>
  %row = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %column = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %first = arith.muli %rows, %size : tensor<32x1xi32>
  %r = tt.broadcast %first : tensor<32x1xi32> -> tensor<32x128xi32>
  %c = tt.broadcast %columns : tensor<1x128xi32> -> tensor<32x128xi32>
  %offsets = arith.addi %r, %c : tensor<32x128xi32>
  %base = tt.splat %p : !tt.ptr<bf16> -> tensor<32x128x!tt.ptr<bf16>>
  %a = tt.addptr %base, %offsets : tensor<32x128x!tt.ptr<bf16>>, tensor<32x128xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %a, %state = %start) -> (tensor<32x128x!tt.ptr<bf16>>, tensor<128x64xf32>) : i32 {
    %x = tt.load %at : tensor<32x128x!tt.ptr<bf16>>
    %s = arith.truncf %state : tensor<128x64xf32> to tensor<128x64xbf16>
    %d = tt.dot %x, %s, %zero : tensor<32x128xbf16> * tensor<128x64xbf16> -> tensor<32x64xf32>
    %h = arith.truncf %d : tensor<32x64xf32> to tensor<32x64xbf16>
    tt.store %outs, %d : tensor<32x64x!tt.ptr<f32>>
    %old = tt.atomic_rmw fadd, relaxed, gpu, %out, %one, %true : (!tt.ptr<f32>, f32, i1) -> f32
    %turned = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x128xbf16> -> tensor<128x32xbf16>
    %t = tt.dot %turned, %h, %state : tensor<128x32xbf16> * tensor<32x64xbf16> -> tensor<128x64xf32>
    %then = tt.addptr %at, %next : tensor<32x128x!tt.ptr<bf16>>, tensor<32x128xi32>
    scf.yield %then, %t : tensor<32x128x!tt.ptr<bf16>>, tensor<128x64xf32>
  }
  %ends = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %ends, %sums#1 : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
