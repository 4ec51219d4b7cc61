// Small loops whose products by warp groups run under the arithmetic of the next
// iteration, or under copies: compare.py runs them with all trip counts. f16 tiles of
// 64 by 64 are read from %in; what becomes of their products goes to %out.

!f16s = tensor<64x64xf16>
!f32s = tensor<64x64xf32>
!ints = tensor<64x64xi32>
!pointers = tensor<64x64x!tt.ptr<f16>>

tt.func private @tiles(%in: !tt.ptr<f16>) -> !pointers {
  %columns = arith.constant dense<64> : tensor<64x1xi32>
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %n {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %begins = arith.muli %rows, %columns : tensor<64x1xi32>
  %column = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %down = tt.broadcast %begins : tensor<64x1xi32> -> !ints
  %along = tt.broadcast %column : tensor<1x64xi32> -> !ints
  %places = arith.addi %down, %along : !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  tt.return %start : !pointers
}

// The sum of each row, so that nothing of the loop's shared memory is used again.
tt.func private @store_rows(%out: !tt.ptr<f32>, %sums: !f32s) {
  %size = arith.constant 1024 : i32
  %rows = "tt.reduce"(%sums) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %sum = arith.addf %x, %y : f32
    tt.reduce.return %sum : f32
  }) : (!f32s) -> tensor<64xf32>
  %program = tt.get_program_id x : i32
  %offset = arith.muli %program, %size : i32
  %to = tt.addptr %out, %offset : !tt.ptr<f32>, i32
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %places = tt.addptr %tos, %n : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %places, %rows : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Attention: the second product runs under the next iteration's arithmetic, and
// what that carries is read behind the loop.
tt.func public @attended(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %size = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %scale = arith.constant dense<0.0078125> : !f32s
  %start = tt.call @tiles(%in) : (!tt.ptr<f16>) -> !pointers
  %least = arith.constant dense<0xFF800000> : tensor<64xf32>
  %loaded = tt.load %start : !pointers
  %halves = arith.constant dense<0.5> : !f16s
  %q = arith.mulf %loaded, %halves : !f16s
  %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero, %largest = %least) -> (!f32s, tensor<64xf32>) : i32 {
    %k_at = arith.addi %i, %c0 : i32
    %k_tile = arith.andi %k_at, %c3 : i32
    %k_offset = arith.muli %k_tile, %size : i32
    %k_offsets = tt.splat %k_offset : i32 -> !ints
    %k_from = tt.addptr %start, %k_offsets : !pointers, !ints
    %k = tt.load %k_from : !pointers
    %v_at = arith.addi %i, %c1 : i32
    %v_tile = arith.andi %v_at, %c3 : i32
    %v_offset = arith.muli %v_tile, %size : i32
    %v_offsets = tt.splat %v_offset : i32 -> !ints
    %v_from = tt.addptr %start, %v_offsets : !pointers, !ints
    %v = tt.load %v_from : !pointers
    %s = tt.dot %q, %k, %zero : !f16s * !f16s -> !f32s
    %t = arith.mulf %s, %scale : !f32s
    %larger = "tt.reduce"(%t) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %max = arith.maxnumf %x, %y : f32
      tt.reduce.return %max : f32
    }) : (!f32s) -> tensor<64xf32>
    %best = arith.maxnumf %largest, %larger : tensor<64xf32>
    %column = tt.expand_dims %best {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %bests = tt.broadcast %column : tensor<64x1xf32> -> !f32s
    %u = arith.subf %t, %bests : !f32s
    %e = math.exp2 %u : !f32s
    %less = arith.subf %largest, %best : tensor<64xf32>
    %shrink = math.exp2 %less : tensor<64xf32>
    %row = tt.expand_dims %shrink {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %shrinks = tt.broadcast %row : tensor<64x1xf32> -> !f32s
    %smaller = arith.mulf %sum, %shrinks : !f32s
    %p = arith.truncf %e : !f32s to !f16s
    %o = tt.dot %p, %v, %smaller : !f16s * !f16s -> !f32s
    scf.yield %o, %best : !f32s, tensor<64xf32>
  }
  %last = tt.expand_dims %r#1 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %lasts = tt.broadcast %last : tensor<64x1xf32> -> !f32s
  %all = arith.addf %r#0, %lasts : !f32s
  tt.call @store_rows(%out, %all) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// The same, with one tile for both products.
tt.func public @attended_once(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %size = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %scale = arith.constant dense<0.0078125> : !f32s
  %start = tt.call @tiles(%in) : (!tt.ptr<f16>) -> !pointers
  %least = arith.constant dense<0xFF800000> : tensor<64xf32>
  %loaded = tt.load %start : !pointers
  %halves = arith.constant dense<0.5> : !f16s
  %q = arith.mulf %loaded, %halves : !f16s
  %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero, %largest = %least) -> (!f32s, tensor<64xf32>) : i32 {
    %k_at = arith.addi %i, %c0 : i32
    %k_tile = arith.andi %k_at, %c3 : i32
    %k_offset = arith.muli %k_tile, %size : i32
    %k_offsets = tt.splat %k_offset : i32 -> !ints
    %k_from = tt.addptr %start, %k_offsets : !pointers, !ints
    %k = tt.load %k_from : !pointers
    %s = tt.dot %q, %k, %zero : !f16s * !f16s -> !f32s
    %t = arith.mulf %s, %scale : !f32s
    %larger = "tt.reduce"(%t) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %max = arith.maxnumf %x, %y : f32
      tt.reduce.return %max : f32
    }) : (!f32s) -> tensor<64xf32>
    %best = arith.maxnumf %largest, %larger : tensor<64xf32>
    %column = tt.expand_dims %best {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %bests = tt.broadcast %column : tensor<64x1xf32> -> !f32s
    %u = arith.subf %t, %bests : !f32s
    %e = math.exp2 %u : !f32s
    %less = arith.subf %largest, %best : tensor<64xf32>
    %shrink = math.exp2 %less : tensor<64xf32>
    %row = tt.expand_dims %shrink {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %shrinks = tt.broadcast %row : tensor<64x1xf32> -> !f32s
    %smaller = arith.mulf %sum, %shrinks : !f32s
    %p = arith.truncf %e : !f32s to !f16s
    %o = tt.dot %p, %k, %smaller : !f16s * !f16s -> !f32s
    scf.yield %o, %best : !f32s, tensor<64xf32>
  }
  %last = tt.expand_dims %r#1 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %lasts = tt.broadcast %last : tensor<64x1xf32> -> !f32s
  %all = arith.addf %r#0, %lasts : !f32s
  tt.call @store_rows(%out, %all) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// An operand that is made in registers, under the product of the one before.
tt.func public @made(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %size = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %scale = arith.constant dense<0.0078125> : !f32s
  %start = tt.call @tiles(%in) : (!tt.ptr<f16>) -> !pointers
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> (!f32s) : i32 {
    %a_at = arith.addi %i, %c0 : i32
    %a_tile = arith.andi %a_at, %c3 : i32
    %a_offset = arith.muli %a_tile, %size : i32
    %a_offsets = tt.splat %a_offset : i32 -> !ints
    %a_from = tt.addptr %start, %a_offsets : !pointers, !ints
    %a = tt.load %a_from : !pointers
    %b_at = arith.addi %i, %c1 : i32
    %b_tile = arith.andi %b_at, %c3 : i32
    %b_offset = arith.muli %b_tile, %size : i32
    %b_offsets = tt.splat %b_offset : i32 -> !ints
    %b_from = tt.addptr %start, %b_offsets : !pointers, !ints
    %b = tt.load %b_from : !pointers
    %wide = arith.extf %a : !f16s to !f32s
    %t = arith.mulf %wide, %scale : !f32s
    %e = math.exp2 %t : !f32s
    %p = arith.truncf %e : !f32s to !f16s
    %s = tt.dot %p, %b, %sum : !f16s * !f16s -> !f32s
    scf.yield %s : !f32s
  }
  tt.call @store_rows(%out, %r) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// Sums that are scaled: copies start while the product reads the tiles of its own.
tt.func public @scaled(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %size = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %scale = arith.constant dense<0.0078125> : !f32s
  %start = tt.call @tiles(%in) : (!tt.ptr<f16>) -> !pointers
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> (!f32s) : i32 {
    %a_tile = arith.andi %i, %c3 : i32
    %a_offset = arith.muli %a_tile, %size : i32
    %a_offsets = tt.splat %a_offset : i32 -> !ints
    %a_from = tt.addptr %start, %a_offsets : !pointers, !ints
    %a = tt.load %a_from : !pointers
    %b_at = arith.addi %i, %c1 : i32
    %b_tile = arith.andi %b_at, %c3 : i32
    %b_offset = arith.muli %b_tile, %size : i32
    %b_offsets = tt.splat %b_offset : i32 -> !ints
    %b_from = tt.addptr %start, %b_offsets : !pointers, !ints
    %b = tt.load %b_from : !pointers
    %s = tt.dot %a, %b, %zero : !f16s * !f16s -> !f32s
    %t = arith.mulf %s, %scale : !f32s
    %next = arith.addf %sum, %t : !f32s
    scf.yield %next : !f32s
  }
  tt.call @store_rows(%out, %r) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}
