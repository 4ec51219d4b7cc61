// RUN: tilewright-opt %s --tilegpu-plan-conversions --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#pairs = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#swapped = #tilegpu.linear<register = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [[64]]>
#rotated = #tilegpu.linear<register = [[1]], lane = [[4], [8], [16], [32], [2]], warp = [[64]]>
#transposed = #tilegpu.linear<register = [[8]], lane = [[16], [32], [1], [2], [4]], warp = [[64]]>
#high = #tilegpu.linear<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#renamed = #tilegpu.linear<register = [[128], [1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#copies = #tilegpu.linear<register = [[1]], lane = [[0], [4], [8], [16], [2]], warp = [[0]]>
#picked = #tilegpu.linear<register = [], lane = [[1], [4], [8], [16], [2]], warp = [[0]]>
module attributes {tilegpu.target = "sm_80"} {

// Registers alone: no instruction.
// CHECK-LABEL: llvm.func @rename
// CHECK-NOT: shfl
// CHECK-NOT: llvm.select
// CHECK: llvm.return
tt.func @rename(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 2 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #high>
  %y = tilegpu.convert_layout %x : tensor<256xi32, #high> -> tensor<256xi32, #renamed>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #renamed>
  tt.store %p, %y : tensor<256x!tt.ptr<i32>, #renamed>
  tt.return
}

// A register bit against a lane bit: selects on both sides of one shuffle of half the registers.
// CHECK-LABEL: llvm.func @transpose
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.icmp "ne"
// CHECK-COUNT-2: llvm.select
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: shfl
// CHECK-COUNT-2: llvm.select
// CHECK: llvm.return
tt.func @transpose(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 2 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
  %y = tilegpu.convert_layout %x : tensor<128xi32, #pairs> -> tensor<128xi32, #swapped>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #swapped>
  tt.store %p, %y : tensor<128x!tt.ptr<i32>, #swapped>
  tt.return
}

// Lanes permuted: two elements of 16 bits share a word and its shuffle.
// CHECK-LABEL: llvm.func @permute_lanes
// CHECK: vector<2xi16> to i32
// CHECK: nvvm.shfl.sync idx
// CHECK-NOT: shfl
// CHECK: i32 to vector<2xi16>
// CHECK: llvm.return
tt.func @permute_lanes(%out: !tt.ptr<i16>) attributes {tilegpu.num_warps = 2 : i32} {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
  %x = arith.trunci %r : tensor<128xi32, #pairs> to tensor<128xi16, #pairs>
  %y = tilegpu.convert_layout %x : tensor<128xi16, #pairs> -> tensor<128xi16, #rotated>
  %p = tt.splat %out : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>, #rotated>
  tt.store %p, %y : tensor<128x!tt.ptr<i16>, #rotated>
  tt.return
}

// Booleans travel as bytes.
// CHECK-LABEL: llvm.func @booleans
// CHECK: llvm.zext %{{.*}} : i1 to i8
// CHECK: vector<2xi8> to i16
// CHECK: nvvm.shfl.sync idx
// CHECK: llvm.trunc %{{.*}} : i8 to i1
tt.func @booleans(%out: !tt.ptr<i32>, %bound: i32) attributes {tilegpu.num_warps = 2 : i32} {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
  %b = tt.splat %bound : i32 -> tensor<128xi32, #pairs>
  %x = arith.cmpi slt, %r, %b : tensor<128xi32, #pairs>
  %y = tilegpu.convert_layout %x : tensor<128xi1, #pairs> -> tensor<128xi1, #rotated>
  %z = arith.extui %y : tensor<128xi1, #rotated> to tensor<128xi32, #rotated>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #rotated>
  tt.store %p, %z : tensor<128x!tt.ptr<i32>, #rotated>
  tt.return
}

// The element of a word and four lane bits change places with others: an 8x8 matrix is transposed.
// CHECK-LABEL: llvm.func @transpose_matrix
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xi16> to i32
// CHECK: %[[TRANSPOSED:.*]] = llvm.inline_asm has_side_effects "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r" %[[WORD]] : (i32) -> i32
// CHECK-NEXT: llvm.bitcast %[[TRANSPOSED]] : i32 to vector<2xi16>
// CHECK-NOT: movmatrix
// CHECK-NOT: shfl
// CHECK: llvm.return
tt.func @transpose_matrix(%out: !tt.ptr<i16>) attributes {tilegpu.num_warps = 2 : i32} {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
  %x = arith.trunci %r : tensor<128xi32, #pairs> to tensor<128xi16, #pairs>
  %y = tilegpu.convert_layout %x : tensor<128xi16, #pairs> -> tensor<128xi16, #transposed>
  %p = tt.splat %out : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>, #transposed>
  tt.store %p, %y : tensor<128x!tt.ptr<i16>, #transposed>
  tt.return
}

// What the conversion is asked to be done by comes before what is cheaper.
// CHECK-LABEL: llvm.func @asked
// CHECK-NOT: movmatrix
// CHECK: nvvm.shfl.sync
// CHECK: llvm.return
tt.func @asked(%out: !tt.ptr<i16>) attributes {tilegpu.num_warps = 2 : i32} {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
  %x = arith.trunci %r : tensor<128xi32, #pairs> to tensor<128xi16, #pairs>
  %y = tilegpu.convert_layout %x {tilegpu.means = "shuffles"} : tensor<128xi16, #pairs> -> tensor<128xi16, #transposed>
  %p = tt.splat %out : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>, #transposed>
  tt.store %p, %y : tensor<128x!tt.ptr<i16>, #transposed>
  tt.return
}

// Every thread holds the element already, in a register that depends on its lane.
// CHECK-LABEL: llvm.func @select_among_copies
// CHECK-NOT: shfl
// CHECK: llvm.select
// CHECK: llvm.return
tt.func @select_among_copies(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 2 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #copies>
  %y = tilegpu.convert_layout %x : tensor<32xi32, #copies> -> tensor<32xi32, #picked>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #picked>
  tt.store %p, %y : tensor<32x!tt.ptr<i32>, #picked>
  tt.return
}
}
