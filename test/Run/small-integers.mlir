// Integers of few bits become floats without the hardware's conversions: bytes that
// are loaded, f32 only those of words, and what shifts and masks take of words.
// Beside them the same numbers, from memory, of which nothing is known.

// RUN: tilewright run %s --kernel=integers --device=emulator --arg=%t.words.npy=random:1024xi32:7 --arg=arange:1024xi8 --arg=%t.integers.npy=poison:9216xi32
// RUN: tilewright run %s --kernel=expected --grid=9 --device=emulator --arg=%t.integers.npy --arg=%t.floats.npy=poison:9216xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=floats --arg=%t.words.npy --arg=arange:1024xi8 --arg=poison:9216xf32 --compare=2=%t.floats.npy

// RUN: sed 's/xf16>/xbf16>/g' %s > %t.bf16.mlir
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.bf16.mlir --kernel=floats --arg=%t.words.npy --arg=arange:1024xi8 --arg=poison:9216xf32 --compare=2=%t.floats.npy

// RUN: sed '/arith.extf/d; s/%e\([0-9]\)/%h\1/; s/xf16>/xf32>/g; s/%[a-z]*: !tt.ptr<[if0-9]*>/& {tt.divisibility = 16 : i32}/g' %s > %t.f32.mlir
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.f32.mlir --kernel=floats --arg=%t.words.npy --arg=arange:1024xi8 --arg=poison:9216xf32 --compare=2=%t.floats.npy

// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %t.bf16.mlir --target=sm_90a --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %t.f32.mlir --target=sm_75 --emit=ptx -o - | FileCheck %s --check-prefix=WIDE
// CHECK: .entry expected
// CHECK: cvt.rn.f32.s32
// CHECK: .entry floats
// CHECK-NOT: cvt.rn.{{b?}}f16.{{[su]}}
// Differences of such are i32, which become f32 at full rate on most targets.
// WIDE: .entry floats
// WIDE-NOT: cvt.rn.f32.{{u|s8|s16}}

// Nine numbers of few bits of each word and byte.
tt.func private @take(%w: tensor<1024xi32>, %b: tensor<1024xi8>) -> (tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>) {
  %c3 = arith.constant dense<3> : tensor<1024xi32>
  %c4 = arith.constant dense<4> : tensor<1024xi32>
  %c8 = arith.constant dense<8> : tensor<1024xi32>
  %c16 = arith.constant dense<16> : tensor<1024xi32>
  %c20 = arith.constant dense<20> : tensor<1024xi32>
  %c28 = arith.constant dense<28> : tensor<1024xi32>
  %c15 = arith.constant dense<15> : tensor<1024xi32>
  %c127 = arith.constant dense<127> : tensor<1024xi32>
  %c255 = arith.constant dense<255> : tensor<1024xi32>
  %byte = arith.extsi %b : tensor<1024xi8> to tensor<1024xi32>
  %unsigned_byte = arith.extui %b : tensor<1024xi8> to tensor<1024xi32>
  %w8 = arith.shrui %w, %c8 : tensor<1024xi32>
  %third = arith.trunci %w8 : tensor<1024xi32> to tensor<1024xi8>
  %signed = arith.extsi %third : tensor<1024xi8> to tensor<1024xi32>
  %w16 = arith.shrui %w, %c16 : tensor<1024xi32>
  %masked = arith.andi %w16, %c255 : tensor<1024xi32>
  %w20 = arith.shrui %w, %c20 : tensor<1024xi32>
  %nibble = arith.andi %w20, %c15 : tensor<1024xi32>
  %highest = arith.shrui %w, %c28 : tensor<1024xi32>
  %shifted = arith.shli %w, %c8 : tensor<1024xi32>
  %signed_nibble = arith.shrsi %shifted, %c28 : tensor<1024xi32>
  %w4 = arith.shrui %w, %c4 : tensor<1024xi32>
  %other = arith.andi %w4, %c15 : tensor<1024xi32>
  %lowest = arith.andi %w, %c15 : tensor<1024xi32>
  %difference = arith.subi %lowest, %other : tensor<1024xi32>
  %w3 = arith.shrui %w, %c3 : tensor<1024xi32>
  %seven = arith.andi %w3, %c127 : tensor<1024xi32>
  tt.return %byte, %unsigned_byte, %signed, %masked, %nibble, %highest, %signed_nibble, %difference, %seven : tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>
}

tt.func public @integers(%words: !tt.ptr<i32>, %bytes: !tt.ptr<i8>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ws = tt.splat %words : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %wp = tt.addptr %ws, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %w = tt.load %wp : tensor<1024x!tt.ptr<i32>>
  %bs = tt.splat %bytes : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %i : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %b = tt.load %bp : tensor<1024x!tt.ptr<i8>>
  %n:9 = tt.call @take(%w, %b) : (tensor<1024xi32>, tensor<1024xi8>) -> (tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>)
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %p0 = tt.addptr %os, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %step = arith.constant dense<1024> : tensor<1024xi32>
  tt.store %p0, %n#0 : tensor<1024x!tt.ptr<i32>>
  %p1 = tt.addptr %p0, %step : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p1, %n#1 : tensor<1024x!tt.ptr<i32>>
  %p2 = tt.addptr %p1, %step : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p2, %n#2 : tensor<1024x!tt.ptr<i32>>
  %p3 = tt.addptr %p2, %step : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p3, %n#3 : tensor<1024x!tt.ptr<i32>>
  %p4 = tt.addptr %p3, %step : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p4, %n#4 : tensor<1024x!tt.ptr<i32>>
  %p5 = tt.addptr %p4, %step : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p5, %n#5 : tensor<1024x!tt.ptr<i32>>
  %p6 = tt.addptr %p5, %step : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p6, %n#6 : tensor<1024x!tt.ptr<i32>>
  %p7 = tt.addptr %p6, %step : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p7, %n#7 : tensor<1024x!tt.ptr<i32>>
  %p8 = tt.addptr %p7, %step : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p8, %n#8 : tensor<1024x!tt.ptr<i32>>
  tt.return
}

tt.func public @expected(%in: !tt.ptr<i32>, %out: !tt.ptr<f32>) {
  %c1024 = arith.constant 1024 : i32
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %c1024 : i32
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %firsts = tt.splat %first : i32 -> tensor<1024xi32>
  %i = arith.addi %firsts, %range : tensor<1024xi32>
  %is = tt.splat %in : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %ip = tt.addptr %is, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %n = tt.load %ip : tensor<1024x!tt.ptr<i32>>
  %f = arith.sitofp %n : tensor<1024xi32> to tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %f : tensor<1024x!tt.ptr<f32>>
  tt.return
}

tt.func public @floats(%words: !tt.ptr<i32>, %bytes: !tt.ptr<i8>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ws = tt.splat %words : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %wp = tt.addptr %ws, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %w = tt.load %wp : tensor<1024x!tt.ptr<i32>>
  %bs = tt.splat %bytes : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %i : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %b = tt.load %bp : tensor<1024x!tt.ptr<i8>>
  %n:9 = tt.call @take(%w, %b) : (tensor<1024xi32>, tensor<1024xi8>) -> (tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>)
  %h0 = arith.sitofp %n#0 : tensor<1024xi32> to tensor<1024xf16>
  %e0 = arith.extf %h0 : tensor<1024xf16> to tensor<1024xf32>
  %h1 = arith.sitofp %n#1 : tensor<1024xi32> to tensor<1024xf16>
  %e1 = arith.extf %h1 : tensor<1024xf16> to tensor<1024xf32>
  %h2 = arith.sitofp %n#2 : tensor<1024xi32> to tensor<1024xf16>
  %e2 = arith.extf %h2 : tensor<1024xf16> to tensor<1024xf32>
  %h3 = arith.sitofp %n#3 : tensor<1024xi32> to tensor<1024xf16>
  %e3 = arith.extf %h3 : tensor<1024xf16> to tensor<1024xf32>
  %h4 = arith.sitofp %n#4 : tensor<1024xi32> to tensor<1024xf16>
  %e4 = arith.extf %h4 : tensor<1024xf16> to tensor<1024xf32>
  %h5 = arith.sitofp %n#5 : tensor<1024xi32> to tensor<1024xf16>
  %e5 = arith.extf %h5 : tensor<1024xf16> to tensor<1024xf32>
  %h6 = arith.sitofp %n#6 : tensor<1024xi32> to tensor<1024xf16>
  %e6 = arith.extf %h6 : tensor<1024xf16> to tensor<1024xf32>
  %h7 = arith.sitofp %n#7 : tensor<1024xi32> to tensor<1024xf16>
  %e7 = arith.extf %h7 : tensor<1024xf16> to tensor<1024xf32>
  %h8 = arith.sitofp %n#8 : tensor<1024xi32> to tensor<1024xf16>
  %e8 = arith.extf %h8 : tensor<1024xf16> to tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p0 = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %step = arith.constant dense<1024> : tensor<1024xi32>
  tt.store %p0, %e0 : tensor<1024x!tt.ptr<f32>>
  %p1 = tt.addptr %p0, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p1, %e1 : tensor<1024x!tt.ptr<f32>>
  %p2 = tt.addptr %p1, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p2, %e2 : tensor<1024x!tt.ptr<f32>>
  %p3 = tt.addptr %p2, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p3, %e3 : tensor<1024x!tt.ptr<f32>>
  %p4 = tt.addptr %p3, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p4, %e4 : tensor<1024x!tt.ptr<f32>>
  %p5 = tt.addptr %p4, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p5, %e5 : tensor<1024x!tt.ptr<f32>>
  %p6 = tt.addptr %p5, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p6, %e6 : tensor<1024x!tt.ptr<f32>>
  %p7 = tt.addptr %p6, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p7, %e7 : tensor<1024x!tt.ptr<f32>>
  %p8 = tt.addptr %p7, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %p8, %e8 : tensor<1024x!tt.ptr<f32>>
  tt.return
}
