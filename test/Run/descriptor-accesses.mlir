// Rows that indices pick from a tensor by its descriptor, and updates of blocks:
// against the same by loads, arithmetic and stores.

// Rows in reverse, some of them outside, through a gather and a scatter.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.npy=arange:37x45xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=rows --grid=5,2 --arg=arange:37x45xf32 --arg=poison:37x45xf32 --compare=1=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=short_rows --grid=5,2 --arg=arange:37x45xf32 --arg=poison:37x45xf32 --compare=1=%t.npy
// What is outside is padded: 8 x 32 elements, of which row 1 and columns below 16
// are inside.
// RUN: tilewright run %s --kernel=padding_expected --device=emulator --arg=%t.padding.npy=poison:8x32xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=padding --arg=arange:4x32xf32:0:0 --arg=poison:8x32xf32 --compare=1=%t.padding.npy

// Updates of blocks that lie in part outside, each in a plane of its own. The
// bits of bf16 come as i16, from about 10^-3 on.
// RUN: tilewright run %s --kernel=calculated_si32 --device=emulator --arg=%t.si32.npy=random:4096xi32:1 --arg=random:4096xi32:2
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=updated_si32 --arg=random:4096xi32:1 --arg=random:4096xi32:2 --compare=0=%t.si32.npy
// RUN: tilewright run %s --kernel=calculated_ui32 --device=emulator --arg=%t.ui32.npy=random:1024xi32:1 --arg=random:1024xi32:2
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=updated_ui32 --arg=random:1024xi32:1 --arg=random:1024xi32:2 --compare=0=%t.ui32.npy
// RUN: tilewright run %s --kernel=calculated_si64 --device=emulator --arg=%t.si64.npy=random:2048xi64:1 --arg=random:2048xi64:2
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=updated_si64 --arg=random:2048xi64:1 --arg=random:2048xi64:2 --compare=0=%t.si64.npy
// RUN: tilewright run %s --kernel=calculated_ui64 --device=emulator --arg=%t.ui64.npy=random:1024xi64:1 --arg=random:1024xi64:2
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=updated_ui64 --arg=random:1024xi64:1 --arg=random:1024xi64:2 --compare=0=%t.ui64.npy
// RUN: tilewright run %s --kernel=calculated_f16 --device=emulator --arg=%t.f16.npy=random:1536xf16:1 --arg=random:1536xf16:2
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=updated_f16 --arg=random:1536xf16:1 --arg=random:1536xf16:2 --compare=0=%t.f16.npy
// RUN: tilewright run %s --kernel=calculated_bf16 --device=emulator --arg=%t.bf16.npy=arange:1536xi16:15000 --arg=arange:1536xi16:16536:-1
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=updated_bf16 --arg=arange:1536xi16:15000 --arg=arange:1536xi16:16536:-1 --compare=0=%t.bf16.npy
// RUN: tilewright run %s --kernel=calculated_f32 --device=emulator --arg=%t.f32.npy=random:512xf32:1 --arg=random:512xf32:2
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=updated_f32 --arg=random:512xf32:1 --arg=random:512xf32:2 --compare=0=%t.f32.npy
// RUN: tilewright run %s --kernel=calculated_f64 --device=emulator --arg=%t.f64.npy=random:512xf64:1 --arg=random:512xf64:2
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=updated_f64 --arg=random:512xf64:1 --arg=random:512xf64:2 --compare=0=%t.f64.npy
// RUN: tilewright-opt %s --tilewright="target=sm_80" --validate-passes -o /dev/null

tt.func public @nothing(%x: !tt.ptr<f32>) {
  tt.return
}

// Rows 38 to -1: two of them are outside.
tt.func public @rows(%X: !tt.tensordesc<1x32xf32>, %Y: !tt.tensordesc<1x32xf32>) {
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %row = tt.get_program_id x : i32
  %column = tt.get_program_id y : i32
  %first = arith.muli %row, %c8 : i32
  %j = arith.muli %column, %c32 : i32
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %firsts = tt.splat %first : i32 -> tensor<8xi32>
  %forward = arith.addi %firsts, %i : tensor<8xi32>
  %last = arith.constant dense<38> : tensor<8xi32>
  %reversed = arith.subi %last, %forward : tensor<8xi32>
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %rows = arith.addi %reversed, %zeros : tensor<8xi32>
  %v = tt.descriptor_gather %X[%rows, %j] : (!tt.tensordesc<1x32xf32>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  tt.descriptor_scatter %Y[%rows, %j], %v : !tt.tensordesc<1x32xf32>, tensor<8xi32>, i32, tensor<8x32xf32>
  tt.return
}

tt.func public @short_rows(%X: !tt.tensordesc<1x32xf32>, %Y: !tt.tensordesc<1x32xf32>) {
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %row = tt.get_program_id x : i32
  %column = tt.get_program_id y : i32
  %first = arith.muli %row, %c8 : i32
  %j = arith.muli %column, %c32 : i32
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %firsts = tt.splat %first : i32 -> tensor<8xi32>
  %forward = arith.addi %firsts, %i : tensor<8xi32>
  %last = arith.constant dense<38> : tensor<8xi32>
  %reversed = arith.subi %last, %forward : tensor<8xi32>
  %rows = arith.trunci %reversed : tensor<8xi32> to tensor<8xi16>
  %v = tt.descriptor_gather %X[%rows, %j] : (!tt.tensordesc<1x32xf32>, tensor<8xi16>, i32) -> tensor<8x32xf32>
  tt.descriptor_scatter %Y[%rows, %j], %v : !tt.tensordesc<1x32xf32>, tensor<8xi16>, i32, tensor<8x32xf32>
  tt.return
}

tt.func private @write(%y: !tt.ptr<f32>, %v: tensor<8x32xf32>) {
  %flat = tt.reshape %v : tensor<8x32xf32> -> tensor<256xf32>
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %base = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %to = tt.addptr %base, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %to, %flat : tensor<256x!tt.ptr<f32>>
  tt.return
}

// 1 where the padding, NaN, is; 0 inside.
tt.func public @padding(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %X = tt.make_tensor_descriptor %x, [%c4, %c32], [%stride, %unit] {padding = 2 : i32} : !tt.ptr<f32>, !tt.tensordesc<1x32xf32>
  %rows = arith.constant dense<[-1, 1, -2147483648, 4, 5, 2147483647, 100, -5]> : tensor<8xi32>
  %v = tt.descriptor_gather %X[%rows, %c16] : (!tt.tensordesc<1x32xf32>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  %is = arith.cmpf uno, %v, %v : tensor<8x32xf32>
  %r = arith.uitofp %is : tensor<8x32xi1> to tensor<8x32xf32>
  tt.call @write(%y, %r) : (!tt.ptr<f32>, tensor<8x32xf32>) -> ()
  tt.return
}

tt.func public @padding_expected(%y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<8xi32>
  %c16 = arith.constant dense<16> : tensor<32xi32>
  %row = arith.cmpi eq, %i, %one : tensor<8xi32>
  %column = arith.cmpi slt, %j, %c16 : tensor<32xi32>
  %row2 = tt.expand_dims %row {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %column2 = tt.expand_dims %column {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
  %rows = tt.broadcast %row2 : tensor<8x1xi1> -> tensor<8x32xi1>
  %columns = tt.broadcast %column2 : tensor<1x32xi1> -> tensor<8x32xi1>
  %inside = arith.andi %rows, %columns : tensor<8x32xi1>
  %zeros = arith.constant dense<0.0> : tensor<8x32xf32>
  %ones = arith.constant dense<1.0> : tensor<8x32xf32>
  %r = arith.select %inside, %zeros, %ones : tensor<8x32xi1>, tensor<8x32xf32>
  tt.call @write(%y, %r) : (!tt.ptr<f32>, tensor<8x32xf32>) -> ()
  tt.return
}

tt.func public @updated_si32(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_si32(%x, %y, %c0) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @add_si32(%x, %c0, %r0) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_si32(%x, %y, %c1) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @min_si32(%x, %c1, %r1) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c2 = arith.constant 2 : i32
  %r2 = tt.call @read_si32(%x, %y, %c2) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @max_si32(%x, %c2, %r2) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c3 = arith.constant 3 : i32
  %r3 = tt.call @read_si32(%x, %y, %c3) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @inc_si32(%x, %c3, %r3) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c4 = arith.constant 4 : i32
  %r4 = tt.call @read_si32(%x, %y, %c4) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @dec_si32(%x, %c4, %r4) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c5 = arith.constant 5 : i32
  %r5 = tt.call @read_si32(%x, %y, %c5) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @and_si32(%x, %c5, %r5) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c6 = arith.constant 6 : i32
  %r6 = tt.call @read_si32(%x, %y, %c6) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @or_si32(%x, %c6, %r6) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c7 = arith.constant 7 : i32
  %r7 = tt.call @read_si32(%x, %y, %c7) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @xor_si32(%x, %c7, %r7) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  tt.return
}

tt.func public @calculated_si32(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_si32(%x, %y, %c0) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @add_of_si32(%x, %c0, %r0) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_si32(%x, %y, %c1) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @min_of_si32(%x, %c1, %r1) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c2 = arith.constant 2 : i32
  %r2 = tt.call @read_si32(%x, %y, %c2) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @max_of_si32(%x, %c2, %r2) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c3 = arith.constant 3 : i32
  %r3 = tt.call @read_si32(%x, %y, %c3) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @inc_of_si32(%x, %c3, %r3) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c4 = arith.constant 4 : i32
  %r4 = tt.call @read_si32(%x, %y, %c4) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @dec_of_si32(%x, %c4, %r4) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c5 = arith.constant 5 : i32
  %r5 = tt.call @read_si32(%x, %y, %c5) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @and_of_si32(%x, %c5, %r5) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c6 = arith.constant 6 : i32
  %r6 = tt.call @read_si32(%x, %y, %c6) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @or_of_si32(%x, %c6, %r6) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c7 = arith.constant 7 : i32
  %r7 = tt.call @read_si32(%x, %y, %c7) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @xor_of_si32(%x, %c7, %r7) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  tt.return
}

tt.func private @read_si32(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %plane: i32) -> tensor<8x16xi32> {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %q = tt.addptr %y, %first : !tt.ptr<i32>, i32
  %Q = tt.make_tensor_descriptor %q, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %c0 = arith.constant 0 : i32
  %v = tt.descriptor_load %Q[%c0, %c0] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  tt.return %v : tensor<8x16xi32>
}

tt.func private @add_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  tt.descriptor_reduce add, %P[%i, %j], %v : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @add_of_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %n = arith.addi %old, %v : tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @min_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  tt.descriptor_reduce min, %P[%i, %j], %v : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @min_of_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %n = arith.minsi %old, %v : tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @max_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  tt.descriptor_reduce max, %P[%i, %j], %v : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @max_of_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %n = arith.maxsi %old, %v : tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @inc_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  tt.descriptor_reduce inc, %P[%i, %j], %v : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @inc_of_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %one = arith.constant dense<1> : tensor<8x16xi32>
  %zero = arith.constant dense<0> : tensor<8x16xi32>
  %inc = arith.addi %old, %one : tensor<8x16xi32>
  %wraps = arith.cmpi uge, %old, %v : tensor<8x16xi32>
  %n = arith.select %wraps, %zero, %inc : tensor<8x16xi1>, tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @dec_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  tt.descriptor_reduce dec, %P[%i, %j], %v : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @dec_of_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %one = arith.constant dense<1> : tensor<8x16xi32>
  %zero = arith.constant dense<0> : tensor<8x16xi32>
  %dec = arith.subi %old, %one : tensor<8x16xi32>
  %is0 = arith.cmpi eq, %old, %zero : tensor<8x16xi32>
  %above = arith.cmpi ugt, %old, %v : tensor<8x16xi32>
  %wraps = arith.ori %is0, %above : tensor<8x16xi1>
  %n = arith.select %wraps, %v, %dec : tensor<8x16xi1>, tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @and_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  tt.descriptor_reduce and, %P[%i, %j], %v : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @and_of_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %n = arith.andi %old, %v : tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @or_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  tt.descriptor_reduce or, %P[%i, %j], %v : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @or_of_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %n = arith.ori %old, %v : tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @xor_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  tt.descriptor_reduce xor, %P[%i, %j], %v : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func private @xor_of_si32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xsi32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %n = arith.xori %old, %v : tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi32>, tensor<8x16xi32>
  tt.return
}

tt.func public @updated_ui32(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_ui32(%x, %y, %c0) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @min_ui32(%x, %c0, %r0) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_ui32(%x, %y, %c1) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @max_ui32(%x, %c1, %r1) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  tt.return
}

tt.func public @calculated_ui32(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_ui32(%x, %y, %c0) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @min_of_ui32(%x, %c0, %r0) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_ui32(%x, %y, %c1) : (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> tensor<8x16xi32>
  tt.call @max_of_ui32(%x, %c1, %r1) : (!tt.ptr<i32>, i32, tensor<8x16xi32>) -> ()
  tt.return
}

tt.func private @read_ui32(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %plane: i32) -> tensor<8x16xi32> {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %q = tt.addptr %y, %first : !tt.ptr<i32>, i32
  %Q = tt.make_tensor_descriptor %q, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xui32>
  %c0 = arith.constant 0 : i32
  %v = tt.descriptor_load %Q[%c0, %c0] : !tt.tensordesc<8x16xui32> -> tensor<8x16xi32>
  tt.return %v : tensor<8x16xi32>
}

tt.func private @min_ui32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xui32>
  tt.descriptor_reduce min, %P[%i, %j], %v : !tt.tensordesc<8x16xui32>, tensor<8x16xi32>
  tt.return
}

tt.func private @min_of_ui32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xui32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xui32> -> tensor<8x16xi32>
  %n = arith.minui %old, %v : tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xui32>, tensor<8x16xi32>
  tt.return
}

tt.func private @max_ui32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xui32>
  tt.descriptor_reduce max, %P[%i, %j], %v : !tt.tensordesc<8x16xui32>, tensor<8x16xi32>
  tt.return
}

tt.func private @max_of_ui32(%x: !tt.ptr<i32>, %plane: i32, %v: tensor<8x16xi32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i32>, !tt.tensordesc<8x16xui32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xui32> -> tensor<8x16xi32>
  %n = arith.maxui %old, %v : tensor<8x16xi32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xui32>, tensor<8x16xi32>
  tt.return
}

tt.func public @updated_si64(%x: !tt.ptr<i64>, %y: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_si64(%x, %y, %c0) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @add_si64(%x, %c0, %r0) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_si64(%x, %y, %c1) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @min_si64(%x, %c1, %r1) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  %c2 = arith.constant 2 : i32
  %r2 = tt.call @read_si64(%x, %y, %c2) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @max_si64(%x, %c2, %r2) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  %c3 = arith.constant 3 : i32
  %r3 = tt.call @read_si64(%x, %y, %c3) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @xor_si64(%x, %c3, %r3) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  tt.return
}

tt.func public @calculated_si64(%x: !tt.ptr<i64>, %y: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_si64(%x, %y, %c0) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @add_of_si64(%x, %c0, %r0) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_si64(%x, %y, %c1) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @min_of_si64(%x, %c1, %r1) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  %c2 = arith.constant 2 : i32
  %r2 = tt.call @read_si64(%x, %y, %c2) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @max_of_si64(%x, %c2, %r2) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  %c3 = arith.constant 3 : i32
  %r3 = tt.call @read_si64(%x, %y, %c3) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @xor_of_si64(%x, %c3, %r3) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  tt.return
}

tt.func private @read_si64(%x: !tt.ptr<i64>, %y: !tt.ptr<i64>, %plane: i32) -> tensor<8x16xi64> {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %q = tt.addptr %y, %first : !tt.ptr<i64>, i32
  %Q = tt.make_tensor_descriptor %q, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  %c0 = arith.constant 0 : i32
  %v = tt.descriptor_load %Q[%c0, %c0] : !tt.tensordesc<8x16xsi64> -> tensor<8x16xi64>
  tt.return %v : tensor<8x16xi64>
}

tt.func private @add_si64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  tt.descriptor_reduce add, %P[%i, %j], %v : !tt.tensordesc<8x16xsi64>, tensor<8x16xi64>
  tt.return
}

tt.func private @add_of_si64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi64> -> tensor<8x16xi64>
  %n = arith.addi %old, %v : tensor<8x16xi64>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi64>, tensor<8x16xi64>
  tt.return
}

tt.func private @min_si64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  tt.descriptor_reduce min, %P[%i, %j], %v : !tt.tensordesc<8x16xsi64>, tensor<8x16xi64>
  tt.return
}

tt.func private @min_of_si64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi64> -> tensor<8x16xi64>
  %n = arith.minsi %old, %v : tensor<8x16xi64>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi64>, tensor<8x16xi64>
  tt.return
}

tt.func private @max_si64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  tt.descriptor_reduce max, %P[%i, %j], %v : !tt.tensordesc<8x16xsi64>, tensor<8x16xi64>
  tt.return
}

tt.func private @max_of_si64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi64> -> tensor<8x16xi64>
  %n = arith.maxsi %old, %v : tensor<8x16xi64>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi64>, tensor<8x16xi64>
  tt.return
}

tt.func private @xor_si64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  tt.descriptor_reduce xor, %P[%i, %j], %v : !tt.tensordesc<8x16xsi64>, tensor<8x16xi64>
  tt.return
}

tt.func private @xor_of_si64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xsi64>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xsi64> -> tensor<8x16xi64>
  %n = arith.xori %old, %v : tensor<8x16xi64>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xsi64>, tensor<8x16xi64>
  tt.return
}

tt.func public @updated_ui64(%x: !tt.ptr<i64>, %y: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_ui64(%x, %y, %c0) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @min_ui64(%x, %c0, %r0) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_ui64(%x, %y, %c1) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @max_ui64(%x, %c1, %r1) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  tt.return
}

tt.func public @calculated_ui64(%x: !tt.ptr<i64>, %y: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_ui64(%x, %y, %c0) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @min_of_ui64(%x, %c0, %r0) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_ui64(%x, %y, %c1) : (!tt.ptr<i64>, !tt.ptr<i64>, i32) -> tensor<8x16xi64>
  tt.call @max_of_ui64(%x, %c1, %r1) : (!tt.ptr<i64>, i32, tensor<8x16xi64>) -> ()
  tt.return
}

tt.func private @read_ui64(%x: !tt.ptr<i64>, %y: !tt.ptr<i64>, %plane: i32) -> tensor<8x16xi64> {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %q = tt.addptr %y, %first : !tt.ptr<i64>, i32
  %Q = tt.make_tensor_descriptor %q, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xui64>
  %c0 = arith.constant 0 : i32
  %v = tt.descriptor_load %Q[%c0, %c0] : !tt.tensordesc<8x16xui64> -> tensor<8x16xi64>
  tt.return %v : tensor<8x16xi64>
}

tt.func private @min_ui64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xui64>
  tt.descriptor_reduce min, %P[%i, %j], %v : !tt.tensordesc<8x16xui64>, tensor<8x16xi64>
  tt.return
}

tt.func private @min_of_ui64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xui64>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xui64> -> tensor<8x16xi64>
  %n = arith.minui %old, %v : tensor<8x16xi64>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xui64>, tensor<8x16xi64>
  tt.return
}

tt.func private @max_ui64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xui64>
  tt.descriptor_reduce max, %P[%i, %j], %v : !tt.tensordesc<8x16xui64>, tensor<8x16xi64>
  tt.return
}

tt.func private @max_of_ui64(%x: !tt.ptr<i64>, %plane: i32, %v: tensor<8x16xi64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<i64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<i64>, !tt.tensordesc<8x16xui64>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xui64> -> tensor<8x16xi64>
  %n = arith.maxui %old, %v : tensor<8x16xi64>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xui64>, tensor<8x16xi64>
  tt.return
}

tt.func public @updated_f16(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_f16(%x, %y, %c0) : (!tt.ptr<f16>, !tt.ptr<f16>, i32) -> tensor<8x16xf16>
  tt.call @add_f16(%x, %c0, %r0) : (!tt.ptr<f16>, i32, tensor<8x16xf16>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_f16(%x, %y, %c1) : (!tt.ptr<f16>, !tt.ptr<f16>, i32) -> tensor<8x16xf16>
  tt.call @min_f16(%x, %c1, %r1) : (!tt.ptr<f16>, i32, tensor<8x16xf16>) -> ()
  %c2 = arith.constant 2 : i32
  %r2 = tt.call @read_f16(%x, %y, %c2) : (!tt.ptr<f16>, !tt.ptr<f16>, i32) -> tensor<8x16xf16>
  tt.call @max_f16(%x, %c2, %r2) : (!tt.ptr<f16>, i32, tensor<8x16xf16>) -> ()
  tt.return
}

tt.func public @calculated_f16(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_f16(%x, %y, %c0) : (!tt.ptr<f16>, !tt.ptr<f16>, i32) -> tensor<8x16xf16>
  tt.call @add_of_f16(%x, %c0, %r0) : (!tt.ptr<f16>, i32, tensor<8x16xf16>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_f16(%x, %y, %c1) : (!tt.ptr<f16>, !tt.ptr<f16>, i32) -> tensor<8x16xf16>
  tt.call @min_of_f16(%x, %c1, %r1) : (!tt.ptr<f16>, i32, tensor<8x16xf16>) -> ()
  %c2 = arith.constant 2 : i32
  %r2 = tt.call @read_f16(%x, %y, %c2) : (!tt.ptr<f16>, !tt.ptr<f16>, i32) -> tensor<8x16xf16>
  tt.call @max_of_f16(%x, %c2, %r2) : (!tt.ptr<f16>, i32, tensor<8x16xf16>) -> ()
  tt.return
}

tt.func private @read_f16(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %plane: i32) -> tensor<8x16xf16> {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %q = tt.addptr %y, %first : !tt.ptr<f16>, i32
  %Q = tt.make_tensor_descriptor %q, [%rows, %columns], [%stride, %unit] : !tt.ptr<f16>, !tt.tensordesc<8x16xf16>
  %c0 = arith.constant 0 : i32
  %v = tt.descriptor_load %Q[%c0, %c0] : !tt.tensordesc<8x16xf16> -> tensor<8x16xf16>
  tt.return %v : tensor<8x16xf16>
}

tt.func private @add_f16(%x: !tt.ptr<f16>, %plane: i32, %v: tensor<8x16xf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f16>, !tt.tensordesc<8x16xf16>
  tt.descriptor_reduce add, %P[%i, %j], %v : !tt.tensordesc<8x16xf16>, tensor<8x16xf16>
  tt.return
}

tt.func private @add_of_f16(%x: !tt.ptr<f16>, %plane: i32, %v: tensor<8x16xf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f16>, !tt.tensordesc<8x16xf16>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xf16> -> tensor<8x16xf16>
  %n = arith.addf %old, %v : tensor<8x16xf16>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xf16>, tensor<8x16xf16>
  tt.return
}

tt.func private @min_f16(%x: !tt.ptr<f16>, %plane: i32, %v: tensor<8x16xf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f16>, !tt.tensordesc<8x16xf16>
  tt.descriptor_reduce min, %P[%i, %j], %v : !tt.tensordesc<8x16xf16>, tensor<8x16xf16>
  tt.return
}

tt.func private @min_of_f16(%x: !tt.ptr<f16>, %plane: i32, %v: tensor<8x16xf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f16>, !tt.tensordesc<8x16xf16>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xf16> -> tensor<8x16xf16>
  %n = arith.minnumf %old, %v : tensor<8x16xf16>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xf16>, tensor<8x16xf16>
  tt.return
}

tt.func private @max_f16(%x: !tt.ptr<f16>, %plane: i32, %v: tensor<8x16xf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f16>, !tt.tensordesc<8x16xf16>
  tt.descriptor_reduce max, %P[%i, %j], %v : !tt.tensordesc<8x16xf16>, tensor<8x16xf16>
  tt.return
}

tt.func private @max_of_f16(%x: !tt.ptr<f16>, %plane: i32, %v: tensor<8x16xf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f16>, !tt.tensordesc<8x16xf16>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xf16> -> tensor<8x16xf16>
  %n = arith.maxnumf %old, %v : tensor<8x16xf16>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xf16>, tensor<8x16xf16>
  tt.return
}

tt.func public @updated_bf16(%xs: !tt.ptr<i16>, %ys: !tt.ptr<i16>) {
  %x = tt.bitcast %xs : !tt.ptr<i16> -> !tt.ptr<bf16>
  %y = tt.bitcast %ys : !tt.ptr<i16> -> !tt.ptr<bf16>
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_bf16(%x, %y, %c0) : (!tt.ptr<bf16>, !tt.ptr<bf16>, i32) -> tensor<8x16xbf16>
  tt.call @add_bf16(%x, %c0, %r0) : (!tt.ptr<bf16>, i32, tensor<8x16xbf16>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_bf16(%x, %y, %c1) : (!tt.ptr<bf16>, !tt.ptr<bf16>, i32) -> tensor<8x16xbf16>
  tt.call @min_bf16(%x, %c1, %r1) : (!tt.ptr<bf16>, i32, tensor<8x16xbf16>) -> ()
  %c2 = arith.constant 2 : i32
  %r2 = tt.call @read_bf16(%x, %y, %c2) : (!tt.ptr<bf16>, !tt.ptr<bf16>, i32) -> tensor<8x16xbf16>
  tt.call @max_bf16(%x, %c2, %r2) : (!tt.ptr<bf16>, i32, tensor<8x16xbf16>) -> ()
  tt.return
}

tt.func public @calculated_bf16(%xs: !tt.ptr<i16>, %ys: !tt.ptr<i16>) {
  %x = tt.bitcast %xs : !tt.ptr<i16> -> !tt.ptr<bf16>
  %y = tt.bitcast %ys : !tt.ptr<i16> -> !tt.ptr<bf16>
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_bf16(%x, %y, %c0) : (!tt.ptr<bf16>, !tt.ptr<bf16>, i32) -> tensor<8x16xbf16>
  tt.call @add_of_bf16(%x, %c0, %r0) : (!tt.ptr<bf16>, i32, tensor<8x16xbf16>) -> ()
  %c1 = arith.constant 1 : i32
  %r1 = tt.call @read_bf16(%x, %y, %c1) : (!tt.ptr<bf16>, !tt.ptr<bf16>, i32) -> tensor<8x16xbf16>
  tt.call @min_of_bf16(%x, %c1, %r1) : (!tt.ptr<bf16>, i32, tensor<8x16xbf16>) -> ()
  %c2 = arith.constant 2 : i32
  %r2 = tt.call @read_bf16(%x, %y, %c2) : (!tt.ptr<bf16>, !tt.ptr<bf16>, i32) -> tensor<8x16xbf16>
  tt.call @max_of_bf16(%x, %c2, %r2) : (!tt.ptr<bf16>, i32, tensor<8x16xbf16>) -> ()
  tt.return
}

tt.func private @read_bf16(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>, %plane: i32) -> tensor<8x16xbf16> {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %q = tt.addptr %y, %first : !tt.ptr<bf16>, i32
  %Q = tt.make_tensor_descriptor %q, [%rows, %columns], [%stride, %unit] : !tt.ptr<bf16>, !tt.tensordesc<8x16xbf16>
  %c0 = arith.constant 0 : i32
  %v = tt.descriptor_load %Q[%c0, %c0] : !tt.tensordesc<8x16xbf16> -> tensor<8x16xbf16>
  tt.return %v : tensor<8x16xbf16>
}

tt.func private @add_bf16(%x: !tt.ptr<bf16>, %plane: i32, %v: tensor<8x16xbf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<bf16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<bf16>, !tt.tensordesc<8x16xbf16>
  tt.descriptor_reduce add, %P[%i, %j], %v : !tt.tensordesc<8x16xbf16>, tensor<8x16xbf16>
  tt.return
}

tt.func private @add_of_bf16(%x: !tt.ptr<bf16>, %plane: i32, %v: tensor<8x16xbf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<bf16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<bf16>, !tt.tensordesc<8x16xbf16>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xbf16> -> tensor<8x16xbf16>
  %n = arith.addf %old, %v : tensor<8x16xbf16>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xbf16>, tensor<8x16xbf16>
  tt.return
}

tt.func private @min_bf16(%x: !tt.ptr<bf16>, %plane: i32, %v: tensor<8x16xbf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<bf16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<bf16>, !tt.tensordesc<8x16xbf16>
  tt.descriptor_reduce min, %P[%i, %j], %v : !tt.tensordesc<8x16xbf16>, tensor<8x16xbf16>
  tt.return
}

tt.func private @min_of_bf16(%x: !tt.ptr<bf16>, %plane: i32, %v: tensor<8x16xbf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<bf16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<bf16>, !tt.tensordesc<8x16xbf16>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xbf16> -> tensor<8x16xbf16>
  %n = arith.minnumf %old, %v : tensor<8x16xbf16>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xbf16>, tensor<8x16xbf16>
  tt.return
}

tt.func private @max_bf16(%x: !tt.ptr<bf16>, %plane: i32, %v: tensor<8x16xbf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<bf16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<bf16>, !tt.tensordesc<8x16xbf16>
  tt.descriptor_reduce max, %P[%i, %j], %v : !tt.tensordesc<8x16xbf16>, tensor<8x16xbf16>
  tt.return
}

tt.func private @max_of_bf16(%x: !tt.ptr<bf16>, %plane: i32, %v: tensor<8x16xbf16>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<bf16>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<bf16>, !tt.tensordesc<8x16xbf16>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xbf16> -> tensor<8x16xbf16>
  %n = arith.maxnumf %old, %v : tensor<8x16xbf16>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xbf16>, tensor<8x16xbf16>
  tt.return
}

tt.func public @updated_f32(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_f32(%x, %y, %c0) : (!tt.ptr<f32>, !tt.ptr<f32>, i32) -> tensor<8x16xf32>
  tt.call @add_f32(%x, %c0, %r0) : (!tt.ptr<f32>, i32, tensor<8x16xf32>) -> ()
  tt.return
}

tt.func public @calculated_f32(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_f32(%x, %y, %c0) : (!tt.ptr<f32>, !tt.ptr<f32>, i32) -> tensor<8x16xf32>
  tt.call @add_of_f32(%x, %c0, %r0) : (!tt.ptr<f32>, i32, tensor<8x16xf32>) -> ()
  tt.return
}

tt.func private @read_f32(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %plane: i32) -> tensor<8x16xf32> {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %q = tt.addptr %y, %first : !tt.ptr<f32>, i32
  %Q = tt.make_tensor_descriptor %q, [%rows, %columns], [%stride, %unit] : !tt.ptr<f32>, !tt.tensordesc<8x16xf32>
  %c0 = arith.constant 0 : i32
  %v = tt.descriptor_load %Q[%c0, %c0] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
  tt.return %v : tensor<8x16xf32>
}

tt.func private @add_f32(%x: !tt.ptr<f32>, %plane: i32, %v: tensor<8x16xf32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f32>, !tt.tensordesc<8x16xf32>
  tt.descriptor_reduce add, %P[%i, %j], %v : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
  tt.return
}

tt.func private @add_of_f32(%x: !tt.ptr<f32>, %plane: i32, %v: tensor<8x16xf32>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f32>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f32>, !tt.tensordesc<8x16xf32>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
  %n = arith.addf %old, %v : tensor<8x16xf32>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
  tt.return
}

tt.func public @updated_f64(%x: !tt.ptr<f64>, %y: !tt.ptr<f64>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_f64(%x, %y, %c0) : (!tt.ptr<f64>, !tt.ptr<f64>, i32) -> tensor<8x16xf64>
  tt.call @add_f64(%x, %c0, %r0) : (!tt.ptr<f64>, i32, tensor<8x16xf64>) -> ()
  tt.return
}

tt.func public @calculated_f64(%x: !tt.ptr<f64>, %y: !tt.ptr<f64>) {
  %c0 = arith.constant 0 : i32
  %r0 = tt.call @read_f64(%x, %y, %c0) : (!tt.ptr<f64>, !tt.ptr<f64>, i32) -> tensor<8x16xf64>
  tt.call @add_of_f64(%x, %c0, %r0) : (!tt.ptr<f64>, i32, tensor<8x16xf64>) -> ()
  tt.return
}

tt.func private @read_f64(%x: !tt.ptr<f64>, %y: !tt.ptr<f64>, %plane: i32) -> tensor<8x16xf64> {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %q = tt.addptr %y, %first : !tt.ptr<f64>, i32
  %Q = tt.make_tensor_descriptor %q, [%rows, %columns], [%stride, %unit] : !tt.ptr<f64>, !tt.tensordesc<8x16xf64>
  %c0 = arith.constant 0 : i32
  %v = tt.descriptor_load %Q[%c0, %c0] : !tt.tensordesc<8x16xf64> -> tensor<8x16xf64>
  tt.return %v : tensor<8x16xf64>
}

tt.func private @add_f64(%x: !tt.ptr<f64>, %plane: i32, %v: tensor<8x16xf64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f64>, !tt.tensordesc<8x16xf64>
  tt.descriptor_reduce add, %P[%i, %j], %v : !tt.tensordesc<8x16xf64>, tensor<8x16xf64>
  tt.return
}

tt.func private @add_of_f64(%x: !tt.ptr<f64>, %plane: i32, %v: tensor<8x16xf64>) {
  %size = arith.constant 512 : i32
  %first = arith.muli %plane, %size : i32
  %rows = arith.constant 16 : i32
  %columns = arith.constant 32 : i32
  %stride = arith.constant 32 : i64
  %unit = arith.constant 1 : i64
  %i = arith.constant -3 : i32
  %j = arith.constant 21 : i32
  %p = tt.addptr %x, %first : !tt.ptr<f64>, i32
  %P = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %unit] : !tt.ptr<f64>, !tt.tensordesc<8x16xf64>
  %old = tt.descriptor_load %P[%i, %j] : !tt.tensordesc<8x16xf64> -> tensor<8x16xf64>
  %n = arith.addf %old, %v : tensor<8x16xf64>
  tt.descriptor_store %P[%i, %j], %n : !tt.tensordesc<8x16xf64>, tensor<8x16xf64>
  tt.return
}
