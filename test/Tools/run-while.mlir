// A loop with a condition, whose two regions carry different values in another
// order, gives what a counted loop gives, also where it runs not once.

// RUN: tilewright run %s --kernel=counted --device=emulator --arg=%t.npy=zeros:256xf32 --arg=arange:256xf32 --arg=i32:7
// RUN: tilewright run %s --kernel=conditional --device=emulator --arg=zeros:256xf32 --arg=arange:256xf32 --arg=i32:7 --compare=0=%t.npy
// RUN: tilewright run %s --kernel=conditional --target=sm_70 --num-warps=1 --device=emulator --arg=zeros:256xf32 --arg=arange:256xf32 --arg=i32:7 --compare=0=%t.npy
// RUN: not tilewright run %s --kernel=conditional --device=emulator --arg=zeros:256xf32 --arg=arange:256xf32 --arg=i32:6 --compare=0=%t.npy | FileCheck %s
// CHECK: argument 0: 255 of 256 differ
// RUN: tilewright run %s --kernel=counted --device=emulator --arg=%t.none.npy=zeros:256xf32 --arg=arange:256xf32 --arg=i32:0
// RUN: tilewright run %s --kernel=conditional --device=emulator --arg=zeros:256xf32 --arg=arange:256xf32 --arg=i32:0 --compare=0=%t.none.npy

tt.func public @conditional(%out: !tt.ptr<f32>, %in: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %from = tt.addptr %ins, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %sum:3 = scf.while (%total = %zero, %i = %c0) : (tensor<256xf32>, i32) -> (tensor<256x!tt.ptr<f32>>, tensor<256xf32>, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %from, %total, %i : tensor<256x!tt.ptr<f32>>, tensor<256xf32>, i32
  } do {
  ^bb0(%pointers: tensor<256x!tt.ptr<f32>>, %total: tensor<256xf32>, %i: i32):
    %loaded = tt.load %pointers : tensor<256x!tt.ptr<f32>>
    %next = arith.addf %total, %loaded : tensor<256xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %next, %j : tensor<256xf32>, i32
  }
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %to = tt.addptr %outs, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %to, %sum#1 : tensor<256x!tt.ptr<f32>>
  tt.return
}

tt.func public @counted(%out: !tt.ptr<f32>, %in: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %from = tt.addptr %ins, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (tensor<256xf32>) : i32 {
    %loaded = tt.load %from : tensor<256x!tt.ptr<f32>>
    %next = arith.addf %total, %loaded : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  }
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %to = tt.addptr %outs, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %to, %sum : tensor<256x!tt.ptr<f32>>
  tt.return
}
