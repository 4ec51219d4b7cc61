// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/LibraryInstructions.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {
struct Row {
  /// `?` stands for a rounding: n, z, d or u.
  StringLiteral name, signature;
  /// `%` stands for the rounding as PTX spells it: rn, rz, rm or rp.
  StringLiteral text;
};
} // namespace

static constexpr Row rows[] = {
    // Integers.
    {"abs", "ii", "abs.s32 $0, $1;"},
    {"brev", "ii", "brev.b32 $0, $1;"},
    {"brevll", "ll", "brev.b64 $0, $1;"},
    {"byte_perm", "iiii", "prmt.b32 $0, $1, $2, $3;"},
    {"clz", "ii", "clz.b32 $0, $1;"},
    {"clzll", "il", "clz.b64 $0, $1;"},
    {"ffs", "ii",
     "{ .reg .b32 t; neg.s32 t, $1; and.b32 t, t, $1; clz.b32 t, t; "
     "sub.s32 $0, 32, t; }"},
    {"ffsll", "il",
     "{ .reg .b32 c; .reg .b64 t; neg.s64 t, $1; and.b64 t, t, $1; "
     "clz.b64 c, t; sub.s32 $0, 64, c; }"},
    {"hadd", "iii",
     "{ .reg .b32 s, t; and.b32 s, $1, $2; xor.b32 t, $1, $2; "
     "shr.s32 t, t, 1; add.s32 $0, s, t; }"},
    {"llabs", "ll", "abs.s64 $0, $1;"},
    {"mul24", "iii", "mul24.lo.s32 $0, $1, $2;"},
    {"mul64hi", "lll", "mul.hi.s64 $0, $1, $2;"},
    {"mulhi", "iii", "mul.hi.s32 $0, $1, $2;"},
    {"popc", "ii", "popc.b32 $0, $1;"},
    {"popcll", "il", "popc.b64 $0, $1;"},
    {"rhadd", "iii",
     "{ .reg .b32 s, t; or.b32 s, $1, $2; xor.b32 t, $1, $2; "
     "shr.s32 t, t, 1; sub.s32 $0, s, t; }"},
    {"sad", "iiii", "sad.s32 $0, $1, $2, $3;"},
    {"uhadd", "iii",
     "{ .reg .b32 s, t; and.b32 s, $1, $2; xor.b32 t, $1, $2; "
     "shr.u32 t, t, 1; add.s32 $0, s, t; }"},
    {"umul24", "iii", "mul24.lo.u32 $0, $1, $2;"},
    {"umul64hi", "lll", "mul.hi.u64 $0, $1, $2;"},
    {"umulhi", "iii", "mul.hi.u32 $0, $1, $2;"},
    {"urhadd", "iii",
     "{ .reg .b32 s, t; or.b32 s, $1, $2; xor.b32 t, $1, $2; "
     "shr.u32 t, t, 1; sub.s32 $0, s, t; }"},
    {"usad", "iiii", "sad.u32 $0, $1, $2, $3;"},

    // Arithmetic with a rounding.
    {"dadd_r?", "ddd", "add.%.f64 $0, $1, $2;"},
    {"ddiv_r?", "ddd", "div.%.f64 $0, $1, $2;"},
    {"dmul_r?", "ddd", "mul.%.f64 $0, $1, $2;"},
    {"drcp_r?", "dd", "rcp.%.f64 $0, $1;"},
    {"dsqrt_r?", "dd", "sqrt.%.f64 $0, $1;"},
    {"dsub_r?", "ddd", "sub.%.f64 $0, $1, $2;"},
    {"fadd_r?", "fff", "add.%.f32 $0, $1, $2;"},
    {"fdiv_r?", "fff", "div.%.f32 $0, $1, $2;"},
    {"fma_r?", "dddd", "fma.%.f64 $0, $1, $2, $3;"},
    {"fmaf_r?", "ffff", "fma.%.f32 $0, $1, $2, $3;"},
    {"fmul_r?", "fff", "mul.%.f32 $0, $1, $2;"},
    {"frcp_r?", "ff", "rcp.%.f32 $0, $1;"},
    // Of its root in f64 no reciprocal is halfway between two numbers of f32.
    {"frsqrt_rn", "ff",
     "{ .reg .f64 t; cvt.f64.f32 t, $1; sqrt.rn.f64 t, t; rcp.rn.f64 t, t; "
     "cvt.rn.f32.f64 $0, t; }"},
    {"fsqrt_r?", "ff", "sqrt.%.f32 $0, $1;"},
    {"fsub_r?", "fff", "sub.%.f32 $0, $1, $2;"},

    // Simple functions of floats.
    {"ceil", "dd", "cvt.rpi.f64.f64 $0, $1;"},
    {"ceilf", "ff", "cvt.rpi.f32.f32 $0, $1;"},
    {"copysign", "ddd", "llvm.intr.copysign"},
    {"copysignf", "fff", "llvm.intr.copysign"},
    {"fabs", "dd", "abs.f64 $0, $1;"},
    {"fabsf", "ff", "abs.f32 $0, $1;"},
    {"fdim", "ddd",
     "{ .reg .pred p; .reg .f64 t; sub.f64 t, $1, $2; setp.le.f64 p, $1, $2; "
     "selp.f64 $0, 0d0000000000000000, t, p; }"},
    {"fdimf", "fff",
     "{ .reg .pred p; .reg .f32 t; sub.f32 t, $1, $2; setp.le.f32 p, $1, $2; "
     "selp.f32 $0, 0f00000000, t, p; }"},
    {"floor", "dd", "cvt.rmi.f64.f64 $0, $1;"},
    {"floorf", "ff", "cvt.rmi.f32.f32 $0, $1;"},
    {"fma", "dddd", "fma.rn.f64 $0, $1, $2, $3;"},
    {"fmaf", "ffff", "fma.rn.f32 $0, $1, $2, $3;"},
    {"fmax", "ddd", "max.f64 $0, $1, $2;"},
    {"fmaxf", "fff", "max.f32 $0, $1, $2;"},
    {"fmin", "ddd", "min.f64 $0, $1, $2;"},
    {"fminf", "fff", "min.f32 $0, $1, $2;"},
    {"nearbyint", "dd", "cvt.rni.f64.f64 $0, $1;"},
    {"nearbyintf", "ff", "cvt.rni.f32.f32 $0, $1;"},
    {"rint", "dd", "cvt.rni.f64.f64 $0, $1;"},
    {"rintf", "ff", "cvt.rni.f32.f32 $0, $1;"},
    // Away from zero by a half, with the sum cut, and then toward zero: LLVM's
    // own takes two conversions, of four times an addition's time.
    {"round", "dd",
     "{ .reg .f64 t; copysign.f64 t, $1, 0d3FE0000000000000; "
     "add.rz.f64 t, $1, t; cvt.rzi.f64.f64 $0, t; }"},
    {"roundf", "ff",
     "{ .reg .f32 t; copysign.f32 t, $1, 0f3F000000; add.rz.f32 t, $1, t; "
     "cvt.rzi.f32.f32 $0, t; }"},
    {"saturatef", "ff", "cvt.sat.f32.f32 $0, $1;"},
    {"sqrt", "dd", "sqrt.rn.f64 $0, $1;"},
    {"sqrtf", "ff", "sqrt.rn.f32 $0, $1;"},
    {"trunc", "dd", "cvt.rzi.f64.f64 $0, $1;"},
    {"truncf", "ff", "cvt.rzi.f32.f32 $0, $1;"},

    // Approximations, with the errors of PTX's instructions.
    {"fast_cosf", "ff", "cos.approx.f32 $0, $1;"},
    {"fast_exp10f", "ff",
     "{ .reg .f32 t; mul.f32 t, $1, 0f40549A78; ex2.approx.f32 $0, t; }"},
    {"fast_expf", "ff",
     "{ .reg .f32 t; mul.f32 t, $1, 0f3FB8AA3B; ex2.approx.f32 $0, t; }"},
    {"fast_fdividef", "fff", "div.approx.f32 $0, $1, $2;"},
    {"fast_log10f", "ff",
     "{ .reg .f32 t; lg2.approx.f32 t, $1; mul.f32 $0, t, 0f3E9A209B; }"},
    {"fast_log2f", "ff", "lg2.approx.f32 $0, $1;"},
    {"fast_logf", "ff",
     "{ .reg .f32 t; lg2.approx.f32 t, $1; mul.f32 $0, t, 0f3F317218; }"},
    {"fast_powf", "fff",
     "{ .reg .f32 t; lg2.approx.f32 t, $1; mul.f32 t, t, $2; "
     "ex2.approx.f32 $0, t; }"},
    {"fast_sinf", "ff", "sin.approx.f32 $0, $1;"},
    {"fast_tanf", "ff",
     "{ .reg .f32 s, c; sin.approx.f32 s, $1; cos.approx.f32 c, $1; "
     "div.approx.f32 $0, s, c; }"},
    {"rcp64h", "dd", "rcp.approx.ftz.f64 $0, $1;"},
    {"rsqrtf", "ff", "rsqrt.approx.f32 $0, $1;"},

    // Bits and classes.
    {"double2hiint", "id", "{ .reg .b32 t; mov.b64 {t, $0}, $1; }"},
    {"double2loint", "id", "{ .reg .b32 t; mov.b64 {$0, t}, $1; }"},
    {"double_as_longlong", "ld", "mov.b64 $0, $1;"},
    {"finitef", "if",
     "{ .reg .pred p; .reg .f32 t; abs.f32 t, $1; "
     "setp.lt.f32 p, t, 0f7F800000; selp.s32 $0, 1, 0, p; }"},
    {"float_as_int", "if", "mov.b32 $0, $1;"},
    {"float_as_uint", "if", "mov.b32 $0, $1;"},
    {"hiloint2double", "dii", "mov.b64 $0, {$2, $1};"},
    {"int_as_float", "fi", "mov.b32 $0, $1;"},
    {"isfinited", "id",
     "{ .reg .pred p; .reg .f64 t; abs.f64 t, $1; "
     "setp.lt.f64 p, t, 0d7FF0000000000000; selp.s32 $0, 1, 0, p; }"},
    {"isinfd", "id",
     "{ .reg .pred p; .reg .f64 t; abs.f64 t, $1; "
     "setp.eq.f64 p, t, 0d7FF0000000000000; selp.s32 $0, 1, 0, p; }"},
    {"isinff", "if",
     "{ .reg .pred p; .reg .f32 t; abs.f32 t, $1; "
     "setp.eq.f32 p, t, 0f7F800000; selp.s32 $0, 1, 0, p; }"},
    {"isnand", "id",
     "{ .reg .pred p; setp.nan.f64 p, $1, $1; selp.s32 $0, 1, 0, p; }"},
    {"isnanf", "if",
     "{ .reg .pred p; setp.nan.f32 p, $1, $1; selp.s32 $0, 1, 0, p; }"},
    {"longlong_as_double", "dl", "mov.b64 $0, $1;"},
    {"signbitd", "id",
     "{ .reg .b32 l, h; mov.b64 {l, h}, $1; shr.u32 $0, h, 31; }"},
    {"signbitf", "if", "{ .reg .b32 t; mov.b32 t, $1; shr.u32 $0, t, 31; }"},
    {"uint_as_float", "fi", "mov.b32 $0, $1;"},

    // Conversions.
    {"double2float_r?", "fd", "cvt.%.f32.f64 $0, $1;"},
    {"double2int_r?", "id", "cvt.%i.s32.f64 $0, $1;"},
    {"double2ll_r?", "ld", "cvt.%i.s64.f64 $0, $1;"},
    {"double2uint_r?", "id", "cvt.%i.u32.f64 $0, $1;"},
    {"double2ull_r?", "ld", "cvt.%i.u64.f64 $0, $1;"},
    {"float2int_r?", "if", "cvt.%i.s32.f32 $0, $1;"},
    {"float2ll_r?", "lf", "cvt.%i.s64.f32 $0, $1;"},
    {"float2uint_r?", "if", "cvt.%i.u32.f32 $0, $1;"},
    {"float2ull_r?", "lf", "cvt.%i.u64.f32 $0, $1;"},
    {"int2double_r?", "di", "cvt.%.f64.s32 $0, $1;"},
    {"int2float_r?", "fi", "cvt.%.f32.s32 $0, $1;"},
    {"ll2double_r?", "dl", "cvt.%.f64.s64 $0, $1;"},
    {"ll2float_r?", "fl", "cvt.%.f32.s64 $0, $1;"},
    {"llrint", "ld", "cvt.rni.s64.f64 $0, $1;"},
    {"llrintf", "lf", "cvt.rni.s64.f32 $0, $1;"},
    // Halves away from 0: with less than a half added.
    {"llround", "ld",
     "{ .reg .b64 t; .reg .f64 h; mov.b64 t, $1; "
     "and.b64 t, t, 0x8000000000000000; or.b64 t, t, 0x3fdfffffffffffff; "
     "mov.b64 h, t; add.rn.f64 h, h, $1; cvt.rzi.s64.f64 $0, h; }"},
    {"llroundf", "lf",
     "{ .reg .b32 t; .reg .f32 h; mov.b32 t, $1; and.b32 t, t, 0x80000000; "
     "or.b32 t, t, 0x3effffff; mov.b32 h, t; add.rn.f32 h, h, $1; "
     "cvt.rzi.s64.f32 $0, h; }"},
    {"uint2double_r?", "di", "cvt.%.f64.u32 $0, $1;"},
    {"uint2float_r?", "fi", "cvt.%.f32.u32 $0, $1;"},
    {"ull2double_r?", "dl", "cvt.%.f64.u64 $0, $1;"},
    {"ull2float_r?", "fl", "cvt.%.f32.u64 $0, $1;"},
};

/// PTX's spelling of the rounding that a name ends with; nothing where it ends
/// with none.
static StringRef spellRounding(StringRef name) {
  if (name.size() < 3 || name[name.size() - 3] != '_' ||
      name[name.size() - 2] != 'r')
    return {};
  switch (name.back()) {
  case 'n':
    return "rn";
  case 'z':
    return "rz";
  case 'd':
    return "rm";
  case 'u':
    return "rp";
  default:
    return {};
  }
}

std::optional<LibraryInstruction>
tilegpu::findLibraryInstruction(StringRef name) {
  StringRef rounding = spellRounding(name);
  for (const Row &row : rows) {
    if (row.name == name)
      return LibraryInstruction{row.signature, row.text.str()};
    if (rounding.empty() || !row.name.ends_with("?") ||
        row.name.drop_back() != name.drop_back())
      continue;
    auto [before, after] = StringRef(row.text).split('%');
    return LibraryInstruction{row.signature, (before + rounding + after).str()};
  }
  return std::nullopt;
}

std::vector<std::string> tilegpu::listLibraryInstructions() {
  std::vector<std::string> names;
  for (const Row &row : rows) {
    StringRef name = row.name;
    if (!name.consume_back("?")) {
      names.push_back(name.str());
      continue;
    }
    for (char rounding : StringRef("nzdu"))
      names.push_back(name.str() + rounding);
  }
  return names;
}
