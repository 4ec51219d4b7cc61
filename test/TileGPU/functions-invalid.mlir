// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// What the dialect's attributes of functions and modules refuse.

// expected-error @+1 {{expects tilegpu.num_warps on functions only}}
module attributes {tilegpu.num_warps = 4 : i32} {}

// -----

// expected-error @+1 {{expects tilegpu.num_warps to be an i32 power of two from 1 to 32, but got 3 : i32}}
tt.func private @three() attributes {tilegpu.num_warps = 3 : i32}

// -----

// expected-error @+1 {{expects tilegpu.num_warps to be an i32 power of two from 1 to 32, but got 4 : i64}}
tt.func private @wide() attributes {tilegpu.num_warps = 4 : i64}

// -----

// expected-error @+1 {{expects tilegpu.target to be a string, but got 80 : i64}}
module attributes {tilegpu.target = 80 : i64} {}

// -----

// expected-error @+1 {{expects tilegpu.shared_bytes to be a number of bytes, but got -1 : i64}}
tt.func private @bytes() attributes {tilegpu.shared_bytes = -1 : i64}

// -----

// expected-error @+1 {{expects tilegpu.shared_bytes to be a number of bytes, but got 1 : ui32}}
tt.func private @unsigned_bytes() attributes {tilegpu.shared_bytes = 1 : ui32}

// -----

// expected-error @+1 {{has an unknown attribute tilegpu.colour}}
tt.func private @other() attributes {tilegpu.colour = 1 : i32}

// -----

#two = #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>
tt.func @warps(%x: tensor<64xf32>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{expects layouts for 4 warps (the function's tilegpu.num_warps), but got 'tensor<64xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>>', which is for 2}}
  %c = arith.constant dense<0.0> : tensor<64xf32, #two>
  tt.return
}

// -----

// expected-error @+1 {{expects tilegpu.layout_seed to be an i64, but got 1 : i32}}
module attributes {tilegpu.layout_seed = 1 : i32} {}

// -----

// expected-error @+1 {{expects tilegpu.longest_last on functions, as "x", "y" or "z", but got "w"}}
tt.func public @f() attributes {tilegpu.longest_last = "w"} {
  tt.return
}

// -----

tt.func public @f() {
  // expected-error @+1 {{expects tilegpu.longest_first on functions, as "x", "y" or "z", but got "x"}}
  tt.return {tilegpu.longest_first = "x"}
}

// -----

tt.func public @f(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @+1 {{expects tilegpu.first_thread on loads of scalars, without a value, but got unit}}
  tt.store %p, %x {tilegpu.first_thread} : !tt.ptr<f32>
  tt.return
}

// -----

// expected-error @+1 {{expects tilegpu.cluster on functions, as an i32 of 2, 4 or 8, but got 3 : i32}}
tt.func public @f() attributes {tilegpu.cluster = 3 : i32} {
  tt.return
}

// -----

// expected-error @+1 {{expects tilegpu.registers on functions, as an i32 of 1 or more, but got 0 : i32}}
tt.func public @f() attributes {tilegpu.registers = 0 : i32} {
  tt.return
}
