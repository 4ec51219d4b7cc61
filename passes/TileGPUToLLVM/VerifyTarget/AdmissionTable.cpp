// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may reach LLVM, and what it needs. Sources: every row without a
// capability was compiled by llc 22.1.8 for every target with the types that
// VerifyTarget.cpp admits, and the unit tests of lib/Codegen do so again for
// the whole table; capabilities follow "Target ISA Notes" of the PTX ISA 9.0.

#include "passes/TileGPUToLLVM/VerifyTarget/VerifyTarget.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

static constexpr AdmissionRule op(llvm::StringLiteral name) {
  return {AdmissionSubject::Operation, name};
}
static constexpr AdmissionRule op(llvm::StringLiteral name, Capability needs,
                                  target::PtxVersion ptxVersion = 0) {
  return {AdmissionSubject::Operation, name, false, needs, ptxVersion};
}
static constexpr AdmissionRule opPrefix(llvm::StringLiteral name) {
  return {AdmissionSubject::Operation, name, true};
}
static constexpr AdmissionRule opPrefix(llvm::StringLiteral name,
                                        Capability needs) {
  return {AdmissionSubject::Operation, name, true, needs};
}
static constexpr AdmissionRule intrinsic(llvm::StringLiteral name) {
  return {AdmissionSubject::Intrinsic, name};
}
static constexpr AdmissionRule intrinsic(llvm::StringLiteral name,
                                         Capability needs) {
  return {AdmissionSubject::Intrinsic, name, false, needs};
}
static constexpr AdmissionRule intrinsic(llvm::StringLiteral name,
                                         target::PtxVersion ptxVersion) {
  return {AdmissionSubject::Intrinsic, name, false, std::nullopt, ptxVersion};
}
static constexpr AdmissionRule intrinsicPrefix(llvm::StringLiteral name,
                                               Capability needs,
                                               target::PtxVersion version = 0) {
  return {AdmissionSubject::Intrinsic, name, true, needs, version};
}
static constexpr AdmissionRule ptx(llvm::StringLiteral name, Capability needs,
                                   target::PtxVersion version = 0) {
  return {AdmissionSubject::Mnemonic, name, true, needs, version};
}

// Left out on purpose, since the back end has no code for them: llvm.intr.sin,
// cos, tan, their inverses, sinh, cosh, tanh, exp, exp10, log, log2, log10,
// pow, powi, atan2, sincos, lrint, llrint, lround, llround, vscale;
// llvm.indirectbr, blockaddress, va_arg, invoke; wmma (mma.sync does the same);
// nvvm.prefetch (LLVM has it for sm_90 only: write it as inline PTX);
// llvm.frem, which the back end makes x - trunc(x / y) * y, and so is wrong
// where the quotient has more bits than the type (functions "fmod" is exact);
// tcgen05 and whatever else is newer than our targets.
static constexpr AdmissionRule rules[] = {
    // LLVM: structure and memory.
    op("llvm.addrspacecast"),
    op("llvm.alloca"),
    op("llvm.atomicrmw"),
    op("llvm.bitcast"),
    op("llvm.br"),
    op("llvm.call"),
    op("llvm.call_intrinsic"),
    op("llvm.cmpxchg"),
    op("llvm.cond_br"),
    op("llvm.extractelement"),
    op("llvm.extractvalue"),
    op("llvm.fence"),
    op("llvm.freeze"),
    op("llvm.func"),
    op("llvm.getelementptr"),
    op("llvm.inline_asm"),
    op("llvm.insertelement"),
    op("llvm.insertvalue"),
    op("llvm.inttoptr"),
    op("llvm.load"),
    op("llvm.mlir.addressof"),
    op("llvm.mlir.constant"),
    op("llvm.mlir.global"),
    op("llvm.mlir.poison"),
    op("llvm.mlir.undef"),
    op("llvm.mlir.zero"),
    op("llvm.ptrtoint"),
    op("llvm.return"),
    op("llvm.select"),
    op("llvm.shufflevector"),
    op("llvm.store"),
    op("llvm.switch"),
    op("llvm.unreachable"),
    // LLVM: arithmetic.
    op("llvm.add"),
    op("llvm.and"),
    op("llvm.ashr"),
    op("llvm.fadd"),
    op("llvm.fcmp"),
    op("llvm.fdiv"),
    op("llvm.fmul"),
    op("llvm.fneg"),
    op("llvm.fpext"),
    op("llvm.fptosi"),
    op("llvm.fptoui"),
    op("llvm.fptrunc"),
    op("llvm.fsub"),
    op("llvm.icmp"),
    op("llvm.lshr"),
    op("llvm.mul"),
    op("llvm.or"),
    op("llvm.sdiv"),
    op("llvm.sext"),
    op("llvm.shl"),
    op("llvm.sitofp"),
    op("llvm.srem"),
    op("llvm.sub"),
    op("llvm.trunc"),
    op("llvm.udiv"),
    op("llvm.uitofp"),
    op("llvm.urem"),
    op("llvm.xor"),
    op("llvm.zext"),
    // LLVM: intrinsics.
    op("llvm.intr.abs"),
    op("llvm.intr.assume"),
    op("llvm.intr.bitreverse"),
    op("llvm.intr.bswap"),
    op("llvm.intr.ceil"),
    op("llvm.intr.copysign"),
    op("llvm.intr.ctlz"),
    op("llvm.intr.ctpop"),
    op("llvm.intr.cttz"),
    op("llvm.intr.exp2"),
    op("llvm.intr.expect"),
    op("llvm.intr.fabs"),
    op("llvm.intr.floor"),
    op("llvm.intr.fma"),
    op("llvm.intr.fmuladd"),
    op("llvm.intr.fshl"),
    op("llvm.intr.fshr"),
    op("llvm.intr.is.fpclass"),
    op("llvm.intr.ldexp"),
    op("llvm.intr.lifetime.end"),
    op("llvm.intr.lifetime.start"),
    op("llvm.intr.masked.load"),
    op("llvm.intr.masked.store"),
    op("llvm.intr.maximum"),
    op("llvm.intr.maxnum"),
    op("llvm.intr.memcpy"),
    op("llvm.intr.memmove"),
    op("llvm.intr.memset"),
    op("llvm.intr.minimum"),
    op("llvm.intr.minnum"),
    op("llvm.intr.nearbyint"),
    op("llvm.intr.rint"),
    op("llvm.intr.round"),
    op("llvm.intr.roundeven"),
    op("llvm.intr.sadd.sat"),
    op("llvm.intr.sadd.with.overflow"),
    op("llvm.intr.smax"),
    op("llvm.intr.smin"),
    op("llvm.intr.smul.with.overflow"),
    op("llvm.intr.sqrt"),
    op("llvm.intr.ssub.sat"),
    op("llvm.intr.ssub.with.overflow"),
    op("llvm.intr.trap"),
    op("llvm.intr.trunc"),
    op("llvm.intr.uadd.sat"),
    op("llvm.intr.uadd.with.overflow"),
    op("llvm.intr.umax"),
    op("llvm.intr.umin"),
    op("llvm.intr.umul.with.overflow"),
    op("llvm.intr.usub.sat"),
    op("llvm.intr.usub.with.overflow"),
    opPrefix("llvm.intr.vector.reduce."),
    // Debug information of other producers passes through.
    opPrefix("llvm.intr.dbg."),

    // NVVM: registers, barriers, warps.
    opPrefix("nvvm.read.ptx.sreg."),
    opPrefix("nvvm.read.ptx.sreg.cluster", Capability::Clusters),
    opPrefix("nvvm.read.ptx.sreg.nclusterid", Capability::Clusters),
    op("nvvm.read.ptx.sreg.aggr.smem.size", Capability::Clusters, 81),
    op("nvvm.bar.warp.sync"),
    op("nvvm.barrier"),
    op("nvvm.barrier0"),
    op("nvvm.barrier.arrive"),
    op("nvvm.shfl.sync"),
    op("nvvm.vote.sync"),
    op("nvvm.match.sync", Capability::MatchSync),
    op("nvvm.redux.sync", Capability::Redux),
    op("nvvm.elect.sync", Capability::ElectOne),
    op("nvvm.nanosleep", Capability::Nanosleep),
    op("nvvm.memory.barrier"),
    op("nvvm.griddepcontrol", Capability::GridDependencyControl),
    op("nvvm.setmaxregister", Capability::SetMaxRegisters),
    // NVVM: arithmetic.
    op("nvvm.dot.accumulate.4way", Capability::Dp4a),
    op("nvvm.dot.accumulate.2way", Capability::Dp4a),
    op("nvvm.prmt"),
    op("nvvm.rcp.approx.ftz.f"),
    op("nvvm.convert.float.to.tf32", Capability::Tf32),
    op("nvvm.convert.f32x2.to.bf16x2", Capability::Bf16Conversion),
    op("nvvm.convert.f32x2.to.f16x2", Capability::Bf16Conversion),
    op("nvvm.convert.f32x2.to.f8x2", Capability::Fp8Conversion),
    op("nvvm.convert.f16x2.to.f8x2", Capability::Fp8Conversion),
    op("nvvm.convert.f8x2.to.f16x2", Capability::Fp8Conversion),
    // NVVM: matrices. mma.sync needs its own row of the target's table too.
    op("nvvm.mma.sync"),
    op("nvvm.ldmatrix", Capability::LdMatrix),
    op("nvvm.stmatrix", Capability::StMatrix),
    op("nvvm.wgmma.fence.aligned", Capability::Wgmma),
    op("nvvm.wgmma.commit.group.sync.aligned", Capability::Wgmma),
    op("nvvm.wgmma.wait.group.sync.aligned", Capability::Wgmma),
    op("nvvm.wgmma.mma_async", Capability::Wgmma),
    // NVVM: asynchronous copies and their barriers. test.wait with a phase is
    // newer than with a state (PTX ISA, mbarrier.test_wait: 7.1).
    op("nvvm.cp.async.shared.global", Capability::CpAsync),
    op("nvvm.cp.async.commit.group", Capability::CpAsync),
    op("nvvm.cp.async.wait.group", Capability::CpAsync),
    op("nvvm.cp.async.mbarrier.arrive", Capability::MBarrier),
    op("nvvm.mbarrier.init", Capability::MBarrier),
    op("nvvm.mbarrier.inval", Capability::MBarrier),
    op("nvvm.mbarrier.arrive", Capability::MBarrier),
    op("nvvm.mbarrier.arrive.nocomplete", Capability::MBarrier),
    op("nvvm.mbarrier.test.wait", Capability::MBarrier),
    op("nvvm.mbarrier.arrive.expect_tx", Capability::MBarrierTransactions),
    op("nvvm.mbarrier.expect_tx", Capability::MBarrierTransactions),
    op("nvvm.mbarrier.complete_tx", Capability::MBarrierTransactions),
    op("nvvm.mbarrier.try_wait", Capability::MBarrierTransactions),
    op("nvvm.mbarrier.try_wait.parity", Capability::MBarrierTransactions),
    op("nvvm.fence.proxy", Capability::BulkTensorCopy),
    op("nvvm.fence.mbarrier.init", Capability::Clusters, 80),
    op("nvvm.fence.sc.cluster", Capability::Clusters),
    op("nvvm.cluster.arrive", Capability::Clusters),
    op("nvvm.cluster.arrive.relaxed", Capability::Clusters, 80),
    op("nvvm.cluster.wait", Capability::Clusters),
    op("nvvm.mapa", Capability::Clusters),
    op("nvvm.cp.async.bulk.commit.group", Capability::BulkTensorCopy),
    op("nvvm.cp.async.bulk.wait_group", Capability::BulkTensorCopy),
    op("nvvm.cp.async.bulk.global.shared.cta", Capability::BulkTensorCopy),
    op("nvvm.cp.async.bulk.shared.cluster.global", Capability::BulkTensorCopy),
    op("nvvm.cp.async.bulk.tensor.shared.cluster.global",
       Capability::BulkTensorCopy),
    op("nvvm.cp.async.bulk.tensor.global.shared.cta",
       Capability::BulkTensorCopy),

    // Intrinsics without an NVVM op.
    intrinsic("llvm.nvvm.activemask", 62),
    intrinsic("llvm.nvvm.ex2.approx.f32"),
    intrinsic("llvm.nvvm.ex2.approx.ftz.f32"),
    intrinsic("llvm.nvvm.ex2.approx.f16", Capability::Ex2F16x2),
    intrinsic("llvm.nvvm.ex2.approx.v2f16", Capability::Ex2F16x2),
    intrinsic("llvm.nvvm.ex2.approx.ftz.bf16", Capability::Bf16Transcendentals),
    intrinsic("llvm.nvvm.ex2.approx.ftz.v2bf16",
              Capability::Bf16Transcendentals),
    intrinsic("llvm.nvvm.lg2.approx.f"),
    intrinsic("llvm.nvvm.lg2.approx.ftz.f"),
    intrinsic("llvm.nvvm.sin.approx.f"),
    intrinsic("llvm.nvvm.sin.approx.ftz.f"),
    intrinsic("llvm.nvvm.cos.approx.f"),
    intrinsic("llvm.nvvm.cos.approx.ftz.f"),
    intrinsic("llvm.nvvm.rcp.approx.ftz.f"),
    intrinsic("llvm.nvvm.rcp.rn.f"),
    intrinsic("llvm.nvvm.rsqrt.approx.f"),
    intrinsic("llvm.nvvm.rsqrt.approx.ftz.f"),
    intrinsic("llvm.nvvm.rsqrt.approx.d"),
    intrinsic("llvm.nvvm.sqrt.approx.f"),
    intrinsic("llvm.nvvm.sqrt.approx.ftz.f"),
    intrinsic("llvm.nvvm.sqrt.rn.f"),
    intrinsic("llvm.nvvm.div.approx.f"),
    intrinsic("llvm.nvvm.div.approx.ftz.f"),
    intrinsic("llvm.nvvm.div.full"),
    intrinsic("llvm.nvvm.div.full.ftz"),
    intrinsic("llvm.nvvm.div.rn.f"),
    intrinsic("llvm.nvvm.fma.rn.f"),
    intrinsic("llvm.nvvm.fma.rn.ftz.f"),
    intrinsic("llvm.nvvm.fmax.f"),
    intrinsic("llvm.nvvm.fmax.ftz.f"),
    intrinsic("llvm.nvvm.fmin.f"),
    intrinsic("llvm.nvvm.fmin.ftz.f"),
    intrinsic("llvm.nvvm.fmax.nan.f", Capability::MinMaxNan),
    intrinsic("llvm.nvvm.fmin.nan.f", Capability::MinMaxNan),
    intrinsic("llvm.nvvm.fmax.f16", Capability::MinMaxNan),
    intrinsic("llvm.nvvm.fmin.f16", Capability::MinMaxNan),
    intrinsic("llvm.nvvm.fmax.f16x2", Capability::MinMaxNan),
    intrinsic("llvm.nvvm.fmin.f16x2", Capability::MinMaxNan),
    intrinsic("llvm.nvvm.fma.rn.relu.f16", Capability::Bf16Arithmetic),
    intrinsic("llvm.nvvm.fma.rn.bf16", Capability::Bf16Arithmetic),
    intrinsic("llvm.nvvm.fma.rn.bf16x2", Capability::Bf16Arithmetic),
    intrinsic("llvm.nvvm.ff2bf16x2.rn", Capability::Bf16Conversion),
    intrinsic("llvm.nvvm.ff2bf16x2.rz", Capability::Bf16Conversion),
    intrinsic("llvm.nvvm.ff2f16x2.rn", Capability::Bf16Conversion),
    intrinsic("llvm.nvvm.f2tf32.rna", Capability::Tf32),
    intrinsic("llvm.nvvm.f2tf32.rn", Capability::Tf32NearestEven),
    intrinsic("llvm.nvvm.ff.to.e4m3x2.rn", Capability::Fp8Conversion),
    intrinsic("llvm.nvvm.ff.to.e5m2x2.rn", Capability::Fp8Conversion),
    intrinsic("llvm.nvvm.e4m3x2.to.f16x2.rn", Capability::Fp8Conversion),
    intrinsic("llvm.nvvm.e5m2x2.to.f16x2.rn", Capability::Fp8Conversion),
    intrinsic("llvm.nvvm.f16x2.to.e4m3x2.rn", Capability::Fp8Conversion),
    intrinsic("llvm.nvvm.f16x2.to.e5m2x2.rn", Capability::Fp8Conversion),
    intrinsic("llvm.nvvm.add.rz.f"),
    intrinsic("llvm.nvvm.d2f.rz"),
    intrinsic("llvm.nvvm.mulhi.i"),
    intrinsic("llvm.nvvm.mulhi.ui"),
    intrinsic("llvm.nvvm.mulhi.ll"),
    intrinsic("llvm.nvvm.mulhi.ull"),
    intrinsic("llvm.nvvm.mul24.i"),
    intrinsic("llvm.nvvm.mul24.ui"),
    intrinsic("llvm.nvvm.prmt"),
    intrinsic("llvm.nvvm.idp4a.s.s", Capability::Dp4a),
    intrinsic("llvm.nvvm.idp4a.s.u", Capability::Dp4a),
    intrinsic("llvm.nvvm.idp4a.u.s", Capability::Dp4a),
    intrinsic("llvm.nvvm.idp4a.u.u", Capability::Dp4a),
    intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all"),
    intrinsic("llvm.nvvm.barrier.cta.sync.aligned.count"),
    intrinsic("llvm.nvvm.barrier.cta.arrive.aligned.count"),
    intrinsic("llvm.nvvm.membar.cta"),
    intrinsic("llvm.nvvm.membar.gl"),
    intrinsic("llvm.nvvm.membar.sys"),

    // Instructions in inline PTX that not every target has. Others are left to
    // the assembler, which answers with an error.
    ptx("match.", Capability::MatchSync),
    ptx("nanosleep.", Capability::Nanosleep),
    ptx("atom.", Capability::ScopedMemoryModel),
    ptx("atom.add.noftz.f16", Capability::F16Atomics),
    ptx("atom.add.noftz.bf16", Capability::Bf16Atomics),
    ptx("atom.add.v", Capability::VectorAtomics),
    ptx("atom.add.noftz.v", Capability::VectorAtomics),
    ptx("atom.cas.b16", Capability::Cas16),
    ptx("red.", Capability::ScopedMemoryModel),
    ptx("red.add.v", Capability::VectorAtomics),
    ptx("red.add.noftz.v", Capability::VectorAtomics),
    ptx("red.add.noftz.f16", Capability::F16Atomics),
    ptx("red.add.noftz.bf16", Capability::Bf16Atomics),
    ptx("fence.", Capability::ScopedMemoryModel),
    ptx("ldmatrix.", Capability::LdMatrix),
    ptx("stmatrix.", Capability::StMatrix),
    ptx("movmatrix.", Capability::MovMatrix),
    ptx("tanh.approx.f", Capability::TanhApprox),
    ptx("tanh.approx.bf16", Capability::Bf16Transcendentals),
    ptx("ex2.approx.f16", Capability::Ex2F16x2),
    ptx("ex2.approx.ftz.f16", Capability::Ex2F16x2),
    ptx("ex2.approx.ftz.bf16", Capability::Bf16Transcendentals),
    ptx("createpolicy.", Capability::CacheHint),
    ptx("ld.L1::evict_", Capability::EvictionPriority),
    ptx("st.L1::evict_", Capability::EvictionPriority),
    ptx("ld.L2::cache_hint", Capability::CacheHint),
    ptx("st.L2::cache_hint", Capability::CacheHint),
    ptx("cp.async.", Capability::CpAsync),
    ptx("cp.async.bulk.", Capability::BulkTensorCopy),
    ptx("cp.reduce.async.bulk.", Capability::BulkTensorCopy),
    ptx("prefetch.tensormap", Capability::BulkTensorCopy),
    // PTX ISA, tensormap.replace, tensormap.cp_fenceproxy: 8.3.
    ptx("tensormap.", Capability::BulkTensorCopy, 83),
    ptx("redux.sync.", Capability::Redux),
    ptx("fma.rn.bf16", Capability::Bf16Arithmetic),
    ptx("add.bf16", Capability::Bf16AddMul),
    ptx("sub.bf16", Capability::Bf16AddMul),
    ptx("mul.bf16", Capability::Bf16AddMul),
    ptx("add.rn.bf16", Capability::Bf16AddMul),
    ptx("sub.rn.bf16", Capability::Bf16AddMul),
    ptx("mul.rn.bf16", Capability::Bf16AddMul),
    ptx("cvt.rn.bf16", Capability::Bf16Conversion),
    ptx("cvt.rz.bf16", Capability::Bf16Conversion),
    ptx("cvt.rn.f16x2", Capability::Bf16Conversion),
    ptx("cvt.rna.tf32", Capability::Tf32),
    ptx("cvt.rn.tf32", Capability::Tf32NearestEven),
    ptx("cvt.rn.satfinite.e4m3x2", Capability::Fp8Conversion),
    ptx("cvt.rn.satfinite.e5m2x2", Capability::Fp8Conversion),
    ptx("cvt.rn.f16x2.e4m3x2", Capability::Fp8Conversion),
    ptx("cvt.rn.f16x2.e5m2x2", Capability::Fp8Conversion),
    ptx("mma.sync.aligned.m8n8k4.", Capability::MmaQuadPair),
    ptx("mma.sync.aligned.m8n8k16.", Capability::MmaTuring),
    ptx("mma.sync.aligned.m8n8k32.", Capability::MmaTuring),
    ptx("mma.sync.aligned.m16n8k", Capability::MmaAmpere),
    ptx("mma.sync.aligned.m16n8k8.row.col.f16.f16", Capability::MmaTuring),
    ptx("mma.sync.aligned.m16n8k8.row.col.f32.f16", Capability::MmaTuring),
    ptx("mma.sync.aligned.m16n8k32.row.col.f32.e", Capability::MmaFp8, 84),
    ptx("mma.sync.aligned.m16n8k32.row.col.f16.e", Capability::MmaFp8, 87),
    ptx("mma.sync.aligned.m16n8k16.row.col.f32.e", Capability::MmaFp8, 87),
    ptx("mma.sync.aligned.m16n8k16.row.col.f16.e", Capability::MmaFp8, 87),
    ptx("mma.sync.aligned.m16n8k4.row.col.f64", Capability::MmaWideF64),
    ptx("mma.sync.aligned.m16n8k8.row.col.f64", Capability::MmaWideF64),
    ptx("mma.sync.aligned.m16n8k16.row.col.f64", Capability::MmaWideF64),
    ptx("mbarrier.", Capability::MBarrier),
    ptx("mbarrier.expect_tx", Capability::MBarrierTransactions),
    ptx("mbarrier.arrive.expect_tx", Capability::MBarrierTransactions),
    ptx("mbarrier.complete_tx", Capability::MBarrierTransactions),
    ptx("mbarrier.try_wait", Capability::MBarrierTransactions),
    ptx("fence.proxy.async", Capability::BulkTensorCopy),
    ptx("fence.proxy.tensormap", Capability::BulkTensorCopy, 83),
    ptx("fence.mbarrier_init", Capability::Clusters, 80),
    ptx("barrier.cluster.", Capability::Clusters),
    ptx("mapa.", Capability::Clusters),
    ptx("griddepcontrol.", Capability::GridDependencyControl),
    ptx("elect.sync", Capability::ElectOne),
    ptx("wgmma.", Capability::Wgmma),
    ptx("setmaxnreg.", Capability::SetMaxRegisters),
};

llvm::ArrayRef<AdmissionRule> tilegpu::admissionRules() { return rules; }

/// "llvm.vector.reduce.add.v4i32" is the operation
/// "llvm.intr.vector.reduce.add" with its types behind it.
static bool namesIntrinsicOf(llvm::StringRef operation, llvm::StringRef name) {
  if (!operation.consume_front("llvm.intr.") || !name.consume_front("llvm."))
    return false;
  return name.consume_front(operation) &&
         (name.empty() || name.starts_with(".") || operation.ends_with("."));
}

const AdmissionRule *tilegpu::findAdmissionRule(AdmissionSubject subject,
                                                llvm::StringRef name) {
  bool generic =
      subject == AdmissionSubject::Intrinsic && !name.starts_with("llvm.nvvm.");
  const AdmissionRule *best = nullptr;
  for (const AdmissionRule &rule : rules) {
    bool fits;
    if (generic)
      fits = rule.subject == AdmissionSubject::Operation &&
             namesIntrinsicOf(rule.name, name);
    else
      fits = rule.subject == subject &&
             (rule.isPrefix ? name.starts_with(rule.name) : name == rule.name);
    if (fits && (!best || rule.name.size() > best->name.size()))
      best = &rule;
  }
  return best;
}
