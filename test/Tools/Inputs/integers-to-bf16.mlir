// An integer a little above the middle between two bf16 is rounded once, up.
tt.func @integers_to_bf16(%small: !tt.ptr<i32>, %large: !tt.ptr<i64>, %out: !tt.ptr<bf16>) {
  %one = arith.constant 1 : i32
  %v = tt.load %small : !tt.ptr<i32>
  %a = arith.sitofp %v : i32 to bf16
  tt.store %out, %a : !tt.ptr<bf16>
  %p1 = tt.addptr %out, %one : !tt.ptr<bf16>, i32
  %b = arith.uitofp %v : i32 to bf16
  tt.store %p1, %b : !tt.ptr<bf16>
  %p2 = tt.addptr %p1, %one : !tt.ptr<bf16>, i32
  %w = tt.load %large : !tt.ptr<i64>
  %c = arith.sitofp %w : i64 to bf16
  tt.store %p2, %c : !tt.ptr<bf16>
  %p3 = tt.addptr %p2, %one : !tt.ptr<bf16>, i32
  %d = arith.uitofp %w : i64 to bf16
  tt.store %p3, %d : !tt.ptr<bf16>
  tt.return
}
