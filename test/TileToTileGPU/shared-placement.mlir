// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" | FileCheck %s --check-prefixes=CHECK,COPY
// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_75 num-warps=4" | FileCheck %s --check-prefixes=CHECK,STORE
// RUN: tilewright-opt %s --validate-passes --tilegpu-assign-layouts="target=sm_80 num-warps=4" -o /dev/null

// COPY-DAG: #[[$FEW:.*]] = #tilegpu.linear<register = {{\[\[1\]\]}}, lane = {{\[\[2\], \[16\], \[32\], \[0\], \[0\]\]}}, warp = {{\[\[4\], \[8\]\]}}>

// A dot without a matrix instruction reads its operands from shared memory. A
// load whose only use is such an operand is a copy there, if the target has
// one; both copies are on their way before they are waited for together.
// CHECK-LABEL: @loads_for_a_dot
// COPY: %[[A:.*]] = tilegpu.local_alloc
// COPY: %[[COPY_A:.*]] = tilegpu.async_copy %{{.*}}, %[[A]]
// COPY-NOT: tilegpu.async_wait
// COPY: %[[B:.*]] = tilegpu.local_alloc
// COPY: %[[COPY_B:.*]] = tilegpu.async_copy %{{.*}}, %[[B]]
// COPY: %[[GROUP:.*]] = tilegpu.async_commit %[[COPY_A]], %[[COPY_B]]
// COPY-NEXT: tilegpu.async_wait %[[GROUP]] {pending = 0 : i32}
// STORE: %[[LOADED_A:.*]] = tt.load
// STORE: %[[LOADED_B:.*]] = tt.load
// STORE: %[[A:.*]] = tilegpu.local_alloc %[[LOADED_A]] :
// STORE: %[[B:.*]] = tilegpu.local_alloc %[[LOADED_B]] :
// CHECK: tilegpu.multiply_add %[[A]], %[[B]], %{{.*}}
tt.func public @loads_for_a_dot(%pa: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pd: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %size = arith.constant dense<32> : tensor<32x1xi32>
  %start = arith.muli %row, %size : tensor<32x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = tt.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts, %columns : tensor<32x32xi32>
  %abase = tt.splat %pa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %as = tt.addptr %abase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %bbase = tt.splat %pb : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bs = tt.addptr %bbase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %dbase = tt.splat %pd : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ds = tt.addptr %dbase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %a = tt.load %as : tensor<32x32x!tt.ptr<f32>>
  %b = tt.load %bs : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %ds, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// What is wanted in registers as well is loaded into them, and stored: that
// costs less than reading it back from where it was copied to.
// CHECK-LABEL: @wanted_in_registers_too
// CHECK-NOT: tilegpu.async_copy
// CHECK: %[[LOADED:.*]] = tt.load
// CHECK: %[[SUM:.*]] = arith.addf %[[LOADED]], %[[LOADED]]
// CHECK: %[[A:.*]] = tilegpu.local_alloc %[[LOADED]] :
// CHECK: tilegpu.multiply_add %[[A]],
tt.func public @wanted_in_registers_too(%pa: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %pd: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %size = arith.constant dense<32> : tensor<32x1xi32>
  %start = arith.muli %row, %size : tensor<32x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = tt.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts, %columns : tensor<32x32xi32>
  %abase = tt.splat %pa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %as = tt.addptr %abase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %bbase = tt.splat %pb : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bs = tt.addptr %bbase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %dbase = tt.splat %pd : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ds = tt.addptr %dbase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %a = tt.load %as : tensor<32x32x!tt.ptr<f32>>
  %sum = arith.addf %a, %a : tensor<32x32xf32>
  tt.store %bs, %sum : tensor<32x32x!tt.ptr<f32>>
  %b = tt.splat %x : f32 -> tensor<32x32xf32>
  %d = tt.dot %a, %b, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %ds, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// The left operand is the same in all iterations: it is stored once. So is
// what only depends on it.
// CHECK-LABEL: @invariant
// CHECK: %[[A:.*]] = tilegpu.local_alloc
// CHECK: scf.for
// CHECK: %[[B:.*]] = tilegpu.local_alloc
// CHECK: tilegpu.multiply_add %[[A]], %[[B]]
tt.func public @invariant(%x: f32, %n: i32, %pd: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pa: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %size = arith.constant dense<32> : tensor<32x1xi32>
  %start = arith.muli %row, %size : tensor<32x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = tt.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts, %columns : tensor<32x32xi32>
  %abase = tt.splat %pa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %as = tt.addptr %abase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %bbase = tt.splat %pb : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bs = tt.addptr %bbase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %dbase = tt.splat %pd : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ds = tt.addptr %dbase, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %scattered = tt.load %as : tensor<32x32x!tt.ptr<f32>>
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %a = arith.mulf %scattered, %scattered : tensor<32x32xf32>
    %number = arith.sitofp %i : i32 to f32
    %b = tt.splat %number : f32 -> tensor<32x32xf32>
    %d = tt.dot %a, %b, %acc : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tt.store %ds, %result : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// A tile with fewer elements than there are threads is copied by some of them,
// each by 4 bytes, to where the loop carries its addresses: in each warp by those
// that copy what it reads.
// CHECK-LABEL: @few_elements
// COPY: scf.for {{.*}} iter_args({{.*}}, %[[ADDRESSES:.*]] = %{{.*}})
// COPY: tilegpu.async_copy %[[ADDRESSES]], %{{.*}} : tensor<64x!tt.ptr<f16>, #[[$FEW]]>
// COPY-NOT: tt.load {{.*}} : tensor<64x!tt.ptr<f16>
// STORE: scf.for
// STORE: tt.load
tt.func public @few_elements(%ps: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pd: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pq: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %step = arith.constant dense<64> : tensor<64xi32>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %size = arith.constant dense<32> : tensor<64x1xi32>
  %start = arith.muli %row, %size : tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = tt.broadcast %start : tensor<64x1xi32> -> tensor<64x32xi32>
  %columns = tt.broadcast %column : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %starts, %columns : tensor<64x32xi32>
  %dbase = tt.splat %pd : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ds = tt.addptr %dbase, %offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %qbase = tt.splat %pq : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %qs = tt.addptr %qbase, %offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %sbase = tt.splat %ps : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %first = tt.addptr %sbase, %rows : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %result:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ss = %first) -> (tensor<64x32xf32>, tensor<64x!tt.ptr<f16>>) : i32 {
    %s = tt.load %ss : tensor<64x!tt.ptr<f16>>
    %wide = arith.extf %s : tensor<64xf16> to tensor<64xf32>
    %expanded = tt.expand_dims %wide {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %scales = tt.broadcast %expanded : tensor<64x1xf32> -> tensor<64x32xf32>
    %more = tt.load %qs : tensor<64x32x!tt.ptr<f32>>
    %both = arith.addf %acc, %more : tensor<64x32xf32>
    %sum = arith.addf %both, %scales : tensor<64x32xf32>
    tt.store %ds, %sum : tensor<64x32x!tt.ptr<f32>>
    %next = tt.addptr %ss, %step : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    scf.yield %sum, %next : tensor<64x32xf32>, tensor<64x!tt.ptr<f16>>
  }
  tt.store %ds, %result#0 : tensor<64x32x!tt.ptr<f32>>
  tt.return
}
