// RUN: tilewright-opt %s --tilegpu-plan-conversions --split-input-file --verify-diagnostics --mlir-print-local-scope | FileCheck %s

#rows = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [8, 1], threads = [4, 8], warps = [1, 4], order = [0, 1]>
#across = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [1, 4], order = [1, 0]>
#swizzled = #tilegpu.shared_swizzled<vector = 8, perPhase = 2, maxPhase = 4, order = [1, 0]>
#other_way = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0, 1]>
#mma = #tilegpu.mma<m16n8, warps = [4, 1]>
#lhs = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 2>
module attributes {tilegpu.target = "sm_80"} {

// CHECK-LABEL: @across_warps
// CHECK-SAME: (%[[X:.*]]: tensor<32x32xf16
// CHECK: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<32x32xf16, #tilegpu.shared_linear<{{.*}}>, mutable>
// CHECK: tilegpu.local_store %[[X]], %[[M]]
// CHECK: %[[Y:.*]] = tilegpu.local_load %[[M]]
// CHECK-NOT: tilegpu.convert_layout
// CHECK: {{^ *(tt\.)?}}return %[[Y]]
tt.func private @across_warps(%x: tensor<32x32xf16, #rows>) -> tensor<32x32xf16, #columns> attributes {tilegpu.num_warps = 4 : i32} {
  %y = tilegpu.convert_layout %x : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #columns>
  tt.return %y : tensor<32x32xf16, #columns>
}

// What is stored for a product is loaded for others too, and stored before them.
// CHECK-LABEL: @stored_for_a_product
// CHECK-SAME: (%[[X:.*]]: tensor<32x32xf16
// CHECK: %[[M:.*]] = tilegpu.local_alloc %[[X]]
// CHECK-NOT: tilegpu.local_{{alloc|store}}
// CHECK: tilegpu.local_load %[[M]]
// CHECK: tt.store
// CHECK-NOT: tilegpu.local_{{alloc|store}}
// CHECK: {{^ *(tt\.)?}}return %[[M]]
tt.func private @stored_for_a_product(%x: tensor<32x32xf16, #rows>, %p: tensor<32x32x!tt.ptr<f16>, #across>) -> !tilegpu.memdesc<32x32xf16, #swizzled> attributes {tilegpu.num_warps = 4 : i32} {
  %y = tilegpu.convert_layout %x : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #across>
  tt.store %p, %y : tensor<32x32x!tt.ptr<f16>, #across>
  %m = tilegpu.local_alloc %x : (tensor<32x32xf16, #rows>) -> !tilegpu.memdesc<32x32xf16, #swizzled>
  tt.return %m : !tilegpu.memdesc<32x32xf16, #swizzled>
}

// What has been converted itself.
// CHECK-LABEL: @stored_behind_a_conversion
// CHECK: %[[Y:.*]] = tilegpu.local_load
// CHECK: %[[M:.*]] = tilegpu.local_alloc %[[Y]]
// CHECK: tilegpu.local_load %[[M]]
// CHECK-NOT: tilegpu.local_{{alloc|store}}
// CHECK: {{^ *(tt\.)?}}return %[[M]]
tt.func private @stored_behind_a_conversion(%x: tensor<32x32xf16, #columns>, %p: tensor<32x32x!tt.ptr<f16>, #across>) -> !tilegpu.memdesc<32x32xf16, #swizzled> attributes {tilegpu.num_warps = 4 : i32} {
  %y = tilegpu.convert_layout %x : tensor<32x32xf16, #columns> -> tensor<32x32xf16, #rows>
  %z = tilegpu.convert_layout %y : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #across>
  tt.store %p, %z : tensor<32x32x!tt.ptr<f16>, #across>
  %m = tilegpu.local_alloc %y : (tensor<32x32xf16, #rows>) -> !tilegpu.memdesc<32x32xf16, #swizzled>
  tt.return %m : !tilegpu.memdesc<32x32xf16, #swizzled>
}

// Not a tile before it, beside which others have been made since.
// CHECK-LABEL: @stored_before
// CHECK-SAME: (%[[X:[^:]*]]:
// CHECK: tilegpu.local_alloc %[[X]]
// CHECK: tilegpu.local_store
// CHECK: tilegpu.local_store %[[X]]
tt.func private @stored_before(%x: tensor<32x32xf16, #rows>, %z: tensor<32x32xf16, #columns>, %p: tensor<32x32x!tt.ptr<f16>, #across>) -> !tilegpu.memdesc<32x32xf16, #swizzled> attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc %x : (tensor<32x32xf16, #rows>) -> !tilegpu.memdesc<32x32xf16, #swizzled>
  %v = tilegpu.convert_layout %z : tensor<32x32xf16, #columns> -> tensor<32x32xf16, #across>
  tt.store %p, %v : tensor<32x32x!tt.ptr<f16>, #across>
  %y = tilegpu.convert_layout %x : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #across>
  tt.store %p, %y : tensor<32x32x!tt.ptr<f16>, #across>
  tt.return %m : !tilegpu.memdesc<32x32xf16, #swizzled>
}

// Not where its loads would cost more than a store and loads of their own: here of
// one element each.
// CHECK-LABEL: @stored_the_other_way
// CHECK: tilegpu.local_store
// CHECK: tilegpu.local_load
// CHECK: tilegpu.local_alloc %
tt.func private @stored_the_other_way(%x: tensor<32x32xf16, #rows>, %p: tensor<32x32x!tt.ptr<f16>, #across>) -> !tilegpu.memdesc<32x32xf16, #other_way> attributes {tilegpu.num_warps = 4 : i32} {
  %y = tilegpu.convert_layout %x : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #across>
  tt.store %p, %y : tensor<32x32x!tt.ptr<f16>, #across>
  %m = tilegpu.local_alloc %x : (tensor<32x32xf16, #rows>) -> !tilegpu.memdesc<32x32xf16, #other_way>
  tt.return %m : !tilegpu.memdesc<32x32xf16, #other_way>
}

// What is stored once is loaded for both.
// CHECK-LABEL: @stored_once
// CHECK: tilegpu.local_alloc
// CHECK: tilegpu.local_store
// CHECK-NOT: tilegpu.local_{{alloc|store}}
// CHECK-COUNT-2: tilegpu.local_load
tt.func private @stored_once(%x: tensor<32x32xf16, #rows>) -> (tensor<32x32xf16, #columns>, tensor<32x32xf16, #lhs>) attributes {tilegpu.num_warps = 4 : i32} {
  %y = tilegpu.convert_layout %x : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #columns>
  %z = tilegpu.convert_layout %x : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #lhs>
  tt.return %y, %z : tensor<32x32xf16, #columns>, tensor<32x32xf16, #lhs>
}

// The operand of a dot goes through shared memory: ldmatrix serves it.
// CHECK-LABEL: @dot_operand
// CHECK: tilegpu.local_load
// CHECK-NOT: tilegpu.convert_layout
tt.func private @dot_operand(%x: tensor<64x32xf16, #rows>) -> tensor<64x32xf16, #lhs> attributes {tilegpu.num_warps = 4 : i32} {
  %y = tilegpu.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #lhs>
  tt.return %y : tensor<64x32xf16, #lhs>
}
}

// -----

#two = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#swapped = #tilegpu.linear<register = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [[64]]>
#copies = #tilegpu.linear<register = [[1]], lane = [[0], [4], [8], [16], [2]], warp = [[0]]>
#picked = #tilegpu.linear<register = [], lane = [[1], [4], [8], [16], [2]], warp = [[0]]>
module attributes {tilegpu.target = "sm_80"} {

// CHECK-LABEL: @lanes_stay_shuffles
// CHECK: tilegpu.convert_layout
// CHECK-NOT: tilegpu.local_alloc
tt.func private @lanes_stay_shuffles(%x: tensor<128xf32, #two>) -> tensor<128xf32, #swapped> attributes {tilegpu.num_warps = 2 : i32} {
  %y = tilegpu.convert_layout %x : tensor<128xf32, #two> -> tensor<128xf32, #swapped>
  tt.return %y : tensor<128xf32, #swapped>
}

// CHECK-LABEL: @copies_stay_selects
// CHECK: tilegpu.convert_layout
// CHECK-NOT: tilegpu.local_alloc
tt.func private @copies_stay_selects(%x: tensor<32xf32, #copies>) -> tensor<32xf32, #picked> attributes {tilegpu.num_warps = 2 : i32} {
  %y = tilegpu.convert_layout %x : tensor<32xf32, #copies> -> tensor<32xf32, #picked>
  tt.return %y : tensor<32xf32, #picked>
}
}

// -----

// Exchanging all five lane bits with register bits takes more selects than a round trip costs.
#rows = #tilegpu.linear<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#columns = #tilegpu.linear<register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
// CHECK-LABEL: @dear_shuffles
// CHECK: tilegpu.local_store
// CHECK: tilegpu.local_load
tt.func private @dear_shuffles(%x: tensor<32x32xf32, #rows>) -> tensor<32x32xf32, #columns> attributes {tilegpu.num_warps = 1 : i32} {
  %y = tilegpu.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  tt.return %y : tensor<32x32xf32, #columns>
}
}

// -----

// What is asked for comes before what is cheaper.
#two = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#swapped = #tilegpu.linear<register = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [[64]]>
module attributes {tilegpu.target = "sm_80"} {
// CHECK-LABEL: @asked
// CHECK: tilegpu.local_alloc
// CHECK-NOT: tilegpu.convert_layout
// CHECK: tilegpu.convert_in_rounds %{{.*}} through %{{.*}} functionals = [2, 64] : tensor<128xf32, {{.*}}> through <32xf32, {{.*}}> -> tensor<128xf32
tt.func private @asked(%x: tensor<128xf32, #two>) -> tensor<128xf32, #swapped> attributes {tilegpu.num_warps = 2 : i32} {
  %y = tilegpu.convert_layout %x {tilegpu.means = "shared memory"} : tensor<128xf32, #two> -> tensor<128xf32, #swapped>
  %z = tilegpu.convert_layout %x {tilegpu.means = "shared memory in rounds"} : tensor<128xf32, #two> -> tensor<128xf32, #swapped>
  tt.return %z : tensor<128xf32, #swapped>
}
}

// -----

// A tile of 32 KiB lives beside the conversion of one of 64 KiB: half of that goes at a time. Lanes and warps of either
// side reach every bit of a coordinate: the functional is one that the source's warps reach, so that half of them store.
// Where the conversion comes first there is room.
#rows = #tilegpu.blocked<elements = [1, 4], threads = [1, 32], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 1], threads = [32, 1], warps = [1, 4], order = [0, 1]>
#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
module attributes {tilegpu.target = "sm_75"} {
// CHECK-LABEL: @beside_a_tile
// CHECK: %[[TILE:.*]] = tilegpu.local_alloc %arg1
// CHECK: %[[SCRATCH:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<8192xf32, #tilegpu.shared_linear<{{.*}}>, mutable>
// CHECK: tilegpu.convert_in_rounds %arg0 through %[[SCRATCH]] functionals = [2]
// CHECK: tilegpu.local_load %[[TILE]]
tt.func private @beside_a_tile(%x: tensor<128x128xf32, #rows>, %a: tensor<64x128xf32, #rows>) -> (tensor<128x128xf32, #columns>, tensor<64x128xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc %a : (tensor<64x128xf32, #rows>) -> !tilegpu.memdesc<64x128xf32, #plain>
  %y = tilegpu.convert_layout %x : tensor<128x128xf32, #rows> -> tensor<128x128xf32, #columns>
  %b = tilegpu.local_load %m : !tilegpu.memdesc<64x128xf32, #plain> -> tensor<64x128xf32, #rows>
  tt.return %y, %b : tensor<128x128xf32, #columns>, tensor<64x128xf32, #rows>
}

// CHECK-LABEL: @before_a_tile
// CHECK-NOT: tilegpu.convert_in_rounds
// CHECK: tilegpu.local_store
tt.func private @before_a_tile(%x: tensor<128x128xf32, #rows>, %a: tensor<64x128xf32, #rows>) -> (tensor<128x128xf32, #columns>, tensor<64x128xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %y = tilegpu.convert_layout %x : tensor<128x128xf32, #rows> -> tensor<128x128xf32, #columns>
  %m = tilegpu.local_alloc %a : (tensor<64x128xf32, #rows>) -> !tilegpu.memdesc<64x128xf32, #plain>
  %b = tilegpu.local_load %m : !tilegpu.memdesc<64x128xf32, #plain> -> tensor<64x128xf32, #rows>
  tt.return %y, %b : tensor<128x128xf32, #columns>, tensor<64x128xf32, #rows>
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 4], threads = [1, 32], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 1], threads = [32, 1], warps = [1, 4], order = [0, 1]>
#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
module attributes {tilegpu.target = "sm_75"} {
tt.func private @no_room(%x: tensor<128x128xf32, #rows>, %a: tensor<128x128xf32, #rows>) -> (tensor<128x128xf32, #columns>, tensor<128x128xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc %a : (tensor<128x128xf32, #rows>) -> !tilegpu.memdesc<128x128xf32, #plain>
  // expected-error @+1 {{expects shared memory for the layout conversion of 'tensor<128x128xf32, #tilegpu.blocked<elements = [4, 1], threads = [32, 1], warps = [1, 4], order = [0, 1]>>', but the tiles that live beside it leave 0 bytes; use smaller tiles or fewer stages}}
  %y = tilegpu.convert_layout %x : tensor<128x128xf32, #rows> -> tensor<128x128xf32, #columns>
  %b = tilegpu.local_load %m : !tilegpu.memdesc<128x128xf32, #plain> -> tensor<128x128xf32, #rows>
  tt.return %y, %b : tensor<128x128xf32, #columns>, tensor<128x128xf32, #rows>
}
}

// -----

// expected-error @+1 {{expects one of the targets sm_70, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90a, but got 'sm_1'}}
module attributes {tilegpu.target = "sm_1"} {
}

// -----

#wide = #tilegpu.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#other = #tilegpu.linear<register = [], lane = [[32], [2], [4], [8], [16]], warp = [[1]]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @wide_elements(%x: tensor<64xi128, #wide>) -> tensor<64xi128, #other> attributes {tilegpu.num_warps = 2 : i32} {
  // expected-error @+1 {{expects elements of 8, 16, 32 or 64 bits in shared memory, but got 'i128'}}
  %y = tilegpu.convert_layout %x : tensor<64xi128, #wide> -> tensor<64xi128, #other>
  tt.return %y : tensor<64xi128, #other>
}
}
