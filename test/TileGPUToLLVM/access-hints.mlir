// What loads and stores say of caches reaches PTX, as far as the target has it:
// policies of L2 from sm_80 on.

// RUN: tilewright compile %s --target=sm_70 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,TURING
// RUN: tilewright compile %s --target=sm_75 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,TURING
// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,AMPERE
// RUN: tilewright compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,AMPERE

// TURING: .version 7.4
// AMPERE: .version {{7.4|8.[0-9]}}

// CHECK-LABEL: .entry load_ca(
// CHECK: ld.global.ca.v4.b32
// CHECK: st.global.v4.b32
tt.func public @load_ca(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a cacheModifier = ca : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry load_cg(
// CHECK: ld.global.cg.v4.b32
// CHECK: st.global.v4.b32
tt.func public @load_cg(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a cacheModifier = cg : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry load_cs(
// CHECK: ld.global.cs.v4.b32
// CHECK: st.global.v4.b32
tt.func public @load_cs(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a cacheModifier = cs : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry load_cv(
// CHECK: ld.global.cv.v4.b32
// CHECK: st.global.v4.b32
tt.func public @load_cv(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a cacheModifier = cv : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Operators of stores mean nothing to loads.
// CHECK-LABEL: .entry load_wb(
// CHECK: ld.global.v4.b32
tt.func public @load_wb(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a cacheModifier = wb : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry load_wt(
// CHECK: ld.global.v4.b32
tt.func public @load_wt(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a cacheModifier = wt : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry store_wb(
// CHECK: st.global.wb.v4.b32
tt.func public @store_wb(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x cacheModifier = wb : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry store_cg(
// CHECK: st.global.cg.v4.b32
tt.func public @store_cg(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x cacheModifier = cg : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry store_cs(
// CHECK: st.global.cs.v4.b32
tt.func public @store_cs(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x cacheModifier = cs : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry store_wt(
// CHECK: st.global.wt.v4.b32
tt.func public @store_wt(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x cacheModifier = wt : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Nor those of loads to stores.
// CHECK-LABEL: .entry store_ca(
// CHECK: st.global.v4.b32
tt.func public @store_ca(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x cacheModifier = ca : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry store_cv(
// CHECK: st.global.v4.b32
tt.func public @store_cv(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x cacheModifier = cv : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry load_evict_first(
// TURING-NOT: createpolicy
// TURING: ld.global.L1::evict_first.v4.b32 {{.*}}];
// AMPERE: createpolicy.fractional.L2::evict_first.b64 [[POLICY:%rd[0-9]+]], 1.0;
// AMPERE: ld.global.L1::evict_first.L2::cache_hint.v4.b32 {{.*}}], [[POLICY]];
tt.func public @load_evict_first(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a evictionPolicy = evict_first : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry store_evict_first(
// TURING: st.global.L1::evict_first.v4.b32 {{.*}}};
// AMPERE: createpolicy.fractional.L2::evict_first.b64 [[POLICY:%rd[0-9]+]], 1.0;
// AMPERE: st.global.L1::evict_first.L2::cache_hint.v4.b32 {{.*}}, [[POLICY]];
tt.func public @store_evict_first(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x evictionPolicy = evict_first : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry load_evict_last(
// TURING-NOT: createpolicy
// TURING: ld.global.L1::evict_last.v4.b32 {{.*}}];
// AMPERE: createpolicy.fractional.L2::evict_last.b64 [[POLICY:%rd[0-9]+]], 1.0;
// AMPERE: ld.global.L1::evict_last.L2::cache_hint.v4.b32 {{.*}}], [[POLICY]];
tt.func public @load_evict_last(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a evictionPolicy = evict_last : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry store_evict_last(
// TURING: st.global.L1::evict_last.v4.b32 {{.*}}};
// AMPERE: createpolicy.fractional.L2::evict_last.b64 [[POLICY:%rd[0-9]+]], 1.0;
// AMPERE: st.global.L1::evict_last.L2::cache_hint.v4.b32 {{.*}}, [[POLICY]];
tt.func public @store_evict_last(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x evictionPolicy = evict_last : tensor<512x!tt.ptr<f32>>
  tt.return
}

// evict_normal is what every access does.
// CHECK-LABEL: .entry load_evict_normal(
// CHECK: ld.global.v4.b32
tt.func public @load_evict_normal(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a evictionPolicy = evict_normal : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}

// An operator and a policy: PTX has no room for both of them in L1.
// CHECK-LABEL: .entry both(
// TURING: ld.global.cg.v4.b32
// AMPERE: createpolicy.fractional.L2::evict_first.b64 [[FIRST:%rd[0-9]+]]
// AMPERE: ld.global.cg.L2::cache_hint.v4.b32 {{.*}}], [[FIRST]];
// TURING: st.global.cs.v4.b32
// AMPERE: createpolicy.fractional.L2::evict_last.b64 [[LAST:%rd[0-9]+]]
// AMPERE: st.global.cs.L2::cache_hint.v4.b32 {{.*}}, [[LAST]];
tt.func public @both(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a cacheModifier = cg evictionPolicy = evict_first : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x cacheModifier = cs evictionPolicy = evict_last : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Under a mask, with one policy for all that has it.
// CHECK-LABEL: .entry masked(
// AMPERE: createpolicy
// TURING: @%p{{[0-9]+}} ld.global.L1::evict_first.v4.b32
// TURING: @%p{{[0-9]+}} st.global.L1::evict_first.v4.b32
// AMPERE: @%p{{[0-9]+}} ld.global.L1::evict_first.L2::cache_hint.v4.b32
// AMPERE-NOT: createpolicy
// AMPERE: @%p{{[0-9]+}} st.global.L1::evict_first.L2::cache_hint.v4.b32
tt.func public @masked(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %n = tt.splat %count : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %r, %n : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a, %m evictionPolicy = evict_first : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x, %m evictionPolicy = evict_first : tensor<512x!tt.ptr<f32>>
  tt.return
}

// A volatile load takes no hints.
// CHECK-LABEL: .entry volatile(
// CHECK: ld.volatile.global.v4.b32
tt.func public @volatile(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %a cacheModifier = ca evictionPolicy = evict_last {isVolatile = true} : tensor<512x!tt.ptr<f32>>
  tt.store %b, %x : tensor<512x!tt.ptr<f32>>
  tt.return
}
