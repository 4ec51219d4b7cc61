// Sums of floats go to memory 16 bytes at a time where the target has that; in
// words elsewhere.

// RUN: tilewright compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,AMPERE

// CHECK-LABEL: .entry floats(
// HOPPER: red.relaxed.gpu.global.add.v4.f32 [%rd{{[0-9]+}}], {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}};
// AMPERE: red.relaxed.gpu.global.add.f32 [%rd{{[0-9]+}}], %r{{[0-9]+}};
tt.func public @floats(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %v = arith.constant dense<1.0> : tensor<1024xf32>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %w = tt.load %b : tensor<1024x!tt.ptr<f32>>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %a, %w : (tensor<1024x!tt.ptr<f32>>, tensor<1024xf32>) -> tensor<1024xf32>
  tt.return
}

// CHECK-LABEL: .entry halves(
// HOPPER: red.relaxed.gpu.global.add.noftz.v4.f16x2 [%rd{{[0-9]+}}], {{{.*}}};
// AMPERE: red.relaxed.gpu.global.add.noftz.f16x2 [%rd{{[0-9]+}}], %r{{[0-9]+}};
tt.func public @halves(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %v = arith.constant dense<1.0> : tensor<1024xf16>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %t = tt.splat %q : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %b = tt.addptr %t, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %w = tt.load %b : tensor<1024x!tt.ptr<f16>>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %a, %w : (tensor<1024x!tt.ptr<f16>>, tensor<1024xf16>) -> tensor<1024xf16>
  tt.return
}

// CHECK-LABEL: .entry brain_halves(
// HOPPER: red.relaxed.gpu.global.add.noftz.v4.bf16x2
// AMPERE: atom.relaxed.gpu.global.cas.b32
tt.func public @brain_halves(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %v = arith.constant dense<1.0> : tensor<1024xbf16>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %t = tt.splat %q : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %b = tt.addptr %t, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %w = tt.load %b : tensor<1024x!tt.ptr<bf16>>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %a, %w : (tensor<1024x!tt.ptr<bf16>>, tensor<1024xbf16>) -> tensor<1024xbf16>
  tt.return
}

// The instruction has no form for f64.
// CHECK-LABEL: .entry doubles(
// CHECK: red.relaxed.gpu.global.add.f64
tt.func public @doubles(%p: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %v = arith.constant dense<1.0> : tensor<1024xf64>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
  %t = tt.splat %q : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
  %b = tt.addptr %t, %r : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
  %w = tt.load %b : tensor<1024x!tt.ptr<f64>>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %a, %w : (tensor<1024x!tt.ptr<f64>>, tensor<1024xf64>) -> tensor<1024xf64>
  tt.return
}

// With a result, and a mask that 16 bytes share.
// CHECK-LABEL: .entry masked_result(
// HOPPER: mov.b32 %r{{[0-9]+}}, 0;
// HOPPER: @%p{{[0-9]+}} atom.relaxed.gpu.global.add.v4.f32 {{{.*}}}, [%rd{{[0-9]+}}], {{{.*}}};
// AMPERE: @%p{{[0-9]+}} atom.relaxed.gpu.global.add.f32
tt.func public @masked_result(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %v = arith.constant dense<1.0> : tensor<1024xf32>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %c = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %c : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %w = tt.load %b : tensor<1024x!tt.ptr<f32>>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %a, %w, %m : (tensor<1024x!tt.ptr<f32>>, tensor<1024xf32>, tensor<1024xi1>) -> tensor<1024xf32>
  tt.store %b, %o : tensor<1024x!tt.ptr<f32>>
  tt.return
}
