// RUN: tilewright-opt %s --tilegpu-find-longest-programs --tilegpu-order-programs --canonicalize --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --tilegpu-find-longest-programs --split-input-file | FileCheck %s --check-prefix=FOUND
// RUN: tilewright-opt %s --validate-passes --validate-report --tilegpu-find-longest-programs --tilegpu-order-programs --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// They compute the same before and after.
// SAME: 'sections' was run on 3 inputs
// SAME: 'one_axis' was run on 3 inputs
// SAME: 'shorter' was run on 3 inputs
// SAME: 'window' was run on 3 inputs

// The later the tile, the more iterations: the last come first, in sections of
// at most 512 programs of four warps: of a power of two of numbers along y.
// FOUND: @sections({{.*}} attributes {tilegpu.longest_last = "x"}
// CHECK-LABEL: @sections
// CHECK: %[[SIZE:.*]] = tt.get_num_programs x
// CHECK: %[[Y:.*]] = tt.get_program_id y
// CHECK: %[[SIZEY:.*]] = tt.get_num_programs y
// CHECK: %[[ABOVE:.*]] = arith.subi %[[SIZE]], %c1_i32 overflow<nsw, nuw>
// CHECK: %[[ZEROS:.*]] = math.ctlz %[[ABOVE]]
// CHECK: %[[ROOM:.*]] = arith.subi %[[ZEROS]], %c23_i32
// CHECK: %[[MOST:.*]] = arith.maxsi %[[ROOM]], %c0_i32
// CHECK: %[[DIFFERING:.*]] = arith.xori %[[Y]], %[[SIZEY]]
// CHECK: %[[COMMON:.*]] = math.ctlz %[[DIFFERING]]
// CHECK: %[[LEFT:.*]] = arith.subi %c31_i32, %[[COMMON]] overflow<nsw, nuw>
// CHECK: %[[BITS:.*]] = arith.minui %[[MOST]], %[[LEFT]]
// CHECK: %[[WIDTH:.*]] = arith.shli %c1_i32, %[[BITS]] overflow<nsw, nuw>
// CHECK: %[[BELOW:.*]] = arith.subi %[[WIDTH]], %c1_i32 overflow<nsw, nuw>
// CHECK: %[[ROW:.*]] = arith.andi %[[Y]], %[[BELOW]]
// CHECK: %[[BEGIN:.*]] = arith.subi %[[Y]], %[[ROW]] overflow<nsw, nuw>
// CHECK: %[[X:.*]] = tt.get_program_id x
// CHECK: %[[BEFORE:.*]] = arith.muli %[[ROW]], %[[SIZE]] overflow<nsw, nuw>
// CHECK: %[[INSIDE:.*]] = arith.addi %[[X]], %[[BEFORE]] overflow<nsw, nuw>
// CHECK: %[[COLUMN:.*]] = arith.shrui %[[INSIDE]], %[[BITS]]
// CHECK: %[[REST:.*]] = arith.andi %[[INSIDE]], %[[BELOW]]
// CHECK: %[[NEWY:.*]] = arith.addi %[[BEGIN]], %[[REST]] overflow<nsw, nuw>
// CHECK: %[[NEWX:.*]] = arith.subi %{{.*}}, %[[COLUMN]] overflow<nsw, nuw>
// CHECK: arith.muli %[[NEWX]], %c32_i32
// CHECK: tt.addptr %{{.*}}, %[[NEWY]]
tt.func public @sections(%keys: i32, %p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %row = arith.muli %x, %c32 : i32
  %seen = arith.addi %row, %c32 : i32
  %end = arith.minsi %seen, %keys : i32
  %whole = arith.divsi %end, %c16 : i32
  %q = tt.addptr %p, %y : !tt.ptr<i32>, i32
  %sum = scf.for %i = %c0 to %whole step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %from = tt.addptr %q, %i : !tt.ptr<i32>, i32
    %v = tt.load %from : !tt.ptr<i32>
    %next = arith.addi %s, %v : i32
    scf.yield %next : i32
  }
  // A second loop, from where the first ends, says nothing.
  %rest = scf.for %i = %whole to %end step %c16 iter_args(%s = %sum) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %gx = tt.get_num_programs x : i32
  %before = arith.muli %y, %gx : i32
  %at = arith.addi %before, %x : i32
  %to = tt.addptr %out, %at : !tt.ptr<i32>, i32
  tt.store %to, %rest : !tt.ptr<i32>
  tt.return
}

// -----

// Nobody asks for the number along the next axis. What is loaded is the same in
// all programs.
// FOUND: @one_axis({{.*}} attributes {tilegpu.longest_last = "y"}
// CHECK-LABEL: @one_axis
// CHECK: %[[Y:.*]] = tt.get_program_id y
// CHECK: %[[SIZE:.*]] = tt.get_num_programs y
// CHECK: %[[LAST:.*]] = arith.subi %[[SIZE]], %c1_i32 overflow<nsw, nuw>
// CHECK: %[[NEW:.*]] = arith.subi %[[LAST]], %[[Y]] overflow<nsw, nuw>
// CHECK: arith.maxsi %[[NEW]],
tt.func public @one_axis(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %y = tt.get_program_id y : i32
  %least = tt.load %p : !tt.ptr<i32>
  %end = arith.maxsi %y, %least : i32
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %to = tt.addptr %out, %y : !tt.ptr<i32>, i32
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}

// -----

// The longest do come first, but one section of y after the other is better.
// FOUND: @shorter({{.*}} attributes {tilegpu.longest_first = "x"}
// CHECK-LABEL: @shorter
// CHECK: %[[BITS:.*]] = arith.minui
// CHECK: %[[COLUMN:.*]] = arith.shrui %{{.*}}, %[[BITS]]
// CHECK: scf.for %{{.*}} = %[[COLUMN]] to
tt.func public @shorter(%out: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %gx = tt.get_num_programs x : i32
  %sum = scf.for %i = %x to %gx step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %before = arith.muli %y, %gx : i32
  %at = arith.addi %before, %x : i32
  %to = tt.addptr %out, %at : !tt.ptr<i32>, i32
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}

// -----

// Where the loop begins later as it ends later, nothing is known.
// FOUND-NOT: longest
// CHECK-LABEL: @window
// CHECK-NOT: tt.get_num_programs
tt.func public @window(%width: i32, %out: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %x = tt.get_program_id x : i32
  %far = arith.subi %x, %width : i32
  %begin = arith.maxsi %far, %c0 : i32
  %sum = scf.for %i = %begin to %x step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %c1 : i32
    scf.yield %next : i32
  }
  %to = tt.addptr %out, %x : !tt.ptr<i32>, i32
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}

// -----

// What is left of a chunk of 64 is less in the last program alone.
// CHECK-LABEL: @chunk
// CHECK-NOT: tt.get_num_programs
tt.func public @chunk(%length: i32, %out: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %begin = arith.muli %x, %c64 : i32
  %left = arith.subi %length, %begin : i32
  %end = arith.minsi %left, %c64 : i32
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %at = arith.addi %x, %y : i32
  %to = tt.addptr %out, %at : !tt.ptr<i32>, i32
  tt.store %to, %sum : !tt.ptr<i32>
  tt.return
}

// -----

// A grid of programs that go through tiles, from their number on.
// CHECK-LABEL: @strided
// CHECK-NOT: tt.get_num_programs
tt.func public @strided(%tiles: i32, %out: !tt.ptr<i32>) {
  %c132 = arith.constant 132 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  scf.for %i = %x to %tiles step %c132 : i32 {
    %at = arith.addi %i, %y : i32
    %to = tt.addptr %out, %at : !tt.ptr<i32>, i32
    tt.store %to, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// One program may wait for what another adds.
// CHECK-LABEL: @waits
// CHECK-NOT: tt.get_num_programs
tt.func public @waits(%out: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %x = tt.get_program_id x : i32
  %sum = scf.for %i = %c0 to %x step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %old = tt.atomic_rmw add, acq_rel, gpu, %out, %sum, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// -----

// The number that is printed is the program's.
// CHECK-LABEL: @prints
// CHECK-NOT: tt.get_num_programs
tt.func public @prints() {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %x = tt.get_program_id x : i32
  %sum = scf.for %i = %c0 to %x step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  tt.print "sum" {hex = false, isSigned = array<i32: 1>} : %sum : i32
  tt.return
}

// -----

// And so is the one whose assertion fails.
// CHECK-LABEL: @asserts
// CHECK-NOT: tt.get_num_programs
tt.func public @asserts(%n: i32) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %x = tt.get_program_id x : i32
  %sum = scf.for %i = %c0 to %x step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %ok = arith.cmpi sle, %sum, %n : i32
  tt.assert %ok, "sum" : i1
  tt.return
}

// -----

// The programs of a cluster share what their numbers have them copy.
// FOUND: @cluster({{.*}} attributes {tilegpu.cluster = 2 : i32, tilegpu.longest_last = "x"}
// CHECK-LABEL: @cluster
// CHECK: %[[X:.*]] = tt.get_program_id x
// CHECK: arith.muli %[[X]], %c32_i32
tt.func public @cluster(%keys: i32, %p: !tt.ptr<i32>, %out: !tt.ptr<i32>) attributes {tilegpu.cluster = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %row = arith.muli %x, %c32 : i32
  %seen = arith.addi %row, %c32 : i32
  %end = arith.minsi %seen, %keys : i32
  %whole = arith.divsi %end, %c16 : i32
  %q = tt.addptr %p, %y : !tt.ptr<i32>, i32
  %sum = scf.for %i = %c0 to %whole step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %from = tt.addptr %q, %i : !tt.ptr<i32>, i32
    %v = tt.load %from : !tt.ptr<i32>
    %next = arith.addi %s, %v : i32
    scf.yield %next : i32
  }
  // A second loop, from where the first ends, says nothing.
  %rest = scf.for %i = %whole to %end step %c16 iter_args(%s = %sum) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %gx = tt.get_num_programs x : i32
  %before = arith.muli %y, %gx : i32
  %at = arith.addi %before, %x : i32
  %to = tt.addptr %out, %at : !tt.ptr<i32>, i32
  tt.store %to, %rest : !tt.ptr<i32>
  tt.return
}
