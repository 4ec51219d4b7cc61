// Small loops with copies, one of each kind: compare.py runs them with all trip
// counts. f16 tiles of 32 by 32 are read from %in; sums of products go to %out.

!f16s = tensor<32x32xf16>
!f32s = tensor<32x32xf32>
!ints = tensor<32x32xi32>
!pointers = tensor<32x32x!tt.ptr<f16>>

tt.func private @places() -> !ints {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %width = arith.constant dense<32> : tensor<32x1xi32>
  %starts = arith.muli %rows, %width : tensor<32x1xi32>
  %a = tt.broadcast %starts : tensor<32x1xi32> -> !ints
  %b = tt.broadcast %columns : tensor<1x32xi32> -> !ints
  %places = arith.addi %a, %b : !ints
  tt.return %places : !ints
}

tt.func private @store(%out: !tt.ptr<f32>, %sum: !f32s) {
  %size = arith.constant 1024 : i32
  %program = tt.get_program_id x : i32
  %offset = arith.muli %program, %size : i32
  %to = tt.addptr %out, %offset : !tt.ptr<f32>, i32
  %places = tt.call @places() : () -> !ints
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ps = tt.addptr %tos, %places : tensor<32x32x!tt.ptr<f32>>, !ints
  tt.store %ps, %sum : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// Pointers that are carried.
tt.func public @carried(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %size = arith.constant dense<1024> : !ints
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%p = %start, %sum = %zero) -> (!pointers, !f32s) : i32 {
    %a = tt.load %p : !pointers
    %q = tt.addptr %p, %size : !pointers, !ints
    %b = tt.load %q : !pointers
    %s = tt.dot %a, %b, %sum : !f16s * !f16s -> !f32s
    scf.yield %q, %s : !pointers, !f32s
  }
  tt.call @store(%out, %r#1) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// Pointers computed of the counter, and read again behind the copies; masks.
tt.func public @recomputed(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %none = arith.constant dense<0.0> : !f16s
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %total = arith.muli %count, %size : i32
  %half = arith.constant 512 : i32
  %some = arith.subi %total, %half : i32
  %ends = tt.splat %some : i32 -> !ints
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> (!f32s) : i32 {
    %offset = arith.muli %i, %size : i32
    %offsets = tt.splat %offset : i32 -> !ints
    %here = arith.addi %offsets, %places : !ints
    %mask = arith.cmpi slt, %here, %ends : !ints
    %p = tt.addptr %start, %offsets : !pointers, !ints
    %a = tt.load %p, %mask, %none : !pointers
    %b = tt.load %p : !pointers
    %s = tt.dot %a, %b, %sum : !f16s * !f16s -> !f32s
    %w = arith.sitofp %here : !ints to !f32s
    %t = arith.addf %s, %w : !f32s
    scf.yield %t : !f32s
  }
  tt.call @store(%out, %r) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// Places that are loaded first, of two iterations before.
tt.func public @indirect(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %r:3 = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero, %before = %c0, %earlier = %c1) -> (!f32s, i32, i32) : i32 {
    %from = tt.addptr %indices, %i : !tt.ptr<i32>, i32
    %index = tt.load %from : !tt.ptr<i32>
    %offset = arith.muli %index, %size : i32
    %offsets = tt.splat %offset : i32 -> !ints
    %p = tt.addptr %start, %offsets : !pointers, !ints
    %a = tt.load %p : !pointers
    %offset2 = arith.muli %earlier, %size : i32
    %offsets2 = tt.splat %offset2 : i32 -> !ints
    %q = tt.addptr %start, %offsets2 : !pointers, !ints
    %b = tt.load %q : !pointers
    %s = tt.dot %a, %b, %sum : !f16s * !f16s -> !f32s
    scf.yield %s, %index, %before : !f32s, i32, i32
  }
  tt.call @store(%out, %r#0) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// Places by a division, which no step beyond the last may do: by zero, where
// there is no step at all.
tt.func public @divided(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c24 = arith.constant 24 : i32
  %size = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> (!f32s) : i32 {
    %left = arith.subi %count, %i : i32
    %tile = arith.remui %c24, %left : i32
    %offset = arith.muli %tile, %size : i32
    %offsets = tt.splat %offset : i32 -> !ints
    %p = tt.addptr %start, %offsets : !pointers, !ints
    %a = tt.load %p : !pointers
    %s = tt.dot %a, %a, %sum : !f16s * !f16s -> !f32s
    scf.yield %s : !f32s
  }
  tt.call @store(%out, %r) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// A pipeline in a pipeline, with steps of other numbers.
tt.func public @nested(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> (!f32s) : i32 {
    %offset = arith.muli %i, %size : i32
    %offsets = tt.splat %offset : i32 -> !ints
    %p = tt.addptr %start, %offsets : !pointers, !ints
    %a = tt.load %p : !pointers
    %t = scf.for %j = %c0 to %i step %c1 iter_args(%inner = %sum) -> (!f32s) : i32 {
      %offset2 = arith.muli %j, %size : i32
      %offsets2 = tt.splat %offset2 : i32 -> !ints
      %q = tt.addptr %start, %offsets2 : !pointers, !ints
      %b = tt.load %q : !pointers
      %s = tt.dot %b, %b, %inner : !f16s * !f16s -> !f32s
      scf.yield %s : !f32s
    }
    %u = tt.dot %a, %a, %t : !f16s * !f16s -> !f32s
    scf.yield %u : !f32s
  }
  tt.call @store(%out, %r) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// A copy in a condition, one outside; steps of three, from one.
tt.func public @condition(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c2 = arith.constant 2 : i32
  %size = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %last = arith.muli %count, %c3 : i32
  %r = scf.for %i = %c1 to %last step %c3 iter_args(%sum = %zero) -> (!f32s) : i32 {
    %offset = arith.muli %i, %size : i32
    %offsets = tt.splat %offset : i32 -> !ints
    %p = tt.addptr %start, %offsets : !pointers, !ints
    %a = tt.load %p : !pointers
    %bit = arith.andi %i, %c2 : i32
    %odd = arith.cmpi ne, %bit, %c0 : i32
    %t = scf.if %odd -> (!f32s) {
      %more = tt.addptr %p, %places : !pointers, !ints
      %q = tt.addptr %start, %places : !pointers, !ints
      %b = tt.load %start : !pointers
      %s = tt.dot %b, %a, %sum : !f16s * !f16s -> !f32s
      scf.yield %s : !f32s
    } else {
      scf.yield %sum : !f32s
    }
    %u = tt.dot %a, %a, %t : !f16s * !f16s -> !f32s
    scf.yield %u : !f32s
  }
  tt.call @store(%out, %r) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// Stores through another argument than the copies read from.
tt.func public @stores(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> (!f32s) : i32 {
    %offset = arith.muli %i, %size : i32
    %offsets = tt.splat %offset : i32 -> !ints
    %p = tt.addptr %start, %offsets : !pointers, !ints
    %a = tt.load %p : !pointers
    %s = tt.dot %a, %a, %sum : !f16s * !f16s -> !f32s
    tt.call @store(%out, %s) : (!tt.ptr<f32>, !f32s) -> ()
    scf.yield %s : !f32s
  }
  tt.return
}

// The sum goes to other threads through shared memory, in the loop's bytes.
tt.func public @reused(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : !f32s
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %in : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> (!f32s) : i32 {
    %offset = arith.muli %i, %size : i32
    %offsets = tt.splat %offset : i32 -> !ints
    %p = tt.addptr %start, %offsets : !pointers, !ints
    %a = tt.load %p : !pointers
    %s = tt.dot %a, %a, %sum : !f16s * !f16s -> !f32s
    scf.yield %s : !f32s
  }
  %half = arith.truncf %r : !f32s to !f16s
  %turned = tt.trans %half {order = array<i32: 1, 0>} : !f16s -> !f16s
  %last = tt.dot %turned, %half, %r : !f16s * !f16s -> !f32s
  %least = "tt.reduce"(%last) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %min = arith.minimumf %x, %y : f32
    tt.reduce.return %min : f32
  }) : (!f32s) -> tensor<32xf32>
  %row = tt.expand_dims %least {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
  %rows = tt.broadcast %row : tensor<1x32xf32> -> !f32s
  tt.call @store(%out, %rows) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// Counts to the last number there is, and reads to the last tile.
tt.func public @last_numbers(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %tiles = arith.constant 16 : i32
  %size = arith.constant 1024 : i32
  %sizes = arith.constant dense<1024> : !ints
  %zero = arith.constant dense<0.0> : !f32s
  %some = arith.minsi %count, %tiles : i32
  %step = arith.constant 1 : i32
  %end = arith.constant 2147483647 : i32
  %begin = arith.subi %end, %some : i32
  %before = arith.subi %tiles, %some : i32
  %offset = arith.muli %before, %size : i32
  %from = tt.addptr %in, %offset : !tt.ptr<f16>, i32
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %from : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %r:2 = scf.for %i = %begin to %end step %step iter_args(%p = %start, %sum = %zero) -> (!pointers, !f32s) : i32 {
    %a = tt.load %p : !pointers
    %s = tt.dot %a, %a, %sum : !f16s * !f16s -> !f32s
    %q = tt.addptr %p, %sizes : !pointers, !ints
    scf.yield %q, %s : !pointers, !f32s
  }
  tt.call @store(%out, %r#1) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}

// Counts from the first one, twice at most, by steps of which three are more
// than there are numbers.
tt.func public @first_numbers(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %indices: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %count: i32) {
  %tiles = arith.constant 16 : i32
  %size = arith.constant 1024 : i32
  %sizes = arith.constant dense<1024> : !ints
  %zero = arith.constant dense<0.0> : !f32s
  %two = arith.constant 2 : i32
  %some = arith.minsi %count, %two : i32
  %step = arith.constant 1500000000 : i32
  %begin = arith.constant -2147483648 : i32
  %way = arith.muli %some, %step : i32
  %end = arith.addi %begin, %way : i32
  %before = arith.subi %tiles, %some : i32
  %offset = arith.muli %before, %size : i32
  %from = tt.addptr %in, %offset : !tt.ptr<f16>, i32
  %places = tt.call @places() : () -> !ints
  %ins = tt.splat %from : !tt.ptr<f16> -> !pointers
  %start = tt.addptr %ins, %places : !pointers, !ints
  %r:2 = scf.for %i = %begin to %end step %step iter_args(%p = %start, %sum = %zero) -> (!pointers, !f32s) : i32 {
    %a = tt.load %p : !pointers
    %s = tt.dot %a, %a, %sum : !f16s * !f16s -> !f32s
    %q = tt.addptr %p, %sizes : !pointers, !ints
    scf.yield %q, %s : !pointers, !f32s
  }
  tt.call @store(%out, %r#1) : (!tt.ptr<f32>, !f32s) -> ()
  tt.return
}
