// RUN: tilewright-opt %s --tile-structure-control-flow --canonicalize | FileCheck %s

// CHECK-LABEL: @early_return
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[DONE:.*]]: i1, %[[V:.*]]: f32)
// CHECK-NOT: cf.
// CHECK: scf.if
// CHECK: tt.store %[[P]], %[[V]]
// CHECK-NOT: cf.
// CHECK: return
tt.func public @early_return(%p: !tt.ptr<f32>, %done: i1, %v: f32) {
  cf.cond_br %done, ^exit, ^rest
^rest:
  tt.store %p, %v : !tt.ptr<f32>
  cf.br ^exit
^exit:
  tt.return
}

// A tile in place of a block argument.
// CHECK-LABEL: @loop
// CHECK: %[[R:.*]]:2 = scf.while {{.*}} -> (i32, tensor<64xf32>)
// CHECK: return %[[R]]#1
tt.func private @loop(%n: i32, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0, %x : i32, tensor<64xf32>)
^head(%i: i32, %a: tensor<64xf32>):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %b = arith.addf %a, %x : tensor<64xf32>
  %i1 = arith.addi %i, %c1 : i32
  cf.br ^head(%i1, %b : i32, tensor<64xf32>)
^exit:
  tt.return %a : tensor<64xf32>
}

// Switches become branches.
// CHECK-LABEL: @switches
// CHECK-NOT: switch
// CHECK: scf.if
// CHECK: else
// CHECK: scf.if
// CHECK-NOT: switch
// CHECK: return
tt.func private @switches(%n: i32, %x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  cf.switch %n : i32, [
    default: ^exit(%x : i32),
    0: ^one,
    -5: ^two
  ]
^one:
  %a = arith.addi %x, %c1 : i32
  cf.br ^exit(%a : i32)
^two:
  %b = arith.addi %x, %c2 : i32
  cf.br ^exit(%b : i32)
^exit(%r: i32):
  tt.return %r : i32
}

// An endless loop.
// CHECK-LABEL: @endless
// CHECK: scf.while
// CHECK: return
tt.func public @endless(%p: !tt.ptr<i32>, %v: i32) {
  cf.br ^head
^head:
  tt.store %p, %v : !tt.ptr<i32>
  cf.br ^head
}

// CHECK-LABEL: @without_cases
// CHECK-SAME: %[[X:.*]]: index
// CHECK-NEXT: return %[[X]]
tt.func private @without_cases(%x: index) -> index {
  %r = scf.index_switch %x -> index
  default {
    scf.yield %x : index
  }
  tt.return %r : index
}
