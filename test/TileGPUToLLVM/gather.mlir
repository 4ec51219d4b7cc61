// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

// Lanes 0 to 15 hold a code book of 16 (lanes from 16 on a copy): the index is
// the lane.
#book = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#two = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @lanes
  // CHECK: %[[MASK:.*]] = llvm.mlir.constant(15 : i32)
  // CHECK: %[[LANE:.*]] = llvm.and %arg1, %[[MASK]]
  // CHECK: nvvm.shfl.sync  idx %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32 -> i32
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: llvm.select
  // CHECK: return
  tt.func @lanes(%x: f32, %i: i32, %p: !tt.ptr<f32>) attributes {tilegpu.num_warps = 1 : i32} {
    %s = tt.splat %x : f32 -> tensor<16xf32, #book>
    %k = tt.splat %i : i32 -> tensor<32xi32, #book>
    %r = tt.gather %s[%k] {axis = 0 : i32} : (tensor<16xf32, #book>, tensor<32xi32, #book>) -> tensor<32xf32, #book>
    %to = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #book>
    tt.store %to, %r : tensor<32x!tt.ptr<f32>, #book>
    tt.return
  }

  // Two registers hold neighbours: the lowest bit of the index picks one of two
  // shuffles, the others are the lane.
  // CHECK-LABEL: llvm.func @registers
  // CHECK: llvm.lshr
  // CHECK: nvvm.shfl.sync  idx
  // CHECK: nvvm.shfl.sync  idx
  // CHECK: llvm.select
  // CHECK-NOT: nvvm.shfl
  // CHECK: return
  tt.func @registers(%x: f32, %i: i32, %p: !tt.ptr<f32>) attributes {tilegpu.num_warps = 1 : i32} {
    %s = tt.splat %x : f32 -> tensor<64xf32, #two>
    %k = tt.splat %i : i32 -> tensor<32xi32, #book>
    %r = tt.gather %s[%k] {axis = 0 : i32} : (tensor<64xf32, #two>, tensor<32xi32, #book>) -> tensor<32xf32, #book>
    %to = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #book>
    tt.store %to, %r : tensor<32x!tt.ptr<f32>, #book>
    tt.return
  }
}

// -----

#shared = #tilegpu.shared_linear<offset = [[1], [2], [4], [8]]>
#l = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // The index is the offset: within the tile whatever it is.
  // CHECK-LABEL: llvm.func @shared
  // CHECK: %[[MASK:.*]] = llvm.mlir.constant(15 : i32)
  // CHECK: %[[OFFSET:.*]] = llvm.and %{{.*}}, %[[MASK]]
  // CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
  tt.func @shared(%i: i64, %p: !tt.ptr<f16>) attributes {tilegpu.num_warps = 4 : i32} {
    %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<16xf16, #shared, mutable>
    %k = tt.splat %i : i64 -> tensor<128xi64, #l>
    %r = tilegpu.local_gather %m[%k] {axis = 0 : i32} : !tilegpu.memdesc<16xf16, #shared, mutable>, tensor<128xi64, #l> -> tensor<128xf16, #l>
    %to = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #l>
    tt.store %to, %r : tensor<128x!tt.ptr<f16>, #l>
    tt.return
  }
}

// -----

#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]>
#turned = #tilegpu.shared_linear<offset = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>
#l = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
module attributes {tilegpu.target = "sm_80"} {
  // A row whose elements have one index lies together.
  // CHECK-LABEL: llvm.func @row
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK-NOT: llvm.load
  tt.func @row(%i: i32, %p: !tt.ptr<f16>) attributes {tilegpu.num_warps = 4 : i32} {
    %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<4x64xf16, #shared, mutable>
    %k = tt.splat %i : i32 -> tensor<1x64xi32, #l>
    %r = tilegpu.local_gather %m[%k] {axis = 0 : i32} : !tilegpu.memdesc<4x64xf16, #shared, mutable>, tensor<1x64xi32, #l> -> tensor<1x64xf16, #l>
    %to = tt.splat %p : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>, #l>
    tt.store %to, %r : tensor<1x64x!tt.ptr<f16>, #l>
    tt.return
  }

  // Its elements have indices of their own.
  // CHECK-LABEL: llvm.func @columns
  // CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
  tt.func @columns(%p: !tt.ptr<f16>) attributes {tilegpu.num_warps = 4 : i32} {
    %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<4x64xf16, #shared, mutable>
    %along = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #l>>
    %k = tt.expand_dims %along {axis = 0 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #l>> -> tensor<1x64xi32, #l>
    %r = tilegpu.local_gather %m[%k] {axis = 0 : i32} : !tilegpu.memdesc<4x64xf16, #shared, mutable>, tensor<1x64xi32, #l> -> tensor<1x64xf16, #l>
    %to = tt.splat %p : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>, #l>
    tt.store %to, %r : tensor<1x64x!tt.ptr<f16>, #l>
    tt.return
  }

  // The index reaches the lowest bits of an offset.
  // CHECK-LABEL: llvm.func @turned
  // CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
  tt.func @turned(%i: i32, %p: !tt.ptr<f16>) attributes {tilegpu.num_warps = 4 : i32} {
    %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<4x64xf16, #turned, mutable>
    %k = tt.splat %i : i32 -> tensor<1x64xi32, #l>
    %r = tilegpu.local_gather %m[%k] {axis = 0 : i32} : !tilegpu.memdesc<4x64xf16, #turned, mutable>, tensor<1x64xi32, #l> -> tensor<1x64xf16, #l>
    %to = tt.splat %p : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>, #l>
    tt.store %to, %r : tensor<1x64x!tt.ptr<f16>, #l>
    tt.return
  }
}

// -----

#a = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  tt.func @across_warps(%x: f32, %i: i32) attributes {tilegpu.num_warps = 4 : i32} {
    %s = tt.splat %x : f32 -> tensor<128xf32, #a>
    %k = tt.splat %i : i32 -> tensor<128xi32, #a>
    // expected-error @+2 {{expects tilegpu-decompose-gathers to have run, but got a gather that moves data between warps}}
    // expected-error @+1 {{failed to legalize operation 'tt.gather'}}
    %r = tt.gather %s[%k] {axis = 0 : i32} : (tensor<128xf32, #a>, tensor<128xi32, #a>) -> tensor<128xf32, #a>
    tt.return
  }
}
