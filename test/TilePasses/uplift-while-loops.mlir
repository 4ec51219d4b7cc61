// RUN: tilewright-opt %s --tile-uplift-while-loops | FileCheck %s

// A loop that counts is one whose iterations may overlap.
// CHECK-LABEL: @counts
// CHECK-NOT: scf.while
// CHECK: scf.for %{{.*}} = %arg1 to %arg2 step %arg3
// CHECK: tt.load
// CHECK-NOT: scf.while
tt.func public @counts(%p: !tt.ptr<f32>, %first: i32, %n: i32, %step: i32) {
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.while (%i = %first, %sum = %zero) : (i32, f32) -> (i32, f32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %sum : i32, f32
  } do {
  ^bb0(%i: i32, %sum: f32):
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %x = tt.load %q : !tt.ptr<f32>
    %next = arith.addf %sum, %x : f32
    %j = arith.addi %i, %step : i32
    scf.yield %j, %next : i32, f32
  }
  tt.store %p, %r#1 : !tt.ptr<f32>
  tt.return
}

// What has been counted is another number where the loop runs not at all.
// CHECK-LABEL: @count_is_used
// CHECK: scf.while
tt.func public @count_is_used(%first: i32, %n: i32, %step: i32) -> i32 {
  %r = scf.while (%i = %first) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.addi %i, %step : i32
    scf.yield %j : i32
  }
  tt.return %r : i32
}

// One whose bound changes does not, nor one that waits for memory.
// CHECK-LABEL: @bound_changes
// CHECK: scf.while
tt.func public @bound_changes(%p: !tt.ptr<f32>, %first: i32, %n: i32, %step: i32) -> i32 {
  %r:2 = scf.while (%i = %first, %end = %n) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %end : i32
    scf.condition(%more) %i, %end : i32, i32
  } do {
  ^bb0(%i: i32, %end: i32):
    %j = arith.addi %i, %step : i32
    %half = arith.subi %end, %step : i32
    scf.yield %j, %half : i32, i32
  }
  tt.return %r#0 : i32
}

// CHECK-LABEL: @waits
// CHECK: scf.while
tt.func public @waits(%p: !tt.ptr<i32>, %n: i32) {
  scf.while : () -> () {
    %x = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    %more = arith.cmpi slt, %x, %n : i32
    scf.condition(%more)
  } do {
    scf.yield
  }
  tt.return
}
