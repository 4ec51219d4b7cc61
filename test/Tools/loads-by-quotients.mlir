// A loop that sums one element a thread of each row loads a row ahead. Not where the row
// is a quotient of an unknown number: the division takes longer than what it would hide.

// RUN: tilewright compile %s --target=sm_80 --num-stages=2 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: remark: loads of this loop are issued 1 of 1 iterations ahead, into registers
// RUN: sed 's/[m]uli %i, %d/divsi %i, %d/' %s | tilewright compile - --target=sm_80 --num-stages=2 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=THERE
// THERE-NOT: iterations ahead
// Who asks for stages of the loop gets them.
// RUN: sed 's/[m]uli %i, %d/divsi %i, %d/; s/^  }$/  } {tt.num_stages = 2 : i32}/' %s | tilewright compile - --target=sm_80 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=AHEAD

tt.func public @rows(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %d: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %j = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128xf32>) : i32 {
    %row = arith.muli %i, %d : i32
    %at = arith.muli %row, %c128 : i32
    %begin = tt.addptr %in, %at : !tt.ptr<f32>, i32
    %begins = tt.splat %begin : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %from = tt.addptr %begins, %j : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.load %from : tensor<128x!tt.ptr<f32>>
    %s = arith.addf %sum, %x : tensor<128xf32>
    %to = arith.muli %i, %c128 : i32
    %place = tt.addptr %out, %to : !tt.ptr<f32>, i32
    %places = tt.splat %place : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %there = tt.addptr %places, %j : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %there, %s : tensor<128x!tt.ptr<f32>>
    scf.yield %s : tensor<128xf32>
  }
  tt.return
}
