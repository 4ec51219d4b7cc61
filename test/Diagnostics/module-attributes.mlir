// What modules say by Triton's attributes is not made use of; where the options
// differ it is said.

// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o %t.ptx 2>&1 | FileCheck %s
// RUN: tilewright compile %s --target=sm_80 --num-warps=8 --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SAME --implicit-check-not='ttg.num-warps ='

// CHECK: module-attributes.mlir:[[@LINE+4]]:1: warning: expects ttg.num-warps = 4, as the options say, but got 8 : i32, which is not made use of
// CHECK: warning: expects ttg.num-ctas = 1, as the options say, but got 2 : i32
// CHECK: warning: expects ttg.threads-per-warp = 32, as the options say, but got 64 : i32
// SAME: warning: expects ttg.num-ctas = 1
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k() {
    tt.return
  }
}
