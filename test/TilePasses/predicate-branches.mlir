// RUN: tilewright-opt %s --tile-predicate-branches --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --validate-passes --validate-report --tile-predicate-branches --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// They compute the same before and after.
// SAME: 'previous' was run on 3 inputs
// SAME: 'either' was run on 3 inputs
// SAME: 'nested' was run on 3 inputs
// SAME: 'combination' was run on 3 inputs
// SAME: 'load_or_constant' was run on 3 inputs

// The tile before, but in the first iteration.
// CHECK-LABEL: @previous
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO:.*]])
// CHECK: %[[LATER:.*]] = arith.cmpi sgt, %[[I]]
// CHECK-NOT: scf.if
// CHECK: %[[ALL:.*]] = tt.splat %[[LATER]] : i1 -> tensor<64xi1>
// CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %[[ALL]] : tensor<64xi1>
// CHECK: %[[HALF:.*]] = tt.load %{{.*}}, %[[MASK]], %{{.*}} : tensor<64x!tt.ptr<f16>>
// CHECK: %[[WIDE:.*]] = arith.extf %[[HALF]]
// CHECK: arith.select %[[LATER]], %[[WIDE]], %{{.*}} : tensor<64xf32>
// CHECK-NOT: scf.if
tt.func public @previous(%p: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %other = arith.constant dense<1.0> : tensor<64xf16>
  %limit = arith.constant dense<50> : tensor<64xi32>
  %lane = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %mask = arith.cmpi slt, %lane, %limit : tensor<64xi32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (tensor<64xf32>) : i32 {
    %later = arith.cmpi sgt, %i, %c0 : i32
    %v = scf.if %later -> (tensor<64xf32>) {
      %j = arith.subi %i, %c1 : i32
      %at = arith.muli %j, %c64 : i32
      %q = tt.addptr %p, %at : !tt.ptr<f16>, i32
      %all = tt.splat %q : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
      %from = tt.addptr %all, %lane : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
      %h = tt.load %from, %mask, %other : tensor<64x!tt.ptr<f16>>
      %w = arith.extf %h : tensor<64xf16> to tensor<64xf32>
      scf.yield %w : tensor<64xf32>
    } else {
      scf.yield %zero : tensor<64xf32>
    }
    %next = arith.addf %s, %v : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %each = tt.addptr %to, %lane : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %each, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Both ways load scalars, without masks; a loop of unknown length.
// CHECK-LABEL: @either
// CHECK: scf.while
// CHECK-DAG: %[[ODD:.*]] = arith.cmpi eq
// CHECK-DAG: %[[EVEN:.*]] = arith.cmpi ne
// CHECK-DAG: tt.load %{{.*}}, %[[ODD]] : !tt.ptr<i32>
// CHECK-DAG: tt.load %{{.*}}, %[[EVEN]] : !tt.ptr<i32>
// CHECK: arith.select %[[ODD]]
// CHECK-NOT: scf.if
tt.func public @either(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %r:2 = scf.while (%i = %c0, %s = %c0) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %c6 : i32
    scf.condition(%more) %i, %s : i32, i32
  } do {
  ^bb0(%i: i32, %s: i32):
    %bit = arith.andi %i, %c1 : i32
    %odd = arith.cmpi eq, %bit, %c1 : i32
    %v = scf.if %odd -> (i32) {
      %a = tt.addptr %p, %i : !tt.ptr<i32>, i32
      %x = tt.load %a : !tt.ptr<i32>
      scf.yield %x : i32
    } else {
      %a = tt.addptr %q, %i : !tt.ptr<i32>, i32
      %x = tt.load %a : !tt.ptr<i32>
      scf.yield %x : i32
    }
    %t = arith.addi %s, %v : i32
    %n = arith.addi %i, %c1 : i32
    scf.yield %n, %t : i32, i32
  }
  tt.store %out, %r#1 : !tt.ptr<i32>
  tt.return
}

// -----

// The inner one goes, with what is around it: it is part of the loop then.
// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func public @nested(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c6 = arith.constant 6 : i32
  %sum = scf.for %i = %c0 to %c6 step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %later = arith.cmpi sgt, %i, %c0 : i32
    %v = scf.if %later -> (i32) {
      %early = arith.cmpi slt, %i, %c2 : i32
      %w = scf.if %early -> (i32) {
        %a = tt.addptr %p, %i : !tt.ptr<i32>, i32
        %x = tt.load %a : !tt.ptr<i32>
        scf.yield %x : i32
      } else {
        scf.yield %c2 : i32
      }
      scf.yield %w : i32
    } else {
      scf.yield %c1 : i32
    }
    %t = arith.addi %s, %v : i32
    scf.yield %t : i32
  }
  tt.store %out, %sum : !tt.ptr<i32>
  tt.return
}

// -----

// What lanes combine by has no branches, with loads or without.
// CHECK-LABEL: @combination
// CHECK: "tt.reduce"
// CHECK-NOT: scf.if
// CHECK: arith.select
// CHECK: tt.reduce.return
tt.func public @combination(%p: !tt.ptr<i32>, %n: i32, %out: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<i32>>
  %y = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%u: i32, %v: i32):
    %less = arith.cmpi slt, %u, %v : i32
    %w = scf.if %less -> (i32) {
      scf.yield %v : i32
    } else {
      %t = arith.ori %u, %v : i32
      %m = arith.maxsi %t, %u : i32
      %b = arith.minsi %m, %u : i32
      scf.yield %b : i32
    }
    tt.reduce.return %w : i32
  }) : (tensor<64xi32>) -> i32
  tt.store %out, %y : !tt.ptr<i32>
  tt.return
}

// -----

// In no loop, a tile of any size, or a constant: what the mask leaves out. What is
// no load, or gives something else there, stays (two branches that become one).
// CHECK-LABEL: @load_or_constant
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<2048xi32>
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1> : tensor<2048xi32>
// CHECK-DAG: %[[IS:.*]] = arith.cmpi sgt
// CHECK-DAG: %[[NOT:.*]] = arith.cmpi sle
// CHECK-DAG: %[[ALL:.*]] = tt.splat %[[IS]] : i1 -> tensor<2048xi1>
// CHECK-DAG: %[[NONE:.*]] = tt.splat %[[NOT]] : i1 -> tensor<2048xi1>
// CHECK-DAG: %[[MASK:.*]] = arith.andi %{{.*}}, %[[NONE]]
// CHECK-DAG: %[[FIRST:.*]] = tt.load %{{.*}}, %[[ALL]], %[[ONES]] : tensor<2048x!tt.ptr<i32>>
// CHECK-DAG: %[[SECOND:.*]] = tt.load %{{.*}}, %[[MASK]], %[[ZEROS]] : tensor<2048x!tt.ptr<i32>>
// CHECK-NOT: arith.select
// CHECK: scf.if %[[IS]] -> (tensor<2048xi32>, tensor<2048xi32>)
// CHECK: arith.addi %[[FIRST]], %[[SECOND]]
tt.func public @load_or_constant(%p: !tt.ptr<i32>, %d: i32, %out: !tt.ptr<i32>) {
  %c3 = arith.constant 3 : i32
  %zeros = arith.constant dense<0> : tensor<2048xi32>
  %ones = arith.constant dense<1> : tensor<2048xi32>
  %limit = arith.constant dense<1900> : tensor<2048xi32>
  %range = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %all = tt.splat %p : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %is = arith.cmpi sgt, %d, %c3 : i32
  %first = scf.if %is -> (tensor<2048xi32>) {
    %at = tt.addptr %all, %range : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
    %x = tt.load %at : tensor<2048x!tt.ptr<i32>>
    scf.yield %x : tensor<2048xi32>
  } else {
    scf.yield %ones : tensor<2048xi32>
  }
  %second = scf.if %is -> (tensor<2048xi32>) {
    scf.yield %zeros : tensor<2048xi32>
  } else {
    %at = tt.addptr %all, %range : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
    %mask = arith.cmpi slt, %range, %limit : tensor<2048xi32>
    %x = tt.load %at, %mask, %zeros : tensor<2048x!tt.ptr<i32>>
    scf.yield %x : tensor<2048xi32>
  }
  %third = scf.if %is -> (tensor<2048xi32>) {
    scf.yield %ones : tensor<2048xi32>
  } else {
    %at = tt.addptr %all, %range : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
    %mask = arith.cmpi slt, %range, %limit : tensor<2048xi32>
    %x = tt.load %at, %mask, %zeros : tensor<2048x!tt.ptr<i32>>
    scf.yield %x : tensor<2048xi32>
  }
  %fourth = scf.if %is -> (tensor<2048xi32>) {
    %x = arith.muli %first, %first : tensor<2048xi32>
    scf.yield %x : tensor<2048xi32>
  } else {
    scf.yield %zeros : tensor<2048xi32>
  }
  %sum = arith.addi %first, %second : tensor<2048xi32>
  %sum1 = arith.addi %sum, %third : tensor<2048xi32>
  %sum2 = arith.addi %sum1, %fourth : tensor<2048xi32>
  %tos = tt.splat %out : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %to = tt.addptr %tos, %range : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  tt.store %to, %sum2 : tensor<2048x!tt.ptr<i32>>
  tt.return
}

// -----

// What is volatile, stores, divides by what may be 0, is large, or is a number
// in no loop is done on its own way alone.
// CHECK-LABEL: @stays
// CHECK-COUNT-5: scf.if
// CHECK: tt.return
tt.func public @stays(%p: !tt.ptr<i32>, %d: i32, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zeros = arith.constant dense<0> : tensor<2048xi32>
  %range = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %all = tt.splat %p : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %places = tt.addptr %all, %range : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  %is = arith.cmpi sgt, %d, %c3 : i32
  %first = scf.if %is -> (i32) {
    %x = tt.load %p : !tt.ptr<i32>
    scf.yield %x : i32
  } else {
    scf.yield %c0 : i32
  }
  %sum:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %first, %tile = %zeros) -> (i32, tensor<2048xi32>) : i32 {
    %is1 = arith.cmpi sgt, %i, %c1 : i32
    %is2 = arith.cmpi sgt, %i, %d : i32
    %is3 = arith.cmpi slt, %i, %d : i32
    %is4 = arith.cmpi eq, %i, %d : i32
    %a = tt.addptr %p, %i : !tt.ptr<i32>, i32
    %u = scf.if %is1 -> (i32) {
      %x = tt.load %a {isVolatile = true} : !tt.ptr<i32>
      scf.yield %x : i32
    } else {
      scf.yield %c0 : i32
    }
    %v = scf.if %is2 -> (i32) {
      %x = tt.load %a : !tt.ptr<i32>
      tt.store %out, %x : !tt.ptr<i32>
      scf.yield %x : i32
    } else {
      scf.yield %c0 : i32
    }
    %w = scf.if %is3 -> (i32) {
      %x = tt.load %a : !tt.ptr<i32>
      %y = arith.divsi %x, %i : i32
      scf.yield %y : i32
    } else {
      scf.yield %c0 : i32
    }
    %t = scf.if %is4 -> (tensor<2048xi32>) {
      %x = tt.load %places : tensor<2048x!tt.ptr<i32>>
      scf.yield %x : tensor<2048xi32>
    } else {
      scf.yield %tile : tensor<2048xi32>
    }
    %uv = arith.addi %u, %v : i32
    %uvw = arith.addi %uv, %w : i32
    %n = arith.addi %s, %uvw : i32
    scf.yield %n, %t : i32, tensor<2048xi32>
  }
  %to = tt.splat %out : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %each = tt.addptr %to, %range : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  tt.store %each, %sum#1 : tensor<2048x!tt.ptr<i32>>
  tt.store %out, %sum#0 : !tt.ptr<i32>
  tt.return
}
