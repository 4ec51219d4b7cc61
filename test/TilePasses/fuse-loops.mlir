// RUN: tilewright-opt %s --tile-fuse-loops=num-warps=1 --canonicalize --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --validate-passes --validate-report --tile-fuse-loops=num-warps=1 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// They compute the same before and after.
// SAME: 'triangles' was run on 3 inputs
// SAME: 'equal' was run on 3 inputs
// SAME: 'dependent' was run on 3 inputs
// SAME: 'written' was run on 3 inputs
// SAME: 'large' was run on 3 inputs

// Two loops of other rows run as one, where they have as many; what stands
// between them and needs the first comes after.
// CHECK-LABEL: @triangles
// CHECK-SAME: %[[M:[^:]*]]: i32, %[[N:[^:]*]]: i32
// CHECK: %[[FIRST:.*]] = arith.subi %[[M]], %c2_i32
// CHECK: %[[SECOND:.*]] = arith.subi %[[N]], %c18_i32
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq, %[[FIRST]], %[[SECOND]]
// CHECK: %[[BOTH:.*]]:2 = scf.if %[[EQUAL]]
// CHECK: scf.for %[[I:.*]] = %c2_i32 to %[[M]] step %c1_i32 iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %
// CHECK: %[[J:.*]] = arith.addi %[[I]], %c16_i32
// CHECK: arith.sitofp %[[I]]
// CHECK-NEXT: arith.sitofp %[[J]]
// CHECK: "tt.reduce"(%[[X]])
// CHECK: "tt.reduce"(%[[Y]])
// CHECK: } else {
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: arith.negf %[[BOTH]]#0
tt.func public @triangles(%m: i32, %n: i32, %p: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c18 = arith.constant 18 : i32
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %two = arith.constant dense<0.5> : tensor<16x16xf32>
  %u = scf.for %i = %c2 to %m step %c1 iter_args(%x = %one) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<16x16xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %rows = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %y = arith.addf %rows, %all : tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %minus = arith.negf %u : tensor<16x16xf32>
  %v = scf.for %i = %c18 to %n step %c1 iter_args(%x = %two) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<16x16xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %rows = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %y = arith.addf %rows, %all : tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %s0 = "tt.reduce"(%minus) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %t0 = "tt.reduce"(%s0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  %d0 = arith.constant 0 : i32
  %p0 = tt.addptr %p, %d0 : !tt.ptr<f32>, i32
  tt.store %p0, %t0 : !tt.ptr<f32>
  %s1 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %t1 = "tt.reduce"(%s1) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  %d1 = arith.constant 1 : i32
  %p1 = tt.addptr %p, %d1 : !tt.ptr<f32>, i32
  tt.store %p1, %t1 : !tt.ptr<f32>
  tt.return
}

// -----

// Of equal bounds there is nothing to ask.
// CHECK-LABEL: @equal
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: tt.reduce
// CHECK: tt.reduce
// CHECK: scf.yield
// CHECK-NOT: scf.for
tt.func public @equal(%m: i32, %n: i32, %p: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c18 = arith.constant 18 : i32
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %two = arith.constant dense<0.5> : tensor<16x16xf32>
  %u = scf.for %i = %c2 to %m step %c1 iter_args(%x = %one) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<16x16xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %rows = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %y = arith.addf %rows, %all : tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %v = scf.for %i = %c2 to %m step %c1 iter_args(%x = %two) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<16x16xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %rows = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %y = arith.addf %rows, %all : tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %s0 = "tt.reduce"(%u) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %t0 = "tt.reduce"(%s0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  %d0 = arith.constant 0 : i32
  %p0 = tt.addptr %p, %d0 : !tt.ptr<f32>, i32
  tt.store %p0, %t0 : !tt.ptr<f32>
  %s1 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %t1 = "tt.reduce"(%s1) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  %d1 = arith.constant 1 : i32
  %p1 = tt.addptr %p, %d1 : !tt.ptr<f32>, i32
  tt.store %p1, %t1 : !tt.ptr<f32>
  tt.return
}

// -----

// The second starts where the first ended, be it through others.
// CHECK-LABEL: @dependent
// CHECK-NOT: scf.if
// CHECK-COUNT-2: scf.for
tt.func public @dependent(%m: i32, %n: i32, %p: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c18 = arith.constant 18 : i32
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %two = arith.constant dense<0.5> : tensor<16x16xf32>
  %u = scf.for %i = %c2 to %m step %c1 iter_args(%x = %one) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<16x16xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %rows = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %y = arith.addf %rows, %all : tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %minus = arith.negf %u : tensor<16x16xf32>
  %v = scf.for %i = %c2 to %m step %c1 iter_args(%x = %minus) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<16x16xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %rows = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %y = arith.addf %rows, %all : tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %s1 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %t1 = "tt.reduce"(%s1) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  %d1 = arith.constant 1 : i32
  %p1 = tt.addptr %p, %d1 : !tt.ptr<f32>, i32
  tt.store %p1, %t1 : !tt.ptr<f32>
  tt.return
}

// -----

// What is written between them the second may read.
// CHECK-LABEL: @written
// CHECK-NOT: scf.if
// CHECK-COUNT-2: scf.for
tt.func public @written(%m: i32, %n: i32, %p: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c18 = arith.constant 18 : i32
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %two = arith.constant dense<0.5> : tensor<16x16xf32>
  %u = scf.for %i = %c2 to %m step %c1 iter_args(%x = %one) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<16x16xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %rows = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %y = arith.addf %rows, %all : tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %s0 = "tt.reduce"(%u) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %t0 = "tt.reduce"(%s0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  %d0 = arith.constant 0 : i32
  %p0 = tt.addptr %p, %d0 : !tt.ptr<f32>, i32
  tt.store %p0, %t0 : !tt.ptr<f32>
  %v = scf.for %i = %c2 to %m step %c1 iter_args(%x = %two) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<16x16xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %rows = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %y = arith.addf %rows, %all : tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %s1 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %t1 = "tt.reduce"(%s1) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  %d1 = arith.constant 1 : i32
  %p1 = tt.addptr %p, %d1 : !tt.ptr<f32>, i32
  tt.store %p1, %t1 : !tt.ptr<f32>
  tt.return
}

// -----

// A thread has work while it waits.
// CHECK-LABEL: @large
// CHECK-NOT: scf.if
// CHECK-COUNT-2: scf.for
tt.func public @large(%m: i32, %n: i32, %p: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c18 = arith.constant 18 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf32>
  %two = arith.constant dense<0.5> : tensor<32x32xf32>
  %u = scf.for %i = %c2 to %m step %c1 iter_args(%x = %one) -> (tensor<32x32xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<32x32xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
    %rows = tt.broadcast %row : tensor<1x32xf32> -> tensor<32x32xf32>
    %y = arith.addf %rows, %all : tensor<32x32xf32>
    scf.yield %y : tensor<32x32xf32>
  }
  %v = scf.for %i = %c2 to %m step %c1 iter_args(%x = %two) -> (tensor<32x32xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %all = tt.splat %f : f32 -> tensor<32x32xf32>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %row = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
    %rows = tt.broadcast %row : tensor<1x32xf32> -> tensor<32x32xf32>
    %y = arith.addf %rows, %all : tensor<32x32xf32>
    scf.yield %y : tensor<32x32xf32>
  }
  %s0 = "tt.reduce"(%u) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %t0 = "tt.reduce"(%s0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<32xf32>) -> f32
  %d0 = arith.constant 0 : i32
  %p0 = tt.addptr %p, %d0 : !tt.ptr<f32>, i32
  tt.store %p0, %t0 : !tt.ptr<f32>
  %s1 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %t1 = "tt.reduce"(%s1) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<32xf32>) -> f32
  %d1 = arith.constant 1 : i32
  %p1 = tt.addptr %p, %d1 : !tt.ptr<f32>, i32
  tt.store %p1, %t1 : !tt.ptr<f32>
  tt.return
}
