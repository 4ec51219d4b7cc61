// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright compile %s --target=sm_70 --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s

// The emulator rounds approximations as well as it can, so that only the
// instruction's name tells that a result is correctly rounded on a GPU.

// CHECK: .entry precise(
// CHECK: sqrt.rn.f32
// CHECK: div.rn.f32
// CHECK: sqrt.rn.f64
// CHECK: div.rn.f64
tt.func public @precise(%p: !tt.ptr<f32>, %q: !tt.ptr<f64>, %x: f32, %y: f64) {
  %0 = tt.precise_sqrt %x : f32
  tt.store %p, %0 : !tt.ptr<f32>
  %1 = tt.precise_divf %x, %0 : f32
  tt.store %p, %1 : !tt.ptr<f32>
  %2 = tt.precise_sqrt %y : f64
  tt.store %q, %2 : !tt.ptr<f64>
  %3 = tt.precise_divf %y, %2 : f64
  tt.store %q, %3 : !tt.ptr<f64>
  tt.return
}
