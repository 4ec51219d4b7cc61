// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --tilegpu-insert-barriers

// expected-error @+1 {{expects a box of rank 1 to 5, but got rank 6}}
tt.func @rank(%m: !tilegpu.tensor_map<[1, 1, 1, 1, 1, 64], f16, swizzle = 128>) {
  tt.return
}

// -----

// expected-error @+1 {{expects swizzle 32, 64 or 128, but got 16}}
tt.func @swizzle(%m: !tilegpu.tensor_map<[64, 64], f16, swizzle = 16>) {
  tt.return
}

// -----

// expected-error @+1 {{expects elements of 8, 16 or 32 bits, but got 'f64'}}
tt.func @element(%m: !tilegpu.tensor_map<[64, 64], f64, swizzle = 128>) {
  tt.return
}

// -----

// expected-error @+1 {{expects sizes from 1 to 256 in the box, but got 512}}
tt.func @size(%m: !tilegpu.tensor_map<[512, 64], f16, swizzle = 128>) {
  tt.return
}

// -----

// expected-error @+1 {{expects a multiple of 64 elements (128 bytes) in the box's last dimension, but got 32}}
tt.func @atom(%m: !tilegpu.tensor_map<[64, 32], f16, swizzle = 128>) {
  tt.return
}

// -----

// expected-error @+1 {{expects a box that 4 CTAs share to have parts of whole patterns of its swizzle, 8 rows each}}
tt.func @parts(%m: !tilegpu.tensor_map<[16, 64], f16, swizzle = 128, ctas = 4>) {
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128, ctas = 2>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
tt.func @no_cluster(%map: !map, %t: !tile, %b: !barrier, %i: i32) {
  // expected-error @+1 {{expects the CTAs of the function's clusters (tilegpu.cluster), 1, but got 2}}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tt.return
}

// -----

#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
tt.func @no_agent(%b: !barrier) attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{expects to be in an agent of tilegpu.warp_specialize, where the CTAs of a cluster meet}}
  tilegpu.mbarrier_arrive %b ctas = 2 : !barrier
  tt.return
}

// -----

!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
tt.func @base(%a: !tt.ptr<f32>, %n: i32) {
  // expected-error @+1 {{expects a base of type !tt.ptr<'f16'>, but got '!tt.ptr<f32>'}}
  %0 = tilegpu.tensor_map %a sizes [%n, %n : i32, i32] strides [%n : i32] : !tt.ptr<f32> -> !map
  tt.return
}

// -----

!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
tt.func @numbers(%a: !tt.ptr<f16>, %n: i32) {
  // expected-error @+1 {{expects 2 sizes and 1 strides, but got 1 and 1}}
  %0 = tilegpu.tensor_map %a sizes [%n : i32] strides [%n : i32] : !tt.ptr<f16> -> !map
  tt.return
}

// -----

!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
tt.func @signed_dims(%a: !tt.ptr<f16>, %n: i32) {
  // expected-error @+1 {{expects signed_dims from 0 to 0, which have a stride, but got 1}}
  %0 = tilegpu.tensor_map %a sizes [%n, %n : i32, i32] strides [%n : i32] {signed_dims = array<i32: 1>} : !tt.ptr<f16> -> !map
  tt.return
}

// -----

#words = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
tt.func @staging_bytes(%a: !tt.ptr<f16>, %n: i32, %s: !tilegpu.memdesc<16xi32, #words, mutable>) {
  // expected-error @+1 {{expects staging memory of 128 bytes, but got '!tilegpu.memdesc<16xi32, }}
  %0 = tilegpu.tensor_map %a sizes [%n, %n : i32, i32] strides [%n : i32] staging %s : !tilegpu.memdesc<16xi32, #words, mutable> : !tt.ptr<f16> -> !map
  tt.return
}

// -----

#words = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
tt.func @staging_checks(%a: !tt.ptr<f16>, %n: i32, %s: !tilegpu.memdesc<32xi32, #words, mutable>) {
  // expected-error @+1 {{expects no numbers that a launch checks, and no signed_dims, of a map that the kernel makes}}
  %0 = tilegpu.tensor_map %a sizes [%n, %n : i32, i32] strides [%n : i32] nonnegative [%n : i32] staging %s : !tilegpu.memdesc<32xi32, #words, mutable> : !tt.ptr<f16> -> !map
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
tt.func @coordinates(%map: !map, %t: !tile, %b: !barrier, %i: i32) {
  // expected-error @+1 {{expects a destination for each map, and 2 coordinates, but got 1 maps, 1 destinations and 1 coordinates}}
  tilegpu.bulk_copy %map at [%i] to %t tell %b : !map -> !tile tell !barrier
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
tt.func @other_swizzle(%map: !map, %t: !tile, %b: !barrier, %i: i32) {
  // expected-error @+1 {{expects a mutable destination under #tilegpu.shared_nvmma of the elements and the swizzle of '!tilegpu.tensor_map<[64, 64], f16, swizzle = 128>', but got '!tilegpu.memdesc<64x64xf16, }}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[256, 4096], f16, swizzle = 128>
!tile = !tilegpu.memdesc<256x4096xf16, #k, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
tt.func @bytes(%map: !map, %t: !tile, %b: !barrier, %i: i32) {
  // expected-error @+1 {{expects at most 1048575 bytes for an mbarrier, but got 2097152}}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tt.return
}

// -----

#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!barrier = !tilegpu.memdesc<1xi32, #word, mutable>
tt.func @word(%b: !barrier) {
  // expected-error @+1 {{expects a mutable descriptor of one i64 as mbarrier, but got '!tilegpu.memdesc<1xi32, }}
  tilegpu.mbarrier_init %b : !barrier
  tt.return
}

// -----

#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
tt.func @count(%b: !barrier) {
  // expected-error @+1 {{expects a number of groups, but got -1}}
  tilegpu.mbarrier_wait %b {pending = -1 : i32} : !barrier
  tt.return
}

// -----

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
module attributes {tilegpu.target = "sm_90a"} {
tt.func @no_wait(%a: !tt.ptr<f16>, %n: i32) -> tensor<64x64xf16, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %map = tilegpu.tensor_map %a sizes [%n, %n : i32, i32] strides [%n : i32] : !tt.ptr<f16> -> !map
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  // expected-note @+1 {{the copy is here}}
  tilegpu.bulk_copy %map at [%n, %n] to %t tell %b : !map -> !tile tell !barrier
  // expected-error @+1 {{expects a tilegpu.mbarrier_wait for the copy that writes its bytes on every path from there}}
  %x = tilegpu.local_load %t : !tile -> tensor<64x64xf16, #rows>
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  tt.return %x : tensor<64x64xf16, #rows>
}
}

// -----

// expected-error @+1 {{expects tilegpu.tensor_maps on kernels of the LLVM dialect alone, where lowering writes it}}
tt.func @maps() attributes {tilegpu.tensor_maps = []} {
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
tt.func @coordinates_of_store(%map: !map, %t: !tile, %i: i32) {
  // expected-error @+1 {{expects 2 coordinates, but got 1}}
  tilegpu.bulk_store %t to %map at [%i] : !tile to !map
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<32x64xf16, #k, mutable>
tt.func @source_of_store(%map: !map, %t: !tile, %i: i32) {
  // expected-error @+1 {{expects a mutable source under #tilegpu.shared_nvmma of the elements and the swizzle of '!tilegpu.tensor_map<[64, 64], f16, swizzle = 128>', but got '!tilegpu.memdesc<32x64xf16, }}
  tilegpu.bulk_store %t to %map at [%i, %i] : !tile to !map
  tt.return
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128, ctas = 2>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
tt.func @cluster_of_store(%map: !map, %t: !tile, %i: i32) attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{expects a map whose boxes no cluster shares, but got '!tilegpu.tensor_map<[64, 64], f16, swizzle = 128, ctas = 2>'}}
  tilegpu.bulk_store %t to %map at [%i, %i] : !tile to !map
  tt.return
}

// -----

tt.func @count_of_stores() {
  // expected-error @+1 {{expects a number of groups, but got -1}}
  tilegpu.bulk_store_wait {pending = -1 : i32}
  tt.return
}

// -----

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
module attributes {tilegpu.target = "sm_90a"} {
tt.func @store_in_flight(%a: !tt.ptr<f16>, %n: i32, %x: tensor<64x64xf16, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %map = tilegpu.tensor_map %a sizes [%n, %n : i32, i32] strides [%n : i32] : !tt.ptr<f16> -> !map
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %t : tensor<64x64xf16, #rows> -> !tile
  // expected-note @+1 {{the store is here}}
  tilegpu.bulk_store %t to %map at [%n, %n] : !tile to !map
  // expected-error @+1 {{expects a tilegpu.bulk_store_wait for the store that reads its bytes on every path from there}}
  tilegpu.local_store %x, %t : tensor<64x64xf16, #rows> -> !tile
  tilegpu.bulk_store_wait reads {pending = 0 : i32}
  tt.return
}
}
