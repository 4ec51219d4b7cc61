// out = softmax(q k^T) v of 16 queries and keys with 96 channels, in tiles of
// 128: of the rest of q and k nothing is loaded, and zeros stand there, of v
// nothing stands there, and those columns of out are not stored.
tt.func public @attention(%q: !tt.ptr<f16> loc("q"), %k: !tt.ptr<f16> loc("k"),
                          %v: !tt.ptr<f16> loc("v"), %out: !tt.ptr<f16> loc("out")) {
  %row = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %channel = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %channels = tt.expand_dims %channel {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %stride = arith.constant dense<96> : tensor<16x1xi32>
  %start = arith.muli %rows, %stride : tensor<16x1xi32>
  %down = tt.broadcast %start : tensor<16x1xi32> -> tensor<16x128xi32>
  %along = tt.broadcast %channels : tensor<1x128xi32> -> tensor<16x128xi32>
  %offset = arith.addi %down, %along : tensor<16x128xi32>
  %last = arith.constant dense<96> : tensor<1x128xi32>
  %inside = arith.cmpi slt, %channels, %last : tensor<1x128xi32>
  %mask = tt.broadcast %inside : tensor<1x128xi1> -> tensor<16x128xi1>
  %zeros = arith.constant dense<0.0> : tensor<16x128xf16>
  %q_base = tt.splat %q : !tt.ptr<f16> -> tensor<16x128x!tt.ptr<f16>>
  %q_at = tt.addptr %q_base, %offset : tensor<16x128x!tt.ptr<f16>>, tensor<16x128xi32>
  %q_tile = tt.load %q_at, %mask, %zeros : tensor<16x128x!tt.ptr<f16>>
  %k_base = tt.splat %k : !tt.ptr<f16> -> tensor<16x128x!tt.ptr<f16>>
  %k_at = tt.addptr %k_base, %offset : tensor<16x128x!tt.ptr<f16>>, tensor<16x128xi32>
  %k_tile = tt.load %k_at, %mask, %zeros : tensor<16x128x!tt.ptr<f16>>
  %v_base = tt.splat %v : !tt.ptr<f16> -> tensor<16x128x!tt.ptr<f16>>
  %v_at = tt.addptr %v_base, %offset : tensor<16x128x!tt.ptr<f16>>, tensor<16x128xi32>
  %v_tile = tt.load %v_at, %mask : tensor<16x128x!tt.ptr<f16>>
  %keys = tt.trans %k_tile {order = array<i32: 1, 0>} : tensor<16x128xf16> -> tensor<128x16xf16>
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %scores = tt.dot %q_tile, %keys, %none : tensor<16x128xf16> * tensor<128x16xf16> -> tensor<16x16xf32>
  %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %most_column = tt.expand_dims %most {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %most_tile = tt.broadcast %most_column : tensor<16x1xf32> -> tensor<16x16xf32>
  %less = arith.subf %scores, %most_tile : tensor<16x16xf32>
  %weights = math.exp %less : tensor<16x16xf32>
  %sum = "tt.reduce"(%weights) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %sum_column = tt.expand_dims %sum {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %sum_tile = tt.broadcast %sum_column : tensor<16x1xf32> -> tensor<16x16xf32>
  %shares = arith.divf %weights, %sum_tile : tensor<16x16xf32>
  %shares_f16 = arith.truncf %shares : tensor<16x16xf32> to tensor<16x16xf16>
  %nothing = arith.constant dense<0.0> : tensor<16x128xf32>
  %mean = tt.dot %shares_f16, %v_tile, %nothing : tensor<16x16xf16> * tensor<16x128xf16> -> tensor<16x128xf32>
  %result = arith.truncf %mean : tensor<16x128xf32> to tensor<16x128xf16>
  %out_base = tt.splat %out : !tt.ptr<f16> -> tensor<16x128x!tt.ptr<f16>>
  %out_at = tt.addptr %out_base, %offset : tensor<16x128x!tt.ptr<f16>>, tensor<16x128xi32>
  tt.store %out_at, %result, %mask : tensor<16x128x!tt.ptr<f16>>
  tt.return
}
