// RUN: tilewright-opt %s --test-print-axis-info -o /dev/null 2>&1 | FileCheck %s

// The offsets of a program: consecutive, and starting at multiples of 64.
// CHECK-LABEL: @offsets{{$}}
// CHECK: = tt.get_program_id: contiguity = [1], divisibility = [1], constancy = [1], non-negative{{$}}
// CHECK: = arith.muli: contiguity = [1], divisibility = [64], constancy = [1], non-negative{{$}}
// CHECK: = tt.make_range: contiguity = [64], divisibility = [1073741824], constancy = [1], non-negative{{$}}
// CHECK: = tt.splat: contiguity = [1], divisibility = [64], constancy = [64], non-negative{{$}}
// CHECK: = arith.addi: contiguity = [64], divisibility = [64], constancy = [1], non-negative{{$}}
tt.func @offsets() {
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %splat = tt.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %splat, %range : tensor<64xi32>
  tt.return
}

// Hints: an argument's address is a multiple of 16 bytes, so that f16 loads take
// eight elements; an integer argument's hint counts elements. The launch checks
// these, and nobody those on ops, as far as they say more than is known; what
// passes know is no hint.
// CHECK-LABEL: @hints{{$}}
// CHECK: %arg0: contiguity = [1], divisibility = [16], constancy = [1]{{$}}
// CHECK: %arg1: contiguity = [1], divisibility = [16], constancy = [1]{{$}}
// CHECK: = tt.make_range: contiguity = [64], divisibility = [1073741824], constancy = [1], non-negative{{$}}
// CHECK: = tt.splat: contiguity = [1], divisibility = [16], constancy = [64]{{$}}
// CHECK: = tt.addptr: contiguity = [64], divisibility = [16], constancy = [1]{{$}}
// CHECK: = tt.splat: contiguity = [1], divisibility = [16], constancy = [64]{{$}}
// CHECK: = arith.cmpi: contiguity = [1], divisibility = [1], constancy = [16], prefixes = [64]{{$}}
// CHECK: = arith.cmpi: contiguity = [1], divisibility = [1], constancy = [1], prefixes = [64]{{$}}
// CHECK: = arith.fptosi: contiguity = [8], divisibility = [16], constancy = [1], by hints{{$}}
// CHECK: = arith.fptosi: contiguity = [1], divisibility = [1], constancy = [4], by hints{{$}}
// CHECK: = arith.fptosi: contiguity = [1], divisibility = [1], constancy = [1]{{$}}
// CHECK: = arith.addi: {{.*}}, by hints{{$}}
// CHECK: = arith.muli: {{.*}}divisibility = [4]{{.*}}non-negative{{$}}
// CHECK: = arith.fptosi: contiguity = [1], divisibility = [8], constancy = [1]{{$}}
tt.func @hints(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 48 : i32}) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %pointers = tt.addptr %base, %range : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %range, %bound : tensor<64xi32>
  %mask_le = arith.cmpi sle, %range, %bound : tensor<64xi32>
  %loaded = tt.load %pointers : tensor<64x!tt.ptr<f16>>
  %index = arith.fptosi %loaded {tt.contiguity = dense<8> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>} : tensor<64xf16> to tensor<64xi32>
  %constancy = arith.fptosi %loaded {tt.constancy = dense<4> : tensor<1xi32>} : tensor<64xf16> to tensor<64xi32>
  // Hints of another form are ignored.
  %ignored = arith.fptosi %loaded {tt.divisibility = "16", tt.contiguity = dense<0> : tensor<1xi32>, tt.constancy = array<i32: 4, 4>} : tensor<64xf16> to tensor<64xi32>
  %sum = arith.addi %index, %range : tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  %known = arith.muli %range, %four {tt.divisibility = dense<4> : tensor<1xi32>} : tensor<64xi32>
  %aligned = arith.fptosi %loaded {tile.divisibility = 8 : i32} : tensor<64xf16> to tensor<64xi32>
  tt.return
}

// Two dimensions: rows m apart, 16 elements each.
// CHECK-LABEL: @two_dimensions{{$}}
// CHECK: = tt.make_range: contiguity = [8], divisibility = [1073741824], constancy = [1], non-negative{{$}}
// CHECK: = tt.make_range: contiguity = [16], divisibility = [1073741824], constancy = [1], non-negative{{$}}
// CHECK: = tt.expand_dims: contiguity = [8, 1], divisibility = [1073741824, 1], constancy = [1, 1], non-negative{{$}}
// CHECK: = tt.expand_dims: contiguity = [1, 16], divisibility = [1, 1073741824], constancy = [1, 1], non-negative{{$}}
// CHECK: = arith.muli: contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 1], non-negative{{$}}
// CHECK: = tt.broadcast: contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 16], non-negative{{$}}
// CHECK: = tt.broadcast: contiguity = [1, 16], divisibility = [1, 1073741824], constancy = [8, 1], non-negative{{$}}
// Rows are apart, whatever the offsets of the columns.
// CHECK: = arith.addi: contiguity = [1, 16], divisibility = [1, 16], constancy = [1, 1], spacing = [16, 1], non-negative{{$}}
// CHECK: = tt.trans: contiguity = [16, 1], divisibility = [16, 1], constancy = [1, 1], spacing = [1, 16], non-negative{{$}}
// CHECK: = tt.reshape: contiguity = [1, 4], divisibility = [1, 4], constancy = [1, 1], non-negative{{$}}
// CHECK: = tt.reshape: contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1], non-negative{{$}}
tt.func @two_dimensions(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %columns = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %stride = arith.constant dense<48> : tensor<8x1xi32>
  %scaled = arith.muli %r, %stride : tensor<8x1xi32>
  %rb = tt.broadcast %scaled : tensor<8x1xi32> -> tensor<8x16xi32>
  %cb = tt.broadcast %c : tensor<1x16xi32> -> tensor<8x16xi32>
  %offsets = arith.addi %rb, %cb : tensor<8x16xi32>
  %transposed = tt.trans %offsets {order = array<i32: 1, 0>} : tensor<8x16xi32> -> tensor<16x8xi32>
  %reshaped = tt.reshape %offsets : tensor<8x16xi32> -> tensor<32x4xi32>
  %reordered = tt.reshape %offsets allow_reorder : tensor<8x16xi32> -> tensor<32x4xi32>
  tt.return
}

// Pointers carried by a loop: what the step of the loop keeps. The induction
// variable is a multiple of what divides both lower bound and step.
// CHECK-LABEL: @loop{{$}}
// CHECK: %arg0: contiguity = [1], divisibility = [16], constancy = [1]{{$}}
// CHECK: %arg1: contiguity = [1], divisibility = [1], constancy = [1]{{$}}
// CHECK: %arg2: contiguity = [1], divisibility = [4], constancy = [1]{{$}}
// CHECK: = tt.make_range: contiguity = [32], divisibility = [1073741824], constancy = [1], non-negative{{$}}
// CHECK: = tt.splat: contiguity = [1], divisibility = [16], constancy = [32]{{$}}
// CHECK: = tt.addptr: contiguity = [32], divisibility = [16], constancy = [1]{{$}}
// CHECK: = tt.splat: contiguity = [1], divisibility = [4], constancy = [32]{{$}}
// CHECK: = scf.for: contiguity = [32], divisibility = [8], constancy = [1]{{$}}
// CHECK: %arg3: contiguity = [1], divisibility = [4], constancy = [1], non-negative{{$}}
// CHECK: %arg4: contiguity = [32], divisibility = [8], constancy = [1]{{$}}
// CHECK: = tt.addptr: contiguity = [32], divisibility = [8], constancy = [1]{{$}}
tt.func @loop(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %stride: i32 {tt.divisibility = 4 : i32}) {
  %c8 = arith.constant 8 : i32
  %c12 = arith.constant 12 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>>
  %pointers = tt.addptr %base, %range : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
  %advance = tt.splat %stride : i32 -> tensor<32xi32>
  %end = scf.for %i = %c8 to %n step %c12 iter_args(%x = %pointers) -> (tensor<32x!tt.ptr<f16>>) : i32 {
    %next = tt.addptr %x, %advance : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
    scf.yield %next : tensor<32x!tt.ptr<f16>>
  }
  tt.return
}

// Quotients and remainders of consecutive numbers: right only where rounding is
// down, so not where the dividend may be negative.
// CHECK-LABEL: @quotients{{$}}
// CHECK: = tt.make_range: contiguity = [32], divisibility = [1073741824], constancy = [1], non-negative{{$}}
// CHECK: = tt.make_range: contiguity = [32], divisibility = [32], constancy = [1]{{$}}
// CHECK: = arith.divsi: contiguity = [1], divisibility = [1], constancy = [8], non-negative{{$}}
// CHECK: = arith.remsi: contiguity = [8], divisibility = [8], constancy = [1], non-negative{{$}}
// CHECK: = arith.divsi: contiguity = [1], divisibility = [1], constancy = [1]{{$}}
// CHECK: = arith.remsi: contiguity = [1], divisibility = [1], constancy = [1]{{$}}
// CHECK: = arith.shrsi: contiguity = [1], divisibility = [1], constancy = [8]{{$}}
// CHECK: = arith.andi: contiguity = [1], divisibility = [8], constancy = [8], non-negative{{$}}
tt.func @quotients(%n: i32) {
  %c8 = arith.constant dense<8> : tensor<32xi32>
  %c3 = arith.constant dense<3> : tensor<32xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %negative = tt.make_range {end = 0 : i32, start = -32 : i32} : tensor<32xi32>
  %quotient = arith.divsi %range, %c8 : tensor<32xi32>
  %remainder = arith.remsi %range, %c8 : tensor<32xi32>
  %negative_quotient = arith.divsi %negative, %c8 : tensor<32xi32>
  %negative_remainder = arith.remsi %negative, %c8 : tensor<32xi32>
  %shift = arith.shrsi %negative, %c3 : tensor<32xi32>
  %mask = arith.andi %negative, %c8 : tensor<32xi32>
  tt.return
}

// A join of branches keeps what both sides promise.
// CHECK-LABEL: @branches{{$}}
// CHECK: %0: contiguity = [1], divisibility = [4], constancy = [1]{{$}}
// CHECK: = tt.make_range: contiguity = [16], divisibility = [1073741824], constancy = [1], non-negative{{$}}
// CHECK: = tt.splat: contiguity = [1], divisibility = [4], constancy = [16]{{$}}
// CHECK: = arith.addi: contiguity = [16], divisibility = [4], constancy = [1]{{$}}
tt.func @branches(%condition: i1, %n: i32 {tt.divisibility = 16 : i32}) {
  %c4 = arith.constant 4 : i32
  cf.cond_br %condition, ^bb1(%n : i32), ^bb1(%c4 : i32)
^bb1(%x: i32):
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %splat = tt.splat %x : i32 -> tensor<16xi32>
  %sum = arith.addi %splat, %range : tensor<16xi32>
  tt.return
}

// A private function knows what its callers pass.
// CHECK-LABEL: @callee{{$}}
// CHECK: %arg0: contiguity = [1], divisibility = [8], constancy = [1]{{$}}
// CHECK: = arith.muli: contiguity = [1], divisibility = [16], constancy = [1]{{$}}
tt.func private @callee(%x: i32) -> i32 {
  %c2 = arith.constant 2 : i32
  %double = arith.muli %x, %c2 : i32
  tt.return %double : i32
}
// CHECK-LABEL: @caller{{$}}
// CHECK: = tt.call: contiguity = [1], divisibility = [16], constancy = [1]{{$}}
// CHECK: = tt.call: contiguity = [1], divisibility = [16], constancy = [1]{{$}}
tt.func @caller(%n: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  %a = tt.call @callee(%n) : (i32) -> i32
  %b = tt.call @callee(%c8) : (i32) -> i32
  tt.return
}
