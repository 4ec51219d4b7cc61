// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every encoding is printed as it was read. What their maps are is tested in
// test/Unit/Layout and test/Unit/TileGPU.
// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt %s --verify-roundtrip -o /dev/null

// CHECK-DAG: #[[$BLOCKED:.*]] = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#blocked = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
// CHECK-DAG: #[[$MMA:.*]] = #tilegpu.mma<m16n8, warps = [2, 2]>
#mma = #tilegpu.mma<m16n8, warps = [2, 2]>
// CHECK-DAG: #[[$VOLTA:.*]] = #tilegpu.mma<m8n8k4f16, warps = [2, 2]>
#volta = #tilegpu.mma<m8n8k4f16, warps = [2, 2]>
// CHECK-DAG: #[[$WGMMA:.*]] = #tilegpu.wgmma<n = 128, warps = [4, 1]>
#wgmma = #tilegpu.wgmma<n = 128, warps = [4, 1]>
// CHECK-DAG: #[[$NIBBLES:.*]] = #tilegpu.dot_operand<index = 1, parent = #[[$MMA]], kWidth = 8>
#nibbles = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 8>
// CHECK-DAG: #[[$LEFT:.*]] = #tilegpu.dot_operand<index = 0, parent = #[[$WGMMA]], kWidth = 2>
#left = #tilegpu.dot_operand<index = 0, parent = #wgmma, kWidth = 2>
// CHECK-DAG: #[[$THREADS:.*]] = #tilegpu.dot_operand<index = 0, parent = #[[$BLOCKED]]>
#threads = #tilegpu.dot_operand<index = 0, parent = #blocked>
// CHECK-DAG: #[[$SLICE:.*]] = #tilegpu.slice<dim = 1, parent = #[[$WGMMA]]>
#slice = #tilegpu.slice<dim = 1, parent = #wgmma>
// CHECK-DAG: #[[$LINEAR:.*]] = #tilegpu.linear<register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [1, 0], [2, 0], [4, 0], [0, 0]], warp = {{\[\[}}0, 0], [0, 0]]>
#linear = #tilegpu.linear<register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [0, 0]], warp = [[0, 0], [0, 0]]>
// CHECK-DAG: #[[$SWIZZLED:.*]] = #tilegpu.shared_swizzled<vector = 8, perPhase = 1, maxPhase = 8, order = [1, 0]>
#swizzled = #tilegpu.shared_swizzled<vector = 8, perPhase = 1, maxPhase = 8, order = [1, 0]>
// CHECK-DAG: #[[$NVMMA:.*]] = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [0, 1]>
#nvmma = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [0, 1]>
// CHECK-DAG: #[[$COLUMNS:.*]] = #tilegpu.shared_nvmma<swizzle = 0, elementBits = 64, order = [1, 0]>
#columns = #tilegpu.shared_nvmma<swizzle = 0, elementBits = 64, order = [1, 0]>
// CHECK-DAG: #[[$FP4:.*]] = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 8, order = [1, 0], fp4Padded = true>
#fp4 = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 8, order = [1, 0], fp4Padded = true>
// CHECK-DAG: #[[$PADDED:.*]] = #tilegpu.shared_padded<parent = #[[$SWIZZLED]], intervals = [64, 512], gaps = [8, 16]>
#padded = #tilegpu.shared_padded<parent = #swizzled, intervals = [64, 512], gaps = [8, 16]>
// CHECK-DAG: #[[$BASES:.*]] = #tilegpu.shared_linear<offset = {{\[\[}}0, 1], [1, 1]]>
#bases = #tilegpu.shared_linear<offset = [[0, 1], [1, 1]]>

// CHECK-LABEL: tt.func @registers
// CHECK-SAME: tensor<64x64xf16, #[[$BLOCKED]]>
// CHECK-SAME: tensor<64x64xf32, #[[$MMA]]>
// CHECK-SAME: tensor<64x64xf16, #[[$VOLTA]]>
// CHECK-SAME: tensor<64x256xf32, #[[$WGMMA]]>
// CHECK-SAME: tensor<64x32xi4, #[[$NIBBLES]]>
// CHECK-SAME: tensor<64x32xbf16, #[[$LEFT]]>
// CHECK-SAME: tensor<64x16xf32, #[[$THREADS]]>
// CHECK-SAME: tensor<64xf32, #[[$SLICE]]>
// CHECK-SAME: tensor<8x4xf64, #[[$LINEAR]]>
tt.func @registers(%0: tensor<64x64xf16, #blocked>, %1: tensor<64x64xf32, #mma>,
                   %2: tensor<64x64xf16, #volta>, %3: tensor<64x256xf32, #wgmma>,
                   %4: tensor<64x32xi4, #nibbles>, %5: tensor<64x32xbf16, #left>,
                   %6: tensor<64x16xf32, #threads>, %7: tensor<64xf32, #slice>,
                   %8: tensor<8x4xf64, #linear>) {
  tt.return
}

// CHECK-LABEL: tt.func @shared
// CHECK-SAME: memdesc<64x64xf16, #[[$SWIZZLED]]>
// CHECK-SAME: memdesc<64x32xbf16, #[[$NVMMA]], buffers = 3, mutable>
// CHECK-SAME: memdesc<8x2xf64, #[[$COLUMNS]]>
// CHECK-SAME: memdesc<8x64xi8, #[[$FP4]]>
// CHECK-SAME: memdesc<64x64xf32, #[[$PADDED]]>
// CHECK-SAME: memdesc<2x2xi8, #[[$BASES]]>
tt.func @shared(%0: !tilegpu.memdesc<64x64xf16, #swizzled>,
                %1: !tilegpu.memdesc<64x32xbf16, #nvmma, buffers = 3, mutable>,
                %2: !tilegpu.memdesc<8x2xf64, #columns>,
                %3: !tilegpu.memdesc<8x64xi8, #fp4>,
                %4: !tilegpu.memdesc<64x64xf32, #padded>,
                %5: !tilegpu.memdesc<2x2xi8, #bases>) {
  tt.return
}
