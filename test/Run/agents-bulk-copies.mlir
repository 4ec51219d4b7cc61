// A warp group brings tiles by bulk copies, and runs ahead by three buffers;
// another one reads them, and hands each buffer back. Each buffer has two
// mbarriers: who reads waits at `full`, who copies at `empty`. Then two agents
// read each tile.

// RUN: tilewright run %s --kernel=one --target=sm_90a --device=emulator --grid=2 --arg=%t.in.npy=random:1024x64xf16:1 --arg=%t.out.npy=poison:1024x64xf16 --arg=i32:1024 --arg=i32:8
// RUN: cmp %t.in.npy %t.out.npy
// RUN: tilewright run %s --kernel=one --target=sm_90a --device=emulator --grid=2 --arg=random:1024x64xf16:1 --arg=poison:1024x64xf16 --arg=i32:1024 --arg=i32:8 --seed=3 --compare=1=%t.in.npy
// RUN: tilewright run %s --kernel=two --target=sm_90a --device=emulator --grid=2 --arg=random:1024x64xf16:1 --arg=%t.one.npy=poison:1024x64xf16 --arg=%t.other.npy=poison:1024x64xf16 --arg=i32:1024 --arg=i32:8 --seed=5
// RUN: cmp %t.in.npy %t.one.npy
// RUN: cmp %t.in.npy %t.other.npy

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tiles = !tilegpu.memdesc<64x64xf16, #k, buffers = 3, mutable>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!barriers = !tilegpu.memdesc<1xi64, #word, buffers = 3, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
module attributes {tilegpu.target = "sm_90a"} {
tt.func public @one(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %count: i32) attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %width = arith.constant 64 : i64
  %map = tilegpu.tensor_map %in sizes [%n, %c64 : i32, i32] strides [%width : i64] : !tt.ptr<f16> -> !map
  %program = tt.get_program_id x : i32
  %begin = arith.muli %program, %count : i32
  %end = arith.addi %begin, %count : i32
  %m = tilegpu.local_alloc : () -> !tiles
  %full = tilegpu.local_alloc : () -> !barriers
  %empty = tilegpu.local_alloc : () -> !barriers
  tilegpu.mbarrier_init %full : !barriers
  tilegpu.mbarrier_init %empty arrivals = 4 : !barriers
  tilegpu.warp_specialize warps = [4, 4] registers = [232, 24] {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.slice<dim = 1, parent = #rows>>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #rows>>
    %r = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #tilegpu.slice<dim = 1, parent = #rows>> -> tensor<64x1xi32, #rows>
    %c = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #rows>> -> tensor<1x64xi32, #rows>
    %w = arith.constant dense<64> : tensor<64x1xi32, #rows>
    %starts = arith.muli %r, %w : tensor<64x1xi32, #rows>
    %a = tt.broadcast %starts : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %b = tt.broadcast %c : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %places = arith.addi %a, %b : tensor<64x64xi32, #rows>
    scf.for %t = %begin to %end step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
      %tile = tilegpu.memdesc_index %m[%s] : !tiles -> !tile
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      tilegpu.mbarrier_wait %f phase %p {pending = 2 : i32} : !barrier
      %x = tilegpu.local_load %tile : !tile -> tensor<64x64xf16, #rows>
      tilegpu.mbarrier_arrive %e : !barrier
      %row = arith.muli %t, %c64 : i32
      %offset = arith.muli %row, %c64 : i32
      %to = tt.addptr %out, %offset : !tt.ptr<f16>, i32
      %tos = tt.splat %to : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
      %q = tt.addptr %tos, %places : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      tt.store %q, %x : tensor<64x64x!tt.ptr<f16>, #rows>
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1 : i32, i32
    }
    tilegpu.agent_return
  }, {
    scf.for %t = %begin to %end step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
      %tile = tilegpu.memdesc_index %m[%s] : !tiles -> !tile
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      %row = arith.muli %t, %c64 : i32
      tilegpu.mbarrier_wait before %e phase %p {pending = 2 : i32} : !barrier
      tilegpu.bulk_copy %map at [%row, %c0] to %tile tell %f : !map -> !tile tell !barrier
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1 : i32, i32
    }
    tilegpu.agent_return
  }
  tt.return
}

tt.func public @two(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %also: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %count: i32) attributes {tilegpu.num_warps = 12 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %width = arith.constant 64 : i64
  %map = tilegpu.tensor_map %in sizes [%n, %c64 : i32, i32] strides [%width : i64] : !tt.ptr<f16> -> !map
  %program = tt.get_program_id x : i32
  %begin = arith.muli %program, %count : i32
  %end = arith.addi %begin, %count : i32
  %m = tilegpu.local_alloc : () -> !tiles
  %full = tilegpu.local_alloc : () -> !barriers
  %empty = tilegpu.local_alloc : () -> !barriers
  tilegpu.mbarrier_init %full : !barriers
  tilegpu.mbarrier_init %empty arrivals = 8 : !barriers
  tilegpu.warp_specialize warps = [4, 4, 4] registers = [216, 216, 40] {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.slice<dim = 1, parent = #rows>>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #rows>>
    %r = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #tilegpu.slice<dim = 1, parent = #rows>> -> tensor<64x1xi32, #rows>
    %c = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #rows>> -> tensor<1x64xi32, #rows>
    %w = arith.constant dense<64> : tensor<64x1xi32, #rows>
    %starts = arith.muli %r, %w : tensor<64x1xi32, #rows>
    %a = tt.broadcast %starts : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %b = tt.broadcast %c : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %places = arith.addi %a, %b : tensor<64x64xi32, #rows>
    scf.for %t = %begin to %end step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
      %tile = tilegpu.memdesc_index %m[%s] : !tiles -> !tile
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      tilegpu.mbarrier_wait %f phase %p {pending = 2 : i32} : !barrier
      %x = tilegpu.local_load %tile : !tile -> tensor<64x64xf16, #rows>
      tilegpu.mbarrier_arrive %e : !barrier
      %row = arith.muli %t, %c64 : i32
      %offset = arith.muli %row, %c64 : i32
      %to = tt.addptr %out, %offset : !tt.ptr<f16>, i32
      %tos = tt.splat %to : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
      %q = tt.addptr %tos, %places : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      tt.store %q, %x : tensor<64x64x!tt.ptr<f16>, #rows>
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1 : i32, i32
    }
    tilegpu.agent_return
  }, {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.slice<dim = 1, parent = #rows>>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #rows>>
    %r = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #tilegpu.slice<dim = 1, parent = #rows>> -> tensor<64x1xi32, #rows>
    %c = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #rows>> -> tensor<1x64xi32, #rows>
    %w = arith.constant dense<64> : tensor<64x1xi32, #rows>
    %starts = arith.muli %r, %w : tensor<64x1xi32, #rows>
    %a = tt.broadcast %starts : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %b = tt.broadcast %c : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %places = arith.addi %a, %b : tensor<64x64xi32, #rows>
    scf.for %t = %begin to %end step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
      %tile = tilegpu.memdesc_index %m[%s] : !tiles -> !tile
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      tilegpu.mbarrier_wait %f phase %p {pending = 2 : i32} : !barrier
      %x = tilegpu.local_load %tile : !tile -> tensor<64x64xf16, #rows>
      tilegpu.mbarrier_arrive %e : !barrier
      %row = arith.muli %t, %c64 : i32
      %offset = arith.muli %row, %c64 : i32
      %to = tt.addptr %also, %offset : !tt.ptr<f16>, i32
      %tos = tt.splat %to : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
      %q = tt.addptr %tos, %places : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      tt.store %q, %x : tensor<64x64x!tt.ptr<f16>, #rows>
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1 : i32, i32
    }
    tilegpu.agent_return
  }, {
    scf.for %t = %begin to %end step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
      %tile = tilegpu.memdesc_index %m[%s] : !tiles -> !tile
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      %row = arith.muli %t, %c64 : i32
      tilegpu.mbarrier_wait before %e phase %p {pending = 2 : i32} : !barrier
      tilegpu.bulk_copy %map at [%row, %c0] to %tile tell %f : !map -> !tile tell !barrier
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1 : i32, i32
    }
    tilegpu.agent_return
  }
  tt.return
}
}
