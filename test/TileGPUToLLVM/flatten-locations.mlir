// RUN: tilewright-opt %s --flatten-locations --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tilewright compile %S/Inputs/inlined-assertion.mlir --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// Functions and globals have the line of the kernel that comes first in their
// locations: MLIR makes scopes of calls only within functions.

// CHECK: llvm.mlir.global {{.*}}@text("late\00") {{.*}}loc("kernel.py":7:3)
llvm.mlir.global internal constant @text("late\00") {addr_space = 1 : i32} loc(callsite("library.py":3:1 at "kernel.py":7:3))
// CHECK: llvm.func @kernel() {
// CHECK: llvm.return loc("kernel.py":8:3)
// CHECK: } loc("kernel.py":6:0)

// A helper in the kernel's own file keeps its lines, also where a library calls it.

// CHECK: llvm.func @helped() {
// CHECK: llvm.return loc("kernel.py":2:3)
llvm.func @kernel() {
  llvm.return loc(callsite("library.py":4:1 at "kernel.py":8:3))
} loc("kernel.py":6:0)
llvm.func @helped() {
  llvm.return loc(callsite(callsite("kernel.py":2:3 at "library.py":4:1) at "kernel.py":8:3))
} loc("kernel.py":6:0)

// PTX: __assertfail
