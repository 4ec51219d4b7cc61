// Tiles of several products, of which each program takes every 132nd; the products'
// sizes and addresses are in memory.
tt.func public @groups(%as: !tt.ptr<i64>, %bs: !tt.ptr<i64>, %cs: !tt.ptr<i64>, %sizes: !tt.ptr<i32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %c132 = arith.constant 132 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %j = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %inner = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %program = tt.get_program_id x : i32
  %end, %last = scf.for %g = %c0 to %count step %c1 iter_args(%tile = %program, %begin = %c0) -> (i32, i32) : i32 {
    %size = tt.addptr %sizes, %g : !tt.ptr<i32>, i32
    %k = tt.load %size : !tt.ptr<i32>
    %limit = arith.addi %begin, %k : i32
    %next = scf.while (%at = %tile) : (i32) -> i32 {
      %isFrom = arith.cmpi sge, %at, %begin : i32
      %isBelow = arith.cmpi slt, %at, %limit : i32
      %goesOn = arith.andi %isFrom, %isBelow : i1
      scf.condition(%goesOn) %at : i32
    } do {
    ^bb0(%at: i32):
      %ap = tt.addptr %as, %g : !tt.ptr<i64>, i32
      %bp = tt.addptr %bs, %g : !tt.ptr<i64>, i32
      %cp = tt.addptr %cs, %g : !tt.ptr<i64>, i32
      %ai = tt.load %ap : !tt.ptr<i64>
      %bi = tt.load %bp : !tt.ptr<i64>
      %ci = tt.load %cp : !tt.ptr<i64>
      %a = tt.int_to_ptr %ai : i64 -> !tt.ptr<f16>
      %b = tt.int_to_ptr %bi : i64 -> !tt.ptr<f16>
      %c = tt.int_to_ptr %ci : i64 -> !tt.ptr<f16>
      %first = arith.subi %at, %begin : i32
      %row = arith.muli %first, %c64 : i32
      %ks = tt.splat %k : i32 -> tensor<64x1xi32>
      %firsts = tt.splat %row : i32 -> tensor<64x1xi32>
      %ms = arith.addi %firsts, %rows : tensor<64x1xi32>
      %far = arith.muli %ms, %ks : tensor<64x1xi32>
      %a0 = tt.splat %a : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %a1 = tt.addptr %a0, %far : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %a2 = tt.broadcast %a1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %a3 = tt.broadcast %inner : tensor<1x64xi32> -> tensor<64x64xi32>
      %a4 = tt.addptr %a2, %a3 {tt.divisibility = dense<16> : tensor<2xi32>} : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %c128 = arith.constant dense<128> : tensor<64x1xi32>
      %bfar = arith.muli %rows, %c128 : tensor<64x1xi32>
      %b0 = tt.splat %b : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %b1 = tt.addptr %b0, %bfar : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %b2 = tt.broadcast %b1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
      %b3 = tt.broadcast %columns : tensor<1x128xi32> -> tensor<64x128xi32>
      %b4 = tt.addptr %b2, %b3 {tt.divisibility = dense<16> : tensor<2xi32>} : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
      %k63 = arith.addi %k, %c63 : i32
      %trips = arith.divsi %k63, %c64 : i32
      %astep = arith.constant dense<64> : tensor<64x64xi32>
      %bstep = arith.constant dense<8192> : tensor<64x128xi32>
      %pa, %pb, %sum = scf.for %n = %c0 to %trips step %c1 iter_args(%x = %a4, %y = %b4, %s = %zero) -> (tensor<64x64x!tt.ptr<f16>>, tensor<64x128x!tt.ptr<f16>>, tensor<64x128xf32>) : i32 {
        %u = tt.load %x : tensor<64x64x!tt.ptr<f16>>
        %v = tt.load %y : tensor<64x128x!tt.ptr<f16>>
        %d = tt.dot %u, %v, %s : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
        %x1 = tt.addptr %x, %astep {tt.divisibility = dense<16> : tensor<2xi32>} : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
        %y1 = tt.addptr %y, %bstep {tt.divisibility = dense<16> : tensor<2xi32>} : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
        scf.yield %x1, %y1, %d : tensor<64x64x!tt.ptr<f16>>, tensor<64x128x!tt.ptr<f16>>, tensor<64x128xf32>
      }
      %result = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xf16>
      %cfar = arith.muli %ms, %c128 : tensor<64x1xi32>
      %p0 = tt.splat %c : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %p1 = tt.addptr %p0, %cfar : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %p2 = tt.broadcast %p1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
      %p3 = tt.addptr %p2, %b3 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
      tt.store %p3, %result : tensor<64x128x!tt.ptr<f16>>
      %on = arith.addi %at, %c132 : i32
      scf.yield %on : i32
    }
    scf.yield %next, %limit : i32, i32
  }
  tt.return
}
