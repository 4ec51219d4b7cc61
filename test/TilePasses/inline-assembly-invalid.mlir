// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --tile-verify

tt.func private @operand_without_constraint(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects 2 constraints for its operands (elements of fewer than 32 bits share one, packed_element = 1), but got 1}}
  %0 = tt.elementwise_inline_asm "add.s32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x, %x : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @packed_results(%x: tensor<64xi8>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects 2 constraints for its results (elements of fewer than 32 bits share one, packed_element = 4), but got 1}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<64xi8> -> tensor<64xf16>
  tt.return
}

// -----

tt.func private @letter(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects constraints '=X' or '=&X' for the results, then 'X', 'n', 'i' or a result's number, each once, for the operands, then clobbers '~{name}', with X one of b, c, h, r, l, q, f and d, but got '=r,m'}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,m", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @result_last(%x: tensor<64xi32>) {
  // expected-error @+1 {{but got 'r,=r'}}
  %0 = tt.elementwise_inline_asm "mov.b32 $1, $0;" {constraints = "r,=r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @tied_to_nothing(%x: tensor<64xi32>) {
  // expected-error @+1 {{but got '=r,1'}}
  %0 = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=r,1", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @too_narrow(%x: tensor<64xf32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects constraints of at least 32 bits for 1 x 'f32', but got 'h'}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=f,h", packed_element = 1 : i32, pure = true} %x : tensor<64xf32> -> tensor<64xf32>
  tt.return
}

// -----

tt.func private @too_narrow_together(%x: tensor<64xi8>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects constraints of at least 32 bits for 4 x 'i8', but got 'h'}}
  %0 = tt.elementwise_inline_asm "mov.b16 $0, $1;" {constraints = "=h,h", packed_element = 4 : i32, pure = true} %x : tensor<64xi8> -> tensor<64xi8>
  tt.return
}

// -----

tt.func private @unknown_operand(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects operands of the assembly below $2, which its constraints name, but got $7}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, ${7};" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @variants(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects '$$', '$N', '${N}' or '${:uid}' in the assembly, but got '$(mov|not'}}
  %0 = tt.elementwise_inline_asm "$(mov|not$).b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @open_brace(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects '$$', '$N', '${N}' or '${:uid}' in the assembly, but got '${1;'}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, ${1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

// A result that two operands are tied to, which LLVM does not take.
tt.func private @tied_twice(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects constraints}}
  %0 = tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,0,0", packed_element = 1 : i32, pure = true} %x, %x : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @operand_after_clobber(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects constraints}}
  %0 = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=r,~{memory},r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @constant_result(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects constraints}}
  %0 = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=n,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @no_constant(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects an integer constant as operand 0, whose constraint is 'n', but got a value that is known at run time alone}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,n", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}
