// The slow path of a function, a sine's large angle here, is copied to few calls
// and called by many: of 4 and of 32 elements of a thread.

// RUN: tilewright compile %s --target=sm_80 --num-warps=8 --emit=ptx -o - | FileCheck %s --check-prefix=FEW
// RUN: tilewright compile %s --target=sm_80 --num-warps=1 --emit=ptx -o - | FileCheck %s --check-prefix=MANY

// FEW-NOT: call.uni
// FEW: .entry sines
// FEW-COUNT-4: clz.b32
// FEW-NOT: {{clz.b32|call\.uni}}

// MANY: .func {{.*}} __tilewright_reduce_large_angle_f32(
// MANY: clz.b32
// MANY-NOT: clz.b32
// MANY: .entry sines
// MANY-COUNT-32: call.uni {{.*}}__tilewright_reduce_large_angle_f32
// MANY-NOT: {{clz.b32|call\.uni}}

// What it gives is what the copies give: the same bits.
// RUN: tilewright run %s --target=sm_80 --num-warps=8 --grid=1 --arg=random:1024xf32:1 --arg=%t.few.npy=zeros:1024xf32
// RUN: tilewright run %s --target=sm_80 --num-warps=1 --grid=1 --arg=random:1024xf32:1 --arg=zeros:1024xf32 --compare=1=%t.few.npy@0,0

tt.func public @sines(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %large = arith.constant dense<1.0e7> : tensor<1024xf32>
  %angle = arith.mulf %v, %large : tensor<1024xf32>
  %s = math.sin %angle : tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %s : tensor<1024x!tt.ptr<f32>>
  tt.return
}
