// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Every form of pointer arithmetic, loads, stores and atomics.

// CHECK-LABEL: @addptr(
// CHECK: %{{.*}} = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f16>, i64
// CHECK: %{{.*}} = tt.addptr %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
tt.func @addptr(%p: !tt.ptr<f16>, %n: i64, %t: tensor<64x!tt.ptr<f16>>, %o: tensor<64xi32>) {
  %0 = tt.addptr %p, %n : !tt.ptr<f16>, i64
  %1 = tt.addptr %t, %o : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  tt.return
}

// CHECK-LABEL: @load(
// CHECK: %{{.*}} = tt.load %{{.*}} : tensor<64x!tt.ptr<f16>>
// CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f16>>
// CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f16>>
// CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<64x!tt.ptr<f16>>
// CHECK: %{{.*}} = tt.load %{{.*}} cacheModifier = ca : tensor<64x!tt.ptr<f16>>
// CHECK: %{{.*}} = tt.load %{{.*}} cacheModifier = cs : tensor<64x!tt.ptr<f16>>
// CHECK: %{{.*}} = tt.load %{{.*}} cacheModifier = cv evictionPolicy = evict_last : tensor<64x!tt.ptr<f16>>
// CHECK: %{{.*}} = tt.load %{{.*}} evictionPolicy = evict_last : tensor<64x!tt.ptr<f16>>
tt.func @load(%p: tensor<64x!tt.ptr<f16>>, %m: tensor<64xi1>, %o: tensor<64xf16>) {
  %0 = tt.load %p : tensor<64x!tt.ptr<f16>>
  %1 = tt.load %p, %m : tensor<64x!tt.ptr<f16>>
  %2 = tt.load %p, %m, %o : tensor<64x!tt.ptr<f16>>
  %3 = tt.load %p, %m, %o cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<64x!tt.ptr<f16>>
  %4 = tt.load %p cacheModifier = ca : tensor<64x!tt.ptr<f16>>
  %5 = tt.load %p cacheModifier = cs : tensor<64x!tt.ptr<f16>>
  %6 = tt.load %p cacheModifier = cv evictionPolicy = evict_last : tensor<64x!tt.ptr<f16>>
  %7 = tt.load %p evictionPolicy = evict_last : tensor<64x!tt.ptr<f16>>
  tt.return
}

// CHECK-LABEL: @load_scalar(
// CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<bf16>
// CHECK: %{{.*}} = tt.load %{{.*}} {isVolatile = true} : !tt.ptr<bf16>
tt.func @load_scalar(%p: !tt.ptr<bf16>, %m: i1, %o: bf16) {
  %0 = tt.load %p, %m, %o : !tt.ptr<bf16>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<bf16>
  tt.return
}

// CHECK-LABEL: @load_pointers(
// CHECK: %{{.*}} = tt.load %{{.*}} : tensor<4x!tt.ptr<!tt.ptr<f32>>>
// CHECK: %{{.*}} = tt.load %{{.*}} : tensor<4x!tt.ptr<f32>>
tt.func @load_pointers(%p: tensor<4x!tt.ptr<!tt.ptr<f32>>>) {
  %0 = tt.load %p : tensor<4x!tt.ptr<!tt.ptr<f32>>>
  %1 = tt.load %0 : tensor<4x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @store(
// CHECK: tt.store %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f16>>
// CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f16>>
// CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = wb evictionPolicy = evict_last : tensor<64x!tt.ptr<f16>>
// CHECK: tt.store %{{.*}}, %{{.*}} cacheModifier = wt : tensor<64x!tt.ptr<f16>>
// CHECK: tt.store %{{.*}}, %{{.*}} cacheModifier = cs evictionPolicy = evict_first : tensor<64x!tt.ptr<f16>>
tt.func @store(%p: tensor<64x!tt.ptr<f16>>, %v: tensor<64xf16>, %m: tensor<64xi1>) {
  tt.store %p, %v : tensor<64x!tt.ptr<f16>>
  tt.store %p, %v, %m : tensor<64x!tt.ptr<f16>>
  tt.store %p, %v, %m cacheModifier = wb evictionPolicy = evict_last : tensor<64x!tt.ptr<f16>>
  tt.store %p, %v cacheModifier = wt : tensor<64x!tt.ptr<f16>>
  tt.store %p, %v cacheModifier = cs evictionPolicy = evict_first : tensor<64x!tt.ptr<f16>>
  tt.return
}

// CHECK-LABEL: @store_scalar(
// CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f16>
tt.func @store_scalar(%p: !tt.ptr<f16>, %v: f16, %m: i1) {
  tt.store %p, %v, %m : !tt.ptr<f16>
  tt.return
}

// CHECK-LABEL: @atomic_rmw(
// CHECK: %{{.*}} = tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
// CHECK: %{{.*}} = tt.atomic_rmw and, relaxed, cta, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw or, acquire, sys, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw xor, release, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw add, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw max, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw min, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw umax, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw umin, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw exch, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
// CHECK: %{{.*}} = tt.atomic_rmw exch, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
tt.func @atomic_rmw(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>, %m: tensor<64xi1>, %q: tensor<64x!tt.ptr<i32>>, %i: tensor<64xi32>) {
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  %1 = tt.atomic_rmw and, relaxed, cta, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %2 = tt.atomic_rmw or, acquire, sys, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %3 = tt.atomic_rmw xor, release, gpu, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %4 = tt.atomic_rmw add, acq_rel, gpu, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %5 = tt.atomic_rmw max, acq_rel, gpu, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %6 = tt.atomic_rmw min, acq_rel, gpu, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %7 = tt.atomic_rmw umax, acq_rel, gpu, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %8 = tt.atomic_rmw umin, acq_rel, gpu, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %9 = tt.atomic_rmw exch, acq_rel, gpu, %q, %i : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %10 = tt.atomic_rmw exch, acq_rel, gpu, %p, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  tt.return
}

// CHECK-LABEL: @atomic_rmw_scalar(
// CHECK: %{{.*}} = tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<f64>, f64, i1) -> f64
tt.func @atomic_rmw_scalar(%p: !tt.ptr<f64>, %v: f64, %m: i1) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v, %m : (!tt.ptr<f64>, f64, i1) -> f64
  tt.return
}

// CHECK-LABEL: @atomic_cas(
// CHECK: %{{.*}} = tt.atomic_cas acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i32) -> i32
// CHECK: %{{.*}} = tt.atomic_cas relaxed, sys, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
tt.func @atomic_cas(%p: !tt.ptr<i32>, %c: i32, %q: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>) {
  %0 = tt.atomic_cas acq_rel, gpu, %p, %c, %c : (!tt.ptr<i32>, i32, i32) -> i32
  %1 = tt.atomic_cas relaxed, sys, %q, %v, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  tt.return
}

// Both hints on caches in one attribute, as Triton 3.9 prints them.
// CHECK-LABEL: @cache_policy
// CHECK: tt.load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32>
// CHECK: tt.store %{{.*}}, %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = wt>} : !tt.ptr<f32>
tt.func @cache_policy(%p: !tt.ptr<f32>) {
  %0 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32>
  tt.store %p, %0 {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : !tt.ptr<f32>
  tt.return
}
