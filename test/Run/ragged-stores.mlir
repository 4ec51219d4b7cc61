// Stores of rows that end anywhere, in vectors: what is left of the one in which
// the row ends is stored by itself, and nothing behind it. Program b stores the
// first b elements of 31 rows of 32, for which @expected, which knows nothing
// of the addresses, takes an instruction each.

// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// CHECK: .entry expected
// CHECK-NOT: st.global.v4
// CHECK: .entry stored
// CHECK: st.global.v4.b32
// CHECK: st.global.b16
// CHECK: .entry product
// CHECK-NOT: st.global.v4
// CHECK: .entry described_product
// CHECK: st.global.v4.b32

// RUN: tilewright run %s --kernel=expected --device=emulator --grid=41 --arg=%t.i8.npy=poison:41984xi8 --arg=%t.i16.npy=poison:41984xi16 --arg=%t.i32.npy=poison:41984xi32 --arg=%t.i64.npy=poison:41984xi64 --arg=%t.columns.npy=poison:41984xi16 --arg=%t.fourths.npy=poison:41984xi16
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=stored --grid=41 --arg=poison:41984xi8 --arg=poison:41984xi16 --arg=poison:41984xi32 --arg=poison:41984xi64 --arg=poison:41984xi16 --arg=poison:41984xi16 --compare=0=%t.i8.npy --compare=1=%t.i16.npy --compare=2=%t.i32.npy --compare=3=%t.i64.npy --compare=4=%t.columns.npy --compare=5=%t.fourths.npy

// Products of 61 x 45 in rows of 48, by a descriptor: their layout is another than
// what stores them in vectors.
// RUN: tilewright run %s --kernel=product --target=sm_70 --device=emulator --arg=random:64x32xf16:1 --arg=random:64x32xf16:2 --arg=%t.product.npy=poison:61x48xf16 --arg=i32:61 --arg=i32:45 --arg=i64:48
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=described_product --arg=random:64x32xf16:1 --arg=random:64x32xf16:2 --arg=poison:61x48xf16 --arg=i32:61 --arg=i32:45 --arg=i64:48 --compare=2=%t.product.npy

tt.func public @expected(%i8: !tt.ptr<i8>, %i16: !tt.ptr<i16>, %i32: !tt.ptr<i32>, %i64: !tt.ptr<i64>, %columns: !tt.ptr<i16>, %fourths: !tt.ptr<i16>) {
  tt.call @store(%i8, %i16, %i32, %i64, %columns, %fourths) : (!tt.ptr<i8>, !tt.ptr<i16>, !tt.ptr<i32>, !tt.ptr<i64>, !tt.ptr<i16>, !tt.ptr<i16>) -> ()
  tt.return
}

tt.func public @stored(%i8: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %i16: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %i32: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %i64: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %columns: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %fourths: !tt.ptr<i16> {tt.divisibility = 16 : i32}) {
  tt.call @store(%i8, %i16, %i32, %i64, %columns, %fourths) : (!tt.ptr<i8>, !tt.ptr<i16>, !tt.ptr<i32>, !tt.ptr<i64>, !tt.ptr<i16>, !tt.ptr<i16>) -> ()
  tt.return
}

tt.func private @store(%i8: !tt.ptr<i8>, %i16: !tt.ptr<i16>, %i32: !tt.ptr<i32>, %i64: !tt.ptr<i64>, %columns: !tt.ptr<i16>, %fourths: !tt.ptr<i16>) {
  %bound = tt.get_program_id x : i32
  %size = arith.constant 1024 : i32
  %first = arith.muli %bound, %size : i32
  %row = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %column = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %pitch = arith.constant dense<32> : tensor<32xi32>
  %begin = arith.muli %row, %pitch : tensor<32xi32>
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %inside = arith.addi %firsts, %column : tensor<32xi32>
  %last = arith.constant dense<31> : tensor<32xi32>
  %isRow = arith.cmpi slt, %row, %last : tensor<32xi32>
  %bounds = tt.splat %bound : i32 -> tensor<32xi32>
  %isColumn = arith.cmpi slt, %column, %bounds : tensor<32xi32>

  %begins = tt.expand_dims %begin {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %insides = tt.expand_dims %inside {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %beginOf = tt.broadcast %begins : tensor<32x1xi32> -> tensor<32x32xi32>
  %insideOf = tt.broadcast %insides : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %beginOf, %insideOf : tensor<32x32xi32>
  %areRows = tt.expand_dims %isRow {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
  %rows = tt.broadcast %areRows : tensor<32x1xi1> -> tensor<32x32xi1>
  %areColumns = tt.expand_dims %isColumn {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
  %inColumns = tt.broadcast %areColumns : tensor<1x32xi1> -> tensor<32x32xi1>
  %mask = arith.andi %rows, %inColumns : tensor<32x32xi1>

  %v8 = arith.trunci %offsets : tensor<32x32xi32> to tensor<32x32xi8>
  %s8 = tt.splat %i8 : !tt.ptr<i8> -> tensor<32x32x!tt.ptr<i8>>
  %p8 = tt.addptr %s8, %offsets : tensor<32x32x!tt.ptr<i8>>, tensor<32x32xi32>
  tt.store %p8, %v8, %mask : tensor<32x32x!tt.ptr<i8>>
  %v16 = arith.trunci %offsets : tensor<32x32xi32> to tensor<32x32xi16>
  %s16 = tt.splat %i16 : !tt.ptr<i16> -> tensor<32x32x!tt.ptr<i16>>
  %p16 = tt.addptr %s16, %offsets : tensor<32x32x!tt.ptr<i16>>, tensor<32x32xi32>
  tt.store %p16, %v16, %mask : tensor<32x32x!tt.ptr<i16>>
  %s32 = tt.splat %i32 : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>>
  %p32 = tt.addptr %s32, %offsets : tensor<32x32x!tt.ptr<i32>>, tensor<32x32xi32>
  tt.store %p32, %offsets, %mask : tensor<32x32x!tt.ptr<i32>>
  %v64 = arith.extsi %offsets : tensor<32x32xi32> to tensor<32x32xi64>
  %s64 = tt.splat %i64 : !tt.ptr<i64> -> tensor<32x32x!tt.ptr<i64>>
  %p64 = tt.addptr %s64, %offsets : tensor<32x32x!tt.ptr<i64>>, tensor<32x32xi32>
  tt.store %p64, %v64, %mask : tensor<32x32x!tt.ptr<i64>>

  // A row is a column of the tile.
  %offsetsT = tt.trans %offsets {order = array<i32: 1, 0>} : tensor<32x32xi32> -> tensor<32x32xi32>
  %maskT = tt.trans %mask {order = array<i32: 1, 0>} : tensor<32x32xi1> -> tensor<32x32xi1>
  %vT = arith.trunci %offsetsT : tensor<32x32xi32> to tensor<32x32xi16>
  %sT = tt.splat %columns : !tt.ptr<i16> -> tensor<32x32x!tt.ptr<i16>>
  %pT = tt.addptr %sT, %offsetsT : tensor<32x32x!tt.ptr<i16>>, tensor<32x32xi32>
  tt.store %pT, %vT, %maskT : tensor<32x32x!tt.ptr<i16>>

  // Rows that end at a fourth element: the rest is stored in halves.
  %low = arith.constant -4 : i32
  %fourth = arith.andi %bound, %low : i32
  %fourthBounds = tt.splat %fourth : i32 -> tensor<32xi32>
  %isFourth = arith.cmpi slt, %column, %fourthBounds : tensor<32xi32>
  %areFourths = tt.expand_dims %isFourth {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
  %inFourths = tt.broadcast %areFourths : tensor<1x32xi1> -> tensor<32x32xi1>
  %fourthMask = arith.andi %rows, %inFourths : tensor<32x32xi1>
  %sF = tt.splat %fourths : !tt.ptr<i16> -> tensor<32x32x!tt.ptr<i16>>
  %pF = tt.addptr %sF, %offsets : tensor<32x32x!tt.ptr<i16>>, tensor<32x32xi32>
  tt.store %pF, %v16, %fourthMask : tensor<32x32x!tt.ptr<i16>>
  tt.return
}

tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %row: i64) {
  %sum = tt.call @multiply(%a, %b) : (!tt.ptr<f16>, !tt.ptr<f16>) -> tensor<64x64xf16>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %C = tt.make_tensor_descriptor %c, [%m, %n], [%row, %one] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16>
  tt.descriptor_store %C[%c0, %c0], %sum : !tt.tensordesc<64x64xf16>, tensor<64x64xf16>
  tt.return
}

tt.func public @described_product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %row: i64) {
  %sum = tt.call @multiply(%a, %b) : (!tt.ptr<f16>, !tt.ptr<f16>) -> tensor<64x64xf16>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %C = tt.make_tensor_descriptor %c, [%m, %n], [%row, %one] {tt.divisibility = 16 : i32} : !tt.ptr<f16>, !tt.tensordesc<64x64xf16>
  tt.descriptor_store %C[%c0, %c0], %sum : !tt.tensordesc<64x64xf16>, tensor<64x64xf16>
  tt.return
}

tt.func private @multiply(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : i32
  %depth = arith.constant 32 : i32
  %size = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %row = arith.constant 32 : i64
  %A = tt.make_tensor_descriptor %a, [%size, %depth], [%row, %one] : !tt.ptr<f16>, !tt.tensordesc<64x32xf16>
  %B = tt.make_tensor_descriptor %b, [%size, %depth], [%row, %one] : !tt.ptr<f16>, !tt.tensordesc<64x32xf16>
  %x = tt.descriptor_load %A[%c0, %c0] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
  %y = tt.descriptor_load %B[%c0, %c0] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
  %d = tt.dot %x, %t, %zero : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  %sum = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
  tt.return %sum : tensor<64x64xf16>
}
