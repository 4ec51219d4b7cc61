// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %c = tt.expand_dims %r {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %w = arith.constant dense<256> : tensor<256x1xi32>
  %s = arith.muli %c, %w : tensor<256x1xi32>
  %d = tt.expand_dims %r {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %sb = tt.broadcast %s : tensor<256x1xi32> -> tensor<256x256xi32>
  %db = tt.broadcast %d : tensor<1x256xi32> -> tensor<256x256xi32>
  %i = arith.addi %sb, %db : tensor<256x256xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x256x!tt.ptr<f32>>
  %pi = tt.addptr %ps, %i : tensor<256x256x!tt.ptr<f32>>, tensor<256x256xi32>
  %x = tt.load %pi : tensor<256x256x!tt.ptr<f32>>
// CHECK: :[[@LINE+1]]:8: error: expects the kernel's tiles to fit the 166912 bytes of shared memory of sm_80, but got 262144 bytes in function 'k'; use smaller tiles or fewer stages
  %t = tt.gather %x[%db] {axis = 0 : i32} : (tensor<256x256xf32>, tensor<256x256xi32>) -> tensor<256x256xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<256x256x!tt.ptr<f32>>
  %oi = tt.addptr %os, %i : tensor<256x256x!tt.ptr<f32>>, tensor<256x256xi32>
  tt.store %oi, %t : tensor<256x256x!tt.ptr<f32>>
  tt.return
}
