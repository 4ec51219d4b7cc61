// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What functions, calls and prints refuse.

tt.func @unknown_callee() {
  // expected-error @+1 {{'tt.call' op expects the name of a function of the module, but got @nobody}}
  tt.call @nobody() : () -> ()
  tt.return
}

// -----

tt.func @return_nothing() -> f32 {
  // expected-error @+1 {{'tt.return' op expects 1 values of the function's result types ('f32'), but got 0 ()}}
  tt.return
}

// -----

tt.func @return_other(%n: i32) -> f32 {
  // expected-error @+1 {{'tt.return' op expects 1 values of the function's result types ('f32'), but got 1 ('i32')}}
  tt.return %n : i32
}

// -----

tt.func @print_signs(%n: i32) {
  // expected-error @+1 {{'tt.print' op expects isSigned for 1 operands, but got 2}}
  tt.print "x" {hex = false, isSigned = array<i32: 1, 0>} : %n : i32
  tt.return
}

// -----

tt.func @return_from_if(%c: i1) {
  scf.if %c {
  // expected-error @+1 {{'tt.return' op expects parent op 'tt.func'}}
    tt.return
  }
  tt.return
}

// -----

// expected-note @+1 {{the function is here}}
tt.func private @callee(i32, tensor<4xf32>) -> f32

tt.func @call_arguments(%n: i32) {
  // expected-error @+1 {{'tt.call' op expects arguments of types 'i32', 'tensor<4xf32>', but got 'i32'}}
  %0 = tt.call @callee(%n) : (i32) -> f32
  tt.return
}

// -----

// expected-note @+1 {{the function is here}}
tt.func private @callee(i32) -> f32

tt.func @call_results(%n: i32) {
  // expected-error @+1 {{'tt.call' op expects results of types 'f32', but got 'i32'}}
  %0 = tt.call @callee(%n) : (i32) -> i32
  tt.return
}
