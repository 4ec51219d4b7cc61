// A parameter of each kind that has no tile: out[i] = the i-th number.
tt.func public @types(%out: !tt.ptr<f64> loc("out"), %narrow: i8 loc("narrow"), %short: i16 loc("short_"),
                      %word: i32 loc("word"), %wide: i64 loc("wide"), %flag: i1 loc("flag"), %half: f16 loc("half"),
                      %single: f32 loc("single"), %double: f64 loc("double")) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  %4 = arith.constant 4 : i32
  %5 = arith.constant 5 : i32
  %6 = arith.constant 6 : i32
  %7 = arith.constant 7 : i32
  %a = arith.sitofp %narrow : i8 to f64
  %b = arith.sitofp %short : i16 to f64
  %c = arith.sitofp %word : i32 to f64
  %d = arith.sitofp %wide : i64 to f64
  %e = arith.uitofp %flag : i1 to f64
  %f = arith.extf %half : f16 to f64
  %g = arith.extf %single : f32 to f64
  %pa = tt.addptr %out, %0 : !tt.ptr<f64>, i32
  tt.store %pa, %a : !tt.ptr<f64>
  %pb = tt.addptr %out, %1 : !tt.ptr<f64>, i32
  tt.store %pb, %b : !tt.ptr<f64>
  %pc = tt.addptr %out, %2 : !tt.ptr<f64>, i32
  tt.store %pc, %c : !tt.ptr<f64>
  %pd = tt.addptr %out, %3 : !tt.ptr<f64>, i32
  tt.store %pd, %d : !tt.ptr<f64>
  %pe = tt.addptr %out, %4 : !tt.ptr<f64>, i32
  tt.store %pe, %e : !tt.ptr<f64>
  %pf = tt.addptr %out, %5 : !tt.ptr<f64>, i32
  tt.store %pf, %f : !tt.ptr<f64>
  %pg = tt.addptr %out, %6 : !tt.ptr<f64>, i32
  tt.store %pg, %g : !tt.ptr<f64>
  %ph = tt.addptr %out, %7 : !tt.ptr<f64>, i32
  tt.store %ph, %double : !tt.ptr<f64>
  tt.return
}
