// Whether any, and whether all, of a thread's booleans are set: predicates are
// combined, which signed maxima and minima of integers would be in registers.

// RUN: tilewright compile %s --target=sm_90a --num-warps=1 --emit=ptx -o - | FileCheck %s
// CHECK: .entry any
// CHECK-COUNT-3: or.pred
// CHECK-NOT: max
// CHECK: shfl
// CHECK: .entry all
// CHECK-COUNT-3: and.pred
// CHECK-NOT: min
// CHECK: shfl
tt.func public @any(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %limit = tt.load %yp : tensor<128x!tt.ptr<f32>>
  %b = arith.cmpf ogt, %v, %limit : tensor<128xf32>
  %n = arith.extui %b : tensor<128xi1> to tensor<128xi32>
  %r = "tt.reduce"(%n) <{axis = 0 : i32}> ({
  ^bb0(%lhs: i32, %rhs: i32):
    %m = arith.maxsi %lhs, %rhs : i32
    tt.reduce.return %m : i32
  }) : (tensor<128xi32>) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @all(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %limit = tt.load %yp : tensor<128x!tt.ptr<f32>>
  %b = arith.cmpf ogt, %v, %limit : tensor<128xf32>
  %n = arith.extui %b : tensor<128xi1> to tensor<128xi32>
  %r = "tt.reduce"(%n) <{axis = 0 : i32}> ({
  ^bb0(%lhs: i32, %rhs: i32):
    %m = arith.minsi %lhs, %rhs : i32
    tt.reduce.return %m : i32
  }) : (tensor<128xi32>) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}
