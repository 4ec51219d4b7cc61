// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// What the CTAs of a cluster do with each other, and what is refused of it.

tt.func private @no_clusters() {
  // expected-error @+1 {{'tilegpu.barrier' op expects a function whose programs form clusters (tilegpu.cluster), but got one without}}
  tilegpu.barrier cluster
  tt.return
}

// -----

tt.func private @warp() attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tilegpu.barrier' op expects cluster alone, but got warp beside it}}
  tilegpu.barrier warp cluster
  tt.return
}

// -----

tt.func private @shared() attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tilegpu.barrier' op expects cluster alone, but got shared beside it}}
  tilegpu.barrier cluster shared
  tt.return
}

// -----

#l = #tilegpu.linear<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @store_without_clusters(%x: tensor<256xf32, #l>, %m: !tilegpu.memdesc<128xf32, #s, buffers = 2, mutable>, %r: i32) {
  // expected-error @+1 {{'tilegpu.store_parts' op expects a function whose programs form clusters (tilegpu.cluster), but got one without}}
  tilegpu.store_parts %x to %m at %r {axis = 0 : i32} : tensor<256xf32, #l> to !tilegpu.memdesc<128xf32, #s, buffers = 2, mutable>
  tt.return
}

// -----

#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @no_layout(%x: tensor<256xf32>, %m: !tilegpu.memdesc<128xf32, #s, buffers = 2, mutable>, %r: i32) attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tilegpu.store_parts' op expects a tensor with a register layout, but got 'tensor<256xf32>'}}
  tilegpu.store_parts %x to %m at %r {axis = 0 : i32} : tensor<256xf32> to !tilegpu.memdesc<128xf32, #s, buffers = 2, mutable>
  tt.return
}

// -----

#l = #tilegpu.linear<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @buffers(%x: tensor<256xf32, #l>, %m: !tilegpu.memdesc<128xf32, #s, buffers = 4, mutable>, %r: i32) attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tilegpu.store_parts' op expects a mutable descriptor with a buffer for each of the 2 CTAs of a cluster, but got '!tilegpu.memdesc<128xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>, buffers = 4, mutable>'}}
  tilegpu.store_parts %x to %m at %r {axis = 0 : i32} : tensor<256xf32, #l> to !tilegpu.memdesc<128xf32, #s, buffers = 4, mutable>
  tt.return
}

// -----

#l = #tilegpu.linear<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @axis(%x: tensor<256xf32, #l>, %m: !tilegpu.memdesc<128xf32, #s, buffers = 2, mutable>, %r: i32) attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tilegpu.store_parts' op expects axis in [0, 1), but got 1}}
  tilegpu.store_parts %x to %m at %r {axis = 1 : i32} : tensor<256xf32, #l> to !tilegpu.memdesc<128xf32, #s, buffers = 2, mutable>
  tt.return
}

// -----

#l = #tilegpu.linear<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @shape(%x: tensor<256xf32, #l>, %m: !tilegpu.memdesc<64xf32, #s, buffers = 2, mutable>, %r: i32) attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tilegpu.store_parts' op expects buffers of shape [128] and of 'f32', but got '!tilegpu.memdesc<64xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>, buffers = 2, mutable>'}}
  tilegpu.store_parts %x to %m at %r {axis = 0 : i32} : tensor<256xf32, #l> to !tilegpu.memdesc<64xf32, #s, buffers = 2, mutable>
  tt.return
}

// -----

// A warp holds either part.
#l = #tilegpu.linear<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [[128]]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func private @in_warps(%x: tensor<256xf32, #l>, %m: !tilegpu.memdesc<128xf32, #s, buffers = 2, mutable>, %r: i32) attributes {tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tilegpu.store_parts' op expects registers that each hold one of the 2 parts along axis 0, but got #tilegpu.linear<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [[128]]>}}
  tilegpu.store_parts %x to %m at %r {axis = 0 : i32} : tensor<256xf32, #l> to !tilegpu.memdesc<128xf32, #s, buffers = 2, mutable>
  tt.return
}
