// Products of matrices whose addresses are computed, by descriptors that the kernel
// makes: it makes their tensor maps, too, in memory of the launch, for each of three
// problems in turn. The same bits as by cp.async; the second problem's rows end within
// a tile, and the third one has none.

// RUN: tilewright compile %s --target=sm_90a --bulk-copies --kernel-tensor-maps --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX: .entry grouped(
// PTX: tensormap.replace.tile.global_address.shared::cta.b1024.b64
// PTX: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
// PTX: fence.proxy.tensormap::generic.acquire.gpu
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.2d

// Where the launch passes no memory, or there are no tensor maps, threads copy.
// RUN: tilewright compile %s --target=sm_90a --bulk-copies --emit=ptx -o - | FileCheck %s --check-prefix=THREADS
// RUN: tilewright compile %s --target=sm_80 --kernel-tensor-maps --emit=ptx -o - | FileCheck %s --check-prefix=THREADS
// THREADS-NOT: tensormap
// THREADS: cp.async.c

// RUN: tilewright compile %s --target=sm_90a --bulk-copies --kernel-tensor-maps --emit=artifact-json -o - | FileCheck %s --check-prefix=JSON
// JSON: "scratch_bytes": 512

// RUN: tilewright run %s --target=sm_90a --device=emulator --grid=2 --bulk-copies=false --arg=random:96x192xf16:1 --arg=random:192x64xf16:2 --arg=random:80x128xf16:3 --arg=random:128x64xf16:4 --arg=%t.npy=poison:3x96x64xf32
// RUN: tilewright run %s --target=sm_90a --device=emulator --grid=2 --bulk-copies --kernel-tensor-maps --arg=random:96x192xf16:1 --arg=random:192x64xf16:2 --arg=random:80x128xf16:3 --arg=random:128x64xf16:4 --arg=poison:3x96x64xf32 --compare=4=%t.npy
// RUN: tilewright run %s --target=sm_90a --device=emulator --grid=2 --bulk-copies --kernel-tensor-maps --seed=9 --arg=random:96x192xf16:1 --arg=random:192x64xf16:2 --arg=random:80x128xf16:3 --arg=random:128x64xf16:4 --arg=poison:3x96x64xf32 --compare=4=%t.npy

// RUN: tilewright-opt %s --tilewright="target=sm_90a num-warps=4 num-stages=2 bulk-copies=true kernel-tensor-maps=true" --validate-passes -o /dev/null

tt.func public @grouped(%a0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %a1: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b1: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c64 = arith.constant 64 : i32
  %c80 = arith.constant 80 : i32
  %c96 = arith.constant 96 : i32
  %c128 = arith.constant 128 : i32
  %c192 = arith.constant 192 : i32
  %n1 = arith.constant 1 : i64
  %n64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tt.get_program_id x : i32
  %m0 = arith.muli %x, %c64 : i32
  scf.for %g = %c0 to %c3 step %c1 : i32 {
    %isFirst = arith.cmpi eq, %g, %c0 : i32
    %a = arith.select %isFirst, %a0, %a1 : !tt.ptr<f16>
    %b = arith.select %isFirst, %b0, %b1 : !tt.ptr<f16>
    %isLast = arith.cmpi eq, %g, %c2 : i32
    %m = arith.select %isFirst, %c96, %c80 : i32
    %k = arith.select %isFirst, %c192, %c128 : i32
    %rows = arith.select %isLast, %c0, %m : i32
    %ks = arith.extsi %k : i32 to i64
    %da = tt.make_tensor_descriptor %a, [%rows, %k], [%ks, %n1] {tt.divisibility = 16 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
    %db = tt.make_tensor_descriptor %b, [%k, %c64], [%n64, %n1] {tt.divisibility = 16 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
    %sum = scf.for %k0 = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<64x64xf32>) : i32 {
      %l = tt.descriptor_load %da[%m0, %k0] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %r = tt.descriptor_load %db[%k0, %c0] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %next = tt.dot %l, %r, %before : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %begin = arith.muli %g, %c96 : i32
    %begin64 = arith.muli %begin, %c64 : i32
    %cg = tt.addptr %c, %begin64 : !tt.ptr<f32>, i32
    %dc = tt.make_tensor_descriptor %cg, [%c96, %c64], [%n64, %n1] : !tt.ptr<f32>, !tt.tensordesc<tensor<64x64xf32>>
    tt.descriptor_store %dc[%m0, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
  }
  tt.return
}
