// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Hopper/RegisterLoops.h"

#include "test/Hopper/Mistakes.h"
#include "test/Hopper/Numbers.h"

#include <cstring>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

// D (64 x 32, f32) = A * B, f16, in steps of 16 in k. B stands without a
// swizzle: core matrices of 8 columns by 8 in k, those of one step together.
constexpr unsigned rows = 64, columns = 32, stepK = 16;
constexpr unsigned stepBytes = columns * stepK * 2;
constexpr unsigned words = columns / 2;

std::string number(int64_t value) { return std::to_string(value); }

class Writer {
public:
  Writer(unsigned steps, const std::string &mistake)
      : steps(steps), mistake(mistake) {}
  std::string write(const std::string &name);

private:
  bool is(const char *name) const { return mistake == name; }
  void add(const std::string &line) { text += line + "\n"; }
  void addUnless(const char *name, const std::string &line) {
    if (!is(name))
      add(line);
  }
  unsigned bytesOfB() const { return steps * stepBytes; }
  /// Of the registers of A in a step.
  std::string set(unsigned step) const {
    return is("one-set-of-factors") || step % 2 == 0 ? "%a" : "%b";
  }

  void writeHead(const std::string &name);
  void writeCopies();
  void writeFactors(unsigned step);
  void writeStep(unsigned step);
  void writeResult();

  unsigned steps;
  const std::string &mistake;
  std::string text;
};

void Writer::writeHead(const std::string &name) {
  add(".visible .entry " + name +
      "(.param .u64 input, .param .u64 output)\n.reqntid 128, 1, 1\n{");
  add(".shared .align 1024 .b8 tile[" + number(bytesOfB()) + "];");
  add(".reg .pred %p, %q, %adds;\n.reg .b32 %t, %s, %o, %u, %w, %lane, "
      "%a<4>, %b<4>, %d<" +
      number(words) + ">;\n.reg .b64 %x, %in, %out, %factors, %db, %unset;");
  add("ld.param.u64 %in, [input];\nld.param.u64 %out, [output];");
  add("mov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\nand.b32 %lane, %t, 31;\n"
      "mov.u32 %s, tile;");
  add("mad.wide.u32 %factors, %t, 16, %in;\nadd.u64 %factors, %factors, " +
      number(bytesOfB()) + ";");
  // 128 bytes between the core matrices of one column group, 256 between
  // groups.
  add("cvt.u64.u32 %db, %s;\nshr.u64 %db, %db, 4;\nadd.u64 %db, %db, " +
      number(int64_t(uint64_t(256 >> 4) << 32 | (128 >> 4) << 16)) + ";");
}

/// B, 16 bytes of each thread at a time.
void Writer::writeCopies() {
  unsigned bytes = is("half-of-b-is-copied") ? bytesOfB() / 2 : bytesOfB();
  add("shl.b32 %o, %t, 4;\ncopy:\nsetp.ge.u32 %p, %o, " + number(bytes) +
      ";\n@%p bra copied;\ncvt.u64.u32 %x, %o;\nadd.u64 %x, %x, %in;\n"
      "add.u32 %u, %s, %o;\n"
      "cp.async.cg.shared.global [%u], [%x], 16;\n"
      "add.u32 %o, %o, 2048;\nbra copy;\ncopied:\ncp.async.commit_group;");
  if (is("proxy-fence-before-wait"))
    add("fence.proxy.async.shared::cta;");
  addUnless("copies-not-waited-for", "cp.async.wait_group 0;");
  bool isEarly = !is("no-proxy-fence") && !is("proxy-fence-before-wait") &&
                 !is("proxy-fence-behind-barrier");
  if (is("proxy-fence-of-global-memory"))
    add("fence.proxy.async.global;");
  else if (is("proxy-fence-of-one-warp"))
    add("setp.eq.u32 %q, %w, 0;\n@%q fence.proxy.async.shared::cta;");
  else if (isEarly)
    add("fence.proxy.async.shared::cta;");
  addUnless("no-barrier-after-copies", is("warp-barrier-after-copies")
                                           ? "bar.warp.sync -1;"
                                           : "bar.sync 0;");
  if (is("proxy-fence-behind-barrier"))
    add("fence.proxy.async.shared::cta;");
  if (is("b-written-behind-barrier"))
    add("setp.eq.u32 %q, %t, 40;\n@%q st.shared.b32 [tile+64], 0;");
}

void Writer::writeFactors(unsigned step) {
  if (is("factors-not-loaded") && step == 1)
    return;
  for (unsigned i = 0; i < 4; ++i)
    add("ld.global.b32 " + set(step) + number(i) + ", [%factors+" +
        number(2048 * step + 4 * i) + "];");
}

void Writer::writeStep(unsigned step) {
  bool isLate = is("factors-written-behind-fence");
  if (!isLate)
    writeFactors(step);
  if (is("one-warp-fences-less") && step == 1)
    add("setp.eq.u32 %q, %w, 3;\n@%q bra unfenced;");
  if (!is("no-fence-behind-factors") || step == 0)
    add("wgmma.fence.sync.aligned;");
  if (is("one-warp-fences-less") && step == 1)
    add("unfenced:");
  if (isLate)
    writeFactors(step);
  add(step ? "setp.ge.u32 %adds, %t, 0;" : "setp.lt.u32 %adds, %t, 0;");
  if (is("adds-differs-by-lane"))
    add("setp.ge.u32 %adds, %lane, 16;");
  std::string d, a = set(step);
  for (unsigned i = 0; i < words; ++i)
    d += (i ? ", %d" : "%d") + number(i);
  std::string factors = a + "0, " + a + "1, " + a + "2, " + a + "3";
  if (is("accumulators-are-factors") && step == 1)
    factors = "%b0, %b1, %b2, %d3";
  if (is("one-lane-is-left-out") && step == 1)
    add("setp.ne.u32 %q, %t, 77;");
  add(std::string(is("one-lane-is-left-out") && step == 1 ? "@%q " : "") +
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {" + d + "}, {" +
      factors + "}, " + (is("descriptor-never-written") ? "%unset" : "%db") +
      ", %adds, 1, 1, 0;");
  if (is("one-warp-commits-less") && step == 1)
    add("setp.eq.u32 %q, %w, 0;\n@%q bra uncommitted;");
  if (!is("no-commit-of-last") || step + 1 < steps)
    add("wgmma.commit_group.sync.aligned;");
  if (is("one-warp-commits-less") && step == 1)
    add("uncommitted:");
  if (is("factor-written-in-flight") && step == 0)
    add("mov.b32 " + a + "2, 0;");
  if (is("b-written-in-flight") && step == 0)
    add("setp.eq.u32 %q, %t, 0;\n@%q st.shared.b32 [tile], 0;");
  if (is("atomic-on-b-in-flight") && step == 0)
    add("setp.eq.u32 %q, %t, 0;\n@%q red.shared.add.u32 [tile+4], 1;");
  if (is("copy-to-b-in-flight") && step == 0)
    add("setp.eq.u32 %q, %t, 0;\n@%q cp.async.ca.shared.global [tile+16], "
        "[%in], 4;\ncp.async.wait_all;");
  // The next step loads the other set; the one behind it this one.
  add("wgmma.wait_group.sync.aligned 1;");
  add("add.u64 %db, %db, " + number(stepBytes >> 4) + ";");
}

void Writer::writeResult() {
  if (is("result-stored-in-flight"))
    add("st.global.b32 [%out], %d0;");
  if (is("accumulator-steers-in-flight"))
    add("setp.eq.b32 %q, %d4, 0;\n@%q bra odd;\nodd:");
  if (is("one-warp-does-not-wait"))
    add("setp.eq.u32 %q, %w, 1;\n@%q bra unwaited;");
  addUnless("no-last-wait", "wgmma.wait_group.sync.aligned 0;");
  if (is("one-warp-does-not-wait"))
    add("unwaited:");
  add("mad.wide.u32 %x, %t, " + number(4 * words) + ", %out;");
  for (unsigned i = 0; i < words; ++i)
    add("st.global.b32 [%x+" + number(4 * i) + "], %d" + number(i) + ";");
}

std::string Writer::write(const std::string &name) {
  writeHead(name);
  writeCopies();
  for (unsigned step = 0; step < steps; ++step)
    writeStep(step);
  writeResult();
  add("ret;\n}");
  return text;
}

void put(std::vector<uint8_t> &bytes, uint64_t offset, uint32_t value,
         unsigned size) {
  if (bytes.size() < offset + size)
    bytes.resize(offset + size);
  std::memcpy(&bytes[offset], &value, size);
}

} // namespace

HopperProgram hopper::makeRegisterLoop(unsigned steps,
                                       const std::string &mistake) {
  HopperProgram program;
  program.name = "registers_t" + number(steps);
  unsigned k = steps * stepK;
  Random random(steps);
  std::vector<int> a(rows * k), b(columns * k);
  for (std::vector<int> *matrix : {&a, &b})
    for (int &value : *matrix)
      value = int(random.below(9)) - 4;
  for (unsigned column = 0; column < columns; ++column)
    for (unsigned i = 0; i < k; ++i)
      put(program.input,
          i / stepK * stepBytes + column / 8 * 256 + i % stepK / 8 * 128 +
              column % 8 * 16 + i % 8 * 2,
          encode(f16, b[column * k + i]), 2);
  // Fragments: 4 registers of each thread for each step.
  for (unsigned step = 0; step < steps; ++step)
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned element = 0; element < 8; ++element) {
        unsigned lane = thread % 32, index = element / 2;
        unsigned row = 16 * (thread / 32) + lane / 4 + 8 * (index & 1);
        unsigned at = lane % 4 * 2 + element % 2 + 8 * (index >> 1);
        put(program.input,
            steps * stepBytes + 2048 * step + 16 * thread + 2 * element,
            encode(f16, a[row * k + step * stepK + at]), 2);
      }
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < words; ++i) {
      unsigned lane = thread % 32;
      unsigned row = 16 * (thread / 32) + lane / 4 + 8 * (i >> 1 & 1);
      unsigned column = 2 * (lane % 4) + (i & 1) + 8 * (i >> 2);
      int sum = 0;
      for (unsigned at = 0; at < k; ++at)
        sum += a[row * k + at] * b[column * k + at];
      put(program.expected, 4 * (thread * words + i), encode(f32, sum), 4);
    }
  program.text = Writer(steps, mistake).write(program.name);
  return program;
}

std::vector<HopperProgram> hopper::allRegisterLoops() {
  std::vector<HopperProgram> programs;
  for (unsigned steps : {1, 2, 3, 4, 8})
    programs.push_back(makeRegisterLoop(steps, ""));
  return programs;
}

std::vector<MistakenProgram> hopper::registerLoopMistakes() {
  static constexpr std::pair<const char *, const char *> mistakes[] = {
      {"copies-not-waited-for", "asynchronous-copy"},
      {"no-proxy-fence", "proxy-fence"},
      {"proxy-fence-before-wait", "proxy-fence"},
      {"proxy-fence-behind-barrier", "proxy-fence"},
      {"proxy-fence-of-global-memory", "proxy-fence"},
      {"proxy-fence-of-one-warp", "proxy-fence"},
      {"no-barrier-after-copies",
       "asynchronous-copy proxy-fence shared-race uninitialized-memory"},
      {"warp-barrier-after-copies",
       "asynchronous-copy proxy-fence uninitialized-memory"},
      {"b-written-behind-barrier", "proxy-fence shared-race"},
      {"half-of-b-is-copied", "uninitialized-register"},
      {"one-set-of-factors", "asynchronous-product"},
      {"factors-not-loaded", "uninitialized-register"},
      {"factors-written-behind-fence", "asynchronous-product"},
      {"no-fence-behind-factors", "asynchronous-product"},
      {"factor-written-in-flight", "asynchronous-product"},
      {"accumulators-are-factors", "asynchronous-product"},
      {"adds-differs-by-lane", "divergence"},
      {"one-lane-is-left-out", "divergence"},
      {"descriptor-never-written", "uninitialized-register"},
      {"one-warp-fences-less", "asynchronous-product divergence"},
      {"one-warp-commits-less", "asynchronous-product divergence"},
      {"one-warp-does-not-wait", "asynchronous-product"},
      {"no-commit-of-last", "asynchronous-product"},
      {"no-last-wait", "asynchronous-product"},
      {"result-stored-in-flight", "asynchronous-product"},
      {"accumulator-steers-in-flight", "asynchronous-product"},
      {"b-written-in-flight", "shared-race"},
      {"atomic-on-b-in-flight", "shared-race"},
      {"copy-to-b-in-flight", "shared-race"},
  };
  std::vector<MistakenProgram> programs;
  for (auto [mistake, checks] : mistakes)
    for (unsigned steps : {2, 4})
      programs.push_back({mistake, number(steps) + " steps", checks,
                          makeRegisterLoop(steps, mistake)});
  return programs;
}
