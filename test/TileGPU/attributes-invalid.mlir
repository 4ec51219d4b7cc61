// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// What layouts refuse: their own parameters, and tensors that they do not fit.

// expected-error @+1 {{expects elements to have 2 entries, but got 1}}
#a = #tilegpu.blocked<elements = [1], threads = [8, 4], warps = [4, 1], order = [1, 0]>

// -----

// expected-error @+1 {{expects threads to be powers of two, but got 3}}
#a = #tilegpu.blocked<elements = [1, 1], threads = [3, 4], warps = [4, 1], order = [1, 0]>

// -----

// expected-error @+1 {{expects order to be a permutation of 0 to 1, but got [1, 1]}}
#a = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [4, 1], order = [1, 1]>

// -----

// expected-error @+1 {{expects 32 threads in a warp, but got 64}}
#a = #tilegpu.blocked<elements = [1, 1], threads = [8, 8], warps = [4, 1], order = [1, 0]>

// -----

#a = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [4, 1], order = [1, 0]>
// expected-error @+1 {{expects a tensor of rank 2 for the layout #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [4, 1], order = [1, 0]>, but got rank 1}}
tt.func private @rank(%x: tensor<32xf32, #a>)

// -----

#a = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [4, 1], order = [1, 0]>
// expected-error @+1 {{expects every dimension of a tensor with a layout to be a power of two, but got 24}}
tt.func private @size(%x: tensor<24x32xf32, #a>)

// -----

// expected-error @+1 {{expects warps in 2 or 3 dimensions, but got 1}}
#a = #tilegpu.mma<m16n8, warps = [4]>

// -----

#m = #tilegpu.mma<m16n8, warps = [4, 1]>
// expected-error @+1 {{expects index 0 (left) or 1 (right), but got 2}}
#a = #tilegpu.dot_operand<index = 2, parent = #m, kWidth = 2>

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
// expected-error @+1 {{expects a parent of rank 2 or 3, but got rank 1}}
#a = #tilegpu.dot_operand<index = 0, parent = #b>

// -----

#b = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [4, 1], order = [1, 0]>
// expected-error @+1 {{expects kWidth 0 under #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [4, 1], order = [1, 0]>, but got 2}}
#a = #tilegpu.dot_operand<index = 0, parent = #b, kWidth = 2>

// -----

#m = #tilegpu.mma<m16n8, warps = [4, 1]>
// expected-error @+1 {{expects kWidth 1, 2, 4 or 8, but got 3}}
#a = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 3>

// -----

#m = #tilegpu.mma<m8n8k4, warps = [4, 1]>
// expected-error @+1 {{expects kWidth 2 or 4 under m8n8k4, but got 1}}
#a = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 1>

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
// expected-error @+1 {{expects a parent of rank 2 or more, but got rank 1}}
#a = #tilegpu.slice<dim = 0, parent = #b>

// -----

#b = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [4, 1], order = [1, 0]>
// expected-error @+1 {{expects dim in [0, 2), but got 2}}
#a = #tilegpu.slice<dim = 2, parent = #b>

// -----

// expected-error @+1 {{expects at least one basis vector}}
#a = #tilegpu.linear<register = [], lane = [], warp = []>

// -----

// expected-error @+1 {{expects basis vectors of 2 coordinates, but got 1}}
#a = #tilegpu.linear<register = [[1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

// -----

// expected-error @+1 {{expects coordinates in [0, 2^20), but got 1048576}}
#a = #tilegpu.linear<register = [[1048576]], lane = [[1], [2], [4], [8], [16]], warp = []>

// -----

// expected-error @+1 {{expects coordinates in [0, 2^20), but got -1}}
#a = #tilegpu.shared_linear<offset = [[-1]]>

// -----

// expected-error @+1 {{expects at most 40 bits, but got 60}}
#a = #tilegpu.linear<register = [[524288, 524288, 524288]], lane = [[1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], [16, 0, 0]], warp = []>

// -----

// expected-error @+1 {{expects 5 lane bases, but got 4}}
#a = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16]], warp = []>

// -----

// expected-error @+1 {{expects at most 5 warp bases, but got 6}}
#a = #tilegpu.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0], [0], [0], [0], [0]]>

// -----

// expected-error @+1 {{expects bases that reach every coordinate, but got rank 5 of 6}}
#a = #tilegpu.linear<register = [], lane = [[1], [2], [4], [8], [32]], warp = []>

// -----

#a = #tilegpu.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
// expected-error @+1 {{expects size 32 in dimension 0, which the bases reach, but got 64}}
tt.func private @linear_size(%x: tensor<64xf32, #a>)

// -----

// expected-error @+1 {{expects vector, perPhase and maxPhase to be powers of two, but got 3}}
#a = #tilegpu.shared_swizzled<vector = 1, perPhase = 3, maxPhase = 1, order = [1, 0]>

// -----

// expected-error @+1 {{expects order to be a permutation of 0 to 1, but got [0, 2]}}
#a = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0, 2]>

// -----

// expected-error @+1 {{expects swizzle 0, 32, 64 or 128, but got 16}}
#a = #tilegpu.shared_nvmma<swizzle = 16, elementBits = 16, order = [1, 0]>

// -----

// expected-error @+1 {{expects elementBits 4, 8, 16, 32 or 64, but got 128}}
#a = #tilegpu.shared_nvmma<swizzle = 32, elementBits = 128, order = [1, 0]>

// -----

// expected-error @+1 {{expects a layout of rank 2 or more, but got rank 1}}
#a = #tilegpu.shared_nvmma<swizzle = 32, elementBits = 16, order = [0]>

// -----

// expected-error @+1 {{expects bases that reach every coordinate once, but got rank 1 from 2 to 1 bits}}
#a = #tilegpu.shared_linear<offset = [[1], [1]]>

// -----

// expected-error @+1 {{expects a shared layout, but got #tilegpu.mma<m16n8, warps = [4, 1]>}}
tt.func private @memory(%m: !tilegpu.memdesc<32x32xf16, #tilegpu.mma<m16n8, warps = [4, 1]>>)

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects rank 2 for #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>, but got rank 1}}
tt.func private @memory_rank(%m: !tilegpu.memdesc<32xf16, #s>)

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects every dimension of a tile in shared memory to be a power of two, but got 24}}
tt.func private @memory_size(%m: !tilegpu.memdesc<24x32xf16, #s>)

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
// expected-error @+1 {{expects at least one buffer, but got 0}}
tt.func private @memory_buffers(%m: !tilegpu.memdesc<32x32xf16, #s, buffers = 0>)

// -----

#s = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 16, order = [1, 0]>
// expected-error @+1 {{expects a multiple of 512 bytes in each of 2 buffers under #tilegpu.shared_nvmma<swizzle = 64, elementBits = 16, order = [1, 0]>, but got 256}}
tt.func private @buffers_of_a_swizzle(%m: !tilegpu.memdesc<4x32xf16, #s, buffers = 2>)

// -----

#s = #tilegpu.shared_linear<offset = [[1], [2]]>
// expected-error @+1 {{expects size 4 in dimension 0, which the bases reach, but got 8}}
tt.func private @memory_bases(%m: !tilegpu.memdesc<8xf16, #s>)
