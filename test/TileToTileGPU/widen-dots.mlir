// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-widen-dots="target=sm_80 num-warps=4" | FileCheck %s --check-prefix=WIDE
// RUN: tilewright-opt %s --tilegpu-widen-dots="target=sm_89 num-warps=4" | FileCheck %s --check-prefix=NARROW
// RUN: not tilewright-opt %s --tilegpu-widen-dots="target=sm_1" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: expects one of the targets sm_70, {{.*}}, but got 'sm_1'

// WIDE-LABEL: tt.func @dot
// WIDE: %[[A:.*]] = tt.fp_to_fp %{{.*}} : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
// WIDE: %[[B:.*]] = tt.fp_to_fp %{{.*}} : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
// WIDE: tt.dot %[[A]], %[[B]], %{{.*}} : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
// NARROW-LABEL: tt.func @dot
// NARROW-NOT: tt.fp_to_fp
// NARROW: tt.dot %{{.*}} : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E5M2> -> tensor<64x64xf32>
tt.func @dot(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E5M2>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tt.dot %a, %b, %c : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E5M2> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// No target has instructions for these.
// NARROW-LABEL: tt.func @other_formats
// NARROW: tt.dot %{{.*}} : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
tt.func @other_formats(%a: tensor<64x32xf8E4M3FNUZ>, %b: tensor<32x64xf8E4M3FNUZ>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tt.dot %a, %b, %c : tensor<64x32xf8E4M3FNUZ> * tensor<32x64xf8E4M3FNUZ> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}
