// Running sums in place, and a table's entry that says which entry is written:
// the thread that stores such scalars loads them too, and no thread waits. Were
// they loaded by every thread, the emulator would find a race.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: tilewright run %s --kernel=expected --device=emulator --arg=%t.sums.npy=zeros:32xi32 --arg=%t.moved.npy=zeros:32xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=change --grid=1 --arg=arange:32xi32 --arg=arange:32xi32 --arg=i32:31 --compare=0=%t.sums.npy --compare=1=%t.moved.npy

// All other threads skip the second loop, so that in it the predicate is true.
// PTX-LABEL: .entry change
// PTX-NOT: bar.sync
// PTX: mov.pred %p{{[0-9]+}}, -1;
// PTX-NOT: bar.sync
// PTX: ret;
tt.func public @change(%sums: !tt.ptr<i32>, %table: !tt.ptr<i32>, %last: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %nine = arith.constant 9 : i32
  // The sum of all before and itself; the last one is the one before.
  %sum = scf.for %i = %zero to %last step %one iter_args(%before = %zero) -> (i32) : i32 {
    %p = tt.addptr %sums, %i : !tt.ptr<i32>, i32
    %x = tt.load %p : !tt.ptr<i32>
    %y = arith.addi %before, %x : i32
    tt.store %p, %y : !tt.ptr<i32>
    scf.yield %y : i32
  }
  %end = tt.addptr %sums, %last : !tt.ptr<i32>, i32
  tt.store %end, %sum : !tt.ptr<i32>
  // Entry 4 says which entry takes the value of the iteration's: itself at first,
  // which becomes 9, and then entry 9.
  %four = arith.constant 4 : i32
  %place = tt.addptr %table, %four : !tt.ptr<i32>, i32
  scf.for %i = %zero to %last step %one : i32 {
    %n = tt.load %place : !tt.ptr<i32>
    %q = tt.addptr %table, %n : !tt.ptr<i32>, i32
    %r = tt.addptr %table, %i : !tt.ptr<i32>, i32
    %isFar = arith.cmpi sgt, %n, %four : i32
    %x = tt.load %r, %isFar, %nine : !tt.ptr<i32>
    tt.store %q, %x : !tt.ptr<i32>
  }
  tt.return
}

// 0, 1, 3, ... 465, 465; entry 4 becomes 9, and entry 9 in the end 30.
tt.func public @expected(%sums: !tt.ptr<i32>, %table: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %two = arith.constant dense<2> : tensor<32xi32>
  %thirty = arith.constant dense<30> : tensor<32xi32>
  %nine = arith.constant dense<9> : tensor<32xi32>
  %four = arith.constant dense<4> : tensor<32xi32>
  %n = arith.minsi %i, %thirty : tensor<32xi32>
  %next = arith.addi %n, %one : tensor<32xi32>
  %double = arith.muli %n, %next : tensor<32xi32>
  %sum = arith.divsi %double, %two : tensor<32xi32>
  %a = tt.splat %sums : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %a, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %p, %sum : tensor<32x!tt.ptr<i32>>
  %is4 = arith.cmpi eq, %i, %four : tensor<32xi32>
  %is9 = arith.cmpi eq, %i, %nine : tensor<32xi32>
  %x = arith.select %is4, %nine, %i : tensor<32xi1>, tensor<32xi32>
  %y = arith.select %is9, %thirty, %x : tensor<32xi1>, tensor<32xi32>
  %b = tt.splat %table : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %q = tt.addptr %b, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %q, %y : tensor<32x!tt.ptr<i32>>
  tt.return
}
