// RUN: tilewright-opt %s --tilewright-tile-to-tilegpu="target=sm_80 num-warps=4" | FileCheck %s
// RUN: tilewright compile %s --target=sm_80 --num-warps=4 --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// A loop's load may go to shared memory by cp.async, from which the scan reads
// its layout; a tile of 256 KiB, more than there is, goes to registers, and is
// converted in rounds.

// CHECK-LABEL: tt.func public @scan
// CHECK: scf.for
// CHECK-NOT: tilegpu.local_alloc
// CHECK: tt.load
// CHECK: tilegpu.convert_layout
// CHECK: "tt.scan"

// PTX-NOT: cp.async
// PTX: ld.global
// PTX: st.shared
// PTX: ld.shared
tt.func public @scan(%p: !tt.ptr<i64>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<128> : tensor<8192x4xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %e = tt.expand_dims %r {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %b = tt.broadcast %e : tensor<1x4xi32> -> tensor<8192x4xi32>
  %q = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32>
  %f = tt.expand_dims %q {axis = 1 : i32} : tensor<8192xi32> -> tensor<8192x1xi32>
  %k = tt.splat %n : i32 -> tensor<8192x1xi32>
  %g = arith.muli %f, %k : tensor<8192x1xi32>
  %h = tt.broadcast %g : tensor<8192x1xi32> -> tensor<8192x4xi32>
  %o = arith.addi %b, %h : tensor<8192x4xi32>
  %s = tt.splat %p : !tt.ptr<i64> -> tensor<8192x4x!tt.ptr<i64>>
  %first = tt.addptr %s, %o : tensor<8192x4x!tt.ptr<i64>>, tensor<8192x4xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first) -> (tensor<8192x4x!tt.ptr<i64>>) : i32 {
    %x = tt.load %a : tensor<8192x4x!tt.ptr<i64>>
    %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: i64, %v: i64):
      %w = arith.addi %u, %v : i64
      tt.scan.return %w : i64
    }) : (tensor<8192x4xi64>) -> tensor<8192x4xi64>
    tt.store %a, %y : tensor<8192x4x!tt.ptr<i64>>
    %next = tt.addptr %a, %step : tensor<8192x4x!tt.ptr<i64>>, tensor<8192x4xi32>
    scf.yield %next : tensor<8192x4x!tt.ptr<i64>>
  }
  tt.return
}
