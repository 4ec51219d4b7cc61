// A function whose threads load narrow elements one by one: under the limit that is
// to leave room for other CTAs it spilled 2,252 bytes. It has more registers
// then, in its PTX too.

// REQUIRES: ptxas
// RUN: tilewright compile %s --target=sm_90a --emit=artifact-json -o - | FileCheck %s
// RUN: tilewright compile %s --target=sm_90a --emit=ptx --machine-code=false -o - | FileCheck %s --check-prefix=LIMIT
// RUN: tilewright compile %s --target=sm_90a --max-registers=96 --emit=artifact-json -o - | FileCheck %s --check-prefix=ASKED
// LIMIT: .maxnreg 72
// CHECK: "registers": {{1[5-9][0-9]|2[0-9][0-9]}},
// CHECK-NEXT: "spill_bytes": 0
// ASKED: "registers": 96

tt.func public @rotate(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32, %stride: i32 {tt.divisibility = 16 : i32}, %head: i32 {tt.divisibility = 16 : i32}, %angle: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<16x4x64xf16>
  %two = arith.constant dense<2> : tensor<1x1x64xi32>
  %one = arith.constant dense<1> : tensor<1x1x64xi32>
  %program = tt.get_program_id x : i32
  %c16 = arith.constant 16 : i32
  %first = arith.muli %program, %c16 : i32
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %firsts = tt.splat %first : i32 -> tensor<16xi32>
  %at = arith.addi %firsts, %i : tensor<16xi32>
  %i1 = tt.expand_dims %at {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %row = tt.expand_dims %i1 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %h = tt.expand_dims %j1 {axis = 2 : i32} : tensor<1x4xi32> -> tensor<1x4x1xi32>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %d = tt.expand_dims %k1 {axis = 0 : i32} : tensor<1x64xi32> -> tensor<1x1x64xi32>
  %even = arith.muli %d, %two : tensor<1x1x64xi32>
  %odd = arith.addi %even, %one : tensor<1x1x64xi32>
  %n = tt.splat %rows : i32 -> tensor<16x1x1xi32>
  %is = arith.cmpi slt, %row, %n : tensor<16x1x1xi32>
  %mask = tt.broadcast %is : tensor<16x1x1xi1> -> tensor<16x4x64xi1>
  %strides = tt.splat %stride : i32 -> tensor<16x1x1xi32>
  %heads = tt.splat %head : i32 -> tensor<1x4x1xi32>
  %angles = tt.splat %angle : i32 -> tensor<16x1x1xi32>
  %r0 = arith.muli %row, %strides : tensor<16x1x1xi32>
  %h0 = arith.muli %h, %heads : tensor<1x4x1xi32>
  %a0 = arith.muli %row, %angles : tensor<16x1x1xi32>
  %r1 = tt.broadcast %r0 : tensor<16x1x1xi32> -> tensor<16x4x64xi32>
  %h1 = tt.broadcast %h0 : tensor<1x4x1xi32> -> tensor<16x4x64xi32>
  %a1 = tt.broadcast %a0 : tensor<16x1x1xi32> -> tensor<16x4x64xi32>
  %rh = arith.addi %r1, %h1 : tensor<16x4x64xi32>
  %evenb = tt.broadcast %even : tensor<1x1x64xi32> -> tensor<16x4x64xi32>
  %qeveno = arith.addi %rh, %evenb : tensor<16x4x64xi32>
  %ceveno = arith.addi %a1, %evenb : tensor<16x4x64xi32>
  %oddb = tt.broadcast %odd : tensor<1x1x64xi32> -> tensor<16x4x64xi32>
  %qoddo = arith.addi %rh, %oddb : tensor<16x4x64xi32>
  %coddo = arith.addi %a1, %oddb : tensor<16x4x64xi32>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<16x4x64x!tt.ptr<f16>>
  %cs = tt.splat %c : !tt.ptr<f16> -> tensor<16x4x64x!tt.ptr<f16>>
  %ss = tt.splat %s : !tt.ptr<f16> -> tensor<16x4x64x!tt.ptr<f16>>
  %qeven = tt.addptr %qs, %qeveno : tensor<16x4x64x!tt.ptr<f16>>, tensor<16x4x64xi32>
  %qevenv = tt.load %qeven, %mask, %zero : tensor<16x4x64x!tt.ptr<f16>>
  %qodd = tt.addptr %qs, %qoddo : tensor<16x4x64x!tt.ptr<f16>>, tensor<16x4x64xi32>
  %qoddv = tt.load %qodd, %mask, %zero : tensor<16x4x64x!tt.ptr<f16>>
  %ceven = tt.addptr %cs, %ceveno : tensor<16x4x64x!tt.ptr<f16>>, tensor<16x4x64xi32>
  %cevenv = tt.load %ceven, %mask, %zero : tensor<16x4x64x!tt.ptr<f16>>
  %codd = tt.addptr %cs, %coddo : tensor<16x4x64x!tt.ptr<f16>>, tensor<16x4x64xi32>
  %coddv = tt.load %codd, %mask, %zero : tensor<16x4x64x!tt.ptr<f16>>
  %seven = tt.addptr %ss, %ceveno : tensor<16x4x64x!tt.ptr<f16>>, tensor<16x4x64xi32>
  %sevenv = tt.load %seven, %mask, %zero : tensor<16x4x64x!tt.ptr<f16>>
  %sodd = tt.addptr %ss, %coddo : tensor<16x4x64x!tt.ptr<f16>>, tensor<16x4x64xi32>
  %soddv = tt.load %sodd, %mask, %zero : tensor<16x4x64x!tt.ptr<f16>>
  %a = arith.mulf %qevenv, %cevenv : tensor<16x4x64xf16>
  %b = arith.mulf %qoddv, %sevenv : tensor<16x4x64xf16>
  %x = arith.subf %a, %b : tensor<16x4x64xf16>
  %e = arith.mulf %qevenv, %soddv : tensor<16x4x64xf16>
  %f = arith.mulf %qoddv, %coddv : tensor<16x4x64xf16>
  %y = arith.addf %e, %f : tensor<16x4x64xf16>
  tt.store %qeven, %x, %mask : tensor<16x4x64x!tt.ptr<f16>>
  tt.store %qodd, %y, %mask : tensor<16x4x64x!tt.ptr<f16>>
  tt.return
}
