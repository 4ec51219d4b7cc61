// Gathers along each axis, through layouts that differ, and concatenations.

// A tile reversed along each axis, in different types, is reversed back by
// arithmetic: out[i, j] = i * 32 + j.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.npy=arange:16x32xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=rows --arg=arange:16x32xi32 --arg=poison:16x32xi32 --compare=1=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=columns --arg=arange:16x32xi32 --arg=poison:16x32xi32 --compare=1=%t.npy
// Few rows, which one warp holds in its registers.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.few.npy=arange:4x32xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=few_rows --arg=arange:4x32xi32 --arg=poison:4x32xi32 --compare=1=%t.few.npy
// A code book of 16 entries; indices of 8 bits, more of them than entries.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.book.npy=arange:512xf32:0:0.5
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=book --arg=arange:16xf32:0:0.5 --arg=poison:512xf32 --compare=1=%t.book.npy
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.cat.npy=arange:128xf16
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=cat --arg=arange:128xf16 --arg=poison:128xf16 --compare=1=%t.cat.npy

!places = tensor<16x32x!tt.ptr<i32>>

tt.func public @nothing(%x: !tt.ptr<f32>) {
  tt.return
}

tt.func private @index() -> tensor<16x32xi32> {
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c32 = arith.constant dense<32> : tensor<16x1xi32>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %row = arith.muli %i2, %c32 : tensor<16x1xi32>
  %rows = tt.broadcast %row : tensor<16x1xi32> -> tensor<16x32xi32>
  %columns = tt.broadcast %j2 : tensor<1x32xi32> -> tensor<16x32xi32>
  %index = arith.addi %rows, %columns : tensor<16x32xi32>
  tt.return %index : tensor<16x32xi32>
}

tt.func private @places(%p: !tt.ptr<i32>) -> !places {
  %index = tt.call @index() : () -> tensor<16x32xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> !places
  %to = tt.addptr %ps, %index : !places, tensor<16x32xi32>
  tt.return %to : !places
}

// Picks row 15 - i, then adds what lies between.
tt.func public @rows(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %from = tt.call @places(%x) : (!tt.ptr<i32>) -> !places
  %to = tt.call @places(%y) : (!tt.ptr<i32>) -> !places
  %v = tt.load %from : !places
  %index = tt.call @index() : () -> tensor<16x32xi32>
  %c15 = arith.constant dense<15> : tensor<16x32xi32>
  %c64 = arith.constant dense<64> : tensor<16x32xi32>
  %c480 = arith.constant dense<480> : tensor<16x32xi32>
  %c32 = arith.constant dense<32> : tensor<16x32xi32>
  %i = arith.divsi %index, %c32 : tensor<16x32xi32>
  %back = arith.subi %c15, %i : tensor<16x32xi32>
  %wide = arith.extsi %back : tensor<16x32xi32> to tensor<16x32xi64>
  %r = tt.gather %v[%wide] {axis = 0 : i32} : (tensor<16x32xi32>, tensor<16x32xi64>) -> tensor<16x32xi32>
  %twice = arith.muli %i, %c64 : tensor<16x32xi32>
  %less = arith.subi %r, %c480 : tensor<16x32xi32>
  %out = arith.addi %less, %twice : tensor<16x32xi32>
  tt.store %to, %out : !places
  tt.return
}

tt.func public @columns(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %from = tt.call @places(%x) : (!tt.ptr<i32>) -> !places
  %to = tt.call @places(%y) : (!tt.ptr<i32>) -> !places
  %v = tt.load %from : !places
  %index = tt.call @index() : () -> tensor<16x32xi32>
  %c31 = arith.constant dense<31> : tensor<16x32xi32>
  %c2 = arith.constant dense<2> : tensor<16x32xi32>
  %c32 = arith.constant dense<32> : tensor<16x32xi32>
  %j = arith.remsi %index, %c32 : tensor<16x32xi32>
  %back = arith.subi %c31, %j : tensor<16x32xi32>
  %narrow = arith.trunci %back : tensor<16x32xi32> to tensor<16x32xi16>
  %r = tt.gather %v[%narrow] {axis = 1 : i32} : (tensor<16x32xi32>, tensor<16x32xi16>) -> tensor<16x32xi32>
  // The other way round.
  %b = tt.gather %r[%narrow] {axis = 1 : i32} : (tensor<16x32xi32>, tensor<16x32xi16>) -> tensor<16x32xi32>
  %twice = arith.muli %j, %c2 : tensor<16x32xi32>
  %less = arith.subi %r, %c31 : tensor<16x32xi32>
  %out = arith.addi %less, %twice : tensor<16x32xi32>
  // Both are the index, so that their mean is.
  %sum = arith.addi %out, %b : tensor<16x32xi32>
  %mean = arith.divsi %sum, %c2 : tensor<16x32xi32>
  tt.store %to, %mean : !places
  tt.return
}

tt.func public @few_rows(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rows = tt.broadcast %i2 : tensor<4x1xi32> -> tensor<4x32xi32>
  %columns = tt.broadcast %j2 : tensor<1x32xi32> -> tensor<4x32xi32>
  %c32 = arith.constant dense<32> : tensor<4x32xi32>
  %c64 = arith.constant dense<64> : tensor<4x32xi32>
  %c3 = arith.constant dense<3> : tensor<4x32xi32>
  %c96 = arith.constant dense<96> : tensor<4x32xi32>
  %starts = arith.muli %rows, %c32 : tensor<4x32xi32>
  %index = arith.addi %starts, %columns : tensor<4x32xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x32x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<4x32x!tt.ptr<i32>>
  %from = tt.addptr %xs, %index : tensor<4x32x!tt.ptr<i32>>, tensor<4x32xi32>
  %to = tt.addptr %ys, %index : tensor<4x32x!tt.ptr<i32>>, tensor<4x32xi32>
  %v = tt.load %from : tensor<4x32x!tt.ptr<i32>>
  %back = arith.subi %c3, %rows : tensor<4x32xi32>
  %r = tt.gather %v[%back] {axis = 0 : i32} : (tensor<4x32xi32>, tensor<4x32xi32>) -> tensor<4x32xi32>
  %less = arith.subi %r, %c96 : tensor<4x32xi32>
  %twice = arith.muli %rows, %c64 : tensor<4x32xi32>
  %out = arith.addi %less, %twice : tensor<4x32xi32>
  tt.store %to, %out : tensor<4x32x!tt.ptr<i32>>
  tt.return
}

// book[k & 15] + 8 * (k >> 4) = k / 2.
tt.func public @book(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %n = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %k = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %c15 = arith.constant dense<15> : tensor<512xi32>
  %c4 = arith.constant dense<4> : tensor<512xi32>
  %eight = arith.constant dense<8.0> : tensor<512xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %from = tt.addptr %xs, %n : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %book = tt.load %from : tensor<16x!tt.ptr<f32>>
  %low = arith.andi %k, %c15 : tensor<512xi32>
  %code = arith.trunci %low : tensor<512xi32> to tensor<512xi8>
  %v = tt.gather %book[%code] {axis = 0 : i32} : (tensor<16xf32>, tensor<512xi8>) -> tensor<512xf32>
  %high = arith.shrsi %k, %c4 : tensor<512xi32>
  %real = arith.sitofp %high : tensor<512xi32> to tensor<512xf32>
  %more = arith.mulf %real, %eight : tensor<512xf32>
  %out = arith.addf %v, %more : tensor<512xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %to = tt.addptr %ys, %k : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %to, %out : tensor<512x!tt.ptr<f32>>
  tt.return
}

// The two halves of 128 elements.
tt.func public @cat(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %low = tt.addptr %xs, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %high = tt.addptr %low, %c64 : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %a = tt.load %low : tensor<64x!tt.ptr<f16>>
  %b = tt.load %high : tensor<64x!tt.ptr<f16>>
  %all = tt.cat %a, %b : tensor<64xf16> -> tensor<128xf16>
  %k = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %to = tt.addptr %ys, %k : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  tt.store %to, %all : tensor<128x!tt.ptr<f16>>
  tt.return
}
