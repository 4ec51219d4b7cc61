// RUN: tilewright-opt %s --tilewright-tile-to-tilegpu="target=sm_80 num-warps=4" | FileCheck %s

// A scan has its axis in one warp. Where that takes a conversion, a thread gets
// neighbours, which are one block for the scan through lanes: the axis' lowest
// bits are registers.

// CHECK: [[$IN_THREADS:#[a-z0-9]+]] = #tilegpu.linear<register = {{.*}}1], [2], [4], [8], [16]{{.*}}, lane = {{.*}}32], [64], [128], [256], [512]{{.*}}, warp = {{.*}}0], [0]{{.*}}>

// CHECK-LABEL: tt.func @vector
tt.func @vector(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %a : tensor<1024x!tt.ptr<f32>>
  // CHECK: "tt.scan"
  // CHECK: (tensor<1024xf32, [[$IN_THREADS]]>) -> tensor<1024xf32, [[$IN_THREADS]]>
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.scan.return %w : f32
  }) : (tensor<1024xf32>) -> tensor<1024xf32>
  tt.store %a, %y : tensor<1024x!tt.ptr<f32>>
  tt.return
}
