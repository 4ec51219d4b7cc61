// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// What the operations of `tilegpu` refuse.

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
tt.func @no_layout(%x: tensor<32xf32>) {
  // expected-error @+1 {{'tilegpu.convert_layout' op expects a tensor with a register layout, but got 'tensor<32xf32>'}}
  %y = tilegpu.convert_layout %x : tensor<32xf32> -> tensor<32xf32, #b>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @same_tile(%x: tensor<32xf32, #b>) {
  // expected-error @+1 {{expects tensor and descriptor of the same shape and element type, but got 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>' and '!tilegpu.memdesc<32xf16, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>>'}}
  %m = tilegpu.local_alloc %x : (tensor<32xf32, #b>) -> !tilegpu.memdesc<32xf16, #s>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @buffers(%m: !tilegpu.memdesc<32xf32, #s, buffers = 2>) {
  // expected-error @+1 {{expects a descriptor of one buffer (pick one with tilegpu.memdesc_index), but got '!tilegpu.memdesc<32xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>, buffers = 2>'}}
  %x = tilegpu.local_load %m : !tilegpu.memdesc<32xf32, #s, buffers = 2> -> tensor<32xf32, #b>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @offset() {
  // expected-error @+1 {{expects a non-negative offset, but got -16}}
  %m = tilegpu.local_alloc {offset = -16 : i32} : () -> !tilegpu.memdesc<32xf32, #s, mutable>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @not_mutable(%x: tensor<32xf32, #b>, %m: !tilegpu.memdesc<32xf32, #s>) {
  // expected-error @+1 {{expects a mutable descriptor, but got '!tilegpu.memdesc<32xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>>'}}
  tilegpu.local_store %x, %m : tensor<32xf32, #b> -> !tilegpu.memdesc<32xf32, #s>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
tt.func @no_source() {
  // expected-error @+1 {{'tilegpu.partial_reduce' op expects at least one source}}
  "tilegpu.partial_reduce"() <{axis = 0 : i32}> ({
    "tilegpu.partial_reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
tt.func @axis(%x: tensor<32xf32, #b>) {
  // expected-error @+1 {{'tilegpu.partial_reduce' op expects axis in [0, 1), but got 1}}
  %y = "tilegpu.partial_reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    "tilegpu.partial_reduce.return"(%p) : (f32) -> ()
  }) : (tensor<32xf32, #b>) -> tensor<1xf32, #b>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
tt.func @region(%x: tensor<32xf32, #b>) {
  // expected-error @+1 {{'tilegpu.partial_reduce' op expects a region of 2 arguments, but got 1}}
  %y = "tilegpu.partial_reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%p: f32):
    "tilegpu.partial_reduce.return"(%p) : (f32) -> ()
  }) : (tensor<32xf32, #b>) -> tensor<1xf32, #b>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
tt.func @partial(%x: tensor<32x32xf32, #b>) {
  // expected-error @+1 {{expects a result that differs from its source along the axis alone, but got 'tensor<32x32xf32, #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>>' and 'tensor<16x1xf32, #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>>'}}
  %y = "tilegpu.partial_reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    "tilegpu.partial_reduce.return"(%p) : (f32) -> ()
  }) : (tensor<32x32xf32, #b>) -> tensor<16x1xf32, #b>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @indices(%m: !tilegpu.memdesc<32xf32, #s>, %i: tensor<32xf32, #b>) {
  // expected-error @+1 {{expects indices that are integers, but got 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>'}}
  %x = tilegpu.local_gather %m[%i] {axis = 0 : i32} : !tilegpu.memdesc<32xf32, #s>, tensor<32xf32, #b> -> tensor<32xf32, #b>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
tt.func @gather_shape(%m: !tilegpu.memdesc<32x32xf32, #s>, %i: tensor<16x8xi32, #b>) {
  // expected-error @+1 {{expects indices of the source's shape but along the axis, but got 'tensor<16x8xi32, #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>>' and '!tilegpu.memdesc<32x32xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>>'}}
  %x = tilegpu.local_gather %m[%i] {axis = 1 : i32} : !tilegpu.memdesc<32x32xf32, #s>, tensor<16x8xi32, #b> -> tensor<16x8xf32, #b>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @gather_result(%m: !tilegpu.memdesc<32xf32, #s>, %i: tensor<64xi32, #b>) {
  // expected-error @+1 {{expects the result 'tensor<64xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>', but got 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>'}}
  %x = tilegpu.local_gather %m[%i] {axis = 0 : i32} : !tilegpu.memdesc<32xf32, #s>, tensor<64xi32, #b> -> tensor<32xf32, #b>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @count_in_floats(%m: !tilegpu.memdesc<32xf32, #s, mutable>, %i: tensor<32xi32, #b>) {
  // expected-error @+1 {{'tilegpu.local_count' op expects a mutable descriptor of rank 1 of i32, but got '!tilegpu.memdesc<32xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>, mutable>'}}
  tilegpu.local_count %i, %m : tensor<32xi32, #b> -> !tilegpu.memdesc<32xf32, #s, mutable>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @count_floats(%m: !tilegpu.memdesc<32xi32, #s, mutable>, %i: tensor<32xf32, #b>) {
  // expected-error @+1 {{'tilegpu.local_count' op expects elements that are integers, but got 'tensor<32xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>'}}
  tilegpu.local_count %i, %m : tensor<32xf32, #b> -> !tilegpu.memdesc<32xi32, #s, mutable>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @count_mask(%m: !tilegpu.memdesc<32xi32, #s, mutable>, %i: tensor<64xi32, #b>, %p: tensor<32xi1, #b>) {
  // expected-error @+1 {{'tilegpu.local_count' op expects the mask 'tensor<64xi1, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>', but got 'tensor<32xi1, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>'}}
  tilegpu.local_count %i, %m mask %p : tensor<64xi32, #b> -> !tilegpu.memdesc<32xi32, #s, mutable> mask tensor<32xi1, #b>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @index_result(%m: !tilegpu.memdesc<32xf32, #s, buffers = 2>, %i: i32) {
  // expected-error @+1 {{expects the result '!tilegpu.memdesc<32xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>>', but got '!tilegpu.memdesc<16xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>>'}}
  %n = tilegpu.memdesc_index %m[%i] : !tilegpu.memdesc<32xf32, #s, buffers = 2> -> !tilegpu.memdesc<16xf32, #s>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
tt.func @trans_order(%m: !tilegpu.memdesc<32x16xf32, #s>) {
  // expected-error @+1 {{expects order to be a permutation of 2 dimensions, but got [0, 0]}}
  %n = tilegpu.memdesc_trans %m {order = array<i32: 0, 0>} : !tilegpu.memdesc<32x16xf32, #s> -> !tilegpu.memdesc<16x32xf32, #s>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
#t = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @trans_rank(%m: !tilegpu.memdesc<32x16xf32, #s>) {
  // expected-error @+1 {{expects a result of rank 2, but got 1}}
  %n = tilegpu.memdesc_trans %m {order = array<i32: 1, 0>} : !tilegpu.memdesc<32x16xf32, #s> -> !tilegpu.memdesc<512xf32, #t>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
tt.func @trans_size(%m: !tilegpu.memdesc<32x16xf32, #s>) {
  // expected-error @+1 {{expects size 16 in dimension 0 of the result, but got 32}}
  %n = tilegpu.memdesc_trans %m {order = array<i32: 1, 0>} : !tilegpu.memdesc<32x16xf32, #s> -> !tilegpu.memdesc<32x16xf32, #s>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
tt.func @trans_layout(%m: !tilegpu.memdesc<32x16xf32, #s>) {
  // expected-error @+1 {{expects the result's layout to be the source's with its dimensions permuted, but got #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]> and #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>}}
  %n = tilegpu.memdesc_trans %m {order = array<i32: 1, 0>} : !tilegpu.memdesc<32x16xf32, #s> -> !tilegpu.memdesc<16x32xf32, #s>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @copy_shape(%p: tensor<64x!tt.ptr<f32>, #b>, %m: !tilegpu.memdesc<32xf32, #s, mutable>) {
  // expected-error @+1 {{expects pointers of the destination's shape, but got 'tensor<64x!tt.ptr<f32>, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>' and '!tilegpu.memdesc<32xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>, mutable>'}}
  %t = tilegpu.async_copy %p, %m : tensor<64x!tt.ptr<f32>, #b> -> !tilegpu.memdesc<32xf32, #s, mutable>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#c = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @copy_mask(%p: tensor<32x!tt.ptr<f32>, #b>, %m: !tilegpu.memdesc<32xf32, #s, mutable>, %mask: tensor<32xi1, #c>) {
  // expected-error @+1 {{expects mask and other of the pointers' shape and layout, but got 'tensor<32xi1, #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>>' beside 'tensor<32x!tt.ptr<f32>, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>'}}
  %t = tilegpu.async_copy %p, %m mask %mask : tensor<32x!tt.ptr<f32>, #b> -> !tilegpu.memdesc<32xf32, #s, mutable> mask tensor<32xi1, #c>
  tt.return
}

// -----

#b = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#m = #tilegpu.mma<m16n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 2>
#r = #tilegpu.dot_operand<index = 1, parent = #m, kWidth = 2>
tt.func @mma_result(%a: tensor<16x16xf16, #l>, %b: tensor<16x8xf16, #r>, %c: tensor<16x8xf32, #b>) {
  // expected-error @+1 {{expects a result under #tilegpu.mma, but got 'tensor<16x8xf32, #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>>'}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #l> * tensor<16x8xf16, #r> -> tensor<16x8xf32, #b>
  tt.return
}

// -----

#m = #tilegpu.mma<m16n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 2>
tt.func @mma_operand(%a: tensor<16x16xf16, #l>, %b: tensor<16x8xf16, #l>, %c: tensor<16x8xf32, #m>) {
  // expected-error @+1 {{expects operand 1 under #tilegpu.dot_operand<index = 1, parent = #tilegpu.mma<m16n8, warps = [1, 1]>>, but got 'tensor<16x8xf16, #tilegpu.dot_operand<index = 0, parent = #tilegpu.mma<m16n8, warps = [1, 1]>, kWidth = 2>>'}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #l> * tensor<16x8xf16, #l> -> tensor<16x8xf32, #m>
  tt.return
}

// -----

#m = #tilegpu.mma<m16n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 2>
#r = #tilegpu.dot_operand<index = 1, parent = #m, kWidth = 2>
tt.func @mma_depth(%a: tensor<16x16xf16, #l>, %b: tensor<32x8xf16, #r>, %c: tensor<16x8xf32, #m>) {
  // expected-error @+1 {{expects the same K in both operands, but got 16 and 32}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #l> * tensor<32x8xf16, #r> -> tensor<16x8xf32, #m>
  tt.return
}

// -----

#m = #tilegpu.mma<m16n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 2>
#r = #tilegpu.dot_operand<index = 1, parent = #m, kWidth = 2>
tt.func @mma_shape(%a: tensor<16x16xf16, #l>, %b: tensor<16x8xf16, #r>, %c: tensor<16x16xf32, #m>) {
  // expected-error @+1 {{expects a result of shape [16, 8], but got 'tensor<16x16xf32, #tilegpu.mma<m16n8, warps = [1, 1]>>'}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #l> * tensor<16x8xf16, #r> -> tensor<16x16xf32, #m>
  tt.return
}

// -----

#m = #tilegpu.mma<m16n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 2>
#r = #tilegpu.dot_operand<index = 1, parent = #m, kWidth = 2>
tt.func @mma_numbers(%a: tensor<16x16xf16, #l>, %b: tensor<16x8xf16, #r>, %c: tensor<16x8xf32, #m>) {
  // expected-error @+1 {{expects an instruction shape of m, n and k, but got 2 numbers}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8] : tensor<16x16xf16, #l> * tensor<16x8xf16, #r> -> tensor<16x8xf32, #m>
  tt.return
}

// -----

#m = #tilegpu.mma<m16n8, warps = [1, 1]>
#l = #tilegpu.dot_operand<index = 0, parent = #m, kWidth = 2>
#r = #tilegpu.dot_operand<index = 1, parent = #m, kWidth = 2>
tt.func @mma_k(%a: tensor<16x16xf16, #l>, %b: tensor<16x8xf16, #r>, %c: tensor<16x8xf32, #m>) {
  // expected-error @+1 {{expects K to be at most the instruction's 6 or a multiple of it, but got 16}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 6] : tensor<16x16xf16, #l> * tensor<16x8xf16, #r> -> tensor<16x8xf32, #m>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
#t = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]>
#b = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
tt.func @multiply_add_rank(%a: !tilegpu.memdesc<16x16xf32, #s>, %b: !tilegpu.memdesc<1x16x16xf32, #t>, %c: tensor<16x16xf32, #b>) {
  // expected-error @+1 {{expects operands and a result of rank 2 or 3, but got ranks 2, 3 and 2}}
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<16x16xf32, #s> * !tilegpu.memdesc<1x16x16xf32, #t> -> tensor<16x16xf32, #b>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
tt.func @multiply_add_layout(%a: !tilegpu.memdesc<16x16xf32, #s>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{expects a result with a register layout, but got 'tensor<16x16xf32>'}}
  %d = tilegpu.multiply_add %a, %a, %c : !tilegpu.memdesc<16x16xf32, #s> * !tilegpu.memdesc<16x16xf32, #s> -> tensor<16x16xf32>
  tt.return
}
