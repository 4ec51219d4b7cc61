// Histograms: of elements of every width, with and without a mask, of one bin
// and of more than a warp has lanes. Elements that are no bin are not counted.
// The same by comparison with each bin, and a sum.

// RUN: tilewright run %s --kernel=compared --device=emulator --arg=random:512xi32:1 --arg=%t.npy=poison:64xi32 --arg=%t.masked.npy=poison:64xi32 --arg=%t.one.npy=poison:1xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=counted --arg=random:512xi32:1 --arg=poison:64xi32 --arg=poison:64xi32 --arg=poison:1xi32 --compare=1=%t.npy --compare=2=%t.masked.npy --compare=3=%t.one.npy
// Bytes, of which some are negative where they have a sign; 64 bits, of which
// the upper half counts; a tile of two dimensions, of which threads hold copies.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.narrow.npy=arange:256xi32:2:0
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=bytes --arg=poison:256xi32 --compare=0=%t.narrow.npy
// RUN: tilewright run %s --kernel=wide_expected --device=emulator --arg=%t.wide.npy=poison:4xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=wide --arg=poison:4xi32 --compare=0=%t.wide.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=small --arg=poison:4xi32 --compare=0=%t.wide.npy
// RUN: tilewright-opt %s --tilewright="target=sm_80" --validate-passes -o /dev/null

tt.func public @nothing(%x: !tt.ptr<i32>) {
  tt.return
}

tt.func private @write64(%out: !tt.ptr<i32>, %values: tensor<64xi32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %base = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %base, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %to, %values : tensor<64x!tt.ptr<i32>>
  tt.return
}

// Numbers from 0 to 127, and those whose mask is true.
tt.func private @read(%x: !tt.ptr<i32>) -> (tensor<512xi32>, tensor<512xi1>) {
  %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %base = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %from = tt.addptr %base, %i : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %all = tt.load %from : tensor<512x!tt.ptr<i32>>
  %c127 = arith.constant dense<127> : tensor<512xi32>
  %c3 = arith.constant dense<3> : tensor<512xi32>
  %c0 = arith.constant dense<0> : tensor<512xi32>
  %n = arith.andi %all, %c127 : tensor<512xi32>
  %third = arith.remui %i, %c3 : tensor<512xi32>
  %mask = arith.cmpi eq, %third, %c0 : tensor<512xi32>
  tt.return %n, %mask : tensor<512xi32>, tensor<512xi1>
}

tt.func public @counted(%x: !tt.ptr<i32>, %all: !tt.ptr<i32>, %some: !tt.ptr<i32>, %one: !tt.ptr<i32>) {
  %n, %mask = tt.call @read(%x) : (!tt.ptr<i32>) -> (tensor<512xi32>, tensor<512xi1>)
  %h = tt.histogram %n : tensor<512xi32> -> tensor<64xi32>
  tt.call @write64(%all, %h) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  %m = tt.histogram %n, %mask : tensor<512xi32> -> tensor<64xi32>
  tt.call @write64(%some, %m) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  %zeros = tt.histogram %n : tensor<512xi32> -> tensor<1xi32>
  %zero = tt.unsplat %zeros : tensor<1xi32>
  tt.store %one, %zero : !tt.ptr<i32>
  tt.return
}

tt.func public @compared(%x: !tt.ptr<i32>, %all: !tt.ptr<i32>, %some: !tt.ptr<i32>, %one: !tt.ptr<i32>) {
  %n, %mask = tt.call @read(%x) : (!tt.ptr<i32>) -> (tensor<512xi32>, tensor<512xi1>)
  %bins = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %bins2 = tt.expand_dims %bins {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ns = tt.broadcast %n2 : tensor<1x512xi32> -> tensor<64x512xi32>
  %bs = tt.broadcast %bins2 : tensor<64x1xi32> -> tensor<64x512xi32>
  %is = arith.cmpi eq, %ns, %bs : tensor<64x512xi32>
  %ones = arith.extui %is : tensor<64x512xi1> to tensor<64x512xi32>
  %h = "tt.reduce"(%ones) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<64x512xi32>) -> tensor<64xi32>
  tt.call @write64(%all, %h) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  %m2 = tt.expand_dims %mask {axis = 0 : i32} : tensor<512xi1> -> tensor<1x512xi1>
  %ms = tt.broadcast %m2 : tensor<1x512xi1> -> tensor<64x512xi1>
  %both = arith.andi %is, %ms : tensor<64x512xi1>
  %some_ones = arith.extui %both : tensor<64x512xi1> to tensor<64x512xi32>
  %hm = "tt.reduce"(%some_ones) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<64x512xi32>) -> tensor<64xi32>
  tt.call @write64(%some, %hm) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  %first = arith.constant dense<0> : tensor<64xi32>
  %is_first = arith.cmpi eq, %bins, %first : tensor<64xi32>
  %of_first = arith.select %is_first, %h, %first : tensor<64xi1>, tensor<64xi32>
  %zero = "tt.reduce"(%of_first) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<64xi32>) -> i32
  tt.store %one, %zero : !tt.ptr<i32>
  tt.return
}

// Each of the 256 bytes twice.
tt.func public @bytes(%out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %n = arith.trunci %i : tensor<512xi32> to tensor<512xi8>
  %h = tt.histogram %n : tensor<512xi8> -> tensor<256xi32>
  %bins = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %base = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %to = tt.addptr %base, %bins : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %to, %h : tensor<256x!tt.ptr<i32>>
  tt.return
}

tt.func private @write4(%out: !tt.ptr<i32>, %values: tensor<4xi32>) {
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %base = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %to = tt.addptr %base, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %to, %values : tensor<4x!tt.ptr<i32>>
  tt.return
}

// 0 to 7, of which 0 to 3 are bins.
tt.func public @wide_expected(%out: !tt.ptr<i32>) {
  %ones = arith.constant dense<1> : tensor<4xi32>
  tt.call @write4(%out, %ones) : (!tt.ptr<i32>, tensor<4xi32>) -> ()
  tt.return
}

tt.func public @wide(%out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %n = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %c4 = arith.constant dense<4> : tensor<8xi64>
  %shift = arith.constant dense<30> : tensor<8xi64>
  %quarter = arith.divui %n, %c4 : tensor<8xi64>
  %place = arith.muli %quarter, %c4 : tensor<8xi64>
  %rest = arith.subi %n, %place : tensor<8xi64>
  // 4 to 7 become 2^32 to 2^32 + 3.
  %far = arith.shli %place, %shift : tensor<8xi64>
  %all = arith.addi %far, %rest : tensor<8xi64>
  %h = tt.histogram %all : tensor<8xi64> -> tensor<4xi32>
  tt.call @write4(%out, %h) : (!tt.ptr<i32>, tensor<4xi32>) -> ()
  tt.return
}

tt.func public @small(%out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %n = tt.reshape %i : tensor<4xi32> -> tensor<2x2xi32>
  %h = tt.histogram %n : tensor<2x2xi32> -> tensor<4xi32>
  tt.call @write4(%out, %h) : (!tt.ptr<i32>, tensor<4xi32>) -> ()
  tt.return
}
