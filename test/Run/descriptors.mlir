// Tensor descriptors: made by the kernel, and passed by the caller as tensors
// whose sizes and strides the launch takes from them.

// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.npy=arange:37x45xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=copy --grid=3,2 --arg=arange:37x45xf32 --arg=i32:7 --arg=poison:37x45xf32 --compare=2=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=made --arg=arange:37x45xf32 --arg=poison:37x45xf32 --arg=i32:37 --arg=i32:45 --compare=1=%t.npy

// Elements with a sign; leading dimensions of one element left out; padding that
// a branch chooses.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.rows.npy=arange:4x32xi8
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=rows --grid=4 --arg=arange:4x32xi8 --arg=poison:4x32xi8 --compare=1=%t.rows.npy
// RUN: tilewright run %s --kernel=padding_expected --device=emulator --grid=2 --arg=%t.padding.npy=poison:2x32xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=padding --grid=2 --arg=arange:16xf32 --arg=poison:2x32xf32 --compare=1=%t.padding.npy

// RUN: tilewright compile %s --emit=artifact-json -o - | FileCheck %s
// CHECK: "name": "copy"
// CHECK: "name": "x",
// CHECK-NEXT: "kind": "descriptor",
// CHECK-NEXT: "bytes": 0
// CHECK: "name": "unused",
// CHECK-NEXT: "kind": "integer",
// CHECK-NEXT: "bytes": 4
// CHECK: "name": "y",
// CHECK-NEXT: "kind": "descriptor",
// CHECK-NEXT: "bytes": 0

!block = !tt.tensordesc<16x32xf32>

tt.func public @nothing(%x: !tt.ptr<f32>) {
  tt.return
}

tt.func public @copy(%x: !block loc("x"), %unused: i32 loc("unused"), %y: !block loc("y")) {
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %row = tt.get_program_id x : i32
  %column = tt.get_program_id y : i32
  %i = arith.muli %row, %rows : i32
  %j = arith.muli %column, %columns : i32
  %v = tt.descriptor_load %x[%i, %j] : !block -> tensor<16x32xf32>
  tt.descriptor_store %y[%i, %j], %v : !block, tensor<16x32xf32>
  tt.return
}

tt.func public @made(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %stride = arith.extsi %n : i32 to i64
  %X = tt.make_tensor_descriptor %x, [%m, %n], [%stride, %one] : !tt.ptr<f32>, !block
  %Y = tt.make_tensor_descriptor %y, [%m, %n], [%stride, %one] : !tt.ptr<f32>, !block
  // The two change places in each iteration of the inner loop but keep their
  // parts, as a value that is carried does.
  scf.for %i = %c0 to %m step %c16 : i32 {
    %P, %Q = scf.for %j = %c0 to %n step %c32 iter_args(%from = %X, %to = %Y) -> (!block, !block) : i32 {
      %v = tt.descriptor_load %from[%i, %j] : !block -> tensor<16x32xf32>
      tt.descriptor_store %to[%i, %j], %v : !block, tensor<16x32xf32>
      scf.yield %from, %to : !block, !block
    }
  }
  tt.return
}

tt.func public @rows(%x: !tt.tensordesc<1x32xui8>, %y: !tt.tensordesc<1x32xsi8>) {
  %c0 = arith.constant 0 : i32
  %row = tt.get_program_id x : i32
  %v = tt.descriptor_load %x[%row, %c0] : !tt.tensordesc<1x32xui8> -> tensor<32xi8>
  tt.descriptor_store %y[%row, %c0], %v : !tt.tensordesc<1x32xsi8>, tensor<32xi8>
  tt.return
}

// Program 0 pads with 0, program 1 with NaN.
tt.func public @padding(%x: !tt.ptr<f32>, %y: !tt.tensordesc<1x32xf32>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant 1 : i64
  %row = tt.get_program_id x : i32
  %first = arith.cmpi eq, %row, %c0 : i32
  %X = scf.if %first -> (!tt.tensordesc<32xf32>) {
    %X = tt.make_tensor_descriptor %x, [%c16], [%one] : !tt.ptr<f32>, !tt.tensordesc<32xf32>
    scf.yield %X : !tt.tensordesc<32xf32>
  } else {
    %X = tt.make_tensor_descriptor %x, [%c16], [%one] {padding = 2 : i32} : !tt.ptr<f32>, !tt.tensordesc<32xf32>
    scf.yield %X : !tt.tensordesc<32xf32>
  }
  %v = tt.descriptor_load %X[%c0] : !tt.tensordesc<32xf32> -> tensor<32xf32>
  tt.descriptor_store %y[%row, %c0], %v : !tt.tensordesc<1x32xf32>, tensor<32xf32>
  tt.return
}

tt.func public @padding_expected(%y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant dense<16> : tensor<32xi32>
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<32xf32>
  %row = tt.get_program_id x : i32
  %first = arith.cmpi eq, %row, %c0 : i32
  %inside = arith.cmpi slt, %i, %c16 : tensor<32xi32>
  %value = arith.sitofp %i : tensor<32xi32> to tensor<32xf32>
  %outside = arith.select %first, %zero, %nan : tensor<32xf32>
  %v = arith.select %inside, %value, %outside : tensor<32xi1>, tensor<32xf32>
  %start = arith.muli %row, %c32 : i32
  %p = tt.addptr %y, %start : !tt.ptr<f32>, i32
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %to = tt.addptr %ps, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %to, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
