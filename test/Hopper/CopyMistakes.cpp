// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of 1024 bytes to shared memory and back, and what goes wrong there.

#include "test/Hopper/Copies.h"
#include "test/Hopper/Mistakes.h"

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

constexpr unsigned bytes = 1024;

class Writer {
public:
  explicit Writer(const std::string &mistake) : mistake(mistake) {}
  std::string write(const std::string &name);

private:
  bool is(const char *name) const { return mistake == name; }
  void add(const std::string &line) { text += line + "\n"; }
  void addUnless(const char *name, const std::string &line) {
    if (!is(name))
      add(line);
  }
  void writeLoad();
  void writeChange();
  void writeStore();

  const std::string &mistake;
  std::string text;
};

void Writer::writeLoad() {
  add("@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 1024;");
  add(std::string("mov.u32 %size, ") +
      (is("size-no-multiple") ? "1016;" : "1024;"));
  if (is("source-misaligned"))
    add("add.u64 %in, %in, 8;");
  if (is("source-beyond-allocation"))
    add("add.u64 %in, %in, 16;");
  if (is("place-misaligned"))
    add("add.u32 %s, %s, 8;");
  if (is("place-beyond-memory"))
    add("add.u32 %s, %s, 1024;");
  std::string barrier = is("barrier-is-none")         ? "[tile+512]"
                        : is("barrier-is-misaligned") ? "[barrier+4]"
                                                      : "[barrier]";
  std::string load = "@%leader cp.async.bulk.shared::cluster.global.mbarrier::"
                     "complete_tx::bytes [%s], [%in], %size, " +
                     barrier + ";";
  add(load);
  if (is("loaded-twice"))
    add(load);
  if (is("source-written-in-flight"))
    add("@%leader st.global.b32 [%in+128], 0;");
  if (is("source-written-by-other"))
    add("setp.eq.u32 %q, %t, 64;\n@%q st.global.b32 [%in+128], 0;");
  if (is("place-written-in-flight"))
    add("setp.eq.u32 %q, %t, 33;\n@%q st.shared.b32 [tile+64], 0;");
  if (is("barrier-invalidated"))
    add("@%leader mbarrier.inval.shared::cta.b64 [barrier];");
  if (is("barrier-initialized-again"))
    add("@%leader mbarrier.init.shared::cta.b64 [barrier], 1;");
  if (is("never-waited-for"))
    return;
  std::string wait =
      "wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [barrier], " +
      std::string(is("other-parity") ? "1" : "0") + ";\n@!%p bra wait;";
  if (is("tested-once"))
    wait = "mbarrier.test_wait.parity.shared::cta.b64 %p, [barrier], 0;";
  if (is("leader-waits-alone"))
    wait = "@!%leader bra waited;\n" + wait + "\nwaited:";
  add(wait);
}

/// Each thread adds 1 to its words.
void Writer::writeChange() {
  add("mad.lo.u32 %u, %t, 8, %s;\nld.shared.v2.b32 {%v0, %v1}, [%u];\n"
      "add.u32 %v0, %v0, 1;\nadd.u32 %v1, %v1, 1;\n"
      "st.shared.v2.b32 [%u], {%v0, %v1};");
  addUnless("no-proxy-fence",
            is("ordinary-fence") ? "fence.acq_rel.cta;" : "fence.proxy.async;");
  addUnless("no-barrier-before-store",
            is("named-barrier-of-half") ? "bar.arrive 1, 128;" : "bar.sync 0;");
}

void Writer::writeStore() {
  add("mov.u32 %size, " +
      std::string(is("stored-size-no-multiple") ? "1020;" : "1024;"));
  if (is("stored-beyond-allocation"))
    add("add.u64 %out, %out, 512;");
  if (is("stored-misaligned"))
    add("add.u64 %out, %out, 4;");
  add("@%leader cp.async.bulk.global.shared::cta.bulk_group [%out], [%s], "
      "%size;");
  addUnless("no-commit", "@%leader cp.async.bulk.commit_group;");
  if (is("result-read-in-flight"))
    add("@%leader ld.global.b32 %v0, [%out+64];");
  if (is("result-written-in-flight"))
    add("@%leader st.global.b32 [%out+64], 1;");
  if (is("memory-changed-in-flight"))
    add("st.shared.b32 [%u], 0;");
  if (is("loaded-over-store"))
    add("@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 16;\n"
        "@%leader cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
        "bytes [%s], [%in], 16, [barrier];");
  if (is("one-group-left"))
    add("@%leader cp.async.bulk.wait_group 1;");
  else if (is("other-lane-waits"))
    add("setp.eq.u32 %q, %t, 1;\n@%q cp.async.bulk.wait_group 0;");
  else if (is("only-reads-waited-for"))
    add("@%leader cp.async.bulk.wait_group.read 0;\n"
        "@%leader ld.global.b32 %v0, [%out+64];");
  else
    addUnless("no-wait", "@%leader cp.async.bulk.wait_group 0;");
}

std::string Writer::write(const std::string &name) {
  add(".visible .entry " + name +
      "(.param .u64 input, .param .u64 output)\n.reqntid 128, 1, 1\n{\n"
      ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 barrier;\n"
      ".reg .pred %p, %q, %leader;\n.reg .b32 %t, %s, %u, %size, %v<2>;\n"
      ".reg .b64 %in, %out;\n"
      "ld.param.u64 %in, [input];\nld.param.u64 %out, [output];\n"
      "mov.u32 %t, %tid.x;\nmov.u32 %s, tile;\nsetp.eq.u32 %leader, %t, 0;\n"
      "@%leader mbarrier.init.shared::cta.b64 [barrier], 1;");
  addUnless("no-initialization-fence",
            "@%leader fence.mbarrier_init.release.cluster;");
  add("bar.sync 0;");
  if (is("place-written-before"))
    add("setp.eq.u32 %q, %t, 33;\n@%q st.shared.b32 [tile+64], 0;\nbar.sync "
        "0;");
  writeLoad();
  writeChange();
  writeStore();
  add("ret;\n}");
  return text;
}

HopperProgram makeCopy(const std::string &mistake) {
  HopperProgram program;
  program.name = "copies";
  Random random(7);
  for (unsigned i = 0; i < bytes; ++i)
    program.input.push_back(random.below(i % 4 ? 256 : 255));
  program.expected = program.input;
  for (unsigned i = 0; i < bytes; i += 4)
    ++program.expected[i];
  program.text = Writer(mistake).write(program.name);
  return program;
}

} // namespace

HopperProgram hopper::makeRoundTrip() { return makeCopy(""); }

std::vector<MistakenProgram> hopper::copyMistakes() {
  static constexpr std::pair<const char *, const char *> mistakes[] = {
      {"size-no-multiple", "misaligned"},
      {"source-misaligned", "misaligned"},
      {"source-beyond-allocation", "out-of-bounds"},
      {"place-misaligned", "misaligned"},
      {"place-beyond-memory", "out-of-bounds"},
      {"barrier-is-none", "uninitialized-memory"},
      {"barrier-is-misaligned", "misaligned"},
      {"loaded-twice", "asynchronous-copy"},
      {"source-written-in-flight", "asynchronous-copy"},
      {"source-written-by-other", "asynchronous-copy global-race"},
      {"place-written-in-flight", "asynchronous-copy proxy-fence shared-race"},
      {"place-written-before", "proxy-fence"},
      {"barrier-invalidated", "barrier-mismatch shared-race"},
      {"barrier-initialized-again", "barrier-mismatch shared-race"},
      {"never-waited-for", "asynchronous-copy uninitialized-memory"},
      {"other-parity", "asynchronous-copy uninitialized-memory"},
      {"tested-once", "asynchronous-copy shared-race"},
      {"leader-waits-alone", "asynchronous-copy uninitialized-memory"},
      {"no-proxy-fence", "proxy-fence"},
      {"ordinary-fence", "proxy-fence"},
      {"no-barrier-before-store", "shared-race"},
      {"named-barrier-of-half", "proxy-fence shared-race"},
      {"stored-size-no-multiple", "misaligned"},
      {"stored-beyond-allocation", "out-of-bounds"},
      {"stored-misaligned", "misaligned"},
      {"no-commit", "asynchronous-copy"},
      {"result-read-in-flight", "asynchronous-copy"},
      {"result-written-in-flight", "asynchronous-copy"},
      {"memory-changed-in-flight", "proxy-fence shared-race"},
      {"loaded-over-store", "shared-race"},
      {"one-group-left", "asynchronous-copy"},
      {"other-lane-waits", "asynchronous-copy"},
      {"only-reads-waited-for", "asynchronous-copy"},
      {"no-wait", "asynchronous-copy"},
      {"no-initialization-fence", "proxy-fence"},
  };
  std::vector<MistakenProgram> programs;
  for (auto [mistake, checks] : mistakes)
    programs.push_back({mistake, "copies", checks, makeCopy(mistake)});
  for (bool isStore : {false, true})
    programs.push_back({"box-begins-between", isStore ? "stores" : "loads",
                        "misaligned", makeShiftedBox(isStore)});
  for (unsigned dimension : {0, 1, 2})
    programs.push_back({"box-begins-below-0",
                        "stores, dimension " + std::to_string(dimension),
                        "out-of-bounds", makeStoreBelow(dimension)});
  programs.push_back(
      {"box-ends-between", "stores", "out-of-bounds", makeStoreBehind()});
  programs.push_back(
      {"box-of-tf32", "stores", "execution", makeRoundingStore()});
  return programs;
}
