// Copies that run ahead of a loop do not run beyond its end. Where its bound
// might overflow, their masks are loop-carried conditions: four programs of four
// iterations, three of them ahead, read 4 x (4 x 2 x 8 KB) and store 4 x 16 KB.

// RUN: tilewright compile %s --target=sm_80 --num-warps=4 --num-stages=4 --emit=estimate --launch=1x4,size=1024 -o - | FileCheck %s

// CHECK-LABEL: product:
// CHECK: 0.3277 MB to and from memory
// CHECK: loop at {{.*}}: 4 iterations of
tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %size: i32 loc("size")) {
  %c64 = arith.constant 64 : i32
  %c256 = arith.constant 256 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %deep = arith.constant dense<1024> : tensor<64x1xi32>
  %wide = arith.constant dense<64> : tensor<64x1xi32>
  %part = tt.get_program_id y : i32
  %first = arith.muli %part, %c256 : i32
  %behind = arith.addi %first, %c256 : i32
  %last = arith.minsi %behind, %size : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %along = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %rowsOfA = arith.muli %rows, %deep : tensor<64x1xi32>
  %downA = tt.broadcast %rowsOfA : tensor<64x1xi32> -> tensor<64x64xi32>
  %offsetsA = arith.addi %downA, %along : tensor<64x64xi32>
  %rowsOfB = arith.muli %rows, %wide : tensor<64x1xi32>
  %downB = tt.broadcast %rowsOfB : tensor<64x1xi32> -> tensor<64x64xi32>
  %offsetsB = arith.addi %downB, %along : tensor<64x64xi32>
  %sum = scf.for %k = %first to %last step %c64 iter_args(%before = %zeros) -> (tensor<64x64xf32>) : i32 {
    %beginA = tt.addptr %a, %k : !tt.ptr<f16>, i32
    %startsA = tt.splat %beginA : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %fromA = tt.addptr %startsA, %offsetsA : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %skipped = arith.muli %k, %c64 : i32
    %beginB = tt.addptr %b, %skipped : !tt.ptr<f16>, i32
    %startsB = tt.splat %beginB : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %fromB = tt.addptr %startsB, %offsetsB : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %left = tt.load %fromA : tensor<64x64x!tt.ptr<f16>>
    %right = tt.load %fromB : tensor<64x64x!tt.ptr<f16>>
    %after = tt.dot %left, %right, %before : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %after : tensor<64x64xf32>
  }
  %c4096 = arith.constant 4096 : i32
  %place = arith.muli %part, %c4096 : i32
  %out = tt.addptr %c, %place : !tt.ptr<f32>, i32
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %to = tt.addptr %outs, %offsetsB : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %to, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
