// RUN: tilewright-opt %s --test-print-axis-info -o /dev/null 2>&1 | FileCheck %s

// A tile that goes through shared memory to another layout is the same tile: a
// mask stays one for the elements of a vector.

#row = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#turned = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32], [64]]>
module attributes {tilegpu.target = "sm_80"} {

// CHECK-LABEL: @exchanged
// CHECK: arith.cmpi: contiguity = [1], divisibility = [1], constancy = [16]
// CHECK: tilegpu.local_load: contiguity = [1], divisibility = [1], constancy = [16]
tt.func @exchanged(%n: i32 {tt.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #row>
  %bound = tt.splat %n : i32 -> tensor<128xi32, #row>
  %mask = arith.cmpi slt, %i, %bound : tensor<128xi32, #row>
  %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<128xi1, #shared, mutable>
  tilegpu.local_store %mask, %m : tensor<128xi1, #row> -> <128xi1, #shared, mutable>
  tilegpu.barrier shared
  %turned = tilegpu.local_load %m : <128xi1, #shared, mutable> -> tensor<128xi1, #turned>
  tt.return
}

// CHECK-LABEL: @at_once
// CHECK: tilegpu.local_load: contiguity = [128], divisibility = [1073741824], constancy = [1], non-negative
tt.func @at_once() attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #row>
  %m = tilegpu.local_alloc %i : (tensor<128xi32, #row>) -> !tilegpu.memdesc<128xi32, #shared>
  tilegpu.barrier shared
  %turned = tilegpu.local_load %m : <128xi32, #shared> -> tensor<128xi32, #turned>
  tt.return
}

// Of two writers, it is not known which.
// CHECK-LABEL: @two_writers
// CHECK: tilegpu.local_load: contiguity = [1], divisibility = [1], constancy = [1]{{$}}
tt.func @two_writers() attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #row>
  %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<128xi32, #shared, mutable>
  tilegpu.local_store %i, %m : tensor<128xi32, #row> -> <128xi32, #shared, mutable>
  tilegpu.barrier shared
  tilegpu.local_store %i, %m : tensor<128xi32, #row> -> <128xi32, #shared, mutable>
  tilegpu.barrier shared
  %turned = tilegpu.local_load %m : <128xi32, #shared, mutable> -> tensor<128xi32, #turned>
  tt.return
}

}
