// Scans that several warps share give what one warp computes: sums, running
// maxima with their indices, and recurrences, which are not commutative, in
// both directions, along either dimension.
// RUN: tilewright run %s --kernel=sums --num-warps=1 --device=emulator --arg=random:1024xi32:1 --arg=%t.sums.npy=poison:1024xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=sums --arg=random:1024xi32:1 --arg=poison:1024xi32 --compare=1=%t.sums.npy
// RUN: tilewright run %s --kernel=maxima --num-warps=1 --device=emulator --arg=random:1024xf32:2 --arg=%t.index.npy=poison:1024xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=maxima --arg=random:1024xf32:2 --arg=poison:1024xi32 --compare=1=%t.index.npy
// RUN: tilewright run %s --kernel=recurrence --num-warps=1 --device=emulator --arg=random:2048xi32:3 --arg=random:2048xi32:4 --arg=%t.last.npy=poison:2048xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=recurrence --arg=random:2048xi32:3 --arg=random:2048xi32:4 --arg=poison:2048xi32 --compare=2=%t.last.npy
// RUN: tilewright run %s --kernel=recurrence --num-warps=8 --device=emulator --arg=random:2048xi32:3 --arg=random:2048xi32:4 --arg=poison:2048xi32 --compare=2=%t.last.npy
// RUN: tilewright run %s --kernel=addresses --num-warps=1 --device=emulator --arg=arange:1024xi32 --arg=random:1024xi32:5 --arg=%t.far.npy=poison:1024xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=addresses --arg=arange:1024xi32 --arg=random:1024xi32:5 --arg=poison:1024xi32 --compare=2=%t.far.npy

tt.func private @pointers1024(%x: !tt.ptr<i32>) -> tensor<1024x!tt.ptr<i32>> {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %to = tt.addptr %base, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.return %to : tensor<1024x!tt.ptr<i32>>
}

tt.func public @sums(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %from = tt.call @pointers1024(%x) : (!tt.ptr<i32>) -> tensor<1024x!tt.ptr<i32>>
  %to = tt.call @pointers1024(%out) : (!tt.ptr<i32>) -> tensor<1024x!tt.ptr<i32>>
  %v = tt.load %from : tensor<1024x!tt.ptr<i32>>
  %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<1024xi32>) -> tensor<1024xi32>
  tt.store %to, %s : tensor<1024x!tt.ptr<i32>>
  tt.return
}

tt.func public @maxima(%x: !tt.ptr<f32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %from = tt.addptr %base, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %to = tt.call @pointers1024(%out) : (!tt.ptr<i32>) -> tensor<1024x!tt.ptr<i32>>
  %v = tt.load %from : tensor<1024x!tt.ptr<f32>>
  %s:2 = "tt.scan"(%v, %i) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %is = arith.cmpf ogt, %b, %a : f32
    %c = arith.select %is, %b, %a : f32
    %ci = arith.select %is, %bi, %ai : i32
    tt.scan.return %c, %ci : f32, i32
  }) : (tensor<1024xf32>, tensor<1024xi32>) -> (tensor<1024xf32>, tensor<1024xi32>)
  tt.store %to, %s#1 : tensor<1024x!tt.ptr<i32>>
  tt.return
}

tt.func private @pointers2048(%x: !tt.ptr<i32>) -> tensor<1024x2x!tt.ptr<i32>> {
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %base = tt.splat %x : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %to = tt.addptr %base, %i : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  %cut = tt.reshape %to : tensor<2048x!tt.ptr<i32>> -> tensor<1024x2x!tt.ptr<i32>>
  tt.return %cut : tensor<1024x2x!tt.ptr<i32>>
}

// x -> a x + b, composed.
tt.func public @recurrence(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %from = tt.call @pointers2048(%x) : (!tt.ptr<i32>) -> tensor<1024x2x!tt.ptr<i32>>
  %more = tt.call @pointers2048(%y) : (!tt.ptr<i32>) -> tensor<1024x2x!tt.ptr<i32>>
  %to = tt.call @pointers2048(%out) : (!tt.ptr<i32>) -> tensor<1024x2x!tt.ptr<i32>>
  %u = tt.load %from : tensor<1024x2x!tt.ptr<i32>>
  %v = tt.load %more : tensor<1024x2x!tt.ptr<i32>>
  %one = arith.constant dense<1> : tensor<1024x2xi32>
  %odd = arith.ori %u, %one : tensor<1024x2xi32>
  %s:2 = "tt.scan"(%odd, %v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a1: i32, %b1: i32, %a2: i32, %b2: i32):
    %a = arith.muli %a1, %a2 : i32
    %n = arith.muli %a2, %b1 : i32
    %b = arith.addi %n, %b2 : i32
    tt.scan.return %a, %b : i32, i32
  }) : (tensor<1024x2xi32>, tensor<1024x2xi32>) -> (tensor<1024x2xi32>, tensor<1024x2xi32>)
  tt.store %to, %s#1 : tensor<1024x2x!tt.ptr<i32>>
  tt.return
}

// The highest address so far.
tt.func public @addresses(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %from = tt.call @pointers1024(%y) : (!tt.ptr<i32>) -> tensor<1024x!tt.ptr<i32>>
  %to = tt.call @pointers1024(%out) : (!tt.ptr<i32>) -> tensor<1024x!tt.ptr<i32>>
  %any = tt.load %from : tensor<1024x!tt.ptr<i32>>
  %low = arith.constant dense<1023> : tensor<1024xi32>
  %index = arith.andi %any, %low : tensor<1024xi32>
  %base = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %places = tt.addptr %base, %index : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %highest = "tt.scan"(%places) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: !tt.ptr<i32>, %b: !tt.ptr<i32>):
    %ai = tt.ptr_to_int %a : !tt.ptr<i32> -> i64
    %bi = tt.ptr_to_int %b : !tt.ptr<i32> -> i64
    %is = arith.cmpi sgt, %bi, %ai : i64
    %c = arith.select %is, %b, %a : !tt.ptr<i32>
    tt.scan.return %c : !tt.ptr<i32>
  }) : (tensor<1024x!tt.ptr<i32>>) -> tensor<1024x!tt.ptr<i32>>
  %v = tt.load %highest : tensor<1024x!tt.ptr<i32>>
  tt.store %to, %v : tensor<1024x!tt.ptr<i32>>
  tt.return
}
