// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What pointers and tensor descriptors may not hold.

// expected-error @+1 {{expects a pointer to integers, floats, pointers or tiles of them, but got 'index'}}
tt.func private @pointer_to_index(!tt.ptr<index>)

// -----

// expected-error @+1 {{expects a ranked tile, but got 'vector<4xf32>'}}
tt.func private @pointer_to_vector(!tt.ptr<vector<4xf32>>)

// -----

// expected-error @+1 {{expects a non-negative address space, but got -1}}
tt.func private @negative_address_space(!tt.ptr<f32, -1>)

// -----

// expected-error @+1 {{expects a ranked tile, but got 'f32'}}
tt.func private @descriptor_of_scalar(!tt.tensordesc<f32>)

// -----

// expected-error @+1 {{expects a block of integers or floats of rank 1 or more, but got 'tensor<4xindex>'}}
tt.func private @descriptor_of_index(!tt.tensordesc<4xindex>)

// -----

// expected-error @+1 {{expects a block of integers or floats of rank 1 or more, but got 'tensor<f32>'}}
tt.func private @descriptor_of_rank_0(!tt.tensordesc<tensor<f32>>)

// -----

// expected-error @+1 {{'tt.func' op expects every dimension of a tile to be a power of two, but got 3 in dimension 0 of 'tensor<3xf32>'}}
tt.func private @argument_size(tensor<3xf32>)

// -----

// expected-error @+1 {{'tt.func' op expects every dimension of a tile to be a power of two, but got 5 in dimension 1 of 'tensor<4x5xf32>'}}
tt.func private @result_size() -> tensor<4x5xf32>

// -----

// expected-error @+1 {{'tt.func' op expects every dimension of a tile to be a power of two, but got 12 in dimension 0 of 'tensor<12xf32>'}}
tt.func private @block_size(!tt.ptr<tensor<12xf32>>)

// -----

// expected-error @+1 {{'tt.func' op expects a tile of at most 1048576 elements, but got 'tensor<2097152xf32>'}}
tt.func private @descriptor_size(!tt.tensordesc<2097152xf32>)

// -----

tt.func @tile_of_block_pointers(%p: !tt.ptr<tensor<4xf32>>) {
  // expected-error @+1 {{'tt.splat' op expects a tile of scalars or of pointers to scalars, but got 'tensor<2x!tt.ptr<tensor<4xf32>>>'}}
  %0 = tt.splat %p : !tt.ptr<tensor<4xf32>> -> tensor<2x!tt.ptr<tensor<4xf32>>>
  tt.return
}
