// RUN: tilewright-opt %s --tilegpu-unroll-streaming-loops | FileCheck %s

// Loops that only load and compute are unrolled, so that loads of several
// iterations are on their way at a time.

#row = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
#wide = #tilegpu.blocked<elements = [32], threads = [32], warps = [4], order = [0]>
#rows = #tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [4, 1], order = [1, 0]>
#ofRows = #tilegpu.slice<dim = 1, parent = #rows>
#ofColumns = #tilegpu.slice<dim = 0, parent = #rows>
!pointers = tensor<512x!tt.ptr<f32>, #row>
!numbers = tensor<512xf32, #row>
!many = tensor<4096x!tt.ptr<f32>, #wide>
!wide = tensor<4096xf32, #wide>
module attributes {tilegpu.target = "sm_80"} {

// 24 iterations of four registers, by eight; the condition for the first one is
// computed.
// CHECK-LABEL: @by_eight
// CHECK: scf.for
// CHECK-COUNT-8: tt.load
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func @by_eight(%p: !pointers) -> !numbers {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c24 = arith.constant 24 : i32
  %zero = arith.constant dense<0.0> : !numbers
  %sum = scf.for %i = %c0 to %c24 step %c1 iter_args(%a = %zero) -> (!numbers) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #row>
    %q = tt.addptr %p, %at : !pointers, tensor<512xi32, #row>
    %x = tt.load %q : !pointers
    %isFirst = arith.cmpi eq, %i, %c0 : i32
    %y = scf.if %isFirst -> (!numbers) {
      scf.yield %x : !numbers
    } else {
      %z = arith.addf %a, %x : !numbers
      scf.yield %z : !numbers
    }
    scf.yield %y : !numbers
  }
  tt.return %sum : !numbers
}

// By the largest divisor: of 15 iterations by five.
// CHECK-LABEL: @by_a_divisor
// CHECK: scf.for
// CHECK-COUNT-5: tt.load
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func @by_a_divisor(%p: !pointers) -> !numbers {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c15 = arith.constant 15 : i32
  %zero = arith.constant dense<0.0> : !numbers
  %sum = scf.for %i = %c0 to %c15 step %c1 iter_args(%a = %zero) -> (!numbers) : i32 {
    %at = tt.splat %i : i32 -> tensor<512xi32, #row>
    %q = tt.addptr %p, %at : !pointers, tensor<512xi32, #row>
    %x = tt.load %q : !pointers
    %z = arith.addf %a, %x : !numbers
    scf.yield %z : !numbers
  }
  tt.return %sum : !numbers
}

// As many registers as there may be are loaded in an iteration, or it stores, or
// nobody knows how many iterations there are.
// CHECK-LABEL: @stay
// CHECK-COUNT-3: tt.load
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func @stay(%p: !many, %q: !pointers, %out: !pointers, %n: i32) -> (!wide, !numbers) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : !wide
  %zero = arith.constant dense<0.0> : !numbers
  %a = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zeros) -> (!wide) : i32 {
    %x = tt.load %p : !many
    %z = arith.addf %s, %x : !wide
    scf.yield %z : !wide
  }
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    %x = tt.load %q : !pointers
    tt.store %out, %x : !pointers
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (!numbers) : i32 {
    %x = tt.load %q : !pointers
    %z = arith.addf %s, %x : !numbers
    scf.yield %z : !numbers
  }
  tt.return %a, %b : !wide, !numbers
}

// What lanes of a warp exchange does not hold back loads, ...
// CHECK-LABEL: @within_warps
// CHECK: scf.for
// CHECK-COUNT-8: tt.load
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func @within_warps(%p: tensor<4x32x!tt.ptr<f32>, #rows>) -> tensor<4xf32, #ofRows> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c24 = arith.constant 24 : i32
  %zero = arith.constant dense<0.0> : tensor<4xf32, #ofRows>
  %sum = scf.for %i = %c0 to %c24 step %c1 iter_args(%a = %zero) -> (tensor<4xf32, #ofRows>) : i32 {
    %at = tt.splat %i : i32 -> tensor<4x32xi32, #rows>
    %q = tt.addptr %p, %at : tensor<4x32x!tt.ptr<f32>, #rows>, tensor<4x32xi32, #rows>
    %x = tt.load %q : tensor<4x32x!tt.ptr<f32>, #rows>
    %most = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %m = arith.maxnumf %l, %r : f32
      tt.reduce.return %m : f32
    }) : (tensor<4x32xf32, #rows>) -> tensor<4xf32, #ofRows>
    %z = arith.addf %a, %most : tensor<4xf32, #ofRows>
    scf.yield %z : tensor<4xf32, #ofRows>
  }
  tt.return %sum : tensor<4xf32, #ofRows>
}

// ... but warps meet at a barrier.
// CHECK-LABEL: @across_warps
// CHECK: tt.load
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func @across_warps(%p: tensor<4x32x!tt.ptr<f32>, #rows>) -> tensor<32xf32, #ofColumns> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c24 = arith.constant 24 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32, #ofColumns>
  %sum = scf.for %i = %c0 to %c24 step %c1 iter_args(%a = %zero) -> (tensor<32xf32, #ofColumns>) : i32 {
    %at = tt.splat %i : i32 -> tensor<4x32xi32, #rows>
    %q = tt.addptr %p, %at : tensor<4x32x!tt.ptr<f32>, #rows>, tensor<4x32xi32, #rows>
    %x = tt.load %q : tensor<4x32x!tt.ptr<f32>, #rows>
    %most = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %m = arith.maxnumf %l, %r : f32
      tt.reduce.return %m : f32
    }) : (tensor<4x32xf32, #rows>) -> tensor<32xf32, #ofColumns>
    %z = arith.addf %a, %most : tensor<32xf32, #ofColumns>
    scf.yield %z : tensor<32xf32, #ofColumns>
  }
  tt.return %sum : tensor<32xf32, #ofColumns>
}

}
