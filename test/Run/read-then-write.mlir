// Every thread reads a counter, and one writes it; a tile of fewer elements than
// threads is read by several warps, and written by one; a tile is reversed in
// place. The emulator's checks find a store that does not wait for the readers.

// RUN: tilewright run %s --kernel=expected --device=emulator --arg=%t.count.npy=zeros:1xf32 --arg=%t.tile.npy=arange:64xf32 --arg=%t.turned.npy=arange:128xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=change --grid=1 --arg=full:1xf32:3 --arg=arange:64xf32 --arg=arange:128xf32 --compare=0=%t.count.npy --compare=1=%t.tile.npy --compare=2=%t.turned.npy

tt.func public @change(%count: !tt.ptr<f32>, %tile: !tt.ptr<f32>, %turned: !tt.ptr<f32>) {
  %one = arith.constant 1.0 : f32
  %old = tt.load %count : !tt.ptr<f32>
  %new = arith.addf %old, %one : f32
  tt.store %count, %new : !tt.ptr<f32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %base = tt.splat %tile : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %places = tt.addptr %base, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %places : tensor<64x!tt.ptr<f32>>
  %added = tt.splat %old : f32 -> tensor<64xf32>
  %y = arith.addf %x, %added : tensor<64xf32>
  tt.store %places, %y : tensor<64x!tt.ptr<f32>>
  %j = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %last = arith.constant dense<127> : tensor<128xi32>
  %k = arith.subi %last, %j : tensor<128xi32>
  %from = tt.splat %turned : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %reads = tt.addptr %from, %j : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %writes = tt.addptr %from, %k : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %z = tt.load %reads : tensor<128x!tt.ptr<f32>>
  tt.store %writes, %z : tensor<128x!tt.ptr<f32>>
  tt.return
}

tt.func public @expected(%count: !tt.ptr<f32>, %tile: !tt.ptr<f32>, %turned: !tt.ptr<f32>) {
  %four = arith.constant 4.0 : f32
  tt.store %count, %four : !tt.ptr<f32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %f = arith.sitofp %i : tensor<64xi32> to tensor<64xf32>
  %three = arith.constant dense<3.0> : tensor<64xf32>
  %y = arith.addf %f, %three : tensor<64xf32>
  %base = tt.splat %tile : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %places = tt.addptr %base, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %places, %y : tensor<64x!tt.ptr<f32>>
  %j = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %last = arith.constant dense<127> : tensor<128xi32>
  %k = arith.subi %last, %j : tensor<128xi32>
  %z = arith.sitofp %k : tensor<128xi32> to tensor<128xf32>
  %from = tt.splat %turned : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %reads = tt.addptr %from, %j : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %reads, %z : tensor<128x!tt.ptr<f32>>
  tt.return
}
