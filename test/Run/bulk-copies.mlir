// Products of tiles that bulk copies bring: the same bits as by cp.async, under
// all checks of the emulator, with copies that come at once, late or in any order
// (the seed). Sizes are no multiples of tiles, and there are more iterations than
// buffers.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry pointers(
// PTX: .param .align 64 .b8 pointers_param_9[128]
// PTX: .param .align 64 .b8 pointers_param_10[128]
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.2d
// PTX-LABEL: .entry descriptors(
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.2d
// PTX-LABEL: .entry batches(
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.3d
// PTX-LABEL: .entry stacked(
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.2d
// PTX-LABEL: .entry rows(
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.2d

// RUN: tilewright run %s --kernel=pointers --target=sm_90a --device=emulator --bulk-copies=false --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=pointers --target=sm_90a --device=emulator --bulk-copies --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=pointers --target=sm_90a --device=emulator --seed=3 --bulk-copies --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=descriptors --target=sm_90a --device=emulator --seed=7 --bulk-copies --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy

// Matrices that follow each other: another dimension of the tensor.
// RUN: tilewright run %s --kernel=batches --target=sm_90a --device=emulator --bulk-copies=false --grid=1,1,2 --arg=random:2x64x192xf16:1 --arg=random:2x192x64xf16:2 --arg=%t.b.npy=zeros:2x64x64xf32 --arg=i32:192 --arg=i32:12288
// RUN: tilewright run %s --kernel=batches --target=sm_90a --device=emulator --bulk-copies --grid=1,1,2 --arg=random:2x64x192xf16:1 --arg=random:2x192x64xf16:2 --arg=poison:2x64x64xf32 --arg=i32:192 --arg=i32:12288 --compare=2=%t.b.npy

// Matrices whose rows follow each other, and what makes no coordinate negative.
// RUN: tilewright run %s --kernel=stacked --target=sm_90a --device=emulator --bulk-copies=false --grid=1,1,2 --arg=random:2x64x192xf16:1 --arg=random:2x192x64xf16:2 --arg=%t.s.npy=zeros:2x64x64xf32 --arg=i32:192
// RUN: tilewright run %s --kernel=stacked --target=sm_90a --device=emulator --bulk-copies --grid=1,1,2 --arg=random:2x64x192xf16:1 --arg=random:2x192x64xf16:2 --arg=poison:2x64x64xf32 --arg=i32:192 --compare=2=%t.s.npy
// RUN: not tilewright run %s --kernel=stacked --target=sm_90a --device=emulator --bulk-copies --grid=1,1,2 --arg=random:2x64x192xf16:1 --arg=random:2x192x64xf16:2 --arg=poison:2x64x64xf32 --arg=i32:-192 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: kernel 'stacked': bulk copies expect argument 3 to be 0 or more, but got -192; compile without tensor maps for such arguments

// No iteration, and fewer than buffers.
// RUN: tilewright run %s --kernel=pointers --target=sm_90a --device=emulator --bulk-copies --grid=1,1 --arg=random:64x8xf16:1 --arg=random:8x64xf16:2 --arg=%t.one.npy=poison:64x64xf32 --arg=i32:64 --arg=i32:64 --arg=i32:8 --arg=i32:8 --arg=i32:64 --arg=i32:64
// RUN: tilewright run %s --kernel=pointers --target=sm_90a --device=emulator --bulk-copies=false --grid=1,1 --arg=random:64x8xf16:1 --arg=random:8x64xf16:2 --arg=poison:64x64xf32 --arg=i32:64 --arg=i32:64 --arg=i32:8 --arg=i32:8 --arg=i32:64 --arg=i32:64 --compare=2=%t.one.npy

// What a map relies on a launch is asked for.
// RUN: not tilewright run %s --kernel=pointers --target=sm_90a --device=emulator --bulk-copies --grid=1,1 --arg=random:64x9xf16:1 --arg=random:8x64xf16:2 --arg=poison:64x64xf32 --arg=i32:64 --arg=i32:64 --arg=i32:8 --arg=i32:9 --arg=i32:64 --arg=i32:64 2>&1 | FileCheck %s --check-prefix=STRIDE
// STRIDE: kernel 'pointers': a tensor map expects a stride that is a multiple of 16 bytes, but got 18
// A tensor without elements: no iteration, and iterations that copy from it.
// RUN: tilewright run %s --kernel=pointers --target=sm_90a --device=emulator --bulk-copies --grid=1,1 --arg=random:64x8xf16:1 --arg=random:8x64xf16:2 --arg=%t.none.npy=poison:64x64xf32 --arg=i32:64 --arg=i32:64 --arg=i32:0 --arg=i32:8 --arg=i32:64 --arg=i32:64
// RUN: tilewright run %s --kernel=pointers --target=sm_90a --device=emulator --bulk-copies=false --grid=1,1 --arg=random:64x8xf16:1 --arg=random:8x64xf16:2 --arg=poison:64x64xf32 --arg=i32:64 --arg=i32:64 --arg=i32:0 --arg=i32:8 --arg=i32:64 --arg=i32:64 --compare=2=%t.none.npy
// RUN: tilewright run %s --kernel=rows --target=sm_90a --device=emulator --bulk-copies --arg=random:64x192xf16:1 --arg=random:192x64xf16:2 --arg=%t.rows.npy=poison:64x64xf32 --arg=i32:192 --arg=i32:0
// RUN: tilewright run %s --kernel=rows --target=sm_90a --device=emulator --bulk-copies --arg=random:64x192xf16:1 --arg=random:192x64xf16:2 --arg=poison:64x64xf32 --arg=i32:192 --arg=i32:-5 --compare=2=%t.rows.npy
// RUN: tilewright run %s --kernel=rows --target=sm_90a --device=emulator --bulk-copies=false --arg=random:64x192xf16:1 --arg=random:192x64xf16:2 --arg=poison:64x64xf32 --arg=i32:192 --arg=i32:0 --compare=2=%t.rows.npy

// What orders agents is enough by the other check, too.
// RUN: tilewright-opt %s --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=4 specialize-warps=true" --tilewright-tilegpu --tilegpu-verify-barriers -o /dev/null

// RUN: tilewright-opt %s --tilewright="target=sm_90a num-warps=4 num-stages=2 bulk-copies=true" --validate-passes -o /dev/null

tt.func public @pointers(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %step = arith.constant dense<64> : tensor<64x64xi32>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m0 = arith.muli %x, %c64 : i32
  %n0 = arith.muli %y, %c64 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ms = tt.splat %m0 : i32 -> tensor<64xi32>
  %ns = tt.splat %n0 : i32 -> tensor<64xi32>
  %m1 = arith.addi %ms, %r : tensor<64xi32>
  %n1 = arith.addi %ns, %r : tensor<64xi32>
  %m = tt.expand_dims %m1 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %n = tt.expand_dims %n1 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %kc = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %kr = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %Ms = tt.splat %M : i32 -> tensor<64x1xi32>
  %Ns = tt.splat %N : i32 -> tensor<1x64xi32>
  %inM = arith.cmpi slt, %m, %Ms : tensor<64x1xi32>
  %inN = arith.cmpi slt, %n, %Ns : tensor<1x64xi32>
  %inMs = tt.broadcast %inM : tensor<64x1xi1> -> tensor<64x64xi1>
  %inNs = tt.broadcast %inN : tensor<1x64xi1> -> tensor<64x64xi1>
  %as = tt.splat %sa : i32 -> tensor<64x1xi32>
  %am = arith.muli %m, %as : tensor<64x1xi32>
  %ap = tt.splat %a : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
  %a1 = tt.addptr %ap, %am : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
  %a2 = tt.broadcast %a1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
  %kcs = tt.broadcast %kc : tensor<1x64xi32> -> tensor<64x64xi32>
  %a3 = tt.addptr %a2, %kcs : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bs = tt.splat %sb : i32 -> tensor<64x1xi32>
  %bk = arith.muli %kr, %bs : tensor<64x1xi32>
  %bp = tt.splat %b : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
  %b1 = tt.addptr %bp, %bk : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
  %b2 = tt.broadcast %b1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
  %nn = tt.broadcast %n : tensor<1x64xi32> -> tensor<64x64xi32>
  %b3 = tt.addptr %b2, %nn : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bstep = arith.muli %sb, %c64 : i32
  %bsteps = tt.splat %bstep : i32 -> tensor<64x64xi32>
  %sum:3 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %ap0 = %a3, %bp0 = %b3) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %left = arith.subi %K, %k : i32
    %lc = tt.splat %left : i32 -> tensor<1x64xi32>
    %lr = tt.splat %left : i32 -> tensor<64x1xi32>
    %inC = arith.cmpi slt, %kc, %lc : tensor<1x64xi32>
    %inR = arith.cmpi slt, %kr, %lr : tensor<64x1xi32>
    %inCs = tt.broadcast %inC : tensor<1x64xi1> -> tensor<64x64xi1>
    %inRs = tt.broadcast %inR : tensor<64x1xi1> -> tensor<64x64xi1>
    %ma = arith.andi %inMs, %inCs : tensor<64x64xi1>
    %mb = arith.andi %inNs, %inRs : tensor<64x64xi1>
    %va = tt.load %ap0, %ma, %none : tensor<64x64x!tt.ptr<f16>>
    %vb = tt.load %bp0, %mb, %none : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %an = tt.addptr %ap0, %step : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %bn = tt.addptr %bp0, %bsteps : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %an, %bn : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  %cs = tt.splat %sc : i32 -> tensor<64x1xi32>
  %cm = arith.muli %m, %cs : tensor<64x1xi32>
  %cp = tt.splat %c : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %c1 = tt.addptr %cp, %cm : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %c2 = tt.broadcast %c1 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %c3 = tt.addptr %c2, %nn : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %mc = arith.andi %inMs, %inNs : tensor<64x64xi1>
  tt.store %c3, %sum#0, %mc : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

tt.func public @descriptors(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
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

// Without masks, rows of 64 for B; a program has a matrix of its own.
tt.func public @batches(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32>, %K: i32 {tt.divisibility = 16 : i32}, %plane: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %size = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %aStep = arith.constant dense<64> : tensor<64x64xi32>
  %bStep = arith.constant dense<4096> : tensor<64x64xi32>
  %z = tt.get_program_id z : i32
  %first = arith.muli %z, %plane : i32
  %firstC = arith.muli %z, %size : i32
  %pa = tt.addptr %a, %first : !tt.ptr<f16>, i32
  %pb = tt.addptr %b, %first : !tt.ptr<f16>, i32
  %pc = tt.addptr %c, %firstC : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %Ks = tt.splat %K : i32 -> tensor<64x1xi32>
  %sixtyFour = arith.constant dense<64> : tensor<64x1xi32>
  %ra = arith.muli %row, %Ks : tensor<64x1xi32>
  %rb = arith.muli %row, %sixtyFour : tensor<64x1xi32>
  %ras = tt.broadcast %ra : tensor<64x1xi32> -> tensor<64x64xi32>
  %rbs = tt.broadcast %rb : tensor<64x1xi32> -> tensor<64x64xi32>
  %oa = arith.addi %ras, %columns : tensor<64x64xi32>
  %ob = arith.addi %rbs, %columns : tensor<64x64xi32>
  %as = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bs = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %cs = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %a0 = tt.addptr %as, %oa : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %b0 = tt.addptr %bs, %ob : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %out = tt.addptr %cs, %ob : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum:3 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %ap = %a0, %bp = %b0) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %va = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
    %vb = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %an = tt.addptr %ap, %aStep : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %bn = tt.addptr %bp, %bStep : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %an, %bn : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  tt.store %out, %sum#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Matrices B whose rows follow each other: as many as an argument says are before,
// which is not to be negative.
tt.func public @stacked(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32>, %K: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %size = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %aStep = arith.constant dense<64> : tensor<64x64xi32>
  %bStep = arith.constant dense<4096> : tensor<64x64xi32>
  %z = tt.get_program_id z : i32
  %before = arith.muli %z, %K : i32
  %first = arith.muli %before, %c64 : i32
  %firstC = arith.muli %z, %size : i32
  %pa = tt.addptr %a, %first : !tt.ptr<f16>, i32
  %pb = tt.addptr %b, %first : !tt.ptr<f16>, i32
  %pc = tt.addptr %c, %firstC : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %Ks = tt.splat %K : i32 -> tensor<64x1xi32>
  %sixtyFour = arith.constant dense<64> : tensor<64x1xi32>
  %ra = arith.muli %row, %Ks : tensor<64x1xi32>
  %rb = arith.muli %row, %sixtyFour : tensor<64x1xi32>
  %ras = tt.broadcast %ra : tensor<64x1xi32> -> tensor<64x64xi32>
  %rbs = tt.broadcast %rb : tensor<64x1xi32> -> tensor<64x64xi32>
  %oa = arith.addi %ras, %columns : tensor<64x64xi32>
  %ob = arith.addi %rbs, %columns : tensor<64x64xi32>
  %as = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bs = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %cs = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %a0 = tt.addptr %as, %oa : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %b0 = tt.addptr %bs, %ob : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %out = tt.addptr %cs, %ob : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum:3 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %ap = %a0, %bp = %b0) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %va = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
    %vb = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %an = tt.addptr %ap, %aStep : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %bn = tt.addptr %bp, %bStep : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %an, %bn : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  tt.store %out, %sum#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Rows of A, of which there may be none, and a result of all of them.
tt.func public @rows(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32>, %K: i32 {tt.divisibility = 16 : i32}, %R: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %aStep = arith.constant dense<64> : tensor<64x64xi32>
  %bStep = arith.constant dense<4096> : tensor<64x64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %Ks = tt.splat %K : i32 -> tensor<64x1xi32>
  %sixtyFour = arith.constant dense<64> : tensor<64x1xi32>
  %ra = arith.muli %row, %Ks : tensor<64x1xi32>
  %rb = arith.muli %row, %sixtyFour : tensor<64x1xi32>
  %ras = tt.broadcast %ra : tensor<64x1xi32> -> tensor<64x64xi32>
  %rbs = tt.broadcast %rb : tensor<64x1xi32> -> tensor<64x64xi32>
  %oa = arith.addi %ras, %columns : tensor<64x64xi32>
  %ob = arith.addi %rbs, %columns : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %a0 = tt.addptr %as, %oa : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %b0 = tt.addptr %bs, %ob : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %out = tt.addptr %cs, %ob : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %Rs = tt.splat %R : i32 -> tensor<64x1xi32>
  %inR = arith.cmpi slt, %row, %Rs : tensor<64x1xi32>
  %in = tt.broadcast %inR : tensor<64x1xi1> -> tensor<64x64xi1>
  %sum:3 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %ap = %a0, %bp = %b0) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %va = tt.load %ap, %in, %none : tensor<64x64x!tt.ptr<f16>>
    %vb = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %an = tt.addptr %ap, %aStep : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %bn = tt.addptr %bp, %bStep : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %an, %bn : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  tt.store %out, %sum#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
