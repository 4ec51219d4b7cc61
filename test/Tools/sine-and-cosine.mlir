// The sine and the cosine of an angle reduce it once: each of a thread's two
// elements has one call for large angles.

// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// CHECK: .entry together
// CHECK-COUNT-2: call.uni {{.*}}reduce_large_angle
// CHECK-NOT: call.uni
// CHECK: .entry apart
// CHECK-COUNT-4: call.uni {{.*}}reduce_large_angle

// RUN: tilewright run %s --kernel=apart --device=emulator --arg=random:256xf32:3 --arg=%t.npy=poison:256xf32
// RUN: tilewright run %s --kernel=together --device=emulator --arg=random:256xf32:3 --arg=poison:256xf32 --compare=1=%t.npy

tt.func public @together(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %is = tt.splat %in : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %ip = tt.addptr %is, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %unit = tt.load %ip : tensor<256x!tt.ptr<f32>>
  %c = arith.constant dense<3.0e+5> : tensor<256xf32>
  %x = arith.mulf %unit, %c : tensor<256xf32>
  %s = math.sin %x : tensor<256xf32>
  %d = math.cos %x : tensor<256xf32>
  %r = arith.subf %s, %d : tensor<256xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %r : tensor<256x!tt.ptr<f32>>
  tt.return
}

// What comes of an instruction may be any angle.
tt.func public @apart(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %is = tt.splat %in : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %ip = tt.addptr %is, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %unit = tt.load %ip : tensor<256x!tt.ptr<f32>>
  %c = arith.constant dense<3.0e+5> : tensor<256xf32>
  %x = arith.mulf %unit, %c : tensor<256xf32>
  %s = math.sin %x : tensor<256xf32>
  %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<256xf32> -> tensor<256xf32>
  %d = math.cos %y : tensor<256xf32>
  %r = arith.subf %s, %d : tensor<256xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %r : tensor<256x!tt.ptr<f32>>
  tt.return
}
