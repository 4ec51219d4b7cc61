// RUN: tilewright-opt %s --tilegpu-overlap-launches --split-input-file | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: tilewright-opt %s --tilegpu-overlap-launches="ctas-per-multiprocessor=1" --split-input-file | FileCheck %s --check-prefixes=CHECK,ONE

#own = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32], [64]]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>

// What shared memory holds is this launch's own. With one CTA a multiprocessor
// the next launch begins when all is read.
// CHECK-LABEL: @reads
// CHECK: tilegpu.local_store
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: tt.load
// ONE-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tt.store
// MANY-NOT: nvvm.griddepcontrol
module attributes {tilegpu.target = "sm_90a"} {
tt.func public @reads(%p: tensor<128x!tt.ptr<f32>, #own>, %x: tensor<128xf32, #own>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128xf32, #own> -> !tile
  %y = tt.load %p : tensor<128x!tt.ptr<f32>, #own>
  %z = arith.addf %x, %y : tensor<128xf32, #own>
  tt.store %p, %z : tensor<128x!tt.ptr<f32>, #own>
  tt.return
}
}

// -----

// With room for three CTAs on a multiprocessor, those of the next launch would
// crowd where the first ones end; what takes more stays so.
// ONE-LABEL: @small
// ONE-SAME: tilegpu.shared_bytes = 77824 : i32
// MANY-LABEL: @small
// MANY-SAME: tilegpu.shared_bytes = 512 : i32
// CHECK-LABEL: @large
// CHECK-SAME: tilegpu.shared_bytes = 100000 : i32
// ONE-LABEL: @none
// ONE-SAME: tilegpu.shared_bytes = 77824 : i32
// MANY-LABEL: @none
// MANY-SAME: tilegpu.shared_bytes = 0 : i32
module attributes {tilegpu.target = "sm_90a"} {
tt.func public @small(%p: !tt.ptr<f32>, %x: f32) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 512 : i32} {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
tt.func public @large(%p: !tt.ptr<f32>, %x: f32) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 100000 : i32} {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
tt.func public @none(%p: !tt.ptr<f32>, %x: f32) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 0 : i32} {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
}

// -----

// On every path, also on that which accesses nothing.
// CHECK-LABEL: @branches
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: cf.cond_br
// CHECK-NEXT: ^bb1:
// ONE-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: tt.store
// CHECK: ^bb2:
// ONE-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: tt.return
module attributes {tilegpu.target = "sm_90a"} {
tt.func public @branches(%p: !tt.ptr<f32>, %x: f32, %c: i1) attributes {tilegpu.num_warps = 4 : i32} {
  cf.cond_br %c, ^yes, ^no
^yes:
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
^no:
  tt.return
}
}

// -----

// Of agents the one that computes says when the next launch may begin, when what
// it takes from the others has come: these have brought it long before.
// CHECK-LABEL: @agents
// CHECK: nvvm.griddepcontrol wait
// CHECK-NOT: nvvm.griddepcontrol
// CHECK: tilegpu.warp_specialize
// CHECK: ^bb2:
// ONE-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: tt.store
// CHECK-NEXT: tilegpu.agent_return
// CHECK: tt.load
// CHECK-NEXT: tilegpu.agent_return
module attributes {tilegpu.target = "sm_90a"} {
tt.func public @agents(%p: !tt.ptr<f32>, %x: f32, %c: i1) attributes {tilegpu.num_warps = 8 : i32} {
  tilegpu.warp_specialize warps = [4, 4] {
    cf.br ^loop
  ^loop:
    cf.cond_br %c, ^loop, ^end
  ^end:
    tt.store %p, %x : !tt.ptr<f32>
    tilegpu.agent_return
  }, {
    %y = tt.load %p : !tt.ptr<f32>
    tilegpu.agent_return
  }
  tt.return
}
}

// -----

// Before Hopper launches do not overlap.
// CHECK-LABEL: @ampere
// CHECK-NOT: nvvm.griddepcontrol
module attributes {tilegpu.target = "sm_80"} {
tt.func public @ampere(%p: !tt.ptr<f32>, %x: f32) attributes {tilegpu.num_warps = 4 : i32} {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
}
