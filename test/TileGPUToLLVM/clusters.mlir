// RUN: tilewright-opt %s --tilegpu-to-llvm --cse | FileCheck %s

// What the CTAs of a cluster write to each other's memory, and their barriers.

#l = #tilegpu.linear<register = [[1], [2], [256]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>
#few = #tilegpu.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[0]]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
module attributes {tilegpu.target = "sm_90a"} {

// CHECK-LABEL: llvm.func @parts
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// What lanes have of the offset is computed first: behind products' loops CUDA's
// assembler would have these wait.
// CHECK-NEXT: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[LANE:.*]] = llvm.and %[[TID]], %{{.*}} : i32
// CHECK: %[[LANES:.*]] = llvm.shl %[[LANE]], %{{.*}} : i32
// CHECK: %[[TILE:.*]] = llvm.getelementptr %{{.*}}[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: %[[BYTES:.*]] = llvm.mul %{{.*}}, %{{.*}} : i32
// CHECK: %[[OWN:.*]] = llvm.getelementptr %[[TILE]][%[[BYTES]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// In each round CTAs store to each other by pairs, what the other's part is.
// CHECK: %[[CTA:.*]] = llvm.xor %arg1, %{{.*}} : i32
// CHECK-NEXT: %[[FIRST:.*]] = nvvm.mapa %[[OWN]], %[[CTA]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.select
// CHECK: %[[OFFSET:.*]] = llvm.xor %{{.*}}, %[[LANES]] : i32
// CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[FIRST]][%[[OFFSET]]] : (!llvm.ptr<7>, i32) -> !llvm.ptr<7>, i32
// CHECK: llvm.store %{{.*}}, %[[PLACE]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<7>
// CHECK: %[[CTA:.*]] = llvm.xor %arg1, %{{.*}} : i32
// CHECK-NEXT: %[[SECOND:.*]] = nvvm.mapa %[[OWN]], %[[CTA]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[SECOND]][%[[OFFSET]]] : (!llvm.ptr<7>, i32) -> !llvm.ptr<7>, i32
// CHECK: llvm.store %{{.*}}, %[[PLACE]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NOT: nvvm.barrier
tt.func @parts(%scalar: f32, %rank: i32) attributes {tilegpu.num_warps = 2 : i32, tilegpu.cluster = 2 : i32} {
  %x = tt.splat %scalar : f32 -> tensor<512xf32, #l>
  %m = tilegpu.local_alloc {offset = 1024 : i32} : () -> !tilegpu.memdesc<256xf32, #s, buffers = 2, mutable>
  tilegpu.barrier cluster
  tilegpu.store_parts %x to %m at %rank {axis = 0 : i32} : tensor<512xf32, #l> to !tilegpu.memdesc<256xf32, #s, buffers = 2, mutable>
  tilegpu.barrier cluster
  tt.return
}

// Of warps that hold copies one writes.
// CHECK-LABEL: llvm.func @copies
// CHECK: nvvm.mapa
// CHECK: llvm.inline_asm {{.*}}"@$0 st.shared::cluster.b32 [$1], $2;"
// CHECK: nvvm.mapa
// CHECK: llvm.inline_asm {{.*}}"@$0 st.shared::cluster.b32 [$1], $2;"
tt.func @copies(%scalar: i32, %rank: i32) attributes {tilegpu.num_warps = 2 : i32, tilegpu.cluster = 2 : i32} {
  %x = tt.splat %scalar : i32 -> tensor<64xi32, #few>
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<32xi32, #s, buffers = 2, mutable>
  tilegpu.store_parts %x to %m at %rank {axis = 0 : i32} : tensor<64xi32, #few> to !tilegpu.memdesc<32xi32, #s, buffers = 2, mutable>
  tt.return
}
}
