// Inline assembly gives what operations give, bit for bit: bytes packed by
// four, halves by two, several results, a scalar beside a tile, and a tile of
// which a thread holds fewer elements than one run takes.

// RUN: tilewright run %s --kernel=operations --device=emulator --arg=random:512xf16:1 --arg=random:512xf16:2 --arg=%t.halves.npy=zeros:512xf16 --arg=%t.bytes.npy=zeros:512xi8 --arg=%t.few.npy=zeros:64xi8 --arg=%t.sum.npy=zeros:512xi32 --arg=%t.difference.npy=zeros:512xi32 --arg=i32:77
// RUN: tilewright run %s --kernel=assembly --device=emulator --arg=random:512xf16:1 --arg=random:512xf16:2 --arg=zeros:512xf16 --arg=zeros:512xi8 --arg=zeros:64xi8 --arg=zeros:512xi32 --arg=zeros:512xi32 --arg=i32:77 --compare=2=%t.halves.npy --compare=3=%t.bytes.npy --compare=4=%t.few.npy --compare=5=%t.sum.npy --compare=6=%t.difference.npy
// RUN: tilewright run %s --kernel=assembly --target=sm_75 --num-warps=1 --device=emulator --arg=random:512xf16:1 --arg=random:512xf16:2 --arg=zeros:512xf16 --arg=zeros:512xi8 --arg=zeros:64xi8 --arg=zeros:512xi32 --arg=zeros:512xi32 --arg=i32:77 --compare=2=%t.halves.npy --compare=3=%t.bytes.npy --compare=4=%t.few.npy --compare=5=%t.sum.npy --compare=6=%t.difference.npy
// The zeros that nothing was written to are no match.
// RUN: not tilewright run %s --kernel=nothing --device=emulator --arg=random:512xf16:1 --arg=random:512xf16:2 --arg=zeros:512xf16 --arg=zeros:512xi8 --arg=zeros:64xi8 --arg=zeros:512xi32 --arg=zeros:512xi32 --arg=i32:77 --compare=4=%t.few.npy 2>&1 | FileCheck %s
// CHECK: argument 4: 64 of 64 differ

tt.func public @assembly(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %halves: !tt.ptr<f16>, %bytes: !tt.ptr<i8>, %few: !tt.ptr<i8>, %sums: !tt.ptr<i32>, %differences: !tt.ptr<i32>, %n: i32) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %yp = tt.addptr %ys, %range : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %xv = tt.load %xp : tensor<512x!tt.ptr<f16>>
  %yv = tt.load %yp : tensor<512x!tt.ptr<f16>>
  %half = tt.elementwise_inline_asm "add.rn.f16x2 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 2 : i32, pure = true} %xv, %yv : tensor<512xf16>, tensor<512xf16> -> tensor<512xf16>
  %hs = tt.splat %halves : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %hp = tt.addptr %hs, %range : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  tt.store %hp, %half : tensor<512x!tt.ptr<f16>>

  %byte = arith.trunci %range : tensor<512xi32> to tensor<512xi8>
  %flipped = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %byte : tensor<512xi8> -> tensor<512xi8>
  %bs = tt.splat %bytes : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %range : tensor<512x!tt.ptr<i8>>, tensor<512xi32>
  tt.store %bp, %flipped : tensor<512x!tt.ptr<i8>>

  %short = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %shortByte = arith.trunci %short : tensor<64xi32> to tensor<64xi8>
  %shortFlipped = tt.elementwise_inline_asm "{ .reg .b32 t; not.b32 t, $1; mov.b32 $0, t; }" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %shortByte : tensor<64xi8> -> tensor<64xi8>
  %fs = tt.splat %few : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %fp = tt.addptr %fs, %short : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
  tt.store %fp, %shortFlipped : tensor<64x!tt.ptr<i8>>

  %both:2 = tt.elementwise_inline_asm "add.s32 $0, $2, $3; sub.s32 $1, $2, $3;" {constraints = "=&r,=r,r,r", packed_element = 1 : i32, pure = false} %range, %n : tensor<512xi32>, i32 -> tensor<512xi32>, tensor<512xi32>
  %ss = tt.splat %sums : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %sp = tt.addptr %ss, %range : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %sp, %both#0 : tensor<512x!tt.ptr<i32>>
  %ds = tt.splat %differences : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %dp = tt.addptr %ds, %range : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %dp, %both#1 : tensor<512x!tt.ptr<i32>>
  tt.return
}

tt.func public @operations(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %halves: !tt.ptr<f16>, %bytes: !tt.ptr<i8>, %few: !tt.ptr<i8>, %sums: !tt.ptr<i32>, %differences: !tt.ptr<i32>, %n: i32) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %yp = tt.addptr %ys, %range : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %xv = tt.load %xp : tensor<512x!tt.ptr<f16>>
  %yv = tt.load %yp : tensor<512x!tt.ptr<f16>>
  %half = arith.addf %xv, %yv : tensor<512xf16>
  %hs = tt.splat %halves : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %hp = tt.addptr %hs, %range : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  tt.store %hp, %half : tensor<512x!tt.ptr<f16>>

  %ones = arith.constant dense<-1> : tensor<512xi8>
  %byte = arith.trunci %range : tensor<512xi32> to tensor<512xi8>
  %flipped = arith.xori %byte, %ones : tensor<512xi8>
  %bs = tt.splat %bytes : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %range : tensor<512x!tt.ptr<i8>>, tensor<512xi32>
  tt.store %bp, %flipped : tensor<512x!tt.ptr<i8>>

  %shortOnes = arith.constant dense<-1> : tensor<64xi8>
  %short = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %shortByte = arith.trunci %short : tensor<64xi32> to tensor<64xi8>
  %shortFlipped = arith.xori %shortByte, %shortOnes : tensor<64xi8>
  %fs = tt.splat %few : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %fp = tt.addptr %fs, %short : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
  tt.store %fp, %shortFlipped : tensor<64x!tt.ptr<i8>>

  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %sum = arith.addi %range, %ns : tensor<512xi32>
  %difference = arith.subi %range, %ns : tensor<512xi32>
  %ss = tt.splat %sums : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %sp = tt.addptr %ss, %range : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %sp, %sum : tensor<512x!tt.ptr<i32>>
  %ds = tt.splat %differences : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %dp = tt.addptr %ds, %range : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %dp, %difference : tensor<512x!tt.ptr<i32>>
  tt.return
}

tt.func public @nothing(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %halves: !tt.ptr<f16>, %bytes: !tt.ptr<i8>, %few: !tt.ptr<i8>, %sums: !tt.ptr<i32>, %differences: !tt.ptr<i32>, %n: i32) {
  tt.return
}
