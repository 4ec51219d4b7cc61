// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an encoding, or a type that carries one, must not say.
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects 32 threads in a warp, but got 16}}
#e = #tilegpu.blocked<elements = [1], threads = [16], warps = [1], order = [0]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects elements to have 1 entries, but got 2}}
#e = #tilegpu.blocked<elements = [1, 1], threads = [32], warps = [1], order = [0]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects elements to be powers of two, but got 3}}
#e = #tilegpu.blocked<elements = [3], threads = [32], warps = [1], order = [0]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects at most 2^24 elements in a thread, but got 2^31}}
#e = #tilegpu.blocked<elements = [2147483648], threads = [32], warps = [1], order = [0]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects at most 32 warps, but got [8, 8]}}
#e = #tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [8, 8], order = [0, 1]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// The product does not fit 32 bits.
// expected-error @+1 {{expects at most 32 warps, but got [2147483648, 2]}}
#e = #tilegpu.mma<m16n8, warps = [2147483648, 2]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects order to be a permutation of 0 to 1, but got [1, 1]}}
#e = #tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [1, 1], order = [1, 1]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects warps in 2 or 3 dimensions, but got 1}}
#e = #tilegpu.mma<m16n8, warps = [4]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects n to be a power of two from 8 to 256, but got 24}}
#e = #tilegpu.wgmma<n = 24, warps = [4, 1]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects n to be a power of two from 8 to 256, but got 512}}
#e = #tilegpu.wgmma<n = 512, warps = [4, 1]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects groups of 4 warps along the rows, but got 2 warps}}
#e = #tilegpu.wgmma<n = 64, warps = [2, 2]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects warps in 2 or 3 dimensions, but got 1}}
#e = #tilegpu.wgmma<n = 64, warps = [4]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects at most 32 warps, but got [16, 4]}}
#e = #tilegpu.wgmma<n = 64, warps = [16, 4]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects index 0 under #tilegpu.wgmma<n = 64, warps = [4, 1]> (wgmma takes its right operand from shared memory), but got 1}}
#e = #tilegpu.dot_operand<index = 1, parent = #tilegpu.wgmma<n = 64, warps = [4, 1]>, kWidth = 2>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects kWidth 1, 2 or 4 under #tilegpu.wgmma<n = 64, warps = [4, 1]>, but got 8}}
#e = #tilegpu.dot_operand<index = 0, parent = #tilegpu.wgmma<n = 64, warps = [4, 1]>, kWidth = 8>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects kWidth 1, 2 or 4 under #tilegpu.wgmma<n = 64, warps = [4, 1]>, but got 0}}
#e = #tilegpu.dot_operand<index = 0, parent = #tilegpu.wgmma<n = 64, warps = [4, 1]>>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects kWidth 1, 2, 4 or 8, but got 16}}
#e = #tilegpu.dot_operand<index = 0, parent = #tilegpu.mma<m16n8, warps = [4, 1]>, kWidth = 16>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects kWidth 2 or 4 under m8n8k4, but got 8}}
#e = #tilegpu.dot_operand<index = 0, parent = #tilegpu.mma<m8n8k4, warps = [4, 1]>, kWidth = 8>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects index 0 (left) or 1 (right), but got 2}}
#e = #tilegpu.dot_operand<index = 2, parent = #tilegpu.mma<m16n8, warps = [4, 1]>, kWidth = 2>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects a parent of rank 2 or 3, but got rank 1}}
#e = #tilegpu.dot_operand<index = 0, parent = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects dim in [0, 2), but got 2}}
#e = #tilegpu.slice<dim = 2, parent = #tilegpu.mma<m16n8, warps = [4, 1]>>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects 5 lane bases, but got 4}}
#e = #tilegpu.linear<register = [], lane = [[1], [2], [4], [8]], warp = []>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects bases that reach every coordinate, but got rank 6 of 7}}
#e = #tilegpu.linear<register = [[2]], lane = [[4], [8], [16], [32], [64]], warp = []>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects vector, perPhase and maxPhase to be powers of two, but got 6}}
#e = #tilegpu.shared_swizzled<vector = 6, perPhase = 1, maxPhase = 8, order = [1, 0]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects swizzle 0, 32, 64 or 128, but got 16}}
#e = #tilegpu.shared_nvmma<swizzle = 16, elementBits = 16, order = [1, 0]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects elementBits 4, 8, 16, 32 or 64, but got 6}}
#e = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 6, order = [1, 0]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects elementBits 4, or 8 for pairs, with fp4Padded, but got 16}}
#e = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0], fp4Padded = true>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects swizzle 0 or 128 with fp4Padded, but got 64}}
#e = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 4, order = [1, 0], fp4Padded = true>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

// expected-error @+1 {{expects a layout of rank 2 or more, but got rank 1}}
#e = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [0]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects intervals to ascend, but got [64, 32]}}
#e = #tilegpu.shared_padded<parent = #rows, intervals = [64, 32], gaps = [8, 8]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects gaps to have 1 entries, but got 2}}
#e = #tilegpu.shared_padded<parent = #rows, intervals = [64], gaps = [8, 8]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects gaps to be powers of two, but got 3}}
#e = #tilegpu.shared_padded<parent = #rows, intervals = [64], gaps = [3]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects gaps no larger than their intervals, but got 8 after every 4}}
#e = #tilegpu.shared_padded<parent = #rows, intervals = [4], gaps = [8]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

#fp4 = #tilegpu.shared_nvmma<swizzle = 0, elementBits = 4, order = [1, 0], fp4Padded = true>
// expected-error @+1 {{expects a parent without padding, but got #tilegpu.shared_nvmma<swizzle = 0, elementBits = 4, order = [1, 0], fp4Padded = true>}}
#e = #tilegpu.shared_padded<parent = #fp4, intervals = [64], gaps = [8]>
tt.func @f(%0: tensor<32x32xf32, #e>) {
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
// expected-error @+1 {{expects every dimension of a tensor with a layout to be a power of two, but got 24}}
tt.func @f(%0: tensor<24xf32, #b>) {
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [1, 1], order = [1, 0]>
// expected-error @+1 {{expects a tensor with a layout to have at most 2^40 elements, but got 2^64}}
tt.func @f(%0: tensor<4294967296x4294967296xf32, #b>) {
  tt.return
}

// -----

#b = #tilegpu.wgmma<n = 64, warps = [4, 1]>
// expected-error @+1 {{expects a tensor of rank 2 for the layout #tilegpu.wgmma<n = 64, warps = [4, 1]>, but got rank 1}}
tt.func @f(%0: tensor<64xf32, #b>) {
  tt.return
}

// -----

#l = #tilegpu.linear<register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [0, 0]], warp = []>
#b = #tilegpu.dot_operand<index = 0, parent = #l>
// expected-error @+1 {{expects size 8 in dimension 0, which the bases reach, but got 16}}
tt.func @f(%0: tensor<16x4xf32, #b>) {
  tt.return
}

// -----

#b = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
// expected-error @+1 {{expects elements of 16 bits for #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>, but got 32 bits}}
tt.func @f(%0: !tilegpu.memdesc<64x64xf32, #b>) {
  tt.return
}

// -----

#b = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [0, 1]>
// expected-error @+1 {{expects at least 64 elements (128 bytes) in dimension 0 for #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [0, 1]>, but got 32}}
tt.func @f(%0: !tilegpu.memdesc<32x64xf16, #b>) {
  tt.return
}

// -----

#b = #tilegpu.shared_linear<offset = [[1, 0], [0, 1]]>
// expected-error @+1 {{expects size 2 in dimension 1, which the bases reach, but got 4}}
tt.func @f(%0: !tilegpu.memdesc<2x4xf16, #b>) {
  tt.return
}

// -----

#b = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects a tile in shared memory to have at most 2^30 elements, but got 2^64}}
tt.func @f(%0: !tilegpu.memdesc<4294967296x4294967296xf16, #b>) {
  tt.return
}

// -----

#b = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects at most 1048576 buffers, but got 4294967295}}
tt.func @f(%0: !tilegpu.memdesc<2x4xf16, #b, buffers = 4294967295>) {
  tt.return
}
