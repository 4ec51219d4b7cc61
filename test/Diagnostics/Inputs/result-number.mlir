// "%two#99999999" is no name, and so is %two#99999999 in a comment.
tt.func @results(%out: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two:2 = scf.for %i = %zero to %n step %one
      iter_args(%a = %zero, %b = %one) -> (i32, i32) : i32 {
    %c = arith.addi %a, %b : i32
    scf.yield %b, %c : i32, i32
  }
  // Names may have signs in them.
  %a-1.b$2 = arith.addi %two#0, %one : i32
  tt.store %out, %a-1.b$2 : !tt.ptr<i32>
  tt.store %out, %two#NUMBER : !tt.ptr<i32>
  tt.return
}
