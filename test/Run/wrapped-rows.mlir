// Rows and columns of a product that wrap around their bounds, or are 0 behind them:
// the same bits where they are masked and come by bulk copies, also where the tiles that
// are stored are counted apart from those that are computed.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies --remarks=all --emit=ptx -o /dev/null 2>&1 | FileCheck %s
// CHECK-COUNT-2: remark: bulk copies bring 2 tiles of this loop

// RUN: tilewright run %s --kernel=product --device=emulator --grid=2,2 --num-warps=4 --target=sm_80 --arg=random:100x96xf16:1 --arg=random:96x200xf16:2 --arg=%t.npy=poison:100x200xf16 --arg=i32:100 --arg=i32:200 --arg=i32:96
// RUN: tilewright run %s --kernel=product --device=emulator --grid=2,2 --num-warps=4 --target=sm_90a --bulk-copies --arg=random:100x96xf16:1 --arg=random:96x200xf16:2 --arg=poison:100x200xf16 --arg=i32:100 --arg=i32:200 --arg=i32:96 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --device=emulator --grid=2,2 --num-warps=4 --target=sm_90a --bulk-copies=false --arg=random:100x96xf16:1 --arg=random:96x200xf16:2 --arg=poison:100x200xf16 --arg=i32:100 --arg=i32:200 --arg=i32:96 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --device=emulator --grid=2,2 --num-warps=4 --target=sm_90a --specialize-warps --num-stages=4 --seed=3 --arg=random:100x96xf16:1 --arg=random:96x200xf16:2 --arg=poison:100x200xf16 --arg=i32:100 --arg=i32:200 --arg=i32:96 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --device=emulator --grid=1,1 --num-warps=4 --target=sm_80 --arg=random:64x32xf16:1 --arg=random:32x128xf16:2 --arg=%t.npy=poison:64x128xf16 --arg=i32:64 --arg=i32:128 --arg=i32:32
// RUN: tilewright run %s --kernel=product --device=emulator --grid=1,1 --num-warps=4 --target=sm_90a --bulk-copies --arg=random:64x32xf16:1 --arg=random:32x128xf16:2 --arg=poison:64x128xf16 --arg=i32:64 --arg=i32:128 --arg=i32:32 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --device=emulator --grid=1,1 --num-warps=4 --target=sm_80 --arg=random:1x32xf16:1 --arg=random:32x8xf16:2 --arg=%t.npy=poison:1x8xf16 --arg=i32:1 --arg=i32:8 --arg=i32:32
// RUN: tilewright run %s --kernel=product --device=emulator --grid=1,1 --num-warps=4 --target=sm_90a --bulk-copies --arg=random:1x32xf16:1 --arg=random:32x8xf16:2 --arg=poison:1x8xf16 --arg=i32:1 --arg=i32:8 --arg=i32:32 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=product --device=emulator --grid=3,2 --num-warps=4 --target=sm_80 --arg=random:130x64xf16:1 --arg=random:64x136xf16:2 --arg=%t.npy=poison:130x136xf16 --arg=i32:130 --arg=i32:136 --arg=i32:64
// RUN: tilewright run %s --kernel=product --device=emulator --grid=3,2 --num-warps=4 --target=sm_90a --bulk-copies --arg=random:130x64xf16:1 --arg=random:64x136xf16:2 --arg=poison:130x136xf16 --arg=i32:130 --arg=i32:136 --arg=i32:64 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_80 --arg=random:100x96xf16:1 --arg=random:96x200xf16:2 --arg=%t.npy=poison:100x200xf16 --arg=i32:100 --arg=i32:200 --arg=i32:96
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_90a --bulk-copies --arg=random:100x96xf16:1 --arg=random:96x200xf16:2 --arg=poison:100x200xf16 --arg=i32:100 --arg=i32:200 --arg=i32:96 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_90a --bulk-copies=false --arg=random:100x96xf16:1 --arg=random:96x200xf16:2 --arg=poison:100x200xf16 --arg=i32:100 --arg=i32:200 --arg=i32:96 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_90a --specialize-warps --num-stages=4 --seed=3 --arg=random:100x96xf16:1 --arg=random:96x200xf16:2 --arg=poison:100x200xf16 --arg=i32:100 --arg=i32:200 --arg=i32:96 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_80 --arg=random:64x32xf16:1 --arg=random:32x128xf16:2 --arg=%t.npy=poison:64x128xf16 --arg=i32:64 --arg=i32:128 --arg=i32:32
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_90a --bulk-copies --arg=random:64x32xf16:1 --arg=random:32x128xf16:2 --arg=poison:64x128xf16 --arg=i32:64 --arg=i32:128 --arg=i32:32 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_80 --arg=random:1x32xf16:1 --arg=random:32x8xf16:2 --arg=%t.npy=poison:1x8xf16 --arg=i32:1 --arg=i32:8 --arg=i32:32
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_90a --bulk-copies --arg=random:1x32xf16:1 --arg=random:32x8xf16:2 --arg=poison:1x8xf16 --arg=i32:1 --arg=i32:8 --arg=i32:32 --compare=2=%t.npy
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_80 --arg=random:130x64xf16:1 --arg=random:64x136xf16:2 --arg=%t.npy=poison:130x136xf16 --arg=i32:130 --arg=i32:136 --arg=i32:64
// RUN: tilewright run %s --kernel=persistent --device=emulator --grid=3 --num-warps=4 --target=sm_90a --bulk-copies --arg=random:130x64xf16:1 --arg=random:64x136xf16:2 --arg=poison:130x136xf16 --arg=i32:130 --arg=i32:136 --arg=i32:64 --compare=2=%t.npy

tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 8 : i32}, %k: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
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

// Programs 3 apart take tiles in turn.
tt.func public @persistent(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 8 : i32}, %k: i32 {tt.divisibility = 8 : i32}) {
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
  %na0 = arith.constant dense<32> : tensor<64x32xi32>
  %x0 = tt.get_program_id x : i32
  %step = tt.get_num_programs x : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c127 = arith.constant 127 : i32
  %c3 = arith.constant 3 : i32
  %m63 = arith.addi %m, %c63 : i32
  %down0 = arith.divsi %m63, %c64 : i32
  %n127 = arith.addi %n, %c127 : i32
  %across = arith.divsi %n127, %c128 : i32
  %tiles = arith.muli %down0, %across : i32
  %before = arith.subi %x0, %c3 : i32
  %last = scf.for %t = %x0 to %tiles step %c3 iter_args(%u = %before) -> (i32) : i32 {
  %x = arith.divsi %t, %across : i32
  %y = arith.remsi %t, %across : i32
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
  %v = arith.addi %u, %c3 : i32
  %x2 = arith.divsi %v, %across : i32
  %y2 = arith.remsi %v, %across : i32
  %bm2 = arith.muli %x2, %c64 : i32
  %bn2 = arith.muli %y2, %c128 : i32
  %bms2 = tt.splat %bm2 : i32 -> tensor<64xi32>
  %bns2 = tt.splat %bn2 : i32 -> tensor<128xi32>
  %rows2 = arith.addi %bms2, %r64 : tensor<64xi32>
  %columns2 = arith.addi %bns2, %r128 : tensor<128xi32>
  %h = arith.truncf %result : tensor<64x128xf32> to tensor<64x128xf16>
  %row = tt.expand_dims %rows2 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ms = tt.splat %m : i32 -> tensor<64x1xi32>
  %rok = arith.cmpi slt, %row, %ms : tensor<64x1xi32>
  %roks = tt.broadcast %rok : tensor<64x1xi1> -> tensor<64x128xi1>
  %column = tt.expand_dims %columns2 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
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
  scf.yield %v : i32
  }
  tt.return
}
