// RUN: tilewright-opt %s --tilegpu-unroll-loops=num-stages=3 | FileCheck %s
// RUN: tilewright-opt %s --tilegpu-unroll-loops=num-stages=3 --tilegpu-advance-copies | FileCheck %s --check-prefix=TOGETHER
// RUN: tilewright-opt %s --tilegpu-unroll-loops=num-stages=2 | FileCheck %s --check-prefix=TWO
// RUN: tilewright-opt %s --tilegpu-unroll-loops="num-stages=3 except-functions=three" | FileCheck %s --check-prefix=TWO
// RUN: tilewright-opt %s --tilegpu-unroll-loops="num-stages=3 most-operations=7" | FileCheck %s --check-prefix=TWO
// RUN: tilewright compile %S/../Run/unrolled-loops.mlir --target=sm_80 --emit=tilegpu -o /dev/null --remarks 2>&1 | FileCheck %s --check-prefix=REMARK

// Loops of few iterations become straight-line code, whose copies start together.
// REMARK: remark: this loop is unrolled: copies of all its iterations may start before the first one

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_swizzled<vector = 8, perPhase = 1, maxPhase = 8, order = [1, 0]>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!half = tensor<64x64xf16, #rows>
module attributes {tilegpu.target = "sm_80"} {

// Three tiles of 8 kB are noted.
// CHECK-LABEL: @three
// CHECK-SAME: tilegpu.shared_bytes = 24576
// CHECK-NOT: scf.for
// CHECK-COUNT-3: tilegpu.async_wait
// TOGETHER-LABEL: @three
// TOGETHER-COUNT-3: tilegpu.async_commit
// TOGETHER: tilegpu.async_wait %{{.*}} {pending = 2 : i32}
// TOGETHER: tilegpu.async_wait %{{.*}} {pending = 1 : i32}
// TOGETHER: tilegpu.async_wait %{{.*}} {pending = 0 : i32}
// TWO-LABEL: @three
// TWO: scf.for
tt.func @three(%p: !pointers, %out: tensor<64x64x!tt.ptr<f32>, #rows>, %step: tensor<64x64xi32, #rows>) -> !half attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !half
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%q = %p, %sum = %zero) -> (!pointers, !half) : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %q, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !half
    %y = arith.addf %sum, %x : !half
    %next = tt.addptr %q, %step : !pointers, tensor<64x64xi32, #rows>
    scf.yield %next, %y : !pointers, !half
  }
  tt.return %r#1 : !half
}

// As many iterations as it asks for stages itself.
// CHECK-LABEL: @stages_of_its_own
// CHECK: scf.for
tt.func @stages_of_its_own(%p: !pointers) -> !half attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !half
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> (!half) : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !half
    %y = arith.addf %sum, %x : !half
    scf.yield %y : !half
  } {tt.num_stages = 2 : i32}
  tt.return %r : !half
}

// Behind a loop that writes what it copies, in another buffer of which a later
// iteration reads, each copy would have to stay where it is.
// CHECK-LABEL: @in_place
// CHECK: scf.for
tt.func @in_place(%base: !tt.ptr<f16>, %offsets: tensor<64x64xi32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %bases = tt.splat %base : !tt.ptr<f16> -> !pointers
  %p = tt.addptr %bases, %offsets : !pointers, tensor<64x64xi32, #rows>
  scf.for %i = %c0 to %c3 step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !half
    %y = arith.addf %x, %x : !half
    tt.store %p, %y : !pointers
  }
  tt.return
}

// More iterations than four, an unknown number, and loops in loops stay.
// CHECK-LABEL: @stay
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
tt.func @stay(%p: !pointers, %n: i32) -> !half attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  %zero = arith.constant dense<0.0> : !half
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %zero) -> (!half) : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !half
    %y = arith.addf %sum, %x : !half
    scf.yield %y : !half
  } {tt.num_stages = 5 : i32}
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %r) -> (!half) : i32 {
    %inner = scf.for %j = %c0 to %c2 step %c1 iter_args(%sum = %outer) -> (!half) : i32 {
      %m = tilegpu.local_alloc : () -> !tile
      %t = tilegpu.async_copy %p, %m : !pointers -> !tile
      %g = tilegpu.async_commit %t
      %w = tilegpu.async_wait %g {pending = 0 : i32}
      %x = tilegpu.local_load %m : !tile -> !half
      %y = arith.addf %sum, %x : !half
      scf.yield %y : !half
    }
    scf.yield %inner : !half
  }
  tt.return %s : !half
}
}
