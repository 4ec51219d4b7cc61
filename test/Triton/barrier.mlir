// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --tile-structure-control-flow | FileCheck %s --check-prefix=PLAIN
// RUN: not tilewright-opt %S/Inputs/unknown-space.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: expects all, none, local, global_read, global_write, tensor_read or tensor_write, but got everything

// CHECK-LABEL: @barriers
// CHECK-NEXT: ttg.barrier all
// CHECK-NEXT: ttg.barrier local|global_read
// PLAIN-LABEL: @barriers
// PLAIN-COUNT-2: gpu.barrier
tt.func @barriers() {
  ttg.barrier all
  ttg.barrier local|global_read
  tt.return
}
