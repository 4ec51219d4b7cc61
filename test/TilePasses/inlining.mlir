// RUN: tilewright-opt %s --tilewright-tile | FileCheck %s

// CHECK-NOT: tt.func private
// CHECK-LABEL: tt.func public @caller
// CHECK-SAME: %[[X:.*]]: i32, %[[P:.*]]: !tt.ptr<i32>
// CHECK: %[[SUM:.*]] = arith.addi %[[X]], %[[X]] : i32
// CHECK: tt.store %[[P]], %[[SUM]]
tt.func public @caller(%x: i32, %p: !tt.ptr<i32>) {
  %0 = tt.call @twice(%x) : (i32) -> i32
  tt.store %p, %0 : !tt.ptr<i32>
  tt.return
}

tt.func private @twice(%x: i32) -> i32 attributes {noinline = true} {
  %0 = arith.addi %x, %x : i32
  tt.return %0 : i32
}
