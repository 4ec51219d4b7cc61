// RUN: tilewright-opt %s --split-input-file --tilegpu-to-llvm --verify-diagnostics

// What the lowering refuses of `tilegpu` IR that earlier passes have not made.
// The conversion then says that the operation is left.

module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects the attribute tilegpu.num_warps; run tilegpu-assign-layouts first}}
tt.func @no_warps() {
  tt.return
}
}

// -----

#s = #tilegpu.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#w = #tilegpu.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @warps(%x: tensor<64xf32, #s>) -> tensor<64xf32, #w> attributes {tilegpu.num_warps = 2 : i32} {
  // expected-error @+1 {{expects layouts for 2 warps (the function's tilegpu.num_warps)}}
  %y = tilegpu.convert_layout %x : tensor<64xf32, #s> -> tensor<64xf32, #w>
  tt.return %y : tensor<64xf32, #w>
}
}

// -----

#flat = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @copy_width(%in: !tt.ptr<i128>) attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<32xi128, #plain, mutable>
  %p = tt.splat %in : !tt.ptr<i128> -> tensor<32x!tt.ptr<i128>, #flat>
  // expected-error @+2 {{expects elements of 8, 16, 32 or 64 bits, but got '!tilegpu.memdesc<32xi128, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>, mutable>'}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.async_copy'}}
  %t = tilegpu.async_copy %p, %m : tensor<32x!tt.ptr<i128>, #flat> -> !tilegpu.memdesc<32xi128, #plain, mutable>
  tt.return
}
}

// -----

#flat = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#twice = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @load_width() attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<32xi128, #twice, mutable>
  // expected-error @+2 {{expects elements of 8, 16, 32 or 64 bits in shared memory, but got 'i128'}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.local_load'}}
  %t = tilegpu.local_load %m : !tilegpu.memdesc<32xi128, #twice, mutable> -> tensor<32xi128, #flat>
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#b = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @reduce_sources(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %f : f32 -> tensor<64xf32, #a>
  %y = tt.splat %f : f32 -> tensor<64xf32, #b>
  // expected-error @+2 {{expects sources of one layout, but got 'tensor<64xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>' and 'tensor<64xf32, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>'}}
  // expected-error @+1 {{failed to legalize operation 'tt.reduce'}}
  %r:2 = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32, %s: f32, %t: f32):
    tt.reduce.return %p, %q : f32, f32
  }) : (tensor<64xf32, #a>, tensor<64xf32, #b>) -> (f32, f32)
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @reduce_result(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %f : f32 -> tensor<32x4xf32, #a>
  // expected-error @+2 {{expects a result in the threads that hold the source's rows, but got 'tensor<32x4xf32, #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>>' and 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>'}}
  // expected-error @+1 {{failed to legalize operation 'tt.reduce'}}
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x4xf32, #a>) -> tensor<32xf32, #b>
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#b = #tilegpu.slice<dim = 1, parent = #a>
#c = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @reduce_results(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %f : f32 -> tensor<32x4xf32, #a>
  // expected-error @+2 {{expects results of one register layout, but got 'tensor<32xf32, #tilegpu.slice<dim = 1, parent = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>>>' and 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>'}}
  // expected-error @+1 {{failed to legalize operation 'tt.reduce'}}
  %r:2 = "tt.reduce"(%x, %x) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32, %s: f32, %t: f32):
    tt.reduce.return %p, %q : f32, f32
  }) : (tensor<32x4xf32, #a>, tensor<32x4xf32, #a>) -> (tensor<32xf32, #b>, tensor<32xf32, #c>)
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#b = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @scan_result(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %f : f32 -> tensor<64xf32, #a>
  // expected-error @+2 {{expects results of the sources' layout, but got 'tensor<64xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>' and 'tensor<64xf32, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>'}}
  // expected-error @+1 {{failed to legalize operation 'tt.scan'}}
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.scan.return %s : f32
  }) : (tensor<64xf32, #a>) -> tensor<64xf32, #b>
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @scan_warps(%f: f32) attributes {tilegpu.num_warps = 2 : i32} {
  %x = tt.splat %f : f32 -> tensor<64xf32, #a>
  // expected-error @+2 {{expects a layout in which each bit of axis 0 is distributed among registers alone or lanes alone, but got [warps] for bit 5 of 'tensor<64xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>>'; convert the source to a layout with the axis in one warp}}
  // expected-error @+1 {{failed to legalize operation 'tt.scan'}}
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.scan.return %s : f32
  }) : (tensor<64xf32, #a>) -> tensor<64xf32, #a>
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @expand(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %f : f32 -> tensor<32xf32, #b>
  // expected-error @+2 {{'tt.expand_dims' op expects layouts under which no element changes its thread, but got 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>' and 'tensor<32x1xf32, #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>>'}}
  // expected-error @+1 {{failed to legalize operation 'tt.expand_dims'}}
  %y = tt.expand_dims %x {axis = 1 : i32} : tensor<32xf32, #b> -> tensor<32x1xf32, #a>
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1, 1], threads = [16, 2], warps = [1, 1], order = [1, 0]>
#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @join(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %f : f32 -> tensor<32xf32, #b>
  // expected-error @+2 {{'tt.join' op expects layouts under which no element changes its thread, but got 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>' and 'tensor<32x2xf32, #tilegpu.blocked<elements = [1, 1], threads = [16, 2], warps = [1, 1], order = [1, 0]>>'}}
  // expected-error @+1 {{failed to legalize operation 'tt.join'}}
  %y = tt.join %x, %x : tensor<32xf32, #b> -> tensor<32x2xf32, #a>
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1, 1], threads = [16, 2], warps = [1, 1], order = [1, 0]>
#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @split(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %f : f32 -> tensor<32x2xf32, #a>
  // expected-error @+2 {{'tt.split' op expects layouts under which no element changes its thread, but got 'tensor<32x2xf32, #tilegpu.blocked<elements = [1, 1], threads = [16, 2], warps = [1, 1], order = [1, 0]>>' and 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>'}}
  // expected-error @+1 {{failed to legalize operation 'tt.split'}}
  %y, %z = tt.split %x : tensor<32x2xf32, #a> -> tensor<32xf32, #b>
  tt.return
}
}

// -----

#m = #tilegpu.mma<m8n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 2>
#r = #tilegpu.dot_operand<index = 1, parent = #m, kWidth = 2>
module attributes {tilegpu.target = "sm_80"} {
tt.func @mma_family(%h: f16, %f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %h : f16 -> tensor<16x16xf16, #l>
  %b = tt.splat %h : f16 -> tensor<16x8xf16, #r>
  %c = tt.splat %f : f32 -> tensor<16x8xf32, #m>
  // expected-error @+2 {{expects an instruction of the result's family, but got mma.sync.aligned.m16n8k16 for 'tensor<16x8xf32, #tilegpu.mma<m8n8, warps = [1, 1]>>'}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.mma'}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #l> * tensor<16x8xf16, #r> -> tensor<16x8xf32, #m>
  tt.return
}
}

// -----

#m = #tilegpu.mma<m16n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 2>
#r = #tilegpu.dot_operand<index = 1, parent = #m, kWidth = 4>
module attributes {tilegpu.target = "sm_80"} {
tt.func @mma_width(%h: f16, %f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %h : f16 -> tensor<16x16xf16, #l>
  %b = tt.splat %h : f16 -> tensor<16x8xf16, #r>
  %c = tt.splat %f : f32 -> tensor<16x8xf32, #m>
  // expected-error @+2 {{expects operands of one kWidth, but got 'tensor<16x16xf16, #tilegpu.dot_operand<index = 0, parent = #tilegpu.mma<m16n8, warps = [1, 1]>, kWidth = 2>>' and 'tensor<16x8xf16, #tilegpu.dot_operand<index = 1, parent = #tilegpu.mma<m16n8, warps = [1, 1]>, kWidth = 4>>'}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.mma'}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #l> * tensor<16x8xf16, #r> -> tensor<16x8xf32, #m>
  tt.return
}
}

// -----

#m = #tilegpu.mma<m16n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 4>
#r = #tilegpu.dot_operand<index = 1, parent = #m, kWidth = 4>
module attributes {tilegpu.target = "sm_80"} {
tt.func @mma_fill(%h: f16, %f: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %h : f16 -> tensor<16x8xf16, #l>
  %b = tt.splat %h : f16 -> tensor<8x8xf16, #r>
  %c = tt.splat %f : f32 -> tensor<16x8xf32, #m>
  // expected-error @+2 {{expects fragments that fill the instruction along K, but got 'tensor<16x8xf16, #tilegpu.dot_operand<index = 0, parent = #tilegpu.mma<m16n8, warps = [1, 1]>, kWidth = 4>>' for k = 8}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.mma'}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 8] : tensor<16x8xf16, #l> * tensor<8x8xf16, #r> -> tensor<16x8xf32, #m>
  tt.return
}
}

// -----

#flat = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @gather_width(%n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<32xi128, #plain, mutable>
  %i = tt.splat %n : i32 -> tensor<32xi32, #flat>
  // expected-error @+2 {{expects elements of 8, 16, 32 or 64 bits, but got '!tilegpu.memdesc<32xi128, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>, mutable>'}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.local_gather'}}
  %x = tilegpu.local_gather %m[%i] {axis = 0 : i32} : !tilegpu.memdesc<32xi128, #plain, mutable>, tensor<32xi32, #flat> -> tensor<32xi128, #flat>
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func @left(%p: !tt.ptr<f32>, %i: i32) attributes {tilegpu.num_warps = 1 : i32} {
  // expected-error @+1 {{'builtin.unrealized_conversion_cast' op is left: a value has no LLVM form}}
  %x = builtin.unrealized_conversion_cast %i : i32 to f32
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
}

// -----

#rows = #tilegpu.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#columns = #tilegpu.linear<register = [[64], [32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#scratch = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32]]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @wide_rounds() attributes {tilegpu.num_warps = 1 : i32} {
  %x = arith.constant dense<0> : tensor<128xi128, #rows>
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<64xi128, #scratch, mutable>
  // expected-error @+2 {{expects scratch that places every element once, of elements of 8, 16, 32 or 64 bits, but got '!tilegpu.memdesc<64xi128, #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32]]>, mutable>'}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.convert_in_rounds'}}
  %y = tilegpu.convert_in_rounds %x through %m functionals = [1] : tensor<128xi128, #rows> through !tilegpu.memdesc<64xi128, #scratch, mutable> -> tensor<128xi128, #columns>
  tt.return
}
}

// -----

#pairs = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#warps = #tilegpu.linear<register = [[1]], lane = [[64], [4], [8], [16], [32]], warp = [[2]]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @across_warps(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 2 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
  // expected-error @+2 {{expects means that do without shared memory (run tilegpu-plan-conversions first), but got none}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.convert_layout'}}
  %y = tilegpu.convert_layout %x : tensor<128xi32, #pairs> -> tensor<128xi32, #warps>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #warps>
  tt.store %p, %y : tensor<128x!tt.ptr<i32>, #warps>
  tt.return
}
}

// -----

#pairs = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#warps = #tilegpu.linear<register = [[1]], lane = [[64], [4], [8], [16], [32]], warp = [[2]]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @across_warps_by_shuffles(%out: !tt.ptr<i32>) attributes {tilegpu.num_warps = 2 : i32} {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
  // expected-error @+2 {{expects means that do without shared memory (run tilegpu-plan-conversions first), but got shuffles}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.convert_layout'}}
  %y = tilegpu.convert_layout %x {tilegpu.means = "shuffles"} : tensor<128xi32, #pairs> -> tensor<128xi32, #warps>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #warps>
  tt.store %p, %y : tensor<128x!tt.ptr<i32>, #warps>
  tt.return
}
}

// -----

#numbers = #tilegpu.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#others = #tilegpu.linear<register = [], lane = [[0, 2], [0, 1], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @words_elsewhere(%qs: i32, %ss: f16, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #others>
  %s = tt.splat %ss : f16 -> tensor<1x32xf16, #words>
  // expected-error @+2 {{expects layouts under which every thread holds the words, scales and zeros of its numbers, but got 'tensor<1x32xi32, #tilegpu.linear<register = [], lane = [[0, 2], [0, 1], [0, 4], [0, 8], [0, 16]], warp = []>>', 'tensor<1x32xf16, #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>>' for 'tensor<8x32xf16,}}
  // expected-error @+1 {{failed to legalize operation 'tile.dequantize'}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<1x32xi32, #others> scale tensor<1x32xf16, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

#numbers = #tilegpu.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#book = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [0], [0]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @book_elsewhere(%qs: i32, %ss: f16, %bs: f16, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = tt.splat %ss : f16 -> tensor<1x32xf16, #words>
  %b = tt.splat %bs : f16 -> tensor<16xf16, #book>
  // expected-error @+2 {{expects a code book under #tilegpu.linear<register = [], lane = [[1], [2], [4], [8], [0]], warp = []>, but got 'tensor<16xf16,}}
  // expected-error @+1 {{failed to legalize operation 'tile.dequantize'}}
  %w = tile.dequantize %q scale %s code_book %b format = code_book {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<1x32xi32, #words> scale tensor<1x32xf16, #words> code_book tensor<16xf16, #book> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
!tile = !tilegpu.memdesc<64x64xf16, #k>
!sums = tensor<64x64xf32, #acc>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
module attributes {tilegpu.target = "sm_89"} {
tt.func @wgmma_target() attributes {tilegpu.num_warps = 4 : i32} {
  %sums = arith.constant dense<0.0> : !sums
  %c = tilegpu.pend %sums : !sums -> !pending
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-error @+2 {{expects a target with wgmma, but got sm_89}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.wgmma'}}
  %0 = tilegpu.wgmma %a, %a, %c : !tile * !tile -> !pending
  tt.return
}
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
!tile = !tilegpu.memdesc<64x64xbf16, #k>
!sums = tensor<64x64xf16, #acc>
!pending = !tilegpu.pending<tensor<64x64xf16, #acc>>
module attributes {tilegpu.target = "sm_90a"} {
tt.func @wgmma_types() attributes {tilegpu.num_warps = 4 : i32} {
  %sums = arith.constant dense<0.0> : !sums
  %c = tilegpu.pend %sums : !sums -> !pending
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-error @+2 {{expects types, n and K for which sm_90a has a wgmma, but got 'bf16' x 'bf16' -> 'f16' with n = 64 and K = 64}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.wgmma'}}
  %0 = tilegpu.wgmma %a, %a, %c : !tile * !tile -> !pending
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
tt.func public @computed_size(%a: !tt.ptr<f16>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %twice = arith.addi %n, %n : i32
  // expected-error @+1 {{expects arguments of the kernel and constants, which a launch knows, but got a value that is computed}}
  %0 = tilegpu.tensor_map %a sizes [%twice, %n : i32, i32] strides [%n : i32] : !tt.ptr<f16> -> !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
  tt.return
}
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
module attributes {tilegpu.target = "sm_89"} {
tt.func public @no_mbarriers() attributes {tilegpu.num_warps = 4 : i32} {
  %b = tilegpu.local_alloc {offset = 0 : i32} : () -> !barrier
  // expected-error @+2 {{expects a target with bulk tensor copies, but got sm_89}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.mbarrier_init'}}
  tilegpu.mbarrier_init %b : !barrier
  tt.return
}
}

// -----

#halves = #tilegpu.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#half = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
module attributes {tilegpu.target = "sm_90a"} {
tt.func @part_width(%rank: i32) attributes {tilegpu.num_warps = 1 : i32, tilegpu.cluster = 2 : i32} {
  %x = arith.constant dense<0> : tensor<64xi128, #halves>
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<32xi128, #half, buffers = 2, mutable>
  // expected-error @+2 {{expects parts with elements of 8, 16, 32 or 64 bits, but got 'i128'}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.store_parts'}}
  tilegpu.store_parts %x to %m at %rank {axis = 0 : i32} : tensor<64xi128, #halves> to !tilegpu.memdesc<32xi128, #half, buffers = 2, mutable>
  tt.return
}
}
