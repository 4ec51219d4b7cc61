// RUN: tilewright-opt %s --tile-reread-awaited | FileCheck %s
// RUN: tilewright compile %s --target=sm_80 --num-warps=1 --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// Only another program ends such a loop.
// CHECK-LABEL: tt.func public @waits
// CHECK: tt.load %{{.*}} {isVolatile = true} : !tt.ptr<i32>
// PTX-LABEL: .entry waits(
// PTX: [[LOOP:[$]L__BB[0-9]+_[0-9]+]]:
// PTX: ld.volatile.global
// PTX: bra {{.*}}[[LOOP]]
tt.func public @waits(%flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    %v = tt.load %flag : !tt.ptr<i32>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.condition(%c)
  } do {
    scf.yield
  }
  tt.store %out, %zero : !tt.ptr<i32>
  tt.return
}

// The value before the loop is carried into it, and then what was loaded.
// CHECK-LABEL: tt.func public @carries_what_it_loads
// CHECK: tt.load %{{[^{]*}} : !tt.ptr<i32>
// CHECK: scf.while
// CHECK: tt.load %{{.*}} {isVolatile = true} : !tt.ptr<i32>
tt.func public @carries_what_it_loads(%flag: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %first = tt.load %flag : !tt.ptr<i32>
  %last:2 = scf.while (%v = %first, %same = %n) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %v, %same : i32
    scf.condition(%c) %v, %same : i32, i32
  } do {
  ^bb0(%v: i32, %same: i32):
    %next = tt.load %flag : !tt.ptr<i32>
    scf.yield %next, %same : i32, i32
  }
  tt.store %out, %last#0 : !tt.ptr<i32>
  tt.return
}

// A loop that counts ends by itself: its bound may be loaded once.
// CHECK-LABEL: tt.func public @counts
// CHECK-NOT: isVolatile
tt.func public @counts(%bound: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = scf.while (%i = %zero) : (i32) -> i32 {
    %n = tt.load %bound : !tt.ptr<i32>
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  tt.store %out, %last : !tt.ptr<i32>
  tt.return
}
