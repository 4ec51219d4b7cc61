// RUN: tilewright compile %s --emit=ptx -o - | FileCheck %s
// RUN: sed 's/256x/524288x/g; s/end = 256/end = 524288/' %s > %t.mlir
// RUN: tilewright compile %t.mlir --emit=ptx -o - | FileCheck %t.mlir --check-prefix=LONG

// Arithmetic in halves goes in pairs, but not where a block is so long that
// LLVM would take minutes to find them.

// CHECK: fma.rn.f16x2
// LONG-NOT: f16x2
// LONG: fma.rn.f16
// LONG-NOT: f16x2
tt.func @k(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %all = tt.splat %p : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
  %a = tt.addptr %all, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
  %x = tt.load %a : tensor<256x!tt.ptr<f16>>
  %y = math.fma %x, %x, %x : tensor<256xf16>
  tt.store %a, %y : tensor<256x!tt.ptr<f16>>
  tt.return
}
