// A hint that does not hold for whole vectors, but for runs of the mask, does no
// harm, as in Triton: rows of 1022 numbers begin at multiples of 4 bytes, of which
// the author says that they are multiples of 16.

// RUN: tilewright run %s --kernel=unhinted --device=emulator --grid=5 --arg=%t.npy=poison:5200xi16
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=hinted --grid=5 --arg=poison:5200xi16 --compare=0=%t.npy

// The launch checks what it is told of parameters: vectors there.
// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// CHECK: .entry unhinted
// CHECK-NOT: st.global.v
// CHECK: .entry hinted
// CHECK-NOT: st.global.v
// CHECK: st.global.b32
// CHECK-NOT: st.global.v
// CHECK: .entry aligned
// CHECK: st.global.v4.b32

tt.func public @unhinted(%y: !tt.ptr<i16>) {
  %c1022 = arith.constant 1022 : i32
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %c1022 : i32
  %row = tt.addptr %y, %first : !tt.ptr<i16>, i32
  %column = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %size = arith.constant dense<1022> : tensor<1024xi32>
  %mask = arith.cmpi slt, %column, %size : tensor<1024xi32>
  %rows = tt.splat %row : !tt.ptr<i16> -> tensor<1024x!tt.ptr<i16>>
  %p = tt.addptr %rows, %column : tensor<1024x!tt.ptr<i16>>, tensor<1024xi32>
  %firsts = tt.splat %first : i32 -> tensor<1024xi32>
  %index = arith.addi %firsts, %column : tensor<1024xi32>
  %v = arith.trunci %index : tensor<1024xi32> to tensor<1024xi16>
  tt.store %p, %v, %mask : tensor<1024x!tt.ptr<i16>>
  tt.return
}

tt.func public @hinted(%y: !tt.ptr<i16> {tt.divisibility = 16 : i32}) {
  %c1022 = arith.constant 1022 : i32
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %c1022 : i32
  %row = tt.addptr %y, %first : !tt.ptr<i16>, i32
  %column = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %size = arith.constant dense<1022> : tensor<1024xi32>
  %mask = arith.cmpi slt, %column, %size : tensor<1024xi32>
  %rows = tt.splat %row : !tt.ptr<i16> -> tensor<1024x!tt.ptr<i16>>
  %p = tt.addptr %rows, %column {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<1024x!tt.ptr<i16>>, tensor<1024xi32>
  %firsts = tt.splat %first : i32 -> tensor<1024xi32>
  %index = arith.addi %firsts, %column : tensor<1024xi32>
  %v = arith.trunci %index : tensor<1024xi32> to tensor<1024xi16>
  tt.store %p, %v, %mask : tensor<1024x!tt.ptr<i16>>
  tt.return
}

tt.func public @aligned(%y: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %n: i32) {
  %column = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %size = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %column, %size : tensor<1024xi32>
  %rows = tt.splat %y : !tt.ptr<i16> -> tensor<1024x!tt.ptr<i16>>
  %p = tt.addptr %rows, %column : tensor<1024x!tt.ptr<i16>>, tensor<1024xi32>
  %v = arith.trunci %column : tensor<1024xi32> to tensor<1024xi16>
  tt.store %p, %v, %mask : tensor<1024x!tt.ptr<i16>>
  tt.return
}
