// Tiles of 128 KiB, whose layouts are converted through less shared memory than
// that where the target has less: in rounds.

// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.i32.npy=arange:32768xi32
// RUN: tilewright run %s --kernel=sums --device=emulator --num-warps=8 --arg=%t.f16.npy=poison:65536xf16

// A tile is read by rows and written by columns. Its elements say where they
// belong.
// RUN: tilewright run %s --kernel=transposed --device=emulator --target=sm_70 --num-warps=8 --arg=arange:32768xi32 --arg=poison:32768xi32 --compare=1=%t.i32.npy
// RUN: tilewright run %s --kernel=transposed --device=emulator --target=sm_75 --num-warps=8 --arg=arange:32768xi32 --arg=poison:32768xi32 --compare=1=%t.i32.npy
// RUN: tilewright run %s --kernel=transposed --device=emulator --target=sm_80 --num-warps=8 --arg=arange:32768xi32 --arg=poison:32768xi32 --compare=1=%t.i32.npy

// Accumulators, rounded to f16, are written by rows.
// RUN: tilewright run %s --kernel=dot --device=emulator --target=sm_75 --num-warps=8 --arg=poison:65536xf16 --compare=0=%t.f16.npy
// RUN: tilewright run %s --kernel=dot --device=emulator --target=sm_86 --num-warps=8 --arg=poison:65536xf16 --compare=0=%t.f16.npy
// RUN: tilewright run %s --kernel=dot --device=emulator --target=sm_86 --num-warps=8 --seed=3 --arg=poison:65536xf16 --compare=0=%t.f16.npy

// RUN: tilewright compile %s --target=sm_75 --num-warps=8 --emit=tilegpu --remarks -o %t.tilegpu 2>&1 | FileCheck %s
// CHECK: remark: converts {{[0-9x]+}}xi32 from {{.*}} to {{.*}} by shared memory in rounds: {{[0-9]+}} rounds through {{[0-9]+}} bytes: {{.*}}; price {{[0-9]+}}, wavefronts {{[0-9]+}}, loops around it 0; data cross warps, the tiles that live beside it leave 65536 bytes of shared memory
// CHECK: remark: converts 256x256xf16 from mma<m16n8, {{.*}} to blocked<{{.*}} by shared memory in rounds: 2 rounds through 65536 bytes

tt.func public @nothing(%x: !tt.ptr<i32>) {
  tt.return
}

// out[128 b + a] = f(in[256 a + b]), where f(256 a + b) = 128 b + a.
tt.func public @transposed(%in: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %a = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %b = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %a2 = tt.expand_dims %a {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %b2 = tt.expand_dims %b {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %c256 = arith.constant dense<256> : tensor<128x1xi32>
  %c128 = arith.constant dense<128> : tensor<1x256xi32>
  %row = arith.muli %a2, %c256 : tensor<128x1xi32>
  %rows = tt.broadcast %row : tensor<128x1xi32> -> tensor<128x256xi32>
  %columns = tt.broadcast %b2 : tensor<1x256xi32> -> tensor<128x256xi32>
  %from = arith.addi %rows, %columns : tensor<128x256xi32>
  %column = arith.muli %b2, %c128 : tensor<1x256xi32>
  %as = tt.broadcast %a2 : tensor<128x1xi32> -> tensor<128x256xi32>
  %bs = tt.broadcast %column : tensor<1x256xi32> -> tensor<128x256xi32>
  %to = arith.addi %as, %bs : tensor<128x256xi32>
  %ins = tt.splat %in : !tt.ptr<i32> -> tensor<128x256x!tt.ptr<i32>>
  %p = tt.addptr %ins, %from : tensor<128x256x!tt.ptr<i32>>, tensor<128x256xi32>
  %x = tt.load %p : tensor<128x256x!tt.ptr<i32>>
  %mask = arith.constant dense<255> : tensor<128x256xi32>
  %seven = arith.constant dense<7> : tensor<128x256xi32>
  %eight = arith.constant dense<8> : tensor<128x256xi32>
  %high = arith.shrui %x, %eight : tensor<128x256xi32>
  %low = arith.andi %x, %mask : tensor<128x256xi32>
  %moved = arith.shli %low, %seven : tensor<128x256xi32>
  %y = arith.addi %moved, %high : tensor<128x256xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<128x256x!tt.ptr<i32>>
  %q = tt.addptr %outs, %to : tensor<128x256x!tt.ptr<i32>>, tensor<128x256xi32>
  tt.store %q, %y : tensor<128x256x!tt.ptr<i32>>
  tt.return
}

// out[256 i + j] = 1 * i + 4 * j, as the product of 256 x 16 and 16 x 256.
tt.func public @dot(%out: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %k = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %j2 = tt.expand_dims %i {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %ka = tt.expand_dims %k {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %kb = tt.expand_dims %k {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>

  %ia = tt.broadcast %i2 : tensor<256x1xi32> -> tensor<256x16xi32>
  %kas = tt.broadcast %ka : tensor<1x16xi32> -> tensor<256x16xi32>
  %zero_a = arith.constant dense<0> : tensor<256x16xi32>
  %four_a = arith.constant dense<4> : tensor<256x16xi32>
  %one_a = arith.constant dense<1> : tensor<256x16xi32>
  %first_a = arith.cmpi eq, %kas, %zero_a : tensor<256x16xi32>
  %second_a = arith.cmpi eq, %kas, %one_a : tensor<256x16xi32>
  %rest_a = arith.select %second_a, %four_a, %zero_a : tensor<256x16xi1>, tensor<256x16xi32>
  %a32 = arith.select %first_a, %ia, %rest_a : tensor<256x16xi1>, tensor<256x16xi32>
  %a = arith.sitofp %a32 : tensor<256x16xi32> to tensor<256x16xf16>

  %jb = tt.broadcast %j2 : tensor<1x256xi32> -> tensor<16x256xi32>
  %kbs = tt.broadcast %kb : tensor<16x1xi32> -> tensor<16x256xi32>
  %zero_b = arith.constant dense<0> : tensor<16x256xi32>
  %one_b = arith.constant dense<1> : tensor<16x256xi32>
  %first_b = arith.cmpi eq, %kbs, %zero_b : tensor<16x256xi32>
  %second_b = arith.cmpi eq, %kbs, %one_b : tensor<16x256xi32>
  %rest_b = arith.select %second_b, %jb, %zero_b : tensor<16x256xi1>, tensor<16x256xi32>
  %b32 = arith.select %first_b, %one_b, %rest_b : tensor<16x256xi1>, tensor<16x256xi32>
  %b = arith.sitofp %b32 : tensor<16x256xi32> to tensor<16x256xf16>

  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %d = tt.dot %a, %b, %zero : tensor<256x16xf16> * tensor<16x256xf16> -> tensor<256x256xf32>
  %r = arith.truncf %d : tensor<256x256xf32> to tensor<256x256xf16>
  %q = tt.call @places(%out) : (!tt.ptr<f16>) -> tensor<256x256x!tt.ptr<f16>>
  tt.store %q, %r : tensor<256x256x!tt.ptr<f16>>
  tt.return
}

// The same by sums.
tt.func public @sums(%out: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %j2 = tt.expand_dims %i {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %c4 = arith.constant dense<4> : tensor<1x256xi32>
  %j4 = arith.muli %j2, %c4 : tensor<1x256xi32>
  %is = tt.broadcast %i2 : tensor<256x1xi32> -> tensor<256x256xi32>
  %js = tt.broadcast %j4 : tensor<1x256xi32> -> tensor<256x256xi32>
  %s = arith.addi %is, %js : tensor<256x256xi32>
  %r = arith.sitofp %s : tensor<256x256xi32> to tensor<256x256xf16>
  %q = tt.call @places(%out) : (!tt.ptr<f16>) -> tensor<256x256x!tt.ptr<f16>>
  tt.store %q, %r : tensor<256x256x!tt.ptr<f16>>
  tt.return
}

tt.func private @places(%out: !tt.ptr<f16>) -> tensor<256x256x!tt.ptr<f16>> {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %j2 = tt.expand_dims %i {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %c256 = arith.constant dense<256> : tensor<256x1xi32>
  %row = arith.muli %i2, %c256 : tensor<256x1xi32>
  %rows = tt.broadcast %row : tensor<256x1xi32> -> tensor<256x256xi32>
  %columns = tt.broadcast %j2 : tensor<1x256xi32> -> tensor<256x256xi32>
  %to = arith.addi %rows, %columns : tensor<256x256xi32>
  %outs = tt.splat %out : !tt.ptr<f16> -> tensor<256x256x!tt.ptr<f16>>
  %q = tt.addptr %outs, %to : tensor<256x256x!tt.ptr<f16>>, tensor<256x256xi32>
  tt.return %q : tensor<256x256x!tt.ptr<f16>>
}
