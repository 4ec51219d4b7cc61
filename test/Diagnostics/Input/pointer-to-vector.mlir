// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:30: error: expects a ranked tile, but got 'vector<4xf32>'
tt.func public @k(%p: !tt.ptr<vector<4xf32>>) {
  tt.return
}
