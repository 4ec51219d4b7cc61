// Graphs of blocks: early returns, ways out of loops, tiles as arguments.

// Programs beyond the count do nothing: two blocks of 64 of three.
// RUN: tilewright run %s --kernel=first --device=emulator --grid=2 --arg=%t.first.npy=zeros:192xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=early_return --grid=3 --arg=zeros:192xi32 --arg=i32:2 --compare=0=%t.first.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=in_a_loop --arg=zeros:192xi32 --arg=i32:2 --compare=0=%t.first.npy
// A loop that ends by its count or by what it finds: element k gets 3 k.
// RUN: tilewright run %s --kernel=threefold --device=emulator --arg=%t.three.npy=zeros:64xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=break --arg=zeros:64xi32 --arg=i32:9 --arg=i32:3 --compare=0=%t.three.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=break --arg=zeros:64xi32 --arg=i32:3 --arg=i32:9 --compare=0=%t.three.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=choose --arg=zeros:64xi32 --arg=i32:7 --compare=0=%t.three.npy

!places = tensor<64x!tt.ptr<i32>>

tt.func private @places(%p: !tt.ptr<i32>, %program: i32) -> !places {
  %c64 = arith.constant 64 : i32
  %start = arith.muli %program, %c64 : i32
  %q = tt.addptr %p, %start : !tt.ptr<i32>, i32
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %qs = tt.splat %q : !tt.ptr<i32> -> !places
  %to = tt.addptr %qs, %i : !places, tensor<64xi32>
  tt.return %to : !places
}

tt.func private @number(%program: i32) -> tensor<64xi32> {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ps = tt.splat %program : i32 -> tensor<64xi32>
  %v = arith.addi %ps, %i : tensor<64xi32>
  tt.return %v : tensor<64xi32>
}

tt.func public @first(%p: !tt.ptr<i32>) {
  %program = tt.get_program_id x : i32
  %to = tt.call @places(%p, %program) : (!tt.ptr<i32>, i32) -> !places
  %v = tt.call @number(%program) : (i32) -> tensor<64xi32>
  tt.store %to, %v : !places
  tt.return
}

tt.func public @early_return(%p: !tt.ptr<i32>, %count: i32) {
  %program = tt.get_program_id x : i32
  %beyond = arith.cmpi sge, %program, %count : i32
  cf.cond_br %beyond, ^exit, ^rest
^exit:
  tt.return
^rest:
  %to = tt.call @places(%p, %program) : (!tt.ptr<i32>, i32) -> !places
  %v = tt.call @number(%program) : (i32) -> tensor<64xi32>
  tt.store %to, %v : !places
  tt.return
}

// Returns early with a tile: zeros where the program is beyond the count.
tt.func private @early_tile(%program: i32, %count: i32) -> tensor<64xi32> {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %beyond = arith.cmpi sge, %program, %count : i32
  cf.cond_br %beyond, ^exit, ^rest
^exit:
  tt.return %zero : tensor<64xi32>
^rest:
  %v = tt.call @number(%program) : (i32) -> tensor<64xi32>
  tt.return %v : tensor<64xi32>
}

tt.func public @in_a_loop(%p: !tt.ptr<i32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  scf.for %program = %c0 to %c3 step %c1 : i32 {
    %to = tt.call @places(%p, %program) : (!tt.ptr<i32>, i32) -> !places
    %v = tt.call @early_tile(%program, %count) : (i32, i32) -> tensor<64xi32>
    tt.store %to, %v : !places
  }
  tt.return
}

tt.func public @threefold(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %three = arith.constant dense<3> : tensor<64xi32>
  %to = tt.call @places(%p, %c0) : (!tt.ptr<i32>, i32) -> !places
  %k = tt.call @number(%c0) : (i32) -> tensor<64xi32>
  %v = arith.muli %k, %three : tensor<64xi32>
  tt.store %to, %v : !places
  tt.return
}

tt.func public @break(%p: !tt.ptr<i32>, %count: i32, %found: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64xi32>
  %k = tt.call @number(%c0) : (i32) -> tensor<64xi32>
  %to = tt.call @places(%p, %c0) : (!tt.ptr<i32>, i32) -> !places
  cf.br ^head(%c0, %zero : i32, tensor<64xi32>)
^head(%i: i32, %sum: tensor<64xi32>):
  %more = arith.cmpi slt, %i, %count : i32
  cf.cond_br %more, ^body, ^exit(%sum : tensor<64xi32>)
^body:
  %is = arith.cmpi eq, %i, %found : i32
  cf.cond_br %is, ^exit(%sum : tensor<64xi32>), ^next
^next:
  %next = arith.addi %sum, %k : tensor<64xi32>
  %i1 = arith.addi %i, %c1 : i32
  cf.br ^head(%i1, %next : i32, tensor<64xi32>)
^exit(%result: tensor<64xi32>):
  tt.store %to, %result : !places
  tt.return
}

// Three ways meet, with a tile each.
tt.func public @choose(%p: !tt.ptr<i32>, %way: i32) {
  %c0 = arith.constant 0 : i32
  %two = arith.constant dense<2> : tensor<64xi32>
  %k = tt.call @number(%c0) : (i32) -> tensor<64xi32>
  %to = tt.call @places(%p, %c0) : (!tt.ptr<i32>, i32) -> !places
  cf.switch %way : i32, [
    default: ^exit(%k : tensor<64xi32>),
    3: ^other,
    7: ^right
  ]
^other:
  %zero = arith.constant dense<0> : tensor<64xi32>
  cf.br ^exit(%zero : tensor<64xi32>)
^right:
  %k2 = arith.muli %k, %two : tensor<64xi32>
  %k3 = arith.addi %k2, %k : tensor<64xi32>
  cf.br ^exit(%k3 : tensor<64xi32>)
^exit(%v: tensor<64xi32>):
  tt.store %to, %v : !places
  tt.return
}
