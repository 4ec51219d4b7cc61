// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Functions, calls, the grid, assertions and prints.

// CHECK-LABEL: @grid(
// CHECK: %{{.*}} = tt.get_program_id x : i32
// CHECK: %{{.*}} = tt.get_program_id y : i32
// CHECK: %{{.*}} = tt.get_program_id z : i32
// CHECK: %{{.*}} = tt.get_num_programs x : i32
// CHECK: %{{.*}} = tt.get_num_programs y : i32
// CHECK: %{{.*}} = tt.get_num_programs z : i32
tt.func @grid() {
  %0 = tt.get_program_id x : i32
  %1 = tt.get_program_id y : i32
  %2 = tt.get_program_id z : i32
  %3 = tt.get_num_programs x : i32
  %4 = tt.get_num_programs y : i32
  %5 = tt.get_num_programs z : i32
  tt.return
}

// CHECK-LABEL: @returns_two(
// CHECK: tt.return %{{.*}}, %{{.*}} : i32, tensor<4xf32>
tt.func @returns_two(%a: i32, %b: tensor<4xf32>) -> (i32, tensor<4xf32>) {
  tt.return %a, %b : i32, tensor<4xf32>
}

// CHECK-LABEL: @calls(
// CHECK: %{{.*}} = tt.call @returns_two(%{{.*}}, %{{.*}}) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>)
// CHECK: tt.call @grid() : () -> ()
// CHECK: tt.call @"a name (1,)"(%{{.*}}) : (i32) -> ()
tt.func @calls(%a: i32, %b: tensor<4xf32>) {
  %0:2 = tt.call @returns_two(%a, %b) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>)
  tt.call @grid() : () -> ()
  tt.call @"a name (1,)"(%a) : (i32) -> ()
  tt.return
}

// CHECK-LABEL: @asserts(
// CHECK: tt.assert %{{.*}}, "n \22quoted\22" : i1
// CHECK: tt.assert %{{.*}}, "msg" : tensor<64xi1>
tt.func @asserts(%c: i1, %t: tensor<64xi1>) {
  tt.assert %c, "n \22quoted\22" : i1
  tt.assert %t, "msg" : tensor<64xi1>
  tt.return
}

// CHECK-LABEL: @prints(
// CHECK: tt.print "x: " {hex = false, isSigned = array<i32: 0>} : %{{.*}} : tensor<64xf32>
// CHECK: tt.print "h" {hex = true, isSigned = array<i32: 1, 0, 0>} : %{{.*}}, %{{.*}}, %{{.*}} : i32, tensor<64xf32>, !tt.ptr<f16>
// CHECK: tt.print "only" {hex = false}
tt.func @prints(%x: tensor<64xf32>, %n: i32, %p: !tt.ptr<f16>) {
  tt.print "x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<64xf32>
  tt.print "h" {hex = true, isSigned = array<i32: 1, 0, 0>} : %n, %x, %p : i32, tensor<64xf32>, !tt.ptr<f16>
  tt.print "only" {hex = false}
  tt.return
}

// CHECK-LABEL: @early_return(
// CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}} : tensor<4xf32>), ^bb2
// CHECK: tt.return %{{.*}} : tensor<4xf32>
// CHECK: tt.return %{{.*}} : tensor<4xf32>
tt.func @early_return(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^done(%x : tensor<4xf32>), ^more
  ^done(%y: tensor<4xf32>):
  tt.return %y : tensor<4xf32>
  ^more:
  tt.return %x : tensor<4xf32>
}

// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME: %{{.*}}: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %{{.*}}: i32 {tt.divisibility = 16 : i32}
// CHECK-SAME: attributes {noinline = false}
tt.func public @kernel(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
  tt.return
}

// CHECK: tt.func private @"a name (1,)"(i32) attributes {noinline = true}
tt.func private @"a name (1,)"(i32) attributes {noinline = true}
