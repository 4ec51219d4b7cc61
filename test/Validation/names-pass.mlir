// RUN: not tilewright-opt %s --validate-passes --canonicalize --test-miscompile --cse -o /dev/null 2>&1 | FileCheck %s
// RUN: not tilewright-opt %s --validate-passes --canonicalize --test-miscompile=mistake=unmask --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNMASK
// RUN: not tilewright-opt %s --validate-passes --canonicalize --test-miscompile=mistake=remove --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMOVE
// RUN: tilewright-opt %s --test-miscompile -o /dev/null
// RUN: not tilewright-opt %s --validate-passes --tilewright-tile --tilewright-tile-to-tilegpu --test-miscompile=mistake=unmask --tilewright-tilegpu -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNMASK

// The pass that changes what a kernel computes is named, at the kernel, once;
// passes before and after it are not.

// CHECK-NOT: error
// CHECK: names-pass.mlir:[[#@LINE+9]]:1: error: pass 'test-miscompile' changes what 'add' computes: expects {{.*}} as element {{.*}} of 'argument 1', but got
// CHECK-NEXT: tt.func
// CHECK-NEXT: ^
// CHECK-NEXT: note: with seed 1, grid {{.*}}, argument 0: {{.*}} elements, argument 1: {{.*}} elements, argument 2 =
// CHECK-NOT: error

// UNMASK: error: pass 'test-miscompile' changes what 'add' computes: expects {{.*}}
// REMOVE: error: pass 'test-miscompile' removes kernel 'add'

tt.func @add(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %bound = tt.splat %n : i32 -> tensor<32xi32>
  %mask = arith.cmpi slt, %i, %bound : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %xs, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %p, %mask : tensor<32x!tt.ptr<i32>>
  %sum = arith.addi %v, %i : tensor<32xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %q = tt.addptr %outs, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %q, %sum, %mask : tensor<32x!tt.ptr<i32>>
  tt.return
}
