// RUN: tilewright-opt %s --tile-follow-induction-variables | FileCheck %s

// A count that begins a step before the induction variable, and is increased first, is
// that variable; what is computed of either is computed once.
// CHECK-LABEL: @persistent(
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: %[[ROW:.*]] = arith.divsi %[[I]], %arg1
// CHECK-NOT: arith.divsi
// CHECK: %[[AT:.*]] = tt.addptr %arg2, %[[ROW]]
// CHECK: tt.store %[[AT]],
tt.func public @persistent(%first: i32, %n: i32, %p: !tt.ptr<f32>) {
  %c132 = arith.constant 132 : i32
  %before = arith.subi %first, %c132 : i32
  %end = scf.for %i = %first to %n step %c132 iter_args(%j = %before) -> (i32) : i32 {
    %row = arith.divsi %i, %n : i32
    %from = tt.addptr %p, %row : !tt.ptr<f32>, i32
    %v = tt.load %from : !tt.ptr<f32>
    %k = arith.addi %j, %c132 : i32
    %row2 = arith.divsi %k, %n : i32
    %to = tt.addptr %p, %row2 : !tt.ptr<f32>, i32
    tt.store %to, %v : !tt.ptr<f32>
    scf.yield %k : i32
  }
  tt.return
}

// Not in step with it: by another stride, or from somewhere else.
// CHECK-LABEL: @apart(
// CHECK: scf.for {{.*}} iter_args(%[[J:[^ ]*]] = %{{.*}}, %[[L:[^ ]*]] =
// CHECK: arith.divsi %[[J]],
// CHECK: arith.divsi %[[L]],
tt.func public @apart(%first: i32, %n: i32, %p: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %e:2 = scf.for %i = %first to %n step %c1 iter_args(%j = %first, %l = %n) -> (i32, i32) : i32 {
    %a = arith.divsi %j, %n : i32
    %b = arith.divsi %l, %n : i32
    %s = arith.addi %a, %b : i32
    tt.store %p, %s : !tt.ptr<i32>
    %j2 = arith.addi %j, %c2 : i32
    %l2 = arith.addi %l, %c1 : i32
    scf.yield %j2, %l2 : i32, i32
  }
  tt.return
}
