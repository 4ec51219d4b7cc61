// RUN: tilewright-opt %s --tile-narrow-indices --canonicalize --split-input-file | FileCheck %s

// What the ranges are, seen by the comparisons that they decide: one end after
// the other, and one step inside it.

// CHECK-LABEL: @program_ids
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[X:.*]] = tt.get_program_id x
// CHECK-DAG: %[[Y:.*]] = tt.get_program_id y
// CHECK-DAG: %[[Z:.*]] = tt.get_program_id z
// CHECK-DAG: %[[X_OPEN:.*]] = arith.cmpi slt, %[[X]], %c2147483646_i32
// CHECK-DAG: %[[Y_OPEN:.*]] = arith.cmpi slt, %[[Y]], %c65534_i32
// CHECK-DAG: %[[Z_OPEN:.*]] = arith.cmpi slt, %[[Z]], %c65534_i32
// CHECK-DAG: %[[LOW_OPEN:.*]] = arith.cmpi sgt, %[[Y]], %c0_i32
// CHECK: tt.return %[[TRUE]], %[[X_OPEN]], %[[TRUE]], %[[Y_OPEN]], %[[TRUE]], %[[Z_OPEN]], %[[TRUE]], %[[LOW_OPEN]]
tt.func private @program_ids() -> (i1, i1, i1, i1, i1, i1, i1, i1) {
  %c0 = arith.constant 0 : i32
  %y_last = arith.constant 65534 : i32
  %y_end = arith.constant 65535 : i32
  %x_last = arith.constant 2147483646 : i32
  %x_end = arith.constant 2147483647 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %0 = arith.cmpi slt, %x, %x_end : i32
  %1 = arith.cmpi slt, %x, %x_last : i32
  %2 = arith.cmpi slt, %y, %y_end : i32
  %3 = arith.cmpi slt, %y, %y_last : i32
  %4 = arith.cmpi slt, %z, %y_end : i32
  %5 = arith.cmpi slt, %z, %y_last : i32
  %6 = arith.cmpi sge, %y, %c0 : i32
  %7 = arith.cmpi sgt, %y, %c0 : i32
  tt.return %0, %1, %2, %3, %4, %5, %6, %7 : i1, i1, i1, i1, i1, i1, i1, i1
}

// -----

// CHECK-LABEL: @number_of_programs
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[Y:.*]] = tt.get_num_programs y
// CHECK-DAG: %[[LOW:.*]] = arith.cmpi sgt, %[[Y]], %c1_i32
// CHECK-DAG: %[[HIGH:.*]] = arith.cmpi slt, %[[Y]], %c65535_i32
// CHECK: tt.return %[[TRUE]], %[[LOW]], %[[TRUE]], %[[HIGH]]
tt.func private @number_of_programs() -> (i1, i1, i1, i1) {
  %c1 = arith.constant 1 : i32
  %last = arith.constant 65535 : i32
  %y = tt.get_num_programs y : i32
  %0 = arith.cmpi sge, %y, %c1 : i32
  %1 = arith.cmpi sgt, %y, %c1 : i32
  %2 = arith.cmpi sle, %y, %last : i32
  %3 = arith.cmpi slt, %y, %last : i32
  tt.return %0, %1, %2, %3 : i1, i1, i1, i1
}

// -----

// The mask `0..63 < 64` is no mask.
// CHECK-LABEL: @range
// CHECK-DAG: %[[TRUE:.*]] = arith.constant dense<true> : tensor<64xi1>
// CHECK-DAG: %[[HIGH:.*]] = arith.cmpi slt, %{{.*}}, %cst{{.*}} : tensor<64xi32>
// CHECK-DAG: %[[LOW:.*]] = arith.cmpi sgt, %{{.*}}, %cst{{.*}} : tensor<64xi32>
// CHECK: tt.return %[[TRUE]], %[[HIGH]], %[[TRUE]], %[[LOW]]
tt.func private @range() -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>) {
  %first = arith.constant dense<-8> : tensor<64xi32>
  %last = arith.constant dense<55> : tensor<64xi32>
  %end = arith.constant dense<56> : tensor<64xi32>
  %r = tt.make_range {start = -8 : i32, end = 56 : i32} : tensor<64xi32>
  %0 = arith.cmpi slt, %r, %end : tensor<64xi32>
  %1 = arith.cmpi slt, %r, %last : tensor<64xi32>
  %2 = arith.cmpi sge, %r, %first : tensor<64xi32>
  %3 = arith.cmpi sgt, %r, %first : tensor<64xi32>
  tt.return %0, %1, %2, %3 : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}

// -----

// Elements keep their range wherever they go; two sources give what holds both.
// CHECK-LABEL: @moved
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[OPEN:.*]] = arith.cmpi slt, %{{.*}}, %c100_i32
// CHECK: tt.return %[[TRUE]], %[[OPEN]], %[[TRUE]]
tt.func private @moved(%i: tensor<1x1xi32>) -> (i1, i1, i1) {
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c100 = arith.constant 100 : i32
  %c101 = arith.constant 101 : i32
  %far = arith.constant dense<100> : tensor<4x8xi32>
  %0 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %2 = tt.broadcast %1 : tensor<1x8xi32> -> tensor<4x8xi32>
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  %4 = tt.reshape %3 : tensor<8x4xi32> -> tensor<32x1xi32>
  %5 = tt.gather %4[%i] {axis = 0 : i32} : (tensor<32x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
  %6 = tt.unsplat %5 : tensor<1x1xi32>
  %7 = arith.cmpi slt, %6, %c8 : i32
  %j = tt.join %2, %far : tensor<4x8xi32> -> tensor<4x8x2xi32>
  %a, %b = tt.split %j : tensor<4x8x2xi32> -> tensor<4x8xi32>
  %f = tt.reshape %a : tensor<4x8xi32> -> tensor<32xi32>
  %c = tt.cat %f, %f : tensor<32xi32> -> tensor<64xi32>
  %g = tt.reshape %c : tensor<64xi32> -> tensor<64x1xi32>
  %h = tt.gather %g[%i] {axis = 0 : i32} : (tensor<64x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
  %k = tt.unsplat %h : tensor<1x1xi32>
  %8 = arith.cmpi slt, %k, %c100 : i32
  %9 = arith.cmpi slt, %k, %c101 : i32
  tt.return %7, %8, %9 : i1, i1, i1
}

// -----

// An induction variable lies between its bounds, whatever else a loop starts
// with; what every iteration yields leaves the loop.
// CHECK-LABEL: @loops
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: %[[R:.*]]:3 = scf.for %[[I:.*]] = %c3_i32 to
// CHECK-DAG: %[[HIGH:.*]] = arith.cmpi slt, %[[I]], %c65533_i32
// CHECK-DAG: %[[LOW:.*]] = arith.cmpi sgt, %[[I]], %c3_i32
// CHECK: scf.yield %{{.*}}, %[[HIGH]], %[[LOW]]
// CHECK: tt.return %[[TRUE]], %[[R]]#1, %[[TRUE]], %[[R]]#2
tt.func private @loops() -> (i1, i1, i1, i1) {
  %f = arith.constant 1.0 : f32
  %true = arith.constant true
  %false = arith.constant false
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %last = arith.constant 65533 : i32
  %end = arith.constant 65534 : i32
  %y = tt.get_program_id y : i32
  %r:5 = scf.for %i = %c3 to %y step %c8 iter_args(%g = %f, %a = %true, %b = %false, %c = %true, %d = %false) -> (f32, i1, i1, i1, i1) : i32 {
    %0 = arith.cmpi slt, %i, %end : i32
    %1 = arith.cmpi slt, %i, %last : i32
    %2 = arith.cmpi sge, %i, %c3 : i32
    %3 = arith.cmpi sgt, %i, %c3 : i32
    %h = arith.addf %g, %g : f32
    scf.yield %h, %0, %1, %2, %3 : f32, i1, i1, i1, i1
  }
  tt.return %r#1, %r#2, %r#3, %r#4 : i1, i1, i1, i1
}

// -----

// An unsigned loop may count beyond the largest signed number.
// CHECK-LABEL: @unsigned_loop
// CHECK: scf.for unsigned %[[I:.*]] =
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[I]], %c0_i32
// CHECK: tt.store %{{.*}}, %[[LOW]]
tt.func public @unsigned_loop(%p: !tt.ptr<i1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    %0 = arith.cmpi sge, %i, %c0 : i32
    tt.store %p, %0 : !tt.ptr<i1>
  }
  tt.return
}

// -----

// What a loop carries may have any value, and what comes out of it too, though
// it starts with a float of which nothing is known.
// CHECK-LABEL: @carried
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK: arith.cmpi slt, %{{.*}}, %c100_i32
// CHECK: %[[C:.*]] = arith.select %{{.*}}, %[[R]]#0, %c0_i32
// CHECK: %[[D:.*]] = arith.cmpi eq, %[[C]], %c0_i32
// CHECK: tt.return %[[D]]
tt.func private @carried(%b: i1, %n: i32) -> i1 {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c100 = arith.constant 100 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %g = %f) -> (i32, f32) : i32 {
    %small = arith.cmpi slt, %k, %c100 : i32
    %next = arith.addi %k, %c1 : i32
    %h = arith.select %small, %g, %f : f32
    scf.yield %next, %h : i32, f32
  }
  %c = scf.if %b -> i32 {
    scf.yield %r#0 : i32
  } else {
    scf.yield %c0 : i32
  }
  %d = arith.cmpi eq, %c, %c0 : i32
  tt.return %d : i1
}

// -----

// Overflow wraps: of a sum of arguments nothing is known.
// CHECK-LABEL: @wraps
// CHECK: %[[S:.*]] = arith.addi
// CHECK: %[[C:.*]] = arith.cmpi sge, %[[S]], %c0_i32
// CHECK: tt.return %[[C]]
tt.func private @wraps() -> i1 {
  %c0 = arith.constant 0 : i32
  %x = tt.get_program_id x : i32
  %s = arith.addi %x, %x : i32
  %c = arith.cmpi sge, %s, %c0 : i32
  tt.return %c : i1
}

// -----

// By what may be 0, which no launch divides by: a quotient is no further from 0 than
// the dividend, a remainder neither, and has its sign.
// CHECK-LABEL: @divided_by_anything
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[Q:.*]] = arith.divsi
// CHECK-DAG: %[[Q_OPEN:.*]] = arith.cmpi slt, %[[Q]], %c65534_i32
// CHECK-DAG: %[[Q_LOW:.*]] = arith.cmpi sge, %[[Q]], %c0_i32
// CHECK: tt.return %[[TRUE]], %[[Q_OPEN]], %[[Q_LOW]], %[[TRUE]], %[[TRUE]]
tt.func private @divided_by_anything(%d: i32) -> (i1, i1, i1, i1, i1) {
  %c0 = arith.constant 0 : i32
  %last = arith.constant 65534 : i32
  %end = arith.constant 65535 : i32
  %y = tt.get_program_id y : i32
  %q = arith.divsi %y, %d : i32
  %r = arith.remsi %y, %d : i32
  %0 = arith.cmpi slt, %q, %end : i32
  %1 = arith.cmpi slt, %q, %last : i32
  %2 = arith.cmpi sge, %q, %c0 : i32
  %3 = arith.cmpi slt, %r, %end : i32
  %4 = arith.cmpi sge, %r, %c0 : i32
  tt.return %0, %1, %2, %3, %4 : i1, i1, i1, i1, i1
}
