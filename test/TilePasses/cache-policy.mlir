// RUN: tilewright-opt %s --tile-structure-control-flow | FileCheck %s

// Triton 3.9's one attribute becomes the two of the op.
// CHECK: tt.load %{{.*}} cacheModifier = cg evictionPolicy = evict_last : !tt.ptr<f32>
// CHECK: tt.store %{{.*}}, %{{.*}} cacheModifier = wt : !tt.ptr<f32>
// CHECK: tt.descriptor_load %{{.*}}[%{{.*}}] evictionPolicy = evict_first : !tt.tensordesc<32xf32> -> tensor<32xf32>
tt.func @cache_policy(%p: !tt.ptr<f32>, %d: !tt.tensordesc<32xf32>, %i: i32) {
  %0 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32>
  tt.store %p, %0 {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : !tt.ptr<f32>
  %1 = tt.descriptor_load %d[%i] {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : !tt.tensordesc<32xf32> -> tensor<32xf32>
  tt.return
}
