// Products of few rows wait for memory: a loop of them has the stages that are asked for,
// in one CTA of a multiprocessor, where two CTAs would have two each. Not where the
// weights are computed first, nor where the rows are many.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --num-stages=5 --bulk-copies=false --specialize-warps=false --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s
// CHECK: remark: this loop is a software pipeline of 5 stages
// RUN: sed 's/[%]right = tt.load \(.*\) :/%raw = tt.load \1 :/; s/^ .*squared$/    %right = arith.mulf %raw, %raw : tensor<128x64xf32>/' %s | tilewright compile - --target=sm_90a --num-warps=4 --num-stages=5 --bulk-copies=false --specialize-warps=false --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=FEWER
// RUN: sed 's/16x/64x/g; s/end = 16 /end = 64 /' %s | tilewright compile - --target=sm_90a --num-warps=4 --num-stages=5 --bulk-copies=false --specialize-warps=false --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: remark: this loop has {{[2-4]}} stages where 5 are asked for

tt.func public @rows(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %c8192 = arith.constant 8192 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %m = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %k = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %wide = arith.constant dense<4096> : tensor<16x1xi32>
  %mr = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %mo = arith.muli %mr, %wide : tensor<16x1xi32>
  %mk = tt.expand_dims %k {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %mos = tt.broadcast %mo : tensor<16x1xi32> -> tensor<16x128xi32>
  %mks = tt.broadcast %mk : tensor<1x128xi32> -> tensor<16x128xi32>
  %ao = arith.addi %mos, %mks : tensor<16x128xi32>
  %lines = arith.constant dense<64> : tensor<128x1xi32>
  %kr = tt.expand_dims %k {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %ko = arith.muli %kr, %lines : tensor<128x1xi32>
  %kj = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %kos = tt.broadcast %ko : tensor<128x1xi32> -> tensor<128x64xi32>
  %kjs = tt.broadcast %kj : tensor<1x64xi32> -> tensor<128x64xi32>
  %bo = arith.addi %kos, %kjs : tensor<128x64xi32>
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x64xf32>) : i32 {
    %ax = arith.muli %i, %c128 : i32
    %bx = arith.muli %i, %c8192 : i32
    %af = tt.addptr %a, %ax : !tt.ptr<f32>, i32
    %bf = tt.addptr %b, %bx : !tt.ptr<f32>, i32
    %as = tt.splat %af : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>>
    %bs = tt.splat %bf : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
    %ap = tt.addptr %as, %ao : tensor<16x128x!tt.ptr<f32>>, tensor<16x128xi32>
    %bp = tt.addptr %bs, %bo : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
    %left = tt.load %ap : tensor<16x128x!tt.ptr<f32>>
    %right = tt.load %bp : tensor<128x64x!tt.ptr<f32>>
    // squared
    %next = tt.dot %left, %right, %sum, inputPrecision = tf32 : tensor<16x128xf32> * tensor<128x64xf32> -> tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  %ok = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = arith.constant dense<64> : tensor<16x1xi32>
  %or = arith.muli %mr, %rows : tensor<16x1xi32>
  %ors = tt.broadcast %or : tensor<16x1xi32> -> tensor<16x64xi32>
  %oks = tt.broadcast %ok : tensor<1x64xi32> -> tensor<16x64xi32>
  %oo = arith.addi %ors, %oks : tensor<16x64xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %op = tt.addptr %os, %oo : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  tt.store %op, %sums : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
