// A product whose sums take more registers than the threads of four warps have
// runs in eight: in four it spilled, and was none of warp groups.

// RUN: tilewright compile %s --target=sm_80 --remarks --emit=tilegpu -o %t.tilegpu 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=WARPS --input-file=%t.tilegpu
// RUN: tilewright compile %s --target=sm_90a --remarks --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=GROUPS --input-file=%t.ptx
// REMARK: warps-for-sums.mlir:[[#@LINE+59]]:11: remark: uses 8 warps for 4: the sums of this product take 256 registers of a thread, and it has 255
// REMARK-NOT: uses 8 warps
// WARPS: tt.func public @product({{.*}}tilegpu.num_warps = 8 : i32
// GROUPS: .reqntid 256
// GROUPS: wgmma.mma_async

// Their number is doubled as often as it takes, and launchers are told.
// RUN: tilewright compile %s --target=sm_80 --num-warps=1 --remarks --emit=artifact-json --machine-code=false -o - 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: remark: uses 8 warps for 1: the sums of this product take 1024 registers of a thread, and it has 255
// ONE: "num_warps": 8

// It computes what programs of 64 rows do, which need no more warps.
// RUN: sed 's/256/64/g' %s > %t.mlir
// RUN: tilewright compile %t.mlir --target=sm_80 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: tilewright run %t.mlir --device=emulator --target=sm_80 --grid=4 --arg=random:256x16xf16:1 --arg=random:16x128xf16:2 --arg=%t.npy=poison:256x128xf32
// RUN: tilewright run %s --device=emulator --target=sm_80 --arg=random:256x16xf16:1 --arg=random:16x128xf16:2 --arg=poison:256x128xf32 --compare=2=%t.npy
// RUN: tilewright run %s --device=emulator --target=sm_90a --arg=random:256x16xf16:1 --arg=random:16x128xf16:2 --arg=poison:256x128xf32 --compare=2=%t.npy

// It is as asked for where all registers of a multiprocessor are too few, and
// where assembly reads the thread's number.
// RUN: sed 's/128/256/g' %s > %t.mlir
// RUN: tilewright compile %t.mlir --target=sm_80 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: sed 's/"mov.u32 $0, $1;"/"mov.u32 $0, %%tid.x;"/' %s > %t.mlir
// RUN: grep 'tid' %t.mlir
// RUN: tilewright compile %t.mlir --target=sm_80 --remarks --emit=tilegpu -o - 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED-NOT: uses 8 warps
// ASKED: tt.func public @product({{.*}}tilegpu.num_warps = 4 : i32

tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %id = tt.get_program_id x : i32
  %program = tt.elementwise_inline_asm "mov.u32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %id : i32 -> i32
  %c256 = arith.constant 256 : i32
  %first = arith.muli %program, %c256 : i32
  %firsts = tt.splat %first : i32 -> tensor<256xi32>
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %row = arith.addi %firsts, %i : tensor<256xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %k = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %across = tt.expand_dims %k {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %down = tt.expand_dims %k {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %j = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %aw = arith.constant dense<16> : tensor<256x1xi32>
  %ar = arith.muli %rows, %aw : tensor<256x1xi32>
  %ars = tt.broadcast %ar : tensor<256x1xi32> -> tensor<256x16xi32>
  %acs = tt.broadcast %across : tensor<1x16xi32> -> tensor<256x16xi32>
  %ao = arith.addi %ars, %acs : tensor<256x16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<256x16x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<256x16x!tt.ptr<f16>>, tensor<256x16xi32>
  %x = tt.load %ap : tensor<256x16x!tt.ptr<f16>>
  %bw = arith.constant dense<128> : tensor<16x1xi32>
  %br = arith.muli %down, %bw : tensor<16x1xi32>
  %brs = tt.broadcast %br : tensor<16x1xi32> -> tensor<16x128xi32>
  %bcs = tt.broadcast %columns : tensor<1x128xi32> -> tensor<16x128xi32>
  %bo = arith.addi %brs, %bcs : tensor<16x128xi32>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<16x128x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<16x128x!tt.ptr<f16>>, tensor<16x128xi32>
  %y = tt.load %bp : tensor<16x128x!tt.ptr<f16>>
  %sums = tt.dot %x, %y, %zero : tensor<256x16xf16> * tensor<16x128xf16> -> tensor<256x128xf32>
  %cw = arith.constant dense<128> : tensor<256x1xi32>
  %cr = arith.muli %rows, %cw : tensor<256x1xi32>
  %crs = tt.broadcast %cr : tensor<256x1xi32> -> tensor<256x128xi32>
  %ccs = tt.broadcast %columns : tensor<1x128xi32> -> tensor<256x128xi32>
  %co = arith.addi %crs, %ccs : tensor<256x128xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<256x128x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<256x128x!tt.ptr<f32>>, tensor<256x128xi32>
  tt.store %cp, %sums : tensor<256x128x!tt.ptr<f32>>
  tt.return
}
