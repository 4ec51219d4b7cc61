// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" | FileCheck %s

// Codes are looked up in a table. Where its entries are says nothing of neighbouring
// lanes, however many a thread looks up: it takes as many as it stores at a time, and
// nothing is converted.

// CHECK: #[[$EIGHT:.*]] = #tilegpu.blocked<elements = [8], threads = [32], warps = [4], order = [0]>
// CHECK-LABEL: @look_up
// CHECK-NOT: convert_layout
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f16>, #[[$EIGHT]]>
tt.func public @look_up(%codes: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %table: !tt.ptr<f16>, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %c15 = arith.constant dense<15> : tensor<1024xi32>
  %cs = tt.splat %codes : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %cp = tt.addptr %cs, %i : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %bytes = tt.load %cp : tensor<1024x!tt.ptr<i8>>
  %words = arith.extui %bytes : tensor<1024xi8> to tensor<1024xi32>
  %code = arith.andi %words, %c15 : tensor<1024xi32>
  %ts = tt.splat %table : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %tp = tt.addptr %ts, %code : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %numbers = tt.load %tp : tensor<1024x!tt.ptr<f16>>
  %os = tt.splat %out : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  tt.store %op, %numbers : tensor<1024x!tt.ptr<f16>>
  tt.return
}
