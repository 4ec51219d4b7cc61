// RUN: tilewright-opt %s --tile-load-runs-once --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --validate-passes --validate-report --tile-load-runs-once --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// They compute the same before and after.
// SAME: 'words' was run on 3 inputs
// SAME: 'two_dimensions' was run on 3 inputs
// SAME: 'mask_of_whole_runs' was run on 3 inputs
// SAME: 'mask_that_ends_in_a_run' was run on 3 inputs
// SAME: 'vectors_stay' was run on 3 inputs
// SAME: 'other' was run on 3 inputs
// SAME: 'carried' was run on 3 inputs
// SAME: 'given' was run on 3 inputs
// SAME: 'promises' was run on 3 inputs
// SAME: 'left' was run on 3 inputs

// A word has eight codes.
// CHECK-LABEL: @words
// CHECK-DAG: %[[RANGE:.*]] = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant dense<8> : tensor<8xi32>
// CHECK: %[[FIRST:.*]] = arith.muli %[[RANGE]], %[[EIGHT]] : tensor<8xi32>
// CHECK: %[[ROW:.*]] = arith.divsi %[[FIRST]], %[[EIGHT]] : tensor<8xi32>
// CHECK: %[[AT:.*]] = tt.addptr %{{.*}}, %[[ROW]] : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
// CHECK: %[[ONCE:.*]] = tt.load %[[AT]] : tensor<8x!tt.ptr<i32>>
// CHECK: %[[EACH:.*]] = tt.expand_dims %[[ONCE]] {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
// CHECK: %[[EIGHTFOLD:.*]] = tt.broadcast %[[EACH]] : tensor<8x1xi32> -> tensor<8x8xi32>
// CHECK: %[[WORDS:.*]] = tt.reshape %[[EIGHTFOLD]] : tensor<8x8xi32> -> tensor<64xi32>
// CHECK: tt.store %{{.*}}, %[[WORDS]]
tt.func public @words(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %eight = arith.constant dense<8> : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %eight : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %base, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %words = tt.load %at : tensor<64x!tt.ptr<i32>>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %outs, %k : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %to, %words : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// Runs along both dimensions, one of them the whole: that is a broadcast.
// CHECK-LABEL: @two_dimensions
// CHECK: %[[ONCE:.*]] = tt.load %{{.*}} : tensor<4x1x!tt.ptr<f16>>
// CHECK: tt.expand_dims %[[ONCE]] {axis = 1 : i32} : tensor<4x1xf16> -> tensor<4x1x1xf16>
// CHECK: tt.broadcast %{{.*}} : tensor<4x1x1xf16> -> tensor<4x4x1xf16>
// CHECK: %[[ROWS:.*]] = tt.reshape %{{.*}} : tensor<4x4x1xf16> -> tensor<16x1xf16>
// CHECK: tt.broadcast %[[ROWS]] : tensor<16x1xf16> -> tensor<16x8xf16>
tt.func public @two_dimensions(%p: !tt.ptr<f16>, %out: !tt.ptr<f16>) {
  %group = arith.constant dense<4> : tensor<16x1xi32>
  %flat = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %i = tt.reshape %flat : tensor<128xi32> -> tensor<16x8xi32>
  %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %js = tt.expand_dims %j {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %rows = arith.divsi %js, %group : tensor<16x1xi32>
  %row = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x8xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>>
  %at = tt.addptr %base, %row : tensor<16x8x!tt.ptr<f16>>, tensor<16x8xi32>
  %scales = tt.load %at : tensor<16x8x!tt.ptr<f16>>
  %outs = tt.splat %out : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>>
  %to = tt.addptr %outs, %i : tensor<16x8x!tt.ptr<f16>>, tensor<16x8xi32>
  tt.store %to, %scales : tensor<16x8x!tt.ptr<f16>>
  tt.return
}

// -----

// The bound is a multiple of 16: all of a run is below it or none.
// CHECK-LABEL: @mask_of_whole_runs
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}} : tensor<8xi32>
// CHECK: %[[ONCE:.*]] = tt.load %{{.*}}, %[[INSIDE]], %{{.*}} : tensor<8x!tt.ptr<i32>>
// CHECK-NOT: arith.select
// CHECK: tt.return
tt.func public @mask_of_whole_runs(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32 {tt.divisibility = 16 : i32}) {
  %seven = arith.constant dense<7> : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %eight : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %base, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %k, %bound : tensor<64xi32>
  %words = tt.load %at, %inside, %seven : tensor<64x!tt.ptr<i32>>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %outs, %k : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %to, %words : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// The bound may lie in a run. Where its first element is masked, all are; the
// others are told apart in registers, by that condition alone.
// CHECK-LABEL: @mask_that_ends_in_a_run
// CHECK-DAG: %[[SEVENS:.*]] = arith.constant dense<7> : tensor<16x64xi32>
// CHECK-DAG: %[[INSIDE:.*]] = tt.broadcast %{{.*}} : tensor<1x64xi1> -> tensor<16x64xi1>
// CHECK-DAG: %[[FIRST_INSIDE:.*]] = tt.broadcast %{{.*}} : tensor<1x8xi1> -> tensor<16x8xi1>
// CHECK-DAG: %[[FIRST_BOTH:.*]] = arith.andi %{{.*}} : tensor<16x8xi1>
// CHECK: tt.load %{{.*}}, %[[FIRST_BOTH]], %{{.*}} : tensor<16x8x!tt.ptr<i32>>
// CHECK: %[[WORDS:.*]] = tt.reshape %{{.*}} -> tensor<16x64xi32>
// CHECK: arith.select %[[INSIDE]], %[[WORDS]], %[[SEVENS]]
tt.func public @mask_that_ends_in_a_run(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %m: i32, %n: i32) {
  %seven = arith.constant dense<7> : tensor<16x64xi32>
  %eight = arith.constant dense<8> : tensor<1x64xi32>
  %pitch = arith.constant dense<8> : tensor<16x1xi32>
  %wide = arith.constant dense<64> : tensor<16x1xi32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %is = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ks = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %row = arith.muli %is, %pitch : tensor<16x1xi32>
  %word = arith.divsi %ks, %eight : tensor<1x64xi32>
  %rows = tt.broadcast %row : tensor<16x1xi32> -> tensor<16x64xi32>
  %columns = tt.broadcast %word : tensor<1x64xi32> -> tensor<16x64xi32>
  %offset = arith.addi %rows, %columns : tensor<16x64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>>
  %at = tt.addptr %base, %offset : tensor<16x64x!tt.ptr<i32>>, tensor<16x64xi32>
  %below = tt.splat %m : i32 -> tensor<16x1xi32>
  %inside_m = arith.cmpi slt, %is, %below : tensor<16x1xi32>
  %left = tt.splat %n : i32 -> tensor<1x64xi32>
  %inside_n = arith.cmpi sgt, %left, %ks : tensor<1x64xi32>
  %masks_m = tt.broadcast %inside_m : tensor<16x1xi1> -> tensor<16x64xi1>
  %masks_n = tt.broadcast %inside_n : tensor<1x64xi1> -> tensor<16x64xi1>
  %mask = arith.andi %masks_m, %masks_n : tensor<16x64xi1>
  %words = tt.load %at, %mask, %seven : tensor<16x64x!tt.ptr<i32>>
  %start = arith.muli %is, %wide : tensor<16x1xi32>
  %starts = tt.broadcast %start : tensor<16x1xi32> -> tensor<16x64xi32>
  %each = tt.broadcast %ks : tensor<1x64xi32> -> tensor<16x64xi32>
  %place = arith.addi %starts, %each : tensor<16x64xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>>
  %to = tt.addptr %outs, %place : tensor<16x64x!tt.ptr<i32>>, tensor<16x64xi32>
  tt.store %to, %words : tensor<16x64x!tt.ptr<i32>>
  tt.return
}

// -----

// A row for each of sixteen, of which the mask ends somewhere: an access takes
// eight elements, which to choose between would cost more than it does.
// CHECK-LABEL: @vectors_stay
// CHECK: tt.load %{{.*}} : tensor<16x64x!tt.ptr<f16>>
tt.func public @vectors_stay(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16>, %m: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x64xf16>
  %wide = arith.constant dense<64> : tensor<16x1xi32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %is = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ks = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %ks : tensor<1x64xi32> -> tensor<16x64xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %at = tt.addptr %base, %columns : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %below = tt.splat %m : i32 -> tensor<16x1xi32>
  %inside = arith.cmpi slt, %is, %below : tensor<16x1xi32>
  %mask = tt.broadcast %inside : tensor<16x1xi1> -> tensor<16x64xi1>
  %row = tt.load %at, %mask, %zero : tensor<16x64x!tt.ptr<f16>>
  %start = arith.muli %is, %wide : tensor<16x1xi32>
  %starts = tt.broadcast %start : tensor<16x1xi32> -> tensor<16x64xi32>
  %place = arith.addi %starts, %columns : tensor<16x64xi32>
  %outs = tt.splat %out : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %to = tt.addptr %outs, %place : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  tt.store %to, %row : tensor<16x64x!tt.ptr<f16>>
  tt.return
}

// -----

// What masked elements are is not the same along runs, or not said at all.
// CHECK-LABEL: @other
// CHECK: tt.load %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<8x!tt.ptr<i32>>
// CHECK: arith.select %{{.*}} : tensor<64xi1>, tensor<64xi32>
// CHECK: tt.load %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<8x!tt.ptr<i32>>
// CHECK-NOT: arith.select
// CHECK: tt.return
tt.func public @other(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %eight = arith.constant dense<8> : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %eight : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %base, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi sle, %k, %bound : tensor<64xi32>
  %words = tt.load %at, %inside, %k : tensor<64x!tt.ptr<i32>>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %outs, %k : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %to, %words : tensor<64x!tt.ptr<i32>>
  %rest = tt.load %at, %inside : tensor<64x!tt.ptr<i32>>
  tt.store %to, %rest, %inside : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// Pointers that loops carry are carried for the words alone, in the loop behind
// too; the tile of both is no more computed.
// CHECK-LABEL: @carried
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} -> (tensor<64xi32>, tensor<8x!tt.ptr<i32>>)
// CHECK: tt.load %{{.*}} : tensor<8x!tt.ptr<i32>>
// CHECK: tt.addptr %{{.*}} : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
// CHECK: scf.for {{.*}} -> (tensor<64xi32>, tensor<8x!tt.ptr<i32>>)
// CHECK: tt.load %{{.*}} : tensor<8x!tt.ptr<i32>>
// CHECK: tt.return
tt.func public @carried(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %eight : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %base, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %first:2 = scf.for %i = %c0 to %n step %c1 iter_args(%here = %at, %sum = %zero) -> (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) : i32 {
    %words = tt.load %here : tensor<64x!tt.ptr<i32>>
    %next = arith.addi %sum, %words : tensor<64xi32>
    %then = tt.addptr %here, %eight : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    scf.yield %then, %next : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  }
  %second:2 = scf.for %i = %c0 to %n step %c1 iter_args(%here = %first#0, %sum = %first#1) -> (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) : i32 {
    %words = tt.load %here : tensor<64x!tt.ptr<i32>>
    %next = arith.xori %sum, %words : tensor<64xi32>
    %then = tt.addptr %here, %eight : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    scf.yield %then, %next : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  }
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %outs, %k : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %to, %second#1 : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// A loop gives the last pointers, for which it needs no earlier ones.
// CHECK-LABEL: @given
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} -> (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<8x!tt.ptr<i32>>)
// CHECK: tt.load %{{.*}} : tensor<8x!tt.ptr<i32>>
// CHECK: tt.load %[[LOOP]]#0 {isVolatile = true} : tensor<64x!tt.ptr<i32>>
tt.func public @given(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = arith.divsi %k, %eight : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %base, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %loop:2 = scf.for %i = %c0 to %n step %c1 iter_args(%here = %at, %sum = %zero) -> (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) : i32 {
    %words = tt.load %here : tensor<64x!tt.ptr<i32>>
    %next = arith.addi %sum, %words : tensor<64xi32>
    %by = tt.splat %i : i32 -> tensor<64xi32>
    %from = arith.addi %by, %row : tensor<64xi32>
    %then = tt.addptr %base, %from : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    scf.yield %then, %next : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  }
  %last = tt.load %loop#0 {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  %sum = arith.addi %last, %loop#1 : tensor<64xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %outs, %k : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %to, %sum : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// Of what the author promises of runs nothing is said of their first elements:
// 0, 8, 16, ... are not consecutive.
// CHECK-LABEL: @promises
// CHECK-NOT: tt.contiguity = {{.*}} tensor<8xi32>
// CHECK: tt.load %{{.*}} : tensor<8x!tt.ptr<i32>>
tt.func public @promises(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %size = arith.constant 64 : i32
  %program = tt.get_program_id x : i32
  %n = arith.muli %program, %size : i32
  %eight = arith.constant dense<8> : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %from = tt.splat %n : i32 -> tensor<64xi32>
  %i = arith.addi %from, %k {tt.contiguity = 64 : i32, tt.divisibility = 16 : i32} : tensor<64xi32>
  %row = arith.divsi %i, %eight : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %base, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %words = tt.load %at : tensor<64x!tt.ptr<i32>>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %outs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %to, %words : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// These stay: words of which nobody knows that rows of eight begin where they
// do; a mask that lets the last elements of a run through, and not the first; a
// volatile load; words of rows from memory.
// CHECK-LABEL: @left
// CHECK-COUNT-5: tt.load %{{.*}} : tensor<64x!tt.ptr<i32>>
tt.func public @left(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %eight = arith.constant dense<8> : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %outs, %k : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %i = arith.addi %k, %bound : tensor<64xi32>
  %unaligned = arith.divsi %i, %eight : tensor<64xi32>
  %at = tt.addptr %base, %unaligned : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %a = tt.load %at : tensor<64x!tt.ptr<i32>>
  %row = arith.divsi %k, %eight : tensor<64xi32>
  %there = tt.addptr %base, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %rising = arith.cmpi sge, %k, %bound : tensor<64xi32>
  %b = tt.load %there, %rising, %zero : tensor<64x!tt.ptr<i32>>
  %c = tt.load %there {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  %rows = tt.load %to {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  %none = arith.xori %rows, %rows {tt.constancy = 8 : i32} : tensor<64xi32>
  %where = tt.addptr %base, %none : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %d = tt.load %where : tensor<64x!tt.ptr<i32>>
  %ab = arith.addi %a, %b : tensor<64xi32>
  %cd = arith.addi %c, %d : tensor<64xi32>
  %sum = arith.addi %ab, %cd : tensor<64xi32>
  tt.store %to, %sum : tensor<64x!tt.ptr<i32>>
  tt.return
}
