// What is not needed for the code to have an exponential goes: the loop, the
// branch, the sum, the second store, the places' distances, and what the
// arguments promise. The load stays: the exponential of a constant folds.

// RUN: tilewright-reduce %s -o %t --reduction-tree="test=%S/Inputs/says.sh test-arg=ex2.approx,tilewright,compile,--emit=ptx,-o,- traversal-mode=0"
// RUN: FileCheck %s < %t
// RUN: not %S/Inputs/says.sh ex2.approx tilewright compile --emit=ptx -o - %t
// RUN: not tilewright-reduce %s -o %t.none --reduction-tree="test=%S/Inputs/says.sh test-arg=mma.sync,tilewright,compile,--emit=ptx,-o,- traversal-mode=0" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: tilewright-reduce: warning: {{.*}}will not be reduced

// CHECK: tt.func public @kernel(
// CHECK-NOT: divisibility
// CHECK-NOT: {{scf|tt.addptr|arith.addf}}
// CHECK: %[[LOADED:.*]] = tt.load
// CHECK-NEXT: %[[RESULT:.*]] = math.exp2 %[[LOADED]]
// CHECK-NEXT: %[[PLACES:.*]] = tt.splat
// CHECK-NEXT: tt.store %[[PLACES]], %[[RESULT]]
// CHECK-NEXT: tt.return
tt.func public @kernel(%source: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %to: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %limit = tt.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<128xi32>
  %from = tt.splat %source : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %pointers = tt.addptr %from, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128xf32>) : i32 {
    %loaded = tt.load %pointers, %mask : tensor<128x!tt.ptr<f32>>
    %exponential = math.exp2 %loaded : tensor<128xf32>
    %next = arith.addf %sum, %exponential : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %positive = arith.cmpi sgt, %n, %c0 : i32
  %chosen = scf.if %positive -> (tensor<128xf32>) {
    scf.yield %sum : tensor<128xf32>
  } else {
    scf.yield %zero : tensor<128xf32>
  }
  %out = tt.splat %to : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %places = tt.addptr %out, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %places, %chosen, %mask : tensor<128x!tt.ptr<f32>>
  tt.store %from, %zero : tensor<128x!tt.ptr<f32>>
  tt.return
}
