// Products of tf32 by warp groups: what descriptors read is rounded to nearest,
// ties to even, on every way into shared memory. What bulk copies round has the
// bits of what threads round, in place or from registers, and halves between two
// numbers of tf32 go to the even one.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies=false --specialize-warps=false --emit=ptx -o - | FileCheck %s --check-prefix=THREADS
// THREADS-LABEL: .entry rows(
// THREADS: cvt.rn.tf32
// THREADS: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// THREADS-LABEL: .entry both(
// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies --emit=ptx -o - | FileCheck %s --check-prefix=BULK
// BULK-LABEL: .entry rows(
// BULK-NOT: cvt.rn.tf32
// BULK: cp.async.bulk.tensor.2d
// BULK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies --emit=artifact-json -o - | FileCheck %s --check-prefix=MAP
// MAP: "data_type": 11

// RUN: tilewright run %s --kernel=rows --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --grid=1 --arg=random:64x352xf32:1 --arg=random:64x352xf32:2 --arg=%t.npy=poison:64x64xf32 --arg=i32:352
// RUN: tilewright run %s --kernel=rows --target=sm_90a --device=emulator --bulk-copies --seed=3 --grid=1 --arg=random:64x352xf32:1 --arg=random:64x352xf32:2 --arg=poison:64x64xf32 --arg=i32:352 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=rows --target=sm_90a --device=emulator --specialize-warps --seed=4 --grid=1 --arg=random:64x352xf32:1 --arg=random:64x352xf32:2 --arg=poison:64x64xf32 --arg=i32:352 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=columns --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --grid=1 --arg=random:64x352xf32:1 --arg=random:352x64xf32:2 --arg=%t.c.npy=poison:64x64xf32 --arg=i32:352
// RUN: tilewright run %s --kernel=columns --target=sm_90a --device=emulator --bulk-copies --grid=1 --arg=random:64x352xf32:1 --arg=random:352x64xf32:2 --arg=poison:64x64xf32 --arg=i32:352 --compare=2=%t.c.npy

// The numbers themselves: what is rounded, and what is not.
// RUN: %python %S/Inputs/tf32.py %t.x.npy %t.y.npy %t.ones.npy %t.product.npy %t.sums.npy
// RUN: tilewright run %s --kernel=rows --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --grid=1 --arg=%t.x.npy --arg=%t.ones.npy --arg=poison:64x64xf32 --arg=i32:128 --compare=2=%t.product.npy
// RUN: tilewright run %s --kernel=rows --target=sm_90a --device=emulator --bulk-copies --grid=1 --arg=%t.x.npy --arg=%t.ones.npy --arg=poison:64x64xf32 --arg=i32:128 --compare=2=%t.product.npy
// RUN: tilewright run %s --kernel=columns --target=sm_90a --device=emulator --grid=1 --arg=%t.x.npy --arg=%t.y.npy --arg=poison:64x64xf32 --arg=i32:128 --compare=2=%t.product.npy
// Who adds what a product reads, too, adds it as it is.
// RUN: tilewright run %s --kernel=both --target=sm_90a --device=emulator --bulk-copies=false --specialize-warps=false --grid=1 --arg=%t.x.npy --arg=%t.ones.npy --arg=poison:64x64xf32 --arg=poison:64xf32 --arg=i32:128 --compare=2=%t.product.npy --compare=3=%t.sums.npy
// RUN: tilewright run %s --kernel=both --target=sm_90a --device=emulator --bulk-copies --grid=1 --arg=%t.x.npy --arg=%t.ones.npy --arg=poison:64x64xf32 --arg=poison:64xf32 --arg=i32:128 --compare=2=%t.product.npy --compare=3=%t.sums.npy

tt.func public @rows(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %m = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %n = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %Km = tt.splat %K : i32 -> tensor<64x1xi32>
  %Kn = tt.splat %K : i32 -> tensor<1x64xi32>
  %am = arith.muli %m, %Km : tensor<64x1xi32>
  %ap = tt.splat %a : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ams = tt.broadcast %am : tensor<64x1xi32> -> tensor<64x32xi32>
  %a0 = tt.addptr %ap, %ams : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %bp = tt.splat %b : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %bn = arith.muli %n, %Kn : tensor<1x64xi32>
  %bns = tt.broadcast %bn : tensor<1x64xi32> -> tensor<32x64xi32>
  %b0 = tt.addptr %bp, %bns : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %d = scf.for %i = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %ks = arith.addi %is, %k : tensor<32xi32>
    %kc = tt.expand_dims %ks {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kr = tt.expand_dims %ks {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %kcs = tt.broadcast %kc : tensor<1x32xi32> -> tensor<64x32xi32>
    %a1 = tt.addptr %a0, %kcs : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %krs = tt.broadcast %kr : tensor<32x1xi32> -> tensor<32x64xi32>
    %b1 = tt.addptr %b0, %krs : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %x = tt.load %a1 : tensor<64x32x!tt.ptr<f32>>
    %y = tt.load %b1 : tensor<32x64x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %cm = arith.muli %m, %width : tensor<64x1xi32>
  %cms = tt.broadcast %cm : tensor<64x1xi32> -> tensor<64x64xi32>
  %ns = tt.broadcast %n : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %cms, %ns : tensor<64x64xi32>
  %cp = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %c1 = tt.addptr %cp, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %c1, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

tt.func public @columns(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %m = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %n = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %Km = tt.splat %K : i32 -> tensor<64x1xi32>
  %Kn = tt.splat %K : i32 -> tensor<1x64xi32>
  %am = arith.muli %m, %Km : tensor<64x1xi32>
  %ap = tt.splat %a : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ams = tt.broadcast %am : tensor<64x1xi32> -> tensor<64x32xi32>
  %a0 = tt.addptr %ap, %ams : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %bp = tt.splat %b : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %bns = tt.broadcast %n : tensor<1x64xi32> -> tensor<32x64xi32>
  %b0 = tt.addptr %bp, %bns : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %d = scf.for %i = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %ks = arith.addi %is, %k : tensor<32xi32>
    %kc = tt.expand_dims %ks {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kr = tt.expand_dims %ks {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %kcs = tt.broadcast %kc : tensor<1x32xi32> -> tensor<64x32xi32>
    %a1 = tt.addptr %a0, %kcs : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %w = arith.constant dense<64> : tensor<32x1xi32>
    %kw = arith.muli %kr, %w : tensor<32x1xi32>
    %krs = tt.broadcast %kw : tensor<32x1xi32> -> tensor<32x64xi32>
    %b1 = tt.addptr %b0, %krs : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %x = tt.load %a1 : tensor<64x32x!tt.ptr<f32>>
    %y = tt.load %b1 : tensor<32x64x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %cm = arith.muli %m, %width : tensor<64x1xi32>
  %cms = tt.broadcast %cm : tensor<64x1xi32> -> tensor<64x64xi32>
  %ns = tt.broadcast %n : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %cms, %ns : tensor<64x64xi32>
  %cp = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %c1 = tt.addptr %cp, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %c1, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

tt.func public @both(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %m = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %n = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %Km = tt.splat %K : i32 -> tensor<64x1xi32>
  %Kn = tt.splat %K : i32 -> tensor<1x64xi32>
  %am = arith.muli %m, %Km : tensor<64x1xi32>
  %ap = tt.splat %a : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ams = tt.broadcast %am : tensor<64x1xi32> -> tensor<64x32xi32>
  %a0 = tt.addptr %ap, %ams : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %bp = tt.splat %b : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %bn = arith.muli %n, %Kn : tensor<1x64xi32>
  %bns = tt.broadcast %bn : tensor<1x64xi32> -> tensor<32x64xi32>
  %b0 = tt.addptr %bp, %bns : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %d:2 = scf.for %i = %c0 to %K step %c32 iter_args(%acc = %zero, %sum = %zeros) -> (tensor<64x64xf32>, tensor<64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %ks = arith.addi %is, %k : tensor<32xi32>
    %kc = tt.expand_dims %ks {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kr = tt.expand_dims %ks {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %kcs = tt.broadcast %kc : tensor<1x32xi32> -> tensor<64x32xi32>
    %a1 = tt.addptr %a0, %kcs : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %krs = tt.broadcast %kr : tensor<32x1xi32> -> tensor<32x64xi32>
    %b1 = tt.addptr %b0, %krs : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %x = tt.load %a1 : tensor<64x32x!tt.ptr<f32>>
    %y = tt.load %b1 : tensor<32x64x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %part = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %uv = arith.addf %u, %v : f32
      tt.reduce.return %uv : f32
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    %nextSum = arith.addf %sum, %part : tensor<64xf32>
    scf.yield %next, %nextSum : tensor<64x64xf32>, tensor<64xf32>
  }
  %cm = arith.muli %m, %width : tensor<64x1xi32>
  %cms = tt.broadcast %cm : tensor<64x1xi32> -> tensor<64x64xi32>
  %ns = tt.broadcast %n : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %cms, %ns : tensor<64x64xi32>
  %cp = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %c1 = tt.addptr %cp, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %c1, %d#0 : tensor<64x64x!tt.ptr<f32>>
  %sp = tt.splat %s : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %s1 = tt.addptr %sp, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %s1, %d#1 : tensor<64x!tt.ptr<f32>>
  tt.return
}
