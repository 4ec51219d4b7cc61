// Four programs add i to element i of 50, in every float type; what a target
// lacks as an instruction is a loop around compare-and-swap.

// RUN: sed s/ELEMENT/f16/ %s > %t.f16.mlir
// RUN: tilewright run %t.f16.mlir --kernel=expected --device=emulator --arg=%t.f16.npy=zeros:50xf16
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.f16.mlir --kernel=add --grid=4 --arg=zeros:50xf16 --compare=0=%t.f16.npy

// The bits of bf16 are compared as integers.
// RUN: sed s/ELEMENT/bf16/ %s > %t.bf16.mlir
// RUN: tilewright run %t.bf16.mlir --kernel=expected --device=emulator --arg=%t.bf16.npy=zeros:50xi16
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.bf16.mlir --kernel=add --grid=4 --arg=zeros:50xi16 --compare=0=%t.bf16.npy

// RUN: sed s/ELEMENT/f32/ %s > %t.f32.mlir
// RUN: tilewright run %t.f32.mlir --kernel=expected --device=emulator --arg=%t.f32.npy=zeros:50xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.f32.mlir --kernel=add --grid=4 --arg=zeros:50xf32 --compare=0=%t.f32.npy

// RUN: sed s/ELEMENT/f64/ %s > %t.f64.mlir
// RUN: tilewright run %t.f64.mlir --kernel=expected --device=emulator --arg=%t.f64.npy=zeros:50xf64
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.f64.mlir --kernel=add --grid=4 --arg=zeros:50xf64 --compare=0=%t.f64.npy

!element = ELEMENT
!pointers = tensor<64x!tt.ptr<!element>>

tt.func public @add(%p: !tt.ptr<!element> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %limit = arith.constant dense<50> : tensor<64xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<64xi32>
  %value = arith.sitofp %i : tensor<64xi32> to tensor<64x!element>
  %base = tt.splat %p : !tt.ptr<!element> -> !pointers
  %places = tt.addptr %base, %i : !pointers, tensor<64xi32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %places, %value, %mask : (!pointers, tensor<64x!element>, tensor<64xi1>) -> tensor<64x!element>
  tt.return
}

tt.func public @expected(%p: !tt.ptr<!element>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %limit = arith.constant dense<50> : tensor<64xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  %sum = arith.muli %i, %four : tensor<64xi32>
  %value = arith.sitofp %sum : tensor<64xi32> to tensor<64x!element>
  %base = tt.splat %p : !tt.ptr<!element> -> !pointers
  %places = tt.addptr %base, %i : !pointers, tensor<64xi32>
  tt.store %places, %value, %mask : !pointers
  tt.return
}
