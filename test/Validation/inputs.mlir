// RUN: tilewright-opt %s --split-input-file --validate-passes --validate-report --canonicalize --cse -o /dev/null 2>&1 | FileCheck %s

// Which inputs kernels are run on, and which kernels are not.

// Values keep what tt.divisibility promises.
// CHECK: remark: 'divisible' was run on 3 inputs after each of 2 passes, the last of them 'cse'
// CHECK-COUNT-3: n = {{16|32|48|64|80|96|112|128|144|160|176|192}}, m =
// CHECK-NOT: n =
tt.func @divisible(%out: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32} loc("n"), %m: i8 loc("m")) {
  %sum = arith.extsi %m : i8 to i32
  %0 = arith.addi %n, %sum : i32
  tt.store %out, %0 : !tt.ptr<i32>
  tt.return
}

// -----

// Buffers are as large as the kernel needs, and hold indices where it uses
// them so: other inputs are dropped.
// CHECK: remark: 'gather' was run on 3 inputs
// CHECK-NOT: grid
// CHECK: note: {{.*}} table: 1024 elements
tt.func @gather(%table: !tt.ptr<i64> loc("table"), %x: !tt.ptr<f16>, %out: !tt.ptr<f16>) {
  %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %ts = tt.splat %table : !tt.ptr<i64> -> tensor<512x!tt.ptr<i64>>
  %tp = tt.addptr %ts, %i : tensor<512x!tt.ptr<i64>>, tensor<512xi32>
  %index = tt.load %tp : tensor<512x!tt.ptr<i64>>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %index : tensor<512x!tt.ptr<f16>>, tensor<512xi64>
  %v = tt.load %xp : tensor<512x!tt.ptr<f16>>
  %os = tt.splat %out : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %op = tt.addptr %os, %i : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  tt.store %op, %v : tensor<512x!tt.ptr<f16>>
  tt.return
}

// -----

// CHECK: remark: 'by_zero' is not validated: none of 48 inputs can be used; with the last, expects a divisor other than 0, but element 0 is 0
// CHECK-NOT: 'by_zero' was run
tt.func @by_zero(%out: !tt.ptr<i32>, %n: i32) {
  %zero = arith.subi %n, %n : i32
  %0 = arith.divsi %n, %zero : i32
  tt.store %out, %0 : !tt.ptr<i32>
  tt.return
}

// -----

// CHECK: remark: 'idle' is not validated: none of 48 inputs can be used; with the last, it leaves memory as it was
tt.func @idle(%out: !tt.ptr<i32>) {
  tt.return
}

// -----

// CHECK: remark: 'pointers' is not validated: no value is known for argument 0 of type !tt.ptr<!tt.ptr<i32>>
tt.func @pointers(%out: !tt.ptr<!tt.ptr<i32>>) {
  tt.return
}
