// Boxes at rows that a table names, which nobody knows not to be negative, and which
// are: in front of the matrix that they are counted from. The same bits as by
// cp.async, where the stride is a constant, and where it is an argument.

// RUN: tilewright compile %s --target=sm_90a --bulk-copies --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry constant(
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.3d
// PTX-LABEL: .entry argument(
// PTX-NOT: cp.async.c
// PTX: cp.async.bulk.tensor.3d

// RUN: tilewright compile %s --target=sm_90a --bulk-copies --emit=artifact-json -o - | FileCheck %s --check-prefix=JSON
// JSON: "signed_dimensions": [

// RUN: tilewright run %s --kernel=constant --target=sm_90a --device=emulator --bulk-copies=false --arg=random:64x320xf16:1 --arg=random:640x64xf16:2 --arg=%t.c.npy=poison:64x64xf32 --arg=arange:5xi32 --arg=i32:5 --arg=i32:64 --arg=i32:8192
// RUN: tilewright run %s --kernel=constant --target=sm_90a --device=emulator --bulk-copies --arg=random:64x320xf16:1 --arg=random:640x64xf16:2 --arg=poison:64x64xf32 --arg=arange:5xi32 --arg=i32:5 --arg=i32:64 --arg=i32:8192 --compare=2=%t.c.npy
// RUN: tilewright run %s --kernel=constant --target=sm_90a --device=emulator --seed=5 --bulk-copies --arg=random:64x320xf16:1 --arg=random:640x64xf16:2 --arg=poison:64x64xf32 --arg=arange:5xi32 --arg=i32:5 --arg=i32:64 --arg=i32:8192 --compare=2=%t.c.npy
// RUN: tilewright run %s --kernel=argument --target=sm_90a --device=emulator --bulk-copies=false --arg=random:64x320xf16:1 --arg=random:640x64xf16:2 --arg=%t.a.npy=poison:64x64xf32 --arg=arange:5xi32 --arg=i32:5 --arg=i32:64 --arg=i32:8192
// RUN: tilewright run %s --kernel=argument --target=sm_90a --device=emulator --bulk-copies --arg=random:64x320xf16:1 --arg=random:640x64xf16:2 --arg=poison:64x64xf32 --arg=arange:5xi32 --arg=i32:5 --arg=i32:64 --arg=i32:8192 --compare=2=%t.a.npy
// RUN: tilewright run %s --kernel=argument --target=sm_90a --device=emulator --seed=5 --bulk-copies --arg=random:64x320xf16:1 --arg=random:640x64xf16:2 --arg=poison:64x64xf32 --arg=arange:5xi32 --arg=i32:5 --arg=i32:64 --arg=i32:8192 --compare=2=%t.a.npy
// RUN: tilewright run %s --kernel=argument --target=sm_90a --device=emulator --specialize-warps --arg=random:64x320xf16:1 --arg=random:640x64xf16:2 --arg=poison:64x64xf32 --arg=arange:5xi32 --arg=i32:5 --arg=i32:64 --arg=i32:8192 --compare=2=%t.a.npy

// RUN: tilewright-opt %s --tilewright="target=sm_90a num-warps=4 num-stages=2 bulk-copies=true" --validate-passes -o /dev/null

tt.func public @constant(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %table: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32, %s: i32 {tt.divisibility = 8 : i32}, %plane: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %step = arith.constant dense<64> : tensor<64x64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %widths = arith.constant dense<320> : tensor<64x1xi32>
  %aRow = arith.muli %row, %widths : tensor<64x1xi32>
  %aRows = tt.broadcast %aRow : tensor<64x1xi32> -> tensor<64x64xi32>
  %aAt = arith.addi %aRows, %columns : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %a0 = tt.addptr %as, %aAt : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %x = tt.get_program_id x : i32
  %x1 = arith.addi %x, %c1 : i32
  %skipped = arith.muli %x1, %plane : i32
  %matrix = tt.addptr %b, %skipped : !tt.ptr<f16>, i32
  %bs = tt.splat %matrix : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %strides = tt.splat %c64 : i32 -> tensor<64x1xi32>
  %first = tt.load %table : !tt.ptr<i32>
  %result:3 = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero, %ap = %a0, %begin = %first) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, i32) : i32 {
    %block = arith.subi %begin, %c1 : i32
    %begin64 = arith.muli %block, %c64 : i32
    %begins = tt.splat %begin64 : i32 -> tensor<64x1xi32>
    %bRow = arith.addi %begins, %row : tensor<64x1xi32>
    %bStep = arith.muli %bRow, %strides : tensor<64x1xi32>
    %bSteps = tt.broadcast %bStep : tensor<64x1xi32> -> tensor<64x64xi32>
    %bAt = arith.addi %bSteps, %columns : tensor<64x64xi32>
    %bp = tt.addptr %bs, %bAt : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %left = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
    %right = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
    %next = tt.dot %left, %right, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %ap1 = tt.addptr %ap, %step : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %i1 = arith.addi %i, %c1 : i32
    %isThere = arith.cmpi slt, %i1, %count : i32
    %at = tt.addptr %table, %i1 : !tt.ptr<i32>, i32
    %then = tt.load %at, %isThere : !tt.ptr<i32>
    scf.yield %next, %ap1, %then : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, i32
  }
  %cRows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cStep = arith.muli %cRows, %step : tensor<64x64xi32>
  %cAt = arith.addi %cStep, %columns : tensor<64x64xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %cAt : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %cp, %result#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

tt.func public @argument(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %table: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32, %s: i32 {tt.divisibility = 8 : i32}, %plane: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %step = arith.constant dense<64> : tensor<64x64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %widths = arith.constant dense<320> : tensor<64x1xi32>
  %aRow = arith.muli %row, %widths : tensor<64x1xi32>
  %aRows = tt.broadcast %aRow : tensor<64x1xi32> -> tensor<64x64xi32>
  %aAt = arith.addi %aRows, %columns : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %a0 = tt.addptr %as, %aAt : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %x = tt.get_program_id x : i32
  %x1 = arith.addi %x, %c1 : i32
  %skipped = arith.muli %x1, %plane : i32
  %matrix = tt.addptr %b, %skipped : !tt.ptr<f16>, i32
  %bs = tt.splat %matrix : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %strides = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = tt.load %table : !tt.ptr<i32>
  %result:3 = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero, %ap = %a0, %begin = %first) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, i32) : i32 {
    %block = arith.subi %begin, %c1 : i32
    %begin64 = arith.muli %block, %c64 : i32
    %begins = tt.splat %begin64 : i32 -> tensor<64x1xi32>
    %bRow = arith.addi %begins, %row : tensor<64x1xi32>
    %bStep = arith.muli %bRow, %strides : tensor<64x1xi32>
    %bSteps = tt.broadcast %bStep : tensor<64x1xi32> -> tensor<64x64xi32>
    %bAt = arith.addi %bSteps, %columns : tensor<64x64xi32>
    %bp = tt.addptr %bs, %bAt : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %left = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
    %right = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
    %next = tt.dot %left, %right, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %ap1 = tt.addptr %ap, %step : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %i1 = arith.addi %i, %c1 : i32
    %isThere = arith.cmpi slt, %i1, %count : i32
    %at = tt.addptr %table, %i1 : !tt.ptr<i32>, i32
    %then = tt.load %at, %isThere : !tt.ptr<i32>
    scf.yield %next, %ap1, %then : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, i32
  }
  %cRows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cStep = arith.muli %cRows, %step : tensor<64x64xi32>
  %cAt = arith.addi %cStep, %columns : tensor<64x64xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %cAt : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %cp, %result#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
