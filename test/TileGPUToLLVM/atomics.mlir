// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file | FileCheck %s

#own = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#pairs = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
#half = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
// Register 1 holds a copy of register 0.
#twice = #tilegpu.linear<register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
  // The only access of a thread carries the order; a result that nobody asks for
  // needs no register, where the instruction can do without.
  // CHECK-LABEL: llvm.func @orders
  tt.func @orders(%p: !tt.ptr<f32>, %m: i1) attributes {tilegpu.num_warps = 1 : i32} {
    %v = arith.constant dense<1.0> : tensor<32xf32, #own>
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #own>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #own>
    %a = tt.addptr %b, %i : tensor<32x!tt.ptr<f32>, #own>, tensor<32xi32, #own>
    %mask = tt.splat %m : i1 -> tensor<32xi1, #own>
    // CHECK: llvm.inline_asm has_side_effects "red.relaxed.gpu.global.add.f32 [$0], $1;", "l,r"
    %0 = tt.atomic_rmw fadd, relaxed, gpu, %a, %v : (tensor<32x!tt.ptr<f32>, #own>, tensor<32xf32, #own>) -> tensor<32xf32, #own>
    // CHECK: llvm.inline_asm has_side_effects "@$2 red.release.cta.global.add.f32 [$0], $1;", "l,r,b"
    %1 = tt.atomic_rmw fadd, release, cta, %a, %v, %mask : (tensor<32x!tt.ptr<f32>, #own>, tensor<32xf32, #own>, tensor<32xi1, #own>) -> tensor<32xf32, #own>
    // CHECK: llvm.inline_asm has_side_effects "@$3 atom.acq_rel.sys.global.add.f32 $0, [$1], $2;", "=&r,l,r,b"
    %2 = tt.atomic_rmw fadd, acq_rel, sys, %a, %v, %mask : (tensor<32x!tt.ptr<f32>, #own>, tensor<32xf32, #own>, tensor<32xi1, #own>) -> tensor<32xf32, #own>
    // CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, 0;\0A\09@$3 atom.acquire.gpu.global.exch.b32 $0, [$1], $2;", "=&r,l,r,b"
    %3 = tt.atomic_rmw exch, acquire, gpu, %a, %v, %mask : (tensor<32x!tt.ptr<f32>, #own>, tensor<32xf32, #own>, tensor<32xi1, #own>) -> tensor<32xf32, #own>
    tt.store %a, %3 : tensor<32x!tt.ptr<f32>, #own>
    tt.return
  }

  // Several accesses have fences around them. Sums of 16 bits go in pairs.
  // CHECK-LABEL: llvm.func @fences
  // CHECK: llvm.inline_asm has_side_effects "fence.acq_rel.gpu;"
  // CHECK-COUNT-2: llvm.inline_asm has_side_effects "red.relaxed.gpu.global.add.noftz.f16x2 [$0{{(\+[0-9]+)?}}], $1;", "l,r"
  // CHECK: llvm.inline_asm has_side_effects "fence.acq_rel.gpu;"
  tt.func @fences(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 1 : i32} {
    %v = arith.constant dense<1.0> : tensor<128xf16, #pairs>
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #pairs>
    %a = tt.addptr %b, %i : tensor<128x!tt.ptr<f16>, #pairs>, tensor<128xi32, #pairs>
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %a, %v : (tensor<128x!tt.ptr<f16>, #pairs>, tensor<128xf16, #pairs>) -> tensor<128xf16, #pairs>
    tt.return
  }

  // bf16 has no instruction here: a loop around compare-and-swap, of a pair.
  // CHECK-LABEL: llvm.func @loop
  // CHECK: llvm.br ^[[LOOP:.*]](%{{.*}} : i32)
  // CHECK: ^[[LOOP]](%[[EXPECTED:.*]]: i32):
  // CHECK: llvm.fadd
  // CHECK: llvm.fadd
  // CHECK: %[[OLD:.*]] = llvm.inline_asm has_side_effects "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;", "=&r,l,r,r" %{{.*}}, %[[EXPECTED]], %{{.*}}
  // CHECK: %[[DONE:.*]] = llvm.icmp "eq" %[[OLD]], %[[EXPECTED]]
  // CHECK: llvm.cond_br %[[DONE]], ^[[EXIT:.*]](%[[OLD]] : i32), ^[[LOOP]](%[[OLD]] : i32)
  tt.func @loop(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 1 : i32} {
    %v = arith.constant dense<1.0> : tensor<64xbf16, #pairs>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #pairs>
    %b = tt.splat %p : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #pairs>
    %a = tt.addptr %b, %i : tensor<64x!tt.ptr<bf16>, #pairs>, tensor<64xi32, #pairs>
    %0 = tt.atomic_rmw fadd, relaxed, gpu, %a, %v : (tensor<64x!tt.ptr<bf16>, #pairs>, tensor<64xbf16, #pairs>) -> tensor<64xbf16, #pairs>
    tt.return
  }

  // Of the threads that hold copies one acts, and of its registers one.
  // CHECK-LABEL: llvm.func @copies
  // CHECK: %[[BIT:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
  // CHECK: %[[OWNER:.*]] = llvm.icmp "eq"
  // CHECK: llvm.inline_asm has_side_effects "@$2 red.relaxed.gpu.global.add.u32 [$0], $1;", "l,r,b" %{{.*}}, %{{.*}}, %[[OWNER]]
  // CHECK-COUNT-1: red.relaxed.gpu.global.max.s64
  // CHECK-NOT: red.
  tt.func @copies(%p: !tt.ptr<i32>, %q: !tt.ptr<i64>) attributes {tilegpu.num_warps = 1 : i32} {
    %v = arith.constant dense<1> : tensor<16xi32, #half>
    %b = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #half>
    %0 = tt.atomic_rmw add, relaxed, gpu, %b, %v : (tensor<16x!tt.ptr<i32>, #half>, tensor<16xi32, #half>) -> tensor<16xi32, #half>
    %w = arith.constant dense<1> : tensor<32xi64, #twice>
    %c = tt.splat %q : !tt.ptr<i64> -> tensor<32x!tt.ptr<i64>, #twice>
    %1 = tt.atomic_rmw max, relaxed, gpu, %c, %w : (tensor<32x!tt.ptr<i64>, #twice>, tensor<32xi64, #twice>) -> tensor<32xi64, #twice>
    tt.return
  }

  // A scalar is the first thread's.
  // CHECK-LABEL: llvm.func @scalar
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[THREAD]]
  // CHECK: llvm.inline_asm has_side_effects "@$4 atom.acq_rel.gpu.global.cas.b16 $0, [$1], $2, $3;", "=&h,l,h,h,b" %{{.*}}, %[[FIRST]]
  tt.func @scalar(%p: !tt.ptr<f16>, %c: f16, %v: f16) attributes {tilegpu.num_warps = 1 : i32} {
    %0 = tt.atomic_cas acq_rel, gpu, %p, %c, %v : (!tt.ptr<f16>, f16, f16) -> f16
    tt.return
  }
}

// -----

// Hopper adds bf16.
#pairs = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: llvm.func @hopper
  // CHECK: red.relaxed.gpu.global.add.noftz.bf16x2
  tt.func @hopper(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 1 : i32} {
    %v = arith.constant dense<1.0> : tensor<64xbf16, #pairs>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #pairs>
    %b = tt.splat %p : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #pairs>
    %a = tt.addptr %b, %i : tensor<64x!tt.ptr<bf16>, #pairs>, tensor<64xi32, #pairs>
    %0 = tt.atomic_rmw fadd, relaxed, gpu, %a, %v : (tensor<64x!tt.ptr<bf16>, #pairs>, tensor<64xbf16, #pairs>) -> tensor<64xbf16, #pairs>
    tt.return
  }
}
