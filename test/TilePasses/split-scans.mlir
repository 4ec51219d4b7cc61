// RUN: tilewright-opt %s --tile-split-scans="num-warps=4" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --validate-passes --validate-report --tile-split-scans="num-warps=4" --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// They compute the same before and after.
// SAME: 'sums' was run on 3 inputs
// SAME: 'recurrence' was run on 3 inputs

// A part for each of four warps.
// CHECK-LABEL: @sums
// CHECK-DAG: %[[LAST:.*]] = arith.constant dense<255> : tensor<4x256xi32>
// CHECK: %[[CUT:.*]] = tt.reshape %{{.*}} : tensor<1024xi32> -> tensor<4x256xi32>
// CHECK: %[[PARTS:.*]] = "tt.scan"(%[[CUT]]) <{axis = 1 : i32, reverse = false}>
// CHECK: %[[ENDS:.*]] = arith.cmpi eq, %{{.*}}, %[[LAST]]
// CHECK: %[[BITS:.*]] = arith.select %[[ENDS]], %[[PARTS]], %{{.*}}
// CHECK: %[[TOTALS:.*]] = "tt.reduce"(%[[BITS]]) <{axis = 1 : i32}>
// CHECK: arith.ori
// CHECK: %[[SUMS:.*]] = "tt.scan"(%[[TOTALS]]) <{axis = 0 : i32, reverse = false}>
// CHECK: %[[BEFORE:.*]] = tt.gather %[[SUMS]][%{{.*}}] {axis = 0 : i32}
// CHECK: %[[ALL:.*]] = "tt.map_elementwise"(%{{.*}}, %[[PARTS]])
// CHECK: %[[CHOSEN:.*]] = arith.select %{{.*}}, %[[PARTS]], %[[ALL]]
// CHECK: tt.reshape %[[CHOSEN]] : tensor<4x256xi32> -> tensor<1024xi32>
tt.func public @sums(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %x = tt.load %a : tensor<1024x!tt.ptr<i32>>
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%u: i32, %v: i32):
    %w = arith.addi %u, %v : i32
    tt.scan.return %w : i32
  }) : (tensor<1024xi32>) -> tensor<1024xi32>
  %t = tt.splat %out : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %b = tt.addptr %t, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %b, %y : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// -----

// a x + b of pairs, from the end on: associative, but not commutative. The
// last results are the first elements of each part.
// CHECK-LABEL: @recurrence
// CHECK-DAG: %[[LAST:.*]] = arith.constant dense<3> : tensor<4xi32>
// CHECK: %[[PARTS:.*]]:2 = "tt.scan"(%{{.*}}, %{{.*}}) <{axis = 1 : i32, reverse = true}>
// CHECK: tt.bitcast %[[PARTS]]#0 : tensor<4x128xf16> -> tensor<4x128xi16>
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<4xi32>
// CHECK: %[[INDEX:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK: tt.gather %{{.*}}[%[[INDEX]]]
tt.func public @recurrence(%p: !tt.ptr<f16>, %q: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %sp = tt.splat %p : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %ap = tt.addptr %sp, %r : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %f = tt.load %ap : tensor<512x!tt.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<512xf16>
  %negative = arith.cmpf olt, %f, %zero : tensor<512xf16>
  %minus = arith.constant dense<-1.0> : tensor<512xf16>
  %plus = arith.constant dense<1.0> : tensor<512xf16>
  %a = arith.select %negative, %minus, %plus : tensor<512xi1>, tensor<512xf16>
  %sq = tt.splat %q : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %aq = tt.addptr %sq, %r : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %b = tt.load %aq : tensor<512x!tt.ptr<i32>>
  %y:2 = "tt.scan"(%a, %b) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a1: f16, %b1: i32, %a2: f16, %b2: i32):
    %aa = arith.mulf %a1, %a2 : f16
    %n = arith.fptosi %a2 : f16 to i32
    %nb = arith.muli %n, %b1 : i32
    %bb = arith.addi %nb, %b2 : i32
    tt.scan.return %aa, %bb : f16, i32
  }) : (tensor<512xf16>, tensor<512xi32>) -> (tensor<512xf16>, tensor<512xi32>)
  %t = tt.splat %out : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %o = tt.addptr %t, %r : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %o, %y#1 : tensor<512x!tt.ptr<i32>>
  tt.return
}

// -----

// Two warps for each of two columns.
// CHECK-LABEL: @two_rows
// CHECK: tt.reshape %{{.*}} : tensor<4096x2xi32> -> tensor<2x2048x2xi32>
// CHECK: "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = false}>
// CHECK: "tt.scan"(%{{.*}}) <{axis = 0 : i32, reverse = false}>
tt.func public @two_rows(%x: tensor<4096x2xi32>, %p: tensor<4096x2x!tt.ptr<i32>>) {
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%u: i32, %v: i32):
    %w = arith.maxsi %u, %v : i32
    tt.scan.return %w : i32
  }) : (tensor<4096x2xi32>) -> tensor<4096x2xi32>
  tt.store %p, %y : tensor<4096x2x!tt.ptr<i32>>
  tt.return
}

// -----

// Short ones, and those of rows enough, stay.
// CHECK-LABEL: @stays
// CHECK-COUNT-2: "tt.scan"
// CHECK-NOT: "tt.scan"
tt.func public @stays(%x: tensor<256xi32>, %y: tensor<4x1024xi32>,
                     %p: tensor<256x!tt.ptr<i32>>, %q: tensor<4x1024x!tt.ptr<i32>>) {
  %a = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%u: i32, %v: i32):
    %w = arith.addi %u, %v : i32
    tt.scan.return %w : i32
  }) : (tensor<256xi32>) -> tensor<256xi32>
  %b = "tt.scan"(%y) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%u: i32, %v: i32):
    %w = arith.addi %u, %v : i32
    tt.scan.return %w : i32
  }) : (tensor<4x1024xi32>) -> tensor<4x1024xi32>
  tt.store %p, %a : tensor<256x!tt.ptr<i32>>
  tt.store %q, %b : tensor<4x1024x!tt.ptr<i32>>
  tt.return
}
