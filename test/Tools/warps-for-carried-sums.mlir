// As in attention, the sums of one product are carried by the loop while another
// makes its own: together they take more registers than the threads of four warps
// have, so that eight run the program.

// RUN: tilewright compile %s --target=sm_90a --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s
// CHECK: warps-for-carried-sums.mlir:[[#@LINE+40]]:15: remark: uses 8 warps for 4: the sums of this product and those that the loop carries take 256 registers of a thread, and it has 255
// CHECK: tt.func public @attention({{.*}}tilegpu.num_warps = 8 : i32

// Those that it does not carry are gone by then.
// RUN: sed 's/values, %[s]caled/values, %zero/' %s | tilewright compile - --target=sm_90a --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED-NOT: uses 8 warps
// ASKED: tilegpu.num_warps = 4 : i32

// RUN: tilewright run %s --device=emulator --target=sm_80 --arg=random:128x16xf16:1 --arg=random:128x128xf16:2 --arg=%t.npy=poison:128x128xf32
// RUN: tilewright run %s --device=emulator --target=sm_90a --num-warps=16 --arg=random:128x16xf16:1 --arg=random:128x128xf16:2 --arg=poison:128x128xf32 --compare=2=%t.npy

tt.func public @attention(%q: !tt.ptr<f16>, %v: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %half = arith.constant dense<0.5> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %k = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %across = tt.expand_dims %k {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<128x1xi32>
  %qr = arith.muli %rows, %c16 : tensor<128x1xi32>
  %qrs = tt.broadcast %qr : tensor<128x1xi32> -> tensor<128x16xi32>
  %qcs = tt.broadcast %across : tensor<1x16xi32> -> tensor<128x16xi32>
  %qo = arith.addi %qrs, %qcs : tensor<128x16xi32>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<128x16x!tt.ptr<f16>>
  %qp = tt.addptr %qs, %qo : tensor<128x16x!tt.ptr<f16>>, tensor<128x16xi32>
  %c128 = arith.constant dense<128> : tensor<128x1xi32>
  %r = arith.muli %rows, %c128 : tensor<128x1xi32>
  %rs = tt.broadcast %r : tensor<128x1xi32> -> tensor<128x128xi32>
  %cs = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %o = arith.addi %rs, %cs : tensor<128x128xi32>
  %vs = tt.splat %v : !tt.ptr<f16> -> tensor<128x128x!tt.ptr<f16>>
  %vp = tt.addptr %vs, %o : tensor<128x128x!tt.ptr<f16>>, tensor<128x128xi32>
  %x = tt.load %qp : tensor<128x16x!tt.ptr<f16>>
  %y = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x16xf16> -> tensor<16x128xf16>
  %sums = scf.for %step = %c0 to %c3 step %c1 iter_args(%carried = %zero) -> (tensor<128x128xf32>) : i32 {
    %values = tt.load %vp : tensor<128x128x!tt.ptr<f16>>
    %scores = tt.dot %x, %y, %zero : tensor<128x16xf16> * tensor<16x128xf16> -> tensor<128x128xf32>
    %p = arith.truncf %scores : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %carried, %half : tensor<128x128xf32>
    %next = tt.dot %p, %values, %scaled : tensor<128x128xf16> * tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %op = tt.addptr %os, %o : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %op, %sums : tensor<128x128x!tt.ptr<f32>>
  tt.return
}
