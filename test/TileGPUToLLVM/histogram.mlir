// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#bins = #tilegpu.shared_linear<offset = [[1], [2], [4], [8]]>
#l = #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // Each thread counts its element where that is a bin.
  // CHECK-LABEL: llvm.func @count
  // CHECK: %[[BINS:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[IS:.*]] = llvm.icmp "ult" %arg0, %[[BINS]]
  // CHECK: llvm.inline_asm has_side_effects "@$1 red.shared.add.u32 [$0], 1;", "r,b" %{{.*}}, %[[IS]]
  // CHECK-NOT: red.shared
  tt.func @count(%i: i32) attributes {tilegpu.num_warps = 2 : i32} {
    %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<16xi32, #bins, mutable>
    %k = tt.splat %i : i32 -> tensor<64xi32, #l>
    tilegpu.local_count %k, %m : tensor<64xi32, #l> -> !tilegpu.memdesc<16xi32, #bins, mutable>
    tt.return
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  tt.func @packs(%i: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %x = tt.splat %i : i32 -> tensor<32xi32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>
    // expected-error @+2 {{'tt.map_elementwise' op expects tile-expand-ops to have run, but got packs of 2}}
    // expected-error @+1 {{failed to legalize operation 'tt.map_elementwise'}}
    %r = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      tt.map_elementwise.return %a, %b : i32, i32
    }) : (tensor<32xi32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>) -> tensor<32xi32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>
    tt.return
  }
}
