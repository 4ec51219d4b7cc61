// RUN: tilewright-opt %s --tile-unwrap-indices | FileCheck %s

// Rows of A that wrap around, and columns of B that are 0 behind the bound, are masked:
// no store shows them.
// CHECK-LABEL: @product(
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK-NOT: arith.remsi
// CHECK-NOT: arith.select
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = tt.expand_dims %[[BELOW]] {axis = 1 : i32} : tensor<64xi1>
// CHECK: %[[ROW_MASK:.*]] = tt.broadcast %[[ROW]] : tensor<64x1xi1> -> tensor<64x32xi1>
// CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[ROW_MASK]]
// CHECK: tt.load %{{.*}}, %[[BOTH]], %{{.*}} : tensor<64x32x!tt.ptr<f16>>
// CHECK: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<128xi1>
// CHECK: %[[COLUMN_MASK:.*]] = tt.broadcast %{{.*}} : tensor<1x128xi1> -> tensor<32x128xi1>
// CHECK: tt.load %{{.*}}, %[[COLUMN_MASK]] : tensor<32x128x!tt.ptr<f16>>

// Not where a store shows the rows, or others are made of them: the store has no mask,
// or another bound; rows are summed; what was loaded is an address.
// RUN: sed -e "s/tt.store %q, %h, %ok/tt.store %q, %h/" %s | tilewright-opt --tile-unwrap-indices | FileCheck %s --check-prefix=SEEN
// RUN: sed -e "s/arith.cmpi slt, %row, %ms/arith.cmpi sle, %row, %ms/" %s | tilewright-opt --tile-unwrap-indices | FileCheck %s --check-prefix=ROWS
// RUN: sed -e "s/%ms = tt.splat %m /%ms = tt.splat %n /" %s | tilewright-opt --tile-unwrap-indices | FileCheck %s --check-prefix=ROWS
// RUN: sed -e "s/%h = .*/%h0 = arith.truncf %result : tensor<64x128xf32> to tensor<64x128xf16> %reduced = \"tt.reduce\"(%h0) <{axis = 0 : i32}> ({ ^bb0(%l: f16, %o: f16): %r9 = arith.addf %l, %o : f16 tt.reduce.return %r9 : f16 }) : (tensor<64x128xf16>) -> tensor<128xf16> %hs = tt.expand_dims %reduced {axis = 0 : i32} : tensor<128xf16> -> tensor<1x128xf16> %h = tt.broadcast %hs : tensor<1x128xf16> -> tensor<64x128xf16>/" %s | tilewright-opt --tile-unwrap-indices | FileCheck %s --check-prefix=ROWS
// RUN: sed -e "s/%va = .*/%vi = tt.load %fa, %ka, %za : tensor<64x32x!tt.ptr<f16>> %vw = arith.fptosi %vi : tensor<64x32xf16> to tensor<64x32xi32> %fx = tt.addptr %fa, %vw : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32> %va = tt.load %fx, %ka, %za : tensor<64x32x!tt.ptr<f16>>/" %s | tilewright-opt --tile-unwrap-indices | FileCheck %s --check-prefix=ROWS
// An index behind the bound may be divided (groups of columns that share a scale),
// and not be divided by.
// RUN: sed -e "s/%down = .*/%dq = arith.divsi %wr, %ks : tensor<64x1xi32> %down = arith.muli %dq, %ks : tensor<64x1xi32>/" %s | tilewright-opt --tile-unwrap-indices | FileCheck %s --check-prefix=DIVIDED
// RUN: sed -e "s/%down = .*/%down = arith.divsi %ks, %wr : tensor<64x1xi32>/" %s | tilewright-opt --tile-unwrap-indices | FileCheck %s --check-prefix=ROWS
// DIVIDED-NOT: arith.remsi
// DIVIDED: arith.divsi
// DIVIDED-NOT: arith.remsi
// SEEN: arith.remsi
// SEEN: arith.select
// ROWS: arith.remsi
// ROWS-NOT: arith.select

tt.func public @product(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f16>, %m: i32, %n: i32, %k: i32, %x: i32, %y: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0> : tensor<128xi32>
  %za = arith.constant dense<0.0> : tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r128 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %bm = arith.muli %x, %c64 : i32
  %bn = arith.muli %y, %c128 : i32
  %bms = tt.splat %bm : i32 -> tensor<64xi32>
  %bns = tt.splat %bn : i32 -> tensor<128xi32>
  %rows = arith.addi %bms, %r64 : tensor<64xi32>
  %columns = arith.addi %bns, %r128 : tensor<128xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %n1 = tt.splat %n : i32 -> tensor<128xi32>
  %wrapped = arith.remsi %rows, %m1 {tt.contiguity = dense<64> : tensor<1xi32>} : tensor<64xi32>
  %inside = arith.cmpi slt, %columns, %n1 : tensor<128xi32>
  %chosen = arith.select %inside, %columns, %none : tensor<128xi1>, tensor<128xi32>
  %wr = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ks = tt.splat %k : i32 -> tensor<64x1xi32>
  %down = arith.muli %wr, %ks : tensor<64x1xi32>
  %downs = tt.broadcast %down : tensor<64x1xi32> -> tensor<64x32xi32>
  %kr = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %krs = tt.broadcast %kr : tensor<1x32xi32> -> tensor<64x32xi32>
  %oa = arith.addi %downs, %krs : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %ia = tt.addptr %as, %oa : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %kc = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ns = tt.splat %n : i32 -> tensor<32x1xi32>
  %kd = arith.muli %kc, %ns : tensor<32x1xi32>
  %kds = tt.broadcast %kd : tensor<32x1xi32> -> tensor<32x128xi32>
  %cr = tt.expand_dims %chosen {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %crs = tt.broadcast %cr : tensor<1x128xi32> -> tensor<32x128xi32>
  %ob = arith.addi %kds, %crs : tensor<32x128xi32>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x128x!tt.ptr<f16>>
  %ib = tt.addptr %bs, %ob : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
  %na0 = arith.constant dense<32> : tensor<64x32xi32>
  %nbs = arith.muli %n, %c32 : i32
  %nb0 = tt.splat %nbs : i32 -> tensor<32x128xi32>
  %result, %ea, %eb = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero, %fa = %ia, %fb = %ib) -> (tensor<64x128xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>) : i32 {
    %left = arith.subi %k, %i : i32
    %ls = tt.splat %left : i32 -> tensor<1x32xi32>
    %kl = arith.cmpi slt, %kr, %ls : tensor<1x32xi32>
    %ka = tt.broadcast %kl : tensor<1x32xi1> -> tensor<64x32xi1>
    %va = tt.load %fa, %ka, %za : tensor<64x32x!tt.ptr<f16>>
    %vb = tt.load %fb : tensor<32x128x!tt.ptr<f16>>
    %d = tt.dot %va, %vb, %acc : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
    %na = tt.addptr %fa, %na0 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %nb = tt.addptr %fb, %nb0 : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
    scf.yield %d, %na, %nb : tensor<64x128xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>
  }
  %h = arith.truncf %result : tensor<64x128xf32> to tensor<64x128xf16>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ms = tt.splat %m : i32 -> tensor<64x1xi32>
  %rok = arith.cmpi slt, %row, %ms : tensor<64x1xi32>
  %roks = tt.broadcast %rok : tensor<64x1xi1> -> tensor<64x128xi1>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %n2 = tt.splat %n : i32 -> tensor<1x128xi32>
  %cok = arith.cmpi slt, %column, %n2 : tensor<1x128xi32>
  %coks = tt.broadcast %cok : tensor<1x128xi1> -> tensor<64x128xi1>
  %ok = arith.andi %roks, %coks : tensor<64x128xi1>
  %ncs = tt.splat %n : i32 -> tensor<64x1xi32>
  %cd = arith.muli %row, %ncs : tensor<64x1xi32>
  %cds = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x128xi32>
  %ccs = tt.broadcast %column : tensor<1x128xi32> -> tensor<64x128xi32>
  %oc = arith.addi %cds, %ccs : tensor<64x128xi32>
  %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
  %q = tt.addptr %cs, %oc : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  tt.store %q, %h, %ok : tensor<64x128x!tt.ptr<f16>>
  tt.return
}
