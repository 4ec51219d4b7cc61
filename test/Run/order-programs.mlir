// Programs that take each other's numbers (tilegpu-order-programs) do all the work of
// the grid: what each number has to store is stored. Sections have 512 programs: of 300
// along x one number of y, of 100 four, of 40 eight, of which the last have two and one.
// Where a load is volatile, numbers stay what they are.

// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=ORDERED
// RUN: sed 's/tt.load %%p :/tt.load %%p {isVolatile = true} :/' %s > %t.mlir
// RUN: tilewright compile %t.mlir --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=KEPT
// RUN: tilewright run %t.mlir --target=sm_80 --device=emulator --grid=300,3 --num-warps=4 --arg=arange:4xi32 --arg=%t.npy=poison:900xi32
// RUN: tilewright run %s --target=sm_80 --device=emulator --grid=300,3 --num-warps=4 --arg=arange:4xi32 --arg=poison:900xi32 --compare=1=%t.npy
// RUN: tilewright run %t.mlir --target=sm_80 --device=emulator --grid=100,11 --num-warps=4 --arg=arange:4xi32 --arg=%t.npy=poison:1100xi32
// RUN: tilewright run %s --target=sm_80 --device=emulator --grid=100,11 --num-warps=4 --arg=arange:4xi32 --arg=poison:1100xi32 --compare=1=%t.npy
// RUN: tilewright run %t.mlir --target=sm_80 --device=emulator --grid=40,19 --num-warps=4 --arg=arange:4xi32 --arg=%t.npy=poison:760xi32
// RUN: tilewright run %s --target=sm_80 --device=emulator --grid=40,19 --num-warps=4 --arg=arange:4xi32 --arg=poison:760xi32 --compare=1=%t.npy
// RUN: tilewright run %t.mlir --target=sm_80 --device=emulator --grid=1,19 --num-warps=4 --arg=arange:4xi32 --arg=%t.npy=poison:19xi32
// RUN: tilewright run %s --target=sm_80 --device=emulator --grid=1,19 --num-warps=4 --arg=arange:4xi32 --arg=poison:19xi32 --compare=1=%t.npy
// RUN: tilewright run %t.mlir --target=sm_80 --device=emulator --grid=40 --num-warps=4 --arg=arange:4xi32 --arg=%t.npy=poison:40xi32
// RUN: tilewright run %s --target=sm_80 --device=emulator --grid=40 --num-warps=4 --arg=arange:4xi32 --arg=poison:40xi32 --compare=1=%t.npy

// ORDERED: %nctaid.y
// KEPT-NOT: %nctaid.y
tt.func public @triangle(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c100 = arith.constant 100 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %first = tt.load %p : !tt.ptr<i32>
  %end = arith.addi %x, %c1 : i32
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %first) -> (i32) : i32 {
    %t = arith.muli %s, %i : i32
    %next = arith.addi %t, %y : i32
    scf.yield %next : i32
  }
  %whole = arith.muli %x, %c100 : i32
  %value = arith.addi %sum, %whole : i32
  %gx = tt.get_num_programs x : i32
  %before = arith.muli %y, %gx : i32
  %at = arith.addi %before, %x : i32
  %to = tt.addptr %out, %at : !tt.ptr<i32>, i32
  tt.store %to, %value : !tt.ptr<i32>
  tt.return
}
