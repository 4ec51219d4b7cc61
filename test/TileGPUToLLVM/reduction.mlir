// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#columns = #tilegpu.blocked<elements = [1, 4], threads = [16, 2], warps = [2, 1], order = [1, 0]>
#rows = #tilegpu.slice<dim = 1, parent = #columns>
#eight = #tilegpu.blocked<elements = [1, 8], threads = [16, 2], warps = [1, 1], order = [1, 0]>
#copies = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#warps = #tilegpu.linear<register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[0, 4]]>
#partials = #tilegpu.linear<register = [], lane = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[0, 1]]>
module attributes {tilegpu.target = "sm_80"} {

// Four registers in a balanced tree, neighbours first; then one exchange between two lanes.
// CHECK-LABEL: llvm.func @registers_then_lanes
// CHECK: %[[X:.*]] = llvm.load {{.*}} -> vector<4xi32>
// CHECK: %[[A:.*]] = llvm.fadd
// CHECK: %[[B:.*]] = llvm.fadd
// CHECK: %[[C:.*]] = llvm.fadd %[[A]], %[[B]] : f32
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[C]] : f32 to i32
// CHECK: %[[MOVED:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[BITS]], %{{.*}}, %{{.*}} : i32 -> i32
// CHECK: %[[D:.*]] = llvm.bitcast %[[MOVED]] : i32 to f32
// CHECK: llvm.fadd %[[C]], %[[D]] : f32
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tt.func @registers_then_lanes(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) attributes {tilegpu.num_warps = 2 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #rows>
  %eight = arith.constant dense<8> : tensor<32xi32, #rows>
  %row = arith.muli %i, %eight : tensor<32xi32, #rows>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #columns>
  %rows = tt.broadcast %row1 : tensor<32x1xi32, #columns> -> tensor<32x8xi32, #columns>
  %j = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #tilegpu.slice<dim = 0, parent = #columns>>
  %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<8xi32, #tilegpu.slice<dim = 0, parent = #columns>> -> tensor<1x8xi32, #columns>
  %js = tt.broadcast %j1 : tensor<1x8xi32, #columns> -> tensor<32x8xi32, #columns>
  %at = arith.addi %rows, %js : tensor<32x8xi32, #columns>
  %p = tt.splat %in : !tt.ptr<f32> -> tensor<32x8x!tt.ptr<f32>, #columns>
  %q = tt.addptr %p, %at : tensor<32x8x!tt.ptr<f32>, #columns>, tensor<32x8xi32, #columns>
  %x = tt.load %q : tensor<32x8x!tt.ptr<f32>, #columns>
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x8xf32, #columns>) -> tensor<32xf32, #rows>
  %po = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #rows>
  %qo = tt.addptr %po, %i : tensor<32x!tt.ptr<f32>, #rows>, tensor<32xi32, #rows>
  tt.store %qo, %r : tensor<32x!tt.ptr<f32>, #rows>
  tt.return
}

// Sums of products, eight in a thread, in two chains, in which additions fuse with
// multiplications.
// CHECK-LABEL: llvm.func @products
// CHECK-COUNT-8: llvm.fmul
// CHECK: %[[A1:.*]] = llvm.fadd %[[A0:.*]], %{{.*}} {fastmathFlags = #llvm.fastmath<contract>}
// CHECK-NEXT: %[[A2:.*]] = llvm.fadd %[[A1]], %{{.*}}
// CHECK-NEXT: %[[A:.*]] = llvm.fadd %[[A2]], %{{.*}}
// CHECK-NEXT: %[[B1:.*]] = llvm.fadd
// CHECK-NEXT: %[[B2:.*]] = llvm.fadd %[[B1]], %{{.*}}
// CHECK-NEXT: %[[B:.*]] = llvm.fadd %[[B2]], %{{.*}}
// CHECK-NEXT: llvm.fadd %[[A]], %[[B]]
// CHECK-NOT: llvm.fadd
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.return
tt.func @products(%out: !tt.ptr<f32>) attributes {tilegpu.num_warps = 1 : i32} {
  %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #tilegpu.slice<dim = 0, parent = #eight>>
  %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32, #tilegpu.slice<dim = 0, parent = #eight>> -> tensor<1x16xi32, #eight>
  %js = tt.broadcast %j1 : tensor<1x16xi32, #eight> -> tensor<16x16xi32, #eight>
  %x = arith.sitofp %js : tensor<16x16xi32, #eight> to tensor<16x16xf32, #eight>
  %z = arith.mulf %x, %x fastmath<contract> : tensor<16x16xf32, #eight>
  %r = "tt.reduce"(%z) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b fastmath<contract> : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x16xf32, #eight>) -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #eight>>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #tilegpu.slice<dim = 1, parent = #eight>>
  tt.store %p, %r : tensor<16x!tt.ptr<f32>, #tilegpu.slice<dim = 1, parent = #eight>>
  tt.return
}

// Without the leave to fuse them in a tree, as other sums.
// CHECK-LABEL: llvm.func @separate_products
// CHECK: %[[A:.*]] = llvm.fadd
// CHECK-NEXT: %[[B:.*]] = llvm.fadd
// CHECK-NOT: %[[A]]
// CHECK: llvm.fadd %[[A]], %[[B]]
tt.func @separate_products(%out: !tt.ptr<f32>) attributes {tilegpu.num_warps = 1 : i32} {
  %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #tilegpu.slice<dim = 0, parent = #eight>>
  %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32, #tilegpu.slice<dim = 0, parent = #eight>> -> tensor<1x16xi32, #eight>
  %js = tt.broadcast %j1 : tensor<1x16xi32, #eight> -> tensor<16x16xi32, #eight>
  %x = arith.sitofp %js : tensor<16x16xi32, #eight> to tensor<16x16xf32, #eight>
  %z = arith.mulf %x, %x : tensor<16x16xf32, #eight>
  %r = "tt.reduce"(%z) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x16xf32, #eight>) -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #eight>>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #tilegpu.slice<dim = 1, parent = #eight>>
  tt.store %p, %r : tensor<16x!tt.ptr<f32>, #tilegpu.slice<dim = 1, parent = #eight>>
  tt.return
}

// Of 32 lanes four hold different elements, the others copies, which do not count again: two exchanges.
// CHECK-LABEL: llvm.func @copies
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tt.func @copies(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #copies>
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<4xi32, #copies>) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

// Each of the two warps along the axis reduces what it holds: a register, a lane.
// CHECK-LABEL: llvm.func @partial
// CHECK: llvm.add %arg1, %arg1 : i32
// CHECK: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tt.func @partial(%out: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 2 : i32} {
  %x = tt.splat %n : i32 -> tensor<16x8xi32, #warps>
  %r = "tilegpu.partial_reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tilegpu.partial_reduce.return %s : i32
  }) : (tensor<16x8xi32, #warps>) -> tensor<16x2xi32, #partials>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<16x2x!tt.ptr<i32>, #partials>
  tt.store %p, %r : tensor<16x2x!tt.ptr<i32>, #partials>
  tt.return
}
}

// -----

#warps = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @across_warps(%n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.splat %n : i32 -> tensor<128xi32, #warps>
  // expected-error @+2 {{expects tilegpu-decompose-reductions to have run, but got an axis that is distributed among 4 warps: 'tensor<128xi32,}}
  // expected-error @+1 {{failed to legalize operation 'tt.reduce'}}
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<128xi32, #warps>) -> i32
  tt.return
}
}

// -----

#source = #tilegpu.linear<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#other = #tilegpu.linear<register = [], lane = [[2], [1], [4], [8], [16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @other_threads(%n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %n : i32 -> tensor<32x2xi32, #source>
  // expected-error @+2 {{expects a result in the threads that hold the source's rows}}
  // expected-error @+1 {{failed to legalize operation 'tt.reduce'}}
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<32x2xi32, #source>) -> tensor<32xi32, #other>
  tt.return
}
}
