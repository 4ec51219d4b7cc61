// RUN: tilewright-opt %s --tilegpu-to-llvm --split-input-file --mlir-print-local-scope | FileCheck %s

// Two numbers at a time: their bytes go to the halves of a register, where the
// codes are put under 1024, and taken from there in f16.

// CHECK-LABEL: @own_codes
// CHECK-NOT: llvm.fpext
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK-NEXT: %[[MASK:.*]] = llvm.mlir.constant(15728655 : i32)
// CHECK-NEXT: %[[EXPONENT:.*]] = llvm.mlir.constant(1677747200 : i32)
// CHECK-NEXT: llvm.inline_asm "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n" %{{.*}}, %[[MASK]], %[[EXPONENT]]
// CHECK: llvm.mlir.constant(dense<[-1.024000e+03, -6.400000e+01]> : vector<2xf16>)
// CHECK: llvm.intr.fma
// CHECK: llvm.fmul %{{.*}}, %{{.*}} : vector<2xf16>
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK-NOT: llvm.call_intrinsic
#numbers = #tilegpu.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @own_codes(%qs: i32, %ss: f16, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = tt.splat %ss : f16 -> tensor<1x32xf16, #words>
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<1x32xi32, #words> scale tensor<1x32xf16, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// In AWQ's order neighbours are 16 bits apart, in the halves as they stand; one
// shift serves the word's upper bytes.

// CHECK-LABEL: @even_first
// CHECK-NOT: prmt
// CHECK-NOT: llvm.lshr
// CHECK-COUNT-2: llvm.inline_asm "lop3.b32
// CHECK: %[[BYTE:.*]] = llvm.mlir.constant(8 : i32)
// CHECK-NEXT: llvm.lshr %arg0, %[[BYTE]]
// CHECK: llvm.inline_asm "lop3.b32
// CHECK: llvm.lshr %arg0, %[[BYTE]]
// CHECK-NEXT: llvm.inline_asm "lop3.b32
// CHECK-NOT: prmt
#numbers = #tilegpu.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @even_first(%qs: i32, %ss: f16, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = tt.splat %ss : f16 -> tensor<1x32xf16, #words>
  %w = tile.dequantize %q scale %s format = unsigned order = even_first {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<1x32xi32, #words> scale tensor<1x32xf16, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// From the highest bits on, elements 0 and 4 are 16 bits apart the other way
// round: the word is turned by half, and no byte of a pair is moved by itself.

// CHECK-LABEL: @high_first
// CHECK: %[[TURN:.*]] = llvm.mlir.constant(4146 : i32)
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.prmt"(%arg0, %arg0, %[[TURN]])
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.prmt"(%arg0, %arg0, %[[TURN]])
// CHECK-NOT: llvm.call_intrinsic
#numbers = #tilegpu.linear<register = [[4, 0], [1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @high_first(%qs: i32, %ss: f16, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = tt.splat %ss : f16 -> tensor<1x32xf16, #words>
  %w = tile.dequantize %q scale %s format = unsigned order = high_first {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<1x32xi32, #words> scale tensor<1x32xf16, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// Scales of f32 take products in f32. Codes are put under 2^23 and taken from
// there: no conversion of integers.

// CHECK-LABEL: @in_f32
// CHECK-NOT: sitofp
// CHECK-COUNT-8: llvm.fmul %{{.*}}, %arg1 : f32
// CHECK-NOT: llvm.fmul
#numbers = #tilegpu.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @in_f32(%qs: i32, %ss: f32, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = tt.splat %ss : f32 -> tensor<1x32xf32, #words>
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<1x32xi32, #words> scale tensor<1x32xf32, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// Where lanes share a word, each shifts it by its own place. An entry of the
// code book comes from the lane that has it; there are 256, 8 in a lane.

// CHECK-LABEL: @large_book
// CHECK-COUNT-8: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl.sync
// CHECK-COUNT-7: llvm.select
#numbers = #tilegpu.linear<register = [], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#book = #tilegpu.linear<register = [[32], [64], [128]], lane = [[1], [2], [4], [8], [16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @large_book(%qs: i32, %ss: f16, %bs: f16, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x8xi32, #words>
  %s = tt.splat %ss : f16 -> tensor<1x8xf16, #words>
  %b = tt.splat %bs : f16 -> tensor<256xf16, #book>
  %w = tile.dequantize %q scale %s code_book %b format = code_book {axis = 0 : i32, bits = 8 : i32, group_size = 8 : i32} : tensor<1x8xi32, #words> scale tensor<1x8xf16, #words> code_book tensor<256xf16, #book> -> tensor<4x8xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<4x8x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<4x8x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// In f16 a code is itself times 2^-24, as far above that as it stands in its
// byte: a mask for two, and one shift for the word's upper bytes. Elements 0 and
// 4 are neighbours here, 16 bits apart.

// CHECK-LABEL: @in_place
// CHECK-NOT: {{prmt|llvm.fmul|llvm.intr.fma|llvm.fadd}}
// CHECK: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[LOW:.*]] = llvm.mlir.constant(983055 : i32)
// CHECK-NEXT: llvm.inline_asm "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n" %arg0, %[[LOW]], %[[NONE]]
// CHECK: %[[HIGH:.*]] = llvm.mlir.constant(15728880 : i32)
// CHECK: llvm.inline_asm "lop3.b32 {{.*}} %arg0, %[[HIGH]],
// CHECK: %[[BYTE:.*]] = llvm.mlir.constant(8 : i32)
// CHECK-NEXT: %[[UPPER:.*]] = llvm.lshr %arg0, %[[BYTE]]
// CHECK: llvm.inline_asm "lop3.b32 {{.*}} %[[UPPER]],
// CHECK-NOT: {{prmt|llvm.fmul|llvm.intr.fma|llvm.fadd}}
#numbers = #tilegpu.linear<register = [[4, 0], [1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @in_place(%qs: i32, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = arith.constant dense<5.960464477539063e-08> : tensor<1x32xf16, #words>
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32, in_bytes} : tensor<1x32xi32, #words> scale tensor<1x32xf16, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// Two's complement, of which zeros take off the least number: its sign bit is
// flipped by the same instruction. Without `in_bytes` each is brought down.

// CHECK-LABEL: @in_place_signed
// CHECK-NOT: {{prmt|llvm.fmul|llvm.intr.fma|llvm.fadd}}
// CHECK: %[[LOW:.*]] = llvm.mlir.constant(983055 : i32)
// CHECK-NEXT: %[[SIGN:.*]] = llvm.mlir.constant(524296 : i32)
// CHECK-NEXT: llvm.inline_asm "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n" %arg0, %[[LOW]], %[[SIGN]]
// CHECK: llvm.mlir.constant(4 : i32)
// CHECK-NEXT: llvm.lshr %arg0,
// CHECK: llvm.mlir.constant(8 : i32)
// CHECK-NEXT: llvm.lshr %arg0,
// CHECK: llvm.mlir.constant(12 : i32)
// CHECK-NEXT: llvm.lshr %arg0,
// CHECK-NOT: {{prmt|llvm.fmul|llvm.intr.fma|llvm.fadd}}
#numbers = #tilegpu.linear<register = [[4, 0], [1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @in_place_signed(%qs: i32, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = arith.constant dense<5.960464477539063e-08> : tensor<1x32xf16, #words>
  %z = arith.constant dense<-8> : tensor<1x32xi8, #words>
  %w = tile.dequantize %q scale %s zero %z format = signed {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<1x32xi32, #words> scale tensor<1x32xf16, #words> zero tensor<1x32xi8, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// With other zeros it is no mask: made in f32, and larger by a power of two that
// some numbers have.

// CHECK-LABEL: @in_bytes_in_f32
// CHECK-COUNT-8: llvm.fsub
// CHECK: llvm.fmul
// CHECK-NEXT: llvm.fmul
// CHECK: llvm.mlir.constant(1.600000e+01 : f32)
#numbers = #tilegpu.linear<register = [[4, 0], [1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @in_bytes_in_f32(%qs: i32, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = arith.constant dense<5.960464477539063e-08> : tensor<1x32xf16, #words>
  %z = arith.constant dense<3> : tensor<1x32xi8, #words>
  %w = tile.dequantize %q scale %s zero %z format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32, in_bytes} : tensor<1x32xi32, #words> scale tensor<1x32xf16, #words> zero tensor<1x32xi8, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// Lanes that have codes of one byte between them have powers of their own.

// CHECK-LABEL: @in_bytes_by_lanes
// CHECK: llvm.mlir.constant(33554432 : i32)
// CHECK: llvm.mlir.constant(1065353216 : i32)
// CHECK: %[[POWER:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.fmul %{{.*}}, %[[POWER]] : f32
#numbers = #tilegpu.linear<register = [[2, 0], [4, 0]], lane = [[1, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @in_bytes_by_lanes(%qs: i32, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x16xi32, #words>
  %s = arith.constant dense<5.960464477539063e-08> : tensor<1x16xf16, #words>
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32, in_bytes} : tensor<1x16xi32, #words> scale tensor<1x16xf16, #words> -> tensor<8x16xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x16x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x16x!tt.ptr<f16>, #numbers>
  tt.return
}
}
