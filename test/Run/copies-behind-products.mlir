// Copies that start behind the product of a step whose sums are scaled, while it
// reads the tiles of its own: three buffers, and nothing but the barrier of the step
// between the last reader of one and the copy to it. The same bits as without a
// pipeline, under all checks of the emulator, with no iterations, fewer than stages,
// and more.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies=false --specialize-warps=false --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %s --target=sm_90a --num-warps=8 --bulk-copies=false --specialize-warps=false --emit=ptx -o - | FileCheck %s
// CHECK: $L__BB0_[[LOOP:[0-9]+]]:
// CHECK: cp.async.wait_group
// CHECK: bar.sync
// CHECK-NOT: cp.async.cg
// CHECK: wgmma.mma_async
// CHECK: wgmma.commit_group
// CHECK: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK: wgmma.wait_group
// CHECK-NOT: bar.sync
// CHECK: bra{{.*}} $L__BB0_[[LOOP]];

// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=1 --num-warps=4 --arg=random:128x64xf16:1 --arg=random:64x64xf16:2 --arg=%t.npy=poison:128x64xf32 --arg=i32:0
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=4 --arg=random:128x64xf16:1 --arg=random:64x64xf16:2 --arg=poison:128x64xf32 --arg=i32:0 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=8 --arg=random:128x64xf16:1 --arg=random:64x64xf16:2 --arg=poison:128x64xf32 --arg=i32:0 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=1 --num-warps=4 --arg=random:128x64xf16:1 --arg=random:64x64xf16:2 --arg=%t.npy=poison:128x64xf32 --arg=i32:64
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=4 --arg=random:128x64xf16:1 --arg=random:64x64xf16:2 --arg=poison:128x64xf32 --arg=i32:64 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=8 --arg=random:128x64xf16:1 --arg=random:64x64xf16:2 --arg=poison:128x64xf32 --arg=i32:64 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=1 --num-warps=4 --arg=random:128x128xf16:1 --arg=random:64x128xf16:2 --arg=%t.npy=poison:128x64xf32 --arg=i32:128
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=4 --arg=random:128x128xf16:1 --arg=random:64x128xf16:2 --arg=poison:128x64xf32 --arg=i32:128 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=8 --arg=random:128x128xf16:1 --arg=random:64x128xf16:2 --arg=poison:128x64xf32 --arg=i32:128 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=1 --num-warps=4 --arg=random:128x192xf16:1 --arg=random:64x192xf16:2 --arg=%t.npy=poison:128x64xf32 --arg=i32:192
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=4 --arg=random:128x192xf16:1 --arg=random:64x192xf16:2 --arg=poison:128x64xf32 --arg=i32:192 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=8 --arg=random:128x192xf16:1 --arg=random:64x192xf16:2 --arg=poison:128x64xf32 --arg=i32:192 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=1 --num-warps=4 --arg=random:128x448xf16:1 --arg=random:64x448xf16:2 --arg=%t.npy=poison:128x64xf32 --arg=i32:448
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=4 --arg=random:128x448xf16:1 --arg=random:64x448xf16:2 --arg=poison:128x64xf32 --arg=i32:448 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --num-stages=3 --seed=3 --num-warps=8 --arg=random:128x448xf16:1 --arg=random:64x448xf16:2 --arg=poison:128x64xf32 --arg=i32:448 --compare=2=%t.npy

tt.func public @scaled(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %factor = arith.constant dense<0.75> : tensor<128x64xf32>
  %width = arith.constant dense<64> : tensor<128x1xi32>
  %m = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rowA = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %rowB = tt.expand_dims %n {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columnsA = tt.broadcast %column : tensor<1x64xi32> -> tensor<128x64xi32>
  %columnsB = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %strideA = tt.splat %k : i32 -> tensor<128x1xi32>
  %strideB = tt.splat %k : i32 -> tensor<64x1xi32>
  %downA = arith.muli %rowA, %strideA : tensor<128x1xi32>
  %downB = arith.muli %rowB, %strideB : tensor<64x1xi32>
  %downsA = tt.broadcast %downA : tensor<128x1xi32> -> tensor<128x64xi32>
  %downsB = tt.broadcast %downB : tensor<64x1xi32> -> tensor<64x64xi32>
  %placesA = arith.addi %downsA, %columnsA : tensor<128x64xi32>
  %placesB = arith.addi %downsB, %columnsB : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%sums = %zero) -> (tensor<128x64xf32>) : i32 {
    %firstA = tt.splat %i : i32 -> tensor<128x64xi32>
    %firstB = tt.splat %i : i32 -> tensor<64x64xi32>
    %atA = arith.addi %placesA, %firstA : tensor<128x64xi32>
    %atB = arith.addi %placesB, %firstB : tensor<64x64xi32>
    %pa = tt.addptr %as, %atA : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %pb = tt.addptr %bs, %atB : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x = tt.load %pa : tensor<128x64x!tt.ptr<f16>>
    %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>>
    %turned = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %product = tt.dot %x, %turned, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %scaled = arith.mulf %product, %factor : tensor<128x64xf32>
    %next = arith.addf %sums, %scaled : tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  %left = arith.muli %rowA, %width : tensor<128x1xi32>
  %lefts = tt.broadcast %left : tensor<128x1xi32> -> tensor<128x64xi32>
  %at = arith.addi %lefts, %columnsA : tensor<128x64xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %op = tt.addptr %os, %at : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
  tt.store %op, %r : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
