// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#scratch = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32]]>
#rows = #tilegpu.linear<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>
#columns = #tilegpu.linear<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = []>
#high_lanes = #tilegpu.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
module attributes {tilegpu.target = "sm_80"} {

// Element 64 and those above it are registers of every thread on both sides: the first two go first, as one vector.
// CHECK-LABEL: llvm.func @registers
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK-NOT: llvm.load
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK-NOT: llvm.select
// CHECK: llvm.return
tt.func @registers(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #rows>
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<64xi32, #scratch, mutable>
  %y = tilegpu.convert_in_rounds %x through %m functionals = [64] : tensor<128xi32, #rows> through !tilegpu.memdesc<64xi32, #scratch, mutable> -> tensor<128xi32, #columns>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #columns>
  tt.store %p, %y : tensor<128x!tt.ptr<i32>, #columns>
  tt.return
}

// The upper half of the source's lanes holds the elements from 64 on: each round half of the lanes stores all they have.
// CHECK-LABEL: llvm.func @predicated_stores
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[ROUND:.*]], %{{.*}} : i32
// CHECK: "@$0 st.shared.v4.b32 [$1], {$2, $3, $4, $5};", "b,r,r,r,r,r" %[[FIRST]],
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[SECOND:.*]] = llvm.icmp "eq" %[[ROUND]], %{{.*}} : i32
// CHECK: "@$0 st.shared.v4.b32 [$1], {$2, $3, $4, $5};", "b,r,r,r,r,r" %[[SECOND]],
// CHECK: llvm.return
tt.func @predicated_stores(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #high_lanes>
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<64xi32, #scratch, mutable>
  %y = tilegpu.convert_in_rounds %x through %m functionals = [64] : tensor<128xi32, #high_lanes> through !tilegpu.memdesc<64xi32, #scratch, mutable> -> tensor<128xi32, #columns>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #columns>
  tt.store %p, %y : tensor<128x!tt.ptr<i32>, #columns>
  tt.return
}

// The other way every lane loads in every round, and keeps what its half of the lanes wants.
// CHECK-LABEL: llvm.func @selected_loads
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-4: llvm.select
// CHECK-NOT: llvm.select
// CHECK: llvm.return
tt.func @selected_loads(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #columns>
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<64xi32, #scratch, mutable>
  %y = tilegpu.convert_in_rounds %x through %m functionals = [64] : tensor<128xi32, #columns> through !tilegpu.memdesc<64xi32, #scratch, mutable> -> tensor<128xi32, #high_lanes>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #high_lanes>
  tt.store %p, %y : tensor<128x!tt.ptr<i32>, #high_lanes>
  tt.return
}
}
