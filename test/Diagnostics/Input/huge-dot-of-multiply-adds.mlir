// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// Without a matrix instruction: loops, as operands go through shared memory in parts.
tt.func public @k(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %c = tt.expand_dims %r {axis = 1 : i32} : tensor<1024xi32> -> tensor<1024x1xi32>
  %w = arith.constant dense<1024> : tensor<1024x1xi32>
  %s = arith.muli %c, %w : tensor<1024x1xi32>
  %d = tt.expand_dims %r {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
  %sb = tt.broadcast %s : tensor<1024x1xi32> -> tensor<1024x1024xi32>
  %db = tt.broadcast %d : tensor<1x1024xi32> -> tensor<1024x1024xi32>
  %i = arith.addi %sb, %db : tensor<1024x1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x1024x!tt.ptr<f32>>
  %pi = tt.addptr %ps, %i : tensor<1024x1024x!tt.ptr<f32>>, tensor<1024x1024xi32>
  %x = tt.load %pi : tensor<1024x1024x!tt.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<1024x1024xf32>
// CHECK: :[[@LINE+1]]:8: error: expects the dots of a kernel to take at most 65536 multiply-adds of each thread, but got 1048576; the result of this one is 'tensor<1024x1024xf32>', which takes 8192 registers of each thread in 4 warps; use more warps or smaller tiles
  %t = tt.dot %x, %x, %z : tensor<1024x1024xf32> * tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x1024x!tt.ptr<f32>>
  %oi = tt.addptr %os, %i : tensor<1024x1024x!tt.ptr<f32>>, tensor<1024x1024xi32>
  tt.store %oi, %t : tensor<1024x1024x!tt.ptr<f32>>
  tt.return
}
