// Loops that write where they read: loads run ahead where no iteration reads what an
// earlier one has written.

// RUN: tilewright compile %s --target=sm_80 --num-warps=1 --remarks=all --emit=tilegpu -o /dev/null 2>&1 | FileCheck %s
// RUN: tilewright run %s --kernel=in_place --target=sm_80 --num-warps=1 --num-stages=1 --device=emulator --arg=%t.npy=random:32x128xf16:1
// RUN: tilewright run %s --kernel=in_place --target=sm_80 --num-warps=1 --num-stages=3 --device=emulator --arg=random:32x128xf16:1 --compare=0=%t.npy

// Four tiles, side by side in rows of 128 elements.
// CHECK: :[[@LINE+20]]:{{.*}}this loop is a software pipeline of 3 stages
tt.func public @in_place(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %to = arith.constant 128 : i32
  %stride = arith.constant dense<128> : tensor<32x1xi32>
  %next = arith.constant dense<32> : tensor<32x32xi32>
  %shift = arith.constant dense<0> : tensor<32x32xi32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf16>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %by = arith.muli %rows, %stride : tensor<32x1xi32>
  %left = tt.broadcast %by : tensor<32x1xi32> -> tensor<32x32xi32>
  %right = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %left, %right : tensor<32x32xi32>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %from = tt.addptr %base, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %into = tt.addptr %from, %shift : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %0:2 = scf.for %i = %c0 to %to step %c32 iter_args(%p = %from, %q = %into) -> (tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>) : i32 {
    %x = tt.load %p : tensor<32x32x!tt.ptr<f16>>
    %y = tt.dot %half, %x, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.truncf %y : tensor<32x32xf32> to tensor<32x32xf16>
    tt.store %q, %h : tensor<32x32x!tt.ptr<f16>>
    %p1 = tt.addptr %p, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %q1 = tt.addptr %q, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    scf.yield %p1, %q1 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>
  }
  tt.return
}

// The fifth tile is the first one but for a row.
// CHECK: :[[@LINE+20]]:{{.*}}it may write what a later iteration reads
tt.func public @next_row(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %to = arith.constant 160 : i32
  %stride = arith.constant dense<128> : tensor<32x1xi32>
  %next = arith.constant dense<32> : tensor<32x32xi32>
  %shift = arith.constant dense<0> : tensor<32x32xi32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf16>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %by = arith.muli %rows, %stride : tensor<32x1xi32>
  %left = tt.broadcast %by : tensor<32x1xi32> -> tensor<32x32xi32>
  %right = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %left, %right : tensor<32x32xi32>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %from = tt.addptr %base, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %into = tt.addptr %from, %shift : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %0:2 = scf.for %i = %c0 to %to step %c32 iter_args(%p = %from, %q = %into) -> (tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>) : i32 {
    %x = tt.load %p : tensor<32x32x!tt.ptr<f16>>
    %y = tt.dot %half, %x, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.truncf %y : tensor<32x32xf32> to tensor<32x32xf16>
    tt.store %q, %h : tensor<32x32x!tt.ptr<f16>>
    %p1 = tt.addptr %p, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %q1 = tt.addptr %q, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    scf.yield %p1, %q1 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>
  }
  tt.return
}

// There may be a fifth one.
// CHECK: :[[@LINE+19]]:{{.*}}it may write what a later iteration reads
tt.func public @without_end(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %to: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %stride = arith.constant dense<128> : tensor<32x1xi32>
  %next = arith.constant dense<32> : tensor<32x32xi32>
  %shift = arith.constant dense<0> : tensor<32x32xi32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf16>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %by = arith.muli %rows, %stride : tensor<32x1xi32>
  %left = tt.broadcast %by : tensor<32x1xi32> -> tensor<32x32xi32>
  %right = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %left, %right : tensor<32x32xi32>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %from = tt.addptr %base, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %into = tt.addptr %from, %shift : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %0:2 = scf.for %i = %c0 to %to step %c32 iter_args(%p = %from, %q = %into) -> (tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>) : i32 {
    %x = tt.load %p : tensor<32x32x!tt.ptr<f16>>
    %y = tt.dot %half, %x, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.truncf %y : tensor<32x32xf32> to tensor<32x32xf16>
    tt.store %q, %h : tensor<32x32x!tt.ptr<f16>>
    %p1 = tt.addptr %p, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %q1 = tt.addptr %q, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    scf.yield %p1, %q1 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>
  }
  tt.return
}

// What is written lies before all that is read later.
// CHECK: :[[@LINE+19]]:{{.*}}this loop is a software pipeline of 3 stages
tt.func public @written_before(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %to: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %stride = arith.constant dense<96> : tensor<32x1xi32>
  %next = arith.constant dense<32> : tensor<32x32xi32>
  %shift = arith.constant dense<-4096> : tensor<32x32xi32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf16>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %by = arith.muli %rows, %stride : tensor<32x1xi32>
  %left = tt.broadcast %by : tensor<32x1xi32> -> tensor<32x32xi32>
  %right = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %left, %right : tensor<32x32xi32>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %from = tt.addptr %base, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %into = tt.addptr %from, %shift : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %0:2 = scf.for %i = %c0 to %to step %c32 iter_args(%p = %from, %q = %into) -> (tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>) : i32 {
    %x = tt.load %p : tensor<32x32x!tt.ptr<f16>>
    %y = tt.dot %half, %x, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.truncf %y : tensor<32x32xf32> to tensor<32x32xf16>
    tt.store %q, %h : tensor<32x32x!tt.ptr<f16>>
    %p1 = tt.addptr %p, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %q1 = tt.addptr %q, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    scf.yield %p1, %q1 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>
  }
  tt.return
}

// Each tile is written half a tile further than it is read.
// CHECK: :[[@LINE+20]]:{{.*}}it may write what a later iteration reads
tt.func public @halfway(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %to = arith.constant 128 : i32
  %stride = arith.constant dense<128> : tensor<32x1xi32>
  %next = arith.constant dense<32> : tensor<32x32xi32>
  %shift = arith.constant dense<16> : tensor<32x32xi32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf16>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %by = arith.muli %rows, %stride : tensor<32x1xi32>
  %left = tt.broadcast %by : tensor<32x1xi32> -> tensor<32x32xi32>
  %right = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %left, %right : tensor<32x32xi32>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %from = tt.addptr %base, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %into = tt.addptr %from, %shift : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %0:2 = scf.for %i = %c0 to %to step %c32 iter_args(%p = %from, %q = %into) -> (tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>) : i32 {
    %x = tt.load %p : tensor<32x32x!tt.ptr<f16>>
    %y = tt.dot %half, %x, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.truncf %y : tensor<32x32xf32> to tensor<32x32xf16>
    tt.store %q, %h : tensor<32x32x!tt.ptr<f16>>
    %p1 = tt.addptr %p, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %q1 = tt.addptr %q, %next : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    scf.yield %p1, %q1 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>
  }
  tt.return
}
