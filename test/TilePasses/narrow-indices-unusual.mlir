// RUN: tilewright-opt %s --tile-narrow-indices --canonicalize --split-input-file | FileCheck %s

// What the range analysis must get through: graphs of blocks, loops without
// bounds, code that is never run, types that are no i64.

// CHECK-LABEL: @graph
// CHECK: cf.br ^[[HEAD:.*]](%{{.*}} : i64, tensor<4xi64>)
// CHECK: ^[[HEAD]](%[[K:.*]]: i64, %[[T:.*]]: tensor<4xi64>):
// CHECK: arith.addi %[[K]], %{{.*}} : i64
// CHECK: arith.addi %[[T]], %{{.*}} : tensor<4xi64>
tt.func public @graph(%p: !tt.ptr<i64>, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0> : tensor<4xi64>
  %ones = arith.constant dense<1> : tensor<4xi64>
  cf.br ^head(%zero, %zeros : i64, tensor<4xi64>)
^head(%k: i64, %t: tensor<4xi64>):
  %next = arith.addi %k, %one : i64
  %u = arith.addi %t, %ones : tensor<4xi64>
  %q = tt.splat %p : !tt.ptr<i64> -> tensor<4x!tt.ptr<i64>>
  tt.store %q, %u : tensor<4x!tt.ptr<i64>>
  %more = arith.cmpi slt, %next, %n : i64
  cf.cond_br %more, ^head(%next, %u : i64, tensor<4xi64>), ^exit
^exit:
  tt.return
}

// -----

// CHECK-LABEL: @unreachable_blocks
// CHECK: tt.return
tt.func public @unreachable_blocks(%p: !tt.ptr<i64>) {
  %one = arith.constant 1 : i64
  tt.return
^dead(%k: i64):
  %next = arith.addi %k, %one : i64
  %q = tt.addptr %p, %next : !tt.ptr<i64>, i64
  tt.store %q, %next : !tt.ptr<i64>
  cf.br ^dead(%next : i64)
}

// -----

// CHECK-LABEL: @while_loop
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (i64) -> i64
// CHECK: arith.addi %{{.*}} : i64
tt.func public @while_loop(%p: !tt.ptr<i64>, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.while (%k = %zero) : (i64) -> i64 {
    %more = arith.cmpi slt, %k, %n : i64
    scf.condition(%more) %k : i64
  } do {
  ^bb0(%k: i64):
    %next = arith.addi %k, %one : i64
    scf.yield %next : i64
  }
  tt.store %p, %r : !tt.ptr<i64>
  tt.return
}

// -----

// A move of what the loop carries goes round as it does.
// CHECK-LABEL: @moved_round
// CHECK: tt.trans %{{.*}} : tensor<4x4xi64>
// CHECK: arith.cmpi slt, %{{.*}} : tensor<4x4xi64>
tt.func private @moved_round(%n: i32) -> tensor<4x4xi1> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0> : tensor<4x4xi64>
  %ones = arith.constant dense<1> : tensor<4x4xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zeros) -> (tensor<4x4xi64>) : i32 {
    %next = arith.addi %t, %ones : tensor<4x4xi64>
    %moved = tt.trans %next {order = array<i32: 1, 0>} : tensor<4x4xi64> -> tensor<4x4xi64>
    scf.yield %moved : tensor<4x4xi64>
  }
  %c = arith.cmpi slt, %r, %ones : tensor<4x4xi64>
  tt.return %c : tensor<4x4xi1>
}

// -----

// A loop that never runs, and one whose start is not defined.
// CHECK-LABEL: @never
// CHECK: tt.return
tt.func public @never(%p: !tt.ptr<i64>, %n: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %undefined = ub.poison : i64
  %r = scf.for %i = %one to %zero step %one iter_args(%k = %undefined) -> (i64) : i64 {
    %next = arith.addi %k, %i : i64
    scf.for %j = %zero to %i step %one : i64 {
      tt.store %p, %j : !tt.ptr<i64>
    }
    scf.yield %next : i64
  }
  tt.store %p, %r : !tt.ptr<i64>
  tt.return
}

// -----

// The other way of a branch is not defined; one way alone is no range.
// CHECK-LABEL: @undefined_branch
// CHECK: scf.if
// CHECK: scf.for
// CHECK: arith.cmpi eq, %{{.*}}, %c7_i32
tt.func private @undefined_branch(%b: i1, %n: i32) -> i1 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i64
  %undefined = ub.poison : i64
  %r = scf.if %b -> i64 {
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%k = %undefined) -> (i64) : i32 {
      %wide = arith.extsi %i : i32 to i64
      scf.yield %wide : i64
    }
    scf.yield %s : i64
  } else {
    scf.yield %c7 : i64
  }
  %c = arith.cmpi eq, %r, %c7 : i64
  tt.return %c : i1
}

// -----

// CHECK-LABEL: @types
// CHECK: arith.addi %{{.*}} : index
// CHECK: arith.addi %{{.*}} : i8
// CHECK: arith.addi %{{.*}} : i128
// CHECK: arith.addi %{{.*}} : i1
tt.func private @types(%i: i32, %a: i8, %b: i1, %c: i128) -> (index, i8, i128, i1, tensor<i64>) {
  %0 = arith.index_cast %i : i32 to index
  %1 = arith.addi %0, %0 : index
  %2 = arith.addi %a, %a : i8
  %3 = arith.addi %c, %c : i128
  %4 = arith.addi %b, %b : i1
  %5 = arith.extui %b : i1 to i64
  %6 = tt.splat %5 : i64 -> tensor<i64>
  %7 = arith.addi %6, %6 : tensor<i64>
  tt.return %1, %2, %3, %4, %7 : index, i8, i128, i1, tensor<i64>
}

// -----

// A constant whose numbers are not at hand, here and as the start of a loop.
// CHECK-LABEL: @resource_constant
// CHECK: %[[R:.*]] = arith.constant dense_resource<numbers> : tensor<4xi64>
// CHECK: %[[LOW:.*]] = arith.trunci %[[R]] : tensor<4xi64> to tensor<4xi32>
// CHECK: arith.andi %[[LOW]], %{{.*}} : tensor<4xi32>
// CHECK: scf.for %[[I:.*]] = %c0_i32
// CHECK: arith.addi %[[I]], %c1_i32 overflow<nsw, nuw> : i32
tt.func private @resource_constant() -> (tensor<4xi64>, tensor<4xi64>, i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %mask = arith.constant dense<7> : tensor<4xi64>
  %s = arith.constant dense_resource<numbers> : tensor<4xi64>
  %a = arith.andi %s, %mask : tensor<4xi64>
  %r, %k = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %s, %j = %c0) -> (tensor<4xi64>, i64) : i64 {
    %next = arith.addi %i, %c1 : i64
    %u = arith.addi %t, %t : tensor<4xi64>
    scf.yield %u, %next : tensor<4xi64>, i64
  }
  tt.return %a, %r, %k : tensor<4xi64>, tensor<4xi64>, i64
}
