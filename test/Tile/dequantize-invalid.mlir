// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What tile.dequantize refuses.

tt.func @bits(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects bits of 2, 4 or 8, but got 3}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 3 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @bits_of_e2m1(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects bits of 4 for e2m1, but got 8}}
  %w = tile.dequantize %q scale %s format = e2m1 {axis = 0 : i32, bits = 8 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @bits_of_e4m3(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects bits of 8 for e4m3, but got 4}}
  %w = tile.dequantize %q scale %s format = e4m3 {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @axis(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects axis in [0, 2), but got 2}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 2 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @axis_negative(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects axis in [0, 2), but got -1}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = -1 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @group_axis(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects group_axis in [0, 2), but got 3}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_axis = 3 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

// Groups are of rows, words of columns: scales are 64 / 32 x 16, not 64 x 1.

tt.func @groups_of_group_axis(%q: tensor<64x2xi32>, %s: tensor<64x1xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects scales of size 2 in dimension 0 (groups of 32 in 64), but got 64}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 1 : i32, bits = 4 : i32, group_axis = 0 : i32, group_size = 32 : i32} : tensor<64x2xi32> scale tensor<64x1xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @group_size(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects group_size of 1 or more, but got 0}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 0 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @word(%q: tensor<8x16xi16>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op operand #0 must be ranked tensor of 8-bit signless integer or 32-bit signless integer values, but got 'tensor<8x16xi16>'}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi16> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @result_type(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op result #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<64x16xi8>'}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xi8>
  tt.return
}

// -----

tt.func @result_shape(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects a result of shape [64, 16] (8 codes a word), but got [8, 128]}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<8x128xf16>
  tt.return
}

// -----

tt.func @result_shape_of_bytes(%q: tensor<8x16xi8>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects a result of shape [16, 16] (2 codes a word), but got [64, 16]}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi8> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @groups(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects a multiple of group_size 24 in dimension 0 of the result, but got 64}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 24 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @scales_rank(%q: tensor<8x16xi32>, %s: tensor<2xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects scales of rank 2, but got 'tensor<2xf16>'}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @scales_along_axis(%q: tensor<8x16xi32>, %s: tensor<4x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects scales of size 2 in dimension 0 (groups of 32 in 64), but got 4}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<4x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @scales_of_part_of_group(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects scales of size 1 in dimension 0 (groups of 128 in 64), but got 2}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 128 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @scales_elsewhere(%q: tensor<8x16xi32>, %s: tensor<2x8xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects scales of size 16 or 1 in dimension 1, but got 8}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x8xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @scales_type(%q: tensor<8x16xi32>, %s: tensor<2x16xi8>) {
  // expected-error @+1 {{'tile.dequantize' op operand #1 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<2x16xi8>'}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xi8> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @zeros_format(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>, %z: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects zeros with unsigned and signed only, but got e2m1}}
  %w = tile.dequantize %q scale %s zero %z format = e2m1 {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> zero tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @zeros_shape(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>, %z: tensor<2x1xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects zeros of the scales' shape [2, 16], but got [2, 1]}}
  %w = tile.dequantize %q scale %s zero %z format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> zero tensor<2x1xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @in_bytes_of_floats(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects in_bytes with unsigned and signed only, but got e2m1}}
  %w = tile.dequantize %q scale %s format = e2m1 {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32, in_bytes} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @code_book_missing(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  // expected-error @+1 {{'tile.dequantize' op expects a code book for code_book, but got none}}
  %w = tile.dequantize %q scale %s format = code_book {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @code_book_format(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>, %c: tensor<16xf32>) {
  // expected-error @+1 {{'tile.dequantize' op expects a code book with code_book only, but got unsigned}}
  %w = tile.dequantize %q scale %s code_book %c format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> code_book tensor<16xf32> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @code_book_size(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>, %c: tensor<8xf32>) {
  // expected-error @+1 {{'tile.dequantize' op expects a code book of rank 1 and 16 elements, but got 'tensor<8xf32>'}}
  %w = tile.dequantize %q scale %s code_book %c format = code_book {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> code_book tensor<8xf32> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @code_book_rank(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{'tile.dequantize' op expects a code book of rank 1 and 16 elements, but got 'tensor<4x4xf32>'}}
  %w = tile.dequantize %q scale %s code_book %c format = code_book {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> code_book tensor<4x4xf32> -> tensor<64x16xf16>
  tt.return
}

// -----

tt.func @tile_size(%s: tensor<1x16xf16>) {
  %q = ub.poison : tensor<3x16xi32>
  // expected-error @+1 {{'tile.dequantize' op expects every dimension of a tile to be a power of two, but got 3 in dimension 0 of 'tensor<3x16xi32>'}}
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<3x16xi32> scale tensor<1x16xf16> -> tensor<24x16xf16>
  tt.return
}
