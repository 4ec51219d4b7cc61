// What tilegpu prints, it takes: the code is the same. What is no tilegpu IR, though
// it names a target, is refused at the place.

// RUN: tilewright compile %S/../Corpus/fused_softmax_f16_1024.ttir --target=sm_80 --emit=ptx -o %t.ptx
// RUN: tilewright compile %S/../Corpus/fused_softmax_f16_1024.ttir --target=sm_80 --emit=tilegpu -o %t.mlir
// RUN: tilewright compile %t.mlir --target=sm_80 --emit=ptx -o - | diff %t.ptx -
// RUN: split-file %s %t
// RUN: not tilewright compile %t/layout.mlir --target=sm_80 --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not tilewright compile %t/foreign.mlir --target=sm_80 --emit=artifact -o - 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not tilewright compile %t/warps.mlir --target=sm_80 --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=WARPS

// LAYOUT: layout.mlir:3:8: error: expects every tile to have a layout in a module with tilegpu.target, which is tilegpu IR, but got 'tensor<64xi32>'
// FOREIGN: foreign.mlir:2:1: error: expects an operation of the dialects tt, tilegpu, arith, math, scf, cf or ub in tilegpu IR, but got 'llvm.func'
// WARPS: warps.mlir:2:1: error: 'tt.func' op expects the attribute tilegpu.num_warps

//--- layout.mlir
module attributes {tilegpu.target = "sm_80"} {
tt.func public @f() attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  tt.return
}
}
//--- foreign.mlir
module attributes {tilegpu.target = "sm_80"} {
llvm.func @f() attributes {nvvm.kernel} {
  llvm.return
}
}
//--- warps.mlir
module attributes {tilegpu.target = "sm_80"} {
tt.func public @f() {
  tt.return
}
}
