// The gradients of a norm: each iteration reduces a row that it needs again behind the
// reduction, and carries a sum of rows. One warp has no registers for all of these.

// RUN: tilewright compile %s --target=sm_80 --num-warps=1 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s
// CHECK: warps-for-held-tiles.mlir:[[#@LINE+31]]:13: remark: uses 2 warps for 1: the tiles that are held across this op take 256 registers of a thread, and it has 191 for them
// CHECK: tt.func public @gradients({{.*}}tilegpu.num_warps = 2 : i32

// Of a row half as long less is held than a thread has registers.
// RUN: sed 's/4096/2048/g' %s | tilewright compile - --target=sm_80 --num-warps=1 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=ASKED
// Two warps are enough where they are asked for.
// RUN: tilewright compile %s --target=sm_80 --num-warps=2 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED-NOT: remark: uses

// RUN: tilewright run %s --device=emulator --target=sm_80 --num-warps=1 --arg=random:3x4096xf16:1 --arg=random:4096xf16:2 --arg=%t.rows.npy=poison:3x4096xf16 --arg=%t.sums.npy=poison:4096xf32
// RUN: tilewright run %s --device=emulator --target=sm_75 --num-warps=2 --arg=random:3x4096xf16:1 --arg=random:4096xf16:2 --arg=poison:3x4096xf16 --arg=poison:4096xf32 --compare=2=%t.rows.npy --compare=3=%t.sums.npy

tt.func public @gradients(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %weight: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sum: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4096 = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<4096xf32>
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %ws = tt.splat %weight : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %wp = tt.addptr %ws, %i : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  %w = tt.load %wp : tensor<4096x!tt.ptr<f16>>
  %weights = arith.extf %w : tensor<4096xf16> to tensor<4096xf32>
  %sums = scf.for %row = %c0 to %c3 step %c1 iter_args(%carried = %zero) -> (tensor<4096xf32>) : i32 {
    %at = arith.muli %row, %c4096 : i32
    %begin = tt.addptr %in, %at : !tt.ptr<f16>, i32
    %begins = tt.splat %begin : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
    %pointers = tt.addptr %begins, %i : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
    %x = tt.load %pointers : tensor<4096x!tt.ptr<f16>>
    %high = arith.extf %x : tensor<4096xf16> to tensor<4096xf32>
    %scaled = arith.mulf %high, %weights : tensor<4096xf32>
    %mean = "tt.reduce"(%scaled) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4096xf32>) -> f32
    %means = tt.splat %mean : f32 -> tensor<4096xf32>
    %less = arith.subf %high, %means : tensor<4096xf32>
    %gradient = arith.mulf %less, %weights : tensor<4096xf32>
    %narrow = arith.truncf %gradient : tensor<4096xf32> to tensor<4096xf16>
    %to = tt.addptr %out, %at : !tt.ptr<f16>, i32
    %tos = tt.splat %to : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
    %places = tt.addptr %tos, %i : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
    tt.store %places, %narrow : tensor<4096x!tt.ptr<f16>>
    %next = arith.addf %carried, %less : tensor<4096xf32>
    scf.yield %next : tensor<4096xf32>
  }
  %ss = tt.splat %sum : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %sp = tt.addptr %ss, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %sp, %sums : tensor<4096x!tt.ptr<f32>>
  tt.return
}
