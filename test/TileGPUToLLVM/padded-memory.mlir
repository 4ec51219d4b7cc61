// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles with gaps: every op that reads or writes shared memory goes around them.
// The kernels copy their input; the emulator finds what is read in a gap or
// written over another element.
// REQUIRES: llc
// RUN: tilewright-opt %s --tilewright-tilegpu --tilewright-tilegpu-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -mtriple=nvptx64 -mcpu=sm_80 -mattr=+ptx80 -o %t.ptx
// RUN: tilewright run %t.ptx --kernel=rows_and_columns --shared-bytes=8448 --device=emulator --arg=arange:1024xf32 --arg=zeros:1024xf32 --compare=1=arange:1024xf32 --stats | FileCheck %s --check-prefix=WORDS
// RUN: tilewright run %t.ptx --kernel=copies_and_matrices --shared-bytes=1280 --device=emulator --arg=arange:512xf16 --arg=zeros:512xf16 --compare=1=arange:512xf16 --stats | FileCheck %s --check-prefix=ROWS
// RUN: tilewright run %t.ptx --kernel=gather --shared-bytes=800 --device=emulator --arg=arange:128xf32 --arg=zeros:128xf32 --compare=1=arange:128xf32
// RUN: tilewright run %t.ptx --kernel=multiply_add --shared-bytes=2304 --device=emulator --arg=arange:60xf32 --arg=zeros:32xf32 --compare=1=arange:32xf32
// RUN: FileCheck %s < %t.ptx

// Four warps store and load eight words each without conflicts; two ldmatrix of
// four matrices do so too. Without the gaps it would be 384 and 32 wavefronts.
// WORDS: matches
// WORDS: all {{ *[0-9]+ +[0-9]+ +}}64{{ }}
// ROWS: matches
// ROWS: all {{ *[0-9]+ +[0-9]+ +}}8{{ }}

#rows = #tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 1], threads = [8, 4], warps = [1, 4], order = [0, 1]>
#bytes16 = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#lhs = #tilegpu.dot_operand<index = 0, parent = #tilegpu.mma<m16n8, warps = [1, 1]>, kWidth = 2>
#flat = #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>
#one = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
#plain1 = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
#word = #tilegpu.shared_padded<parent = #plain, intervals = [32], gaps = [1]>
#vector = #tilegpu.shared_padded<parent = #plain, intervals = [32], gaps = [8]>
#twice = #tilegpu.shared_padded<parent = #plain1, intervals = [8, 32], gaps = [4, 2]>
#quarter = #tilegpu.shared_padded<parent = #plain, intervals = [8], gaps = [4]>
module attributes {tilegpu.target = "sm_80"} {

// A gap of one word: words, through the second of two buffers, whose distance is
// 32 rows of 33 words.
// CHECK-LABEL: .entry rows_and_columns
// CHECK-NOT: st.shared.v
// CHECK: st.shared.b32 {{.*}}+4224
// CHECK-NOT: ld.shared.v
// CHECK: ret;
tt.func public @rows_and_columns(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %p_i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #rows>>
  %p_j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #rows>>
  %p_s = arith.constant dense<32> : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #rows>>
  %p_r = arith.muli %p_i, %p_s : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #rows>>
  %p_e = tt.expand_dims %p_r {axis = 1 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #rows>> -> tensor<32x1xi32, #rows>
  %p_f = tt.expand_dims %p_j {axis = 0 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #rows>> -> tensor<1x32xi32, #rows>
  %p_g = tt.broadcast %p_e : tensor<32x1xi32, #rows> -> tensor<32x32xi32, #rows>
  %p_h = tt.broadcast %p_f : tensor<1x32xi32, #rows> -> tensor<32x32xi32, #rows>
  %p_o = arith.addi %p_g, %p_h : tensor<32x32xi32, #rows>
  %p_b = tt.splat %in : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #rows>
  %p = tt.addptr %p_b, %p_o : tensor<32x32x!tt.ptr<f32>, #rows>, tensor<32x32xi32, #rows>
  %x = tt.load %p : tensor<32x32x!tt.ptr<f32>, #rows>
  %one = arith.constant 1 : i32
  %ms = tilegpu.local_alloc : () -> !tilegpu.memdesc<32x32xf32, #word, buffers = 2, mutable>
  %m = tilegpu.memdesc_index %ms[%one] : !tilegpu.memdesc<32x32xf32, #word, buffers = 2, mutable> -> !tilegpu.memdesc<32x32xf32, #word, mutable>
  tilegpu.local_store %x, %m : tensor<32x32xf32, #rows> -> !tilegpu.memdesc<32x32xf32, #word, mutable>
  %y = tilegpu.local_load %m : !tilegpu.memdesc<32x32xf32, #word, mutable> -> tensor<32x32xf32, #columns>
  %q_i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #columns>>
  %q_j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #columns>>
  %q_s = arith.constant dense<32> : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #columns>>
  %q_r = arith.muli %q_i, %q_s : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #columns>>
  %q_e = tt.expand_dims %q_r {axis = 1 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #columns>> -> tensor<32x1xi32, #columns>
  %q_f = tt.expand_dims %q_j {axis = 0 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #columns>> -> tensor<1x32xi32, #columns>
  %q_g = tt.broadcast %q_e : tensor<32x1xi32, #columns> -> tensor<32x32xi32, #columns>
  %q_h = tt.broadcast %q_f : tensor<1x32xi32, #columns> -> tensor<32x32xi32, #columns>
  %q_o = arith.addi %q_g, %q_h : tensor<32x32xi32, #columns>
  %q_b = tt.splat %out : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #columns>
  %q = tt.addptr %q_b, %q_o : tensor<32x32x!tt.ptr<f32>, #columns>, tensor<32x32xi32, #columns>
  tt.store %q, %y : tensor<32x32x!tt.ptr<f32>, #columns>
  tt.return
}

// A gap of 16 bytes keeps the copies' vectors and the rows of ldmatrix whole.
// CHECK-LABEL: .entry copies_and_matrices
// CHECK: cp.async.{{.*}}, 16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared
// CHECK: ret;
tt.func public @copies_and_matrices(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %p_i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #tilegpu.slice<dim = 1, parent = #bytes16>>
  %p_j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #bytes16>>
  %p_s = arith.constant dense<32> : tensor<16xi32, #tilegpu.slice<dim = 1, parent = #bytes16>>
  %p_r = arith.muli %p_i, %p_s : tensor<16xi32, #tilegpu.slice<dim = 1, parent = #bytes16>>
  %p_e = tt.expand_dims %p_r {axis = 1 : i32} : tensor<16xi32, #tilegpu.slice<dim = 1, parent = #bytes16>> -> tensor<16x1xi32, #bytes16>
  %p_f = tt.expand_dims %p_j {axis = 0 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #bytes16>> -> tensor<1x32xi32, #bytes16>
  %p_g = tt.broadcast %p_e : tensor<16x1xi32, #bytes16> -> tensor<16x32xi32, #bytes16>
  %p_h = tt.broadcast %p_f : tensor<1x32xi32, #bytes16> -> tensor<16x32xi32, #bytes16>
  %p_o = arith.addi %p_g, %p_h : tensor<16x32xi32, #bytes16>
  %p_b = tt.splat %in : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>, #bytes16>
  %p = tt.addptr %p_b, %p_o : tensor<16x32x!tt.ptr<f16>, #bytes16>, tensor<16x32xi32, #bytes16>
  %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x32xf16, #vector, mutable>
  %t = tilegpu.async_copy %p, %m : tensor<16x32x!tt.ptr<f16>, #bytes16> -> !tilegpu.memdesc<16x32xf16, #vector, mutable>
  %c = tilegpu.async_commit %t
  %w = tilegpu.async_wait %c {pending = 0 : i32}
  %y = tilegpu.local_load %m : !tilegpu.memdesc<16x32xf16, #vector, mutable> -> tensor<16x32xf16, #lhs>
  %q_i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #tilegpu.slice<dim = 1, parent = #lhs>>
  %q_j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #lhs>>
  %q_s = arith.constant dense<32> : tensor<16xi32, #tilegpu.slice<dim = 1, parent = #lhs>>
  %q_r = arith.muli %q_i, %q_s : tensor<16xi32, #tilegpu.slice<dim = 1, parent = #lhs>>
  %q_e = tt.expand_dims %q_r {axis = 1 : i32} : tensor<16xi32, #tilegpu.slice<dim = 1, parent = #lhs>> -> tensor<16x1xi32, #lhs>
  %q_f = tt.expand_dims %q_j {axis = 0 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #lhs>> -> tensor<1x32xi32, #lhs>
  %q_g = tt.broadcast %q_e : tensor<16x1xi32, #lhs> -> tensor<16x32xi32, #lhs>
  %q_h = tt.broadcast %q_f : tensor<1x32xi32, #lhs> -> tensor<16x32xi32, #lhs>
  %q_o = arith.addi %q_g, %q_h : tensor<16x32xi32, #lhs>
  %q_b = tt.splat %out : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>, #lhs>
  %q = tt.addptr %q_b, %q_o : tensor<16x32x!tt.ptr<f16>, #lhs>, tensor<16x32xi32, #lhs>
  tt.store %q, %y : tensor<16x32x!tt.ptr<f16>, #lhs>
  tt.return
}

// Gaps of two distances. Element i is stored for 127 - i, and gathered so.
// CHECK-LABEL: .entry gather
tt.func public @gather(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) attributes {tilegpu.num_warps = 1 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #flat>
  %last = arith.constant dense<127> : tensor<128xi32, #flat>
  %r = arith.subi %last, %i : tensor<128xi32, #flat>
  %b = tt.splat %in : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %p = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %x = tt.load %p : tensor<128x!tt.ptr<f32>, #flat>
  %m = tilegpu.local_alloc %x : (tensor<128xf32, #flat>) -> !tilegpu.memdesc<128xf32, #twice>
  %y = tilegpu.local_gather %m[%r] {axis = 0 : i32} : !tilegpu.memdesc<128xf32, #twice>, tensor<128xi32, #flat> -> tensor<128xf32, #flat>
  %c = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %q = tt.addptr %c, %i : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  tt.store %q, %y : tensor<128x!tt.ptr<f32>, #flat>
  tt.return
}

// A[i, k] is 4 i + k, and B picks the first four columns.
// CHECK-LABEL: .entry multiply_add
tt.func public @multiply_add(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) attributes {tilegpu.num_warps = 1 : i32} {
  %p_i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %p_j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #one>>
  %p_s = arith.constant dense<4> : tensor<8xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %p_r = arith.muli %p_i, %p_s : tensor<8xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %p_e = tt.expand_dims %p_r {axis = 1 : i32} : tensor<8xi32, #tilegpu.slice<dim = 1, parent = #one>> -> tensor<8x1xi32, #one>
  %p_f = tt.expand_dims %p_j {axis = 0 : i32} : tensor<32xi32, #tilegpu.slice<dim = 0, parent = #one>> -> tensor<1x32xi32, #one>
  %p_g = tt.broadcast %p_e : tensor<8x1xi32, #one> -> tensor<8x32xi32, #one>
  %p_h = tt.broadcast %p_f : tensor<1x32xi32, #one> -> tensor<8x32xi32, #one>
  %p_o = arith.addi %p_g, %p_h : tensor<8x32xi32, #one>
  %p_b = tt.splat %in : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #one>
  %p = tt.addptr %p_b, %p_o : tensor<8x32x!tt.ptr<f32>, #one>, tensor<8x32xi32, #one>
  %k_i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %k_j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #tilegpu.slice<dim = 0, parent = #one>>
  %k_s = arith.constant dense<1> : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %k_r = arith.muli %k_i, %k_s : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %k_e = tt.expand_dims %k_r {axis = 1 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #one>> -> tensor<32x1xi32, #one>
  %k_f = tt.expand_dims %k_j {axis = 0 : i32} : tensor<4xi32, #tilegpu.slice<dim = 0, parent = #one>> -> tensor<1x4xi32, #one>
  %k_g = tt.broadcast %k_e : tensor<32x1xi32, #one> -> tensor<32x4xi32, #one>
  %k_h = tt.broadcast %k_f : tensor<1x4xi32, #one> -> tensor<32x4xi32, #one>
  %k_o = arith.addi %k_g, %k_h : tensor<32x4xi32, #one>
  %x = tt.load %p : tensor<8x32x!tt.ptr<f32>, #one>
  %is = arith.cmpi eq, %k_g, %k_h : tensor<32x4xi32, #one>
  %z = arith.uitofp %is : tensor<32x4xi1, #one> to tensor<32x4xf32, #one>
  %a = tilegpu.local_alloc %x : (tensor<8x32xf32, #one>) -> !tilegpu.memdesc<8x32xf32, #quarter>
  %b = tilegpu.local_alloc %z : (tensor<32x4xf32, #one>) -> !tilegpu.memdesc<32x4xf32, #quarter>
  %c = arith.constant dense<0.0> : tensor<8x4xf32, #one>
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<8x32xf32, #quarter> * !tilegpu.memdesc<32x4xf32, #quarter> -> tensor<8x4xf32, #one>
  %q_i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %q_j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #tilegpu.slice<dim = 0, parent = #one>>
  %q_s = arith.constant dense<4> : tensor<8xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %q_r = arith.muli %q_i, %q_s : tensor<8xi32, #tilegpu.slice<dim = 1, parent = #one>>
  %q_e = tt.expand_dims %q_r {axis = 1 : i32} : tensor<8xi32, #tilegpu.slice<dim = 1, parent = #one>> -> tensor<8x1xi32, #one>
  %q_f = tt.expand_dims %q_j {axis = 0 : i32} : tensor<4xi32, #tilegpu.slice<dim = 0, parent = #one>> -> tensor<1x4xi32, #one>
  %q_g = tt.broadcast %q_e : tensor<8x1xi32, #one> -> tensor<8x4xi32, #one>
  %q_h = tt.broadcast %q_f : tensor<1x4xi32, #one> -> tensor<8x4xi32, #one>
  %q_o = arith.addi %q_g, %q_h : tensor<8x4xi32, #one>
  %q_b = tt.splat %out : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>, #one>
  %q = tt.addptr %q_b, %q_o : tensor<8x4x!tt.ptr<f32>, #one>, tensor<8x4xi32, #one>
  tt.store %q, %d : tensor<8x4x!tt.ptr<f32>, #one>
  tt.return
}
}
