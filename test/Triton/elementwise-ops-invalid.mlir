// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What casts, arithmetic and code from elsewhere refuse.

tt.func @bitcast_shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tt.bitcast' op expects source and result of one shape, but got 'tensor<4xf32>' and 'tensor<2xf32>'}}
  %0 = tt.bitcast %a : tensor<4xf32> -> tensor<2xf32>
  tt.return
}

// -----

tt.func @bitcast_bits(%a: f32) {
  // expected-error @+1 {{'tt.bitcast' op expects a result of 32 bits, but got 16}}
  %0 = tt.bitcast %a : f32 -> i16
  tt.return
}

// -----

tt.func @bitcast_pointer(%a: !tt.ptr<f32>) {
  // expected-error @+1 {{'tt.bitcast' op expects pointers on both sides or on none, but got '!tt.ptr<f32>' to 'i64'; tt.ptr_to_int and tt.int_to_ptr convert addresses}}
  %0 = tt.bitcast %a : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @int_to_ptr_types(%a: i32) {
  // expected-error @+1 {{'tt.int_to_ptr' op expects i64 to pointer, but got 'i32' to '!tt.ptr<f32>'}}
  %0 = tt.int_to_ptr %a : i32 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @int_to_ptr_shape(%a: tensor<4xi64>) {
  // expected-error @+1 {{'tt.int_to_ptr' op expects source and result of one shape, but got 'tensor<4xi64>' and '!tt.ptr<f32>'}}
  %0 = tt.int_to_ptr %a : tensor<4xi64> -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @ptr_to_int_types(%a: !tt.ptr<f32>) {
  // expected-error @+1 {{'tt.ptr_to_int' op expects pointer to i64, but got '!tt.ptr<f32>' to 'i32'}}
  %0 = tt.ptr_to_int %a : !tt.ptr<f32> -> i32
  tt.return
}

// -----

tt.func @fp_to_fp_shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tt.fp_to_fp' op expects source and result of one shape, but got 'tensor<4xf32>' and 'f64'}}
  %0 = tt.fp_to_fp %a : tensor<4xf32> -> f64
  tt.return
}

// -----

tt.func @fp_to_fp_rounding(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tt.fp_to_fp' op expects a rounding for 'tensor<4xf32>' to 'tensor<4xf16>', but got none}}
  %0 = tt.fp_to_fp %a : tensor<4xf32> -> tensor<4xf16>
  tt.return
}

// -----

tt.func @fp_to_fp_no_bits(%a: f32) {
  // expected-error @+1 {{'tt.fp_to_fp' op expects rbits for rounding = rs, but got none}}
  %0 = tt.fp_to_fp %a, rounding = rs : f32 -> f16
  tt.return
}

// -----

tt.func @fp_to_fp_bits(%a: f32, %r: i32) {
  // expected-error @+1 {{'tt.fp_to_fp' op expects rbits with rounding = rs only, but got rtz}}
  %0 = tt.fp_to_fp %a, rounding = rtz, rbits = %r : i32 : f32 -> f16
  tt.return
}

// -----

tt.func @fp_to_fp_bits_type(%a: f32, %r: i16) {
  // expected-error @+1 {{'tt.fp_to_fp' op expects rbits of i32 and of the source's shape, but got 'i16' for 'f32'}}
  %0 = tt.fp_to_fp %a, rounding = rs, rbits = %r : i16 : f32 -> f16
  tt.return
}

// -----

tt.func @clampf_types(%a: f32, %b: f16) {
  // expected-error @+1 {{'tt.clampf' op failed to verify that all of {x, min, max, result} have same type}}
  %0 = "tt.clampf"(%a, %b, %b) <{propagateNan = 0 : i32}> : (f32, f16, f16) -> f32
  tt.return
}

// -----

tt.func @precise_divf_integers(%a: i32) {
  // expected-error @+1 {{'tt.precise_divf' op operand #0 must be a float or a tile of floats, but got 'i32'}}
  %0 = tt.precise_divf %a, %a : i32
  tt.return
}

// -----

tt.func @extern_symbol(%a: f32) {
  // expected-error @+1 {{'tt.extern_elementwise' op expects the name of a function as symbol, but got ""}}
  %0 = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = ""} : (f32) -> f32
  tt.return
}

// -----

tt.func @extern_shapes(%a: tensor<4xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{'tt.extern_elementwise' op expects operands of one shape, but got 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %0 = tt.extern_elementwise %a, %b {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<4xf32>, tensor<8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @extern_result(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tt.extern_elementwise' op expects results of the operands' shape, but got 'tensor<4xf32>' and 'f32'}}
  %0 = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @asm_packed(%a: i32) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects packed_element of 1 or more, but got 0}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %a : i32 -> i32
  tt.return
}

// -----

tt.func @asm_result(%a: i32) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects at least one result, but got none}}
  "tt.elementwise_inline_asm"(%a) <{asm_string = "", constraints = "r", packed_element = 1 : i32, pure = false}> : (i32) -> ()
  tt.return
}

// -----

tt.func @asm_shapes(%a: tensor<4xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects results of the operands' shape, but got 'tensor<4xi32>' and 'tensor<8xi32>'}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %a : tensor<4xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @map_of_nothing() {
  // expected-error @+1 {{'tt.map_elementwise' op expects at least one source, but got none}}
  %0 = "tt.map_elementwise"() <{pack = 1 : i32}> ({
    %c = arith.constant 1 : i32
    tt.map_elementwise.return %c : i32
  }) : () -> tensor<64xi32>
  tt.return
}

// -----

tt.func @map_of_odd_packs(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.map_elementwise' op expects pack to be a power of two of at most 64, the elements of a tile, but got 3}}
  %0 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32):
    tt.map_elementwise.return %a, %b, %c : i32, i32, i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return
}

// -----

tt.func @map_of_other_elements(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.map_elementwise' op expects a region that takes ('i32', 'i32'), but got ('i32')}}
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32):
    tt.map_elementwise.return %a, %a : i32, i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return
}

// -----

tt.func @map_to_other_elements(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.map_elementwise' op expects a region that gives ('f32'), but got ('i32')}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    tt.map_elementwise.return %a : i32
  }) : (tensor<64xi32>) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @map_to_another_shape(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.map_elementwise' op expects results of the operands' shape, but got 'tensor<64xi32>' and 'tensor<32xi32>'}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    tt.map_elementwise.return %a : i32
  }) : (tensor<64xi32>) -> tensor<32xi32>
  tt.return
}
