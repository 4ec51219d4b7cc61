// RUN: tilewright-opt %s --split-input-file --tilegpu-verify-sizes --verify-diagnostics

#l = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
// As many elements for each thread as there may be.
tt.func private @largest(%n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %n : i32 -> tensor<262144xi32, #l>
  tt.return
}
tt.func private @too_large(%n: f16) attributes {tilegpu.num_warps = 1 : i32} {
  // expected-error @+1 {{expects tiles of at most 8192 elements for each thread, but got 16384: 'tensor<524288xf16>', which takes 8192 registers of each thread in 1 warp; use more warps or a smaller tile}}
  %x = tt.splat %n : f16 -> tensor<524288xf16, #l>
  tt.return
}
}

// -----

#l = #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
// Pointers have 64 bits; constants are part of the instructions that use them.
tt.func private @pointers(%n: i32, %p: !tt.ptr<f32>) attributes {tilegpu.num_warps = 2 : i32} {
  %x = arith.constant dense<1> : tensor<1048576xi32, #l>
  // expected-error @+1 {{expects tiles of at most 8192 elements for each thread, but got 16384: 'tensor<1048576x!tt.ptr<f32>>', which takes 32768 registers of each thread in 2 warps; use more warps or a smaller tile}}
  %y = tt.splat %p : !tt.ptr<f32> -> tensor<1048576x!tt.ptr<f32>, #l>
  tt.return
}
}

// -----

#mma = #tilegpu.mma<m16n8, warps = [2, 2]>
#a = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 2>
#b = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 2>
module attributes {tilegpu.target = "sm_80"} {
// 512 / 16 * 512 / 8 * 256 / 16 instructions for four warps are 8192.
tt.func private @most(%x: tensor<512x256xf16, #a>, %y: tensor<256x512xf16, #b>, %c: tensor<512x512xf32, #mma>) attributes {tilegpu.num_warps = 4 : i32} {
  %d = tilegpu.mma %x, %y, %c instruction = [16, 8, 16] : tensor<512x256xf16, #a> * tensor<256x512xf16, #b> -> tensor<512x512xf32, #mma>
  tt.return
}
// Several dots of a function count together; the largest is the one to change.
tt.func private @together(%x: tensor<512x256xf16, #a>, %y: tensor<256x512xf16, #b>, %c: tensor<512x512xf32, #mma>, %u: tensor<16x16xf16, #a>, %v: tensor<16x8xf16, #b>, %w: tensor<16x8xf32, #mma>) attributes {tilegpu.num_warps = 4 : i32} {
  %e = tilegpu.mma %u, %v, %w instruction = [16, 8, 16] : tensor<16x16xf16, #a> * tensor<16x8xf16, #b> -> tensor<16x8xf32, #mma>
  // expected-error @+1 {{expects the dots of a kernel to take at most 8192 matrix instructions of each thread, but got 8193; the result of this one is 'tensor<512x512xf32>', which takes 2048 registers of each thread in 4 warps; use more warps or smaller tiles}}
  %d = tilegpu.mma %x, %y, %c instruction = [16, 8, 16] : tensor<512x256xf16, #a> * tensor<256x512xf16, #b> -> tensor<512x512xf32, #mma>
  tt.return
}
}

// -----

// The four quads of Volta's instruction compute 16 x 16 x 4 together.
#mma = #tilegpu.mma<m8n8k4, warps = [2, 2]>
#a = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 2>
#b = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 2>
module attributes {tilegpu.target = "sm_70"} {
tt.func private @volta(%x: tensor<256x512xf16, #a>, %y: tensor<512x256xf16, #b>, %c: tensor<256x256xf32, #mma>) attributes {tilegpu.num_warps = 4 : i32} {
  %d = tilegpu.mma %x, %y, %c instruction = [8, 8, 4] : tensor<256x512xf16, #a> * tensor<512x256xf16, #b> -> tensor<256x256xf32, #mma>
  tt.return
}
tt.func private @too_many(%x: tensor<256x1024xf16, #a>, %y: tensor<1024x256xf16, #b>, %c: tensor<256x256xf32, #mma>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{expects the dots of a kernel to take at most 8192 matrix instructions of each thread, but got 16384; the result of this one is 'tensor<256x256xf32>', which takes 512 registers of each thread in 4 warps; use more warps or smaller tiles}}
  %d = tilegpu.mma %x, %y, %c instruction = [8, 8, 4] : tensor<256x1024xf16, #a> * tensor<1024x256xf16, #b> -> tensor<256x256xf32, #mma>
  tt.return
}
}

// -----

#l = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects a number of warps (run tilegpu-assign-layouts first)}}
tt.func private @no_warps(%n: i32) {
  tt.return
}
}
