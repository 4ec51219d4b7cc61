// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" | FileCheck %s

// A loop may give a scalar before a tile.
// CHECK-LABEL: tt.func @scalar_first
// CHECK: scf.while ({{.*}}) : (i32, tensor<64xi32, [[LAYOUT:#[a-z0-9_]+]]>) -> (i32, tensor<64xi32, [[LAYOUT]]>)
tt.func @scalar_first(%out: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %one = arith.constant 1 : i32
  %count, %tile = scf.while (%c = %one, %t = %i) : (i32, tensor<64xi32>) -> (i32, tensor<64xi32>) {
    %more = arith.cmpi slt, %c, %n : i32
    scf.condition(%more) %c, %t : i32, tensor<64xi32>
  } do {
  ^bb0(%c: i32, %t: tensor<64xi32>):
    %next = arith.addi %c, %one : i32
    %sum = arith.addi %t, %i : tensor<64xi32>
    scf.yield %next, %sum : i32, tensor<64xi32>
  }
  %ps = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %p, %tile : tensor<64x!tt.ptr<i32>>
  tt.return
}

// A reduction may have constants of several widths.
// CHECK-LABEL: tt.func @widths
// CHECK: "tt.reduce"
tt.func @widths(%out: !tt.ptr<i16>) {
  %true = arith.constant dense<true> : tensor<128xi1>
  %five = arith.constant dense<5> : tensor<128xi16>
  %r:2 = "tt.reduce"(%true, %five) <{axis = 0 : i32}> ({
  ^bb0(%a: i1, %x: i16, %b: i1, %y: i16):
    %c = arith.andi %a, %b : i1
    %z = arith.addi %x, %y : i16
    tt.reduce.return %c, %z : i1, i16
  }) : (tensor<128xi1>, tensor<128xi16>) -> (i1, i16)
  tt.store %out, %r#1, %r#0 : !tt.ptr<i16>
  tt.return
}
