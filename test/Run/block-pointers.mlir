// Block pointers: checked and padded accesses, and every way that they go.

// A matrix of 37 x 45 is copied in blocks of 16 x 32.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.npy=arange:37x45xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=copy --grid=3,2 --arg=arange:37x45xf32 --arg=poison:37x45xf32 --arg=i32:37 --arg=i32:45 --compare=1=%t.npy
// The same, one program: block pointers carried by loops, chosen by a branch
// and by a selection, and passed by branches of a graph.
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=carried --arg=arange:37x45xf32 --arg=poison:37x45xf32 --arg=i32:37 --arg=i32:45 --compare=1=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=graph --arg=arange:37x45xf32 --arg=poison:37x45xf32 --arg=i32:37 --arg=i32:45 --compare=1=%t.npy
// Before the begin and behind the end there is padding.
// RUN: tilewright run %s --kernel=shifted_expected --device=emulator --arg=arange:50xf32:1 --arg=%t.shifted.npy=poison:128xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=shifted --arg=arange:50xf32:1 --arg=poison:128xf32 --arg=i64:50 --compare=1=%t.shifted.npy

!block = !tt.ptr<tensor<16x32xf32>>

tt.func public @nothing(%x: !tt.ptr<f32>) {
  tt.return
}

tt.func private @place(%p: !tt.ptr<f32>, %m: i32, %n: i32, %i: i32, %j: i32) -> !block {
  %one = arith.constant 1 : i64
  %m64 = arith.extsi %m : i32 to i64
  %n64 = arith.extsi %n : i32 to i64
  %b = tt.make_tensor_ptr %p, [%m64, %n64], [%n64, %one], [%i, %j] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  tt.return %b : !block
}

tt.func private @move(%from: !block, %to: !block) {
  %v = tt.load %from {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !block
  tt.store %to, %v {boundaryCheck = array<i32: 0, 1>} : !block
  tt.return
}

tt.func public @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32, %n: i32) {
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %row = tt.get_program_id x : i32
  %column = tt.get_program_id y : i32
  %i = arith.muli %row, %rows : i32
  %j = arith.muli %column, %columns : i32
  %from = tt.call @place(%x, %m, %n, %i, %j) : (!tt.ptr<f32>, i32, i32, i32, i32) -> !block
  %to = tt.call @place(%y, %m, %n, %i, %j) : (!tt.ptr<f32>, i32, i32, i32, i32) -> !block
  tt.call @move(%from, %to) : (!block, !block) -> ()
  tt.return
}

tt.func public @carried(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %from = tt.call @place(%x, %m, %n, %c0, %c0) : (!tt.ptr<f32>, i32, i32, i32, i32) -> !block
  %to = tt.call @place(%y, %m, %n, %c0, %c0) : (!tt.ptr<f32>, i32, i32, i32, i32) -> !block
  %a, %b = scf.for %i = %c0 to %c3 step %c1 iter_args(%f = %from, %t = %to) -> (!block, !block) : i32 {
    tt.call @move(%f, %t) : (!block, !block) -> ()
    %f1 = tt.advance %f, [%c0, %c32] : <tensor<16x32xf32>>
    %even = arith.cmpi eq, %i, %c1 : i32
    // The second block of the row, by two ways to the same place.
    %t1 = scf.if %even -> (!block) {
      %t2 = tt.advance %t, [%c0, %c32] : <tensor<16x32xf32>>
      scf.yield %t2 : !block
    } else {
      %r = arith.muli %i, %c16 : i32
      %t2 = tt.call @place(%y, %m, %n, %r, %c32) : (!tt.ptr<f32>, i32, i32, i32, i32) -> !block
      scf.yield %t2 : !block
    }
    %f2 = arith.select %even, %f1, %f1 : !block
    tt.call @move(%f2, %t1) : (!block, !block) -> ()
    %fn = tt.advance %f, [%c16, %c0] : <tensor<16x32xf32>>
    %tn = tt.advance %t, [%c16, %c0] : <tensor<16x32xf32>>
    scf.yield %fn, %tn : !block, !block
  }
  tt.return
}

tt.func public @graph(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %from = tt.call @place(%x, %m, %n, %c0, %c0) : (!tt.ptr<f32>, i32, i32, i32, i32) -> !block
  %to = tt.call @place(%y, %m, %n, %c0, %c0) : (!tt.ptr<f32>, i32, i32, i32, i32) -> !block
  cf.br ^head(%c0, %from, %to : i32, !block, !block)
^head(%i: i32, %f: !block, %t: !block):
  %more = arith.cmpi slt, %i, %m : i32
  cf.cond_br %more, ^body, ^exit
^body:
  tt.call @move(%f, %t) : (!block, !block) -> ()
  %f1 = tt.advance %f, [%c0, %c32] : <tensor<16x32xf32>>
  %t1 = tt.advance %t, [%c0, %c32] : <tensor<16x32xf32>>
  tt.call @move(%f1, %t1) : (!block, !block) -> ()
  %fn = tt.advance %f, [%c16, %c0] : <tensor<16x32xf32>>
  %tn = tt.advance %t, [%c16, %c0] : <tensor<16x32xf32>>
  %in = arith.addi %i, %c16 : i32
  cf.br ^head(%in, %fn, %tn : i32, !block, !block)
^exit:
  tt.return
}

tt.func public @shifted(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %one = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %back = arith.constant -3 : i32
  %from = tt.make_tensor_ptr %x, [%n], [%one], [%back] {order = array<i32: 0>} : <tensor<64xf32>>
  %to = tt.make_tensor_ptr %y, [%length], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %v = tt.load %from {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
  tt.store %to, %v : !tt.ptr<tensor<64xf32>>
  %w = tt.load %from {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<64xf32>>
  %next = tt.advance %to, [%c64] : <tensor<64xf32>>
  tt.store %next, %w : !tt.ptr<tensor<64xf32>>
  tt.return
}

tt.func public @shifted_expected(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<64xf32>
  %c3 = arith.constant dense<3> : tensor<64xi32>
  %c53 = arith.constant dense<53> : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %above = arith.cmpi sge, %i, %c3 : tensor<64xi32>
  %below = arith.cmpi slt, %i, %c53 : tensor<64xi32>
  %inside = arith.andi %above, %below : tensor<64xi1>
  %at = arith.subi %i, %c3 : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %from = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %from, %inside, %zero : tensor<64x!tt.ptr<f32>>
  %w = tt.load %from, %inside, %nan : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %ys, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %to, %v : tensor<64x!tt.ptr<f32>>
  %next = tt.addptr %to, %c64 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %next, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
