// Warps of their own run the copies of a loop inside of others: buffers and phases
// go on from one of its runs to the next, also where a run has fewer iterations
// than there are buffers, or none; the same bits as by cp.async, under all checks of
// the emulator, with copies that come at once, late or in any order (the seed).

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --specialize-warps --remarks=all --emit=ptx -o /dev/null 2>&1 | FileCheck %s
// CHECK-DAG: remark: 4 warps of their own run copies
// CHECK-DAG: remark: iterations of this loop overlap by the warps alone that run the copies in it
// CHECK-DAG: remark: no warps of their own run copies of this loop: it is inside of another loop, and has waits for tiles of the next iteration
// CHECK-DAG: remark: no warps of their own run copies: what they copy depends on tiles

// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --arg=random:100x8xf16:1 --arg=random:8x120xf16:2 --arg=%t.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:0 --arg=i32:8 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=2 --specialize-warps --arg=random:100x8xf16:1 --arg=random:8x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:0 --arg=i32:8 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=8 --num-stages=4 --seed=5 --specialize-warps --arg=random:100x8xf16:1 --arg=random:8x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:0 --arg=i32:8 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=%t.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=2 --specialize-warps --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=8 --num-stages=4 --seed=5 --specialize-warps --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --arg=random:100x192xf16:1 --arg=random:192x120xf16:2 --arg=%t.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:192 --arg=i32:192 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=2 --specialize-warps --arg=random:100x192xf16:1 --arg=random:192x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:192 --arg=i32:192 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=8 --num-stages=4 --seed=5 --specialize-warps --arg=random:100x192xf16:1 --arg=random:192x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:192 --arg=i32:192 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=2 --specialize-warps --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=8 --num-stages=4 --seed=5 --specialize-warps --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy

// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:256x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=%t.npy=zeros:256x64xf32 --arg=i32:64 --arg=i32:4
// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --num-stages=2 --specialize-warps --num-warps=4 --arg=random:256x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=poison:256x64xf32 --arg=i32:64 --arg=i32:4 --compare=3=%t.npy
// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:256x64xf16:1 --arg=random:64x64xf16:2 --arg=random:64x64xf16:3 --arg=poison:256x64xf32 --arg=i32:64 --arg=i32:4 --compare=3=%t.npy
// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:256x64xf16:1 --arg=random:128x64xf16:2 --arg=random:128x64xf16:3 --arg=%t.npy=zeros:256x64xf32 --arg=i32:128 --arg=i32:4
// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --num-stages=2 --specialize-warps --num-warps=4 --arg=random:256x64xf16:1 --arg=random:128x64xf16:2 --arg=random:128x64xf16:3 --arg=poison:256x64xf32 --arg=i32:128 --arg=i32:4 --compare=3=%t.npy
// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:256x64xf16:1 --arg=random:128x64xf16:2 --arg=random:128x64xf16:3 --arg=poison:256x64xf32 --arg=i32:128 --arg=i32:4 --compare=3=%t.npy
// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --bulk-copies=false --overlap-products=false --num-warps=4 --arg=random:256x64xf16:1 --arg=random:512x64xf16:2 --arg=random:512x64xf16:3 --arg=%t.npy=zeros:256x64xf32 --arg=i32:512 --arg=i32:4
// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --num-stages=2 --specialize-warps --num-warps=4 --arg=random:256x64xf16:1 --arg=random:512x64xf16:2 --arg=random:512x64xf16:3 --arg=poison:256x64xf32 --arg=i32:512 --arg=i32:4 --compare=3=%t.npy
// RUN: tilewright run %s --kernel=attention --target=sm_90a --device=emulator --num-stages=3 --seed=3 --specialize-warps --num-warps=4 --arg=random:256x64xf16:1 --arg=random:512x64xf16:2 --arg=random:512x64xf16:3 --arg=poison:256x64xf32 --arg=i32:512 --arg=i32:4 --compare=3=%t.npy

// RUN: tilewright run %s --kernel=tabled --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=%t.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=tabled --target=sm_90a --device=emulator --num-warps=4 --seed=3 --specialize-warps --grid=2 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=tabled --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=tabled --target=sm_90a --device=emulator --num-warps=4 --seed=3 --specialize-warps --grid=2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy

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
  scf.for %x = %c0 to %c2 step %c1 : i32 {
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
  }
  tt.return
}

// Where a product runs a step behind its softmax, tiles are waited for in two steps.
tt.func public @attention(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %keys: i32, %rounds: i32) {
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
  %c1 = arith.constant 1 : i32
  %c4096 = arith.constant 4096 : i32
  scf.for %round = %c0 to %rounds step %c1 : i32 {
    %place = arith.muli %round, %c4096 : i32
    %q0 = tt.addptr %q, %place : !tt.ptr<f16>, i32
    %out0 = tt.addptr %out, %place : !tt.ptr<f32>, i32
    %qs = tt.splat %q0 : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
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
    %os = tt.splat %out0 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %op = tt.addptr %os, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %op, %result : tensor<64x64x!tt.ptr<f32>>
  }
  tt.return
}

// Where it copies from is the sum of a tile: copies wait at barriers of all warps.
tt.func public @tabled(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
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
  %m = arith.muli %x, %c64 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ks = tt.splat %K : i32 -> tensor<64xi32>
  %less = arith.cmpi slt, %r, %ks : tensor<64xi32>
  %bits = arith.extui %less : tensor<64xi1> to tensor<64xi32>
  %count = "tt.reduce"(%bits) <{axis = 0 : i32}> ({
  ^bb0(%u: i32, %v: i32):
    %w = arith.maxsi %u, %v : i32
    tt.reduce.return %w : i32
  }) : (tensor<64xi32>) -> i32
  scf.for %t = %c0 to %c2 step %c1 : i32 {
  %n = arith.muli %t, %c64 : i32
  %p = arith.muli %count, %n : i32
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %p] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  }
  tt.return
}
