// RUN: tilewright-opt %s --tilegpu-shorten-tiles --split-input-file | FileCheck %s

// Tiles of 16 KB that a thread stores from registers; Turing gives a CTA 64 KB.

#r = #tilegpu.blocked<elements = [1, 4], threads = [2, 16], warps = [4, 1], order = [1, 0]>
#s = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
!x = tensor<64x64xf32, #r>
!m = !tilegpu.memdesc<64x64xf32, #s>
!stored = !tilegpu.memdesc<64x64xf32, #s, mutable>
module attributes {tilegpu.target = "sm_75"} {

// Five live at the first product: the largest that it does not read, the first of
// several, is stored before its own reader; four fit.
// CHECK-LABEL: @held
// CHECK-SAME: %[[A:[^:]*]]: tensor
// CHECK-COUNT-4: tilegpu.local_alloc
// CHECK-NOT: tilegpu.local_alloc
// CHECK: tilegpu.multiply_add
// CHECK: %[[M:.*]] = tilegpu.local_alloc %[[A]]
// CHECK-NEXT: tilegpu.multiply_add %[[M]]
tt.func @held(%a: !x, %b: !x, %c: !x, %d: !x, %e: !x) -> (!x, !x) attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.local_alloc %a : (!x) -> !m
  %1 = tilegpu.local_alloc %b : (!x) -> !m
  %2 = tilegpu.local_alloc %c : (!x) -> !m
  %3 = tilegpu.local_alloc %d : (!x) -> !m
  %4 = tilegpu.local_alloc %e : (!x) -> !m
  %p = tilegpu.multiply_add %3, %4, %a : !m * !m -> !x
  %q = tilegpu.multiply_add %1, %2, %p : !m * !m -> !x
  %r = tilegpu.multiply_add %0, %1, %q : !m * !m -> !x
  tt.return %q, %r : !x, !x
}

// A store of its own goes along, and so does a view.
// CHECK-LABEL: @views
// CHECK-COUNT-4: tilegpu.local_alloc %
// CHECK: tilegpu.multiply_add
// CHECK: tilegpu.multiply_add
// CHECK: %[[M:.*]] = tilegpu.local_alloc : ()
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[M]]
// CHECK-NEXT: %[[T:.*]] = tilegpu.memdesc_trans %[[M]]
// CHECK-NEXT: tilegpu.multiply_add %{{.*}}, %[[T]]
tt.func @views(%a: !x, %b: !x, %c: !x, %d: !x, %e: !x) -> (!x, !x) attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.local_alloc : () -> !stored
  tilegpu.local_store %a, %0 : !x -> !stored
  %1 = tilegpu.local_alloc %b : (!x) -> !m
  %2 = tilegpu.local_alloc %c : (!x) -> !m
  %3 = tilegpu.local_alloc %d : (!x) -> !m
  %4 = tilegpu.local_alloc %e : (!x) -> !m
  %p = tilegpu.multiply_add %3, %4, %a : !m * !m -> !x
  %q = tilegpu.multiply_add %1, %2, %p : !m * !m -> !x
  %t = tilegpu.memdesc_trans %0 {order = array<i32: 1, 0>} : !stored -> !tilegpu.memdesc<64x64xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0, 1]>, mutable>
  %r = tilegpu.multiply_add %1, %t, %q : !m * !tilegpu.memdesc<64x64xf32, #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0, 1]>, mutable> -> !x
  tt.return %q, %r : !x, !x
}

// Four fit, and stay where they are.
// CHECK-LABEL: @fits
// CHECK-COUNT-4: tilegpu.local_alloc
// CHECK: tilegpu.multiply_add
// CHECK-NOT: tilegpu.local_alloc
tt.func @fits(%a: !x, %b: !x, %c: !x, %d: !x) -> (!x, !x) attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.local_alloc %a : (!x) -> !m
  %1 = tilegpu.local_alloc %b : (!x) -> !m
  %2 = tilegpu.local_alloc %c : (!x) -> !m
  %3 = tilegpu.local_alloc %d : (!x) -> !m
  %p = tilegpu.multiply_add %2, %3, %a : !m * !m -> !x
  %r = tilegpu.multiply_add %0, %1, %p : !m * !m -> !x
  tt.return %p, %r : !x, !x
}

// Two operands that do not fit beside each other: there is nothing to gain.
// CHECK-LABEL: @neither
// CHECK-COUNT-2: tilegpu.local_alloc
// CHECK-NOT: tilegpu.local_alloc
// CHECK: tilegpu.multiply_add
tt.func @neither(%a: tensor<128x128xf32, #r>, %b: tensor<128x128xf32, #r>, %c: tensor<128x128xf32, #r>) -> tensor<128x128xf32, #r> attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.local_alloc %a : (tensor<128x128xf32, #r>) -> !tilegpu.memdesc<128x128xf32, #s>
  %1 = tilegpu.local_alloc %b : (tensor<128x128xf32, #r>) -> !tilegpu.memdesc<128x128xf32, #s>
  %p = tilegpu.multiply_add %0, %1, %c : !tilegpu.memdesc<128x128xf32, #s> * !tilegpu.memdesc<128x128xf32, #s> -> tensor<128x128xf32, #r>
  tt.return %p : tensor<128x128xf32, #r>
}
}
