// RUN: tilewright-opt %s --split-input-file --verify-for-target --verify-diagnostics

// What no target compiles, or not this one: each would make LLVM fail, or emit
// PTX that assemblers refuse.

module attributes {tilegpu.target = "sm_80"} {
llvm.func @wide_integer(%i: i32) {
  // expected-error @+1 {{expects integers of at most 64 bits, f16, bf16, f32, f64, pointers, and fixed vectors, arrays and structures of them, but got 'i128'}}
  %x = llvm.zext %i : i32 to i128
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @memory_scope() {
  // expected-error @+1 {{expects the memory scope "", "block", "cluster" or "device", but got "agent"}}
  llvm.fence syncscope("agent") acquire
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @atomic_place(%p: !llvm.ptr<5>, %i: i32) {
  // expected-error @+1 {{expects an atomic access to generic, global or shared memory, but got address space 5}}
  %x = llvm.atomicrmw add %p, %i monotonic : !llvm.ptr<5>, i32
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @dynamic_alloca(%i: i32) {
  // expected-error @+1 {{expects a constant number of elements, but got a dynamic one}}
  %x = llvm.alloca %i x i32 : (i32) -> !llvm.ptr
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @cast(%s: !llvm.ptr<3>) {
  // expected-error @+1 {{expects a cast from or to generic pointers, but got one from '!llvm.ptr<3>' to '!llvm.ptr<1>'}}
  %x = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<1>
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects a global in global, shared or constant memory, but got address space 5}}
llvm.mlir.global internal @g() {addr_space = 5 : i32} : i32
}

// -----

module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects a global that all threads share, but got a thread-local one}}
llvm.mlir.global internal thread_local @g() {addr_space = 1 : i32} : i32
}

// -----

module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects shared memory without an initial value, but got one}}
llvm.mlir.global internal @g(5 : i32) {addr_space = 3 : i32} : i32
}

// -----

module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects a kernel without a result, but got one that returns 'i32'}}
llvm.func @kernel(%i: i32) -> i32 attributes {nvvm.kernel} {
  llvm.return %i : i32
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects the calling convention of C or PTX, but got coldcc}}
llvm.func coldcc @convention() {
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects a function without exception handling and garbage collection}}
llvm.func @collected() attributes {garbageCollector = "statepoint-example"} {
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
// expected-error @+1 {{expects arguments without 'llvm.nest', but got it on argument 0}}
llvm.func @nest(%p: !llvm.ptr {llvm.nest}) {
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @indirect_call(%g: !llvm.ptr, %i: i32) {
  // expected-error @+1 {{expects a direct call, but got one through a pointer}}
  llvm.call %g(%i) : !llvm.ptr, (i32) -> ()
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @callee(%i: i32) {
  llvm.return
}
llvm.func @variadic_call(%i: i32) {
  // expected-error @+1 {{expects a fixed number of arguments, but got a variadic call of 'callee'}}
  llvm.call @callee(%i) vararg(!llvm.func<void (i32, ...)>) : (i32) -> ()
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @callee(%i: i32) {
  llvm.return
}
llvm.func @tail_call(%i: i32) {
  // expected-error @+1 {{expects no obligatory tail call, but got one of 'callee'}}
  llvm.call musttail @callee(%i) : (i32) -> ()
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @callee(%i: i32) {
  llvm.return
}
llvm.func @bundle(%i: i32) {
  // expected-error @+1 {{expects no operand bundles}}
  llvm.call @callee(%i) ["tag"(%i : i32)] : (i32) -> ()
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
llvm.func @matrix(%s: !llvm.ptr<3>) {
  // expected-error @+1 {{expects 8 x 8 matrices of 16 bits, but got 16 x 16 of b8}}
  %x = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
llvm.func @float8(%f: f32) {
  // expected-error @+1 {{expects f8E4M3FN or f8E5M2, but got 'f8E8M0FNU'}}
  %x = nvvm.convert.f32x2.to.f8x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rz>} : i16 (f8E8M0FNU)
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
llvm.func @stochastic(%f: f32, %r: i32) {
  // expected-error @+1 {{expects a deterministic rounding, but got a stochastic one}}
  %x = nvvm.convert.f32x2.to.f16x2 %f, %f, %r {rnd = #nvvm.fp_rnd_mode<rs>} : vector<2xf16>
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
llvm.func @saturating(%f: f32) {
  // expected-error @+1 {{expects a conversion without saturation}}
  %x = nvvm.convert.f32x2.to.f16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xf16>
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
llvm.func @redux(%f: f32, %mask: i32) {
  // expected-error @+1 {{expects i32, but got 'f32'}}
  %x = nvvm.redux.sync fmax %f, %mask : f32 -> f32
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @exponential(%d: f64) {
  // expected-error @+1 {{expects f16, bf16 or f32, but got 'f64'}}
  %x = llvm.intr.exp2(%d) : (f64) -> f64
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
llvm.func @membar() {
  // expected-error @+1 {{expects the scope of a CTA, the GPU or the system, but got that of a cluster, for which there is no membar}}
  nvvm.memory.barrier <cluster>
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
llvm.func @arrive(%b: !llvm.ptr<3>, %i: i32) {
  // expected-error @+1 {{expects an arrival of one thread at CTA scope; use 'nvvm.mbarrier.arrive.nocomplete' for a count}}
  %x = nvvm.mbarrier.arrive %b, %i : !llvm.ptr<3> -> i64
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
llvm.func @wait(%b: !llvm.ptr<3>, %phase: i32) {
  // expected-error @+1 {{expects a wait for a state (i64) at CTA scope with acquire semantics}}
  %x = nvvm.mbarrier.test.wait %b, %phase : !llvm.ptr<3>, i32 -> i1
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @unknown(%q: !llvm.ptr<1>) {
  // expected-error @+1 {{operation 'nvvm.prefetch' is not known to compile for NVIDIA GPUs through LLVM}}
  nvvm.prefetch level = L2, %q : !llvm.ptr<1>
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_75"} {
llvm.func @lacking() {
  // expected-error @+1 {{operation 'nvvm.cp.async.commit.group' needs cp.async, but target sm_75 lacks it}}
  nvvm.cp.async.commit.group
  llvm.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
llvm.func @matrix_shape(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{operation 'nvvm.mma.sync' of shape m8n8k4 on f16 and f16 needs mma.m8n8k4, but target sm_80 lacks it}}
  %x = nvvm.mma.sync A[%h, %h] B[%h, %h] C[%f, %f, %f, %f, %f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
  llvm.return
}
}
