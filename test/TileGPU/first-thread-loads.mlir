// RUN: tilewright-opt %s --tilegpu-order-global-accesses | FileCheck %s

// Scalars that nothing needs but scalar stores are loaded by the thread that
// stores, which needs no barrier; all others by every thread.

#own = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>

// A running sum in place.
// CHECK-LABEL: @sum
// CHECK-NOT: tilegpu.barrier
// CHECK: tt.load %{{.*}} {tilegpu.first_thread} : !tt.ptr<i32>
// CHECK-NOT: tilegpu.barrier
// CHECK: tt.return
tt.func private @sum(%p: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^bb1(%zero, %zero : i32, i32)
^bb1(%i: i32, %sum: i32):
  %continues = arith.cmpi slt, %i, %n : i32
  cf.cond_br %continues, ^bb2, ^bb3
^bb2:
  %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
  %x = tt.load %q : !tt.ptr<i32>
  %y = arith.addi %sum, %x : i32
  tt.store %q, %y : !tt.ptr<i32>
  %next = arith.addi %i, %one : i32
  cf.br ^bb1(%next, %y : i32, i32)
^bb3:
  tt.return
}

// Where to load from, and whether, may be loaded too.
// CHECK-LABEL: @chain
// CHECK: tt.load %{{.*}} {tilegpu.first_thread} : !tt.ptr<i32>
// CHECK: tt.load %{{.*}} {tilegpu.first_thread} : !tt.ptr<i32>
// CHECK-NOT: tilegpu.barrier
// CHECK: tt.return
tt.func private @chain(%p: !tt.ptr<i32>) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %i = tt.load %p : !tt.ptr<i32>
  %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
  %m = arith.cmpi ne, %i, %zero : i32
  %x = tt.load %q, %m, %zero : !tt.ptr<i32>
  tt.store %q, %x, %m : !tt.ptr<i32>
  tt.return
}

// The loop ends where it says, for all threads at once.
// CHECK-LABEL: @branch
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<i32>
// CHECK: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
tt.func private @branch(%p: !tt.ptr<i32>) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^bb1
^bb1:
  %x = tt.load %p : !tt.ptr<i32>
  %y = arith.subi %x, %one : i32
  tt.store %p, %y : !tt.ptr<i32>
  %continues = arith.cmpi sgt, %y, %zero : i32
  cf.cond_br %continues, ^bb1, ^bb2
^bb2:
  tt.return
}

// A tile needs it in every thread, here by way of a block's argument.
// CHECK-LABEL: @tile
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<f32>
// CHECK: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
tt.func private @tile(%p: !tt.ptr<f32>, %q: tensor<128x!tt.ptr<f32>, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : !tt.ptr<f32>
  %y = arith.addf %x, %x : f32
  tt.store %p, %y : !tt.ptr<f32>
  cf.br ^bb1(%y : f32)
^bb1(%z: f32):
  %t = tt.splat %z : f32 -> tensor<128xf32, #own>
  tt.store %q, %t : tensor<128x!tt.ptr<f32>, #own>
  tt.return
}

// So does a load that every thread makes, of its pointer.
// CHECK-LABEL: @pointer
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<i32>
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<i32>
// CHECK: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
tt.func private @pointer(%p: !tt.ptr<i32>) -> i32 attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.load %p : !tt.ptr<i32>
  %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
  %x = tt.load %q : !tt.ptr<i32>
  tt.store %p, %x : !tt.ptr<i32>
  tt.return %x : i32
}

// A division by what other threads have instead, 0, is not defined.
// CHECK-LABEL: @divisor
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<i32>
// CHECK: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
tt.func private @divisor(%p: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : !tt.ptr<i32>
  %y = arith.divsi %n, %x : i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}

// An atomic stays as it is, with what it is given.
// CHECK-LABEL: @atomic
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<i32>
// CHECK: {{^ *}}tilegpu.barrier{{$}}
// CHECK: tt.store
tt.func private @atomic(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : !tt.ptr<i32>
  %r = tt.atomic_rmw add, relaxed, gpu, %q, %x : (!tt.ptr<i32>, i32) -> i32
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}

// What must be read again is read by every warp, and shared before this pass.
// CHECK-LABEL: @volatile
// CHECK: tt.load %{{[a-z0-9]*}} {isVolatile = true} : !tt.ptr<i32>
// CHECK: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
tt.func private @volatile(%p: !tt.ptr<i32>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}

// A tile's store is made by all threads: the first one reads behind them.
// CHECK-LABEL: @tile_stored
// CHECK: tt.store
// CHECK-NEXT: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.load %{{.*}} {tilegpu.first_thread} : !tt.ptr<f32>
// CHECK-NEXT: tt.store
tt.func private @tile_stored(%p: !tt.ptr<f32>, %q: tensor<128x!tt.ptr<f32>, #own>, %v: tensor<128xf32, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %t = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #own>
  tt.store %t, %v : tensor<128x!tt.ptr<f32>, #own>
  %x = tt.load %p : !tt.ptr<f32>
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}

// Nothing is saved where the store goes to another buffer.
// CHECK-LABEL: @other_buffer
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<f32>
// CHECK-NEXT: tt.store
tt.func private @other_buffer(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : !tt.ptr<f32>
  tt.store %q, %x : !tt.ptr<f32>
  tt.return
}

// An agent's scalars are stored by a first thread of its own.
// CHECK-LABEL: @agents
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<i32>
// CHECK: tilegpu.warp_specialize
// CHECK: tt.store
// CHECK: tt.load %{{.*}} {tilegpu.first_thread} : !tt.ptr<i32>
// CHECK-NEXT: tt.store
tt.func private @agents(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) attributes {tilegpu.num_warps = 5 : i32} {
  %x = tt.load %p : !tt.ptr<i32>
  tt.store %p, %x : !tt.ptr<i32>
  tilegpu.warp_specialize warps = [1, 4] {
    tt.store %p, %x : !tt.ptr<i32>
    tilegpu.agent_return
  }, {
    %y = tt.load %q : !tt.ptr<i32>
    tt.store %q, %y : !tt.ptr<i32>
    tilegpu.agent_return
  }
  tt.return
}
