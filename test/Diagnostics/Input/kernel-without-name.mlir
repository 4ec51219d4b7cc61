// RUN: not tilewright compile %s --target=sm_80 --emit=ptx -o %t.ptx 2>&1 | FileCheck %s

// CHECK: :[[@LINE+1]]:1: error: 'tt.func' op expects a name for the kernel, without zero bytes, but got ''
tt.func public @""() {
  tt.return
}
