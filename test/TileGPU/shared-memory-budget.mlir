// RUN: tilewright-opt %s --test-print-shared-memory-budget --split-input-file --verify-diagnostics -o /dev/null

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_75"} {

// A tile of 8192 bytes counts from its allocation to its last use.
tt.func @straight(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-remark@+1 {{65536 of 65536 bytes are free}}
  %a = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
  %m = tilegpu.local_alloc : () -> !tile
  // expected-remark@+1 {{57344 of 65536 bytes are free}}
  %b = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  // expected-remark@+1 {{65536 of 65536 bytes are free}}
  %c = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
  tt.return
}

// What a loop uses lives throughout it; what it allocates, only there.
tt.func @loop(%x: tensor<128x16xf32, #rows>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  scf.for %i = %zero to %n step %one : i32 {
    %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
    // expected-remark@+1 {{57344 of 65536 bytes are free}}
    %a = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
    %k = tilegpu.local_alloc : () -> !tile
    // expected-remark@+1 {{49152 of 65536 bytes are free}}
    %b = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
    tilegpu.local_store %x, %k : tensor<128x16xf32, #rows> -> !tile
  }
  // expected-remark@+1 {{65536 of 65536 bytes are free}}
  %c = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
  tt.return
}

// A descriptor that a loop passes on is taken to live throughout the function.
tt.func @passed_on(%x: tensor<128x16xf32, #rows>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc : () -> !tile
  %last = scf.for %i = %zero to %n step %one iter_args(%k = %m) -> (!tile) : i32 {
    scf.yield %k : !tile
  }
  // expected-remark@+1 {{57344 of 65536 bytes are free}}
  %c = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
  tt.return
}

// As a graph of blocks: over the back edge, but not beyond the loop.
tt.func @blocks(%x: tensor<128x16xf32, #rows>, %more: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  cf.br ^body
^body:
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  // expected-remark@+1 {{57344 of 65536 bytes are free}}
  %a = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
  cf.cond_br %more, ^body, ^end
^end:
  // expected-remark@+1 {{65536 of 65536 bytes are free}}
  %c = tilegpu.convert_layout %x : tensor<128x16xf32, #rows> -> tensor<128x16xf32, #columns>
  tt.return
}
}

// -----

// expected-error @+1 {{expects one of the targets}}
module {}
