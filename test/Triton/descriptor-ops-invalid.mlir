// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

tt.func @rows_of_blocks(%a: !tt.tensordesc<8x16xf32>, %i: tensor<8xi32>, %y: i32) {
  // expected-error @+1 {{'tt.descriptor_gather' op expects a descriptor of blocks of one row (1xN), but got '!tt.tensordesc<8x16xf32>'}}
  %v = tt.descriptor_gather %a[%i, %y] : (!tt.tensordesc<8x16xf32>, tensor<8xi32>, i32) -> tensor<8x16xf32>
  tt.return
}

// -----

tt.func @indices_of_rank_2(%a: !tt.tensordesc<1x16xf32>, %i: tensor<8x1xi32>, %y: i32) {
  // expected-error @+1 {{'tt.descriptor_gather' op expects indices of rank 1, but got 'tensor<8x1xi32>'}}
  %v = tt.descriptor_gather %a[%i, %y] : (!tt.tensordesc<1x16xf32>, tensor<8x1xi32>, i32) -> tensor<8x16xf32>
  tt.return
}

// -----

tt.func @other_rows(%a: !tt.tensordesc<1x16xf32>, %i: tensor<8xi32>, %y: i32, %v: tensor<4x16xf32>) {
  // expected-error @+1 {{'tt.descriptor_scatter' op expects a tile of 8x16 elements of 'f32', but got 'tensor<4x16xf32>'}}
  tt.descriptor_scatter %a[%i, %y], %v : !tt.tensordesc<1x16xf32>, tensor<8xi32>, i32, tensor<4x16xf32>
  tt.return
}

// -----

tt.func @minimum_of_f32(%a: !tt.tensordesc<8x16xf32>, %i: i32, %v: tensor<8x16xf32>) {
  // expected-error @+1 {{'tt.descriptor_reduce' op expects elements of i32, i64, f16 or bf16 for min, but got 'f32'}}
  tt.descriptor_reduce min, %a[%i, %i], %v : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
  tt.return
}

// -----

tt.func @sum_of_bytes(%a: !tt.tensordesc<8x16xi8>, %i: i32, %v: tensor<8x16xi8>) {
  // expected-error @+1 {{'tt.descriptor_reduce' op expects elements of i32, i64, f16, bf16, f32 or f64 for add, but got 'i8'}}
  tt.descriptor_reduce add, %a[%i, %i], %v : !tt.tensordesc<8x16xi8>, tensor<8x16xi8>
  tt.return
}

// -----

tt.func @bits_of_floats(%a: !tt.tensordesc<8x16xf32>, %i: i32, %v: tensor<8x16xf32>) {
  // expected-error @+1 {{'tt.descriptor_reduce' op expects elements of i32 or i64 for and, but got 'f32'}}
  tt.descriptor_reduce and, %a[%i, %i], %v : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
  tt.return
}

// -----

tt.func @increment_of_i64(%a: !tt.tensordesc<8x16xi64>, %i: i32, %v: tensor<8x16xi64>) {
  // expected-error @+1 {{'tt.descriptor_reduce' op expects elements of i32 for inc, but got 'i64'}}
  tt.descriptor_reduce inc, %a[%i, %i], %v : !tt.tensordesc<8x16xi64>, tensor<8x16xi64>
  tt.return
}

// -----

tt.func @atomic_increment(%p: !tt.ptr<i64>, %v: i64) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects i32 for inc, but got 'i64'}}
  %0 = tt.atomic_rmw inc, relaxed, gpu, %p, %v : (!tt.ptr<i64>, i64) -> i64
  tt.return
}
