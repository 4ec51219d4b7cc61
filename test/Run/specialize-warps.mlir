// Loops whose copies are run by warps of their own: the same bits as by cp.async,
// under all checks of the emulator, with copies that come at once, late or in any
// order (the seed). Sizes are no multiples of tiles, and there are more iterations
// than buffers, as many, fewer, and none.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --specialize-warps --remarks=all --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// REMARKS-DAG: remark: 4 warps of their own run copies
// REMARKS-DAG: remark: iterations of this loop overlap by the warps alone that run the copies in it
// REMARKS-DAG: remark: no warps of their own run copies of this loop: an earlier loop of the function has them
// REMARKS-DAG: remark: no warps of their own run copies: what they copy depends on tiles
// PTX-LABEL: .entry product(
// PTX: .reqntid 256
// PTX: .maxnreg 128
// PTX: mbarrier.init.shared::cta.b64 [{{.*}}], 1;
// PTX: mbarrier.init.shared::cta.b64 [{{.*}}], 4;
// PTX: setmaxnreg.inc.sync.aligned.u32 232
// PTX: wgmma.mma_async
// PTX: bar.warp.sync
// PTX: mbarrier.arrive.shared::cta.b64 _
// PTX: setmaxnreg.dec.sync.aligned.u32 24
// PTX: cp.async.bulk.tensor.2d
// PTX-LABEL: .entry twice(
// PTX: setmaxnreg
// PTX-LABEL: .entry persistent(
// PTX: .reqntid 256
// PTX: setmaxnreg
// PTX-LABEL: .entry tabled(
// PTX: .reqntid 128
// PTX-NOT: setmaxnreg

// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.product.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=2 --specialize-warps --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.product.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --seed=3 --specialize-warps --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.product.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=8 --num-stages=4 --seed=5 --specialize-warps --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.product.npy

// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.twice.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --num-warps=4 --num-stages=2 --specialize-warps --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.twice.npy
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --num-warps=4 --seed=3 --specialize-warps --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.twice.npy
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --num-warps=8 --num-stages=4 --seed=5 --specialize-warps --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.twice.npy
// Tiles of four times the bytes: the buffers of the first loop, which live as long
// as the function, leave room for the tiles of the second one.
// RUN: sed -e "s/\([^i]\)64/\1128/g" %s > %t.large.mlir
// RUN: tilewright run %t.large.mlir --kernel=twice --target=sm_90a --device=emulator --bulk-copies=false --num-warps=8 --num-stages=2 --grid=1,1 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.large.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %t.large.mlir --kernel=twice --target=sm_90a --device=emulator --num-warps=8 --num-stages=3 --seed=5 --specialize-warps --grid=1,1 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.large.npy

// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2,2 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=%t.few.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=3 --seed=2 --specialize-warps --grid=2,2 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.few.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2,2 --arg=random:100x128xf16:1 --arg=random:128x120xf16:2 --arg=%t.few.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:128 --arg=i32:128 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=3 --seed=2 --specialize-warps --grid=2,2 --arg=random:100x128xf16:1 --arg=random:128x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:128 --arg=i32:128 --arg=i32:120 --arg=i32:120 --compare=2=%t.few.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2,2 --arg=random:100x192xf16:1 --arg=random:192x120xf16:2 --arg=%t.few.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:192 --arg=i32:192 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=3 --seed=2 --specialize-warps --grid=2,2 --arg=random:100x192xf16:1 --arg=random:192x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:192 --arg=i32:192 --arg=i32:120 --arg=i32:120 --compare=2=%t.few.npy
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2,2 --arg=random:100x256xf16:1 --arg=random:256x120xf16:2 --arg=%t.few.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:256 --arg=i32:256 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=product --target=sm_90a --device=emulator --num-warps=4 --num-stages=3 --seed=2 --specialize-warps --grid=2,2 --arg=random:100x256xf16:1 --arg=random:256x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:256 --arg=i32:256 --arg=i32:120 --arg=i32:120 --compare=2=%t.few.npy

// RUN: tilewright run %s --kernel=persistent --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2,1 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.persistent.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=persistent --target=sm_90a --device=emulator --num-warps=4 --specialize-warps --grid=2,1 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.persistent.npy
// RUN: tilewright run %s --kernel=tabled --target=sm_90a --device=emulator --bulk-copies=false --num-warps=4 --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.tabled.npy=zeros:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=tabled --target=sm_90a --device=emulator --num-warps=4 --specialize-warps --grid=2,2 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf32 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.tabled.npy

// RUN: tilewright-opt %s --tilewright="target=sm_90a num-warps=4 num-stages=2 specialize-warps=true" -o /dev/null

tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c64 : i32
  %n = arith.muli %y, %c64 : i32
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  tt.return
}

// The second loop's copies are started by those who compute.
tt.func public @twice(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c64 : i32
  %n = arith.muli %y, %c64 : i32
  %first = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %scaled = arith.mulf %first, %half : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %scaled) -> (tensor<64x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  tt.return
}

tt.func public @persistent(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c64 : i32
  scf.for %t = %c0 to %c2 step %c1 : i32 {
    %n = arith.muli %t, %c64 : i32
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  }
  tt.return
}

// Where it copies from is the sum of a tile.
tt.func public @tabled(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c64 : i32
  %n = arith.muli %y, %c64 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ks = tt.splat %K : i32 -> tensor<64xi32>
  %less = arith.cmpi slt, %r, %ks : tensor<64xi32>
  %bits = arith.extui %less : tensor<64xi1> to tensor<64xi32>
  %count = "tt.reduce"(%bits) <{axis = 0 : i32}> ({
  ^bb0(%u: i32, %v: i32):
    %w = arith.maxsi %u, %v : i32
    tt.reduce.return %w : i32
  }) : (tensor<64xi32>) -> i32
  %p = arith.muli %count, %n : i32
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %p] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  tt.return
}
