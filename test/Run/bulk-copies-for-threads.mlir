// Bulk copies bring tiles that threads read, and no product of a warp group, where no
// integer that a launch may pass makes a tensor map impossible: the same bits as by
// cp.async, under all checks of the emulator.

// RUN: tilewright compile %s --target=sm_90a --num-warps=2 --bulk-copies --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry constant(
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.2d
// PTX-NOT: cp.async.c
// PTX-LABEL: .entry given(
// PTX-NOT: cp.async.bulk
// PTX: cp.async.cg

// RUN: tilewright run %s --kernel=constant --target=sm_90a --num-warps=2 --device=emulator --bulk-copies=false --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=%t.npy=zeros:60x128xf32 --arg=i32:60 --arg=i32:328
// RUN: tilewright run %s --kernel=constant --target=sm_90a --num-warps=2 --device=emulator --bulk-copies --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=poison:60x128xf32 --arg=i32:60 --arg=i32:328 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=constant --target=sm_90a --num-warps=2 --num-stages=4 --seed=5 --device=emulator --bulk-copies --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=poison:60x128xf32 --arg=i32:60 --arg=i32:328 --compare=2=%t.npy

// Two warps that compute are no warp group, so that no registers move: one warp
// copies.
// RUN: tilewright compile %s --target=sm_90a --num-warps=2 --specialize-warps --emit=ptx -o - | FileCheck %s --check-prefix=AGENTS
// AGENTS-LABEL: .entry constant(
// AGENTS: .reqntid 96
// AGENTS-NOT: setmaxnreg
// RUN: tilewright run %s --kernel=constant --target=sm_90a --num-warps=2 --device=emulator --specialize-warps --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=poison:60x128xf32 --arg=i32:60 --arg=i32:328 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=constant --target=sm_90a --num-warps=4 --device=emulator --specialize-warps --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=poison:60x128xf32 --arg=i32:60 --arg=i32:328 --compare=2=%t.npy

// The rows of A are 328 elements, those of B 128.
tt.func public @constant(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %K: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %sa = arith.constant 328 : i64
  %sb = arith.constant 128 : i64
  %N = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%sa, %one] : <f16>, <tensor<32x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%sb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%sb, %one] : <f32>, <tensor<32x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c32 : i32
  %n = arith.muli %y, %c64 : i32
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<32x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<32x64xf16> * tensor<64x64xf16> -> tensor<32x64xf32>
    scf.yield %d : tensor<32x64xf32>
  }
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<32x64xf32>>, tensor<32x64xf32>
  tt.return
}

// A stride that a launch passes may be one that no tensor map has.
tt.func public @given(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<32x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lb, %one] : <f32>, <tensor<32x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c32 : i32
  %n = arith.muli %y, %c64 : i32
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<32x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<32x64xf16> * tensor<64x64xf16> -> tensor<32x64xf32>
    scf.yield %d : tensor<32x64xf32>
  }
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<32x64xf32>>, tensor<32x64xf32>
  tt.return
}

// Four rows of 64 bytes, half of what a swizzle of 64 bytes permutes: each buffer
// begins where the narrower one does that they have all rows of.
// RUN: tilewright compile %s --target=sm_90a --num-warps=1 --num-stages=3 --bulk-copies --emit=tilegpu -o - | FileCheck %s --check-prefix=ROWS
// ROWS: #[[$ROWS:.*]] = #tilegpu.shared_nvmma<swizzle = 32, elementBits = 16, order = [1, 0]>
// ROWS-LABEL: tt.func public @few_rows
// ROWS: tilegpu.local_alloc {{.*}} !tilegpu.memdesc<4x32xf16, #[[$ROWS]], buffers = {{[2-9]}}, mutable>
// RUN: tilewright run %s --kernel=few_rows --target=sm_90a --num-warps=1 --num-stages=3 --device=emulator --bulk-copies=false --grid=1 --arg=random:64x32xf16:1 --arg=%t.rows.npy=zeros:16x32xf32 --arg=i32:64
// RUN: tilewright run %s --kernel=few_rows --target=sm_90a --num-warps=1 --num-stages=3 --device=emulator --bulk-copies --grid=1 --arg=random:64x32xf16:1 --arg=poison:16x32xf32 --arg=i32:64 --compare=1=%t.rows.npy
// Boxes of two rows would begin where none may: such tiles come otherwise.
// RUN: sed 's/4x32xf16/2x64xf16/g; s/16x4xf16/16x2xf16/g; s/16x32xf32/16x64xf32/g; s/constant 32 : i/constant 64 : i/; s/c4 = arith.constant 4/c4 = arith.constant 2/' %s > %t.two.mlir
// RUN: tilewright run %t.two.mlir --kernel=few_rows --target=sm_90a --num-warps=1 --num-stages=3 --device=emulator --bulk-copies=false --grid=1 --arg=random:64x64xf16:1 --arg=%t.rows.npy=zeros:16x64xf32 --arg=i32:64
// RUN: tilewright run %t.two.mlir --kernel=few_rows --target=sm_90a --num-warps=1 --num-stages=3 --device=emulator --bulk-copies --grid=1 --arg=random:64x64xf16:1 --arg=poison:16x64xf32 --arg=i32:64 --compare=1=%t.rows.npy
tt.func public @few_rows(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %N = arith.constant 32 : i32
  %M = arith.constant 16 : i32
  %stride = arith.constant 32 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant dense<0.5> : tensor<16x4xf16>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %da = tt.make_tensor_descriptor %a, [%K, %N], [%stride, %one] : <f16>, <tensor<4x32xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%stride, %one] : <f32>, <tensor<16x32xf32>>
  %sum = scf.for %k = %c0 to %K step %c4 iter_args(%acc = %zero) -> (tensor<16x32xf32>) : i32 {
    %v = tt.descriptor_load %da[%k, %c0] : !tt.tensordesc<tensor<4x32xf16>> -> tensor<4x32xf16>
    %d = tt.dot %half, %v, %acc : tensor<16x4xf16> * tensor<4x32xf16> -> tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  tt.descriptor_store %dc[%c0, %c0], %sum : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.return
}
