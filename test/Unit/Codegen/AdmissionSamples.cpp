// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AdmissionSamples.h.

#include "AdmissionSamples.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

std::string test::kernelText(const Sample &sample) {
  std::string text = sample.declarations + R"(
llvm.func @kernel(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %g: !llvm.ptr,
    %s: !llvm.ptr<3>, %i: i32, %j: i32, %l: i64, %f: f32, %d: f64, %h: f16,
    %b: bf16, %c: i1, %hh: vector<2xf16>, %bb: vector<2xbf16>)
    attributes {nvvm.kernel} {
)" + sample.body + "\n";
  if (!sample.resultType.empty())
    text += "llvm.store volatile %r, %p : " + sample.resultType +
            ", !llvm.ptr<1>\n";
  return text + "llvm.return\n}\n";
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

static const std::vector<std::string> integers = {
    "i1", "i8", "i16", "i32", "i64", "vector<2xi16>", "vector<4xi8>"};
static const std::vector<std::string> floats = {
    "f16",           "bf16",           "f32",          "f64",
    "vector<2xf16>", "vector<2xbf16>", "vector<3xf32>"};

/// Loads %a, %x, %y of a type from memory.
static std::string loads(const std::string &type) {
  std::string text;
  for (const char *name : {"%a", "%x", "%y"})
    text += std::string(name) + " = llvm.load volatile %q : !llvm.ptr<1> -> " +
            type + "\n";
  return text;
}

/// One sample for each type; `T` in the pattern stands for it.
static std::vector<Sample> over(const std::vector<std::string> &types,
                                const std::string &pattern,
                                const std::string &result = "T") {
  auto fill = [](std::string text, const std::string &type) {
    // A capital T alone stands for the type.
    for (size_t at = 0; (at = text.find('T', at)) != std::string::npos;) {
      text.replace(at, 1, type);
      at += type.size();
    }
    return text;
  };
  std::vector<Sample> samples;
  for (const std::string &type : types)
    samples.push_back({fill(pattern, type),
                       loads(type) + "%r = " + fill(pattern, type),
                       fill(result, type), ""});
  return samples;
}

static bool oneOf(StringRef name, std::initializer_list<StringRef> names) {
  return is_contained(names, name);
}

/// The regular operations of the LLVM dialect, from their names.
static std::vector<Sample> regularSamples(StringRef name) {
  std::string op = name.str();
  if (oneOf(name, {"llvm.add", "llvm.and", "llvm.ashr", "llvm.lshr", "llvm.mul",
                   "llvm.or", "llvm.sdiv", "llvm.shl", "llvm.srem", "llvm.sub",
                   "llvm.udiv", "llvm.urem", "llvm.xor"}))
    return over(integers, op + " %a, %x : T");
  if (oneOf(name, {"llvm.fadd", "llvm.fdiv", "llvm.fmul", "llvm.fsub"}))
    return over(floats, op + " %a, %x : T");
  if (name == "llvm.fneg")
    return over(floats, op + " %a : T");
  if (oneOf(name, {"llvm.fptosi", "llvm.fptoui"})) {
    std::vector<Sample> all;
    for (const char *to : {"i1", "i8", "i16", "i32", "i64"})
      append_range(all, over({"f16", "bf16", "f32", "f64"},
                             op + " %a : T to " + to, to));
    return all;
  }
  if (oneOf(name, {"llvm.sitofp", "llvm.uitofp"})) {
    std::vector<Sample> all;
    for (const char *to : {"f16", "bf16", "f32", "f64"})
      append_range(all, over({"i1", "i8", "i16", "i32", "i64"},
                             op + " %a : T to " + to, to));
    return all;
  }
  if (oneOf(name, {"llvm.intr.bitreverse", "llvm.intr.ctpop"}))
    return over(integers, op + "(%a) : (T) -> T");
  if (name == "llvm.intr.bswap")
    return over({"i16", "i32", "i64"}, op + "(%a) : (T) -> T");
  if (name == "llvm.intr.abs")
    return over({"i8", "i16", "i32", "i64"},
                "\"llvm.intr.abs\"(%a) <{is_int_min_poison = false}> : (T) -> "
                "T");
  if (oneOf(name, {"llvm.intr.ctlz", "llvm.intr.cttz"}))
    return over(integers,
                "\"" + op + "\"(%a) <{is_zero_poison = false}> : (T) -> T");
  if (oneOf(name, {"llvm.intr.smax", "llvm.intr.smin", "llvm.intr.umax",
                   "llvm.intr.umin", "llvm.intr.sadd.sat", "llvm.intr.ssub.sat",
                   "llvm.intr.uadd.sat", "llvm.intr.usub.sat"}))
    return over(integers, op + "(%a, %x) : (T, T) -> T");
  if (oneOf(name, {"llvm.intr.fshl", "llvm.intr.fshr"}))
    return over(integers, op + "(%a, %x, %y) : (T, T, T) -> T");
  if (name.ends_with(".with.overflow"))
    return over({"i8", "i16", "i32", "i64"},
                "\"" + op + "\"(%a, %x) : (T, T) -> !llvm.struct<(T, i1)>",
                "!llvm.struct<(T, i1)>");
  if (oneOf(name, {"llvm.intr.ceil", "llvm.intr.fabs", "llvm.intr.floor",
                   "llvm.intr.nearbyint", "llvm.intr.rint", "llvm.intr.round",
                   "llvm.intr.roundeven", "llvm.intr.sqrt", "llvm.intr.trunc"}))
    return over(floats, op + "(%a) : (T) -> T");
  if (name == "llvm.intr.exp2") {
    // With an integer argument LLVM's simplifier makes another call of it.
    std::vector<Sample> all =
        over({"f16", "bf16", "f32", "vector<2xf16>", "vector<2xbf16>"},
             op + "(%a) : (T) -> T");
    all.push_back({"exp2 of an integer",
                   "%a = llvm.sitofp %i : i32 to f32\n"
                   "%r = llvm.intr.exp2(%a) : (f32) -> f32",
                   "f32", ""});
    return all;
  }
  if (oneOf(name,
            {"llvm.intr.copysign", "llvm.intr.maximum", "llvm.intr.maxnum",
             "llvm.intr.minimum", "llvm.intr.minnum"}))
    return over(floats, op + "(%a, %x) : (T, T) -> T");
  if (oneOf(name, {"llvm.intr.fma", "llvm.intr.fmuladd"}))
    return over(floats, op + "(%a, %x, %y) : (T, T, T) -> T");
  if (name == "llvm.intr.is.fpclass")
    return over({"f16", "bf16", "f32", "f64"},
                "\"llvm.intr.is.fpclass\"(%a) <{bit = 3 : i32}> : (T) -> i1",
                "i1");
  if (name == "llvm.intr.ldexp")
    return over({"f16", "bf16", "f32", "f64"},
                "llvm.intr.ldexp(%a, %i) : (T, i32) -> T");
  if (name == "llvm.atomicrmw") {
    std::vector<Sample> all;
    for (const char *kind :
         {"xchg", "add", "sub", "_and", "nand", "_or", "_xor", "max", "min",
          "umax", "umin", "uinc_wrap", "usub_sat"})
      append_range(all, over({"i8", "i16", "i32", "i64"},
                             std::string("llvm.atomicrmw ") + kind +
                                 " %p, %a syncscope(\"device\") acq_rel : "
                                 "!llvm.ptr<1>, T"));
    for (const char *kind : {"fadd", "fsub", "fmax", "fmin"})
      append_range(all, over({"f16", "bf16", "f32", "f64", "vector<2xf16>",
                              "vector<2xbf16>"},
                             std::string("llvm.atomicrmw ") + kind +
                                 " %s, %a syncscope(\"block\") monotonic : "
                                 "!llvm.ptr<3>, T"));
    return all;
  }
  if (name == "llvm.cmpxchg")
    return over({"i8", "i16", "i32", "i64"},
                "llvm.cmpxchg %p, %a, %x seq_cst seq_cst : !llvm.ptr<1>, T",
                "!llvm.struct<(T, i1)>");
  return {};
}

//===----------------------------------------------------------------------===//
// One by one
//===----------------------------------------------------------------------===//

using SampleMap = std::multimap<std::string, Sample>;

static void add(SampleMap &map, std::string rule, std::string body,
                std::string resultType = "", std::string declarations = "") {
  std::string name = rule + ": " + body;
  map.insert({rule, {name, body, resultType, declarations}});
}

static void addStructure(SampleMap &map) {
  add(map, "llvm.addrspacecast",
      "%r = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr", "!llvm.ptr");
  add(map, "llvm.alloca",
      "%n = llvm.mlir.constant(4 : i32) : i32\n"
      "%m = llvm.alloca %n x i32 : (i32) -> !llvm.ptr\n"
      "llvm.store volatile %i, %m : i32, !llvm.ptr\n"
      "%r = llvm.load volatile %m : !llvm.ptr -> i32",
      "i32");
  add(map, "llvm.bitcast", "%r = llvm.bitcast %i : i32 to vector<2xf16>",
      "vector<2xf16>");
  add(map, "llvm.br", "llvm.br ^next\n^next:");
  add(map, "llvm.cond_br",
      "llvm.cond_br %c, ^one, ^two\n^one:\n"
      "llvm.store volatile %i, %p : i32, !llvm.ptr<1>\nllvm.br ^two\n^two:");
  add(map, "llvm.switch",
      "llvm.switch %i : i32, ^two [1: ^one, 2: ^two, 5: ^one]\n^one:\n"
      "llvm.store volatile %i, %p : i32, !llvm.ptr<1>\nllvm.br ^two\n^two:");
  add(map, "llvm.unreachable",
      "llvm.cond_br %c, ^one, ^two\n^one:\nllvm.unreachable\n^two:");
  std::string callee = "llvm.func @callee(%a: i32) -> i32 attributes "
                       "{passthrough = [\"noinline\"]} {\nllvm.return %a : "
                       "i32\n}\n";
  add(map, "llvm.call", "%r = llvm.call @callee(%i) : (i32) -> i32", "i32",
      callee);
  add(map, "llvm.func", "%r = llvm.call @callee(%i) : (i32) -> i32", "i32",
      callee);
  add(map, "llvm.return", "");
  add(map, "llvm.call_intrinsic",
      "%r = llvm.call_intrinsic \"llvm.fma.f32\"(%f, %f, %f) : (f32, f32, f32) "
      "-> f32",
      "f32");
  add(map, "llvm.extractelement",
      "%r = llvm.extractelement %hh[%i : i32] : vector<2xf16>", "f16");
  add(map, "llvm.insertelement",
      "%r = llvm.insertelement %h, %hh[%i : i32] : vector<2xf16>",
      "vector<2xf16>");
  add(map, "llvm.shufflevector",
      "%r = llvm.shufflevector %hh, %hh [1, 2] : vector<2xf16>",
      "vector<2xf16>");
  std::string pair = "!llvm.struct<(i32, f32)>";
  std::string build = "%u = llvm.mlir.undef : " + pair +
                      "\n%v = llvm.insertvalue %i, %u[0] : " + pair + "\n";
  add(map, "llvm.insertvalue",
      build + "%r = llvm.insertvalue %f, %v[1] : " + pair, pair);
  add(map, "llvm.mlir.undef",
      build + "%r = llvm.insertvalue %f, %v[1] : " + pair, pair);
  add(map, "llvm.extractvalue",
      build + "%r = llvm.extractvalue %v[0] : " + pair, "i32");
  for (const char *order : {"acquire", "release", "acq_rel", "seq_cst"})
    for (const char *scope :
         {"", "syncscope(\"block\") ", "syncscope(\"device\") "})
      add(map, "llvm.fence", std::string("llvm.fence ") + scope + order);
  add(map, "llvm.freeze", "%r = llvm.freeze %i : i32", "i32");
  add(map, "llvm.getelementptr",
      "%r = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, "
      "f32",
      "!llvm.ptr<1>");
  add(map, "llvm.inline_asm",
      "%r = llvm.inline_asm \"add.s32 $0, $1, $2;\", \"=r,r,r\" %i, %j : (i32, "
      "i32) -> i32",
      "i32");
  add(map, "llvm.inttoptr", "%r = llvm.inttoptr %l : i64 to !llvm.ptr<1>",
      "!llvm.ptr<1>");
  add(map, "llvm.ptrtoint", "%r = llvm.ptrtoint %p : !llvm.ptr<1> to i64",
      "i64");
  for (const char *type : {"i1", "i8", "i16", "i32", "i64", "f16", "bf16",
                           "f32", "f64", "vector<4xi32>", "vector<8xf16>",
                           "vector<16xi8>", "vector<3xf32>", "!llvm.ptr<1>"}) {
    std::string load = std::string("%r = llvm.load %q : !llvm.ptr<1> -> ");
    add(map, "llvm.load", load + type, type);
    add(map, "llvm.store", load + type, type);
    add(map, "llvm.mlir.zero", std::string("%r = llvm.mlir.zero : ") + type,
        type);
  }
  add(map, "llvm.load",
      "%r = llvm.load %q atomic syncscope(\"device\") acquire {alignment = 4 : "
      "i64} : !llvm.ptr<1> -> i32",
      "i32");
  add(map, "llvm.store",
      "llvm.store %i, %q atomic syncscope(\"block\") release {alignment = 4 : "
      "i64} : i32, !llvm.ptr<1>");
  add(map, "llvm.mlir.poison", "%r = llvm.mlir.poison : i32", "i32");
  add(map, "llvm.mlir.constant",
      "%r = llvm.mlir.constant(dense<[1.0, 2.0]> : vector<2xbf16>) : "
      "vector<2xbf16>",
      "vector<2xbf16>");
  std::string shared =
      "llvm.mlir.global internal @buffer() {addr_space = 3 : i32, alignment = "
      "16 : i64} : !llvm.array<64 x i32>\n"
      "llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = "
      "16 : i64} : !llvm.array<0 x i8>\n"
      "llvm.mlir.global internal constant @book(dense<[1, 2]> : "
      "tensor<2xi32>) {addr_space = 4 : i32} : !llvm.array<2 x i32>\n";
  for (const char *rule : {"llvm.mlir.addressof", "llvm.mlir.global"}) {
    add(map, rule, "%r = llvm.mlir.addressof @buffer : !llvm.ptr<3>",
        "!llvm.ptr<3>", shared);
    add(map, rule, "%r = llvm.mlir.addressof @dynamic : !llvm.ptr<3>",
        "!llvm.ptr<3>", shared);
    add(map, rule, "%r = llvm.mlir.addressof @book : !llvm.ptr<4>",
        "!llvm.ptr<4>", shared);
  }
  add(map, "llvm.select", "%r = llvm.select %c, %hh, %hh : i1, vector<2xf16>",
      "vector<2xf16>");
  add(map, "llvm.select", "%r = llvm.select %c, %i, %j : i1, i32", "i32");
  for (const char *type : {"f16", "bf16", "f32", "f64"})
    for (const char *predicate : {"ult", "oeq", "une", "ord"})
      add(map, "llvm.fcmp",
          loads(type) + "%r = llvm.fcmp \"" + predicate + "\" %a, %x : " + type,
          "i1");
  for (const char *predicate : {"slt", "ult", "eq"})
    add(map, "llvm.icmp",
        std::string("%r = llvm.icmp \"") + predicate + "\" %i, %j : i32", "i1");
  add(map, "llvm.fpext", "%r = llvm.fpext %b : bf16 to f32", "f32");
  add(map, "llvm.fpext", "%r = llvm.fpext %h : f16 to f64", "f64");
  add(map, "llvm.fptrunc", "%r = llvm.fptrunc %f : f32 to bf16", "bf16");
  add(map, "llvm.fptrunc", "%r = llvm.fptrunc %d : f64 to f16", "f16");
  add(map, "llvm.fptrunc", "%r = llvm.fptrunc %d : f64 to bf16", "bf16");
  add(map, "llvm.trunc", "%r = llvm.trunc %l : i64 to i8", "i8");
  add(map, "llvm.sext", "%r = llvm.sext %c : i1 to i64", "i64");
  add(map, "llvm.zext", "%r = llvm.zext %c : i1 to i64", "i64");
}

static void addIntrinsicOps(SampleMap &map) {
  add(map, "llvm.intr.assume", "llvm.intr.assume %c : i1");
  add(map, "llvm.intr.expect", "%r = llvm.intr.expect %i, %j : i32", "i32");
  std::string memory = "%n = llvm.mlir.constant(4 : i32) : i32\n"
                       "%m = llvm.alloca %n x i32 : (i32) -> !llvm.ptr\n";
  for (const char *rule :
       {"llvm.intr.lifetime.start", "llvm.intr.lifetime.end"})
    add(map, rule,
        memory + "llvm.intr.lifetime.start %m : !llvm.ptr\n"
                 "llvm.store volatile %i, %m : i32, !llvm.ptr\n"
                 "llvm.intr.lifetime.end %m : !llvm.ptr");
  std::string mask = "%m = llvm.load %q : !llvm.ptr<1> -> vector<4xi1>\n"
                     "%v = llvm.load %q : !llvm.ptr<1> -> vector<4xf32>\n";
  add(map, "llvm.intr.masked.load",
      mask + "%r = llvm.intr.masked.load %q, %m, %v {alignment = 4 : i32} : "
             "(!llvm.ptr<1>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>",
      "vector<4xf32>");
  add(map, "llvm.intr.masked.store",
      mask + "llvm.intr.masked.store %v, %p, %m {alignment = 4 : i32} : "
             "vector<4xf32>, vector<4xi1> into !llvm.ptr<1>");
  add(map, "llvm.intr.memcpy",
      "\"llvm.intr.memcpy\"(%p, %q, %l) <{isVolatile = false}> : "
      "(!llvm.ptr<1>, !llvm.ptr<1>, i64) -> ()");
  add(map, "llvm.intr.memmove",
      "\"llvm.intr.memmove\"(%p, %q, %l) <{isVolatile = false}> : "
      "(!llvm.ptr<1>, !llvm.ptr<1>, i64) -> ()");
  add(map, "llvm.intr.memset",
      "%z = llvm.mlir.constant(0 : i8) : i8\n"
      "\"llvm.intr.memset\"(%p, %z, %l) <{isVolatile = false}> : "
      "(!llvm.ptr<1>, i8, i64) -> ()");
  add(map, "llvm.intr.trap",
      "llvm.cond_br %c, ^one, ^two\n^one:\n\"llvm.intr.trap\"() : () -> "
      "()\nllvm.unreachable\n^two:");
  std::string vector = "%a = llvm.load %q : !llvm.ptr<1> -> vector<4xi32>\n"
                       "%x = llvm.load %q : !llvm.ptr<1> -> vector<4xf32>\n";
  for (const char *kind :
       {"add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"})
    add(map, "llvm.intr.vector.reduce.",
        vector + "%r = \"llvm.intr.vector.reduce." + kind +
            "\"(%a) : (vector<4xi32>) -> i32",
        "i32");
  for (const char *kind : {"fmax", "fmin", "fmaximum", "fminimum"})
    add(map, "llvm.intr.vector.reduce.",
        vector + "%r = llvm.intr.vector.reduce." + kind +
            "(%x) : (vector<4xf32>) -> f32",
        "f32");
  for (const char *kind : {"fadd", "fmul"})
    add(map, "llvm.intr.vector.reduce.",
        vector + "%r = \"llvm.intr.vector.reduce." + kind +
            "\"(%f, %x) : (f32, vector<4xf32>) -> f32",
        "f32");
  add(map, "llvm.intr.dbg.",
      "llvm.intr.dbg.value #llvm.di_local_variable<scope = "
      "#llvm.di_subprogram<id = distinct[1]<>, compileUnit = "
      "#llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, "
      "file = <\"f\" in \"d\">, isOptimized = true, emissionKind = "
      "LineTablesOnly>, name = \"kernel\", file = <\"f\" in \"d\">, line = 1, "
      "subprogramFlags = Definition>, name = \"v\"> = %i : i32");
}

static void addWarpOps(SampleMap &map) {
  for (const char *name : {"tid.x", "ctaid.y", "ntid.z", "laneid", "warpid",
                           "lanemask.lt", "clock", "smid", "dynamic.smem.size"})
    add(map, "nvvm.read.ptx.sreg.",
        std::string("%r = nvvm.read.ptx.sreg.") + name + " : i32", "i32");
  add(map, "nvvm.read.ptx.sreg.", "%r = nvvm.read.ptx.sreg.globaltimer : i64",
      "i64");
  for (const char *name : {"cluster.ctaid.x", "cluster.nctaid.y",
                           "cluster.ctarank", "clusterid.x"})
    add(map, "nvvm.read.ptx.sreg.cluster",
        std::string("%r = nvvm.read.ptx.sreg.") + name + " : i32", "i32");
  add(map, "nvvm.read.ptx.sreg.nclusterid",
      "%r = nvvm.read.ptx.sreg.nclusterid.x : i32", "i32");
  add(map, "nvvm.read.ptx.sreg.aggr.smem.size",
      "%r = nvvm.read.ptx.sreg.aggr.smem.size : i32", "i32");
  add(map, "nvvm.bar.warp.sync", "nvvm.bar.warp.sync %i : i32");
  add(map, "nvvm.barrier", "nvvm.barrier");
  add(map, "nvvm.barrier", "nvvm.barrier id = %i number_of_threads = %j");
  add(map, "nvvm.barrier", "%r = nvvm.barrier #nvvm.reduction<popc> %i -> i32",
      "i32");
  add(map, "nvvm.barrier0", "nvvm.barrier0");
  add(map, "nvvm.barrier.arrive",
      "nvvm.barrier.arrive id = %i number_of_threads = %j");
  for (const char *kind : {"bfly", "up", "down", "idx"})
    add(map, "nvvm.shfl.sync",
        std::string("%r = nvvm.shfl.sync ") + kind +
            " %i, %f, %j, %j : f32 -> f32",
        "f32");
  add(map, "nvvm.shfl.sync",
      "%r = nvvm.shfl.sync bfly %i, %j, %j, %j {return_value_and_is_valid} : "
      "i32 -> !llvm.struct<(i32, i1)>",
      "!llvm.struct<(i32, i1)>");
  add(map, "nvvm.vote.sync", "%r = nvvm.vote.sync ballot %i, %c -> i32", "i32");
  add(map, "nvvm.vote.sync", "%r = nvvm.vote.sync any %i, %c -> i1", "i1");
  add(map, "nvvm.match.sync", "%r = nvvm.match.sync any %i, %l : i64 -> i32",
      "i32");
  for (const char *kind : {"add", "umax", "min", "and", "xor"})
    add(map, "nvvm.redux.sync",
        std::string("%r = nvvm.redux.sync ") + kind + " %i, %j : i32 -> i32",
        "i32");
  add(map, "nvvm.elect.sync", "%r = nvvm.elect.sync -> i1", "i1");
  add(map, "nvvm.nanosleep", "nvvm.nanosleep %i");
  for (const char *scope : {"cta", "gpu", "sys"})
    add(map, "nvvm.memory.barrier",
        std::string("nvvm.memory.barrier <") + scope + ">");
  add(map, "nvvm.griddepcontrol", "nvvm.griddepcontrol wait");
  add(map, "nvvm.griddepcontrol", "nvvm.griddepcontrol launch_dependents");
  add(map, "nvvm.setmaxregister", "nvvm.setmaxregister increase 64");
  std::string bytes = "%a = llvm.bitcast %i : i32 to vector<4xi8>\n"
                      "%x = llvm.bitcast %i : i32 to vector<2xi16>\n";
  add(map, "nvvm.dot.accumulate.4way",
      bytes + "%r = nvvm.dot.accumulate.4way %a <signed>, %a <unsigned>, %j : "
              "vector<4xi8>, vector<4xi8>",
      "i32");
  add(map, "nvvm.dot.accumulate.2way",
      bytes + "%r = nvvm.dot.accumulate.2way %x <signed>, %a <unsigned>, %j "
              "{b_hi = false} : vector<2xi16>, vector<4xi8>",
      "i32");
  add(map, "nvvm.prmt",
      "%r = nvvm.prmt #nvvm.permute_mode<default> %i, %i, %j : i32", "i32");
  add(map, "nvvm.rcp.approx.ftz.f", "%r = nvvm.rcp.approx.ftz.f %f : f32",
      "f32");
}

static void addConversions(SampleMap &map) {
  add(map, "nvvm.convert.float.to.tf32",
      "%r = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}",
      "i32");
  add(map, "nvvm.convert.f32x2.to.bf16x2",
      "%r = nvvm.convert.f32x2.to.bf16x2 %f, %f {rnd = "
      "#nvvm.fp_rnd_mode<rn>} : vector<2xbf16>",
      "vector<2xbf16>");
  add(map, "nvvm.convert.f32x2.to.f16x2",
      "%r = nvvm.convert.f32x2.to.f16x2 %f, %f {rnd = "
      "#nvvm.fp_rnd_mode<rn>} : vector<2xf16>",
      "vector<2xf16>");
  for (const char *type : {"f8E4M3FN", "f8E5M2"}) {
    add(map, "nvvm.convert.f32x2.to.f8x2",
        std::string("%r = nvvm.convert.f32x2.to.f8x2 %f, %f {rnd = "
                    "#nvvm.fp_rnd_mode<rn>, sat = "
                    "#nvvm.sat_mode<satfinite>} : i16 (") +
            type + ")",
        "i16");
    add(map, "nvvm.convert.f16x2.to.f8x2",
        std::string("%r = nvvm.convert.f16x2.to.f8x2 %hh : vector<2xf16> -> "
                    "i16 (") +
            type + ")",
        "i16");
    add(map, "nvvm.convert.f8x2.to.f16x2",
        std::string("%a = llvm.load %q : !llvm.ptr<1> -> vector<2xi8>\n"
                    "%r = nvvm.convert.f8x2.to.f16x2 %a : vector<2xi8> (") +
            type + ") -> vector<2xf16>",
        "vector<2xf16>");
  }
}

static void addMatrices(SampleMap &map) {
  std::string f32x4 = "!llvm.struct<(f32, f32, f32, f32)>";
  std::string i32x4 = "!llvm.struct<(i32, i32, i32, i32)>";
  std::string layouts = "{layoutA = #nvvm.mma_layout<row>, layoutB = "
                        "#nvvm.mma_layout<col>, shape = #nvvm.shape<";
  std::string half = " : (vector<2xf16>, vector<2xf16>, f32) -> ";
  add(map, "nvvm.mma.sync",
      "%r = nvvm.mma.sync A[%hh, %hh, %hh, %hh] B[%hh, %hh] C[%f, %f, %f, "
      "%f] " +
          layouts + "m = 16, n = 8, k = 16>}" + half + f32x4,
      f32x4);
  add(map, "nvvm.mma.sync",
      "%r = nvvm.mma.sync A[%hh, %hh] B[%hh] C[%f, %f, %f, %f] " + layouts +
          "m = 16, n = 8, k = 8>}" + half + f32x4,
      f32x4);
  std::string f32x8 = "!llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>";
  add(map, "nvvm.mma.sync",
      "%r = nvvm.mma.sync A[%hh, %hh] B[%hh, %hh] C[%f, %f, %f, %f, %f, %f, "
      "%f, %f] " +
          layouts + "m = 8, n = 8, k = 4>}" + half + f32x8,
      f32x8);
  std::string types = ", multiplicandAPtxType = #nvvm.mma_type<";
  add(map, "nvvm.mma.sync",
      "%r = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] " +
          layouts + "m = 16, n = 8, k = 16>" + types +
          "bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>} : (i32, i32, "
          "f32) -> " +
          f32x4,
      f32x4);
  add(map, "nvvm.mma.sync",
      "%r = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] " +
          layouts + "m = 16, n = 8, k = 8>" + types +
          "tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>} : (i32, i32, "
          "f32) -> " +
          f32x4,
      f32x4);
  std::string integer =
      "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, ";
  std::string integerLayouts = "{" + integer + layouts.substr(1);
  add(map, "nvvm.mma.sync",
      "%r = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%i, %i, %i, %i] " +
          integerLayouts + "m = 16, n = 8, k = 32>" + types +
          "s8>, multiplicandBPtxType = #nvvm.mma_type<u8>} : (i32, i32, i32) "
          "-> " +
          i32x4,
      i32x4);
  add(map, "nvvm.mma.sync",
      "%r = nvvm.mma.sync A[%i] B[%i] C[%i, %i] " + integerLayouts +
          "m = 8, n = 8, k = 16>" + types +
          "s8>, multiplicandBPtxType = #nvvm.mma_type<s8>} : (i32, i32, i32) "
          "-> !llvm.struct<(i32, i32)>",
      "!llvm.struct<(i32, i32)>");

  std::string matrix = ", shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, "
                       "eltType = #nvvm.ld_st_matrix_elt_type<b16>";
  add(map, "nvvm.ldmatrix",
      "%r = nvvm.ldmatrix %s {num = 4 : i32, layout = #nvvm.mma_layout<row>" +
          matrix + "} : (!llvm.ptr<3>) -> " + i32x4,
      i32x4);
  add(map, "nvvm.ldmatrix",
      "%r = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<col>" +
          matrix + "} : (!llvm.ptr<3>) -> i32",
      "i32");
  add(map, "nvvm.stmatrix",
      "nvvm.stmatrix %s, %i, %j {layout = #nvvm.mma_layout<row>" + matrix +
          "} : !llvm.ptr<3>, i32, i32");
  add(map, "nvvm.wgmma.fence.aligned", "nvvm.wgmma.fence.aligned");
  add(map, "nvvm.wgmma.commit.group.sync.aligned",
      "nvvm.wgmma.commit.group.sync.aligned");
  add(map, "nvvm.wgmma.wait.group.sync.aligned",
      "nvvm.wgmma.wait.group.sync.aligned 0");
  add(map, "nvvm.wgmma.mma_async",
      "%u = llvm.mlir.undef : " + f32x4 +
          "\n%r = nvvm.wgmma.mma_async %l, %l, %u, #nvvm.shape<m = 64, n = 8, "
          "k = 16>, D [<f32>, #nvvm.wgmma_scale_out<one>], A [<f16>, "
          "#nvvm.wgmma_scale_in<one>, <row>], B [<f16>, "
          "#nvvm.wgmma_scale_in<one>, <col>] : " +
          f32x4 + " -> " + f32x4,
      f32x4);
}

static void addCopies(SampleMap &map) {
  add(map, "nvvm.cp.async.shared.global",
      "nvvm.cp.async.shared.global %s, %q, 16, cache = cg : !llvm.ptr<3>, "
      "!llvm.ptr<1>");
  add(map, "nvvm.cp.async.shared.global",
      "nvvm.cp.async.shared.global %s, %q, 4, cache = ca, %i : !llvm.ptr<3>, "
      "!llvm.ptr<1>, i32");
  add(map, "nvvm.cp.async.commit.group", "nvvm.cp.async.commit.group");
  add(map, "nvvm.cp.async.wait.group", "nvvm.cp.async.wait.group 1");
  add(map, "nvvm.cp.async.mbarrier.arrive",
      "nvvm.cp.async.mbarrier.arrive %s : !llvm.ptr<3>");
  add(map, "nvvm.mbarrier.init",
      "nvvm.mbarrier.init %s, %i : !llvm.ptr<3>, i32");
  add(map, "nvvm.mbarrier.inval", "nvvm.mbarrier.inval %s : !llvm.ptr<3>");
  add(map, "nvvm.mbarrier.arrive",
      "%r = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64", "i64");
  add(map, "nvvm.mbarrier.arrive.nocomplete",
      "%r = nvvm.mbarrier.arrive.nocomplete %s, %i : !llvm.ptr<3>, i32 -> i64",
      "i64");
  add(map, "nvvm.mbarrier.test.wait",
      "%r = nvvm.mbarrier.test.wait %s, %l : !llvm.ptr<3>, i64 -> i1", "i1");
  add(map, "nvvm.mbarrier.arrive.expect_tx",
      "nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32");
  add(map, "nvvm.mbarrier.expect_tx",
      "nvvm.mbarrier.expect_tx %s, %i : !llvm.ptr<3>, i32");
  add(map, "nvvm.mbarrier.complete_tx",
      "nvvm.mbarrier.complete_tx %s, %i : !llvm.ptr<3>, i32");
  add(map, "nvvm.mbarrier.try_wait",
      "%r = nvvm.mbarrier.try_wait %s, %l : !llvm.ptr<3>, i64 -> i1", "i1");
  add(map, "nvvm.mbarrier.try_wait.parity",
      "nvvm.mbarrier.try_wait.parity %s, %i, %j : !llvm.ptr<3>, i32, i32");
  add(map, "nvvm.fence.proxy",
      "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = "
      "#nvvm.shared_space<cta>}");
  add(map, "nvvm.fence.mbarrier.init", "nvvm.fence.mbarrier.init");
  add(map, "nvvm.fence.sc.cluster", "nvvm.fence.sc.cluster");
  add(map, "nvvm.cluster.arrive", "nvvm.cluster.arrive {aligned}");
  add(map, "nvvm.cluster.arrive.relaxed", "nvvm.cluster.arrive.relaxed");
  add(map, "nvvm.cluster.wait", "nvvm.cluster.wait {aligned}");
  add(map, "nvvm.mapa", "%r = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr<7>",
      "!llvm.ptr<7>");
  add(map, "nvvm.cp.async.bulk.commit.group",
      "nvvm.cp.async.bulk.commit.group");
  add(map, "nvvm.cp.async.bulk.wait_group", "nvvm.cp.async.bulk.wait_group 0");
  add(map, "nvvm.cp.async.bulk.global.shared.cta",
      "nvvm.cp.async.bulk.global.shared.cta %p, %s, %i : !llvm.ptr<1>, "
      "!llvm.ptr<3>");
  std::string cluster = "%w = nvvm.mapa %s, %i : !llvm.ptr<3> -> "
                        "!llvm.ptr<7>\n";
  add(map, "nvvm.cp.async.bulk.shared.cluster.global",
      cluster + "nvvm.cp.async.bulk.shared.cluster.global %w, %q, %s, %i : "
                "!llvm.ptr<7>, !llvm.ptr<1>");
  add(map, "nvvm.cp.async.bulk.tensor.shared.cluster.global",
      cluster + "nvvm.cp.async.bulk.tensor.shared.cluster.global %w, %g, %s, "
                "box[%i, %j] : !llvm.ptr<7>, !llvm.ptr");
  add(map, "nvvm.cp.async.bulk.tensor.global.shared.cta",
      "nvvm.cp.async.bulk.tensor.global.shared.cta %g, %s, box[%i, %j] : "
      "!llvm.ptr, !llvm.ptr<3>");
}

//===----------------------------------------------------------------------===//
// Intrinsics and inline PTX
//===----------------------------------------------------------------------===//

static const std::map<std::string, const char *> &operandNames() {
  static const std::map<std::string, const char *> names = {
      {"f32", "%f"},
      {"f64", "%d"},
      {"f16", "%h"},
      {"bf16", "%b"},
      {"i32", "%i"},
      {"i64", "%l"},
      {"i1", "%c"},
      {"vector<2xf16>", "%hh"},
      {"vector<2xbf16>", "%bb"}};
  return names;
}

/// A call of an intrinsic with operands of the given types.
static Sample call(StringRef name, std::vector<std::string> operands,
                   std::string result, std::string prologue = "") {
  std::string text = result.empty() ? "" : "%r = ";
  text += "llvm.call_intrinsic \"" + name.str() + "\"(";
  std::string types;
  for (size_t i = 0; i < operands.size(); ++i) {
    auto known = operandNames().find(operands[i]);
    text += (i ? ", " : "") +
            std::string(known == operandNames().end() ? "%z" : known->second);
    types += (i ? ", " : "") + operands[i];
  }
  text += ") : (" + types + ") -> " + (result.empty() ? "()" : result);
  return {name.str(), prologue + text, result, ""};
}

static std::vector<Sample> intrinsicSamples(StringRef name) {
  StringRef rest = name;
  rest.consume_front("llvm.nvvm.");
  std::string f32 = "f32", i32 = "i32", i64 = "i64";
  if (rest == "activemask")
    return {call(name, {}, i32)};
  if (rest.starts_with("ex2.approx")) {
    std::string type = rest.ends_with("v2f16")    ? "vector<2xf16>"
                       : rest.ends_with("v2bf16") ? "vector<2xbf16>"
                       : rest.ends_with("bf16")   ? "bf16"
                       : rest.ends_with("f16")    ? "f16"
                                                  : "f32";
    return {call(name, {type}, type)};
  }
  if (rest == "rsqrt.approx.d")
    return {call(name, {"f64"}, "f64")};
  if (rest.starts_with("div."))
    return {call(name, {f32, f32}, f32)};
  if (rest.starts_with("fma.rn") || rest.starts_with("fmax") ||
      rest.starts_with("fmin")) {
    std::string type = rest.ends_with("bf16x2")  ? "vector<2xbf16>"
                       : rest.ends_with("f16x2") ? "vector<2xf16>"
                       : rest.ends_with("bf16")  ? "bf16"
                       : rest.ends_with("f16")   ? "f16"
                                                 : "f32";
    return {call(
        name, std::vector<std::string>(rest.starts_with("fma.") ? 3 : 2, type),
        type)};
  }
  if (rest.starts_with("ff2bf16x2"))
    return {call(name, {f32, f32}, "vector<2xbf16>")};
  if (rest.starts_with("ff2f16x2"))
    return {call(name, {f32, f32}, "vector<2xf16>")};
  if (rest.starts_with("f2tf32"))
    return {call(name, {f32}, i32)};
  if (rest.starts_with("ff.to.e"))
    return {call(name, {f32, f32}, "i16")};
  if (rest.starts_with("f16x2.to.e"))
    return {call(name, {"vector<2xf16>"}, "i16")};
  if (rest == "add.rz.f")
    return {call(name, {f32, f32}, f32)};
  if (rest == "d2f.rz")
    return {call(name, {"f64"}, f32)};
  if (rest.contains("x2.to.f16x2"))
    return {call(name, {"i16"}, "vector<2xf16>",
                 "%z = llvm.trunc %i : i32 to i16\n")};
  if (rest == "mulhi.ll" || rest == "mulhi.ull")
    return {call(name, {i64, i64}, i64)};
  if (rest.starts_with("mul"))
    return {call(name, {i32, i32}, i32)};
  if (rest == "prmt" || rest.starts_with("idp4a"))
    return {call(name, {i32, i32, i32}, i32)};
  if (rest == "barrier.cta.sync.aligned.all")
    return {call(name, {i32}, "")};
  if (rest == "barrier.cta.sync.aligned.count" ||
      rest == "barrier.cta.arrive.aligned.count")
    return {call(name, {i32, i32}, "")};
  if (rest.starts_with("membar."))
    return {call(name, {}, "")};
  if (rest.ends_with(".f"))
    return {call(name, {f32}, f32)};
  return {};
}

std::vector<Sample> test::samplesFor(const tilegpu::AdmissionRule &rule) {
  if (rule.subject == tilegpu::AdmissionSubject::Intrinsic)
    return intrinsicSamples(rule.name);
  if (rule.subject == tilegpu::AdmissionSubject::Mnemonic) {
    // Inline PTX reaches LLVM as text, so any operands do.
    std::string text = rule.name.str();
    return {{text,
             "llvm.inline_asm has_side_effects \"" + text +
                 "x $0;\", \"r\" %i : (i32) -> ()",
             "", ""}};
  }
  static const SampleMap map = [] {
    SampleMap result;
    addStructure(result);
    addIntrinsicOps(result);
    addWarpOps(result);
    addConversions(result);
    addMatrices(result);
    addCopies(result);
    return result;
  }();
  std::vector<Sample> samples = regularSamples(rule.name);
  for (auto [it, end] = map.equal_range(rule.name.str()); it != end; ++it)
    samples.push_back(it->second);
  return samples;
}
