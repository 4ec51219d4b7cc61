// Tiles of which a thread holds more elements than it has registers: what is
// stored is computed right before, from what is loaded for it, and all bits are
// as where many warps share the tile.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --emit=ptx -o - | FileCheck %s
// RUN: sed s/16384/2048/g %s | tilewright compile - --target=sm_90a --num-warps=4 --emit=ptx -o - | FileCheck %s --check-prefix=SMALL

// Loads between the stores, as far ahead of them as there is room for.
// CHECK-LABEL: .entry in_place(
// CHECK: ld.global
// CHECK: st.global
// CHECK: ld.global
// CHECK: st.global
// SMALL-LABEL: .entry in_place(
// SMALL: ld.global
// SMALL: st.global
// SMALL-NOT: ld.global
// SMALL-LABEL: .entry shifted(
// RUN: tilewright run %s --kernel=in_place --target=sm_90a --num-warps=32 --device=emulator --arg=random:15000xf32:1 --arg=%t.a.npy=random:15000xf32:2 --arg=%t.b.npy=random:15000xf32:3 --arg=i32:15000
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=in_place --arg=random:15000xf32:1 --arg=random:15000xf32:2 --arg=random:15000xf32:3 --arg=i32:15000 --compare=1=%t.a.npy --compare=2=%t.b.npy

// A store that may overwrite what other threads load waits for all loads.
// CHECK-LABEL: .entry shifted(
// CHECK-COUNT-64: ld.global
// CHECK-NOT: ld.global
// CHECK: bar.sync
// CHECK-NOT: ld.global
// CHECK: st.global
// CHECK-NOT: ld.global
// RUN: tilewright run %s --kernel=shifted --target=sm_90a --num-warps=32 --device=emulator --arg=%t.s.npy=random:16388xf32:1 --arg=random:16384xf32:2
// RUN: tilewright run %s --kernel=shifted --target=sm_90a --num-warps=4 --device=emulator --seed=3 --arg=random:16388xf32:1 --arg=random:16384xf32:2 --compare=0=%t.s.npy

// Two reductions of a tile go along with each other: no element is kept.
// CHECK-LABEL: .entry moments(
// CHECK: ld.global
// CHECK: add{{.*}}.f32
// CHECK: ld.global
// CHECK: shfl

!tile = tensor<16384xf32>
!pointers = tensor<16384x!tt.ptr<f32>>
module {
// The gradients of silu(a) * b, which replace a and b.
tt.func public @in_place(%dc: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %n : i32
  %r = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %ns = tt.splat %n : i32 -> tensor<16384xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<16384xi32>
  %zero = arith.constant dense<0.0> : !tile
  %one = arith.constant dense<1.0> : !tile
  %dcf = tt.addptr %dc, %first : !tt.ptr<f32>, i32
  %dcs = tt.splat %dcf : !tt.ptr<f32> -> !pointers
  %dcp = tt.addptr %dcs, %r : !pointers, tensor<16384xi32>
  %af = tt.addptr %a, %first : !tt.ptr<f32>, i32
  %as = tt.splat %af : !tt.ptr<f32> -> !pointers
  %ap = tt.addptr %as, %r : !pointers, tensor<16384xi32>
  %bf = tt.addptr %b, %first : !tt.ptr<f32>, i32
  %bs = tt.splat %bf : !tt.ptr<f32> -> !pointers
  %bp = tt.addptr %bs, %r : !pointers, tensor<16384xi32>
  %g = tt.load %dcp, %mask, %zero : !pointers
  %x = tt.load %ap, %mask, %zero : !pointers
  %y = tt.load %bp, %mask, %zero : !pointers
  %negative = arith.subf %zero, %x : !tile
  %e = math.exp %negative : !tile
  %d = arith.addf %e, %one : !tile
  %s = arith.divf %one, %d : !tile
  %silu = arith.mulf %s, %x : !tile
  %db = arith.mulf %g, %silu : !tile
  %rest = arith.subf %one, %s : !tile
  %slope0 = arith.mulf %silu, %rest : !tile
  %slope = arith.addf %slope0, %s : !tile
  %gy = arith.mulf %g, %y : !tile
  %da = arith.mulf %gy, %slope : !tile
  tt.store %ap, %da, %mask : !pointers
  tt.store %bp, %db, %mask : !pointers
  tt.return
}

// a[i + 4] = a[i] + b[i]
tt.func public @shifted(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %four = arith.constant dense<4> : tensor<16384xi32>
  %next = arith.addi %r, %four : tensor<16384xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> !pointers
  %bs = tt.splat %b : !tt.ptr<f32> -> !pointers
  %ap = tt.addptr %as, %r : !pointers, tensor<16384xi32>
  %bp = tt.addptr %bs, %r : !pointers, tensor<16384xi32>
  %to = tt.addptr %as, %next : !pointers, tensor<16384xi32>
  %x = tt.load %ap : !pointers
  %y = tt.load %bp : !pointers
  %sum = arith.addf %x, %y : !tile
  tt.store %to, %sum : !pointers
  tt.return
}

// The sums of the elements and of their squares.
tt.func public @moments(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 32768 : i32} : tensor<32768xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>>
  %ap = tt.addptr %as, %r : tensor<32768x!tt.ptr<f32>>, tensor<32768xi32>
  %x = tt.load %ap : tensor<32768x!tt.ptr<f32>>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %t = arith.addf %u, %v : f32
    tt.reduce.return %t : f32
  }) : (tensor<32768xf32>) -> f32
  %squares = arith.mulf %x, %x : tensor<32768xf32>
  %square = "tt.reduce"(%squares) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %t = arith.addf %u, %v : f32
    tt.reduce.return %t : f32
  }) : (tensor<32768xf32>) -> f32
  %c1 = arith.constant 1 : i32
  %op = tt.addptr %o, %c1 : !tt.ptr<f32>, i32
  tt.store %o, %sum : !tt.ptr<f32>
  tt.store %op, %square : !tt.ptr<f32>
  tt.return
}
}
