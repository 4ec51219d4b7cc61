// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=2" --remarks-filter=loop --remark-policy=all --remark-format=emitRemark --verify-diagnostics | FileCheck %s --check-prefix=TIMES
// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=2" --tilegpu-pipeline-loops --canonicalize | FileCheck %s --check-prefix=LOOP
// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=2 overlap-products=false" | FileCheck %s --check-prefix=OFF

// Products by warp groups a stage behind what makes their operands, so that the
// arithmetic of the next iteration runs under them.

// OFF-NOT: array<i32: 2,

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
#left = #tilegpu.dot_operand<index = 0, parent = #acc, kWidth = 2>
#row = #tilegpu.slice<dim = 1, parent = #acc>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!sums = tensor<64x64xf32, #acc>
!wide = tensor<64x64xf32, #left>
!half = tensor<64x64xf16, #left>
!factors = tensor<64xf32, #row>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
module attributes {tilegpu.target = "sm_90a"} {

// The first product of an iteration, then the second one of that before with the
// scaling of its sums, and the copies; the arithmetic; the wait, and what makes
// the operand narrow. The tile of the second product comes a stage later.
// TIMES-LABEL: @attention
// TIMES: scf.for
// TIMES: tilegpu.async_copy %arg0, {{.*}}tilegpu.schedule = array<i32: 0, 10>
// TIMES: tilegpu.async_copy %arg1, {{.*}}tilegpu.schedule = array<i32: 1, 9>
// TIMES: tilegpu.async_wait {{.*}}tilegpu.schedule = array<i32: 1, 0>
// TIMES: tilegpu.wgmma {{.*}}tilegpu.schedule = array<i32: 1, 3>
// TIMES: tilegpu.wgmma_wait {{.*}}tilegpu.schedule = array<i32: 1, 13>
// TIMES: math.exp2 {{.*}}tilegpu.schedule = array<i32: 1, 15>
// TIMES: arith.truncf {{.*}}tilegpu.schedule = array<i32: 1, 18>
// TIMES: tt.broadcast {{.*}}tilegpu.schedule = array<i32: 2, 5>
// TIMES: arith.mulf {{.*}}tilegpu.schedule = array<i32: 2, 6>
// TIMES: tilegpu.wgmma {{.*}}tilegpu.schedule = array<i32: 2, 8>
// TIMES: tilegpu.wgmma_wait {{.*}}tilegpu.schedule = array<i32: 2, 17>

// The operand and one factor a row go from step to step, and the sums once.
// Both tiles have two buffers.
// LOOP-LABEL: @attention
// LOOP-COUNT-2: tilegpu.local_alloc : () -> !tilegpu.memdesc<64x64xf16, {{.*}}, buffers = 2, mutable>
// LOOP: %[[EARLY:.*]] = tilegpu.wgmma
// LOOP: tilegpu.wgmma_wait %[[EARLY]] {pending = 0 : i32}
// LOOP: %[[MADE:.*]] = arith.truncf
// LOOP: scf.for {{.*}} iter_args(%[[SUMS:.*]] = %arg3, {{.*}}%[[OPERAND:arg[0-9]+]] = %[[MADE]]
// LOOP: tilegpu.async_wait {pending = 0 : i32}
// LOOP: %[[FIRST:.*]] = tilegpu.wgmma
// LOOP: %[[SCALED:.*]] = arith.mulf %[[SUMS]]
// LOOP: %[[BEGUN:.*]] = tilegpu.pend %[[SCALED]]
// LOOP: %[[SECOND:.*]] = tilegpu.wgmma %[[OPERAND]], %{{.*}}, %[[BEGUN]]
// LOOP: tilegpu.async_copy
// LOOP: tilegpu.async_copy
// LOOP: tilegpu.async_commit
// LOOP: %[[SCORES:.*]] = tilegpu.wgmma_wait %[[FIRST]] {pending = 1 : i32}
// LOOP: %[[POWERS:.*]] = math.exp2
// LOOP: %[[RESULT:.*]] = tilegpu.wgmma_wait %[[SECOND]] {pending = 0 : i32}
// LOOP: %[[NARROW:.*]] = arith.truncf %[[POWERS]]
// LOOP: scf.yield %[[RESULT]], {{.*}}%[[NARROW]]
tt.func @attention(%p: !pointers, %v: !pointers, %q: !tile, %c: !sums, %f: !factors, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %qs = tilegpu.local_alloc : () -> !tile
  // expected-remark @below {{this loop is a software pipeline of 2 stages, with products under the arithmetic of the next iteration}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %mk = tilegpu.local_alloc : () -> !tile
    %mv = tilegpu.local_alloc : () -> !tile
    %tk = tilegpu.async_copy %p, %mk : !pointers -> !tile
    %tv = tilegpu.async_copy %v, %mv : !pointers -> !tile
    %g = tilegpu.async_commit %tk, %tv
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %0 = tilegpu.pend %zero : !sums -> !pending
    %1 = tilegpu.wgmma %qs, %mk, %0 : !tile * !tile -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %3 = tilegpu.convert_layout %2 : !sums -> !wide
    %4 = math.exp2 %3 : !wide
    %5 = arith.truncf %4 : !wide to !half
    %6 = "tt.reduce"(%2) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %max = arith.maxnumf %x, %y : f32
      tt.reduce.return %max : f32
    }) : (!sums) -> !factors
    %7 = tt.expand_dims %6 {axis = 1 : i32} : !factors -> tensor<64x1xf32, #acc>
    %8 = tt.broadcast %7 : tensor<64x1xf32, #acc> -> !sums
    %9 = arith.mulf %sums, %8 : !sums
    %10 = tilegpu.pend %9 : !sums -> !pending
    %11 = tilegpu.wgmma %5, %mv, %10 : !half * !tile -> !pending
    %12 = tilegpu.wgmma_wait %11 {pending = 0 : i32} : !pending -> !sums
    scf.yield %12 : !sums
  }
  tt.return %r : !sums
}

// What both products read is in use for a stage more.
// LOOP-LABEL: @one_tile
// LOOP: tilegpu.local_alloc : () -> !tilegpu.memdesc<64x64xf16, {{.*}}, buffers = 3, mutable>
tt.func @one_tile(%p: !pointers, %c: !sums, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %qs = tilegpu.local_alloc : () -> !tile
  // expected-remark @below {{2 stages, with products under the arithmetic of the next iteration}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %mk = tilegpu.local_alloc : () -> !tile
    %tk = tilegpu.async_copy %p, %mk : !pointers -> !tile
    %g = tilegpu.async_commit %tk
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %0 = tilegpu.pend %zero : !sums -> !pending
    %1 = tilegpu.wgmma %qs, %mk, %0 : !tile * !tile -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %3 = tilegpu.convert_layout %2 : !sums -> !wide
    %4 = math.exp2 %3 : !wide
    %5 = arith.truncf %4 : !wide to !half
    %6 = tilegpu.pend %sums : !sums -> !pending
    %7 = tilegpu.wgmma %5, %mk, %6 : !half * !tile -> !pending
    %8 = tilegpu.wgmma_wait %7 {pending = 0 : i32} : !pending -> !sums
    scf.yield %8 : !sums
  }
  tt.return %r : !sums
}

// The first product needs the sums of the iteration before: nothing could run
// under the second one.
// TIMES-LABEL: @in_turn
// TIMES-NOT: array<i32: 2,
tt.func @in_turn(%p: !pointers, %v: !pointers, %c: !sums, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  // expected-remark @below {{this loop is a software pipeline of 2 stages}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %mk = tilegpu.local_alloc : () -> !tile
    %mv = tilegpu.local_alloc : () -> !tile
    %tk = tilegpu.async_copy %p, %mk : !pointers -> !tile
    %tv = tilegpu.async_copy %v, %mv : !pointers -> !tile
    %g = tilegpu.async_commit %tk, %tv
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %a = tilegpu.convert_layout %sums : !sums -> !wide
    %h = arith.truncf %a : !wide to !half
    %0 = tilegpu.pend %zero : !sums -> !pending
    %1 = tilegpu.wgmma %h, %mk, %0 : !half * !tile -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %3 = tilegpu.convert_layout %2 : !sums -> !wide
    %4 = arith.truncf %3 : !wide to !half
    %5 = tilegpu.pend %sums : !sums -> !pending
    %6 = tilegpu.wgmma %4, %mv, %5 : !half * !tile -> !pending
    %7 = tilegpu.wgmma_wait %6 {pending = 0 : i32} : !pending -> !sums
    scf.yield %7 : !sums
  }
  tt.return %r : !sums
}

// Seven iterations: an eighth one's arithmetic, for nothing, would not pay.
// TIMES-LABEL: @few
// TIMES-NOT: array<i32: 2,
tt.func @few(%p: !pointers, %a: !wide, %c: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  // expected-remark @below {{this loop is a software pipeline of 2 stages}}
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%sums = %c, %b = %a) -> (!sums, !wide) : i32 {
    %mk = tilegpu.local_alloc : () -> !tile
    %tk = tilegpu.async_copy %p, %mk : !pointers -> !tile
    %g = tilegpu.async_commit %tk
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %1 = math.exp2 %b : !wide
    %2 = arith.truncf %1 : !wide to !half
    %3 = tilegpu.pend %sums : !sums -> !pending
    %4 = tilegpu.wgmma %2, %mk, %3 : !half * !tile -> !pending
    %5 = tilegpu.wgmma_wait %4 {pending = 0 : i32} : !pending -> !sums
    scf.yield %5, %1 : !sums, !wide
  }
  tt.return %r#0 : !sums
}

// The loop begins anywhere, so that its counter may have no number a step behind
// the end.
// TIMES-LABEL: @anywhere
// TIMES-NOT: array<i32: 2,
tt.func @anywhere(%p: !pointers, %a: !wide, %c: !sums, %from: i32, %to: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{this loop is a software pipeline of 2 stages}}
  %r:2 = scf.for %i = %from to %to step %c1 iter_args(%sums = %c, %b = %a) -> (!sums, !wide) : i32 {
    %mk = tilegpu.local_alloc : () -> !tile
    %tk = tilegpu.async_copy %p, %mk : !pointers -> !tile
    %g = tilegpu.async_commit %tk
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %1 = math.exp2 %b : !wide
    %2 = arith.truncf %1 : !wide to !half
    %3 = tilegpu.pend %sums : !sums -> !pending
    %4 = tilegpu.wgmma %2, %mk, %3 : !half * !tile -> !pending
    %5 = tilegpu.wgmma_wait %4 {pending = 0 : i32} : !pending -> !sums
    scf.yield %5, %1 : !sums, !wide
  }
  tt.return %r#0 : !sums
}

// The operand's registers would be written while the product before reads them.
// TIMES-LABEL: @not_narrowed
// TIMES-NOT: array<i32: 2,
tt.func @not_narrowed(%p: !pointers, %a: !half, %c: !sums, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{this loop is a software pipeline of 2 stages}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c, %b = %a) -> (!sums, !half) : i32 {
    %mk = tilegpu.local_alloc : () -> !tile
    %tk = tilegpu.async_copy %p, %mk : !pointers -> !tile
    %g = tilegpu.async_commit %tk
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %1 = arith.mulf %b, %b : !half
    %3 = tilegpu.pend %sums : !sums -> !pending
    %4 = tilegpu.wgmma %1, %mk, %3 : !half * !tile -> !pending
    %5 = tilegpu.wgmma_wait %4 {pending = 0 : i32} : !pending -> !sums
    scf.yield %5, %1 : !sums, !half
  }
  tt.return %r#0 : !sums
}

// A store must not run for an iteration that is not.
// TIMES-LABEL: @stored
// TIMES-NOT: array<i32: 2,
tt.func @stored(%p: !pointers, %a: !wide, %c: !sums, %o: tensor<64x64x!tt.ptr<f32>, #left>, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{this loop is a software pipeline of 2 stages}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c, %b = %a) -> (!sums, !wide) : i32 {
    %mk = tilegpu.local_alloc : () -> !tile
    %tk = tilegpu.async_copy %p, %mk : !pointers -> !tile
    %g = tilegpu.async_commit %tk
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %1 = math.exp2 %b : !wide
    tt.store %o, %1 : tensor<64x64x!tt.ptr<f32>, #left>
    %2 = arith.truncf %1 : !wide to !half
    %3 = tilegpu.pend %sums : !sums -> !pending
    %4 = tilegpu.wgmma %2, %mk, %3 : !half * !tile -> !pending
    %5 = tilegpu.wgmma_wait %4 {pending = 0 : i32} : !pending -> !sums
    scf.yield %5, %1 : !sums, !wide
  }
  tt.return %r#0 : !sums
}
}
