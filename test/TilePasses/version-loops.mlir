// RUN: tilewright-opt %s --tile-version-loops=num-warps=4 --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --validate-passes --validate-report --tile-version-loops=num-warps=4 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// They compute the same before and after.
// SAME: 'row' was run on 3 inputs
// SAME: 'carried' was run on 3 inputs
// SAME: 'written' was run on 3 inputs
// SAME: 'other' was run on 3 inputs
// SAME: 'wide' was run on 3 inputs

// A row of one tile is read once; the last loop stores what the others led to.
// CHECK-LABEL: @row
// CHECK-SAME: %[[N:[^:]*]]: i32
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[N]], %c0_i32
// CHECK: %[[ONE:.*]] = arith.cmpi sle, %[[N]], %c64_i32
// CHECK: %[[SINGLE:.*]] = arith.andi %[[ANY]], %[[ONE]]
// CHECK: scf.if %[[SINGLE]] {
// CHECK-NOT: scf.for
// CHECK: %[[X:.*]] = tt.load
// CHECK-NOT: tt.load
// CHECK: arith.subf %[[X]],
// CHECK: tt.store
// CHECK: } else {
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
tt.func public @row(%n: i32, %p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %lane = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %here = arith.addi %at, %lane : tensor<64xi32>
    %end = tt.splat %n : i32 -> tensor<64xi32>
    %mask = arith.cmpi slt, %here, %end : tensor<64xi32>
    %all = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %from = tt.addptr %all, %here : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %from, %mask, %zero : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %mean = "tt.reduce"(%sum) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  scf.for %i = %c0 to %n step %c64 : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %here = arith.addi %at, %lane : tensor<64xi32>
    %end = tt.splat %n : i32 -> tensor<64xi32>
    %mask = arith.cmpi slt, %here, %end : tensor<64xi32>
    %all = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %from = tt.addptr %all, %here : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %from, %mask, %zero : tensor<64x!tt.ptr<f32>>
    %means = tt.splat %mean : f32 -> tensor<64xf32>
    %y = arith.subf %x, %means : tensor<64xf32>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %to = tt.addptr %outs, %here : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %to, %y, %mask : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// Pointers that loops carry, each by its own copy of the first ones; the sum is
// what an outer loop carries.
// CHECK-LABEL: @carried
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[NEXT:.*]] = scf.if %{{.*}} -> (tensor<64xf32>) {
// CHECK-NOT: scf.for
// CHECK: %[[X:.*]] = tt.load
// CHECK-NOT: tt.load
// CHECK: %[[ONCE:.*]] = arith.addf %{{.*}}, %[[X]]
// CHECK: %[[TWICE:.*]] = arith.addf %[[ONCE]], %[[X]]
// CHECK: scf.yield %[[TWICE]]
// CHECK: } else {
// CHECK-COUNT-2: scf.for
// CHECK: scf.yield
// CHECK: scf.yield %[[NEXT]]
tt.func public @carried(%n: i32, %p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %lane = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %outs, %lane : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %all = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %first = tt.addptr %all, %lane : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %sum = scf.for %j = %c0 to %c3 step %c1 iter_args(%t = %zero) -> (tensor<64xf32>) : i32 {
    %all1 = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %first1 = tt.addptr %all1, %lane : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %a:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %t, %q = %first1) -> (tensor<64xf32>, tensor<64x!tt.ptr<f32>>) : i32 {
      %x = tt.load %q : tensor<64x!tt.ptr<f32>>
      %next = arith.addf %s, %x : tensor<64xf32>
      %r = tt.addptr %q, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %next, %r : tensor<64xf32>, tensor<64x!tt.ptr<f32>>
    }
    %b:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %a#0, %q = %first) -> (tensor<64xf32>, tensor<64x!tt.ptr<f32>>) : i32 {
      %x = tt.load %q : tensor<64x!tt.ptr<f32>>
      %next = arith.addf %s, %x : tensor<64xf32>
      %r = tt.addptr %q, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %next, %r : tensor<64xf32>, tensor<64x!tt.ptr<f32>>
    }
    scf.yield %b#0 : tensor<64xf32>
  }
  tt.store %to, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// What the second loop reads may have been written since.
// CHECK-LABEL: @written
// CHECK-NOT: scf.if
tt.func public @written(%n: i32, %p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %lane = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %outs, %lane : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %all = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %first = tt.addptr %all, %lane : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %a = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %from = tt.addptr %first, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %from : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tt.store %to, %a : tensor<64x!tt.ptr<f32>>
  %b = scf.for %i = %c0 to %n step %c64 iter_args(%s = %a) -> (tensor<64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %from = tt.addptr %first, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %from : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tt.store %to, %b : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// The loops go to other ends, so that one may have several iterations; and one
// whose iterations are counted needs no version.
// CHECK-LABEL: @other
// CHECK-NOT: scf.if
tt.func public @other(%n: i32, %m: i32, %p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %lane = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %outs, %lane : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %all = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %first = tt.addptr %all, %lane : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %c192 = arith.constant 192 : i32
  %a = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %from = tt.addptr %first, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %from : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %b = scf.for %i = %c0 to %m step %c64 iter_args(%s = %a) -> (tensor<64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %from = tt.addptr %first, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %from : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %c = scf.for %i = %c0 to %c192 step %c64 iter_args(%s = %b) -> (tensor<64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %from = tt.addptr %first, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %from : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %d = scf.for %i = %c0 to %c192 step %c64 iter_args(%s = %c) -> (tensor<64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %from = tt.addptr %first, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %from : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tt.store %to, %d : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// More than 64 elements a thread are not kept.
// CHECK-LABEL: @wide
// CHECK-NOT: scf.if
tt.func public @wide(%n: i32, %p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 16384 : i32
  %zero = arith.constant dense<0.0> : tensor<16384xf32>
  %lane = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>>
  %to = tt.addptr %outs, %lane : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
  %all = tt.splat %p : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>>
  %first = tt.addptr %all, %lane : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
  %a = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<16384xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<16384xi32>
    %from = tt.addptr %first, %at : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
    %x = tt.load %from : tensor<16384x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<16384xf32>
    scf.yield %next : tensor<16384xf32>
  }
  %b = scf.for %i = %c0 to %n step %c64 iter_args(%s = %a) -> (tensor<16384xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<16384xi32>
    %from = tt.addptr %first, %at : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
    %x = tt.load %from : tensor<16384x!tt.ptr<f32>>
    %next = arith.addf %s, %x : tensor<16384xf32>
    scf.yield %next : tensor<16384xf32>
  }
  tt.store %to, %b : tensor<16384x!tt.ptr<f32>>
  tt.return
}
