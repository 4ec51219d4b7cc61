// RUN: tilewright-opt %s --split-input-file --tilegpu-form-clusters --verify-diagnostics | FileCheck %s

// Functions whose programs sum over each other name their clusters.

#l = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
#p = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_90a"} {
// CHECK: @sums({{.*}} attributes {tilegpu.cluster = 4 : i32, tilegpu.num_warps = 4 : i32}
tt.func private @sums(%x: tensor<512xf32, #l>) attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tile.reduce_scatter %x {axis = 0 : i32, programs = 4 : i32} : tensor<512xf32, #l> -> tensor<128xf32, #p>
  %1 = tile.reduce_scatter %x {axis = 0 : i32, programs = 4 : i32} : tensor<512xf32, #l> -> tensor<128xf32, #p>
  tt.return
}
// CHECK: @others({{.*}} attributes {tilegpu.num_warps = 4 : i32}
tt.func private @others(%x: tensor<512xf32, #l>) attributes {tilegpu.num_warps = 4 : i32} {
  tt.return
}
}

// -----

#l = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
#p = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func private @target(%x: tensor<512xf32, #l>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile.reduce_scatter' op expects a target with thread block clusters, such as sm_90a, but got sm_80; there, sum by atomics or in a second launch}}
  %0 = tile.reduce_scatter %x {axis = 0 : i32, programs = 4 : i32} : tensor<512xf32, #l> -> tensor<128xf32, #p>
  tt.return
}
}

// -----

#l = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
#p = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_90a"} {
tt.func private @branch(%x: tensor<512xf32, #l>, %c: i1) attributes {tilegpu.num_warps = 4 : i32} {
  scf.if %c {
    // expected-error @+1 {{'tile.reduce_scatter' op expects to be in the body of a function, where all programs of a cluster come by, but got it inside 'scf.if'; move it out of loops and branches}}
    %0 = tile.reduce_scatter %x {axis = 0 : i32, programs = 4 : i32} : tensor<512xf32, #l> -> tensor<128xf32, #p>
  }
  tt.return
}
}

// -----

#l = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
#p = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#q = #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_90a"} {
tt.func private @several(%x: tensor<512xf32, #l>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-note @+1 {{that op is here}}
  %0 = tile.reduce_scatter %x {axis = 0 : i32, programs = 4 : i32} : tensor<512xf32, #l> -> tensor<128xf32, #p>
  // expected-error @+1 {{'tile.reduce_scatter' op expects the 4 programs of the function's first tile.reduce_scatter, but got 2}}
  %1 = tile.reduce_scatter %x {axis = 0 : i32, programs = 2 : i32} : tensor<512xf32, #l> -> tensor<256xf32, #q>
  tt.return
}
}

// -----

#l = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
#p = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_90a"} {
tt.func private @named(%x: tensor<512xf32, #l>) attributes {tilegpu.cluster = 2 : i32, tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile.reduce_scatter' op expects the programs of the function's clusters (tilegpu.cluster), 2, but got 4}}
  %0 = tile.reduce_scatter %x {axis = 0 : i32, programs = 4 : i32} : tensor<512xf32, #l> -> tensor<128xf32, #p>
  tt.return
}
}
