// The programs of a cluster share the tiles that all of them copy: each brings a part
// of them to all. The same bits as without clusters, under all checks of the emulator,
// with copies that come at once, late or in any order (the seed), and loops of more
// iterations than there are buffers, as many, fewer, and none.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --specialize-warps --cluster=2 --remarks=all --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARKS
// REMARKS-DAG: remark: the programs of a cluster share 1 of 2 tiles that they copy
// REMARKS-DAG: remark: there are no clusters: the programs of a cluster copy different tiles
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// PTX-LABEL: .entry below(
// PTX: .reqnctapercluster 2, 1, 1
// PTX: mbarrier.init.shared::cta.b64 [{{.*}}], 8;
// PTX: fence.mbarrier_init.release.cluster
// PTX: barrier.cluster.arrive.aligned
// PTX: barrier.cluster.wait.aligned
// PTX: mapa.shared::cluster.u32
// PTX: mbarrier.arrive.shared::cluster.b64 _
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [
// PTX: barrier.cluster.arrive.aligned
// PTX: barrier.cluster.wait.aligned
// PTX: ret
// PTX-LABEL: .entry beside(
// PTX: .reqnctapercluster 2, 1, 1
// PTX-LABEL: .entry apart(
// PTX-NOT: reqnctapercluster
// PTX-NOT: multicast

// Without clusters in the target, or anything to share, the option changes nothing.
// RUN: tilewright compile %s --target=sm_80 --cluster=2 --line-tables=false --emit=ptx -o %t.2.ptx
// RUN: tilewright compile %s --target=sm_80 --line-tables=false --emit=ptx -o %t.1.ptx
// RUN: cmp %t.1.ptx %t.2.ptx

// RUN: bash %S/Inputs/clusters.sh tilewright %s %t below 4,2 200 328
// RUN: bash %S/Inputs/clusters.sh tilewright %s %t below 4,2 200 0
// RUN: bash %S/Inputs/clusters.sh tilewright %s %t below 4,2 200 64
// RUN: bash %S/Inputs/clusters.sh tilewright %s %t below 4,2 200 128
// RUN: bash %S/Inputs/clusters.sh tilewright %s %t below 4,2 200 192
// RUN: bash %S/Inputs/clusters.sh tilewright %s %t beside 4,2 100 328
// RUN: bash %S/Inputs/clusters.sh tilewright %s %t beside 4,2 100 128

// RUN: not tilewright run %s --kernel=below --target=sm_90a --device=emulator --specialize-warps --cluster=2 --grid=3,2 --arg=zeros:200x64xf16 --arg=zeros:64x248xf16 --arg=poison:200x248xf32 --arg=i32:200 --arg=i32:248 --arg=i32:64 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: expects a grid in multiples of its clusters, but got 3 CTAs and clusters of 2 along axis 0
// RUN: not tilewright compile %s --target=sm_90a --cluster=3 --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: expects --cluster to be a power of two from 1 to 8, but got 3

// Tiles one below the other, which share columns.
tt.func public @below(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  tt.call @product(%a, %b, %c, %M, %N, %K, %x, %y) : (!tt.ptr<f16>, !tt.ptr<f16>, !tt.ptr<f32>, i32, i32, i32, i32, i32) -> ()
  tt.return
}

// Side by side: they share rows. The programs of a cluster have a quotient in common.
tt.func public @beside(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}) {
  %c2 = arith.constant 2 : i32
  %x = tt.get_program_id x : i32
  %cluster = arith.divsi %x, %c2 : i32
  %column = arith.remsi %x, %c2 : i32
  tt.call @product(%a, %b, %c, %M, %N, %K, %cluster, %column) : (!tt.ptr<f16>, !tt.ptr<f16>, !tt.ptr<f32>, i32, i32, i32, i32, i32) -> ()
  tt.return
}

// A quotient that the programs of a cluster have not in common.
tt.func public @apart(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}) {
  %c3 = arith.constant 3 : i32
  %x = tt.get_program_id x : i32
  %row = arith.divsi %x, %c3 : i32
  %column = arith.remsi %x, %c3 : i32
  tt.call @product(%a, %b, %c, %M, %N, %K, %row, %column) : (!tt.ptr<f16>, !tt.ptr<f16>, !tt.ptr<f32>, i32, i32, i32, i32, i32) -> ()
  tt.return
}

tt.func private @product(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %M: i32, %N: i32, %K: i32, %row: i32, %column: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %la = arith.extsi %K : i32 to i64
  %lb = arith.extsi %N : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x128xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lb, %one] : <f32>, <tensor<64x128xf32>>
  %m = arith.muli %row, %c64 : i32
  %n = arith.muli %column, %c128 : i32
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x128xf16>> -> tensor<64x128xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x128xf32>>, tensor<64x128xf32>
  tt.return
}
