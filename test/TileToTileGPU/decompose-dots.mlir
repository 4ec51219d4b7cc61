// RUN: tilewright-opt %s --tilegpu-decompose-dots=target=sm_80 | FileCheck %s --check-prefixes=ALL,AMPERE
// RUN: tilewright-opt %s --tilegpu-decompose-dots=target=sm_75 | FileCheck %s --check-prefixes=ALL,TURING
// RUN: tilewright-opt %s --tilegpu-decompose-dots=target=sm_89 | FileCheck %s --check-prefixes=ALL,ADA
// RUN: not tilewright-opt %s --tilegpu-decompose-dots=target=sm_42 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: expects one of the targets

// The parts that tf32 leaves out; their products first.
// ALL-LABEL: tt.func private @tf32x3
// AMPERE-SAME: (%[[A:.*]]: tensor<16x8xf32>, %[[B:.*]]: tensor<8x16xf32>, %[[C:.*]]: tensor<16x16xf32>)
// AMPERE: %[[BITS:.*]] = arith.bitcast %[[A]] : tensor<16x8xf32> to tensor<16x8xi32>
// AMPERE: arith.cmpi ult
// AMPERE: %[[HIGH_A:.*]] = arith.bitcast %{{.*}} : tensor<16x8xi32> to tensor<16x8xf32>
// AMPERE: %[[LOW_A:.*]] = arith.subf %[[A]], %[[HIGH_A]]
// AMPERE: %[[HIGH_B:.*]] = arith.bitcast %{{.*}} : tensor<8x16xi32> to tensor<8x16xf32>
// AMPERE: %[[LOW_B:.*]] = arith.subf %[[B]], %[[HIGH_B]]
// AMPERE: %[[S0:.*]] = tt.dot %[[LOW_A]], %[[HIGH_B]], %{{.*}}, inputPrecision = tf32
// AMPERE: %[[S1:.*]] = tt.dot %[[HIGH_A]], %[[LOW_B]], %[[S0]], inputPrecision = tf32
// AMPERE: %[[MAGNITUDE:.*]] = math.absf %[[S1]]
// AMPERE: %[[FINITE:.*]] = arith.cmpf olt, %[[MAGNITUDE]], %{{.*}}
// AMPERE: %[[CLEARED:.*]] = arith.select %[[FINITE]], %[[S1]]
// What they are added to is not left to the matrix units, which cut sums off.
// AMPERE: %[[PRODUCT:.*]] = tt.dot %[[HIGH_A]], %[[HIGH_B]], %[[CLEARED]], inputPrecision = tf32
// AMPERE: %[[D:.*]] = arith.addf %[[C]], %[[PRODUCT]]
// AMPERE: tt.return %[[D]]
// Without tf32 nothing is faster than exact products.
// TURING-NEXT: tt.dot %arg0, %arg1, %arg2 : {{.*}}
// TURING-NEXT: tt.return
tt.func private @tf32x3(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x8xf32> * tensor<8x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// ALL-LABEL: tt.func private @bf16x6
// AMPERE-COUNT-6: tt.dot {{.*}} : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
// ADA-COUNT-6: tt.dot {{.*}} : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
// TURING-NEXT: tt.dot %arg0, %arg1, %arg2 : {{.*}}
// ALL-NOT: tt.dot
// ALL: tt.return
tt.func private @bf16x6(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// ALL-LABEL: tt.func private @fp8
// AMPERE: %[[A:.*]] = tt.fp_to_fp %arg0 : tensor<16x32xf8E4M3FN> -> tensor<16x32xf16>
// AMPERE: %[[B:.*]] = tt.fp_to_fp %arg1 : tensor<32x16xf8E5M2> -> tensor<32x16xf16>
// AMPERE: tt.dot %[[A]], %[[B]], %arg2 : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
// TURING: tt.dot %{{.*}} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
// ADA-NEXT: tt.dot %arg0, %arg1, %arg2
// ALL-NEXT: tt.return
tt.func private @fp8(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x32xf8E4M3FN> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// Sums of 16 bits are kept in f32. Without any bf16 instruction the multiply-adds do so.
// ALL-LABEL: tt.func private @bf16_sums
// AMPERE: %[[C:.*]] = arith.extf %arg2 : tensor<16x16xbf16> to tensor<16x16xf32>
// AMPERE: %[[D:.*]] = tt.dot %arg0, %arg1, %[[C]] : {{.*}} -> tensor<16x16xf32>
// AMPERE: arith.truncf %[[D]] : tensor<16x16xf32> to tensor<16x16xbf16>
// TURING-NEXT: tt.dot %arg0, %arg1, %arg2 : {{.*}} -> tensor<16x16xbf16>
tt.func private @bf16_sums(%a: tensor<16x16xbf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xbf16>) -> tensor<16x16xbf16> {
  %d = tt.dot %a, %b, %c : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xbf16>
  tt.return %d : tensor<16x16xbf16>
}

// Sums of products fit 32 bits: the wider accumulator is added afterwards.
// ALL-LABEL: tt.func private @wide_sums
// ALL: %[[D:.*]] = tt.dot %arg0, %arg1, %{{.*}} : {{.*}} -> tensor<16x16xi32>
// ALL: %[[WIDE:.*]] = arith.extsi %[[D]] : tensor<16x16xi32> to tensor<16x16xi64>
// ALL: arith.addi %arg2, %[[WIDE]]
tt.func private @wide_sums(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xi64>) -> tensor<16x16xi64> {
  %d = tt.dot %a, %b, %c : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xi64>
  tt.return %d : tensor<16x16xi64>
}

// ALL-LABEL: tt.func private @narrow_sums
// ALL: %[[C:.*]] = arith.extsi %arg2 : tensor<16x16xi8> to tensor<16x16xi32>
// ALL: %[[D:.*]] = tt.dot %arg0, %arg1, %[[C]]
// ALL: arith.trunci %[[D]] : tensor<16x16xi32> to tensor<16x16xi8>
tt.func private @narrow_sums(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xi8>) -> tensor<16x16xi8> {
  %d = tt.dot %a, %b, %c : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xi8>
  tt.return %d : tensor<16x16xi8>
}

// ALL-LABEL: tt.func private @double_sums
// AMPERE: tt.dot %{{.*}} : tensor<16x16xf64> * tensor<16x16xf64> -> tensor<16x16xf64>
// TURING-NEXT: tt.dot %arg0, %arg1, %arg2 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf64>
tt.func private @double_sums(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf64>) -> tensor<16x16xf64> {
  %d = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf64>
  tt.return %d : tensor<16x16xf64>
}

// What was 16 bits wide is multiplied in 16 bits, where there is an instruction:
// moved in between or not, also for several dots, and no wide tile is left.
// ALL-LABEL: tt.func private @widened
// ALL-SAME: (%[[A:.*]]: tensor<16x32xf16>, %[[B:.*]]: tensor<16x32xf16>, %[[C:.*]]: tensor<16x16xf32>)
// ALL-NEXT: %[[TURNED:.*]] = tt.trans %[[B]] {order = array<i32: 1, 0>} : tensor<16x32xf16> -> tensor<32x16xf16>
// ALL-NEXT: %[[D:.*]] = tt.dot %[[A]], %[[TURNED]], %[[C]] : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
// ALL-NEXT: %[[E:.*]] = tt.dot %[[A]], %[[TURNED]], %[[D]] : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
// ALL-NEXT: tt.return %[[E]]
tt.func private @widened(%a: tensor<16x32xf16>, %b: tensor<16x32xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %x = arith.extf %a : tensor<16x32xf16> to tensor<16x32xf32>
  %y = arith.extf %b : tensor<16x32xf16> to tensor<16x32xf32>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
  %d = tt.dot %x, %t, %c, inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %e = tt.dot %x, %t, %d, inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}

// One product for those of all parts; what it is added to is left to f32 here too.
// ALL-LABEL: tt.func private @widened_parts
// AMPERE: %[[PRODUCT:.*]] = tt.dot %arg0, %arg1, %{{.*}} : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
// AMPERE-NEXT: %[[D:.*]] = arith.addf %arg2, %[[PRODUCT]]
// AMPERE-NEXT: tt.return %[[D]]
// TURING: tt.dot %{{.*}}, %arg2 : tensor<16x16xf32>
tt.func private @widened_parts(%a: tensor<16x16xbf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %x = arith.extf %a : tensor<16x16xbf16> to tensor<16x16xf32>
  %y = arith.extf %b : tensor<16x16xbf16> to tensor<16x16xf32>
  %d = tt.dot %x, %y, %c, inputPrecision = bf16x6 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// Numbers of two types, of one that is 32 bits wide, and products that ask for f32.
// ALL-LABEL: tt.func private @not_narrowed
// ALL-COUNT-3: tt.dot {{.*}} : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
// ALL: tt.return
tt.func private @not_narrowed(%a: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %x = arith.extf %a : tensor<16x16xf16> to tensor<16x16xf32>
  %y = arith.extf %b : tensor<16x16xbf16> to tensor<16x16xf32>
  %d = tt.dot %x, %y, %c, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = tt.dot %x, %c, %d, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %f = tt.dot %x, %x, %e : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %f : tensor<16x16xf32>
}

// What has an instruction is left alone, and what can have none.
// ALL-LABEL: tt.func private @left
// ALL-NEXT: tt.dot %arg0, %arg1, %arg2 : tensor<16x16xf16>
// ALL-NEXT: tt.dot %arg3, %arg4, %arg5 : tensor<16x16xi32>
// ALL-NEXT: tt.return
tt.func private @left(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>, %e: tensor<16x16xi32>, %f: tensor<16x16xi32>, %g: tensor<16x16xi32>) -> (tensor<16x16xf32>, tensor<16x16xi32>) {
  %d = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %h = tt.dot %e, %f, %g : tensor<16x16xi32> * tensor<16x16xi32> -> tensor<16x16xi32>
  tt.return %d, %h : tensor<16x16xf32>, tensor<16x16xi32>
}

// Operands of 96 KB, more than half of the shared memory of these GPUs. The
// upper half of K is added to the lower one's sums.
// ALL-LABEL: tt.func private @deep
// TURING: %[[PARTS:.*]] = tt.reshape %arg0 : tensor<64x256xi16> -> tensor<64x2x128xi16>
// TURING: %[[MOVED:.*]] = tt.trans %[[PARTS]] {order = array<i32: 0, 2, 1>}
// TURING: %[[LOW_A:.*]], %[[HIGH_A:.*]] = tt.split %[[MOVED]]
// TURING: %[[PARTS_B:.*]] = tt.reshape %arg1 : tensor<256x128xi16> -> tensor<2x128x128xi16>
// TURING: tt.trans %[[PARTS_B]] {order = array<i32: 1, 2, 0>}
// TURING: tt.split
// TURING-COUNT-4: tt.dot {{.*}} : tensor<64x64xi16> * tensor<64x128xi16> -> tensor<64x128xi32>
// AMPERE-COUNT-2: tt.dot {{.*}} : tensor<64x128xi16> * tensor<128x128xi16> -> tensor<64x128xi32>
// ADA-COUNT-2: tt.dot {{.*}} : tensor<64x128xi16> * tensor<128x128xi16> -> tensor<64x128xi32>
// ALL-NOT: tt.dot
// ALL: tt.return
tt.func private @deep(%a: tensor<64x256xi16>, %b: tensor<256x128xi16>, %c: tensor<64x128xi32>) -> tensor<64x128xi32> {
  %d = tt.dot %a, %b, %c : tensor<64x256xi16> * tensor<256x128xi16> -> tensor<64x128xi32>
  tt.return %d : tensor<64x128xi32>
}
