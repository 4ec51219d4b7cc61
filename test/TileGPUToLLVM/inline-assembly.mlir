// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#layout = #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // Four bytes are one register; four halves are two.
  // CHECK-LABEL: llvm.func @packed
  // CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
  // CHECK: llvm.inline_asm has_side_effects "{ prmt.b32 $0, $2, 0, 0x1404; prmt.b32 $1, $2, 0, 0x3424; }", "=&r,=&r,r" %[[WORD]] : (i32) -> !llvm.struct<(i32, i32)>
  // CHECK-NOT: llvm.inline_asm {{.*}}prmt
  tt.func @packed(%base: !tt.ptr<i8>, %to: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #layout>
    %bases = tt.splat %base : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>, #layout>
    %places = tt.addptr %bases, %i : tensor<128x!tt.ptr<i8>, #layout>, tensor<128xi32, #layout>
    %x = tt.load %places : tensor<128x!tt.ptr<i8>, #layout>
    %y = tt.elementwise_inline_asm "{ prmt.b32 $0, $2, 0, 0x1404; prmt.b32 $1, $2, 0, 0x3424; }" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %x : tensor<128xi8, #layout> -> tensor<128xf16, #layout>
    %tos = tt.splat %to : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #layout>
    %toPlaces = tt.addptr %tos, %i : tensor<128x!tt.ptr<f16>, #layout>, tensor<128xi32, #layout>
    tt.store %toPlaces, %y : tensor<128x!tt.ptr<f16>, #layout>
    tt.return
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  tt.func @pure(%x: i32, %to: !tt.ptr<i32>) attributes {tilegpu.num_warps = 1 : i32} {
    // CHECK-LABEL: llvm.func @pure
    // CHECK: llvm.inline_asm "shl.b32 $0, $1, 3;", "=&r,r" %arg0 : (i32) -> i32
    %y = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.store %to, %y : !tt.ptr<i32>
    tt.return
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  tt.func @unknown_class(%x: i32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{'tt.elementwise_inline_asm' op expects constraints =h, =r, =l, =f, =d for the results, then h, r, l, f, d for the operands, then ~{...}, but got 'm' in "=r,m"}}
    %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,m", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.return
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  tt.func @too_few(%x: i32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{'tt.elementwise_inline_asm' op expects 2 constraints of operands (one for each register of 2 elements), but got 1}}
    %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,=r,r", packed_element = 2 : i32, pure = true} %x : i32 -> i32
    tt.return
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  tt.func @too_narrow(%x: i64) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{'tt.elementwise_inline_asm' op expects a constraint for 64 bits of 'i64', but got 'r' of 32}}
    %y = tt.elementwise_inline_asm "mov.b64 $0, $1;" {constraints = "=r,l", packed_element = 1 : i32, pure = true} %x : i64 -> i64
    tt.return
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  tt.func @uneven(%x: i16) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{'tt.elementwise_inline_asm' op expects packed_element to be a multiple of the 2 elements of 'i16' in a register, but got 3}}
    %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 3 : i32, pure = true} %x : i16 -> i16
    tt.return
  }
}
