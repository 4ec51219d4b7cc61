// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: cat %t/sm_80.txt %t/kernel.mlir | tilewright-opt --tilegpu-to-llvm --cse | FileCheck %s --check-prefix=WORDS
// RUN: cat %t/sm_90a.txt %t/kernel.mlir | tilewright-opt --tilegpu-to-llvm --cse | FileCheck %s --check-prefix=EVEN
// RUN: cat %t/sm_89.txt %t/kernel.mlir | tilewright-opt --tilegpu-to-llvm --cse | FileCheck %s --check-prefix=PAIRS

//--- sm_80.txt
module attributes {tilegpu.target = "sm_80"} {
//--- sm_89.txt
module attributes {tilegpu.target = "sm_89"} {
//--- sm_90a.txt
module attributes {tilegpu.target = "sm_90a"} {
//--- kernel.mlir
  // Four codes are one word, spread over the upper bytes of halves.
  // WORDS-LABEL: llvm.func @e5m2_to_f16
  // WORDS: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
  // WORDS: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[WORD]],
  // WORDS: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[WORD]],
  // WORDS-NOT: llvm.fmul
  // E5M2 by words is no worse with the instruction.
  // PAIRS-LABEL: llvm.func @e5m2_to_f16
  // PAIRS-COUNT-2: llvm.call_intrinsic "llvm.nvvm.prmt"
  tt.func @e5m2_to_f16(%base: !tt.ptr<f8E5M2>, %to: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %bases = tt.splat %base : !tt.ptr<f8E5M2> -> tensor<128x!tt.ptr<f8E5M2>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %places = tt.addptr %bases, %i : tensor<128x!tt.ptr<f8E5M2>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>, tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %x = tt.load %places : tensor<128x!tt.ptr<f8E5M2>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %y = tt.fp_to_fp %x : tensor<128xf8E5M2, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>> -> tensor<128xf16, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %tos = tt.splat %to : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %toPlaces = tt.addptr %tos, %i : tensor<128x!tt.ptr<f16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>, tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    tt.store %toPlaces, %y : tensor<128x!tt.ptr<f16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    tt.return
  }

  // Two numbers an instruction, the first in the lower byte.
  // WORDS-LABEL: llvm.func @f32_to_e4m3
  // WORDS-NOT: e4m3x2
  // WORDS: llvm.intr.umin
  // PAIRS-LABEL: llvm.func @f32_to_e4m3
  // PAIRS-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
  // PAIRS-NOT: llvm.intr.umin
  tt.func @f32_to_e4m3(%x: f32, %to: !tt.ptr<f8E4M3FN>) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %numbers = arith.sitofp %i : tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>> to tensor<128xf32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %y = tt.fp_to_fp %numbers, rounding = rtne : tensor<128xf32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>> -> tensor<128xf8E4M3FN, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %tos = tt.splat %to : !tt.ptr<f8E4M3FN> -> tensor<128x!tt.ptr<f8E4M3FN>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %places = tt.addptr %tos, %i : tensor<128x!tt.ptr<f8E4M3FN>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>, tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    tt.store %places, %y : tensor<128x!tt.ptr<f8E4M3FN>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    tt.return
  }

  // The instruction saturates; what must overflow to NaN is calculated.
  // PAIRS-LABEL: llvm.func @truncated
  // PAIRS-NOT: e4m3x2
  // PAIRS: llvm.intr.umin
  tt.func @truncated(%x: f32, %to: !tt.ptr<f8E4M3FN>) attributes {tilegpu.num_warps = 1 : i32} {
    %y = arith.truncf %x : f32 to f8E4M3FN
    tt.store %to, %y : !tt.ptr<f8E4M3FN>
    tt.return
  }

  // Of tf32 there are f32 with zeros; that these are f32 costs nothing.
  // EVEN-LABEL: llvm.func @tf32
  // EVEN: %[[BITS:.*]] = llvm.call_intrinsic "llvm.nvvm.f2tf32.rn"(%{{.*}}) : (f32) -> i32
  // EVEN: st.global.b32 [$0], $1;", "l,r,b" %{{.*}}, %[[BITS]],
  // WORDS-LABEL: llvm.func @tf32
  // WORDS: llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"
  tt.func @tf32(%x: f32, %to: !tt.ptr<f32>) attributes {tilegpu.num_warps = 1 : i32} {
    %y = arith.truncf %x : f32 to tf32
    %z = arith.extf %y : tf32 to f32
    tt.store %to, %z : !tt.ptr<f32>
    tt.return
  }
  // The upper half of a word is a number of f32 once the lower one is 0.
  // WORDS-LABEL: llvm.func @bf16_to_f32
  // WORDS: %[[WORD:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
  // WORDS: llvm.fpext %{{.*}} : bf16 to f32
  // WORDS: %[[UPPER:.*]] = llvm.mlir.constant(-65536 : i32)
  // WORDS: llvm.and %[[WORD]], %[[UPPER]]
  // WORDS-NOT: llvm.fpext
  tt.func @bf16_to_f32(%base: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %to: !tt.ptr<f32>) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>
    %bases = tt.splat %base : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>
    %places = tt.addptr %bases, %i : tensor<64x!tt.ptr<bf16>, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>, tensor<64xi32, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>
    %x = tt.load %places : tensor<64x!tt.ptr<bf16>, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>
    %y = arith.extf %x : tensor<64xbf16, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>> to tensor<64xf32, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>
    %tos = tt.splat %to : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>
    %toPlaces = tt.addptr %tos, %i : tensor<64x!tt.ptr<f32>, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>, tensor<64xi32, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>
    tt.store %toPlaces, %y : tensor<64x!tt.ptr<f32>, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>
    tt.return
  }

  // Arithmetic on what is in words is by words, where the target has it; then
  // half of the results are upper halves.
  // EVEN-LABEL: llvm.func @bf16_pairs
  // EVEN-COUNT-2: llvm.fmul %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<2xbf16>
  // EVEN-COUNT-2: llvm.fsub %{{.*}} : vector<2xbf16>
  // EVEN-NOT: llvm.fsub
  // EVEN-COUNT-2: llvm.and
  // EVEN-NOT: llvm.and
  // WORDS-LABEL: llvm.func @bf16_pairs
  // WORDS-COUNT-4: llvm.fmul %{{.*}} : bf16
  tt.func @bf16_pairs(%base: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %to: !tt.ptr<f32>, %c: bf16) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %half = arith.constant dense<0.5> : tensor<128xbf16, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %bases = tt.splat %base : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %places = tt.addptr %bases, %i : tensor<128x!tt.ptr<bf16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>, tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %x = tt.load %places : tensor<128x!tt.ptr<bf16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %h = arith.mulf %x, %half fastmath<contract> : tensor<128xbf16, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %d = arith.subf %h, %x : tensor<128xbf16, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %y = arith.extf %d : tensor<128xbf16, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>> to tensor<128xf32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %tos = tt.splat %to : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %toPlaces = tt.addptr %tos, %i : tensor<128x!tt.ptr<f32>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>, tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    tt.store %toPlaces, %y : tensor<128x!tt.ptr<f32>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    tt.return
  }

  // Numbers that are in no word stay by themselves.
  // EVEN-LABEL: llvm.func @bf16_alone
  // EVEN-COUNT-4: llvm.fadd %{{.*}} : bf16
  tt.func @bf16_alone(%to: !tt.ptr<bf16>) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %numbers = arith.sitofp %i : tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>> to tensor<128xf32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %a = arith.truncf %numbers : tensor<128xf32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>> to tensor<128xbf16, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %b = arith.addf %a, %a : tensor<128xbf16, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %tos = tt.splat %to : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    %places = tt.addptr %tos, %i : tensor<128x!tt.ptr<bf16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>, tensor<128xi32, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    tt.store %places, %b : tensor<128x!tt.ptr<bf16>, #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>>
    tt.return
  }
}
