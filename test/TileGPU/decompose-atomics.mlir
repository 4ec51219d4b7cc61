// RUN: tilewright-opt %s --tilegpu-decompose-atomics --split-input-file --verify-diagnostics | FileCheck %s

// Each warp has its own elements: nothing to share, and nothing to order.
#own = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
// CHECK-LABEL: @own
// CHECK-NEXT: %[[R:.*]] = tt.atomic_rmw
// CHECK-NEXT: return %[[R]]
tt.func private @own(%p: tensor<128x!tt.ptr<i32>, #own>, %v: tensor<128xi32, #own>) -> tensor<128xi32, #own> attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.atomic_rmw add, relaxed, gpu, %p, %v : (tensor<128x!tt.ptr<i32>, #own>, tensor<128xi32, #own>) -> tensor<128xi32, #own>
  tt.return %r : tensor<128xi32, #own>
}

// Warps 2 and 3 hold copies of what warps 0 and 1 own.
// CHECK-LABEL: @copies
// CHECK-NEXT: tilegpu.barrier
// CHECK-NEXT: %[[R:.*]] = tt.atomic_rmw
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<64xi32
// CHECK-NEXT: tilegpu.local_store %[[R]], %[[M]]
// CHECK-NEXT: tilegpu.barrier
// CHECK-NEXT: %[[L:.*]] = tilegpu.local_load %[[M]]
// CHECK-NEXT: return %[[L]]
tt.func private @copies(%p: tensor<64x!tt.ptr<i32>, #own>, %v: tensor<64xi32, #own>) -> tensor<64xi32, #own> attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (tensor<64x!tt.ptr<i32>, #own>, tensor<64xi32, #own>) -> tensor<64xi32, #own>
  tt.return %r : tensor<64xi32, #own>
}

// Nobody asks for the result.
// CHECK-LABEL: @unused
// CHECK-NEXT: tt.atomic_rmw
// CHECK-NEXT: return
tt.func private @unused(%p: tensor<64x!tt.ptr<i32>, #own>, %v: tensor<64xi32, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.atomic_rmw add, relaxed, gpu, %p, %v : (tensor<64x!tt.ptr<i32>, #own>, tensor<64xi32, #own>) -> tensor<64xi32, #own>
  tt.return
}

// A scalar goes through a tile of one element; one warp has barriers of its own.
// CHECK-LABEL: @scalar
// CHECK-NEXT: %[[R:.*]] = tt.atomic_cas
// CHECK-NEXT: %[[T:.*]] = tt.splat %[[R]]
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc
// CHECK-NEXT: tilegpu.local_store %[[T]], %[[M]]
// CHECK-NEXT: tilegpu.barrier warp
// CHECK-NEXT: %[[L:.*]] = tilegpu.local_load %[[M]]
// CHECK-NEXT: %[[S:.*]] = tt.unsplat %[[L]]
// CHECK-NEXT: return %[[S]]
tt.func private @scalar(%p: !tt.ptr<i64>, %c: i64, %v: i64) -> i64 attributes {tilegpu.num_warps = 1 : i32} {
  %r = tt.atomic_cas acquire, sys, %p, %c, %v : (!tt.ptr<i64>, i64, i64) -> i64
  tt.return %r : i64
}

// CHECK-LABEL: @release
// CHECK-NEXT: tilegpu.barrier
// CHECK-NEXT: tt.atomic_rmw
// CHECK-NEXT: return
tt.func private @release(%p: !tt.ptr<i32>, %v: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.atomic_rmw exch, release, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// Each warp would read what is there at its own time.
// CHECK-LABEL: @volatile
// CHECK-NEXT: %[[R:.*]] = tt.load
// CHECK-NEXT: %[[T:.*]] = tt.splat %[[R]]
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc
// CHECK-NEXT: tilegpu.local_store %[[T]], %[[M]]
// CHECK-NEXT: %[[L:.*]] = tilegpu.local_load %[[M]]
// CHECK-NEXT: %[[S:.*]] = tt.unsplat %[[L]]
// CHECK-NEXT: return %[[S]]
tt.func private @volatile(%p: !tt.ptr<i32>) -> i32 attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  tt.return %r : i32
}

// CHECK-LABEL: @uncached
// CHECK-NEXT: %[[R:.*]] = tt.load
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<64xi32
// CHECK-NEXT: tilegpu.local_store %[[R]], %[[M]]
// CHECK-NEXT: %[[L:.*]] = tilegpu.local_load %[[M]]
// CHECK-NEXT: return %[[L]]
tt.func private @uncached(%p: tensor<64x!tt.ptr<i32>, #own>) -> tensor<64xi32, #own> attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.load %p cacheModifier = cv : tensor<64x!tt.ptr<i32>, #own>
  tt.return %r : tensor<64xi32, #own>
}

// Nothing differs: each warp has its own elements, or there is one warp, whose
// lanes read together, or nothing changes meanwhile.
// CHECK-LABEL: @own_volatile
// CHECK-NEXT: tt.load
// CHECK-NEXT: return
tt.func private @own_volatile(%p: tensor<128x!tt.ptr<i32>, #own>) -> tensor<128xi32, #own> attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.load %p {isVolatile = true} : tensor<128x!tt.ptr<i32>, #own>
  tt.return %r : tensor<128xi32, #own>
}
// CHECK-LABEL: @one_warp
// CHECK-NEXT: tt.load
// CHECK-NEXT: return
tt.func private @one_warp(%p: !tt.ptr<i32>) -> i32 attributes {tilegpu.num_warps = 1 : i32} {
  %r = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  tt.return %r : i32
}
// CHECK-LABEL: @plain
// CHECK-NEXT: tt.load
// CHECK-NEXT: return
tt.func private @plain(%p: !tt.ptr<i32>) -> i32 attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.load %p : !tt.ptr<i32>
  tt.return %r : i32
}

// -----

tt.func private @no_layout(%p: tensor<64x!tt.ptr<i32>>, %v: tensor<64xi32>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{expects tensors with a register layout, but got 'tensor<64xi32>'}}
  %r = tt.atomic_rmw add, relaxed, gpu, %p, %v : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @no_warps(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @+1 {{expects a function with the attribute tilegpu.num_warps}}
  %r = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

// Two agents' warps together are no power of two.
tt.func private @outside_of_agents(%p: !tt.ptr<i32>, %v: i32) attributes {tilegpu.num_warps = 5 : i32} {
  // expected-error @+1 {{expects to be run by a power of two warps, but got 5; move it into an agent}}
  %r = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tilegpu.warp_specialize warps = [1, 4] {
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}
