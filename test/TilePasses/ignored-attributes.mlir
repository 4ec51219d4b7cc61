// Hints that nothing is made of are said, at the author's lines, where remarks
// are asked for; and change nothing.

// RUN: tilewright compile %s --emit=ptx --remarks=missed -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=ignores

// CHECK: kernel.py:1:0: remark: ignores tt.pointer_range, which is a hint
// CHECK: kernel.py:3:4: remark: ignores tt.flatten, which is a hint

#loc = loc("kernel.py":1:0)
#loc1 = loc("kernel.py":3:4)
tt.func public @kernel(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32} loc(#loc), %n: i32 loc(#loc)) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.flatten, tt.num_stages = 3 : i32} loc(#loc1)
  // A barrier as Triton prints it since 3.7.
  ttg.barrier local|global_read
  ttg.barrier all
  tt.return
} loc(#loc)
