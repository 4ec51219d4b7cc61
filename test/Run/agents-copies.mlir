// As agents.mlir; the first agent's tiles come by asynchronous copies.

// RUN: tilewright run %S/Inputs/agents-expected.mlir --device=emulator --grid=2 --arg=arange:12288xf32 --arg=%t.npy=zeros:12288xf32 --arg=i32:3
// RUN: bash %S/Inputs/on-named-targets.sh "sm_80 sm_86 sm_89 sm_90a" tilewright %s --grid=2 --arg=arange:12288xf32 --arg=zeros:12288xf32 --arg=i32:3 --compare=1=%t.npy

#one = #tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [1, 1], order = [1, 0]>
#four = #tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
#turned = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0, 1]>
!buffers = !tilegpu.memdesc<32x32xf32, #shared, buffers = 2, mutable>
!tile = !tilegpu.memdesc<32x32xf32, #shared, mutable>
!turned = !tilegpu.memdesc<32x32xf32, #turned, mutable>
module attributes {tilegpu.target = "TARGET"} {
tt.func public @transpose(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pairs: i32) attributes {tilegpu.num_warps = 5 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %size = arith.constant 1024 : i32
  %program = tt.get_program_id x : i32
  %tiles = arith.muli %pairs, %two : i32
  %begin = arith.muli %program, %tiles : i32
  %end = arith.addi %begin, %tiles : i32
  %m = tilegpu.local_alloc : () -> !buffers
  %m0 = tilegpu.memdesc_index %m[%zero] : !buffers -> !tile
  %m1 = tilegpu.memdesc_index %m[%one] : !buffers -> !tile
  %full0 = tilegpu.named_barrier : !tilegpu.named_barrier
  %full1 = tilegpu.named_barrier : !tilegpu.named_barrier
  %empty0 = tilegpu.named_barrier : !tilegpu.named_barrier
  %empty1 = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #one>>
    %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #one>>
    %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #one>> -> tensor<32x1xi32, #one>
    %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #one>> -> tensor<1x32xi32, #one>
    %width = arith.constant dense<32> : tensor<32x1xi32, #one>
    %starts = arith.muli %rows, %width : tensor<32x1xi32, #one>
    %a = tt.broadcast %starts : tensor<32x1xi32, #one> -> tensor<32x32xi32, #one>
    %b = tt.broadcast %columns : tensor<1x32xi32, #one> -> tensor<32x32xi32, #one>
    %places = arith.addi %a, %b : tensor<32x32xi32, #one>
    scf.for %n0 = %begin to %end step %two : i32 {
      %n1 = arith.addi %n0, %one : i32
      %offset0 = arith.muli %n0, %size : i32
      %from0 = tt.addptr %in, %offset0 : !tt.ptr<f32>, i32
      %froms0 = tt.splat %from0 : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #one>
      %p0 = tt.addptr %froms0, %places : tensor<32x32x!tt.ptr<f32>, #one>, tensor<32x32xi32, #one>
      tilegpu.barrier_wait %empty0
      %t0 = tilegpu.async_copy %p0, %m0 : tensor<32x32x!tt.ptr<f32>, #one> -> !tile
      %c0 = tilegpu.async_commit %t0
      %w0 = tilegpu.async_wait %c0 {pending = 0 : i32}
      tilegpu.barrier_arrive %full0
      %offset1 = arith.muli %n1, %size : i32
      %from1 = tt.addptr %in, %offset1 : !tt.ptr<f32>, i32
      %froms1 = tt.splat %from1 : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #one>
      %p1 = tt.addptr %froms1, %places : tensor<32x32x!tt.ptr<f32>, #one>, tensor<32x32xi32, #one>
      tilegpu.barrier_wait %empty1
      %t1 = tilegpu.async_copy %p1, %m1 : tensor<32x32x!tt.ptr<f32>, #one> -> !tile
      %c1 = tilegpu.async_commit %t1
      %w1 = tilegpu.async_wait %c1 {pending = 0 : i32}
      tilegpu.barrier_arrive %full1
    }
    // The other agent has arrived once more than it was waited for.
    tilegpu.barrier_wait %empty0
    tilegpu.barrier_wait %empty1
    tilegpu.agent_return
  }, {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #four>>
    %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #four>>
    %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #four>> -> tensor<32x1xi32, #four>
    %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #four>> -> tensor<1x32xi32, #four>
    %width = arith.constant dense<32> : tensor<32x1xi32, #four>
    %starts = arith.muli %rows, %width : tensor<32x1xi32, #four>
    %a = tt.broadcast %starts : tensor<32x1xi32, #four> -> tensor<32x32xi32, #four>
    %b = tt.broadcast %columns : tensor<1x32xi32, #four> -> tensor<32x32xi32, #four>
    %places = arith.addi %a, %b : tensor<32x32xi32, #four>
    // Both buffers are empty.
    tilegpu.barrier_arrive %empty0
    tilegpu.barrier_arrive %empty1
    scf.for %n0 = %begin to %end step %two : i32 {
      %n1 = arith.addi %n0, %one : i32
      %offset0 = arith.muli %n0, %size : i32
      %to0 = tt.addptr %out, %offset0 : !tt.ptr<f32>, i32
      %tos0 = tt.splat %to0 : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #four>
      %q0 = tt.addptr %tos0, %places : tensor<32x32x!tt.ptr<f32>, #four>, tensor<32x32xi32, #four>
      tilegpu.barrier_wait %full0
      %v0 = tilegpu.memdesc_trans %m0 {order = array<i32: 1, 0>} : !tile -> !turned
      %y0 = tilegpu.local_load %v0 : !turned -> tensor<32x32xf32, #four>
      tilegpu.barrier_arrive %empty0
      %sum0 = "tt.reduce"(%y0) <{axis = 0 : i32}> ({
      ^bb0(%u: f32, %v: f32):
        %w = arith.addf %u, %v : f32
        tt.reduce.return %w : f32
      }) : (tensor<32x32xf32, #four>) -> tensor<32xf32, #tilegpu.slice<dim = 0, parent = #four>>
      %sums0 = tt.expand_dims %sum0 {axis = 0 : i32} : tensor<32xf32, #tilegpu.slice<dim = 0, parent = #four>> -> tensor<1x32xf32, #four>
      %s0 = tt.broadcast %sums0 : tensor<1x32xf32, #four> -> tensor<32x32xf32, #four>
      %z0 = arith.addf %y0, %s0 : tensor<32x32xf32, #four>
      tt.store %q0, %z0 : tensor<32x32x!tt.ptr<f32>, #four>
      %offset1 = arith.muli %n1, %size : i32
      %to1 = tt.addptr %out, %offset1 : !tt.ptr<f32>, i32
      %tos1 = tt.splat %to1 : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #four>
      %q1 = tt.addptr %tos1, %places : tensor<32x32x!tt.ptr<f32>, #four>, tensor<32x32xi32, #four>
      tilegpu.barrier_wait %full1
      %v1 = tilegpu.memdesc_trans %m1 {order = array<i32: 1, 0>} : !tile -> !turned
      %y1 = tilegpu.local_load %v1 : !turned -> tensor<32x32xf32, #four>
      tilegpu.barrier_arrive %empty1
      %sum1 = "tt.reduce"(%y1) <{axis = 0 : i32}> ({
      ^bb0(%u: f32, %v: f32):
        %w = arith.addf %u, %v : f32
        tt.reduce.return %w : f32
      }) : (tensor<32x32xf32, #four>) -> tensor<32xf32, #tilegpu.slice<dim = 0, parent = #four>>
      %sums1 = tt.expand_dims %sum1 {axis = 0 : i32} : tensor<32xf32, #tilegpu.slice<dim = 0, parent = #four>> -> tensor<1x32xf32, #four>
      %s1 = tt.broadcast %sums1 : tensor<1x32xf32, #four> -> tensor<32x32xf32, #four>
      %z1 = arith.addf %y1, %s1 : tensor<32x32xf32, #four>
      tt.store %q1, %z1 : tensor<32x32x!tt.ptr<f32>, #four>
    }
    tilegpu.agent_return
  }
  tt.return
}
}
