// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --num-warps=1 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=WARP
// RUN: not test -e %t.cubin

// Code that would take minutes to compile, and more registers than there are.
tt.func public @k(%p: !tt.ptr<f16>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %c = tt.expand_dims %r {axis = 1 : i32} : tensor<1024xi32> -> tensor<1024x1xi32>
  %w = arith.constant dense<1024> : tensor<1024x1xi32>
  %s = arith.muli %c, %w : tensor<1024x1xi32>
  %d = tt.expand_dims %r {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
// WARP: :[[@LINE+1]]:9: error: expects tiles of at most 8192 elements for each thread, but got 32768: 'tensor<1024x1024xi32>', which takes 32768 registers of each thread in 1 warp; use more warps or a smaller tile
  %sb = tt.broadcast %s : tensor<1024x1xi32> -> tensor<1024x1024xi32>
  %db = tt.broadcast %d : tensor<1x1024xi32> -> tensor<1024x1024xi32>
  %i = arith.addi %sb, %db : tensor<1024x1024xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1024x1024x!tt.ptr<f16>>
  %pi = tt.addptr %ps, %i : tensor<1024x1024x!tt.ptr<f16>>, tensor<1024x1024xi32>
  %x = tt.load %pi : tensor<1024x1024x!tt.ptr<f16>>
  %z = arith.constant dense<0.0> : tensor<1024x1024xf32>
// CHECK: :[[@LINE+1]]:8: error: expects the dots of a kernel to take at most 8192 matrix instructions of each thread, but got 131072; the result of this one is 'tensor<1024x1024xf32>', which takes 8192 registers of each thread in 4 warps; use more warps or smaller tiles
  %t = tt.dot %x, %x, %z : tensor<1024x1024xf16> * tensor<1024x1024xf16> -> tensor<1024x1024xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x1024x!tt.ptr<f32>>
  %oi = tt.addptr %os, %i : tensor<1024x1024x!tt.ptr<f32>>, tensor<1024x1024xi32>
  tt.store %oi, %t : tensor<1024x1024x!tt.ptr<f32>>
  tt.return
}
