// RUN: tilewright-opt %s --tile-promote-single-iterations --canonicalize --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --validate-passes --validate-report --tile-promote-single-iterations --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// They compute the same before and after.
// SAME: 'blocks' was run on 3 inputs
// SAME: 'halves' was run on 3 inputs
// SAME: 'rows' was run on 3 inputs
// SAME: 'program' was run on 3 inputs
// SAME: 'guarded' was run on 3 inputs
// SAME: 'unguarded' was run on 3 inputs
// SAME: 'unsigned' was run on 3 inputs

// A block has elements, since the outer loop runs, and no more than a part's.
// CHECK-LABEL: @blocks
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: scf.if
// CHECK: tt.store
tt.func public @blocks(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %over = arith.addi %n, %c15 : i32
  %blocks = arith.divsi %over, %c16 : i32
  scf.for %i = %c0 to %blocks step %c1 : i32 {
    %begin = arith.muli %i, %c16 : i32
    %rest = arith.subi %n, %begin : i32
    %size = arith.minsi %rest, %c16 : i32
    %up = arith.addi %size, %c15 : i32
    %parts = arith.divsi %up, %c16 : i32
    scf.for %j = %c0 to %parts step %c1 : i32 {
      %at = tt.addptr %p, %i : !tt.ptr<i32>, i32
      %x = arith.addi %j, %size : i32
      tt.store %at, %x : !tt.ptr<i32>
    }
  }
  tt.return
}

// -----

// Of two parts the second may run, or not.
// CHECK-LABEL: @halves
// CHECK-COUNT-2: scf.for
tt.func public @halves(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %over = arith.addi %n, %c15 : i32
  %blocks = arith.divsi %over, %c16 : i32
  scf.for %i = %c0 to %blocks step %c1 : i32 {
    %begin = arith.muli %i, %c16 : i32
    %rest = arith.subi %n, %begin : i32
    %size = arith.minsi %rest, %c16 : i32
    %up = arith.addi %size, %c7 : i32
    %parts = arith.divsi %up, %c8 : i32
    scf.for %j = %c0 to %parts step %c1 : i32 {
      %at = tt.addptr %p, %i : !tt.ptr<i32>, i32
      %x = arith.addi %j, %size : i32
      tt.store %at, %x : !tt.ptr<i32>
    }
  }
  tt.return
}

// -----

// The bounds are those of the rows of a block; what the loop carries goes on
// around the outer one.
// CHECK-LABEL: @rows
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %c0_i64)
// CHECK-NOT: scf.for
// CHECK: %[[WIDE:.*]] = arith.extsi %[[I]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[SUM]], %[[WIDE]]
// CHECK: scf.yield %[[NEXT]]
tt.func public @rows(%n: i32, %p: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %n step %c16 iter_args(%outer = %zero) -> (i64) : i32 {
    %next = arith.addi %i, %c16 : i32
    %end = arith.minsi %next, %n : i32
    %inner = scf.for %j = %i to %end step %c16 iter_args(%s = %outer) -> (i64) : i32 {
      %wide = arith.extsi %j : i32 to i64
      %more = arith.addi %s, %wide : i64
      scf.yield %more : i64
    }
    scf.yield %inner : i64
  }
  tt.store %p, %sum : !tt.ptr<i64>
  tt.return
}

// -----

// A program may be one too many: a branch.
// CHECK-LABEL: @program
// CHECK-SAME: %[[N:[^:]*]]: i32
// CHECK-NOT: scf.for
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %{{.*}}, %c0_i32
// CHECK: %[[SUM:.*]] = scf.if %[[ANY]] -> (i32) {
// CHECK: tt.store %{{.*}}, %[[N]]
// CHECK: %[[MORE:.*]] = arith.muli %[[N]], %c7_i32
// CHECK: scf.yield %[[MORE]]
// CHECK: } else {
// CHECK: scf.yield %[[N]]
// CHECK-NOT: scf.for
tt.func public @program(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c16 = arith.constant 16 : i32
  %pid = tt.get_program_id x : i32
  %begin = arith.muli %pid, %c16 : i32
  %rest = arith.subi %n, %begin : i32
  %size = arith.minsi %rest, %c1 : i32
  %sum = scf.for %i = %c0 to %size step %c1 iter_args(%s = %n) -> (i32) : i32 {
    tt.store %p, %s : !tt.ptr<i32>
    %more = arith.muli %s, %c7 : i32
    scf.yield %more : i32
  }
  tt.store %p, %sum : !tt.ptr<i32>
  tt.return
}

// -----

// The guard says that there are rows.
// CHECK-LABEL: @guarded
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK-NOT: scf.for
// CHECK: tt.store
tt.func public @guarded(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %pid = tt.get_program_id x : i32
  %begin = arith.muli %pid, %c16 : i32
  %none = arith.cmpi sge, %begin, %n : i32
  scf.if %none {
  } else {
    %rest = arith.subi %n, %begin : i32
    %size = arith.minsi %rest, %c1 : i32
    scf.for %i = %c0 to %size step %c1 : i32 {
      tt.store %p, %size : !tt.ptr<i32>
    }
  }
  tt.return
}

// -----

// What stands in the other branch does not hold.
// CHECK-LABEL: @unguarded
// CHECK-COUNT-2: scf.if
tt.func public @unguarded(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %pid = tt.get_program_id x : i32
  %begin = arith.muli %pid, %c16 : i32
  %none = arith.cmpi sgt, %begin, %n : i32
  scf.if %none {
  } else {
    %rest = arith.subi %n, %begin : i32
    %size = arith.minsi %rest, %c1 : i32
    scf.for %i = %c0 to %size step %c1 : i32 {
      tt.store %p, %size : !tt.ptr<i32>
    }
  }
  tt.return
}

// -----

// Of unsigned bounds nothing is known.
// CHECK-LABEL: @unsigned
// CHECK: scf.for
tt.func public @unsigned(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.minsi %n, %c1 : i32
  %most = arith.maxsi %size, %c0 : i32
  scf.for unsigned %i = %c0 to %most step %c1 : i32 {
    tt.store %p, %n : !tt.ptr<i32>
  }
  tt.return
}
