// REQUIRES: ptxas
// Products of warp groups before a sum over a cluster run on while others begin: CUDA's
// assembler does not have each of them waited for (C7515).

// RUN: tilewright compile %s --target=sm_90a --num-warps=8 --specialize-warps --bulk-copies --remarks=all --emit=cubin -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not="wait for each other"
// RUN: tilewright compile %s --target=sm_90a --num-warps=8 --specialize-warps=false --bulk-copies --remarks=all --emit=cubin -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not="wait for each other"
// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --specialize-warps=false --bulk-copies=false --remarks=all --emit=cubin -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not="wait for each other"
// CHECK: remark: {{.*}} in 'split4'

tt.func private @part(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %M: i32, %N: i32, %K: i32, %row: i32, %column: i32, %program: i32, %size: i32) -> tensor<128x128xf32> {
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %la = arith.extsi %K : i32 to i64
  %lb = arith.extsi %N : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<128x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x128xf16>>
  %m = arith.muli %row, %c128 : i32
  %n = arith.muli %column, %c128 : i32
  %begin = arith.muli %program, %size : i32
  %end = arith.addi %begin, %size : i32
  %sum = scf.for %k = %begin to %end step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x128xf16>> -> tensor<64x128xf16>
    %d = tt.dot %va, %vb, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.return %sum : tensor<128x128xf32>
}

tt.func public @split4(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}) {
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %x = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %column = arith.divui %x, %c4 : i32
  %p = arith.remui %x, %c4 : i32
  %sum = tt.call @part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<128x128xf32>
  %r = tile.reduce_scatter %sum {axis = 1 : i32, programs = 4 : i32} : tensor<128x128xf32> -> tensor<128x32xf32>
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<128x32xf32>>
  %m = arith.muli %row, %c128 : i32
  %n = arith.muli %x, %c16 : i32
  tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<128x32xf32>>, tensor<128x32xf32>
  tt.return
}
