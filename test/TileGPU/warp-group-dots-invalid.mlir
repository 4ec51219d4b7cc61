// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --tilegpu-insert-barriers -o /dev/null

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
// expected-error @+1 {{expects a tensor under #tilegpu.wgmma, but got 'tensor<64x32xf32, #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>>'}}
tt.func @pending_type(%c: !tilegpu.pending<tensor<64x32xf32, #rows>>) {
  tt.return
}

// -----

#acc = #tilegpu.wgmma<n = 32, warps = [4, 1]>
#wide = #tilegpu.wgmma<n = 16, warps = [4, 1]>
tt.func @pend_type(%c: tensor<64x32xf32, #acc>) {
  // expected-error @+1 {{expects the result !tilegpu.pending<'tensor<64x32xf32, #tilegpu.wgmma<n = 32, warps = [4, 1]>>'>, but got '!tilegpu.pending<tensor<64x32xf32, #tilegpu.wgmma<n = 16, warps = [4, 1]>>>'}}
  %0 = tilegpu.pend %c : tensor<64x32xf32, #acc> -> !tilegpu.pending<tensor<64x32xf32, #wide>>
  tt.return
}

// -----

#acc = #tilegpu.wgmma<n = 32, warps = [4, 1]>
!pending = !tilegpu.pending<tensor<64x32xf32, #acc>>
tt.func @wait_type(%p: !pending) {
  // expected-error @+1 {{expects the result 'tensor<64x32xf32, #tilegpu.wgmma<n = 32, warps = [4, 1]>>' or '!tilegpu.pending<tensor<64x32xf32, #tilegpu.wgmma<n = 32, warps = [4, 1]>>>', but got 'tensor<64x32xf16, #tilegpu.wgmma<n = 32, warps = [4, 1]>>'}}
  %0 = tilegpu.wgmma_wait %p {pending = 0 : i32} : !pending -> tensor<64x32xf16, #acc>
  tt.return
}

// -----

#acc = #tilegpu.wgmma<n = 32, warps = [4, 1]>
!pending = !tilegpu.pending<tensor<64x32xf32, #acc>>
tt.func @wait_count(%p: !pending) {
  // expected-error @+1 {{expects a number of products, but got -1}}
  %0 = tilegpu.wgmma_wait %p {pending = -1 : i32} : !pending -> !pending
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
tt.func @plain_tile(%a: !tilegpu.memdesc<64x64xf16, #plain>, %b: !tilegpu.memdesc<64x64xf16, #k>, %c: !pending) {
  // expected-error @+1 {{expects operand 0 as a matrix descriptor can describe it (#tilegpu.shared_nvmma with K contiguous, or of 16-bit elements either dimension), but got '!tilegpu.memdesc<64x64xf16, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>>'}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<64x64xf16, #plain> * !tilegpu.memdesc<64x64xf16, #k> -> !pending
  tt.return
}

// -----

// 8-bit elements have K contiguous.
#k = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 8, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
!pending = !tilegpu.pending<tensor<64x64xi32, #acc>>
tt.func @bytes(%a: !tilegpu.memdesc<64x64xi8, #k>, %b: !tilegpu.memdesc<64x64xi8, #k>, %c: !pending) {
  // expected-error @+1 {{expects operand 1 as a matrix descriptor can describe it}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<64x64xi8, #k> * !tilegpu.memdesc<64x64xi8, #k> -> !pending
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
#other = #tilegpu.dot_operand<index = 0, parent = #tilegpu.wgmma<n = 32, warps = [4, 1]>, kWidth = 2>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
tt.func @fragment(%a: tensor<64x64xf16, #other>, %b: !tilegpu.memdesc<64x64xf16, #k>, %c: !pending) {
  // expected-error @+1 {{expects operand 0 under #tilegpu.dot_operand<index = 0, parent = #tilegpu.wgmma<n = 64, warps = [4, 1]>>, but got 'tensor<64x64xf16,}}
  %0 = tilegpu.wgmma %a, %b, %c : tensor<64x64xf16, #other> * !tilegpu.memdesc<64x64xf16, #k> -> !pending
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [8, 1]>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
tt.func @few_rows(%a: !tilegpu.memdesc<64x64xf16, #k>, %b: !tilegpu.memdesc<64x64xf16, #k>, %c: !pending) {
  // expected-error @+1 {{expects a result in which each group of 4 warps has 64 rows and 64 columns, but got 'tensor<64x64xf32, #tilegpu.wgmma<n = 64, warps = [8, 1]>>'}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<64x64xf16, #k> * !tilegpu.memdesc<64x64xf16, #k> -> !pending
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [2, 1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [1, 4, 1]>
!pending = !tilegpu.pending<tensor<2x64x64xf32, #acc>>
tt.func @batch(%a: !tilegpu.memdesc<2x64x64xf16, #k>, %b: !tilegpu.memdesc<2x64x64xf16, #k>, %c: !pending) {
  // expected-error @+1 {{expects a result of rank 2, but got 'tensor<2x64x64xf32, #tilegpu.wgmma<n = 64, warps = [1, 4, 1]>>'}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<2x64x64xf16, #k> * !tilegpu.memdesc<2x64x64xf16, #k> -> !pending
  tt.return
}

// -----

// What a product may still read is written.
#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!half = tensor<64x64xf16, #rows>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
module attributes {tilegpu.target = "sm_90a"} {
tt.func @no_wait(%x: !half, %c: tensor<64x64xf32, #acc>) attributes {tilegpu.num_warps = 4 : i32} {
  %a = tilegpu.local_alloc %x {offset = 0 : i32} : (!half) -> !tile
  %b = tilegpu.local_alloc %x {offset = 8192 : i32} : (!half) -> !tile
  %0 = tilegpu.pend %c : tensor<64x64xf32, #acc> -> !pending
  // expected-note @+1 {{the product is here}}
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  // expected-error @+1 {{expects a tilegpu.wgmma_wait for the product that reads its bytes on every path from there}}
  tilegpu.local_store %x, %a : !half -> !tile
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> tensor<64x64xf32, #acc>
  tt.return
}
}
