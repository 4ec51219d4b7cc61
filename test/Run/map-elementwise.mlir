// Functions of scalars mapped over tiles: with branches, loops of their own
// lengths, several results, packs, values from outside, 8-bit floats, and
// elements that several threads hold.

// The greatest common divisor, by a loop, of neighbours: that of n and n + 1 is
// 1, that of 2n and 2n + 2 is 2.
// RUN: tilewright run %s --kernel=ones --device=emulator --arg=%t.ones.npy=poison:256xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=divisors --arg=poison:256xi32 --compare=0=%t.ones.npy
// Sorted pairs, by a branch; then those sorted are summed by packs.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.npy=arange:256xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=sorted --arg=arange:256xi32 --arg=poison:256xi32 --compare=1=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=packs --arg=arange:256xi32 --arg=poison:256xi32 --compare=1=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=small_packs --arg=poison:256xi32 --compare=0=%t.npy
// Early returns, as the front end prints them.
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=early --arg=arange:256xi32 --arg=poison:256xi32 --compare=1=%t.npy
// RUN: tilewright run %s --kernel=nothing8 --device=emulator --arg=%t.f8.npy=arange:256xi8
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=floats --arg=arange:256xi8 --arg=poison:256xi8 --compare=1=%t.f8.npy
// What the function reads was written by other threads just before.
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=loads --arg=poison:256xi32 --arg=poison:256xi32 --compare=1=%t.npy
// RUN: tilewright-opt %s --tilewright="target=sm_80" --validate-passes -o /dev/null

tt.func public @nothing(%x: !tt.ptr<i32>) {
  tt.return
}
tt.func public @nothing8(%x: !tt.ptr<i8>) {
  tt.return
}

tt.func private @pointers(%x: !tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>> {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %base = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %to = tt.addptr %base, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.return %to : tensor<256x!tt.ptr<i32>>
}

tt.func public @ones(%x: !tt.ptr<i32>) {
  %one = arith.constant dense<1> : tensor<256xi32>
  %to = tt.call @pointers(%x) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  tt.store %to, %one : tensor<256x!tt.ptr<i32>>
  tt.return
}

tt.func private @divide(%a: i32, %b: i32) -> i32 attributes {noinline = true} {
  %r = arith.remsi %a, %b : i32
  tt.return %r : i32
}

tt.func public @divisors(%x: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant dense<1> : tensor<256xi32>
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %next = arith.addi %i, %c1 : tensor<256xi32>
  %d = "tt.map_elementwise"(%i, %next) <{pack = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %g:2 = scf.while (%u = %a, %v = %b) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %v, %c0 : i32
      scf.condition(%more) %u, %v : i32, i32
    } do {
    ^bb0(%u: i32, %v: i32):
      %r = tt.call @divide(%u, %v) : (i32, i32) -> i32
      scf.yield %v, %r : i32, i32
    }
    tt.map_elementwise.return %g#0 : i32
  }) : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %to = tt.call @pointers(%x) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  tt.store %to, %d : tensor<256x!tt.ptr<i32>>
  tt.return
}

// min(n, 255 - n) + max(n, 255 - n) - (255 - n), in a branch that has effects on
// nothing else.
tt.func public @sorted(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %from = tt.call @pointers(%x) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  %n = tt.load %from : tensor<256x!tt.ptr<i32>>
  %c255 = arith.constant dense<255> : tensor<256xi32>
  %m = arith.subi %c255, %n : tensor<256xi32>
  %s:2 = "tt.map_elementwise"(%n, %m) <{pack = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %lo, %hi = scf.if %less -> (i32, i32) {
      scf.yield %a, %b : i32, i32
    } else {
      scf.yield %b, %a : i32, i32
    }
    tt.map_elementwise.return %lo, %hi : i32, i32
  }) : (tensor<256xi32>, tensor<256xi32>) -> (tensor<256xi32>, tensor<256xi32>)
  %sum = arith.addi %s#0, %s#1 : tensor<256xi32>
  %r = arith.subi %sum, %m : tensor<256xi32>
  %to = tt.call @pointers(%out) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  tt.store %to, %r : tensor<256x!tt.ptr<i32>>
  tt.return
}

// Each element of a pack by itself, in another order within the function.
tt.func public @packs(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c2 = arith.constant 2 : i32
  %from = tt.call @pointers(%x) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  %n = tt.load %from : tensor<256x!tt.ptr<i32>>
  %r:2 = "tt.map_elementwise"(%n, %n) <{pack = 4 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32, %g: i32, %h: i32):
    %a2 = arith.muli %e, %c2 : i32
    %b2 = arith.muli %f, %c2 : i32
    %g2 = arith.muli %g, %c2 : i32
    %d2 = arith.muli %h, %c2 : i32
    tt.map_elementwise.return %a, %b, %c, %d, %a2, %b2, %g2, %d2 : i32, i32, i32, i32, i32, i32, i32, i32
  }) : (tensor<256xi32>, tensor<256xi32>) -> (tensor<256xi32>, tensor<256xi32>)
  %q = arith.subi %r#1, %r#0 : tensor<256xi32>
  %to = tt.call @pointers(%out) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  tt.store %to, %q : tensor<256x!tt.ptr<i32>>
  tt.return
}

// All of a small tile in one run.
tt.func public @small_packs(%out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %t = tt.reshape %i : tensor<4xi32> -> tensor<2x2xi32>
  %r = "tt.map_elementwise"(%t) <{pack = 4 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %sum = arith.addi %a, %d : i32
    %less = arith.subi %sum, %c : i32
    // 0, 1, 2, 3: 0 + 3 - 2 = 1
    tt.map_elementwise.return %a, %less, %c, %d : i32, i32, i32, i32
  }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %four = tt.reshape %r : tensor<2x2xi32> -> tensor<1x4xi32>
  %rows = tt.broadcast %four : tensor<1x4xi32> -> tensor<64x4xi32>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %j2 = tt.expand_dims %j {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c4 = arith.constant dense<4> : tensor<64x1xi32>
  %j4 = arith.muli %j2, %c4 : tensor<64x1xi32>
  %js = tt.broadcast %j4 : tensor<64x1xi32> -> tensor<64x4xi32>
  %all = arith.addi %js, %rows : tensor<64x4xi32>
  %flat = tt.reshape %all : tensor<64x4xi32> -> tensor<256xi32>
  %to = tt.call @pointers(%out) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  tt.store %to, %flat : tensor<256x!tt.ptr<i32>>
  tt.return
}

tt.func public @early(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c100 = arith.constant 100 : i32
  %from = tt.call @pointers(%x) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  %n = tt.load %from : tensor<256x!tt.ptr<i32>>
  %r = "tt.map_elementwise"(%n) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %less = arith.cmpi slt, %a, %c100 : i32
    cf.cond_br %less, ^bb1, ^bb2
  ^bb1:
    tt.map_elementwise.return %a : i32
  ^bb2:
    %b = arith.subi %a, %c100 : i32
    cf.br ^bb3(%b : i32)
  ^bb3(%d: i32):
    %back = arith.addi %d, %c100 : i32
    tt.map_elementwise.return %back : i32
  }) : (tensor<256xi32>) -> tensor<256xi32>
  %to = tt.call @pointers(%out) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  tt.store %to, %r : tensor<256x!tt.ptr<i32>>
  tt.return
}

// 8-bit floats and pointers through branches.
tt.func public @floats(%x: !tt.ptr<f8E5M2>, %out: !tt.ptr<f8E5M2>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %base = tt.splat %x : !tt.ptr<f8E5M2> -> tensor<256x!tt.ptr<f8E5M2>>
  %from = tt.addptr %base, %i : tensor<256x!tt.ptr<f8E5M2>>, tensor<256xi32>
  %obase = tt.splat %out : !tt.ptr<f8E5M2> -> tensor<256x!tt.ptr<f8E5M2>>
  %to = tt.addptr %obase, %i : tensor<256x!tt.ptr<f8E5M2>>, tensor<256xi32>
  %n = tt.load %from : tensor<256x!tt.ptr<f8E5M2>>
  %r:2 = "tt.map_elementwise"(%n, %to, %i) <{pack = 1 : i32}> ({
  ^bb0(%a: f8E5M2, %p: !tt.ptr<f8E5M2>, %number: i32):
    %c7 = arith.constant 7 : i32
    %odd = arith.cmpi ne, %number, %c7 : i32
    %v, %q = scf.if %odd -> (f8E5M2, !tt.ptr<f8E5M2>) {
      scf.yield %a, %p : f8E5M2, !tt.ptr<f8E5M2>
    } else {
      %one = tt.addptr %p, %c7 : !tt.ptr<f8E5M2>, i32
      %minus = arith.constant -7 : i32
      %back = tt.addptr %one, %minus : !tt.ptr<f8E5M2>, i32
      scf.yield %a, %back : f8E5M2, !tt.ptr<f8E5M2>
    }
    tt.map_elementwise.return %v, %q : f8E5M2, !tt.ptr<f8E5M2>
  }) : (tensor<256xf8E5M2>, tensor<256x!tt.ptr<f8E5M2>>, tensor<256xi32>) -> (tensor<256xf8E5M2>, tensor<256x!tt.ptr<f8E5M2>>)
  tt.store %r#1, %r#0 : tensor<256x!tt.ptr<f8E5M2>>
  tt.return
}

// 255 - n is written, then read by a search for n from the other end.
tt.func public @loads(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c255 = arith.constant dense<255> : tensor<256xi32>
  %last = arith.constant 255 : i32
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %n = arith.subi %c255, %i : tensor<256xi32>
  %at = tt.call @pointers(%x) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  tt.store %at, %n : tensor<256x!tt.ptr<i32>>
  %starts = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %r = "tt.map_elementwise"(%starts, %n) <{pack = 1 : i32}> ({
  ^bb0(%p: !tt.ptr<i32>, %wanted: i32):
    %place = scf.while (%k = %c0) : (i32) -> i32 {
      %q = tt.addptr %p, %k : !tt.ptr<i32>, i32
      %v = tt.load %q : !tt.ptr<i32>
      %more = arith.cmpi sgt, %v, %wanted : i32
      scf.condition(%more) %k : i32
    } do {
    ^bb0(%k: i32):
      %next = arith.addi %k, %c1 : i32
      scf.yield %next : i32
    }
    tt.map_elementwise.return %place : i32
  }) : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>) -> tensor<256xi32>
  %to = tt.call @pointers(%out) : (!tt.ptr<i32>) -> tensor<256x!tt.ptr<i32>>
  tt.store %to, %r : tensor<256x!tt.ptr<i32>>
  tt.return
}
