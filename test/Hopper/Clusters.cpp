// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Hopper/Clusters.h"

#include "test/Hopper/Mistakes.h"

#include <cstring>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

constexpr unsigned threads = 128;
/// A word of each thread.
constexpr unsigned partBytes = 4 * threads;

std::string number(int64_t value) { return std::to_string(value); }

/// Writes one kernel, with a mistake or none.
class Writer {
public:
  Writer(unsigned ctas, const std::string &mistake)
      : ctas(ctas), mistake(mistake) {}

  std::string writeExchange(const std::string &name);
  std::string writeArrivals(const std::string &name);
  std::string writeMulticast(const std::string &name);
  std::string writeSums(const std::string &name);

private:
  bool is(const char *name) const { return mistake == name; }
  void add(const std::string &line) { text += line + "\n"; }
  void addUnless(const char *name, const std::string &line) {
    if (!is(name))
      add(line);
  }
  void writeHead(const std::string &name, unsigned bytes);
  void writeBarrierObject(unsigned count);
  void writeClusterBarrier();
  void writeWait();
  void writeScatter();

  unsigned ctas;
  const std::string &mistake;
  std::string text;
};

/// %t thread, %r rank, %next the next CTA's rank, %mine the thread's word in
/// `tile`, %in and %out its words of the input and the output.
void Writer::writeHead(const std::string &name, unsigned bytes) {
  add(".visible .entry " + name +
      "(.param .u64 input, .param .u64 output)\n.reqntid 128, 1, 1\n"
      ".reqnctapercluster " +
      number(ctas) + ", 1, 1\n{\n.shared .align 128 .b8 tile[" + number(bytes) +
      "];\n.shared .align 8 .b64 barrier;\n.reg .pred %p, %leader;\n"
      ".reg .b32 %t, %r, %next, %mine, %far, %v, %u;\n"
      ".reg .b16 %mask;\n.reg .b64 %x, %in, %out;\n"
      "ld.param.u64 %in, [input];\nld.param.u64 %out, [output];\n"
      "mov.u32 %t, %tid.x;\nmov.u32 %r, %cluster_ctarank;\n"
      "setp.eq.u32 %leader, %t, 0;\nadd.u32 %next, %r, 1;\n"
      "rem.u32 %next, %next, " +
      number(ctas) +
      ";\nmov.u32 %mine, tile;\nmad.lo.u32 %mine, %t, 4, %mine;\n"
      "mad.lo.u32 %u, %r, 128, %t;\nmul.wide.u32 %x, %u, 4;\n"
      "add.u64 %in, %in, %x;\nadd.u64 %out, %out, %x;");
}

void Writer::writeClusterBarrier() {
  add("barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;");
}

/// Each CTA reads the next one's words.
std::string Writer::writeExchange(const std::string &name) {
  writeHead(name, partBytes);
  add("ld.global.b32 %v, [%in];\nst.shared.b32 [%mine], %v;");
  if (is("barrier-of-cta")) {
    add("bar.sync 0;");
  } else {
    addUnless("no-arrival", "barrier.cluster.arrive.release.aligned;");
    addUnless("no-wait", "barrier.cluster.wait.acquire.aligned;");
  }
  if (is("two-arrivals"))
    add("barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;");
  if (is("two-waits"))
    add("barrier.cluster.wait.acquire.aligned;");
  if (is("rank-beyond-cluster"))
    add("add.u32 %next, %next, " + number(ctas) + ";");
  add("mapa.shared::cluster.u32 %far, %mine, %next;");
  if (is("beyond-its-memory"))
    add("add.u32 %far, %far, 1024;");
  add("ld.shared::cluster.b32 %v, [%far];\nst.global.b32 [%out], %v;");
  if (is("written-while-others-read"))
    add("st.shared.b32 [%mine], 0;");
  // Else a CTA may end before it has been read.
  if (!is("no-barrier-before-end"))
    writeClusterBarrier();
  add("ret;\n}");
  return text;
}

void Writer::writeBarrierObject(unsigned count) {
  add("@%leader mbarrier.init.shared::cta.b64 [barrier], " + number(count) +
      ";");
  addUnless("no-initialization-fence",
            "@%leader fence.mbarrier_init.release.cluster;");
  if (is("only-cta-knows-of-barrier"))
    add("bar.sync 0;");
  else
    writeClusterBarrier();
}

void Writer::writeWait() {
  add("wait:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, "
      "[barrier], 0;\n@!%p bra wait;");
}

/// Each thread stores its word in the next CTA, and arrives there.
std::string Writer::writeArrivals(const std::string &name) {
  writeHead(name, partBytes);
  writeBarrierObject(is("count-too-large") ? threads + 1 : threads);
  add("ld.global.b32 %v, [%in];\nmapa.shared::cluster.u32 %far, %mine, %next;\n"
      "st.shared::cluster.b32 [%far], %v;\nmov.u32 %u, barrier;\n"
      "mapa.shared::cluster.u32 %u, %u, " +
      std::string(is("arrives-at-own") ? "%r" : "%next") + ";");
  if (is("stored-behind-arrival"))
    text.erase(text.rfind("st.shared::cluster"),
               std::strlen("st.shared::cluster.b32 [%far], %v;\n"));
  if (is("one-warp-does-not-arrive"))
    add("setp.ge.u32 %p, %t, 32;");
  add(std::string(is("one-warp-does-not-arrive") ? "@%p " : "") +
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%u];");
  if (is("stored-behind-arrival"))
    add("st.shared::cluster.b32 [%far], %v;");
  if (!is("no-wait-for-arrivals"))
    writeWait();
  add("ld.shared.b32 %v, [%mine];\nst.global.b32 [%out], %v;");
  writeClusterBarrier();
  add("ret;\n}");
  return text;
}

/// Each CTA loads its part of the input to the same place in all of them.
std::string Writer::writeMulticast(const std::string &name) {
  writeHead(name, ctas * partBytes);
  writeBarrierObject(1);
  unsigned bytes = is("expects-own-part") ? partBytes : ctas * partBytes;
  unsigned mask = (1u << ctas) - 1;
  if (is("mask-beyond-cluster"))
    mask |= 1u << ctas;
  if (is("mask-without-last"))
    mask >>= 1;
  add("@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], " +
      number(bytes) + ";");
  add("mov.u32 %u, tile;\nmad.lo.u32 %u, %r, " +
      std::string(is("parts-overlap") ? "256" : number(partBytes)) +
      ", %u;\nmov.b16 %mask, " + number(mask) +
      ";\n@%leader cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
      "bytes.multicast::cluster [%u], [%in], " +
      number(partBytes) + ", [barrier], %mask;");
  if (!is("no-wait-for-loads"))
    writeWait();
  // The output of CTA r begins r times the input's bytes on.
  add("mul.wide.u32 %x, %r, " + number((ctas - 1) * partBytes) +
      ";\nadd.u64 %out, %out, %x;");
  for (unsigned part = 0; part < ctas; ++part)
    add("ld.shared.b32 %v, [%mine+" + number(part * partBytes) +
        "];\nst.global.b32 [%out+" + number(part * partBytes) + "], %v;");
  if (!is("no-barrier-before-end-of-loads"))
    writeClusterBarrier();
  add("ret;\n}");
  return text;
}

/// %v in the tiles of all CTAs, in the part of the CTA's rank.
void Writer::writeScatter() {
  add("mad.lo.u32 %u, %r, " + number(partBytes) + ", %mine;");
  for (unsigned cta = 0; cta < ctas; ++cta)
    if (!is("one-is-left-out") || cta + 1 < ctas)
      add("mapa.shared::cluster.u32 %far, %u, " + number(cta) +
          ";\nst.shared::cluster.b32 [%far], %v;");
}

/// Each CTA sums up the words that all have given it, and in a second round
/// these sums.
std::string Writer::writeSums(const std::string &name) {
  writeHead(name, ctas * partBytes);
  add("ld.global.b32 %v, [%in];");
  for (const char *round : {"first", "second"}) {
    if (!is((std::string("no-barrier-before-") + round).c_str()))
      writeClusterBarrier();
    writeScatter();
    if (!is((std::string("no-barrier-behind-") + round).c_str()))
      writeClusterBarrier();
    add("mov.u32 %v, 0;");
    for (unsigned part = 0; part < ctas; ++part)
      add("ld.shared.b32 %u, [%mine+" + number(part * partBytes) +
          "];\nadd.u32 %v, %v, %u;");
  }
  add("st.global.b32 [%out], %v;\nret;\n}");
  return text;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

HopperProgram makeProgram(const std::string &name, unsigned ctas) {
  HopperProgram program;
  program.name = name + "_c" + number(ctas);
  program.ctas = ctas;
  Random random(ctas);
  for (unsigned i = 0; i < ctas * partBytes; ++i)
    program.input.push_back(random.below(256));
  return program;
}

/// Words of CTA i come to CTA i + `by`.
void rotate(HopperProgram &program, unsigned ctas, unsigned by) {
  program.expected.resize(program.input.size());
  for (unsigned i = 0; i < ctas; ++i)
    std::memcpy(&program.expected[(i + by) % ctas * partBytes],
                &program.input[i * partBytes], partBytes);
}

HopperProgram makeExchange(unsigned ctas, const std::string &mistake) {
  HopperProgram program = makeProgram("exchange", ctas);
  rotate(program, ctas, ctas - 1);
  program.text = Writer(ctas, mistake).writeExchange(program.name);
  return program;
}

HopperProgram makeArrivals(unsigned ctas, const std::string &mistake) {
  HopperProgram program = makeProgram("arrivals", ctas);
  rotate(program, ctas, 1);
  program.text = Writer(ctas, mistake).writeArrivals(program.name);
  return program;
}

/// Every CTA gets the whole input, and has an output of its own for it.
HopperProgram makeMulticast(unsigned ctas, const std::string &mistake) {
  HopperProgram program = makeProgram("multicast", ctas);
  for (unsigned i = 0; i < ctas; ++i)
    program.expected.insert(program.expected.end(), program.input.begin(),
                            program.input.end());
  program.text = Writer(ctas, mistake).writeMulticast(program.name);
  return program;
}

HopperProgram makeSums(unsigned ctas, const std::string &mistake) {
  HopperProgram program = makeProgram("sums", ctas);
  program.expected.resize(program.input.size());
  for (unsigned at = 0; at < partBytes; at += 4) {
    uint32_t sum = 0, word;
    for (unsigned cta = 0; cta < ctas; ++cta) {
      std::memcpy(&word, &program.input[cta * partBytes + at], 4);
      sum += word;
    }
    sum *= ctas;
    for (unsigned cta = 0; cta < ctas; ++cta)
      std::memcpy(&program.expected[cta * partBytes + at], &sum, 4);
  }
  program.text = Writer(ctas, mistake).writeSums(program.name);
  return program;
}

} // namespace

std::vector<HopperProgram> hopper::allClusters() {
  std::vector<HopperProgram> programs;
  for (unsigned ctas : {2, 4, 8}) {
    programs.push_back(makeExchange(ctas, ""));
    programs.push_back(makeArrivals(ctas, ""));
    programs.push_back(makeMulticast(ctas, ""));
    programs.push_back(makeSums(ctas, ""));
  }
  return programs;
}

std::vector<MistakenProgram> hopper::clusterMistakes() {
  using Make = HopperProgram (*)(unsigned, const std::string &);
  struct Mistake {
    const char *name, *checks;
    Make make;
  };
  static constexpr Mistake mistakes[] = {
      {"no-arrival", "barrier-mismatch", makeExchange},
      {"two-arrivals", "barrier-mismatch", makeExchange},
      {"barrier-of-cta", "out-of-bounds", makeExchange},
      {"no-wait", "out-of-bounds", makeExchange},
      {"two-waits", "barrier-mismatch", makeExchange},
      {"rank-beyond-cluster", "out-of-bounds", makeExchange},
      {"beyond-its-memory", "out-of-bounds", makeExchange},
      {"written-while-others-read", "shared-race", makeExchange},
      {"no-barrier-before-end", "out-of-bounds shared-race", makeExchange},
      {"no-initialization-fence", "proxy-fence", makeMulticast},
      {"only-cta-knows-of-barrier", "out-of-bounds", makeArrivals},
      {"count-too-large", "deadlock", makeArrivals},
      {"arrives-at-own", "shared-race uninitialized-memory", makeArrivals},
      {"stored-behind-arrival", "shared-race", makeArrivals},
      {"one-warp-does-not-arrive", "deadlock", makeArrivals},
      {"no-wait-for-arrivals", "uninitialized-memory", makeArrivals},
      {"expects-own-part", "asynchronous-copy shared-race uninitialized-memory",
       makeMulticast},
      {"mask-beyond-cluster", "out-of-bounds", makeMulticast},
      {"mask-without-last", "deadlock", makeMulticast},
      {"parts-overlap", "asynchronous-copy shared-race", makeMulticast},
      {"no-wait-for-loads", "asynchronous-copy uninitialized-memory",
       makeMulticast},
      {"only-cta-knows-of-barrier", "out-of-bounds", makeMulticast},
      {"no-barrier-before-first", "out-of-bounds", makeSums},
      {"no-barrier-behind-first", "shared-race uninitialized-memory", makeSums},
      {"no-barrier-before-second", "shared-race", makeSums},
      {"no-barrier-behind-second", "out-of-bounds shared-race", makeSums},
      {"one-is-left-out", "uninitialized-memory", makeSums},
  };
  std::vector<MistakenProgram> programs;
  for (const Mistake &mistake : mistakes)
    for (unsigned ctas : {2, 4})
      programs.push_back({mistake.name, "clusters of " + number(ctas),
                          mistake.checks, mistake.make(ctas, mistake.name)});
  return programs;
}
