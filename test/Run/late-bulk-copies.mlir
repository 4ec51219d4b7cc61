// Attention whose tiles come by bulk copies, started by a thread that computes or by
// warps of their own, and whose second product runs under the next iteration's
// arithmetic: the same bits as by cp.async with one product after the other, under all
// checks of the emulator. There are no iterations, fewer than buffers, and more.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --specialize-warps --emit=ptx -o - | FileCheck %s --check-prefixes=PTX,OWN
// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies --specialize-warps=false --emit=ptx -o - | FileCheck %s --check-prefixes=PTX,TOGETHER

// Each tile has mbarriers of its own. In a step: the wait for K(i) and V(i - 1), both
// products; what either has read is handed back behind the wait for it.
// OWN: setmaxnreg.inc
// PTX: $L__BB0_[[LOOP:[0-9]+]]:
// PTX: mbarrier.try_wait
// PTX: mbarrier.try_wait
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, %rd
// PTX: wgmma.commit_group
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}}, {
// PTX: wgmma.commit_group
// TOGETHER: cp.async.bulk.tensor
// TOGETHER: cp.async.bulk.tensor
// PTX: wgmma.wait_group.sync.aligned 1;
// OWN: mbarrier.arrive
// PTX: ex2.approx
// PTX: wgmma.wait_group.sync.aligned 0;
// OWN: mbarrier.arrive
// PTX: cvt.rn.f16x2.f32
// OWN-NOT: bar.sync
// PTX: bra{{.*}} $L__BB0_[[LOOP]];

// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:0
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies --specialize-warps=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=poison:64x64xf32 --arg=i32:0 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:64x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=poison:64x64xf32 --arg=i32:0 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:64
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies --specialize-warps=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=poison:64x64xf32 --arg=i32:64 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:64x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=poison:64x64xf32 --arg=i32:64 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:128x64xf16:2 --arg=random:128x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:128
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies --specialize-warps=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:128x64xf16:2 --arg=random:128x64xf16:3 --arg=poison:64x64xf32 --arg=i32:128 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:64x64xf16:1 --arg=random:128x64xf16:2 --arg=random:128x64xf16:3 --arg=poison:64x64xf32 --arg=i32:128 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:192x64xf16:2 --arg=random:192x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:192
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies --specialize-warps=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:192x64xf16:2 --arg=random:192x64xf16:3 --arg=poison:64x64xf32 --arg=i32:192 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:64x64xf16:1 --arg=random:192x64xf16:2 --arg=random:192x64xf16:3 --arg=poison:64x64xf32 --arg=i32:192 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:512x64xf16:2 --arg=random:512x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:512
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies --specialize-warps=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:512x64xf16:2 --arg=random:512x64xf16:3 --arg=poison:64x64xf32 --arg=i32:512 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:64x64xf16:1 --arg=random:512x64xf16:2 --arg=random:512x64xf16:3 --arg=poison:64x64xf32 --arg=i32:512 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:704x64xf16:2 --arg=random:704x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:704
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies --specialize-warps=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:704x64xf16:2 --arg=random:704x64xf16:3 --arg=poison:64x64xf32 --arg=i32:704 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:64x64xf16:1 --arg=random:704x64xf16:2 --arg=random:704x64xf16:3 --arg=poison:64x64xf32 --arg=i32:704 --compare=3=%t.npy

tt.func public @attention(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %keys: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %least = arith.constant dense<0xFF800000> : tensor<64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %n {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %down = arith.muli %row, %width : tensor<64x1xi32>
  %downs = tt.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %downs, %columns : tensor<64x64xi32>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %qp = tt.addptr %qs, %places : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %queries = tt.load %qp : tensor<64x64x!tt.ptr<f16>>
  %ks = tt.splat %k : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %vs = tt.splat %v : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %r:3 = scf.for %i = %c0 to %keys step %c64 iter_args(%sums = %zero, %largest = %least, %total = %none) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64x1xi32>
    %key = arith.addi %first, %row : tensor<64x1xi32>
    %begin = arith.muli %key, %width : tensor<64x1xi32>
    %begins = tt.broadcast %begin : tensor<64x1xi32> -> tensor<64x64xi32>
    %at = arith.addi %begins, %columns : tensor<64x64xi32>
    %kp = tt.addptr %ks, %at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %kt = tt.load %kp : tensor<64x64x!tt.ptr<f16>>
    %turned = tt.trans %kt {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %scores = tt.dot %queries, %turned, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %larger = arith.maxnumf %largest, %most : tensor<64xf32>
    %change = arith.subf %largest, %larger : tensor<64xf32>
    %factor = math.exp2 %change : tensor<64xf32>
    %large = tt.expand_dims %larger {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %larges = tt.broadcast %large : tensor<64x1xf32> -> tensor<64x64xf32>
    %shifted = arith.subf %scores, %larges : tensor<64x64xf32>
    %powers = math.exp2 %shifted : tensor<64x64xf32>
    %part = "tt.reduce"(%powers) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %scaled = arith.mulf %total, %factor : tensor<64xf32>
    %more = arith.addf %scaled, %part : tensor<64xf32>
    %f = tt.expand_dims %factor {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %factors = tt.broadcast %f : tensor<64x1xf32> -> tensor<64x64xf32>
    %less = arith.mulf %sums, %factors : tensor<64x64xf32>
    %p = arith.truncf %powers : tensor<64x64xf32> to tensor<64x64xf16>
    %vp = tt.addptr %vs, %at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %vt = tt.load %vp : tensor<64x64x!tt.ptr<f16>>
    %next = tt.dot %p, %vt, %less : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next, %larger, %more : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  %t = tt.expand_dims %r#2 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %totals = tt.broadcast %t : tensor<64x1xf32> -> tensor<64x64xf32>
  %result = arith.addf %r#0, %totals : tensor<64x64xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %op = tt.addptr %os, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %op, %result : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
