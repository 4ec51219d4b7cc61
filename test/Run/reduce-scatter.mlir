// Sums over K that the programs of a cluster share: each adds up a part of K, and writes
// a part of the result. The same bits as one program that adds these parts in order,
// under all checks of the emulator, by plain loads, by bulk copies, and by copies of
// warps of their own; by warp groups, and by one warp with tiles of 16 rows.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --specialize-warps=false --bulk-copies=false --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry split4(
// PTX: .reqnctapercluster 4, 1, 1
// PTX: barrier.cluster.arrive.aligned
// PTX-NEXT: barrier.cluster.wait.aligned
// PTX: mapa.shared::cluster
// PTX: st.shared::cluster.v4.b32
// PTX: barrier.cluster.arrive.aligned
// PTX-NEXT: barrier.cluster.wait.aligned
// PTX: ld.shared.v4.b32
// PTX: add.rn.f32
// PTX-NOT: barrier.cluster
// PTX: ret;

// Without those that add up all parts.
// RUN: sed '/@\(narrow_\)*whole(/,/^}/d' %s > %t.parts.mlir

// Both agents come to the two barriers, and to none of the cluster beside them.
// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --specialize-warps --bulk-copies --emit=ptx -o - | FileCheck %s --check-prefix=WARPS
// WARPS-LABEL: .entry split4(
// WARPS: setmaxnreg
// WARPS-COUNT-4: barrier.cluster.arrive
// WARPS-NOT: barrier.cluster.arrive
// WARPS-LABEL: .entry split8(

// RUN: bash %S/Inputs/reduce-scatter.sh tilewright %s %t split2 2 64 512
// RUN: bash %S/Inputs/reduce-scatter.sh tilewright %s %t split4 4 64 1024
// RUN: bash %S/Inputs/reduce-scatter.sh tilewright %s %t split4 4 64 256
// RUN: bash %S/Inputs/reduce-scatter.sh tilewright %s %t split8 8 64 512
// RUN: bash %S/Inputs/reduce-scatter.sh tilewright %s %t rows4 4 64 512
// RUN: bash %S/Inputs/reduce-scatter.sh tilewright %s %t narrow8 8 16 512
// RUN: bash %S/Inputs/reduce-scatter.sh tilewright %s %t two4 4 64 512

// Integers, of one dimension; fewer elements than threads, which then hold copies.
// RUN: tilewright run %s --kernel=integers_whole --target=sm_90a --device=emulator --grid=2 --arg=random:2x2x128xi32:1 --arg=%t.i.npy=poison:2x128xi32
// RUN: tilewright run %s --kernel=integers --target=sm_90a --device=emulator --grid=4 --arg=random:2x2x128xi32:1 --arg=poison:2x128xi32 --compare=1=%t.i.npy --seed=3
// RUN: tilewright run %s --kernel=integers --target=sm_90a --device=emulator --grid=4 --num-warps=8 --arg=random:2x2x128xi32:1 --arg=poison:2x128xi32 --compare=1=%t.i.npy

// RUN: not tilewright run %s --kernel=integers --target=sm_90a --device=emulator --grid=3 --arg=random:2x2x128xi32:1 --arg=poison:2x128xi32 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: expects a grid in multiples of its clusters, but got 3 CTAs and clusters of 2 along axis 0

// The programs of such clusters share no copies.
// RUN: tilewright compile %t.parts.mlir --target=sm_90a --specialize-warps --cluster=4 --remarks=all --emit=ptx -o %t.shared.ptx 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: remark: nothing is shared in the clusters that there are: their programs sum over each other
// RUN: tilewright compile %t.parts.mlir --target=sm_90a --specialize-warps --emit=ptx -o %t.own.ptx
// RUN: cmp %t.shared.ptx %t.own.ptx

// The second analysis of barriers finds none missing, and none needless.
// RUN: tilewright-opt %t.parts.mlir --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=4 bulk-copies=true specialize-warps=true" --tilewright-tilegpu --tilegpu-verify-barriers -o - | FileCheck %s --check-prefix=AGENTS
// RUN: tilewright-opt %t.parts.mlir --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=4 bulk-copies=true" --tilewright-tilegpu --tilegpu-verify-barriers -o /dev/null
// RUN: tilewright-opt %t.parts.mlir --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=8" --tilewright-tilegpu --tilegpu-verify-barriers -o /dev/null
// RUN: tilewright-opt %t.parts.mlir --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=1" --tilewright-tilegpu --tilegpu-verify-barriers -o /dev/null
// AGENTS-LABEL: @split4(
// AGENTS: tilegpu.warp_specialize
// AGENTS: tilegpu.barrier cluster
// AGENTS-NEXT: tilegpu.store_parts %{{.*}} to %{{.*}} at %{{.*}} {axis = 1 : i32} : tensor<64x64xf32, #wgmma>
// AGENTS-NEXT: tilegpu.barrier cluster
// AGENTS: }, {
// AGENTS: tilegpu.barrier cluster
// AGENTS-NEXT: tilegpu.barrier cluster
// AGENTS-NEXT: tilegpu.agent_return

// Number %program of as many parts of K as there are programs in a cluster.
tt.func private @part(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %M: i32, %N: i32, %K: i32, %row: i32, %column: i32, %program: i32, %size: i32) -> tensor<64x64xf32> {
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %la = arith.extsi %K : i32 to i64
  %lb = arith.extsi %N : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %m = arith.muli %row, %c64 : i32
  %n = arith.muli %column, %c64 : i32
  %begin = arith.muli %program, %size : i32
  %end = arith.addi %begin, %size : i32
  %sum = scf.for %k = %begin to %end step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// All parts, one after the other.
tt.func public @whole(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}, %programs: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %column = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %sum = scf.for %p = %c0 to %programs step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.call @part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<64x64xf32>
    %t = arith.addf %s, %x : tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x64xf32>>
  %m = arith.muli %row, %c64 : i32
  %n = arith.muli %column, %c64 : i32
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  tt.return
}

tt.func public @split2(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}) {
  %c2 = arith.constant 2 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %x = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %column = arith.divui %x, %c2 : i32
  %p = arith.remui %x, %c2 : i32
  %sum = tt.call @part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<64x64xf32>
  %r = tile.reduce_scatter %sum {axis = 1 : i32, programs = 2 : i32} : tensor<64x64xf32> -> tensor<64x32xf32>
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x32xf32>>
  %m = arith.muli %row, %c64 : i32
  %n = arith.muli %x, %c32 : i32
  tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<64x32xf32>>, tensor<64x32xf32>
  tt.return
}

tt.func public @split4(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}) {
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %x = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %column = arith.divui %x, %c4 : i32
  %p = arith.remui %x, %c4 : i32
  %sum = tt.call @part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<64x64xf32>
  %r = tile.reduce_scatter %sum {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x16xf32>>
  %m = arith.muli %row, %c64 : i32
  %n = arith.muli %x, %c16 : i32
  tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<64x16xf32>>, tensor<64x16xf32>
  tt.return
}

tt.func public @split8(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %x = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %column = arith.divui %x, %c8 : i32
  %p = arith.remui %x, %c8 : i32
  %sum = tt.call @part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<64x64xf32>
  %r = tile.reduce_scatter %sum {axis = 1 : i32, programs = 8 : i32} : tensor<64x64xf32> -> tensor<64x8xf32>
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x8xf32>>
  %m = arith.muli %row, %c64 : i32
  %n = arith.muli %x, %c8 : i32
  tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<64x8xf32>>, tensor<64x8xf32>
  tt.return
}

// Parts of rows, which products have in other lanes and warps.
tt.func public @rows4(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}) {
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %x = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %column = arith.divui %x, %c4 : i32
  %p = arith.remui %x, %c4 : i32
  %sum = tt.call @part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<64x64xf32>
  %r = tile.reduce_scatter %sum {axis = 0 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<16x64xf32>
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<16x64xf32>>
  %first = arith.muli %row, %c64 : i32
  %own = arith.muli %p, %c16 : i32
  %m = arith.addi %first, %own : i32
  %n = arith.muli %column, %c64 : i32
  tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<16x64xf32>>, tensor<16x64xf32>
  tt.return
}

// Two sums, one after the other, of 2 C - C: the second one's memory is the first one's.
tt.func public @two4(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}) {
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %twice = arith.constant dense<2.0> : tensor<64x64xf32>
  %x = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %column = arith.divui %x, %c4 : i32
  %p = arith.remui %x, %c4 : i32
  %sum = tt.call @part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<64x64xf32>
  %double = arith.mulf %sum, %twice : tensor<64x64xf32>
  %r = tile.reduce_scatter %sum {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  %s = tile.reduce_scatter %double {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  %d = arith.subf %s, %r : tensor<64x16xf32>
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<64x16xf32>>
  %m = arith.muli %row, %c64 : i32
  %n = arith.muli %x, %c16 : i32
  tt.descriptor_store %dc[%m, %n], %d : !tt.tensordesc<tensor<64x16xf32>>, tensor<64x16xf32>
  tt.return
}

tt.func private @narrow_part(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %M: i32, %N: i32, %K: i32, %row: i32, %column: i32, %program: i32, %size: i32) -> tensor<16x64xf32> {
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %la = arith.extsi %K : i32 to i64
  %lb = arith.extsi %N : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%la, %one] : <f16>, <tensor<16x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%lb, %one] : <f16>, <tensor<64x64xf16>>
  %m = arith.muli %row, %c16 : i32
  %n = arith.muli %column, %c64 : i32
  %begin = arith.muli %program, %size : i32
  %end = arith.addi %begin, %size : i32
  %sum = scf.for %k = %begin to %end step %c64 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<16x64xf16>> -> tensor<16x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %acc : tensor<16x64xf16> * tensor<64x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  tt.return %sum : tensor<16x64xf32>
}

tt.func public @narrow_whole(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}, %programs: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %column = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %sum = scf.for %p = %c0 to %programs step %c1 iter_args(%s = %zero) -> (tensor<16x64xf32>) : i32 {
    %x = tt.call @narrow_part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<16x64xf32>
    %t = arith.addf %s, %x : tensor<16x64xf32>
    scf.yield %t : tensor<16x64xf32>
  }
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<16x64xf32>>
  %m = arith.muli %row, %c16 : i32
  %n = arith.muli %column, %c64 : i32
  tt.descriptor_store %dc[%m, %n], %sum : !tt.tensordesc<tensor<16x64xf32>>, tensor<16x64xf32>
  tt.return
}

tt.func public @narrow8(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32 {tt.divisibility = 8 : i32}, %K: i32 {tt.divisibility = 8 : i32}, %size: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant 1 : i64
  %x = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %column = arith.divui %x, %c8 : i32
  %p = arith.remui %x, %c8 : i32
  %sum = tt.call @narrow_part(%a, %b, %M, %N, %K, %row, %column, %p, %size) : (!tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32, i32) -> tensor<16x64xf32>
  %r = tile.reduce_scatter %sum {axis = 1 : i32, programs = 8 : i32} : tensor<16x64xf32> -> tensor<16x8xf32>
  %lc = arith.extsi %N : i32 to i64
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%lc, %one] : <f32>, <tensor<16x8xf32>>
  %m = arith.muli %row, %c16 : i32
  %n = arith.muli %x, %c8 : i32
  tt.descriptor_store %dc[%m, %n], %r : !tt.tensordesc<tensor<16x8xf32>>, tensor<16x8xf32>
  tt.return
}

// Row x mod 2 of pair x / 2 from each program, of which it gets half.
tt.func public @integers(%a: !tt.ptr<i32>, %c: !tt.ptr<i32>) {
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %x = tt.get_program_id x : i32
  %from = arith.muli %x, %c128 : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %base = tt.addptr %a, %from : !tt.ptr<i32>, i32
  %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %pointers = tt.addptr %bases, %range : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %pointers : tensor<128x!tt.ptr<i32>>
  %r = tile.reduce_scatter %v {axis = 0 : i32, programs = 2 : i32} : tensor<128xi32> -> tensor<64xi32>
  %to = arith.muli %x, %c64 : i32
  %half = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %out = tt.addptr %c, %to : !tt.ptr<i32>, i32
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %places = tt.addptr %outs, %half : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %places, %r : tensor<64x!tt.ptr<i32>>
  tt.return
}

tt.func public @integers_whole(%a: !tt.ptr<i32>, %c: !tt.ptr<i32>) {
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %x = tt.get_program_id x : i32
  %from = arith.muli %x, %c256 : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %rows = arith.constant dense<128> : tensor<128xi32>
  %base = tt.addptr %a, %from : !tt.ptr<i32>, i32
  %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p0 = tt.addptr %bases, %range : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %p1 = tt.addptr %p0, %rows : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v0 = tt.load %p0 : tensor<128x!tt.ptr<i32>>
  %v1 = tt.load %p1 : tensor<128x!tt.ptr<i32>>
  %r = arith.addi %v0, %v1 : tensor<128xi32>
  %to = arith.muli %x, %c128 : i32
  %out = tt.addptr %c, %to : !tt.ptr<i32>, i32
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %places = tt.addptr %outs, %range : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %places, %r : tensor<128x!tt.ptr<i32>>
  tt.return
}
