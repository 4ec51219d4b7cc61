// Products of all tiles of a program in one loop, as persistent kernels have it: a
// branch says where the next tile is, another one stores what is done. Copies run
// ahead, and with them that branch: the same bits as by loops of one stage, under
// all checks of the emulator.

// RUN: tilewright compile %s --target=sm_80 --num-stages=3 --remarks --emit=ptx -o /dev/null 2>&1 | FileCheck %s
// CHECK: remark: this loop is a software pipeline of 3 stages

// Where there is no further iteration the branch takes its other way, whose addresses
// are as contiguous: copies move 16 bytes each.
// RUN: tilewright compile %s --target=sm_80 --num-stages=3 --emit=ptx -o - | FileCheck %s --check-prefix=PTX --implicit-check-not=ld.global
// PTX: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16

// RUN: tilewright run %s --target=sm_80 --num-stages=1 --device=emulator --grid=2 --arg=random:96x96xf16:1 --arg=random:96x96xf16:2 --arg=%t.npy=zeros:96x96xf32 --arg=i32:96 --arg=i32:3
// RUN: tilewright run %s --target=sm_80 --num-stages=3 --seed=1 --device=emulator --grid=2 --arg=random:96x96xf16:1 --arg=random:96x96xf16:2 --arg=poison:96x96xf32 --arg=i32:96 --arg=i32:3 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_75 --num-stages=3 --seed=2 --device=emulator --grid=2 --arg=random:96x96xf16:1 --arg=random:96x96xf16:2 --arg=poison:96x96xf32 --arg=i32:96 --arg=i32:3 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --num-stages=2 --num-warps=2 --seed=3 --device=emulator --grid=2 --arg=random:96x96xf16:1 --arg=random:96x96xf16:2 --arg=poison:96x96xf32 --arg=i32:96 --arg=i32:3 --compare=2=%t.npy

// A program without tiles copies nothing.
// RUN: tilewright run %s --target=sm_80 --num-stages=3 --device=emulator --grid=12 --arg=random:96x96xf16:1 --arg=random:96x96xf16:2 --arg=poison:96x96xf32 --arg=i32:96 --arg=i32:3 --compare=2=%t.npy

!rows = tensor<32x1xi32>
!columns = tensor<1x32xi32>
!half = tensor<32x32xf16>
!sums = tensor<32x32xf32>

// c = a b of n x n; tiles of 32 x 32 are numbered row by row, `parts` along each
// dimension, and a program has every second one, or, of more programs, fewer.
tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %parts: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %none = arith.constant -1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %program = tt.get_program_id x : i32
  %programs = tt.get_num_programs x : i32
  %tiles = arith.muli %parts, %parts : i32
  %more = arith.addi %tiles, %programs : i32
  %more1 = arith.subi %more, %c1 : i32
  %left = arith.subi %more1, %program : i32
  %own = arith.divsi %left, %programs : i32
  %steps = arith.muli %own, %parts : i32
  %before = arith.subi %program, %programs : i32
  %last = arith.subi %parts, %c1 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> !rows
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> !columns
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ns = tt.splat %n : i32 -> !rows
  %r:5 = scf.for %i = %c0 to %steps step %c1 iter_args(%tile = %before, %k = %none, %row = %rows, %column = %columns, %sum = %zero) -> (i32, i32, !rows, !columns, !sums) : i32 {
    %isLast = arith.cmpi eq, %k, %last : i32
    %k1 = arith.addi %k, %c1 : i32
    %step = arith.select %isLast, %c0, %k1 : i32
    %isFirst = arith.cmpi eq, %step, %c0 : i32
    %place:3 = scf.if %isFirst -> (i32, !rows, !columns) {
      %next = arith.addi %tile, %programs : i32
      %y = arith.divsi %next, %parts : i32
      %x = arith.remsi %next, %parts : i32
      %y32 = arith.muli %y, %c32 : i32
      %x32 = arith.muli %x, %c32 : i32
      %ys = tt.splat %y32 : i32 -> !rows
      %xs = tt.splat %x32 : i32 -> !columns
      %yr = arith.addi %ys, %rows : !rows
      %xc = arith.addi %xs, %columns : !columns
      scf.yield %next, %yr, %xc : i32, !rows, !columns
    } else {
      scf.yield %tile, %row, %column : i32, !rows, !columns
    }
    %depth = arith.muli %step, %c32 : i32
    %dc = tt.splat %depth : i32 -> !columns
    %dr = tt.splat %depth : i32 -> !rows
    %kc = arith.addi %dc, %columns : !columns
    %kr = arith.addi %dr, %rows : !rows
    %a0 = arith.muli %place#1, %ns : !rows
    %a1 = tt.broadcast %a0 : !rows -> tensor<32x32xi32>
    %a2 = tt.broadcast %kc : !columns -> tensor<32x32xi32>
    %a3 = arith.addi %a1, %a2 : tensor<32x32xi32>
    %pa = tt.addptr %as, %a3 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %b0 = arith.muli %kr, %ns : !rows
    %b1 = tt.broadcast %b0 : !rows -> tensor<32x32xi32>
    %b2 = tt.broadcast %place#2 : !columns -> tensor<32x32xi32>
    %b3 = arith.addi %b1, %b2 : tensor<32x32xi32>
    %pb = tt.addptr %bs, %b3 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %va = tt.load %pa : tensor<32x32x!tt.ptr<f16>>
    %vb = tt.load %pb : tensor<32x32x!tt.ptr<f16>>
    %dot = tt.dot %va, %vb, %sum : !half * !half -> !sums
    %isDone = arith.cmpi eq, %step, %last : i32
    scf.if %isDone {
      %c0s = arith.muli %place#1, %ns : !rows
      %c1s = tt.broadcast %c0s : !rows -> tensor<32x32xi32>
      %c2s = tt.broadcast %place#2 : !columns -> tensor<32x32xi32>
      %c3s = arith.addi %c1s, %c2s : tensor<32x32xi32>
      %pc = tt.addptr %cs, %c3s : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
      tt.store %pc, %dot : tensor<32x32x!tt.ptr<f32>>
    }
    %rest = arith.select %isDone, %zero, %dot : !sums
    scf.yield %place#0, %step, %place#1, %place#2, %rest : i32, i32, !rows, !columns, !sums
  }
  tt.return
}
