// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What dots, reductions, scans and gathers refuse.

tt.func @dot_rank(%a: tensor<4xf16>, %b: tensor<4xf16>, %c: tensor<4xf32>) {
  // expected-error @+1 {{'tt.dot' op expects operands of rank 2 or 3, all alike, but got ranks 1, 1 and 1}}
  %0 = tt.dot %a, %b, %c : tensor<4xf16> * tensor<4xf16> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @dot_ranks(%a: tensor<4x4xf16>, %b: tensor<2x4x4xf16>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.dot' op expects operands of rank 2 or 3, all alike, but got ranks 2, 3 and 2}}
  %0 = tt.dot %a, %b, %c : tensor<4x4xf16> * tensor<2x4x4xf16> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @dot_k(%a: tensor<4x8xf16>, %b: tensor<4x4xf16>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.dot' op expects the same K in both operands, but got 8 and 4}}
  %0 = tt.dot %a, %b, %c : tensor<4x8xf16> * tensor<4x4xf16> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @dot_batch(%a: tensor<2x4x8xf16>, %b: tensor<4x8x4xf16>, %c: tensor<2x4x4xf32>) {
  // expected-error @+1 {{'tt.dot' op expects the same batch in both operands, but got 2 and 4}}
  %0 = tt.dot %a, %b, %c : tensor<2x4x8xf16> * tensor<4x8x4xf16> -> tensor<2x4x4xf32>
  tt.return
}

// -----

tt.func @dot_accumulator_shape(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.dot' op expects an accumulator of shape [4, 4], but got [4, 8]}}
  %0 = tt.dot %a, %b, %c : tensor<4x8xf16> * tensor<8x4xf16> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @dot_elements(%a: tensor<4x4xf16>, %b: tensor<4x4xbf16>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.dot' op expects operands of one element type, or fp8 both, but got 'f16' and 'bf16'}}
  %0 = tt.dot %a, %b, %c : tensor<4x4xf16> * tensor<4x4xbf16> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @dot_integer_into_float(%a: tensor<4x4xi8>, %b: tensor<4x4xi8>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.dot' op expects integer operands and an integer accumulator at least as wide, or float operands and a float accumulator of 16 bits or more (f64 for f64), but got 'i8' into 'f32'}}
  %0 = tt.dot %a, %b, %c : tensor<4x4xi8> * tensor<4x4xi8> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @dot_float_into_integer(%a: tensor<4x4xf16>, %b: tensor<4x4xf16>, %c: tensor<4x4xi32>) {
  // expected-error @+1 {{'tt.dot' op expects integer operands and an integer accumulator at least as wide, or float operands and a float accumulator of 16 bits or more (f64 for f64), but got 'f16' into 'i32'}}
  %0 = tt.dot %a, %b, %c : tensor<4x4xf16> * tensor<4x4xf16> -> tensor<4x4xi32>
  tt.return
}

// -----

tt.func @dot_wide_integer(%a: tensor<4x4xi32>, %b: tensor<4x4xi32>, %c: tensor<4x4xi8>) {
  // expected-error @+1 {{'tt.dot' op expects integer operands and an integer accumulator at least as wide, or float operands and a float accumulator of 16 bits or more (f64 for f64), but got 'i32' into 'i8'}}
  %0 = tt.dot %a, %b, %c : tensor<4x4xi32> * tensor<4x4xi32> -> tensor<4x4xi8>
  tt.return
}

// -----

tt.func @dot_fp8_accumulator(%a: tensor<4x4xf8E5M2>, %b: tensor<4x4xf8E5M2>, %c: tensor<4x4xf8E5M2>) {
  // expected-error @+1 {{'tt.dot' op expects integer operands and an integer accumulator at least as wide, or float operands and a float accumulator of 16 bits or more (f64 for f64), but got 'f8E5M2' into 'f8E5M2'}}
  %0 = tt.dot %a, %b, %c : tensor<4x4xf8E5M2> * tensor<4x4xf8E5M2> -> tensor<4x4xf8E5M2>
  tt.return
}

// -----

tt.func @dot_f64_into_f32(%a: tensor<4x4xf64>, %b: tensor<4x4xf64>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.dot' op expects integer operands and an integer accumulator at least as wide, or float operands and a float accumulator of 16 bits or more (f64 for f64), but got 'f64' into 'f32'}}
  %0 = tt.dot %a, %b, %c : tensor<4x4xf64> * tensor<4x4xf64> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @dot_pointers(%a: tensor<4x4x!tt.ptr<f16>>, %b: tensor<4x4x!tt.ptr<f16>>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.dot' op expects integer operands and an integer accumulator at least as wide, or float operands and a float accumulator of 16 bits or more (f64 for f64), but got '!tt.ptr<f16>' into 'f32'}}
  %0 = tt.dot %a, %b, %c : tensor<4x4x!tt.ptr<f16>> * tensor<4x4x!tt.ptr<f16>> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @dot_scaled_element(%a: tensor<16x64xf16>, %b: tensor<64x16xf8E4M3FN>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects lhs of f8E4M3FN or i8 for e4m3, but got 'f16'}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf16> * tensor<64x16xf8E4M3FN> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_bf16(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects rhs of bf16 for bf16, but got 'f16'}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_fp16(%a: tensor<16x64xbf16>, %b: tensor<64x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects lhs of f16 for fp16, but got 'bf16'}}
  %0 = tt.dot_scaled %a, %b, %c lhs = fp16 rhs = fp16 {fastMath = false} : tensor<16x64xbf16> * tensor<64x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_e5m2(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects lhs of f8E5M2 or i8 for e5m2, but got 'f8E4M3FN'}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e5m2 rhs = fp16 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_e2m1(%a: tensor<16x64xf16>, %b: tensor<64x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects lhs of i8 for e2m1, but got 'f16'}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = fp16 {fastMath = false} : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_k(%a: tensor<16x64xi8>, %b: tensor<64x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects the same K in both operands, but got 128 and 64}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = fp16 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_accumulator(%a: tensor<16x64xi8>, %b: tensor<64x16xi8>, %c: tensor<16x16xi32>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects a float accumulator of 16 bits or more, but got 'i32'}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xi8> -> tensor<16x16xi32>
  tt.return
}

// -----

tt.func @dot_scaled_scales(%a: tensor<16x64xi8>, %b: tensor<64x32xi8>, %c: tensor<16x32xf32>, %s: tensor<16x4xi8>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects lhs scales of shape [16, 2] (groups of 32 along K = 64), but got [16, 4]}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xi8>, tensor<16x4xi8> * tensor<64x32xi8> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @dot_scaled_scales_of_16(%a: tensor<16x64xi8>, %b: tensor<64x32xi8>, %c: tensor<16x32xf32>, %t: tensor<16x4xf8E4M3FN>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects rhs scales of shape [32, 4] (groups of 16 along K = 64), but got [16, 4]}}
  %0 = tt.dot_scaled %a, %b scale %t, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xi8> * tensor<64x32xi8>, tensor<16x4xf8E4M3FN> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @dot_scaled_small_k(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xf32>, %s: tensor<16x1xi8>) {
  // expected-error @+1 {{'tt.dot_scaled' op expects lhs scales of shape [16, 0] (groups of 32 along K = 16), but got [16, 1]}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x16xi8>, tensor<16x1xi8> * tensor<16x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @reduce_nothing() {
  // expected-error @+1 {{'tt.reduce' op expects at least one source, but got none}}
  "tt.reduce"() <{axis = 0 : i32}> ({
    "tt.reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @reduce_axis(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects axis in [0, 2), but got 2}}
  %0 = "tt.reduce"(%a0) <{axis = 2 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @reduce_sources(%a0: tensor<4x8xf32>, %a1: tensor<8x4xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects sources of one shape, but got [4, 8] and [8, 4]}}
  %0:2 = "tt.reduce"(%a0, %a1) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %i: f32, %y: f32, %j: f32):
    tt.reduce.return %x, %y : f32, f32
  }) : (tensor<4x8xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  tt.return
}

// -----

tt.func @reduce_result_count(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects as many results as sources, but got 1 and 2}}
  %0 = "tt.reduce"(%a0, %a1) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %i: f32, %y: f32, %j: f32):
    tt.reduce.return %x, %y : f32, f32
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @reduce_result(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects a result of type 'tensor<4xf32>', but got 'tensor<8xf32>'}}
  %0 = "tt.reduce"(%a0) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @reduce_scalar_result(%a0: tensor<8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects a result of type 'f32', but got 'tensor<1xf32>'}}
  %0 = "tt.reduce"(%a0) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<8xf32>) -> tensor<1xf32>
  tt.return
}

// -----

tt.func @reduce_arguments(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects a region on ('f32', 'f32'), but got ('f32', 'f16')}}
  %0 = "tt.reduce"(%a0) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f16):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @reduce_yield(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects a region that gives ('f32'), but got ('f32', 'f32')}}
  %0 = "tt.reduce"(%a0) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x, %y : f32, f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @reduce_terminator(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.reduce' op expects a region that ends in tt.reduce.return, but got llvm.unreachable}}
  %0 = "tt.reduce"(%a0) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    llvm.unreachable
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @reduce_scan_terminator(%a0: tensor<4x8xf32>) {
  %0 = "tt.reduce"(%a0) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
  // expected-error @+1 {{'tt.scan.return' op expects parent op 'tt.scan'}}
    tt.scan.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @scan_axis(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.scan' op expects axis in [0, 2), but got -1}}
  %0 = "tt.scan"(%a0) <{axis = -1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.scan.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @scan_result(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.scan' op expects a result of type 'tensor<4x8xf32>', but got 'tensor<8x4xf32>'}}
  %0 = "tt.scan"(%a0) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.scan.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @scan_element(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.scan' op expects a result of type 'tensor<4x8xf32>', but got 'tensor<4x8xf16>'}}
  %0 = "tt.scan"(%a0) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.scan.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf16>
  tt.return
}

// -----

tt.func @scan_arguments(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{'tt.scan' op expects a region on ('f32', 'f32'), but got ('f32')}}
  %0 = "tt.scan"(%a0) <{axis = 0 : i32}> ({
  ^bb0(%x: f32):
    tt.scan.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @gather_axis(%a: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'tt.gather' op expects axis in [0, 1), but got 1}}
  %0 = tt.gather %a[%i] {axis = 1 : i32} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @gather_rank(%a: tensor<4xf32>, %i: tensor<4x4xi32>) {
  // expected-error @+1 {{'tt.gather' op expects indices of rank 1, but got rank 2}}
  %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<4xf32>, tensor<4x4xi32>) -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @gather_size(%a: tensor<4x4xf32>, %i: tensor<4x8xi32>) {
  // expected-error @+1 {{'tt.gather' op expects indices of size 4 in dimension 1, but got 8}}
  %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<4x4xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @gather_result(%a: tensor<4xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{'tt.gather' op expects a result of the indices' shape and the source's element type, but got 'tensor<8xf16>'}}
  %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<4xf32>, tensor<8xi32>) -> tensor<8xf16>
  tt.return
}

// -----

tt.func @gather_indices(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tt.gather' op operand #1 must be ranked tensor of i1, i4, i8, i16, i32 or i64 values, but got 'tensor<4xf32>'}}
  %0 = tt.gather %a[%a] {axis = 0 : i32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @histogram_of_rank_2(%x: tensor<256xi32>) {
  // expected-error @+1 {{'tt.histogram' op expects a result of rank 1, one element a bin, but got 'tensor<4x4xi32>'}}
  %0 = tt.histogram %x : tensor<256xi32> -> tensor<4x4xi32>
  tt.return
}

// -----

tt.func @histogram_of_floats(%x: tensor<256xf32>) {
  // expected-error @+1 {{custom op 'tt.histogram' 'src' must be ranked tensor of i1, i4, i8, i16, i32 or i64 values, but got 'tensor<256xf32>'}}
  %0 = tt.histogram %x : tensor<256xf32> -> tensor<16xi32>
  tt.return
}
