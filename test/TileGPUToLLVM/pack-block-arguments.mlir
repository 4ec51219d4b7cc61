// RUN: tilewright-opt %s --pack-block-arguments | FileCheck %s

// Halves of one word come as the word, whatever their order among the
// arguments; on other edges the word is put together.
// CHECK-LABEL: @halves
// CHECK: %[[START:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: llvm.br ^bb1(%{{[^,]*}}, %[[START]] : i32, i32)
// CHECK: ^bb1(%{{.*}}: i32, %[[WORD:.*]]: i32):
// CHECK-NEXT: %[[BOTH:.*]] = llvm.bitcast %[[WORD]] : i32 to vector<2xf16>
// CHECK: llvm.extractelement %[[BOTH]][%{{.*}}]
// CHECK: llvm.extractelement %[[BOTH]][%{{.*}}]
// CHECK: %[[NEXT:.*]] = llvm.bitcast %arg2 : vector<2xf16> to i32
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%{{[^,]*}}, %[[NEXT]] : i32, i32), ^bb2
llvm.func @halves(%x: f16, %y: f16, %v: vector<2xf16>, %more: i1) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %low = llvm.extractelement %v[%c0 : i32] : vector<2xf16>
  %high = llvm.extractelement %v[%c1 : i32] : vector<2xf16>
  llvm.br ^bb1(%x, %c0, %y : f16, i32, f16)
^bb1(%b: f16, %i: i32, %a: f16):
  %s = llvm.fadd %a, %b : f16
  llvm.cond_br %more, ^bb1(%high, %c1, %low : f16, i32, f16), ^bb2
^bb2:
  llvm.return
}

// Bytes; of a vector of two words the second one.
// CHECK-LABEL: @bytes
// CHECK: %[[WORDS:.*]] = llvm.bitcast %{{.*}} : vector<8xi8> to vector<2xi32>
// CHECK: %[[SECOND:.*]] = llvm.extractelement %[[WORDS]][%{{.*}}]
// CHECK: llvm.br ^bb1(%[[SECOND]] : i32)
llvm.func @bytes(%v: vector<8xi8>) {
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %c5 = llvm.mlir.constant(5 : i32) : i32
  %c6 = llvm.mlir.constant(6 : i32) : i32
  %c7 = llvm.mlir.constant(7 : i32) : i32
  %a = llvm.extractelement %v[%c4 : i32] : vector<8xi8>
  %b = llvm.extractelement %v[%c5 : i32] : vector<8xi8>
  %c = llvm.extractelement %v[%c6 : i32] : vector<8xi8>
  %d = llvm.extractelement %v[%c7 : i32] : vector<8xi8>
  llvm.br ^bb1(%a, %b, %c, %d : i8, i8, i8, i8)
^bb1(%e: i8, %f: i8, %g: i8, %h: i8):
  llvm.return
}

// Halves of two words, and of one a half alone.
// CHECK-LABEL: @others
// CHECK: ^bb1(%{{.*}}: f16, %{{.*}}: f16, %{{.*}}: i16):
llvm.func @others(%v: vector<2xf16>, %w: vector<2xf16>, %z: vector<2xi16>) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %a = llvm.extractelement %v[%c0 : i32] : vector<2xf16>
  %b = llvm.extractelement %w[%c1 : i32] : vector<2xf16>
  %c = llvm.extractelement %z[%c0 : i32] : vector<2xi16>
  llvm.br ^bb1(%a, %b, %c : f16, f16, i16)
^bb1(%d: f16, %e: f16, %f: i16):
  llvm.return
}

// Halves that the block joins: what rounds them stays where it is, and one word
// comes from there.
// CHECK-LABEL: @joined
// CHECK: %[[LOW:.*]] = llvm.fptrunc
// CHECK: llvm.insertelement %[[LOW]]
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: llvm.br ^bb1(%[[WORD]] : i32)
// CHECK: ^bb1(%{{.*}}: i32):
llvm.func @joined(%x: f32, %y: f32) -> vector<2xf16> {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %low = llvm.fptrunc %x : f32 to f16
  %high = llvm.fptrunc %y : f32 to f16
  llvm.br ^bb1(%high, %low : f16, f16)
^bb1(%b: f16, %a: f16):
  %none = llvm.mlir.poison : vector<2xf16>
  %some = llvm.insertelement %a, %none[%c0 : i32] : vector<2xf16>
  %all = llvm.insertelement %b, %some[%c1 : i32] : vector<2xf16>
  llvm.return %all : vector<2xf16>
}

// One that is used otherwise, or joined to what is no argument, stays.
// CHECK-LABEL: @not_joined
// CHECK: ^bb1(%{{.*}}: f16, %{{.*}}: f16):
llvm.func @not_joined(%x: f16, %y: f16) -> vector<2xf16> {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^bb1(%x, %y : f16, f16)
^bb1(%a: f16, %b: f16):
  %sum = llvm.fadd %a, %b : f16
  %none = llvm.mlir.poison : vector<2xf16>
  %some = llvm.insertelement %a, %none[%c0 : i32] : vector<2xf16>
  %all = llvm.insertelement %sum, %some[%c1 : i32] : vector<2xf16>
  llvm.return %all : vector<2xf16>
}

// What was cut from a word, or is a constant, is passed uncut, so that what is
// loaded for the next iteration is not waited for at the end of this one.
// CHECK-LABEL: @uncut
// CHECK: %[[NONE:.*]] = llvm.zext %{{.*}} : i16 to i32
// CHECK: llvm.br ^bb1(%[[NONE]] : i32)
// CHECK: ^bb1(%[[WORD:.*]]: i32):
// CHECK: %[[PART:.*]] = llvm.trunc %[[WORD]] : i32 to i16
// CHECK: %[[NUMBER:.*]] = llvm.bitcast %[[PART]] : i16 to f16
// CHECK: llvm.fcmp "oeq" %[[NUMBER]]
// CHECK: %[[LOADED:.*]] = llvm.load
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%[[LOADED]] : i32), ^bb2
llvm.func @uncut(%p: !llvm.ptr) {
  %none = llvm.mlir.constant(0.0 : f16) : f16
  llvm.br ^bb1(%none : f16)
^bb1(%a: f16):
  %more = llvm.fcmp "oeq" %a, %none : f16
  %word = llvm.load %p : !llvm.ptr -> i32
  %part = llvm.trunc %word : i32 to i16
  %next = llvm.bitcast %part : i16 to f16
  llvm.cond_br %more, ^bb1(%next : f16), ^bb2
^bb2:
  llvm.return
}

// What is computed has no word.
// CHECK-LABEL: @computed
// CHECK: ^bb1(%{{.*}}: f16):
llvm.func @computed(%p: !llvm.ptr) {
  %word = llvm.load %p : !llvm.ptr -> i32
  %part = llvm.trunc %word : i32 to i16
  %first = llvm.bitcast %part : i16 to f16
  llvm.br ^bb1(%first : f16)
^bb1(%a: f16):
  %sum = llvm.fadd %a, %a : f16
  %more = llvm.fcmp "oeq" %a, %sum : f16
  llvm.cond_br %more, ^bb1(%sum : f16), ^bb2
^bb2:
  llvm.return
}
