// RUN: tilewright-opt %s --tile-factor-maxima | FileCheck %s

// The maximum is that of the scores, multiplied; the product stands where it is
// added to.
// CHECK-LABEL: tt.func @constant
tt.func @constant(%x: tensor<16x32xf32>, %y: tensor<16x32xf32>) -> (tensor<16xf32>, tensor<16x32xf32>) {
  %scale = arith.constant dense<0.125> : tensor<16x32xf32>
  %p = arith.mulf %x, %scale fastmath<contract> : tensor<16x32xf32>
  // CHECK: %[[LARGEST:.*]] = "tt.reduce"(%arg0)
  %m = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  // CHECK: %[[ROW:.*]] = arith.constant dense<1.250000e-01> : tensor<16xf32>
  // CHECK: %[[MAXIMUM:.*]] = arith.mulf %[[LARGEST]], %[[ROW]] : tensor<16xf32>
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %arg0, %{{.*}} fastmath<contract> : tensor<16x32xf32>
  // CHECK: %[[SUM:.*]] = arith.subf %[[PRODUCT]], %arg1
  %s = arith.subf %p, %y fastmath<contract> : tensor<16x32xf32>
  // CHECK: tt.return %[[MAXIMUM]], %[[SUM]]
  tt.return %m, %s : tensor<16xf32>, tensor<16x32xf32>
}

// Masks by -inf are those of the scores, whichever value it is.
// CHECK-LABEL: tt.func @masked
tt.func @masked(%x: tensor<16x32xf32>, %in: tensor<16x32xi1>, %out: tensor<16x32xi1>, %y: tensor<16x32xf32>) -> (tensor<16xf32>, tensor<16x32xf32>) {
  %scale = arith.constant dense<2.0> : tensor<16x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16x32xf32>
  %p = arith.mulf %scale, %x fastmath<contract> : tensor<16x32xf32>
  // CHECK: %[[IN:.*]] = arith.select %arg1, %arg0, %[[NONE:.*]] :
  %i = arith.select %in, %p, %none : tensor<16x32xi1>, tensor<16x32xf32>
  // CHECK: %[[BOTH:.*]] = arith.select %arg2, %[[NONE]], %[[IN]] :
  %o = arith.select %out, %none, %i : tensor<16x32xi1>, tensor<16x32xf32>
  // CHECK: "tt.reduce"(%[[BOTH]])
  %m = "tt.reduce"(%o) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[BOTH]], %{{.*}} fastmath<contract>
  // CHECK: arith.subf %[[PRODUCT]], %arg3
  %s = arith.subf %o, %y fastmath<contract> : tensor<16x32xf32>
  tt.return %m, %s : tensor<16xf32>, tensor<16x32xf32>
}

// A sum may take the product twice.
// CHECK-LABEL: tt.func @twice
tt.func @twice(%x: tensor<16x32xf32>) -> (f32, tensor<16x32xf32>) {
  %scale = arith.constant dense<0.5> : tensor<16x32xf32>
  %flat = tt.reshape %x : tensor<16x32xf32> -> tensor<512xf32>
  %scales = arith.constant dense<0.5> : tensor<512xf32>
  %all = arith.mulf %flat, %scales fastmath<contract> : tensor<512xf32>
  // CHECK: %[[LARGEST:.*]] = "tt.reduce"
  // CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK: arith.mulf %[[LARGEST]], %[[HALF]] : f32
  %m = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<512xf32>) -> f32
  %p = arith.mulf %x, %scale fastmath<contract> : tensor<16x32xf32>
  // CHECK: "tt.reduce"(%arg0)
  %rows = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %arg0, %{{.*}} fastmath<contract> : tensor<16x32xf32>
  // CHECK: arith.addf %[[PRODUCT]], %[[PRODUCT]]
  %s = arith.addf %p, %p fastmath<contract> : tensor<16x32xf32>
  tt.return %m, %s : f32, tensor<16x32xf32>
}

// Of a factor that nobody knows the sign goes to the operand that the loop leaves
// as it is: once for both loops. Its magnitude is no 0, so that -inf stays.
// CHECK-LABEL: tt.func @argument
// CHECK: %[[NEGATIVE:.*]] = arith.cmpf olt, %arg2, %{{.*}} : f32
// CHECK: %[[SIGN:.*]] = arith.select %[[NEGATIVE]], %{{.*}}, %{{.*}} : f16
// CHECK: %[[SIGNS:.*]] = tt.splat %[[SIGN]] : f16 -> tensor<16x16xf16>
// CHECK: %[[Q:.*]] = arith.mulf %arg0, %[[SIGNS]] : tensor<16x16xf16>
// CHECK: %[[MAGNITUDE:.*]] = math.absf %arg2 : f32
// CHECK: %[[LEAST:.*]] = arith.constant 1.17549435E-38 : f32
// CHECK: %[[FACTOR:.*]] = arith.maximumf %[[MAGNITUDE]], %[[LEAST]] : f32
// CHECK-NOT: math.absf
tt.func @argument(%q: tensor<16x16xf16>, %ks: tensor<16x128x!tt.ptr<f16>>, %scale: f32, %n: i32, %best: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %scales = tt.splat %scale : f32 -> tensor<16x128xf32>
  // CHECK: scf.for
  %first = scf.for %i = %c0 to %n step %c1 iter_args(%b = %best) -> tensor<16xf32> : i32 {
    %k = tt.load %ks : tensor<16x128x!tt.ptr<f16>>
    // CHECK: %[[DOT:.*]] = tt.dot %[[Q]],
    %d = tt.dot %q, %k, %zero : tensor<16x16xf16> * tensor<16x128xf16> -> tensor<16x128xf32>
    %p = arith.mulf %d, %scales fastmath<contract> : tensor<16x128xf32>
    // CHECK: "tt.reduce"(%[[DOT]])
    %m = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %c = arith.maxnumf %x, %y : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x128xf32>) -> tensor<16xf32>
    // CHECK: %[[ROW:.*]] = tt.splat %[[FACTOR]] : f32 -> tensor<16xf32>
    // CHECK: arith.mulf %{{.*}}, %[[ROW]] : tensor<16xf32>
    %l = arith.maxnumf %b, %m : tensor<16xf32>
    %e = tt.expand_dims %l {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %all = tt.broadcast %e : tensor<16x1xf32> -> tensor<16x128xf32>
    // CHECK: %[[TILE:.*]] = tt.splat %[[FACTOR]] : f32 -> tensor<16x128xf32>
    // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[DOT]], %[[TILE]] fastmath<contract>
    // CHECK: arith.subf %[[PRODUCT]],
    %s = arith.subf %p, %all fastmath<contract> : tensor<16x128xf32>
    %t = "tt.reduce"(%s) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %c = arith.addf %x, %y : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x128xf32>) -> tensor<16xf32>
    scf.yield %t : tensor<16xf32>
  }
  // CHECK: scf.for
  // CHECK: tt.dot %[[Q]],
  %second = scf.for %i = %c0 to %n step %c1 iter_args(%b = %best) -> tensor<16xf32> : i32 {
    %k = tt.load %ks : tensor<16x128x!tt.ptr<f16>>
    %d = tt.dot %q, %k, %zero : tensor<16x16xf16> * tensor<16x128xf16> -> tensor<16x128xf32>
    %p = arith.mulf %scales, %d fastmath<contract> : tensor<16x128xf32>
    %m = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %c = arith.maxnumf %x, %y : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x128xf32>) -> tensor<16xf32>
    scf.yield %m : tensor<16xf32>
  }
  tt.return %first, %second : tensor<16xf32>, tensor<16xf32>
}

// Factors that are not positive, or may be anything; products that have to be
// computed anyway, or may not be fused; and maxima with their places.
// CHECK-LABEL: tt.func @others
tt.func @others(%x: tensor<16x32xf32>, %scale: f32, %at: tensor<16x32x!tt.ptr<f32>>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %negative = arith.constant dense<-2.0> : tensor<16x32xf32>
  %two = arith.constant dense<2.0> : tensor<16x32xf32>
  %places = arith.constant dense<0> : tensor<16x32xi32>
  %scales = tt.splat %scale : f32 -> tensor<16x32xf32>
  // CHECK: %[[A:.*]] = arith.mulf
  // CHECK: "tt.reduce"(%[[A]])
  %a = arith.mulf %x, %negative fastmath<contract> : tensor<16x32xf32>
  %ma = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.maxnumf %l, %r : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  // CHECK: %[[B:.*]] = arith.mulf
  // CHECK: "tt.reduce"(%[[B]])
  %b = arith.mulf %x, %scales fastmath<contract> : tensor<16x32xf32>
  %mb = "tt.reduce"(%b) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %c = arith.maxnumf %l, %r : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  // CHECK: %[[C:.*]] = arith.mulf
  // CHECK: "tt.reduce"(%[[C]])
  %c = arith.mulf %x, %two fastmath<contract> : tensor<16x32xf32>
  tt.store %at, %c : tensor<16x32x!tt.ptr<f32>>
  %mc = "tt.reduce"(%c) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %m = arith.maxnumf %l, %r : f32
    tt.reduce.return %m : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  // CHECK: %[[D:.*]] = arith.mulf
  // CHECK: "tt.reduce"(%[[D]])
  %d = arith.mulf %x, %two : tensor<16x32xf32>
  %md = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %m = arith.maxnumf %l, %r : f32
    tt.reduce.return %m : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  // CHECK: %[[E:.*]] = arith.mulf
  // CHECK: "tt.reduce"(%[[E]],
  %e = arith.mulf %x, %two fastmath<contract> : tensor<16x32xf32>
  %me:2 = "tt.reduce"(%e, %places) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %p: i32, %r: f32, %q: i32):
    %m = arith.maxnumf %l, %r : f32
    %n = arith.maxsi %p, %q : i32
    tt.reduce.return %m, %n : f32, i32
  }) : (tensor<16x32xf32>, tensor<16x32xi32>) -> (tensor<16xf32>, tensor<16xi32>)
  tt.return %ma, %mb, %mc, %md, %me#0 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
