// Results that change threads on the way to memory go by bulk stores: the same bits as
// by threads, at all boundaries, under all checks of the emulator, with copies that
// come and go at once, late or in any order (the seed). Behind the tensor's bounds
// nothing is written (poison).

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies --emit=ptx --remarks=all -o - 2>&1 | FileCheck %s --check-prefix=PTX
// PTX-COUNT-2: remark: a bulk store writes the tile, while the loop goes on
// PTX-COUNT-2: remark: a bulk store writes the tile{{$}}
// PTX-LABEL: .entry persistent(
// PTX: cp.async.bulk.wait_group 0;
// PTX: bar.sync
// PTX: stmatrix
// PTX: fence.proxy.async
// PTX: bar.sync
// PTX: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// PTX-NEXT: cp.async.bulk.commit_group;
// PTX: cp.async.bulk.wait_group.read 0;
// PTX-LABEL: .entry twice(
// PTX: cp.async.bulk.wait_group 0;
// PTX: cp.async.bulk.tensor.2d.global.shared::cta
// PTX: cp.async.bulk.tensor.2d.global.shared::cta
// PTX: cp.async.bulk.wait_group 0;
// PTX: cp.async.bulk.wait_group.read 0;
// PTX-LABEL: .entry summed(
// PTX-NOT: .global.shared::cta
// PTX-LABEL: .entry once(
// PTX: cp.async.bulk.tensor.2d.global.shared::cta
// PTX: cp.async.bulk.wait_group.read 0;

// RUN: tilewright run %s --kernel=persistent --target=sm_90a --device=emulator --grid=3 --bulk-copies=false --num-warps=4 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=%t.npy=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=persistent --target=sm_90a --device=emulator --grid=3 --bulk-copies --num-warps=4 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --target=sm_90a --device=emulator --grid=3 --specialize-warps --num-warps=8 --seed=5 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --target=sm_90a --device=emulator --grid=3 --bulk-copies=false --num-warps=4 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.npy=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=persistent --target=sm_90a --device=emulator --grid=3 --bulk-copies --num-warps=4 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --target=sm_90a --device=emulator --grid=3 --specialize-warps --num-warps=8 --seed=5 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --grid=3 --bulk-copies=false --num-warps=4 --arg=random:228x64xf16:1 --arg=random:64x120xf16:2 --arg=%t.npy=poison:228x120xf16 --arg=i32:228 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --grid=3 --bulk-copies --num-warps=4 --arg=random:228x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:228x120xf16 --arg=i32:228 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --grid=3 --specialize-warps --num-warps=8 --seed=5 --arg=random:228x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:228x120xf16 --arg=i32:228 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --grid=3 --bulk-copies=false --num-warps=4 --arg=random:228x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.npy=poison:228x120xf16 --arg=i32:228 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --grid=3 --bulk-copies --num-warps=4 --arg=random:228x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:228x120xf16 --arg=i32:228 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=twice --target=sm_90a --device=emulator --grid=3 --specialize-warps --num-warps=8 --seed=5 --arg=random:228x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:228x120xf16 --arg=i32:228 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=once --target=sm_90a --device=emulator --grid=2,2 --bulk-copies=false --num-warps=4 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=%t.npy=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=once --target=sm_90a --device=emulator --grid=2,2 --bulk-copies --num-warps=4 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=once --target=sm_90a --device=emulator --grid=2,2 --specialize-warps --num-warps=8 --seed=5 --arg=random:100x64xf16:1 --arg=random:64x120xf16:2 --arg=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:64 --arg=i32:64 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=once --target=sm_90a --device=emulator --grid=2,2 --bulk-copies=false --num-warps=4 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=%t.npy=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120
// RUN: tilewright run %s --kernel=once --target=sm_90a --device=emulator --grid=2,2 --bulk-copies --num-warps=4 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=once --target=sm_90a --device=emulator --grid=2,2 --specialize-warps --num-warps=8 --seed=5 --arg=random:100x328xf16:1 --arg=random:328x120xf16:2 --arg=poison:100x120xf16 --arg=i32:100 --arg=i32:120 --arg=i32:328 --arg=i32:328 --arg=i32:120 --arg=i32:120 --compare=2=%t.npy

tt.func public @persistent(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f16>, <tensor<64x64xf16>>
  %x = tt.get_program_id x : i32
  %p = tt.get_num_programs x : i32
  scf.for %t = %x to %c4 step %p : i32 {
    %i = arith.divsi %t, %c2 : i32
    %j = arith.remsi %t, %c2 : i32
    %m = arith.muli %i, %c64 : i32
    %n = arith.muli %j, %c64 : i32
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  }
  tt.return
}

// Two stores of one tensor, 128 rows apart. There is no room for the second tile but at
// the end of an iteration.
tt.func public @twice(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f16>, <tensor<64x64xf16>>
  %x = tt.get_program_id x : i32
  %p = tt.get_num_programs x : i32
  scf.for %t = %x to %c4 step %p : i32 {
    %i = arith.divsi %t, %c2 : i32
    %j = arith.remsi %t, %c2 : i32
    %m = arith.muli %i, %c64 : i32
    %n = arith.muli %j, %c64 : i32
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    %m2 = arith.addi %m, %c128 : i32
    %r2 = arith.addf %r, %r : tensor<64x64xf16>
    tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
    tt.descriptor_store %dc[%m2, %n], %r2 : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  }
  tt.return
}

// What is stored is loaded, too.
tt.func public @summed(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f16>, <tensor<64x64xf16>>
  %x = tt.get_program_id x : i32
  %p = tt.get_num_programs x : i32
  scf.for %t = %x to %c4 step %p : i32 {
    %i = arith.divsi %t, %c2 : i32
    %j = arith.remsi %t, %c2 : i32
    %m = arith.muli %i, %c64 : i32
    %n = arith.muli %j, %c64 : i32
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    %old = tt.descriptor_load %dc[%m, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %new = arith.addf %old, %r : tensor<64x64xf16>
    tt.descriptor_store %dc[%m, %n], %new : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  }
  tt.return
}

tt.func public @once(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %sa: i32 {tt.divisibility = 8 : i32}, %sb: i32 {tt.divisibility = 8 : i32}, %sc: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %sa : i32 to i64
  %lb = arith.extsi %sb : i32 to i64
  %lc = arith.extsi %sc : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f16>, <tensor<64x64xf16>>
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
    %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  tt.return
}
