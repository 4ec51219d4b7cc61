// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_80 num-warps=4" | FileCheck %s --check-prefixes=ALL,AMPERE
// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_70 num-warps=4" | FileCheck %s --check-prefixes=ALL,VOLTA

// Warps share batches first; two are left for the rows.
// AMPERE-DAG: #[[$BATCHED:.*]] = #tilegpu.mma<m16n8, warps = [2, 2, 1]>
// More warps than tiles of the instruction: the others hold copies.
// AMPERE-DAG: #[[$SMALL:.*]] = #tilegpu.mma<m16n8, warps = [2, 2]>
// AMPERE-DAG: #[[$DOUBLE:.*]] = #tilegpu.mma<m8n8, warps = [2, 2]>
// VOLTA-DAG: #[[$QUADS:.*]] = #tilegpu.mma<m8n8k4f16, warps = [2, 2]>
// Neighbouring lanes have another row, those two apart another column; a warp
// has as many rows as columns.
// VOLTA-DAG: #[[$SQUARE:.*]] = #tilegpu.linear<register = {{\[\[}}0, 1]], lane = {{\[\[}}1, 0], [0, 2], [2, 0], [4, 0], [0, 4]], warp = {{\[\[}}8, 0], [0, 8]]>

// ALL-LABEL: tt.func private @batches
// AMPERE: tilegpu.mma {{.*}} instruction = [16, 8, 16] {{.*}} -> tensor<2x32x16xf32, #[[$BATCHED]]>
tt.func private @batches(%x: f16) {
  %a = tt.splat %x : f16 -> tensor<2x32x16xf16>
  %b = tt.splat %x : f16 -> tensor<2x16x16xf16>
  %c = arith.constant dense<0.0> : tensor<2x32x16xf32>
  %d = tt.dot %a, %b, %c : tensor<2x32x16xf16> * tensor<2x16x16xf16> -> tensor<2x32x16xf32>
  tt.return
}

// The largest K that divides the dot's; where none does, the smallest.
// ALL-LABEL: tt.func private @small
// AMPERE: tilegpu.mma {{.*}} instruction = [16, 8, 8] {{.*}} -> tensor<1x2xf32, #[[$SMALL]]>
// AMPERE: tilegpu.mma {{.*}} instruction = [16, 8, 8] {{.*}} -> tensor<1x2xf32, #[[$SMALL]]>
tt.func private @small(%x: f16) {
  %a = tt.splat %x : f16 -> tensor<1x8xf16>
  %b = tt.splat %x : f16 -> tensor<8x2xf16>
  %c = arith.constant dense<0.0> : tensor<1x2xf32>
  %d = tt.dot %a, %b, %c : tensor<1x8xf16> * tensor<8x2xf16> -> tensor<1x2xf32>
  %e = tt.splat %x : f16 -> tensor<1x4xf16>
  %f = tt.splat %x : f16 -> tensor<4x2xf16>
  %g = tt.dot %e, %f, %d : tensor<1x4xf16> * tensor<4x2xf16> -> tensor<1x2xf32>
  tt.return
}

// ALL-LABEL: tt.func private @f16_sums
// VOLTA: tilegpu.mma {{.*}} instruction = [8, 8, 4] {{.*}} -> tensor<32x32xf16, #[[$QUADS]]>
tt.func private @f16_sums(%x: f16) {
  %a = tt.splat %x : f16 -> tensor<32x16xf16>
  %b = tt.splat %x : f16 -> tensor<16x32xf16>
  %c = tt.splat %x : f16 -> tensor<32x32xf16>
  %d = tt.dot %a, %b, %c : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<32x32xf16>
  tt.return
}

// Without an instruction its operands are read from shared memory.
// ALL-LABEL: tt.func private @doubles
// AMPERE: tilegpu.mma {{.*}} instruction = [8, 8, 4] {{.*}} -> tensor<16x16xf64, #[[$DOUBLE]]>
// VOLTA: tilegpu.multiply_add {{.*}} -> tensor<16x16xf64, #[[$SQUARE]]>
tt.func private @doubles(%x: f64) {
  %a = tt.splat %x : f64 -> tensor<16x16xf64>
  %c = arith.constant dense<0.0> : tensor<16x16xf64>
  %d = tt.dot %a, %a, %c : tensor<16x16xf64> * tensor<16x16xf64> -> tensor<16x16xf64>
  tt.return
}
