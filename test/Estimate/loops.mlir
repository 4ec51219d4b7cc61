// Trips of loops: from arguments, program numbers and loops around them; a
// guess where they are not known.

// RUN: tilewright compile %s --target=sm_80 --emit=estimate --launch=8,size=100,step=3 -o - | FileCheck %s
// RUN: tilewright compile %s --target=sm_80 --emit=estimate --launch=8,size=0,step=3 -o - | FileCheck %s --check-prefix=NONE
// RUN: tilewright compile %s --target=sm_80 --emit=estimate --launch=8 -o - | FileCheck %s --check-prefix=GUESS

// CHECK-LABEL: steps:
// CHECK: loop at {{.*}}: 34 iterations of
// NONE-LABEL: steps:
// NONE: loop at {{.*}}: 0 iterations of
// GUESS-LABEL: steps:
// GUESS: loop at {{.*}}: 16 iterations (a guess) of
tt.func public @steps(%to: !tt.ptr<i32>, %size: i32 loc("size"), %step: i32 loc("step")) {
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %zero to %size step %step iter_args(%before = %zero) -> (i32) : i32 {
    %value = tt.load %to {isVolatile = true} : !tt.ptr<i32>
    %after = arith.addi %before, %value : i32
    scf.yield %after : i32
  }
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}

// Program p of 8 goes from 0 to p: 3.5 in the mean.
// CHECK-LABEL: triangle:
// CHECK: loop at {{.*}}: 3.5 iterations of
tt.func public @triangle(%to: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %program = tt.get_program_id x : i32
  %sum = scf.for %i = %zero to %program step %one iter_args(%before = %zero) -> (i32) : i32 {
    %value = tt.load %to {isVolatile = true} : !tt.ptr<i32>
    %after = arith.addi %before, %value : i32
    scf.yield %after : i32
  }
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}

// Loops in loops; the grid's size.
// CHECK-LABEL: nested:
// CHECK: loop at {{.*}}: 5 iterations of
// CHECK-NEXT: loop at {{.*}}: 8 iterations of
tt.func public @nested(%to: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %programs = tt.get_num_programs x : i32
  %sum = scf.for %i = %zero to %five step %one iter_args(%outer = %zero) -> (i32) : i32 {
    %inner = scf.for %j = %zero to %programs step %one iter_args(%before = %outer) -> (i32) : i32 {
      %value = tt.load %to {isVolatile = true} : !tt.ptr<i32>
      %after = arith.addi %before, %value : i32
      scf.yield %after : i32
    }
    scf.yield %inner : i32
  }
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}

// A loop with a condition of its own.
// CHECK-LABEL: while:
// CHECK: loop at {{.*}}: 10 iterations of
tt.func public @while(%to: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %end = arith.constant 64 : i32
  %last = scf.while (%i = %zero) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %end : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %value = tt.load %to {isVolatile = true} : !tt.ptr<i32>
    tt.store %to, %value : !tt.ptr<i32>
    %next = arith.addi %i, %seven : i32
    scf.yield %next : i32
  }
  tt.store %to, %last : !tt.ptr<i32>
  tt.return
}
