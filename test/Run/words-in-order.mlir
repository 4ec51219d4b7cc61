// Words of 4-bit codes in the order of dialects/Layout/WordOrder.h, for a dot's
// left operand of m16n8: they are brought into it, and multiplied out of it with
// the same sums as words as they were. A thread's 16 bytes are its operands of
// the whole depth of an iteration, so that loads are as wide as they can be, and
// no word is moved between threads.

// RUN: tilewright run %s --kernel=pack --device=emulator --arg=random:32x256xi8:1 --arg=%t.words.npy=zeros:2048xi32
// RUN: tilewright run %s --kernel=plain --device=emulator --arg=random:32x256xi8:1 --arg=random:8x256xf16:2 --arg=%t.npy=zeros:64x8xf32
// RUN: bash %S/Inputs/on-named-targets.sh "sm_75 sm_80 sm_86 sm_89 sm_90a" tilewright %s --kernel=ordered --grid=1 --arg=%t.words.npy --arg=random:8x256xf16:2 --arg=zeros:64x8xf32 --compare=2=%t.npy@1e-5,1e-3

// RUN: tilewright compile %s --target=sm_75 --num-stages=1 --emit=ptx -o - | FileCheck %s --check-prefix=TURING
// TURING: .entry ordered
// TURING-NOT: {{(ld|st).shared(.v4)?.b32|ld.global.b32}}
// TURING: ld.global.v4.b32
// TURING-NOT: {{st.shared(.v4)?.b32|ld.global.b32}}
// TURING: .entry plain

// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=AMPERE
// AMPERE: .entry ordered
// AMPERE-NOT: {{st.shared|ld.global|ld.shared.b32}}
// AMPERE-COUNT-3: ld.shared.v4.b32
// AMPERE-NOT: {{st.shared|ld.global|ld.shared}}
// AMPERE: .entry plain

// 128 bytes of words a wavefront: no bank conflicts; copies use all of a sector.
// RUN: tilewright run %s --kernel=ordered --device=emulator --arg=%t.words.npy --arg=random:8x256xf16:2 --arg=zeros:64x8xf32 --stats | FileCheck %s --check-prefix=COUNTS
// COUNTS: words-in-order.mlir:{{[0-9]+ +[0-9]+ +[0-9]+ +64 +256 +16384 }}

// The 16 rows of a unit are of 8 lanes and 2 registers, its 8 words along the
// depth of 4 lanes and 2 registers: from the highest bit of an offset down, rows
// 4, 2, 1, words 2, 1, word 4, row 8.
tt.func public @ordered(%words: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %begin = arith.constant 0 : i32
  %end = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  %scale = arith.constant dense<1.0> : tensor<1x1xf16>
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  // A unit is 16 x 8 words; four are along the depth.
  %unit = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %units = tt.expand_dims %unit {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %unitWords = arith.constant dense<512> : tensor<4x1xi32>
  %first = arith.muli %units, %unitWords : tensor<4x1xi32>
  %word = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %inUnit = tt.expand_dims %word {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %firsts = tt.broadcast %first : tensor<4x1xi32> -> tensor<4x128xi32>
  %inUnits = tt.broadcast %inUnit : tensor<1x128xi32> -> tensor<4x128xi32>
  %offsets = arith.addi %firsts, %inUnits : tensor<4x128xi32>
  %base = tt.splat %words : !tt.ptr<i32> -> tensor<4x128x!tt.ptr<i32>>
  %start = tt.addptr %base, %offsets : tensor<4x128x!tt.ptr<i32>>, tensor<4x128xi32>
  %advance = arith.constant dense<128> : tensor<4x128xi32>
  %left = tt.call @activations(%a) : (!tt.ptr<f16>) -> tensor<64x8x!tt.ptr<f16>>
  %ahead = arith.constant dense<64> : tensor<64x8xi32>
  %sum:3 = scf.for %i = %begin to %end step %step iter_args(%s = %zero, %at = %start, %b = %left) -> (tensor<64x8xf32>, tensor<4x128x!tt.ptr<i32>>, tensor<64x8x!tt.ptr<f16>>) : i32 {
    %loaded = tt.load %at : tensor<4x128x!tt.ptr<i32>>
    %split = tt.reshape %loaded : tensor<4x128xi32> -> tensor<4x8x4x2x2xi32>
    %moved = tt.trans %split {order = array<i32: 0, 4, 1, 3, 2>} : tensor<4x8x4x2x2xi32> -> tensor<4x2x8x2x4xi32>
    %tile = tt.reshape %moved : tensor<4x2x8x2x4xi32> -> tensor<64x8xi32>
    %codes = tile.dequantize %tile scale %scale format = unsigned order = even_first {axis = 1 : i32, bits = 4 : i32, group_size = 64 : i32} : tensor<64x8xi32> scale tensor<1x1xf16> -> tensor<64x64xf16>
    %x = tt.load %b : tensor<64x8x!tt.ptr<f16>>
    %t = tt.call @multiply(%codes, %x, %s) : (tensor<64x64xf16>, tensor<64x8xf16>, tensor<64x8xf32>) -> tensor<64x8xf32>
    %next = tt.addptr %at, %advance : tensor<4x128x!tt.ptr<i32>>, tensor<4x128xi32>
    %nextB = tt.addptr %b, %ahead : tensor<64x8x!tt.ptr<f16>>, tensor<64x8xi32>
    scf.yield %t, %next, %nextB : tensor<64x8xf32>, tensor<4x128x!tt.ptr<i32>>, tensor<64x8x!tt.ptr<f16>>
  }
  tt.call @finish(%c, %sum#0) : (!tt.ptr<f32>, tensor<64x8xf32>) -> ()
  tt.return
}

// Words of 32 x 64, the columns next to each other.
tt.func public @plain(%words: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %begin = arith.constant 0 : i32
  %end = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  %scale = arith.constant dense<1.0> : tensor<1x1xf16>
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %start = tt.call @plainWords(%words) : (!tt.ptr<i32>) -> tensor<64x8x!tt.ptr<i32>>
  %advance = arith.constant dense<512> : tensor<64x8xi32>
  %left = tt.call @activations(%a) : (!tt.ptr<f16>) -> tensor<64x8x!tt.ptr<f16>>
  %ahead = arith.constant dense<64> : tensor<64x8xi32>
  %sum:3 = scf.for %i = %begin to %end step %step iter_args(%s = %zero, %at = %start, %b = %left) -> (tensor<64x8xf32>, tensor<64x8x!tt.ptr<i32>>, tensor<64x8x!tt.ptr<f16>>) : i32 {
    %tile = tt.load %at : tensor<64x8x!tt.ptr<i32>>
    %codes = tile.dequantize %tile scale %scale format = unsigned order = even_first {axis = 1 : i32, bits = 4 : i32, group_size = 64 : i32} : tensor<64x8xi32> scale tensor<1x1xf16> -> tensor<64x64xf16>
    %x = tt.load %b : tensor<64x8x!tt.ptr<f16>>
    %t = tt.dot %codes, %x, %s : tensor<64x64xf16> * tensor<64x8xf16> -> tensor<64x8xf32>
    %next = tt.addptr %at, %advance : tensor<64x8x!tt.ptr<i32>>, tensor<64x8xi32>
    %nextB = tt.addptr %b, %ahead : tensor<64x8x!tt.ptr<f16>>, tensor<64x8xi32>
    scf.yield %t, %next, %nextB : tensor<64x8xf32>, tensor<64x8x!tt.ptr<i32>>, tensor<64x8x!tt.ptr<f16>>
  }
  tt.call @finish(%c, %sum#0) : (!tt.ptr<f32>, tensor<64x8xf32>) -> ()
  tt.return
}

tt.func public @pack(%words: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %packed: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %begin = arith.constant 0 : i32
  %end = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  %start = tt.call @plainWords(%words) : (!tt.ptr<i32>) -> tensor<64x8x!tt.ptr<i32>>
  %advance = arith.constant dense<512> : tensor<64x8xi32>
  %unit = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %units = tt.expand_dims %unit {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %unitWords = arith.constant dense<512> : tensor<4x1xi32>
  %first = arith.muli %units, %unitWords : tensor<4x1xi32>
  %word = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %inUnit = tt.expand_dims %word {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %firsts = tt.broadcast %first : tensor<4x1xi32> -> tensor<4x128xi32>
  %inUnits = tt.broadcast %inUnit : tensor<1x128xi32> -> tensor<4x128xi32>
  %offsets = arith.addi %firsts, %inUnits : tensor<4x128xi32>
  %base = tt.splat %packed : !tt.ptr<i32> -> tensor<4x128x!tt.ptr<i32>>
  %to = tt.addptr %base, %offsets : tensor<4x128x!tt.ptr<i32>>, tensor<4x128xi32>
  %ahead = arith.constant dense<128> : tensor<4x128xi32>
  %done:2 = scf.for %i = %begin to %end step %step iter_args(%at = %start, %out = %to) -> (tensor<64x8x!tt.ptr<i32>>, tensor<4x128x!tt.ptr<i32>>) : i32 {
    %tile = tt.load %at : tensor<64x8x!tt.ptr<i32>>
    %split = tt.reshape %tile : tensor<64x8xi32> -> tensor<4x2x8x2x4xi32>
    %moved = tt.trans %split {order = array<i32: 0, 2, 4, 3, 1>} : tensor<4x2x8x2x4xi32> -> tensor<4x8x4x2x2xi32>
    %flat = tt.reshape %moved : tensor<4x8x4x2x2xi32> -> tensor<4x128xi32>
    tt.store %out, %flat : tensor<4x128x!tt.ptr<i32>>
    %next = tt.addptr %at, %advance : tensor<64x8x!tt.ptr<i32>>, tensor<64x8xi32>
    %nextOut = tt.addptr %out, %ahead : tensor<4x128x!tt.ptr<i32>>, tensor<4x128xi32>
    scf.yield %next, %nextOut : tensor<64x8x!tt.ptr<i32>>, tensor<4x128x!tt.ptr<i32>>
  }
  tt.return
}

tt.func private @plainWords(%words: !tt.ptr<i32>) -> tensor<64x8x!tt.ptr<i32>> {
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %n {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %k = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %k {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %size = arith.constant dense<64> : tensor<1x8xi32>
  %rowStarts = arith.muli %rows, %size : tensor<1x8xi32>
  %x = tt.broadcast %columns : tensor<64x1xi32> -> tensor<64x8xi32>
  %y = tt.broadcast %rowStarts : tensor<1x8xi32> -> tensor<64x8xi32>
  %offsets = arith.addi %x, %y : tensor<64x8xi32>
  %base = tt.splat %words : !tt.ptr<i32> -> tensor<64x8x!tt.ptr<i32>>
  %at = tt.addptr %base, %offsets : tensor<64x8x!tt.ptr<i32>>, tensor<64x8xi32>
  tt.return %at : tensor<64x8x!tt.ptr<i32>>
}

// The first 64 of 256 columns of 8 rows, transposed.
tt.func private @activations(%a: !tt.ptr<f16>) -> tensor<64x8x!tt.ptr<f16>> {
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %m = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %m {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %size = arith.constant dense<256> : tensor<1x8xi32>
  %rowStarts = arith.muli %rows, %size : tensor<1x8xi32>
  %x = tt.broadcast %columns : tensor<64x1xi32> -> tensor<64x8xi32>
  %y = tt.broadcast %rowStarts : tensor<1x8xi32> -> tensor<64x8xi32>
  %offsets = arith.addi %x, %y : tensor<64x8xi32>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<64x8x!tt.ptr<f16>>
  %at = tt.addptr %base, %offsets : tensor<64x8x!tt.ptr<f16>>, tensor<64x8xi32>
  tt.return %at : tensor<64x8x!tt.ptr<f16>>
}

// The depth in the order in which all codes of a word are one thread's: bits 0,
// 3, 4, 1, 2, 5 of the words' for bits 0 to 5.
tt.func private @multiply(%w: tensor<64x64xf16>, %x: tensor<64x8xf16>, %s: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %w1 = tt.reshape %w : tensor<64x64xf16> -> tensor<64x2x4x4x2xf16>
  %w2 = tt.trans %w1 {order = array<i32: 0, 1, 3, 2, 4>} : tensor<64x2x4x4x2xf16> -> tensor<64x2x4x4x2xf16>
  %w3 = tt.reshape %w2 : tensor<64x2x4x4x2xf16> -> tensor<64x64xf16>
  %x1 = tt.reshape %x : tensor<64x8xf16> -> tensor<2x4x4x2x8xf16>
  %x2 = tt.trans %x1 {order = array<i32: 0, 2, 1, 3, 4>} : tensor<2x4x4x2x8xf16> -> tensor<2x4x4x2x8xf16>
  %x3 = tt.reshape %x2 : tensor<2x4x4x2x8xf16> -> tensor<64x8xf16>
  %t = tt.dot %w3, %x3, %s : tensor<64x64xf16> * tensor<64x8xf16> -> tensor<64x8xf32>
  tt.return %t : tensor<64x8xf32>
}

tt.func private @finish(%c: !tt.ptr<f32>, %sum: tensor<64x8xf32>) {
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %n {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %m = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %m {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %size = arith.constant dense<8> : tensor<64x1xi32>
  %starts = arith.muli %columns, %size : tensor<64x1xi32>
  %x = tt.broadcast %starts : tensor<64x1xi32> -> tensor<64x8xi32>
  %y = tt.broadcast %rows : tensor<1x8xi32> -> tensor<64x8xi32>
  %offsets = arith.addi %x, %y : tensor<64x8xi32>
  %base = tt.splat %c : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>>
  %at = tt.addptr %base, %offsets : tensor<64x8x!tt.ptr<f32>>, tensor<64x8xi32>
  tt.store %at, %sum : tensor<64x8x!tt.ptr<f32>>
  tt.return
}
