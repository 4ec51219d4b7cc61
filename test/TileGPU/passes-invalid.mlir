// RUN: split-file %s %t
// RUN: tilewright-opt %t/reductions.mlir --split-input-file --tilegpu-decompose-reductions --verify-diagnostics
// RUN: tilewright-opt %t/conversions.mlir --split-input-file --tilegpu-plan-conversions --verify-diagnostics
// RUN: tilewright-opt %t/structure.mlir --split-input-file --tile-structure-control-flow --verify-diagnostics
// RUN: not tilewright-opt %t/warps.mlir --tilegpu-assign-layouts='target=sm_80 num-warps=3' 2>&1 | FileCheck --check-prefix=WARPS %t/warps.mlir
// RUN: tilewright-opt %t/arguments.mlir --tilegpu-assign-layouts='target=sm_80' --verify-diagnostics
// RUN: tilewright-opt %t/tile.mlir --split-input-file --tile-verify --verify-diagnostics

// What passes refuse of IR that other passes would not give them.

//--- reductions.mlir
#a = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#b = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @sources(%x: tensor<64xf32, #a>, %y: tensor<64xf32, #b>) attributes {tilegpu.num_warps = 1 : i32} {
  // expected-error @+1 {{expects sources of one layout, but got #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]> and #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>}}
  %r:2 = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32, %s: f32, %t: f32):
    tt.reduce.return %p, %q : f32, f32
  }) : (tensor<64xf32, #a>, tensor<64xf32, #b>) -> (f32, f32)
  tt.return
}
}

// -----

#a = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @result(%x: tensor<8x4xf32, #a>) attributes {tilegpu.num_warps = 1 : i32} {
  // expected-error @+1 {{expects results with a register layout, but got 'tensor<8xf32>'}}
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    tt.reduce.return %p : f32
  }) : (tensor<8x4xf32, #a>) -> tensor<8xf32>
  tt.return
}
}

//--- conversions.mlir
#a = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#b = #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @warps(%x: tensor<64xf32, #a>) -> tensor<64xf32, #b> {
  // expected-error @+1 {{expects source and result of as many warps, but got 1 and 2}}
  %y = tilegpu.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  tt.return %y : tensor<64xf32, #b>
}
}

//--- structure.mlir
// expected-error @+1 {{expects branches that can be made into loops and conditions}}
tt.func @ends(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  ub.unreachable
^b:
  tt.return
}

//--- warps.mlir
// WARPS: error: expects a number of warps that is a power of two from 1 to 32, but got 3
module {
}

//--- arguments.mlir
// expected-error @+1 {{expects no tensors as arguments of a kernel, but got 'tensor<32xf32>'}}
tt.func private @takes_tile(%x: tensor<32xf32>) {
  tt.return
}

//--- tile.mlir
tt.func @other_dialect(%i: index) {
  // expected-error @+1 {{expects an operation of the dialects tt, tile, arith, math, scf, cf or ub in tile IR, but got one of gpu}}
  %x = gpu.thread_id x
  tt.return
}

// -----

tt.func @wide_exponent(%x: f32, %n: i64) {
  // expected-error @+1 {{'math.fpowi' op expects an exponent of at most 32 bits, but got 'i64'}}
  %y = math.fpowi %x, %n : f32, i64
  tt.return
}

// -----

tt.func @no_clamp(%x: f32) {
  // expected-error @+1 {{'math.clampf' op is valid tile IR, but has no lowering yet}}
  %y = math.clampf %x to [%x, %x] : f32
  tt.return
}

// -----

tt.func @no_parallel_loop(%n: index) {
  // expected-error @+1 {{'scf.parallel' op is valid tile IR, but has no lowering yet}}
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    scf.reduce
  }
  tt.return
}

// -----

// expected-error @+1 {{expects a body, but got a declaration}}
tt.func private @declared()
