// RUN: tilewright-opt %s --tilegpu-decompose-gathers --split-input-file --verify-diagnostics | FileCheck %s

#a = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#b = #tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [4, 1], order = [1, 0]>
#w = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [2, 1], order = [1, 0]>
#long = #tilegpu.blocked<elements = [1, 128], threads = [32, 1], warps = [4, 1], order = [1, 0]>
module attributes {tilegpu.target = "sm_80"} {
// CHECK-LABEL: @gather
// CHECK-SAME: (%[[S:.*]]: tensor<16x32xf16{{.*}}, %[[I:.*]]: tensor<64x32xi32
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x32xf16
// CHECK-NEXT: tilegpu.local_store %[[S]], %[[M]]
// CHECK-NEXT: %[[R:.*]] = tilegpu.local_gather %[[M]][%[[I]]] {axis = 0 : i32}
// CHECK-NEXT: return %[[R]]
tt.func private @gather(%s: tensor<16x32xf16, #a>, %i: tensor<64x32xi32, #b>) -> tensor<64x32xf16, #b> attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16x32xf16, #a>, tensor<64x32xi32, #b>) -> tensor<64x32xf16, #b>
  tt.return %r : tensor<64x32xf16, #b>
}

// Rows lie in one warp each, and warps hold the same rows on both sides: shuffles
// do.
// CHECK-LABEL: @within_warps
// CHECK-NEXT: tt.gather
tt.func private @within_warps(%s: tensor<16x32xf16, #b>, %i: tensor<16x64xi32, #b>) -> tensor<16x64xf16, #b> attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.gather %s[%i] {axis = 1 : i32} : (tensor<16x32xf16, #b>, tensor<16x64xi32, #b>) -> tensor<16x64xf16, #b>
  tt.return %r : tensor<16x64xf16, #b>
}

// Within a warp too, but from any of 128 registers.
// CHECK-LABEL: @too_many_registers
// CHECK: tilegpu.local_gather
tt.func private @too_many_registers(%s: tensor<128x128xf16, #long>, %i: tensor<128x128xi32, #long>) -> tensor<128x128xf16, #long> attributes {tilegpu.num_warps = 4 : i32} {
  %r = tt.gather %s[%i] {axis = 1 : i32} : (tensor<128x128xf16, #long>, tensor<128x128xi32, #long>) -> tensor<128x128xf16, #long>
  tt.return %r : tensor<128x128xf16, #long>
}

// What a loop does not change is stored once, before it, for all gathers there.
// CHECK-LABEL: @invariant
// CHECK: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x32xf16
// CHECK-NEXT: tilegpu.local_store %arg0, %[[M]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NOT: tilegpu.local_store
// CHECK: tilegpu.local_gather %[[M]]
// CHECK-NOT: tilegpu.local_store
// CHECK: tilegpu.local_gather %[[M]]
tt.func private @invariant(%s: tensor<16x32xf16, #a>, %i: tensor<64x32xi32, #b>, %n: i32, %x: tensor<64x32xf16, #b>) -> tensor<64x32xf16, #b> attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<64x32xf16, #b>) : i32 {
    %q = scf.for %k = %c0 to %n step %c1 iter_args(%z = %y) -> (tensor<64x32xf16, #b>) : i32 {
      %g = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16x32xf16, #a>, tensor<64x32xi32, #b>) -> tensor<64x32xf16, #b>
      %h = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16x32xf16, #a>, tensor<64x32xi32, #b>) -> tensor<64x32xf16, #b>
      %t = arith.addf %g, %h : tensor<64x32xf16, #b>
      scf.yield %t : tensor<64x32xf16, #b>
    }
    scf.yield %q : tensor<64x32xf16, #b>
  }
  tt.return %r : tensor<64x32xf16, #b>
}

// Tiles that live in a branch alone take registers too, so that a
// multiprocessor runs no more CTAs than fit with the source stored once.
// CHECK-LABEL: @held_in_branch
// CHECK: scf.if
// CHECK: tilegpu.local_store
// CHECK: scf.for
// CHECK-NOT: tilegpu.local_store
// CHECK: tilegpu.local_gather
tt.func private @held_in_branch(%p: tensor<16x128x!tt.ptr<f32>, #w>, %i: tensor<1x128xi32, #w>, %c: i1, %n: i32) attributes {tilegpu.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.if %c {
    %s = tt.load %p : tensor<16x128x!tt.ptr<f32>, #w>
    %t = math.exp %s : tensor<16x128xf32, #w>
    %u = math.sqrt %s : tensor<16x128xf32, #w>
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%y = %u) -> (tensor<16x128xf32, #w>) : i32 {
      %g = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16x128xf32, #w>, tensor<1x128xi32, #w>) -> tensor<1x128xf32, #w>
      %b = tt.broadcast %g : tensor<1x128xf32, #w> -> tensor<16x128xf32, #w>
      %a = arith.addf %y, %b : tensor<16x128xf32, #w>
      %m = arith.mulf %a, %t : tensor<16x128xf32, #w>
      scf.yield %m : tensor<16x128xf32, #w>
    }
    tt.store %p, %q : tensor<16x128x!tt.ptr<f32>, #w>
  }
  tt.return
}

// A branch outside of loops is left as it is; what a loop carries changes.
// CHECK-LABEL: @branch
// CHECK: scf.if
// CHECK-NEXT: tilegpu.local_alloc
// CHECK: scf.for
// CHECK: tilegpu.local_alloc
// CHECK: tilegpu.local_gather
tt.func private @branch(%s: tensor<64x32xf16, #b>, %i: tensor<64x32xi32, #b>, %c: i1, %n: i32) -> tensor<64x32xf16, #b> attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.if %c -> (tensor<64x32xf16, #b>) {
    %g = tt.gather %s[%i] {axis = 0 : i32} : (tensor<64x32xf16, #b>, tensor<64x32xi32, #b>) -> tensor<64x32xf16, #b>
    scf.yield %g : tensor<64x32xf16, #b>
  } else {
    scf.yield %s : tensor<64x32xf16, #b>
  }
  %q = scf.for %j = %c0 to %n step %c1 iter_args(%y = %r) -> (tensor<64x32xf16, #b>) : i32 {
    %g = tt.gather %y[%i] {axis = 0 : i32} : (tensor<64x32xf16, #b>, tensor<64x32xi32, #b>) -> tensor<64x32xf16, #b>
    scf.yield %g : tensor<64x32xf16, #b>
  }
  tt.return %q : tensor<64x32xf16, #b>
}
}

// -----

#a = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#b = #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @layouts(%s: tensor<16xf16, #a>, %i: tensor<64xi32, #b>) -> tensor<64xf16, #a> attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{expects indices and result of one layout, but got 'tensor<64xi32, #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>>' and 'tensor<64xf16, #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>>'}}
  %r = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16xf16, #a>, tensor<64xi32, #b>) -> tensor<64xf16, #a>
  tt.return %r : tensor<64xf16, #a>
}
}

// -----

#b = #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @no_layout(%s: tensor<16xf16>, %i: tensor<64xi32, #b>) -> tensor<64xf16, #b> attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{expects tensors with a register layout, but got 'tensor<16xf16>'}}
  %r = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16xf16>, tensor<64xi32, #b>) -> tensor<64xf16, #b>
  tt.return %r : tensor<64xf16, #b>
}
}

// -----

#b = #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_linear<offset = [[1], [2], [4], [8]]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @axis(%m: !tilegpu.memdesc<16xf16, #shared>, %i: tensor<64xi32, #b>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{'tilegpu.local_gather' op expects axis in [0, 1), but got 1}}
  %r = tilegpu.local_gather %m[%i] {axis = 1 : i32} : !tilegpu.memdesc<16xf16, #shared>, tensor<64xi32, #b> -> tensor<64xf16, #b>
  tt.return
}
}

// -----

#b = #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_linear<offset = [[1], [2], [4], [8]]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @element(%m: !tilegpu.memdesc<16xf16, #shared>, %i: tensor<64xi32, #b>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{'tilegpu.local_gather' op expects the result 'tensor<64xf16, #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>>', but got 'tensor<64xf32, #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>>'}}
  %r = tilegpu.local_gather %m[%i] {axis = 0 : i32} : !tilegpu.memdesc<16xf16, #shared>, tensor<64xi32, #b> -> tensor<64xf32, #b>
  tt.return
}
}
