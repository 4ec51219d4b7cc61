// Five tiles of f32 that a loop leaves as they are, each an operand of a product in it:
// held in shared memory all the time they exceed what Turing gives a CTA, so that they
// are stored anew before their readers (tilegpu-shorten-tiles).

// RUN: tilewright compile %s --target=sm_75 --num-warps=4 --emit=tilegpu --remarks -o %t.tilegpu 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: FileCheck %s < %t.tilegpu
// RUN: tilewright run %s --target=sm_80 --num-warps=4 --device=emulator --arg=random:4096xf32:1 --arg=random:4096xf32:2 --arg=random:4096xf32:3 --arg=random:4096xf32:4 --arg=random:4096xf32:5 --arg=random:8192xf32:6 --arg=%t.npy=poison:4096xf32 --arg=i32:2
// RUN: tilewright run %s --target=sm_75 --num-warps=4 --device=emulator --arg=random:4096xf32:1 --arg=random:4096xf32:2 --arg=random:4096xf32:3 --arg=random:4096xf32:4 --arg=random:4096xf32:5 --arg=random:8192xf32:6 --arg=poison:4096xf32 --arg=i32:2 --compare=6=%t.npy@1e-4

// REMARKS-COUNT-3: remark: a tile is stored anew before each of its readers: with all tiles held, shared memory has no room
// REMARKS-NOT: stored anew

// Two are held; in each iteration three are stored, and the left operands.
// CHECK-COUNT-2: tilegpu.local_alloc %
// CHECK-NOT: tilegpu.local_alloc
// CHECK: ^bb2:
// CHECK-COUNT-8: tilegpu.local_alloc %
// CHECK-NOT: tilegpu.local_alloc
// CHECK: ^bb3:

tt.func public @chain(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %d: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %e: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %from: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %to: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %step = arith.constant dense<4096> : tensor<64x64xi32>
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %begin = arith.muli %column, %size : tensor<64x1xi32>
  %begins = tt.broadcast %begin : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %places = arith.addi %begins, %columns : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %at = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %bt = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %ct = tt.load %cp : tensor<64x64x!tt.ptr<f32>>
  %ds = tt.splat %d : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %dp = tt.addptr %ds, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %dt = tt.load %dp : tensor<64x64x!tt.ptr<f32>>
  %es = tt.splat %e : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ep = tt.addptr %es, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %et = tt.load %ep : tensor<64x64x!tt.ptr<f32>>
  %froms = tt.splat %from : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %first = tt.addptr %froms, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum, %last = scf.for %i = %c0 to %count step %c1 iter_args(%before = %zeros, %p = %first) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f32>>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>>
    %y0 = tt.dot %x, %at, %zeros : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %y1 = tt.dot %y0, %bt, %zeros : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %y2 = tt.dot %y1, %ct, %zeros : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %y3 = tt.dot %y2, %dt, %zeros : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %y4 = tt.dot %y3, %et, %zeros : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %next = arith.addf %before, %y4 : tensor<64x64xf32>
    %q = tt.addptr %p, %step : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    scf.yield %next, %q : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f32>>
  }
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %o = tt.addptr %tos, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %o, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
