// What atomics give back reaches every thread, however many hold an element.

// A scalar: each program takes a ticket, and writes where it says.
// RUN: tilewright run %s --kernel=expected --device=emulator --arg=%t.npy=zeros:256xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=ticket --grid=4 --arg=zeros:1xi32 --arg=poison:256xi32 --compare=1=%t.npy
// A tile of fewer elements than threads: each element has a ticket of its own.
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=tickets --grid=4 --arg=zeros:64xi32 --arg=poison:256xi32 --compare=1=%t.npy
// The same by compare-and-swap on 16 bits, and on 64.
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=swaps_i16 --grid=4 --arg=zeros:64xi16 --arg=poison:256xi32 --compare=1=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=swaps_i64 --grid=4 --arg=zeros:64xi64 --arg=poison:256xi32 --compare=1=%t.npy
// A lock, taken and given back, around a sum without atomics.
// RUN: tilewright run %s --kernel=ones --device=emulator --arg=%t.ones.npy=zeros:128xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=locked --grid=3 --arg=zeros:1xi32 --arg=zeros:128xi32 --compare=1=%t.ones.npy

!places = tensor<64x!tt.ptr<i32>>

tt.func private @write(%out: !tt.ptr<i32>, %slot: tensor<64xi32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %start = arith.muli %slot, %size : tensor<64xi32>
  %index = arith.addi %start, %i : tensor<64xi32>
  %base = tt.splat %out : !tt.ptr<i32> -> !places
  %to = tt.addptr %base, %index : !places, tensor<64xi32>
  tt.store %to, %index : !places
  tt.return
}

tt.func public @expected(%out: !tt.ptr<i32>) {
  %c0 = arith.constant dense<0> : tensor<64xi32>
  %c1 = arith.constant dense<1> : tensor<64xi32>
  %c2 = arith.constant dense<2> : tensor<64xi32>
  %c3 = arith.constant dense<3> : tensor<64xi32>
  tt.call @write(%out, %c0) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  tt.call @write(%out, %c1) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  tt.call @write(%out, %c2) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  tt.call @write(%out, %c3) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  tt.return
}

tt.func public @ticket(%counter: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %one = arith.constant 1 : i32
  %ticket = tt.atomic_rmw add, relaxed, gpu, %counter, %one : (!tt.ptr<i32>, i32) -> i32
  %slot = tt.splat %ticket : i32 -> tensor<64xi32>
  tt.call @write(%out, %slot) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  tt.return
}

tt.func public @tickets(%counters: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %base = tt.splat %counters : !tt.ptr<i32> -> !places
  %own = tt.addptr %base, %i : !places, tensor<64xi32>
  %slot = tt.atomic_rmw add, acq_rel, gpu, %own, %one : (!places, tensor<64xi32>) -> tensor<64xi32>
  tt.call @write(%out, %slot) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  tt.return
}

// The program's number is swapped in where its predecessor's is.
tt.func public @swaps_i16(%counters: !tt.ptr<i16>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi16>
  %program = tt.get_program_id x : i32
  %narrow = arith.trunci %program : i32 to i16
  %from = tt.splat %narrow : i16 -> tensor<64xi16>
  %to = arith.addi %from, %one : tensor<64xi16>
  %base = tt.splat %counters : !tt.ptr<i16> -> tensor<64x!tt.ptr<i16>>
  %own = tt.addptr %base, %i : tensor<64x!tt.ptr<i16>>, tensor<64xi32>
  %old = tt.atomic_cas acq_rel, gpu, %own, %from, %to : (tensor<64x!tt.ptr<i16>>, tensor<64xi16>, tensor<64xi16>) -> tensor<64xi16>
  %slot = arith.extsi %old : tensor<64xi16> to tensor<64xi32>
  tt.call @write(%out, %slot) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  tt.return
}

tt.func public @swaps_i64(%counters: !tt.ptr<i64>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi64>
  %program = tt.get_program_id x : i32
  %wide = arith.extsi %program : i32 to i64
  %from = tt.splat %wide : i64 -> tensor<64xi64>
  %to = arith.addi %from, %one : tensor<64xi64>
  %base = tt.splat %counters : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
  %own = tt.addptr %base, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
  %old = tt.atomic_cas relaxed, sys, %own, %from, %to : (tensor<64x!tt.ptr<i64>>, tensor<64xi64>, tensor<64xi64>) -> tensor<64xi64>
  %slot = arith.trunci %old : tensor<64xi64> to tensor<64xi32>
  tt.call @write(%out, %slot) : (!tt.ptr<i32>, tensor<64xi32>) -> ()
  tt.return
}

tt.func public @ones(%sums: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %three = arith.constant dense<3> : tensor<128xi32>
  %base = tt.splat %sums : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %own = tt.addptr %base, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %own, %three : tensor<128x!tt.ptr<i32>>
  tt.return
}

// A tile of as many elements as threads: none has copies, whose loads would race
// with their owners' stores.
tt.func public @locked(%lock: !tt.ptr<i32>, %sums: !tt.ptr<i32>) {
  %free = arith.constant 0 : i32
  %taken = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tt.atomic_cas acquire, gpu, %lock, %free, %taken : (!tt.ptr<i32>, i32, i32) -> i32
    %again = arith.cmpi ne, %old, %free : i32
    scf.condition(%again)
  } do {
    scf.yield
  }
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %one = arith.constant dense<1> : tensor<128xi32>
  %base = tt.splat %sums : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %own = tt.addptr %base, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %sum = tt.load %own : tensor<128x!tt.ptr<i32>>
  %more = arith.addi %sum, %one : tensor<128xi32>
  tt.store %own, %more : tensor<128x!tt.ptr<i32>>
  %old = tt.atomic_rmw exch, release, gpu, %lock, %free : (!tt.ptr<i32>, i32) -> i32
  tt.return
}
