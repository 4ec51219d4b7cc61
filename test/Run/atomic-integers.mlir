// Every operation on integers of 16 bits (by loops), 32 and 64: three programs,
// which the emulator runs one after the other, combine what they bring with what
// memory holds. Each operation has 64 elements.

// RUN: sed s/ELEMENT/i16/ %s > %t.i16.mlir
// RUN: tilewright run %t.i16.mlir --kernel=expected --device=emulator --arg=%t.i16.npy=zeros:576xi16
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.i16.mlir --kernel=combine --grid=3 --arg=arange:576xi16 --compare=0=%t.i16.npy
// RUN: sed s/ELEMENT/i32/ %s > %t.i32.mlir
// RUN: tilewright run %t.i32.mlir --kernel=expected --device=emulator --arg=%t.i32.npy=zeros:576xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.i32.mlir --kernel=combine --grid=3 --arg=arange:576xi32 --compare=0=%t.i32.npy
// RUN: sed s/ELEMENT/i64/ %s > %t.i64.mlir
// RUN: tilewright run %t.i64.mlir --kernel=expected --device=emulator --arg=%t.i64.npy=zeros:576xi64
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.i64.mlir --kernel=combine --grid=3 --arg=arange:576xi64 --compare=0=%t.i64.npy

!element = ELEMENT
!tile = tensor<64x!element>
!pointers = tensor<64x!tt.ptr<!element>>

// first + i for the i-th element.
tt.func private @range(%first: i32) -> !tile {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %sum = arith.addi %firsts, %i : tensor<64xi32>
  %real = arith.sitofp %sum : tensor<64xi32> to tensor<64xf32>
  %value = arith.fptosi %real : tensor<64xf32> to !tile
  tt.return %value : !tile
}

// What a program brings: numbers of both signs.
tt.func private @operand(%program: i32) -> !tile {
  %seven = arith.constant 7 : i32
  %low = arith.constant -40 : i32
  %step = arith.muli %program, %seven : i32
  %first = arith.addi %step, %low : i32
  %value = tt.call @range(%first) : (i32) -> !tile
  tt.return %value : !tile
}

tt.func private @place(%p: !tt.ptr<!element>, %first: i32) -> !pointers {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %start = tt.addptr %p, %first : !tt.ptr<!element>, i32
  %starts = tt.splat %start : !tt.ptr<!element> -> !pointers
  %places = tt.addptr %starts, %i : !pointers, tensor<64xi32>
  tt.return %places : !pointers
}

tt.func public @combine(%p: !tt.ptr<!element>) {
  %program = tt.get_program_id x : i32
  %v = tt.call @operand(%program) : (i32) -> !tile
  %first_and = arith.constant 0 : i32
  %place_and = tt.call @place(%p, %first_and) : (!tt.ptr<!element>, i32) -> !pointers
  %old_and = tt.atomic_rmw and, relaxed, gpu, %place_and, %v : (!pointers, !tile) -> !tile
  %first_or = arith.constant 64 : i32
  %place_or = tt.call @place(%p, %first_or) : (!tt.ptr<!element>, i32) -> !pointers
  %old_or = tt.atomic_rmw or, acquire, cta, %place_or, %v : (!pointers, !tile) -> !tile
  %first_xor = arith.constant 128 : i32
  %place_xor = tt.call @place(%p, %first_xor) : (!tt.ptr<!element>, i32) -> !pointers
  %old_xor = tt.atomic_rmw xor, release, sys, %place_xor, %v : (!pointers, !tile) -> !tile
  %first_add = arith.constant 192 : i32
  %place_add = tt.call @place(%p, %first_add) : (!tt.ptr<!element>, i32) -> !pointers
  %old_add = tt.atomic_rmw add, acq_rel, gpu, %place_add, %v : (!pointers, !tile) -> !tile
  %first_max = arith.constant 256 : i32
  %place_max = tt.call @place(%p, %first_max) : (!tt.ptr<!element>, i32) -> !pointers
  %old_max = tt.atomic_rmw max, relaxed, cta, %place_max, %v : (!pointers, !tile) -> !tile
  %first_min = arith.constant 320 : i32
  %place_min = tt.call @place(%p, %first_min) : (!tt.ptr<!element>, i32) -> !pointers
  %old_min = tt.atomic_rmw min, acquire, sys, %place_min, %v : (!pointers, !tile) -> !tile
  %first_umax = arith.constant 384 : i32
  %place_umax = tt.call @place(%p, %first_umax) : (!tt.ptr<!element>, i32) -> !pointers
  %old_umax = tt.atomic_rmw umax, release, gpu, %place_umax, %v : (!pointers, !tile) -> !tile
  %first_umin = arith.constant 448 : i32
  %place_umin = tt.call @place(%p, %first_umin) : (!tt.ptr<!element>, i32) -> !pointers
  %old_umin = tt.atomic_rmw umin, acq_rel, cta, %place_umin, %v : (!pointers, !tile) -> !tile
  %first_exch = arith.constant 512 : i32
  %place_exch = tt.call @place(%p, %first_exch) : (!tt.ptr<!element>, i32) -> !pointers
  %old_exch = tt.atomic_rmw exch, relaxed, sys, %place_exch, %v : (!pointers, !tile) -> !tile
  tt.return
}

tt.func public @expected(%p: !tt.ptr<!element>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %v0 = tt.call @operand(%c0) : (i32) -> !tile
  %v1 = tt.call @operand(%c1) : (i32) -> !tile
  %v2 = tt.call @operand(%c2) : (i32) -> !tile
  %first_and = arith.constant 0 : i32
  %place_and = tt.call @place(%p, %first_and) : (!tt.ptr<!element>, i32) -> !pointers
  %a_and = tt.call @range(%first_and) : (i32) -> !tile
  %b_and = arith.andi %a_and, %v0 : !tile
  %c_and = arith.andi %b_and, %v1 : !tile
  %d_and = arith.andi %c_and, %v2 : !tile
  tt.store %place_and, %d_and : !pointers
  %first_or = arith.constant 64 : i32
  %place_or = tt.call @place(%p, %first_or) : (!tt.ptr<!element>, i32) -> !pointers
  %a_or = tt.call @range(%first_or) : (i32) -> !tile
  %b_or = arith.ori %a_or, %v0 : !tile
  %c_or = arith.ori %b_or, %v1 : !tile
  %d_or = arith.ori %c_or, %v2 : !tile
  tt.store %place_or, %d_or : !pointers
  %first_xor = arith.constant 128 : i32
  %place_xor = tt.call @place(%p, %first_xor) : (!tt.ptr<!element>, i32) -> !pointers
  %a_xor = tt.call @range(%first_xor) : (i32) -> !tile
  %b_xor = arith.xori %a_xor, %v0 : !tile
  %c_xor = arith.xori %b_xor, %v1 : !tile
  %d_xor = arith.xori %c_xor, %v2 : !tile
  tt.store %place_xor, %d_xor : !pointers
  %first_add = arith.constant 192 : i32
  %place_add = tt.call @place(%p, %first_add) : (!tt.ptr<!element>, i32) -> !pointers
  %a_add = tt.call @range(%first_add) : (i32) -> !tile
  %b_add = arith.addi %a_add, %v0 : !tile
  %c_add = arith.addi %b_add, %v1 : !tile
  %d_add = arith.addi %c_add, %v2 : !tile
  tt.store %place_add, %d_add : !pointers
  %first_max = arith.constant 256 : i32
  %place_max = tt.call @place(%p, %first_max) : (!tt.ptr<!element>, i32) -> !pointers
  %a_max = tt.call @range(%first_max) : (i32) -> !tile
  %b_max = arith.maxsi %a_max, %v0 : !tile
  %c_max = arith.maxsi %b_max, %v1 : !tile
  %d_max = arith.maxsi %c_max, %v2 : !tile
  tt.store %place_max, %d_max : !pointers
  %first_min = arith.constant 320 : i32
  %place_min = tt.call @place(%p, %first_min) : (!tt.ptr<!element>, i32) -> !pointers
  %a_min = tt.call @range(%first_min) : (i32) -> !tile
  %b_min = arith.minsi %a_min, %v0 : !tile
  %c_min = arith.minsi %b_min, %v1 : !tile
  %d_min = arith.minsi %c_min, %v2 : !tile
  tt.store %place_min, %d_min : !pointers
  %first_umax = arith.constant 384 : i32
  %place_umax = tt.call @place(%p, %first_umax) : (!tt.ptr<!element>, i32) -> !pointers
  %a_umax = tt.call @range(%first_umax) : (i32) -> !tile
  %b_umax = arith.maxui %a_umax, %v0 : !tile
  %c_umax = arith.maxui %b_umax, %v1 : !tile
  %d_umax = arith.maxui %c_umax, %v2 : !tile
  tt.store %place_umax, %d_umax : !pointers
  %first_umin = arith.constant 448 : i32
  %place_umin = tt.call @place(%p, %first_umin) : (!tt.ptr<!element>, i32) -> !pointers
  %a_umin = tt.call @range(%first_umin) : (i32) -> !tile
  %b_umin = arith.minui %a_umin, %v0 : !tile
  %c_umin = arith.minui %b_umin, %v1 : !tile
  %d_umin = arith.minui %c_umin, %v2 : !tile
  tt.store %place_umin, %d_umin : !pointers
  %first_exch = arith.constant 512 : i32
  %place_exch = tt.call @place(%p, %first_exch) : (!tt.ptr<!element>, i32) -> !pointers
  tt.store %place_exch, %v2 : !pointers
  tt.return
}
