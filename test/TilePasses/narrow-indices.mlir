// RUN: tilewright-opt %s --tile-narrow-indices --canonicalize --split-input-file | FileCheck %s

// Everything fits: quotient, sum, offset. Hints stay.
// CHECK-LABEL: @scalars
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tt.ptr<f32>
// CHECK: %[[Y:.*]] = tt.get_program_id y
// CHECK: %[[R:.*]] = arith.remsi %[[Y]], %c4_i32 {tt.divisibility = 2 : i32} : i32
// CHECK: %[[Q:.*]] = arith.divsi %[[Y]], %c4_i32 : i32
// CHECK: %[[S:.*]] = arith.subi %[[R]], %[[Q]] overflow<nsw> : i32
// CHECK: %[[A:.*]] = tt.addptr %[[P]], %[[S]] : !tt.ptr<f32>, i32
// CHECK: tt.return %[[A]]
tt.func private @scalars(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %c4 = arith.constant 4 : i64
  %y = tt.get_program_id y : i32
  %w = arith.extsi %y : i32 to i64
  %r = arith.remsi %w, %c4 {tt.divisibility = 2 : i32} : i64
  %q = arith.divsi %w, %c4 : i64
  %s = arith.subi %r, %q : i64
  %a = tt.addptr %p, %s : !tt.ptr<f32>, i64
  tt.return %a : !tt.ptr<f32>
}

// -----

// The last program's first element is the last multiple below 2^31; addptr
// multiplies it by the element's size in 64 bits.
// CHECK-LABEL: @largest_product
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %c32768_i32 overflow<nsw, nuw> : i32
// CHECK: %[[S:.*]] = arith.addi %[[M]], %c4095_i32 overflow<nsw, nuw> : i32
// CHECK: tt.addptr %{{.*}}, %[[S]] : !tt.ptr<f32>, i32
tt.func private @largest_product(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %size = arith.constant 32768 : i64
  %last = arith.constant 4095 : i64
  %y = tt.get_program_id y : i32
  %w = arith.extsi %y : i32 to i64
  %m = arith.muli %w, %size : i64
  %s = arith.addi %m, %last : i64
  %a = tt.addptr %p, %s : !tt.ptr<f32>, i64
  tt.return %a : !tt.ptr<f32>
}

// -----

// The product still fits, but the sum does not.
// CHECK-LABEL: @too_large_sum
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %c32769_i32 overflow<nsw, nuw> : i32
// CHECK: %[[W:.*]] = arith.extsi %[[M]] : i32 to i64
// CHECK: %[[S:.*]] = arith.addi %[[W]], %c4095_i64 : i64
// CHECK: tt.addptr %{{.*}}, %[[S]] : !tt.ptr<f32>, i64
tt.func private @too_large_sum(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %size = arith.constant 32769 : i64
  %last = arith.constant 4095 : i64
  %y = tt.get_program_id y : i32
  %w = arith.extsi %y : i32 to i64
  %m = arith.muli %w, %size : i64
  %s = arith.addi %m, %last : i64
  %a = tt.addptr %p, %s : !tt.ptr<f32>, i64
  tt.return %a : !tt.ptr<f32>
}

// -----

// The product may be 2^31 and more.
// CHECK-LABEL: @too_large_product
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %c32770_i64 : i64
// CHECK: tt.addptr %{{.*}}, %[[M]] : !tt.ptr<f32>, i64
tt.func private @too_large_product(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %size = arith.constant 32770 : i64
  %y = tt.get_program_id y : i32
  %w = arith.extsi %y : i32 to i64
  %m = arith.muli %w, %size : i64
  %a = tt.addptr %p, %m : !tt.ptr<f32>, i64
  tt.return %a : !tt.ptr<f32>
}

// -----

// Along x there may be 2^31 - 1 programs.
// CHECK-LABEL: @program_x
// CHECK: %[[W:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: arith.muli %[[W]], %c64_i64 : i64
// CHECK: arith.addi %{{.*}} : tensor<64xi64>
// CHECK: arith.cmpi slt, %{{.*}} : tensor<64xi64>
tt.func private @program_x(%n: i32) -> tensor<64xi1> {
  %size = arith.constant 64 : i64
  %x = tt.get_program_id x : i32
  %w = arith.extsi %x : i32 to i64
  %m = arith.muli %w, %size : i64
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %wide = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %first = tt.splat %m : i64 -> tensor<64xi64>
  %rows = arith.addi %first, %wide : tensor<64xi64>
  %n64 = arith.extsi %n : i32 to i64
  %end = tt.splat %n64 : i64 -> tensor<64xi64>
  %c = arith.cmpi slt, %rows, %end : tensor<64xi64>
  tt.return %c : tensor<64xi1>
}

// -----

// An i32 sum is not what wraps here: it wrapped before.
// CHECK-LABEL: @wrapped_before
// CHECK: %[[S:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: tt.addptr %{{.*}}, %[[S]] : !tt.ptr<f32>, i32
tt.func private @wrapped_before(%p: !tt.ptr<f32>, %n: i32) -> !tt.ptr<f32> {
  %s = arith.muli %n, %n : i32
  %w = arith.extsi %s : i32 to i64
  %a = tt.addptr %p, %w : !tt.ptr<f32>, i64
  tt.return %a : !tt.ptr<f32>
}

// -----

// An unsigned extension is no offset of 32 bits: numbers from 2^31 on are
// positive.
// CHECK-LABEL: @unsigned_offset
// CHECK: %[[W:.*]] = arith.extui
// CHECK: tt.addptr %{{.*}}, %[[W]] : !tt.ptr<f32>, i64
tt.func private @unsigned_offset(%p: !tt.ptr<f32>, %n: i32) -> !tt.ptr<f32> {
  %w = arith.extui %n : i32 to i64
  %a = tt.addptr %p, %w : !tt.ptr<f32>, i64
  tt.return %a : !tt.ptr<f32>
}

// -----

// A tile, through its changes of shape; the bound of the mask is an argument.
// CHECK-LABEL: @tile
// CHECK-NOT: i64
// CHECK: arith.addi %{{.*}} overflow<nsw, nuw> : tensor<64xi32>
// CHECK: arith.cmpi slt, %{{.*}} : tensor<64x1xi32>
// CHECK: tt.addptr %{{.*}} : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
tt.func private @tile(%p: tensor<64x1x!tt.ptr<f32>>, %n: i32) -> (tensor<64x1xi1>, tensor<64x1x!tt.ptr<f32>>) {
  %size = arith.constant 64 : i64
  %y = tt.get_program_id y : i32
  %w = arith.extsi %y : i32 to i64
  %m = arith.muli %w, %size : i64
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %wide = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %first = tt.splat %m : i64 -> tensor<64xi64>
  %rows = arith.addi %first, %wide : tensor<64xi64>
  %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
  %n64 = arith.extsi %n : i32 to i64
  %end = tt.splat %n64 : i64 -> tensor<64x1xi64>
  %c = arith.cmpi slt, %column, %end : tensor<64x1xi64>
  %a = tt.addptr %p, %column : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi64>
  tt.return %c, %a : tensor<64x1xi1>, tensor<64x1x!tt.ptr<f32>>
}

// -----

// A user that needs 64 bits extends the sum.
// CHECK-LABEL: @wide_user
// CHECK-SAME: %{{.*}}: !tt.ptr<f32>, %[[STRIDE:[a-z0-9]+]]: i64
// CHECK: %[[S:.*]] = arith.addi %{{.*}}, %c3_i32 overflow<nsw, nuw> : i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK: arith.muli %[[WIDE]], %[[STRIDE]] : i64
tt.func private @wide_user(%p: !tt.ptr<f32>, %stride: i64) -> !tt.ptr<f32> {
  %c3 = arith.constant 3 : i64
  %y = tt.get_program_id y : i32
  %w = arith.extsi %y : i32 to i64
  %s = arith.addi %w, %c3 : i64
  %d = arith.muli %s, %stride : i64
  %a = tt.addptr %p, %d : !tt.ptr<f32>, i64
  tt.return %a : !tt.ptr<f32>
}

// -----

// The result fits though an operand does not: low bits alone decide. A quotient
// of that operand stays.
// CHECK-LABEL: @low_bits
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
// CHECK-DAG: %[[LOW:.*]] = arith.trunci %[[N]] : i64 to i32
// CHECK-DAG: %[[A:.*]] = arith.andi %[[LOW]], %c255_i32 : i32
// CHECK-DAG: %[[B:.*]] = arith.addi %[[A]], %c1_i32 overflow<nsw, nuw> : i32
// CHECK-DAG: tt.addptr %{{.*}}, %[[B]] : !tt.ptr<f32>, i32
// CHECK-DAG: %[[R:.*]] = arith.remsi %[[N]], %c255_i64 : i64
// CHECK-DAG: tt.addptr %{{.*}}, %[[R]] : !tt.ptr<f32>, i64
tt.func private @low_bits(%p: !tt.ptr<f32>, %n: i64) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c255 = arith.constant 255 : i64
  %a = arith.andi %n, %c255 : i64
  %b = arith.addi %a, %c1 : i64
  %q = tt.addptr %p, %b : !tt.ptr<f32>, i64
  %r = arith.remsi %n, %c255 : i64
  %s = tt.addptr %p, %r : !tt.ptr<f32>, i64
  tt.return %q, %s : !tt.ptr<f32>, !tt.ptr<f32>
}

// -----

// -2^31 / -1 is 2^31; a quotient of unsigned numbers needs the signs too.
// CHECK-LABEL: @divisions
// CHECK: arith.divsi %{{.*}} : i64
// CHECK: arith.remsi %{{.*}} : i64
// CHECK: arith.divui %{{.*}} : i64
// CHECK: arith.shrui %{{.*}} : i64
// CHECK: arith.shrsi %{{.*}} : i64
// CHECK: arith.divsi %{{.*}} : i32
// CHECK: arith.divui %{{.*}} : i32
tt.func private @divisions(%a: i32, %b: i32) -> (i64, i64, i64, i64, i64, i64, i64) {
  %c2 = arith.constant 2 : i64
  %c40 = arith.constant 40 : i64
  %y = tt.get_program_id y : i32
  %y64 = arith.extsi %y : i32 to i64
  %a64 = arith.extsi %a : i32 to i64
  %b64 = arith.extsi %b : i32 to i64
  %0 = arith.divsi %a64, %b64 : i64
  %1 = arith.remsi %a64, %b64 : i64
  %2 = arith.divui %y64, %b64 : i64
  %3 = arith.shrui %a64, %c40 : i64
  %4 = arith.shrsi %a64, %c40 : i64
  %5 = arith.divsi %a64, %c2 : i64
  %6 = arith.divui %y64, %c2 : i64
  tt.return %0, %1, %2, %3, %4, %5, %6 : i64, i64, i64, i64, i64, i64, i64
}

// -----

// Orders: signed and unsigned ones agree on extended signs.
// CHECK-LABEL: @orders
// CHECK-SAME: %[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i64
// CHECK-DAG: arith.cmpi ult, %[[A]], %[[B]] : i32
// CHECK-DAG: arith.cmpi sle, %[[A]], %[[B]] : i32
// CHECK-DAG: arith.cmpi slt, %{{.*}}, %[[N]] : i64
// CHECK-DAG: arith.maxsi %[[A]], %[[B]] : i32
// CHECK-DAG: arith.sitofp %[[A]] : i32 to f32
// CHECK-DAG: arith.uitofp %{{.*}} : i64 to f32
tt.func private @orders(%a: i32, %b: i32, %n: i64) -> (i1, i1, i1, i64, f32, f32) {
  %a64 = arith.extsi %a : i32 to i64
  %b64 = arith.extsi %b : i32 to i64
  %0 = arith.cmpi ult, %a64, %b64 : i64
  %1 = arith.cmpi sle, %a64, %b64 : i64
  %2 = arith.cmpi slt, %a64, %n : i64
  %3 = arith.maxsi %a64, %b64 : i64
  %4 = arith.sitofp %a64 : i64 to f32
  %5 = arith.uitofp %a64 : i64 to f32
  tt.return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i64, f32, f32
}

// -----

// How far a block reaches into a tensor: a - b may need 33 bits, but not where
// it counts.
// CHECK-LABEL: @clamped_difference
// CHECK-SAME: %[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i32
// CHECK-DAG: %[[D:.*]] = arith.subi %[[A]], %[[B]] : i32
// CHECK-DAG: %[[M:.*]] = arith.minui %[[D]], %c64_i32 : i32
// CHECK-DAG: %[[C:.*]] = arith.cmpi sgt, %[[A]], %[[B]] : i32
// CHECK: %[[R:.*]] = arith.select %[[C]], %[[M]], %c0_i32 : i32
// CHECK: tt.return %[[R]]
tt.func private @clamped_difference(%a: i32, %b: i32) -> i32 {
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %a64 = arith.extsi %a : i32 to i64
  %b64 = arith.extsi %b : i32 to i64
  %d = arith.subi %a64, %b64 : i64
  %m = arith.maxsi %d, %c0 : i64
  %l = arith.minsi %m, %c64 : i64
  %r = arith.trunci %l : i64 to i32
  tt.return %r : i32
}

// -----

// One side is of 64 bits.
// CHECK-LABEL: @clamped_wide_difference
// CHECK: arith.subi %{{.*}} : i64
// CHECK: arith.maxsi %{{.*}} : i64
// CHECK: arith.minsi %{{.*}} : i64
tt.func private @clamped_wide_difference(%a: i64, %b: i32) -> i32 {
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %b64 = arith.extsi %b : i32 to i64
  %d = arith.subi %a, %b64 : i64
  %m = arith.maxsi %d, %c0 : i64
  %l = arith.minsi %m, %c64 : i64
  %r = arith.trunci %l : i64 to i32
  tt.return %r : i32
}

// -----

// A loop counts on 32 bits where its bounds fit, and the sum that ends it too.
// CHECK-LABEL: @loop
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %{{.*}} step %c16_i32 {{.*}}: i32 {
// CHECK: %[[S:.*]] = arith.addi %[[I]], %{{.*}} overflow<nsw, nuw> : i32
// CHECK: tt.addptr %{{.*}}, %[[S]] : !tt.ptr<f32>, i32
// CHECK: {tt.num_stages = 3 : i32}
tt.func public @loop(%p: !tt.ptr<f32>, %f: f32) {
  %c0 = arith.constant 0 : i64
  %c16 = arith.constant 16 : i64
  %y = tt.get_program_id y : i32
  %w = arith.extsi %y : i32 to i64
  scf.for %i = %c0 to %w step %c16 : i64 {
    %s = arith.addi %i, %w : i64
    %q = tt.addptr %p, %s : !tt.ptr<f32>, i64
    tt.store %q, %f : !tt.ptr<f32>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// -----

// An upper bound below all of 32 bits is one below the lower bound.
// CHECK-LABEL: @loop_to_less
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
// CHECK: %[[M:.*]] = arith.minsi %[[N]], %c16_i64 : i64
// CHECK: %[[B:.*]] = arith.maxsi %[[M]], %c0_i64 : i64
// CHECK: %[[E:.*]] = arith.trunci %[[B]] : i64 to i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[E]] step %c1_i32 : i32 {
tt.func public @loop_to_less(%p: !tt.ptr<f32>, %f: f32, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %end = arith.minsi %n, %c16 : i64
  scf.for %i = %c0 to %end step %c1 : i64 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i64
    tt.store %q, %f : !tt.ptr<f32>
  }
  tt.return
}

// -----

// The sum after the last index may need 33 bits.
// CHECK-LABEL: @loop_to_the_end
// CHECK: scf.for %{{.*}} = %c0_i64 to %{{.*}} step %c16_i64 : i64 {
tt.func public @loop_to_the_end(%p: !tt.ptr<f32>, %f: f32, %n: i32) {
  %c0 = arith.constant 0 : i64
  %c16 = arith.constant 16 : i64
  %n64 = arith.extsi %n : i32 to i64
  scf.for %i = %c0 to %n64 step %c16 : i64 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i64
    tt.store %q, %f : !tt.ptr<f32>
  }
  tt.return
}

// -----

// CHECK-LABEL: @unsigned_loop
// CHECK: scf.for unsigned %{{.*}} step %c1_i64 : i64 {
tt.func public @unsigned_loop(%p: !tt.ptr<f32>, %f: f32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %y = tt.get_program_id y : i32
  %w = arith.extsi %y : i32 to i64
  scf.for unsigned %i = %c0 to %w step %c1 : i64 {
    tt.store %p, %f : !tt.ptr<f32>
  }
  tt.return
}

// -----

// What a loop carries is not bounded by what it adds.
// CHECK-LABEL: @carried
// CHECK: arith.addi %{{.*}} : i64
// CHECK: tt.addptr %{{.*}} : !tt.ptr<f32>, i64
tt.func public @carried(%p: !tt.ptr<f32>, %f: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %zero) -> (i64) : i32 {
    %next = arith.addi %k, %one : i64
    %q = tt.addptr %p, %k : !tt.ptr<f32>, i64
    tt.store %q, %f : !tt.ptr<f32>
    scf.yield %next : i64
  }
  tt.return
}

// -----

// A tile whose elements move between, one of which user needs 64 bits: it moves
// in both forms.
// CHECK-LABEL: @moved_both_ways
// CHECK-DAG: tt.broadcast %{{.*}} : tensor<64x1xi64> -> tensor<64x16xi64>
// CHECK-DAG: %[[B:.*]] = tt.broadcast %{{.*}} : tensor<64x1xi32> -> tensor<64x16xi32>
// CHECK-DAG: tt.addptr %{{.*}}, %[[B]] : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
tt.func private @moved_both_ways(%p: tensor<64x16x!tt.ptr<f32>>) -> (tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi64>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %wide = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %s = arith.addi %wide, %wide : tensor<64xi64>
  %column = tt.expand_dims %s {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
  %b = tt.broadcast %column : tensor<64x1xi64> -> tensor<64x16xi64>
  %a = tt.addptr %p, %b : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi64>
  tt.return %a, %b : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi64>
}

// -----

// A hint on an extension is one on what it extends.
// CHECK-LABEL: @hints
// CHECK: %[[X:.*]] = tt.load %{{.*}} {tt.divisibility = 16 : i32} : !tt.ptr<i32>
// CHECK: tt.addptr %{{.*}}, %[[X]] : !tt.ptr<f32>, i32
// CHECK: arith.select {{.*}} {tt.divisibility = 8 : i32} : i32
tt.func private @hints(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %a: i32, %b: i32) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %x = tt.load %q : !tt.ptr<i32>
  %w = arith.extsi %x {tt.divisibility = 16 : i32} : i32 to i64
  %r = tt.addptr %p, %w : !tt.ptr<f32>, i64
  %a64 = arith.extsi %a : i32 to i64
  %b64 = arith.extsi %b : i32 to i64
  %d = arith.subi %a64, %b64 : i64
  %m = arith.maxsi %d, %c0 : i64
  %l = arith.minsi %m, %c64 {tt.divisibility = 8 : i32} : i64
  %s = tt.addptr %p, %l : !tt.ptr<f32>, i64
  tt.return %r, %s : !tt.ptr<f32>, !tt.ptr<f32>
}

// -----

// It may hold under a condition only.
// CHECK-LABEL: @conditional_hint
// CHECK: tt.load %{{[a-z0-9]+}} : !tt.ptr<i32>
// CHECK: scf.if
// CHECK: %[[W:.*]] = arith.extsi %{{.*}} {tt.divisibility = 16 : i32} : i32 to i64
// CHECK: tt.addptr %{{.*}}, %[[W]] : !tt.ptr<f32>, i64
tt.func public @conditional_hint(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %b: i1, %f: f32) {
  %x = tt.load %q : !tt.ptr<i32>
  scf.if %b {
    %w = arith.extsi %x {tt.divisibility = 16 : i32} : i32 to i64
    %r = tt.addptr %p, %w : !tt.ptr<f32>, i64
    tt.store %r, %f : !tt.ptr<f32>
  }
  tt.return
}
