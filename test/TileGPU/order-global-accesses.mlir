// RUN: tilewright-opt %s --tilegpu-order-global-accesses --split-input-file | FileCheck %s

#own = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>

// Every thread reads the scalar, and one writes it.
// CHECK-LABEL: @scalar
// CHECK: tt.load
// CHECK: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
tt.func private @scalar(%p: !tt.ptr<f32>) -> f32 attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : !tt.ptr<f32>
  %y = arith.addf %x, %x : f32
  tt.store %p, %y : !tt.ptr<f32>
  tt.return %x : f32
}

// Each thread writes what it has read.
// CHECK-LABEL: @own
// CHECK-NOT: tilegpu.barrier
// CHECK: tt.return
tt.func private @own(%p: tensor<128x!tt.ptr<f32>, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : tensor<128x!tt.ptr<f32>, #own>
  tt.store %p, %x : tensor<128x!tt.ptr<f32>, #own>
  tt.return
}

// Warps 2 and 3 read what warps 0 and 1 write.
// CHECK-LABEL: @copies
// CHECK: tt.load
// CHECK-NEXT: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
tt.func private @copies(%p: tensor<64x!tt.ptr<f32>, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : tensor<64x!tt.ptr<f32>, #own>
  tt.store %p, %x : tensor<64x!tt.ptr<f32>, #own>
  tt.return
}

// Another parameter is another buffer.
// CHECK-LABEL: @other_buffer
// CHECK-NOT: tilegpu.barrier
// CHECK: tt.return
tt.func private @other_buffer(%p: tensor<64x!tt.ptr<f32>, #own>, %q: tensor<64x!tt.ptr<f32>, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : tensor<64x!tt.ptr<f32>, #own>
  tt.store %q, %x : tensor<64x!tt.ptr<f32>, #own>
  tt.return
}

// Through other pointers other threads write; once is enough.
// CHECK-LABEL: @moved
// CHECK: tt.load
// CHECK-NEXT: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.return
tt.func private @moved(%p: tensor<128x!tt.ptr<f32>, #own>, %i: tensor<128xi32, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %q = tt.addptr %p, %i : tensor<128x!tt.ptr<f32>, #own>, tensor<128xi32, #own>
  %x = tt.load %p : tensor<128x!tt.ptr<f32>, #own>
  tt.store %q, %x : tensor<128x!tt.ptr<f32>, #own>
  tt.store %q, %x : tensor<128x!tt.ptr<f32>, #own>
  tt.return
}

// What is stored is loaded by every thread, and around the loop the load of one
// iteration comes before the store of the next.
// CHECK-LABEL: @loop
// CHECK: {{^ *\^bb1}}
// CHECK-NEXT: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.store
// CHECK-NEXT: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.load
tt.func private @loop(%p: !tt.ptr<f32>, %v: f32, %c: i1) -> f32 attributes {tilegpu.num_warps = 4 : i32} {
  cf.br ^bb1(%v : f32)
^bb1(%y: f32):
  tt.store %p, %y : !tt.ptr<f32>
  %x = tt.load %p : !tt.ptr<f32>
  cf.cond_br %c, ^bb1(%x : f32), ^bb2
^bb2:
  tt.return %x : f32
}

// What other threads have stored; what a thread has stored itself.
// CHECK-LABEL: @load_again
// CHECK: tt.store
// CHECK-NEXT: tt.load
// CHECK-NEXT: {{^ *}}tilegpu.barrier{{$}}
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.return
tt.func private @load_again(%p: tensor<128x!tt.ptr<f32>, #own>, %i: tensor<128xi32, #own>, %v: tensor<128xf32, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %q = tt.addptr %p, %i : tensor<128x!tt.ptr<f32>, #own>, tensor<128xi32, #own>
  tt.store %p, %v : tensor<128x!tt.ptr<f32>, #own>
  %x = tt.load %p : tensor<128x!tt.ptr<f32>, #own>
  %y = tt.load %q : tensor<128x!tt.ptr<f32>, #own>
  tt.return
}

// A barrier of the kernel's own serves.
// CHECK-LABEL: @ordered
// CHECK: tt.load
// CHECK-NEXT: tilegpu.barrier
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.return
tt.func private @ordered(%p: !tt.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.load %p : !tt.ptr<f32>
  tilegpu.barrier
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}

// Pointers from memory may be any; an atomic writes too.
// CHECK-LABEL: @unknown
// CHECK: tilegpu.barrier
// CHECK-NEXT: tt.atomic_rmw
tt.func private @unknown(%p: !tt.ptr<i64>, %q: !tt.ptr<f32>, %v: f32, %m: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %a = tt.load %p : !tt.ptr<i64>
  %r = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  %x = tt.load %q : !tt.ptr<f32>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %r, %v, %m : (!tt.ptr<f32>, f32, i1) -> f32
  tt.return
}

// -----

// Only lanes hold copies: the warp's own barrier is enough.
#lanes = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
// CHECK-LABEL: @lanes
// CHECK: tt.load
// CHECK-NEXT: tilegpu.barrier warp
// CHECK-NEXT: tt.store
tt.func private @lanes(%p: tensor<16x!tt.ptr<f32>, #lanes>) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.load %p : tensor<16x!tt.ptr<f32>, #lanes>
  tt.store %p, %x : tensor<16x!tt.ptr<f32>, #lanes>
  tt.return
}
