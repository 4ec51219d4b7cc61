// A copy is bound by memory, and its bytes are counted: 2 x 64 MB for 16384
// programs of 1024 floats.

// RUN: tilewright compile %s --target=sm_80 --emit=estimate --launch=16384,size=16777216 -o - | FileCheck %s
// RUN: tilewright compile %s --target=sm_80 --emit=estimate --launch=16384 -o - | FileCheck %s
// CHECK: estimate for sm_80 code on A100, grid 16384x1x1
// CHECK-NEXT: copy: {{7[0-9].*}} us, bound by memory
// CHECK-NEXT: 4 warps, {{[0-9]+}} registers (estimated), 0 bytes of shared memory, 16 CTAs a multiprocessor, 9.48 waves
// CHECK: memory{{ +}}74.38 us
// CHECK: 134.2 MB to and from memory, 134.2 MB to and from the L2

// The code for one GPU on a faster one.
// RUN: tilewright compile %s --target=sm_80 --gpu=h200 --emit=estimate --launch=16384 -o - | FileCheck %s --check-prefix=H200
// H200: sm_80 code on H200
// H200-NEXT: copy: {{3[0-9].*}} us, bound by memory

// Where the mask lets nothing through nothing is moved.
// RUN: tilewright compile %s --target=sm_80 --emit=estimate --launch=16384,size=0 -o - | FileCheck %s --check-prefix=EMPTY
// EMPTY: 0 MB to and from memory, 0 MB to and from the L2

// Of all programs that copy the same bytes the L2 has them for all but one.
// RUN: tilewright compile %s --target=sm_80 --emit=estimate-json --launch=1x16384 -o - | FileCheck %s --check-prefix=SAME
// SAME: "l2_bytes": 134217728
// SAME: "memory_bytes": 8192

// A launch that does next to nothing takes what launching takes.
// RUN: tilewright compile %s --target=sm_80 --emit=estimate --launch=1 -o - | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: copy: 1.{{.*}} us, bound by the launch

module {
  tt.func public @copy(%from: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %to: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %size: i32 {tt.divisibility = 16 : i32} loc("size")) {
    %block = arith.constant 1024 : i32
    %program = tt.get_program_id x : i32
    %first = arith.muli %program, %block : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %spread = tt.splat %first : i32 -> tensor<1024xi32>
    %place = arith.addi %spread, %range : tensor<1024xi32>
    %end = tt.splat %size : i32 -> tensor<1024xi32>
    %inside = arith.cmpi slt, %place, %end : tensor<1024xi32>
    %sources = tt.splat %from : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %source = tt.addptr %sources, %place : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %value = tt.load %source, %inside : tensor<1024x!tt.ptr<f32>>
    %targets = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %target = tt.addptr %targets, %place : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %target, %value, %inside : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
