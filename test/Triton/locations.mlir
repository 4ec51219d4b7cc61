// RUN: tilewright-opt %s --mlir-print-debuginfo | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-debuginfo | tilewright-opt --mlir-print-debuginfo | FileCheck %s

// The user's lines stay: aliases, names of variables, call sites, and the
// locations of arguments and of block arguments.

#loc = loc("kernel.py":3:0)
#loc1 = loc("kernel.py":5:14)
#loc2 = loc("standard.py":290:36)
#loc3 = loc(unknown)
#loc4 = loc("p"(#loc))
#loc5 = loc(callsite(#loc2 at #loc1))
#loc6 = loc("sum"(#loc5))

// CHECK-DAG: #[[KERNEL:loc[0-9]*]] = loc("kernel.py":3:0)
// CHECK-DAG: #[[LINE:loc[0-9]*]] = loc("kernel.py":5:14)
// CHECK-DAG: #[[CALLEE:loc[0-9]*]] = loc("standard.py":290:36)
// CHECK-DAG: #[[P:loc[0-9]*]] = loc("p"(#[[KERNEL]]))
// CHECK-DAG: #[[SITE:loc[0-9]*]] = loc(callsite(#[[CALLEE]] at #[[LINE]]))
// CHECK: tt.func public @kernel(%{{.*}}: tensor<64xf32> {tt.divisibility = 16 : i32} loc("p"(#[[KERNEL]]))) -> f32 attributes {noinline = false} {
// CHECK: ^bb0(%{{.*}}: f32 loc(callsite(#[[CALLEE]] at #[[LINE]])), %{{.*}}: f32 loc(unknown)):
// CHECK: tt.reduce.return %{{.*}} : f32 loc(#[[SITE]])
// CHECK: }) : (tensor<64xf32>) -> f32 loc(#[[SUM:loc[0-9]*]])
// CHECK: tt.return %{{.*}} : f32 loc(#[[LINE]])
// CHECK: #[[SUM]] = loc("sum"(#[[SITE]]))
module {
  tt.func public @kernel(%p: tensor<64xf32> {tt.divisibility = 16 : i32} loc("p"(#loc))) -> f32 attributes {noinline = false} {
    %0 = "tt.reduce"(%p) <{axis = 0 : i32}> ({
    ^bb0(%x: f32 loc(callsite(#loc2 at #loc1)), %y: f32 loc(unknown)):
      %z = arith.addf %x, %y : f32 loc(#loc5)
      tt.reduce.return %z : f32 loc(#loc5)
    }) : (tensor<64xf32>) -> f32 loc(#loc6)
    tt.return %0 : f32 loc(#loc1)
  } loc(#loc)
} loc(#loc)
