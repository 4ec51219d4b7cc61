// RUN: tilewright-opt %s --tilegpu-delay-conversions | FileCheck %s

// Conversions of what was loaded wait for it at a barrier, which the next reads
// are not to wait at.

#row = #tilegpu.blocked<elements = [8], threads = [32], warps = [4], order = [0]>
#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [8, 1], threads = [8, 4], warps = [1, 4], order = [0, 1]>
#column = #tilegpu.slice<dim = 1, parent = #rows>
#spread = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#one = #tilegpu.blocked<elements = [1, 2], threads = [1, 32], warps = [1, 1], order = [1, 0]>
#of_one = #tilegpu.slice<dim = 1, parent = #one>
#lane = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1, 2], threads = [1, 32], warps = [4, 1], order = [1, 0]>
#of_four = #tilegpu.slice<dim = 1, parent = #four>

module attributes {tilegpu.target = "sm_80"} {

// With what is computed of it, up to the last read before the first use.
// CHECK-LABEL: @sunk
// CHECK: %[[A:.*]] = tt.load %arg0
// CHECK-NEXT: %[[B:.*]] = tt.load %arg1
// CHECK-NEXT: %[[C:.*]] = tilegpu.convert_layout %[[A]]
// CHECK-NEXT: tt.expand_dims %[[C]]
// CHECK-NEXT: tt.broadcast
// CHECK-NEXT: arith.negf %[[B]]
// CHECK-NEXT: arith.mulf
tt.func private @sunk(%p: tensor<64x!tt.ptr<f32>, #row>, %q: tensor<64x64x!tt.ptr<f32>, #rows>) -> tensor<64x64xf32, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %a = tt.load %p : tensor<64x!tt.ptr<f32>, #row>
  %c = tilegpu.convert_layout %a : tensor<64xf32, #row> -> tensor<64xf32, #column>
  %d = tt.expand_dims %c {axis = 1 : i32} : tensor<64xf32, #column> -> tensor<64x1xf32, #rows>
  %e = tt.broadcast %d : tensor<64x1xf32, #rows> -> tensor<64x64xf32, #rows>
  %b = tt.load %q : tensor<64x64x!tt.ptr<f32>, #rows>
  %n = arith.negf %b : tensor<64x64xf32, #rows>
  %r = arith.mulf %n, %e : tensor<64x64xf32, #rows>
  tt.return %r : tensor<64x64xf32, #rows>
}

// The next read needs it.
// CHECK-LABEL: @needed
// CHECK: tt.load
// CHECK-NEXT: tilegpu.convert_layout
// CHECK-NEXT: tt.addptr
// CHECK-NEXT: tt.load
tt.func private @needed(%p: tensor<64x!tt.ptr<i32>, #row>, %q: tensor<64x!tt.ptr<f32>, #column>) -> tensor<64xf32, #column> attributes {tilegpu.num_warps = 4 : i32} {
  %a = tt.load %p : tensor<64x!tt.ptr<i32>, #row>
  %c = tilegpu.convert_layout %a : tensor<64xi32, #row> -> tensor<64xi32, #column>
  %s = tt.addptr %q, %c : tensor<64x!tt.ptr<f32>, #column>, tensor<64xi32, #column>
  %b = tt.load %s : tensor<64x!tt.ptr<f32>, #column>
  tt.return %b : tensor<64xf32, #column>
}

// What was not loaded does not wait for memory.
// CHECK-LABEL: @computed
// CHECK: tilegpu.convert_layout
// CHECK-NEXT: tt.load
tt.func private @computed(%a: tensor<64xf32, #row>, %q: tensor<64x!tt.ptr<f32>, #column>) -> tensor<64xf32, #column> attributes {tilegpu.num_warps = 4 : i32} {
  %c = tilegpu.convert_layout %a : tensor<64xf32, #row> -> tensor<64xf32, #column>
  %b = tt.load %q : tensor<64x!tt.ptr<f32>, #column>
  %r = arith.addf %b, %c : tensor<64xf32, #column>
  tt.return %r : tensor<64xf32, #column>
}

// Registers that a large tile is in would be taken for longer.
// CHECK-LABEL: @large
// CHECK: tt.load
// CHECK-NEXT: tilegpu.convert_layout
// CHECK-NEXT: tt.load
tt.func private @large(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>) -> tensor<64x64xf32, #columns> attributes {tilegpu.num_warps = 4 : i32} {
  %a = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
  %c = tilegpu.convert_layout %a : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
  %b = tt.load %q : tensor<64x64x!tt.ptr<f32>, #columns>
  %r = arith.addf %b, %c : tensor<64x64xf32, #columns>
  tt.return %r : tensor<64x64xf32, #columns>
}

// A loop would hold it.
// CHECK-LABEL: @loop
// CHECK: tt.load %arg0
// CHECK-NEXT: tt.load %arg1
// CHECK-NEXT: tilegpu.convert_layout
// CHECK-NEXT: scf.for
// CHECK: tt.load %arg1
tt.func private @loop(%p: tensor<64x!tt.ptr<f32>, #row>, %q: tensor<64x!tt.ptr<f32>, #column>, %n: i32) -> tensor<64xf32, #column> attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tt.load %p : tensor<64x!tt.ptr<f32>, #row>
  %c = tilegpu.convert_layout %a : tensor<64xf32, #row> -> tensor<64xf32, #column>
  %b = tt.load %q : tensor<64x!tt.ptr<f32>, #column>
  %s = scf.for %i = %zero to %n step %one iter_args(%x = %b) -> (tensor<64xf32, #column>) : i32 {
    %y = arith.mulf %x, %x : tensor<64xf32, #column>
    scf.yield %y : tensor<64xf32, #column>
  }
  %d = tt.load %q : tensor<64x!tt.ptr<f32>, #column>
  %t = arith.addf %s, %d : tensor<64xf32, #column>
  %r = arith.addf %t, %c : tensor<64xf32, #column>
  tt.return %r : tensor<64xf32, #column>
}

// What one warp has reduced is converted behind the next reduction that does not
// need it; where several would meet at barriers it stays.
// CHECK-LABEL: @sums_of_one_warp
// CHECK: tt.reduce
// CHECK: tt.reduce
// CHECK: tilegpu.convert_layout
// CHECK: tilegpu.convert_layout
tt.func private @sums_of_one_warp(%a: tensor<32x64xf32, #one>, %b: tensor<32x64xf32, #one>) -> tensor<32xf32, #lane> attributes {tilegpu.num_warps = 1 : i32} {
  %s = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<32x64xf32, #one>) -> tensor<32xf32, #of_one>
  %c = tilegpu.convert_layout %s : tensor<32xf32, #of_one> -> tensor<32xf32, #lane>
  %t = "tt.reduce"(%b) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<32x64xf32, #one>) -> tensor<32xf32, #of_one>
  %d = tilegpu.convert_layout %t : tensor<32xf32, #of_one> -> tensor<32xf32, #lane>
  %r = arith.addf %c, %d : tensor<32xf32, #lane>
  tt.return %r : tensor<32xf32, #lane>
}

// CHECK-LABEL: @sums_of_four_warps
// CHECK: tt.reduce
// CHECK: tilegpu.convert_layout
// CHECK: tt.reduce
tt.func private @sums_of_four_warps(%a: tensor<32x64xf32, #four>, %b: tensor<32x64xf32, #four>) -> tensor<32xf32, #spread> attributes {tilegpu.num_warps = 4 : i32} {
  %s = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<32x64xf32, #four>) -> tensor<32xf32, #of_four>
  %c = tilegpu.convert_layout %s : tensor<32xf32, #of_four> -> tensor<32xf32, #spread>
  %t = "tt.reduce"(%b) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<32x64xf32, #four>) -> tensor<32xf32, #of_four>
  %d = tilegpu.convert_layout %t : tensor<32xf32, #of_four> -> tensor<32xf32, #spread>
  %r = arith.addf %c, %d : tensor<32xf32, #spread>
  tt.return %r : tensor<32xf32, #spread>
}

}
