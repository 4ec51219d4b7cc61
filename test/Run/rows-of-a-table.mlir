// Rows whose numbers a loop loads (a paged cache): the numbers cross warps on their
// way to the rows' addresses, and both run ahead.

// RUN: tilewright run %s --target=sm_80 --num-stages=1 --device=emulator --arg=arange:9600xi32 --arg=%t.npy=poison:32xi32 --arg=arange:300xi32 --arg=i32:300 --arg=i32:32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --num-stages=2 --arg=arange:9600xi32 --arg=poison:32xi32 --arg=arange:300xi32 --arg=i32:300 --arg=i32:32 --compare=1=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --num-stages=3 --arg=arange:9600xi32 --arg=poison:32xi32 --arg=arange:300xi32 --arg=i32:300 --arg=i32:32 --compare=1=%t.npy

tt.func public @gather(%rows: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %table: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32, %stride: i32 {tt.divisibility = 16 : i32}) {
  %zeros = arith.constant dense<0> : tensor<32xi32>
  %nothing = arith.constant dense<0> : tensor<128x32xi32>
  %none = arith.constant dense<0> : tensor<128xi32>
  %c128 = arith.constant 128 : i32
  %c0 = arith.constant 0 : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %sum = scf.for %first = %c0 to %count step %c128 iter_args(%before = %zeros) -> (tensor<32xi32>) : i32 {
    %firsts = tt.splat %first : i32 -> tensor<128xi32>
    %at = arith.addi %firsts, %i : tensor<128xi32>
    %counts = tt.splat %count : i32 -> tensor<128xi32>
    %inside = arith.cmpi slt, %at, %counts : tensor<128xi32>
    %tables = tt.splat %table : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %places = tt.addptr %tables, %at : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %row = tt.load %places, %inside, %none : tensor<128x!tt.ptr<i32>>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
    %begin = arith.muli %row1, %strides : tensor<128x1xi32>
    %begins = tt.broadcast %begin : tensor<128x1xi32> -> tensor<128x32xi32>
    %columns = tt.broadcast %j1 : tensor<1x32xi32> -> tensor<128x32xi32>
    %offsets = arith.addi %begins, %columns : tensor<128x32xi32>
    %bases = tt.splat %rows : !tt.ptr<i32> -> tensor<128x32x!tt.ptr<i32>>
    %pointers = tt.addptr %bases, %offsets : tensor<128x32x!tt.ptr<i32>>, tensor<128x32xi32>
    %inside1 = tt.expand_dims %inside {axis = 1 : i32} : tensor<128xi1> -> tensor<128x1xi1>
    %insides = tt.broadcast %inside1 : tensor<128x1xi1> -> tensor<128x32xi1>
    %values = tt.load %pointers, %insides, %nothing : tensor<128x32x!tt.ptr<i32>>
    %part = "tt.reduce"(%values) <{axis = 0 : i32}> ({
    ^bb0(%x: i32, %y: i32):
      %z = arith.addi %x, %y : i32
      tt.reduce.return %z : i32
    }) : (tensor<128x32xi32>) -> tensor<32xi32>
    %next = arith.addi %before, %part : tensor<32xi32>
    scf.yield %next : tensor<32xi32>
  }
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %to = tt.addptr %outs, %j : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %to, %sum : tensor<32x!tt.ptr<i32>>
  tt.return
}
