// Index arithmetic on 64 bits gives the same where it is done on 32.

// Once of numbers that are known to have 32 bits, and once of the same numbers
// after a 0 of memory is added, of which nothing is known.
// RUN: tilewright-opt %s --tilewright-tile --tile-narrow-indices --canonicalize | FileCheck %s
// RUN: tilewright run %s --kernel=wide --device=emulator --grid=2,3 --arg=zeros:1xi64 --arg=%t.npy=poison:6x18x64xi64
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=narrow --grid=2,3 --arg=zeros:1xi64 --arg=poison:6x18x64xi64 --compare=1=%t.npy

// CHECK-LABEL: @narrow
// CHECK-NOT: arith.{{(subi|divsi|remsi|minsi|maxsi|shrsi|divui|cmpi|select)}} {{.*}}i64
// CHECK: scf.for {{.*}} : i32 {
// CHECK-LABEL: @wide
// CHECK: arith.subi {{.*}} : tensor<64xi64>
// CHECK: arith.divsi {{.*}} : tensor<64xi64>
// CHECK: scf.for {{.*}} : i64 {

tt.func private @keep(%out: !tt.ptr<i64>, %row: i32, %v: tensor<64xi64>) {
  %size = arith.constant 64 : i32
  %first = arith.muli %row, %size : i32
  %p = tt.addptr %out, %first : !tt.ptr<i64>, i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
  %q = tt.addptr %s, %r : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<i64>>
  tt.return
}

// `a` and `b`: any numbers of 32 bits; `y`: below 65535.
tt.func private @calculate(%out: !tt.ptr<i64>, %row: i32, %a: tensor<64xi64>, %b: tensor<64xi64>, %y: i64) {
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %c0 = arith.constant dense<0> : tensor<64xi64>
  %c1 = arith.constant dense<1> : tensor<64xi64>
  %c2 = arith.constant dense<2> : tensor<64xi64>
  %c3 = arith.constant dense<3> : tensor<64xi64>
  %c5 = arith.constant dense<5> : tensor<64xi64>
  %c7 = arith.constant dense<7> : tensor<64xi64>
  %c1000 = arith.constant dense<1000> : tensor<64xi64>
  %c1023 = arith.constant dense<1023> : tensor<64xi64>
  %c65535 = arith.constant dense<65535> : tensor<64xi64>
  %first = arith.constant 0 : i64
  %step = arith.constant 3 : i64

  // How far a block reaches, where a - b needs 33 bits.
  %d = arith.subi %a, %b : tensor<64xi64>
  %dm = arith.maxsi %d, %c0 : tensor<64xi64>
  %v0 = arith.minsi %dm, %c1000 : tensor<64xi64>
  // Numbers with room, of both signs; positive ones.
  %m = arith.shrsi %a, %c3 : tensor<64xi64>
  %n = arith.shrsi %b, %c3 : tensor<64xi64>
  %k0 = arith.andi %b, %c1023 : tensor<64xi64>
  %k = arith.addi %k0, %c1 : tensor<64xi64>
  %u = arith.andi %a, %c65535 : tensor<64xi64>
  %v1 = arith.addi %m, %n : tensor<64xi64>
  %v2 = arith.subi %m, %n : tensor<64xi64>
  %v3 = arith.muli %m, %c5 : tensor<64xi64>
  %v4 = arith.divsi %m, %c7 : tensor<64xi64>
  %v5 = arith.remsi %m, %k : tensor<64xi64>
  %v6 = arith.divsi %m, %k : tensor<64xi64>
  %v7 = arith.divui %u, %k : tensor<64xi64>
  %v8 = arith.xori %m, %n : tensor<64xi64>
  %v9 = arith.shli %m, %c2 : tensor<64xi64>
  %v10 = arith.minsi %m, %n : tensor<64xi64>
  %v11 = arith.maxsi %m, %n : tensor<64xi64>
  %less = arith.cmpi slt, %a, %b : tensor<64xi64>
  %v12 = arith.select %less, %m, %n : tensor<64xi1>, tensor<64xi64>
  %below = arith.cmpi ult, %a, %b : tensor<64xi64>
  %v13 = arith.select %below, %m, %n : tensor<64xi1>, tensor<64xi64>
  %v14 = arith.shrui %u, %c3 : tensor<64xi64>
  %ys = tt.splat %y : i64 -> tensor<64xi64>
  %v15 = arith.subi %ys, %u : tensor<64xi64>
  // A loop, and what it counts.
  %v16 = scf.for %i = %first to %y step %step iter_args(%sum = %m) -> (tensor<64xi64>) : i64 {
    %is = tt.splat %i : i64 -> tensor<64xi64>
    %t = arith.addi %is, %u : tensor<64xi64>
    %s = arith.addi %sum, %t : tensor<64xi64>
    scf.yield %s : tensor<64xi64>
  }
  // Beyond 2^31, so on 64 bits in both.
  %v17 = arith.muli %a, %c1000 : tensor<64xi64>

  %count = arith.constant 18 : i32
  %base = arith.muli %row, %count : i32
  tt.call @keep_all(%out, %base, %v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8) : (!tt.ptr<i64>, i32, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>) -> ()
  %half = arith.constant 9 : i32
  %rest = arith.addi %base, %half : i32
  tt.call @keep_all(%out, %rest, %v9, %v10, %v11, %v12, %v13, %v14, %v15, %v16, %v17) : (!tt.ptr<i64>, i32, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>) -> ()
  tt.return
}

tt.func private @keep_all(%out: !tt.ptr<i64>, %base: i32, %v0: tensor<64xi64>, %v1: tensor<64xi64>, %v2: tensor<64xi64>, %v3: tensor<64xi64>, %v4: tensor<64xi64>, %v5: tensor<64xi64>, %v6: tensor<64xi64>, %v7: tensor<64xi64>, %v8: tensor<64xi64>) {
  %c1 = arith.constant 1 : i32
  tt.call @keep(%out, %base, %v0) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  %i1 = arith.addi %base, %c1 : i32
  tt.call @keep(%out, %i1, %v1) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  %i2 = arith.addi %i1, %c1 : i32
  tt.call @keep(%out, %i2, %v2) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  %i3 = arith.addi %i2, %c1 : i32
  tt.call @keep(%out, %i3, %v3) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  %i4 = arith.addi %i3, %c1 : i32
  tt.call @keep(%out, %i4, %v4) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  %i5 = arith.addi %i4, %c1 : i32
  tt.call @keep(%out, %i5, %v5) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  %i6 = arith.addi %i5, %c1 : i32
  tt.call @keep(%out, %i6, %v6) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  %i7 = arith.addi %i6, %c1 : i32
  tt.call @keep(%out, %i7, %v7) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  %i8 = arith.addi %i7, %c1 : i32
  tt.call @keep(%out, %i8, %v8) : (!tt.ptr<i64>, i32, tensor<64xi64>) -> ()
  tt.return
}

// Numbers from all over 32 bits, other ones in each program.
tt.func private @numbers(%factor: i32) -> (tensor<64xi32>, i32, i32) {
  %c64 = arith.constant 64 : i32
  %c2 = arith.constant 2 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %y2 = arith.muli %y, %c2 : i32
  %row = arith.addi %y2, %x : i32
  %first = arith.muli %row, %c64 : i32
  %r = tt.make_range {start = 1 : i32, end = 65 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %i = arith.addi %r, %firsts : tensor<64xi32>
  %factors = tt.splat %factor : i32 -> tensor<64xi32>
  %v = arith.muli %i, %factors : tensor<64xi32>
  tt.return %v, %row, %y : tensor<64xi32>, i32, i32
}

tt.func public @narrow(%zero: !tt.ptr<i64>, %out: !tt.ptr<i64>) {
  %f = arith.constant 1640531527 : i32
  %g = arith.constant -862048943 : i32
  %a, %row, %y = tt.call @numbers(%f) : (i32) -> (tensor<64xi32>, i32, i32)
  %b, %row2, %y2 = tt.call @numbers(%g) : (i32) -> (tensor<64xi32>, i32, i32)
  %a64 = arith.extsi %a : tensor<64xi32> to tensor<64xi64>
  %b64 = arith.extsi %b : tensor<64xi32> to tensor<64xi64>
  %y64 = arith.extsi %y : i32 to i64
  tt.call @calculate(%out, %row, %a64, %b64, %y64) : (!tt.ptr<i64>, i32, tensor<64xi64>, tensor<64xi64>, i64) -> ()
  tt.return
}

tt.func public @wide(%zero: !tt.ptr<i64>, %out: !tt.ptr<i64>) {
  %f = arith.constant 1640531527 : i32
  %g = arith.constant -862048943 : i32
  %a, %row, %y = tt.call @numbers(%f) : (i32) -> (tensor<64xi32>, i32, i32)
  %b, %row2, %y2 = tt.call @numbers(%g) : (i32) -> (tensor<64xi32>, i32, i32)
  %a64 = arith.extsi %a : tensor<64xi32> to tensor<64xi64>
  %b64 = arith.extsi %b : tensor<64xi32> to tensor<64xi64>
  %y64 = arith.extsi %y : i32 to i64
  %z = tt.load %zero : !tt.ptr<i64>
  %zs = tt.splat %z : i64 -> tensor<64xi64>
  %aw = arith.addi %a64, %zs : tensor<64xi64>
  %bw = arith.addi %b64, %zs : tensor<64xi64>
  %yw = arith.addi %y64, %z : i64
  tt.call @calculate(%out, %row, %aw, %bw, %yw) : (!tt.ptr<i64>, i32, tensor<64xi64>, tensor<64xi64>, i64) -> ()
  tt.return
}
