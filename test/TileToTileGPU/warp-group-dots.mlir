// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_90a num-warps=4" | FileCheck %s --check-prefixes=ALL,FOUR
// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_90a num-warps=8" | FileCheck %s --check-prefixes=ALL,EIGHT
// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_90a num-warps=2" | FileCheck %s --check-prefix=NONE
// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_89 num-warps=4" | FileCheck %s --check-prefix=NONE

// Which dots warp groups compute, and where their operands are.

// NONE-NOT: wgmma
// FOUR-DAG: #[[$ACC:.*]] = #tilegpu.wgmma<n = 64, warps = [4, 1]>
// FOUR-DAG: #[[$A:.*]] = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
// Two groups take half of the columns each, and so swizzles of half the width.
// EIGHT-DAG: #[[$ACC:.*]] = #tilegpu.wgmma<n = 32, warps = [4, 2]>
// EIGHT-DAG: #[[$A:.*]] = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
// EIGHT-DAG: #[[$B:.*]] = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 16, order = [1, 0]>

// Copies bring both operands where descriptors find them.
// ALL-LABEL: tt.func @copied
// ALL: scf.for
// ALL: tilegpu.async_copy %{{.*}}, %[[A:.*]] : {{.*}} -> <64x64xf16, #[[$A]], mutable>
// FOUR: tilegpu.async_copy %{{.*}}, %[[B:.*]] : {{.*}} -> <64x64xf16, #[[$A]], mutable>
// EIGHT: tilegpu.async_copy %{{.*}}, %[[B:.*]] : {{.*}} -> <64x64xf16, #[[$B]], mutable>
// ALL-NOT: tilegpu.local_load
// ALL: tilegpu.async_wait
// ALL-NEXT: tilegpu.wgmma %[[A]], %[[B]], %{{.*}} -> <tensor<64x64xf32, #[[$ACC]]>>
// ALL-NEXT: tilegpu.wgmma_wait
// ALL: scf.yield
tt.func @copied(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %next = arith.constant dense<4096> : tensor<64x64xi32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = arith.muli %row, %size : tensor<64x1xi32>
  %r = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %c = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %r, %c : tensor<64x64xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %a = tt.addptr %base, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %a, %sum = %zero) -> (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xf32>) : i32 {
    %x = tt.load %at : tensor<64x64x!tt.ptr<f16>>
    %then = tt.addptr %at, %next : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %y = tt.load %then : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %then, %d : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xf32>
  }
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %to = tt.addptr %outs, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %to, %sums#1 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Neither 64 rows nor columns fill the instruction; f32 would be cut off rather
// than rounded; and there are no registers for 64 x 2048 sums.
// ALL-LABEL: tt.func @others
// ALL-NOT: tilegpu.wgmma
// ALL-COUNT-3: tilegpu.mma
// ALL-LABEL: tt.func @few_rows
tt.func @others(%x: f16, %y: f32) {
  %a = tt.splat %x : f16 -> tensor<32x64xf16>
  %b = tt.splat %x : f16 -> tensor<64x32xf16>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %b, %c : tensor<32x64xf16> * tensor<64x32xf16> -> tensor<32x32xf32>
  %e = tt.splat %y : f32 -> tensor<64x64xf32>
  %f = tt.splat %y : f32 -> tensor<64x64xf32>
  %g = tt.dot %e, %f, %e, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  %h = tt.splat %x : f16 -> tensor<64x16xf16>
  %i = tt.splat %x : f16 -> tensor<16x2048xf16>
  %j = arith.constant dense<0.0> : tensor<64x2048xf32>
  %k = tt.dot %h, %i, %j : tensor<64x16xf16> * tensor<16x2048xf16> -> tensor<64x2048xf32>
  tt.return
}

// Few rows are the columns of the product computed transposed.
// FOUR: tilegpu.memdesc_trans
// FOUR: tilegpu.wgmma {{.*}} -> <tensor<64x16xf32, #{{.*}}>>
// FOUR-NEXT: %[[T:.*]] = tilegpu.wgmma_wait
// FOUR-NEXT: tt.trans %[[T]] {order = array<i32: 1, 0>} : tensor<64x16xf32
tt.func @few_rows(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %row = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %offsets = tt.expand_dims %row {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<1x256x!tt.ptr<f16>>
  %at = tt.addptr %base, %offsets : tensor<1x256x!tt.ptr<f16>>, tensor<1x256xi32>
  %as = tt.broadcast %at : tensor<1x256x!tt.ptr<f16>> -> tensor<16x256x!tt.ptr<f16>>
  %a = tt.load %as : tensor<16x256x!tt.ptr<f16>>
  %column = tt.trans %at {order = array<i32: 1, 0>} : tensor<1x256x!tt.ptr<f16>> -> tensor<256x1x!tt.ptr<f16>>
  %bs = tt.broadcast %column : tensor<256x1x!tt.ptr<f16>> -> tensor<256x64x!tt.ptr<f16>>
  %b = tt.load %bs : tensor<256x64x!tt.ptr<f16>>
  %c = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tt.dot %a, %b, %c : tensor<16x256xf16> * tensor<256x64xf16> -> tensor<16x64xf32>
  tt.return
}

// A result becomes the left operand of the next product where it is; the tile
// of a transposition is another view of the copied one.
// ALL-LABEL: tt.func @chained
// FOUR: scf.for
// FOUR: %[[TILE:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x64xf16, #[[$A]], mutable>
// FOUR: %[[TURNED:.*]] = tilegpu.memdesc_trans %[[TILE]] {order = array<i32: 1, 0>}
// FOUR: %[[FIRST:.*]] = tilegpu.wgmma %{{.*}}, %[[TURNED]], %
// FOUR-NEXT: %[[SUMS:.*]] = tilegpu.wgmma_wait %[[FIRST]]
// FOUR-NEXT: %[[HALF:.*]] = arith.truncf %[[SUMS]]
// FOUR-NEXT: %[[LEFT:.*]] = tilegpu.convert_layout %[[HALF]] : tensor<64x64xf16, #[[$ACC]]> -> tensor<64x64xf16, #{{.*}}>
// FOUR: tilegpu.wgmma %[[LEFT]], %[[TILE]], %
tt.func @chained(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %next = arith.constant dense<4096> : tensor<64x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = arith.muli %row, %size : tensor<64x1xi32>
  %r = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %c = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %r, %c : tensor<64x64xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %a = tt.addptr %base, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %q = tt.load %a : tensor<64x64x!tt.ptr<f16>>
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %a, %sum = %zero) -> (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xf32>) : i32 {
    %x = tt.load %at : tensor<64x64x!tt.ptr<f16>>
    %turned = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tt.dot %q, %turned, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %t = tt.dot %h, %x, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %then = tt.addptr %at, %next : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %then, %t : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xf32>
  }
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %to = tt.addptr %outs, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %to, %sums#1 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A right operand that is computed is stored once for two products in a row, but
// again behind another tile, beside which it would need room.
// ALL-LABEL: tt.func @stored_once
// FOUR: arith.truncf
// FOUR: %[[B:.*]] = tilegpu.local_alloc %[[SUM:[a-z0-9]+]] :
// FOUR-NOT: tilegpu.local_alloc
// FOUR: tilegpu.wgmma %{{.*}}, %[[B]],
// FOUR-NOT: tilegpu.local_alloc
// FOUR: tilegpu.wgmma %{{.*}}, %[[B]],
// FOUR: %[[OTHER:.*]] = tilegpu.local_alloc %{{.*}} :
// FOUR: tilegpu.wgmma %{{.*}}, %[[OTHER]],
// FOUR: %[[AGAIN:.*]] = tilegpu.local_alloc %[[SUM]] :
// FOUR: tilegpu.wgmma %{{.*}}, %[[AGAIN]],
tt.func @stored_once(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f16) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %next = arith.constant dense<4096> : tensor<64x64xi32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %few = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %short = tt.expand_dims %few {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rows = arith.muli %row, %size : tensor<64x1xi32>
  %r = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %c = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %r, %c : tensor<64x64xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %at = tt.addptr %base, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %then = tt.addptr %at, %next : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %a = tt.load %at : tensor<64x64x!tt.ptr<f16>>
  %k = tt.load %then : tensor<64x64x!tt.ptr<f16>>
  %splat = tt.splat %x : f16 -> tensor<64x32xf16>
  %first = tt.dot %a, %splat, %zero : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %b = arith.truncf %first : tensor<64x32xf32> to tensor<64x32xf16>
  %second = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %third = tt.dot %k, %b, %zero : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %sum = arith.addf %second, %third : tensor<64x32xf32>
  %narrow = arith.truncf %sum : tensor<64x32xf32> to tensor<64x32xf16>
  %fourth = tt.dot %a, %narrow, %zero : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %last = tt.dot %k, %b, %fourth : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %r32 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x32xi32>
  %c32 = tt.broadcast %short : tensor<1x32xi32> -> tensor<64x32xi32>
  %places = arith.addi %r32, %c32 : tensor<64x32xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %to = tt.addptr %outs, %places : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  tt.store %to, %last : tensor<64x32x!tt.ptr<f32>>
  tt.return
}

// Of fewer than 64 rows too one copied tile is read with either of its
// dimensions as K, where an instruction takes all of them.
// ALL-LABEL: tt.func @few_rows_both_ways
// FOUR: %[[COPY:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<32x128xbf16,
// FOUR-NOT: tilegpu.local_alloc
// FOUR: %[[BYCHANNEL:.*]] = tilegpu.memdesc_trans %[[COPY]]
// FOUR: tilegpu.wgmma %{{.*}}, %[[BYCHANNEL]], %{{.*}} -> <tensor<64x32xf32,
// FOUR-NOT: tilegpu.local_load
// FOUR: %[[TURN:.*]] = tilegpu.memdesc_trans %[[COPY]]
// FOUR: %[[BYTOKEN:.*]] = tilegpu.memdesc_trans %[[TURN]]
// FOUR: tilegpu.wgmma %{{.*}}, %[[BYTOKEN]], %{{.*}} -> <tensor<64x128xf32,
tt.func @few_rows_both_ways(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %next = arith.constant dense<4096> : tensor<32x128xi32>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %start = arith.constant dense<0.0> : tensor<128x64xf32>
  %size = arith.constant dense<128> : tensor<32x1xi32>
  %row = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %column = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %first = arith.muli %rows, %size : tensor<32x1xi32>
  %r = tt.broadcast %first : tensor<32x1xi32> -> tensor<32x128xi32>
  %c = tt.broadcast %columns : tensor<1x128xi32> -> tensor<32x128xi32>
  %offsets = arith.addi %r, %c : tensor<32x128xi32>
  %base = tt.splat %p : !tt.ptr<bf16> -> tensor<32x128x!tt.ptr<bf16>>
  %a = tt.addptr %base, %offsets : tensor<32x128x!tt.ptr<bf16>>, tensor<32x128xi32>
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %a, %state = %start) -> (tensor<32x128x!tt.ptr<bf16>>, tensor<128x64xf32>) : i32 {
    %x = tt.load %at : tensor<32x128x!tt.ptr<bf16>>
    %s = arith.truncf %state : tensor<128x64xf32> to tensor<128x64xbf16>
    %d = tt.dot %x, %s, %zero : tensor<32x128xbf16> * tensor<128x64xbf16> -> tensor<32x64xf32>
    %h = arith.truncf %d : tensor<32x64xf32> to tensor<32x64xbf16>
    %turned = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x128xbf16> -> tensor<128x32xbf16>
    %t = tt.dot %turned, %h, %state : tensor<128x32xbf16> * tensor<32x64xbf16> -> tensor<128x64xf32>
    %then = tt.addptr %at, %next : tensor<32x128x!tt.ptr<bf16>>, tensor<32x128xi32>
    scf.yield %then, %t : tensor<32x128x!tt.ptr<bf16>>, tensor<128x64xf32>
  }
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %outs, %sums#1 : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// What is computed before loops is in shared memory there, from where instructions
// of 128 columns take it beside the other operand.
// ALL-LABEL: tt.func @computed_before
// FOUR-COUNT-2: tilegpu.wgmma %{{.*}} : !tilegpu.memdesc<64x64xf16, {{.*}} -> <tensor<64x128xf32,
tt.func @computed_before(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %f: f16) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %rows = arith.muli %row, %size : tensor<64x1xi32>
  %r = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %c = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %r, %c : tensor<64x64xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %at = tt.addptr %base, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %x = tt.load %at : tensor<64x64x!tt.ptr<f16>>
  %fs = tt.splat %f : f16 -> tensor<64x64xf16>
  %q = arith.mulf %x, %fs : tensor<64x64xf16>
  %krange = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %kcolumn = tt.expand_dims %krange {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %kc = tt.broadcast %kcolumn : tensor<1x128xi32> -> tensor<64x128xi32>
  %kr = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x128xi32>
  %koffsets = arith.addi %kr, %kc : tensor<64x128xi32>
  %kbase = tt.splat %k0 : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
  %ks = tt.addptr %kbase, %koffsets : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = tt.load %ks : tensor<64x128x!tt.ptr<f16>>
    %d = tt.dot %q, %k, %s : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  %sum2 = scf.for %i2 = %c0 to %n step %c1 iter_args(%s = %sum) -> (tensor<64x128xf32>) : i32 {
    %k2 = tt.load %ks : tensor<64x128x!tt.ptr<f16>>
    %d2 = tt.dot %q, %k2, %s : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
    scf.yield %d2 : tensor<64x128xf32>
  }
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>>
  tt.store %outs, %sum2 : tensor<64x128x!tt.ptr<f32>>
  tt.return
}
