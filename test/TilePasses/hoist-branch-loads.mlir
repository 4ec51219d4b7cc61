// RUN: tilewright-opt %s --tile-hoist-branch-loads --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --validate-passes --validate-report --tile-hoist-branch-loads --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// They compute the same before and after.
// SAME: 'blocks_of_map' was run on 3 inputs
// SAME: 'otherwise' was run on 3 inputs
// SAME: 'behind_store' was run on 3 inputs
// SAME: 'both' was run on 3 inputs

// The tile whose number a table gives, where a map says so.
// CHECK-LABEL: @blocks_of_map
// CHECK: scf.for
// CHECK: %[[TAKEN:.*]] = arith.cmpi ne
// CHECK: %[[NUMBER:.*]] = tt.load %{{.*}}, %[[TAKEN]] : !tt.ptr<i32>
// CHECK: %[[MASK:.*]] = tt.splat %[[TAKEN]] : i1 -> tensor<16x16xi1>
// CHECK: %[[TILE:.*]] = tt.load %{{.*}}, %[[MASK]] : tensor<16x16x!tt.ptr<f16>>
// CHECK: scf.if %[[TAKEN]]
// CHECK-NOT: tt.load
// CHECK: tt.dot %{{.*}}, %[[TILE]]
// CHECK: tt.return
// A loop of one stage keeps it.
// CHECK-LABEL: @one_stage
// CHECK: scf.if
// CHECK: tt.load
// CHECK: tt.dot

tt.func public @blocks_of_map(%x: !tt.ptr<f16>, %map: !tt.ptr<i32>, %table: !tt.ptr<i32>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c256 = arith.constant 256 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<0.5> : tensor<16x16xf16>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %r = arith.muli %rows, %c16 : tensor<16x1xi32>
  %rs = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rs, %cs : tensor<16x16xi32>
  %sum = scf.for %step = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32>) : i32 {
    %mp = tt.addptr %map, %step : !tt.ptr<i32>, i32
    %m = tt.load %mp : !tt.ptr<i32>
    %odd = arith.andi %m, %c1 : i32
    %taken = arith.cmpi ne, %odd, %c0 : i32
    %t = scf.if %taken -> (tensor<16x16xf32>) {
      %tp = tt.addptr %table, %step : !tt.ptr<i32>, i32
      %n = tt.load %tp : !tt.ptr<i32>
      %number = arith.andi %n, %c3 : i32
      %first = arith.muli %number, %c256 : i32
      %base = tt.addptr %x, %first : !tt.ptr<f16>, i32
      %bases = tt.splat %base : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
      %p = tt.addptr %bases, %o : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
      %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
      %d = tt.dot %a, %v, %s : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    } else {
      scf.yield %s : tensor<16x16xf32>
    }
    scf.yield %t : tensor<16x16xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %op, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

tt.func public @one_stage(%x: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<0.5> : tensor<16x16xf16>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %r = arith.muli %rows, %c16 : tensor<16x1xi32>
  %rs = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rs, %cs : tensor<16x16xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %p = tt.addptr %xs, %o : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %sum = scf.for %step = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32>) : i32 {
    %odd = arith.andi %step, %c1 : i32
    %taken = arith.cmpi ne, %odd, %c0 : i32
    %t = scf.if %taken -> (tensor<16x16xf32>) {
      %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
      %d = tt.dot %a, %v, %s : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    } else {
      scf.yield %s : tensor<16x16xf32>
    }
    scf.yield %t : tensor<16x16xf32>
  } {tt.num_stages = 1 : i32}
  tt.store %op, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// Products may be on the other side.
// CHECK-LABEL: @otherwise
// CHECK: scf.for
// CHECK: %[[TAKEN:.*]] = arith.cmpi eq
// CHECK: %[[MASK:.*]] = tt.splat %[[TAKEN]] : i1 -> tensor<16x16xi1>
// CHECK: tt.load %{{.*}}, %[[MASK]]
// CHECK: scf.if
// CHECK: tt.dot

tt.func public @otherwise(%x: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<0.5> : tensor<16x16xf16>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %r = arith.muli %rows, %c16 : tensor<16x1xi32>
  %rs = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rs, %cs : tensor<16x16xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %p = tt.addptr %xs, %o : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %sum = scf.for %step = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32>) : i32 {
    %odd = arith.andi %step, %c1 : i32
    %taken = arith.cmpi ne, %odd, %c0 : i32
    %t = scf.if %taken -> (tensor<16x16xf32>) {
      scf.yield %s : tensor<16x16xf32>
    } else {
      %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
      %d = tt.dot %a, %v, %s : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    }
    scf.yield %t : tensor<16x16xf32>
  }
  tt.store %op, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// What is stored before may be what is loaded.
// CHECK-LABEL: @behind_store
// CHECK: scf.if
// CHECK: tt.store
// CHECK: tt.load
// CHECK: tt.dot

tt.func public @behind_store(%x: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<0.5> : tensor<16x16xf16>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %r = arith.muli %rows, %c16 : tensor<16x1xi32>
  %rs = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rs, %cs : tensor<16x16xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %p = tt.addptr %xs, %o : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %sum = scf.for %step = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32>) : i32 {
    %odd = arith.andi %step, %c1 : i32
    %taken = arith.cmpi ne, %odd, %c0 : i32
    %t = scf.if %taken -> (tensor<16x16xf32>) {
      tt.store %op, %s : tensor<16x16x!tt.ptr<f32>>
      %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
      %d = tt.dot %a, %v, %s : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    } else {
      scf.yield %s : tensor<16x16xf32>
    }
    scf.yield %t : tensor<16x16xf32>
  }
  tt.store %op, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// Of two sides that load, one would load in vain in any case.
// CHECK-LABEL: @both
// CHECK: scf.if
// CHECK: tt.load
// CHECK: } else {
// CHECK: tt.load

tt.func public @both(%x: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<0.5> : tensor<16x16xf16>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %r = arith.muli %rows, %c16 : tensor<16x1xi32>
  %rs = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %rs, %cs : tensor<16x16xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %p = tt.addptr %xs, %o : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %sum = scf.for %step = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32>) : i32 {
    %odd = arith.andi %step, %c1 : i32
    %taken = arith.cmpi ne, %odd, %c0 : i32
    %t = scf.if %taken -> (tensor<16x16xf32>) {
      %v = tt.load %p : tensor<16x16x!tt.ptr<f16>>
      %d = tt.dot %a, %v, %s : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    } else {
      %w = tt.load %p : tensor<16x16x!tt.ptr<f16>>
      %e = tt.dot %a, %w, %s : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %e : tensor<16x16xf32>
    }
    scf.yield %t : tensor<16x16xf32>
  }
  tt.store %op, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
