// RUN: tilewright-opt %s --validate-passes --validate-report --validate-inputs=2 --tilewright-tile --tilewright-tile-to-tilegpu --tilewright-tilegpu --tilewright-tilegpu-to-llvm -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error

// A pass may choose what an undefined element is: canonicalisation takes the
// other side of the selection. What does not depend on it is compared, up to the last
// pass before the LLVM dialect.

// CHECK: remark: 'undefined' was run on 2 inputs after each of {{.*}} passes, the last of them 'tilegpu-order-programs'
tt.func @undefined(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %poison = ub.poison : f32
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %n, %zero : i32
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %mask = arith.constant dense<true> : tensor<64xi1>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp, %mask : tensor<64x!tt.ptr<f32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  %either = arith.select %negative, %sum, %poison : f32
  tt.store %out, %either : !tt.ptr<f32>
  %next = tt.addptr %out, %n : !tt.ptr<f32>, i32
  tt.store %next, %sum : !tt.ptr<f32>
  tt.return
}

// Whatever it is, 7 is larger as an unsigned number than a small undefined one
// alone: the selection is the other side behind a minimum too.

// CHECK: remark: 'minimum' was run on 2 inputs after each of {{.*}} passes
tt.func @minimum(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %poison = ub.poison : i32
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %three = arith.constant 3 : i32
  %negative = arith.cmpi slt, %n, %zero : i32
  %small = arith.andi %n, %three : i32
  %either = arith.select %negative, %small, %poison : i32
  %least = arith.minui %either, %seven : i32
  tt.store %out, %least : !tt.ptr<i32>
  tt.store %x, %n : !tt.ptr<i32>
  tt.return
}
