// RUN: tilewright-opt %s --tilewright-tile-to-tilegpu="target=sm_80 num-warps=4" | FileCheck %s
// RUN: tilewright-opt %s --tilewright-tile-to-tilegpu="target=sm_80 num-warps=4" | FileCheck %s --check-prefix=ROWS

// A scan has its axis in one warp. Where that takes a conversion, a thread gets
// neighbours, which are one block for the scan through lanes: the axis' lowest
// bits are registers.

// CHECK: [[$IN_THREADS:#[a-z0-9]+]] = #tilegpu.linear<register = {{.*}}1], [2], [4], [8]{{.*}}, lane = {{.*}}16], [32], [64], [128], [256]{{.*}}, warp = {{.*}}0], [0]{{.*}}>

// CHECK-LABEL: tt.func @vector
tt.func @vector(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  // CHECK: "tt.scan"
  // CHECK: (tensor<512xf32, [[$IN_THREADS]]>) -> tensor<512xf32, [[$IN_THREADS]]>
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.scan.return %w : f32
  }) : (tensor<512xf32>) -> tensor<512xf32>
  tt.store %a, %y : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Rows of a tile are dealt to the warps that held other parts of the axis: none
// of them holds what another one scans.

// ROWS: [[$ROWS:#[a-z0-9]+]] = #tilegpu.linear<register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}0, 32], [0, 64], [0, 128], [0, 256], [0, 512]], warp = {{\[\[}}2, 0], [1, 0]]>

// ROWS-LABEL: tt.func @rows
tt.func @rows(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %e = tt.expand_dims %r {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
  %b = tt.broadcast %e : tensor<1x1024xi32> -> tensor<4x1024xi32>
  %q = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %f = tt.expand_dims %q {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %k = arith.constant dense<4096> : tensor<4x1xi32>
  %g = arith.muli %f, %k : tensor<4x1xi32>
  %h = tt.broadcast %g : tensor<4x1xi32> -> tensor<4x1024xi32>
  %o = arith.addi %b, %h : tensor<4x1024xi32>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<4x1024x!tt.ptr<f16>>
  %a = tt.addptr %s, %o : tensor<4x1024x!tt.ptr<f16>>, tensor<4x1024xi32>
  %x = tt.load %a : tensor<4x1024x!tt.ptr<f16>>
  // ROWS: "tt.scan"
  // ROWS: (tensor<4x1024xf16, [[$ROWS]]>) -> tensor<4x1024xf16, [[$ROWS]]>
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%u: f16, %v: f16):
    %w = arith.addf %u, %v : f16
    tt.scan.return %w : f16
  }) : (tensor<4x1024xf16>) -> tensor<4x1024xf16>
  tt.store %a, %y : tensor<4x1024x!tt.ptr<f16>>
  tt.return
}
