// RUN: tilewright-opt %s --tile-predicate-branches --split-input-file --verify-diagnostics

// Lanes take the same way through what they combine by.
tt.func public @stores(%x: tensor<64xi32>, %p: !tt.ptr<i32>) {
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%u: i32, %v: i32):
    %less = arith.cmpi slt, %u, %v : i32
    // expected-error @+1 {{'scf.if' op expects a region of tt.scan to compute without loops, and without branches that store or divide, but got this one; arith.select chooses between values}}
    %w = scf.if %less -> (i32) {
      tt.store %p, %u : !tt.ptr<i32>
      scf.yield %v : i32
    } else {
      scf.yield %u : i32
    }
    tt.scan.return %w : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return
}

// -----

tt.func public @loops(%x: tensor<64xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %y = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%u: i32, %v: i32):
    // expected-error @+1 {{'scf.for' op expects a region of tt.reduce to compute without loops}}
    %w = scf.for %i = %c0 to %v step %c1 iter_args(%s = %u) -> (i32) : i32 {
      %t = arith.addi %s, %i : i32
      scf.yield %t : i32
    }
    tt.reduce.return %w : i32
  }) : (tensor<64xi32>) -> i32
  tt.return
}
