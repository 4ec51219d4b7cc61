// A kernel may be called anything: PTX gets a symbol, the user keeps the name.

// RUN: tilewright compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: tilewright compile %s --emit=artifact-json --machine-code=false -o - | FileCheck %s --check-prefix=JSON
// RUN: tilewright run %s --kernel='a b' --device=emulator --arg=%t.npy=zeros:1xf32
// RUN: tilewright run %s --kernel='sin' --device=emulator --arg=zeros:1xf32 --compare=0=%t.npy
// RUN: tilewright run %s --kernel='.entry' --device=emulator --arg=zeros:1xf32 --compare=0=%t.npy
// RUN: tilewright run %s --kernel='__tilewright_sin_f32' --device=emulator --arg=zeros:1xf32 --compare=0=%t.npy
// RUN: tilewright run %s --kernel='vprintf' --device=emulator --arg=zeros:1xf32 | FileCheck %s --check-prefix=PRINTED

// REQUIRES: ptxas
// RUN: tilewright compile %s --target=sm_90a --emit=cubin -o %t.cubin

// Names are C's own affair in C.
// RUN: rm -rf %t.c && mkdir %t.c && cd %t.c && tilewright compile %s --machine-code=false --emit=c-header -o names.h
// RUN: %cc -std=c99 -Wall -Wextra -Werror -pedantic -I%include -c %t.c/names.c -o %t.o

// PTX: .entry sin(
// PTX: .entry $tw$a_20b(
// PTX: .entry $tw$_2Eentry(
// PTX: .entry $tw$a_22_0A_25_2F_5C(
// PTX: .entry $tw$_C3_A9(
// PTX: .entry $tw$_2A_2F_3F_3F_2F(
// PTX: .entry $tw$1a(
// PTX: .entry $tw$_5F(
// PTX: .entry $tw$WARP_5FSZ(
// PTX: .entry $tw$llvm_2Etrap(
// PTX: .entry $tw$_5F_5Ftilewright_5Fsin_5Ff32(
// PTX: .entry $tw$_24tw_24a_5F20b(
// PTX: .entry $tw$vprintf(
// JSON: "name": "sin"
// JSON: "name": "a b"
// JSON: "name": ".entry"
// JSON: "name": "a\"\n%/\\"
// JSON: "name": "é"
// JSON: "name": "*/??/"
// JSON: "name": "1a"
// JSON: "name": "_"
// JSON: "name": "WARP_SZ"
// JSON: "name": "llvm.trap"
// JSON: "name": "__tilewright_sin_f32"
// JSON: "name": "$tw$a_20b"
// JSON: "name": "vprintf"
// JSON: "name": "x{{.+}}y"
// PRINTED: pid (0, 0, 0) here

tt.func private @compute(%p: !tt.ptr<f32>) {
  %number = arith.constant 0.5 : f32
  %id = tt.get_program_id x : i32
  %real = arith.sitofp %id : i32 to f32
  %sum = arith.addf %number, %real : f32
  %sine = math.sin %sum : f32
  tt.store %p, %sine : !tt.ptr<f32>
  tt.return
}
tt.func public @"sin"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"a b"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @".entry"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"a\22\0A%/\\"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"\C3\A9"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"*/??/"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"1a"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"_"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"WARP_SZ"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"llvm.trap"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"__tilewright_sin_f32"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"$tw$a_20b"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"vprintf"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.print " here " {hex = false, isSigned = array<i32>}
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @"x\FFy"(%p: !tt.ptr<f32> loc("a b\22")) {
  tt.call @compute(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
