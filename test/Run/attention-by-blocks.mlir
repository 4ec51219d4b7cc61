// Attention over the blocks of keys that a table names, as flex attention has it: where
// the copies of an iteration begin is carried by the loop, computed of numbers that are
// loaded ahead of them. With two stages the values' copies are a stage behind those of
// the keys, in the last one, and share the index arithmetic with them.

// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:0 --arg=arange:16xi32
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=poison:64x64xf32 --arg=i32:0 --arg=arange:16xi32 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=poison:64x64xf32 --arg=i32:0 --arg=arange:16xi32 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:1 --arg=arange:16xi32
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=poison:64x64xf32 --arg=i32:1 --arg=arange:16xi32 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=poison:64x64xf32 --arg=i32:1 --arg=arange:16xi32 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:2 --arg=arange:16xi32
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=poison:64x64xf32 --arg=i32:2 --arg=arange:16xi32 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=poison:64x64xf32 --arg=i32:2 --arg=arange:16xi32 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=%t.npy=zeros:64x64xf32 --arg=i32:9 --arg=arange:16xi32
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=2 --bulk-copies=false --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=poison:64x64xf32 --arg=i32:9 --arg=arange:16xi32 --compare=3=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-stages=3 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:640x64xf16:2 --arg=random:640x64xf16:3 --arg=poison:64x64xf32 --arg=i32:9 --arg=arange:16xi32 --compare=3=%t.npy

// The operand of the late product is there: one fence serves all of it.
// RUN: tilewright compile %s --target=sm_90a --num-stages=2 --bulk-copies=false --num-warps=4 --emit=ptx -o - | FileCheck %s
// CHECK: $L__BB0_[[LOOP:[0-9]+]]:
// CHECK: cp.async.wait_group
// CHECK: wgmma.fence
// CHECK: wgmma.mma_async
// CHECK: wgmma.commit_group
// CHECK: wgmma.fence
// CHECK-NOT: wgmma.fence
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: ex2.approx
// CHECK: cvt.rn.f16x2.f32
// CHECK: bra{{.*}} $L__BB0_[[LOOP]];

tt.func public @attention(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %keys: i32, %table: !tt.ptr<i32>) {
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
  %c1 = arith.constant 1 : i32
  %start = tt.load %table : !tt.ptr<i32>
  %r:4 = scf.for %i = %c0 to %keys step %c1 iter_args(%sums = %zero, %largest = %least, %total = %none, %here = %start) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, i32) : i32 {
    %place = arith.muli %here, %c64 : i32
    %first = tt.splat %place : i32 -> tensor<64x1xi32>
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
    %entry = tt.addptr %table, %i : !tt.ptr<i32>, i32
    %this = tt.load %entry : !tt.ptr<i32>
    %behind = tt.addptr %entry, %c1 : !tt.ptr<i32>, i32
    %there = tt.load %behind : !tt.ptr<i32>
    %way = arith.subi %there, %this : i32
    %after = arith.addi %here, %way : i32
    scf.yield %next, %larger, %more, %after : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, i32
  }
  %t = tt.expand_dims %r#2 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %totals = tt.broadcast %t : tensor<64x1xf32> -> tensor<64x64xf32>
  %result = arith.addf %r#0, %totals : tensor<64x64xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %op = tt.addptr %os, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %op, %result : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
