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

// -----

tt.func private @unmatched_brace(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects as many '}' as '{' in the assembly, but got 'mov.b32 $0, $1; }'}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1; }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @open_scope(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects as many '}' as '{' in the assembly, but got '{ mov.b32 $0, $1;'}}
  %0 = tt.elementwise_inline_asm "{ mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @open_list(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects as many '}' as '{' in the assembly, but got 'mov.b64 $0 , $1 , $1'}}
  %0 = tt.elementwise_inline_asm "mov.b64 $0, {$1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @open_comment(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects comments that end in the assembly, but got '/*'}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1; /*" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @open_string(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects strings that end in the assembly}}
  %0 = tt.elementwise_inline_asm ".pragma \22nounroll; mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @no_end(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects a ';' behind every statement in the assembly, but got 'mov.b32 $0 , $1'}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @no_end_in_scope(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects a ';' behind every statement in the assembly, but got 'mov.b32 $0 , $1'}}
  %0 = tt.elementwise_inline_asm "{ mov.b32 $0, $1 }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @directive(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects}}
  %0 = tt.elementwise_inline_asm ".visible .entry foo() { ret; } mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @directive_of_modules(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects no directive but .reg, .local, .param, .shared, .pragma and those of calls in the assembly, but got '.global'}}
  %0 = tt.elementwise_inline_asm ".global .b32 g; mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @label(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects labels within braces, or with ${:uid} in their names (the text is written for every run), in the assembly, but got 'again'}}
  %0 = tt.elementwise_inline_asm "again: mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @variable(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects variables within braces, or with ${:uid} in their names (the text is written for every run), in the assembly, but got '.reg .b32 t'}}
  %0 = tt.elementwise_inline_asm ".reg .b32 t; mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @modifier(%x: tensor<64xi32>) {
  // expected-error @+1 {{'tt.elementwise_inline_asm' op expects '$$', '$N', '${N}' or '${:uid}' in the assembly, but got '${0:x}, $'}}
  %0 = tt.elementwise_inline_asm "mov.b32 ${0:x}, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

// What is right.
tt.func public @right(%n: i32) {
  %x = tt.splat %n : i32 -> tensor<64xi32>
  %0 = tt.elementwise_inline_asm "{ .reg .pred p; again: setp.eq.s32 p, $1, 0; @p bra again; mov.b32 $0, $1; }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  %1 = tt.elementwise_inline_asm "skip${:uid}: mov.b32 ${0:r}, $1; // the end" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  %2 = tt.elementwise_inline_asm "/* ; } */ .reg .b32 t${:uid}; mov.b32 t${:uid}, $1; mov.b32 $0, t${:uid};" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  %3 = tt.elementwise_inline_asm "{ .reg .b64 %d; mov.b64 %d, {$1, $1}; { .reg .b32 %h; mov.b64 {$0, %h}, %d; } }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  %4 = tt.elementwise_inline_asm " ; .pragma \22nounroll;}\22; mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  tt.return
}
