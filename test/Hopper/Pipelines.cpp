// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Hopper/Pipelines.h"

#include "test/Hopper/Mistakes.h"
#include "test/Hopper/Numbers.h"

#include <cstring>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

// D (64 x 32, f32) = A (64 x k) * B (k x 32), bf16, both with k contiguous, in
// tiles of 64 in k: rows of 128 bytes, swizzled.
constexpr unsigned rows = 64, columns = 32, tileK = 64, stepsPerTile = 4;
constexpr unsigned bytesOfA = rows * tileK * 2, bytesOfB = columns * tileK * 2;
constexpr unsigned stageBytes = bytesOfA + bytesOfB;
constexpr unsigned bytesOfD = rows * columns * 4;
constexpr unsigned words = columns / 2;
constexpr unsigned threads = 160;

std::string number(int64_t value) { return std::to_string(value); }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Writes the kernel, with the pipeline's mistake where it belongs.
class Writer {
public:
  explicit Writer(const Pipeline &how) : how(how) {}
  std::string write(const std::string &name);

private:
  bool is(const char *mistake) const { return how.mistake == mistake; }
  void add(const std::string &line) { text += line + "\n"; }
  /// The line, unless it is what the mistake leaves out.
  void addUnless(const char *mistake, const std::string &line) {
    if (!is(mistake))
      add(line);
  }
  std::string full(unsigned tile) const {
    return "[barriers+" + number(16 * (tile % how.stages)) + "]";
  }
  std::string empty(unsigned tile) const {
    return "[barriers+" + number(16 * (tile % how.stages) + 8) + "]";
  }
  unsigned lap(unsigned tile) const { return tile / how.stages & 1; }
  unsigned stage(unsigned tile) const { return tile % how.stages * stageBytes; }
  unsigned resultPlace() const { return how.stages * stageBytes; }

  void writeHead(const std::string &name);
  void writeInitialization();
  void writeWait(const std::string &barrier, unsigned parity);
  void writeProducer();
  void writeLoad(const char *map, unsigned tile, unsigned to);
  void writeConsumer();
  void writeProducts(unsigned tile);
  void writeProduct(unsigned step);
  void writeRelease(unsigned tile);
  void writeEpilogue();
  void writeStore();

  const Pipeline &how;
  std::string text;
  unsigned labels = 0;
};

void Writer::writeHead(const std::string &name) {
  add(".visible .entry " + name +
      "(.param .u64 input, .param .u64 output, .param .align 64 .b8 mapA[128], "
      ".param .align 64 .b8 mapB[128], .param .align 64 .b8 mapD[128])");
  add(".reqntid 160, 1, 1\n{");
  add(".shared .align 1024 .b8 tile[" + number(resultPlace() + bytesOfD) +
      "];");
  add(".shared .align 16 .b8 barriers[" + number(16 * how.stages) + "];");
  add(".reg .pred %p, %q, %leader, %adds, %consumes;");
  add(".reg .b32 %t, %s, %u, %w, %lane, %size, %d<" + number(words) + ">;");
  add(".reg .b64 %x, %out, %mapA, %mapB, %mapD, %da, %db, %ea, %eb;");
  for (const char *map : {"mapA", "mapB", "mapD"})
    add(std::string("mov.b64 %") + map + ", " + map + ";\ncvta.param.u64 %" +
        map + ", %" + map + ";");
  add("ld.param.u64 %out, [output];");
  add("mov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\nand.b32 %lane, %t, 31;");
  add("mov.u32 %s, tile;");
  add("cvt.u64.u32 %da, %s;\nshr.u64 %da, %da, 4;");
  // 8 rows of 128 bytes; the swizzle of 128 bytes.
  add("add.u64 %da, %da, " +
      number(int64_t(uint64_t(1) << 62 | uint64_t(1024 >> 4) << 32 | 1 << 16)) +
      ";");
  add("add.u64 %db, %da, " + number(bytesOfA >> 4) + ";");
}

void Writer::writeInitialization() {
  unsigned arrivals = how.arrivesByWarp ? 4 : 128;
  if (is("empty-count-too-large"))
    ++arrivals;
  // A whole warp.
  if (is("empty-count-too-small"))
    arrivals -= arrivals / 4;
  if (is("store-without-proxy-fence-before-load"))
    add("shl.b32 %u, %t, 4;\nadd.u32 %u, %u, %s;\nst.shared.b32 [%u], 0;");
  add("setp.eq.u32 %leader, %t, 0;");
  for (unsigned i = 0; i < how.stages; ++i) {
    if (!is("full-not-initialized") || i == 0)
      add("@%leader mbarrier.init.shared::cta.b64 " + full(i) + ", " +
          (is("full-count-of-two") ? "2;" : "1;"));
    add("@%leader mbarrier.init.shared::cta.b64 " + empty(i) + ", " +
        number(arrivals) + ";");
  }
  if (is("initialized-twice"))
    add("@%leader mbarrier.init.shared::cta.b64 " + full(0) + ", 1;");
  if (is("fence-of-other-thread"))
    add("setp.eq.u32 %p, %t, 128;\n@%p fence.mbarrier_init.release.cluster;");
  else
    addUnless("no-initialization-fence",
              "@%leader fence.mbarrier_init.release.cluster;");
  addUnless("no-barrier-after-initialization", "bar.sync 0;");
}

void Writer::writeWait(const std::string &barrier, unsigned parity) {
  std::string label = "wait" + number(labels++);
  add(label + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p, " + barrier +
      ", " + number(parity) + ";\n@!%p bra " + label + ";");
}

void Writer::writeLoad(const char *map, unsigned tile, unsigned to) {
  std::string rank = is("wrong-rank") ? "3" : "2";
  std::string coordinates = number(tileK * tile) + ", 0";
  if (is("wrong-rank"))
    coordinates += ", 0";
  add("cp.async.bulk.tensor." + rank +
      "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile+" +
      number(to + (is("misaligned-load") ? 64 : 0)) + "], [" +
      (is("no-map") ? "%out" : map) + ", {" + coordinates + "}], " +
      full(is("load-tells-other-stage") ? tile + 1 : tile) + ";");
}

void Writer::writeProducer() {
  // One thread loads.
  add(is("every-lane-loads") ? "setp.ge.u32 %leader, %t, 128;"
                             : "setp.eq.u32 %leader, %t, 128;");
  add("@!%leader bra end;");
  for (unsigned tile = 0; tile < how.tiles; ++tile) {
    unsigned parity = lap(tile) ^ 1 ^ is("empty-parity-flipped");
    if (is("empty-parity-of-next-lap") && tile >= how.stages)
      parity ^= 1;
    if (!is("no-wait-for-empty"))
      writeWait(empty(tile), parity);
    unsigned bytes = stageBytes;
    if (is("expects-too-many-bytes"))
      bytes += 16;
    if (is("expects-too-few-bytes"))
      bytes -= 16;
    if (is("expects-one-tile"))
      bytes = bytesOfA;
    if (is("expects-beyond-range"))
      bytes = 1 << 20;
    if (is("no-expected-bytes"))
      add("mbarrier.arrive.shared::cta.b64 _, " + full(tile) + ";");
    else if (is("no-arrival-with-bytes"))
      add("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 " + full(tile) +
          ", " + number(bytes) + ";");
    else
      add("mbarrier.arrive.expect_tx.shared::cta.b64 _, " + full(tile) + ", " +
          number(bytes) + ";");
    if (is("arrives-twice"))
      add("mbarrier.arrive.shared::cta.b64 _, " + full(tile) + ";");
    unsigned to = stage(is("loads-into-other-stage") ? tile + 1 : tile);
    writeLoad("%mapA", tile, to);
    if (!is("second-load-forgotten"))
      writeLoad("%mapB", tile,
                is("loads-overlap") ? to + bytesOfA / 2 : to + bytesOfA);
    if (is("invalidates-in-flight"))
      add("mbarrier.inval.shared::cta.b64 " + full(tile) + ";");
  }
  add("bra end;");
}

void Writer::writeProduct(unsigned step) {
  std::string operands;
  for (unsigned i = 0; i < words; ++i)
    operands += (i ? ", %d" : "%d") + number(i);
  add("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {" + operands +
      "}, %ea, %eb, %adds, 1, 1, 0, 0;");
  if (is("other-shape-without-fence") && step == 1)
    add("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, "
        "%d3}, %ea, %eb, %adds, 1, 1, 0, 0;");
}

void Writer::writeProducts(unsigned tile) {
  std::string offset =
      number(stage(is("multiplies-other-stage") ? tile + 1 : tile) >> 4);
  add("add.u64 %ea, %da, " + offset + ";\nadd.u64 %eb, %db, " + offset + ";");
  if (is("descriptor-within-pattern"))
    add("add.u64 %eb, %eb, 8;");
  if (is("descriptor-beyond-memory"))
    add("add.u64 %eb, %eb, 8192;");
  if (is("descriptor-with-reserved-bits"))
    add("or.b64 %eb, %eb, 0x100000000000000;");
  if (is("descriptor-differs-by-warp"))
    add("setp.eq.u32 %q, %w, 1;\n@%q add.u64 %eb, %eb, 2;");
  if (is("descriptor-differs-by-lane"))
    add("setp.eq.u32 %q, %lane, 1;\n@%q add.u64 %eb, %eb, 2;");
  bool isFenced =
      !is("no-wgmma-fence") && !(is("no-wgmma-fence-after-first") && tile > 0);
  if (isFenced)
    add("wgmma.fence.sync.aligned;");
  if (is("accumulator-written-behind-fence") && tile > 0)
    add("add.f32 %d0, %d0, 0f00000000;");
  for (unsigned step = 0; step < stepsPerTile; ++step) {
    add(tile == 0 && step == 0 ? "setp.lt.u32 %adds, %t, 0;"
                               : "setp.ge.u32 %adds, %t, 0;");
    if (is("one-warp-skips-product") && step == 2)
      add("setp.eq.u32 %q, %w, 2;\n@%q bra skip" + number(tile) + ";");
    if (is("adds-differs-by-warp"))
      add("setp.ne.u32 %adds, %w, 3;");
    writeProduct(step);
    if (is("one-warp-skips-product") && step == 2)
      add("skip" + number(tile) + ":");
    if (is("accumulator-read-in-flight") && step == 3)
      add("mov.b32 %u, %d5;\nst.shared.b32 [tile+" + number(resultPlace()) +
          "], %u;");
    if (is("accumulator-written-in-flight") && step == 3)
      add("add.f32 %d3, %d3, 0f3F800000;");
    add("add.u64 %ea, %ea, 2;\nadd.u64 %eb, %eb, 2;");
  }
  addUnless("no-commit", "wgmma.commit_group.sync.aligned;");
  if (is("stage-written-in-flight"))
    add("mad.lo.u32 %u, %t, 4, %s;\nst.shared.b32 [%u+" + number(stage(tile)) +
        "], 0;");
}

void Writer::writeRelease(unsigned tile) {
  bool isSilent = is("no-release") || (is("no-release-of-last-lap") &&
                                       tile == how.tiles - how.stages - 1);
  if (isSilent)
    return;
  std::string arrive =
      "mbarrier.arrive.shared::cta.b64 _, " + empty(tile) + ";";
  if (how.arrivesByWarp)
    add("setp.eq.u32 %q, %lane, 0;\n@%q " + arrive);
  else
    add(arrive);
}

void Writer::writeConsumer() {
  for (unsigned tile = 0; tile < how.tiles; ++tile) {
    unsigned parity = lap(tile) ^ is("full-parity-flipped");
    if (is("full-parity-of-next-lap") && tile >= how.stages)
      parity ^= 1;
    if (is("waits-for-other-full"))
      writeWait(full(tile + 1), parity);
    else if (!is("no-wait-for-full"))
      writeWait(full(tile), parity);
    if (is("one-warp-waits-for-full"))
      text.replace(text.rfind("wait" + number(labels - 1) + ":"), 0,
                   "setp.ne.u32 %q, %w, 0;\n@%q bra go" + number(tile) + ";\n"),
          add("go" + number(tile) + ":");
    writeProducts(tile);
    if (is("released-before-wait"))
      writeRelease(tile);
    bool isLast = tile + 1 == how.tiles;
    unsigned open = isLast ? 0 : how.inFlight;
    if (is("last-wait-leaves-one") && isLast)
      open = 1;
    if (!is("no-wait-for-products") || !isLast)
      add("wgmma.wait_group.sync.aligned " + number(open) + ";");
    if (is("released-before-wait"))
      continue;
    if (is("released-one-too-early") && how.inFlight)
      writeRelease(tile);
    else if (tile >= how.inFlight)
      writeRelease(tile - how.inFlight);
  }
}

void Writer::writeStore() {
  addUnless("no-proxy-fence-before-store",
            is("fence-by-issuer-alone") ? ""
                                        : "fence.proxy.async.shared::cta;");
  if (is("barrier-of-too-few"))
    add("bar.sync 1, 96;");
  else
    addUnless("no-barrier-before-store", "bar.sync 1, 128;");
  add("setp.eq.u32 %leader, %t, 0;");
  if (is("fence-by-issuer-alone"))
    add("@%leader fence.proxy.async.shared::cta;");
  add("@%leader cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
      "[%mapD, {0, 0}], [tile+" +
      number(resultPlace()) + "];");
  addUnless("no-commit-of-store", "@%leader cp.async.bulk.commit_group;");
  if (is("other-thread-waits-for-store"))
    add("setp.eq.u32 %leader, %t, 32;");
  if (is("result-rewritten-before-read"))
    add("st.shared.b32 [%u], 0;");
  if (is("output-read-before-wait"))
    add("@%leader ld.global.b32 %u, [%out];");
  if (is("waits-for-all-but-one"))
    add("@%leader cp.async.bulk.wait_group.read 1;");
  else
    addUnless("no-wait-for-store", "@%leader cp.async.bulk.wait_group.read 0;");
}

/// D's fragments to rows of 128 bytes, which a copy stores.
void Writer::writeEpilogue() {
  // Row 16 * warp + lane / 4, column 2 * (lane % 4).
  add("shr.u32 %u, %lane, 2;\nmad.lo.u32 %u, %w, 16, %u;\n"
      "mul.lo.u32 %u, %u, " +
      number(4 * columns) +
      ";\nand.b32 %size, %lane, 3;\nmad.lo.u32 %u, %size, 8, %u;\n"
      "add.u32 %u, %u, %s;\nadd.u32 %u, %u, " +
      number(resultPlace()) + ";");
  for (unsigned i = 0; i < words; ++i)
    add("st.shared.b32 [%u+" +
        number((i >> 1 & 1) * 8 * 4 * columns + 4 * (i & 1) + 32 * (i >> 2)) +
        "], %d" + number(i) + ";");
  writeStore();
}

std::string Writer::write(const std::string &name) {
  writeHead(name);
  writeInitialization();
  // Consumers first: warps 0 to 3, or 1 to 4.
  add(is("group-not-at-four") ? "setp.ge.u32 %consumes, %w, 1;"
                              : "setp.lt.u32 %consumes, %w, 4;");
  if (is("group-not-at-four"))
    add("@%consumes bra consume;\nadd.u32 %t, %t, 128;");
  else
    add("@%consumes bra consume;");
  writeProducer();
  add("consume:");
  if (is("partial-warp"))
    add("setp.lt.u32 %q, %lane, 16;\n@%q bra end;");
  writeConsumer();
  writeEpilogue();
  add("end:\nret;\n}");
  return text;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TensorMapParameter describe(uint64_t offset, const ElementType &type,
                            uint64_t width, uint64_t height,
                            uint32_t boxWidth) {
  TensorMapParameter map;
  map.offset = offset;
  map.rank = 2;
  // BFLOAT16 or FLOAT32 of CUtensorMapDataType.
  map.dataType = type.bytes == 2 ? 9 : 7;
  map.shape[0] = width, map.shape[1] = height;
  map.strides[0] = width * type.bytes;
  map.box[0] = boxWidth, map.box[1] = height;
  return map;
}

} // namespace

HopperProgram hopper::makePipeline(const Pipeline &pipeline) {
  HopperProgram program;
  program.threads = threads;
  program.name = "pipeline_s" + number(pipeline.stages) + "_t" +
                 number(pipeline.tiles) + "_f" + number(pipeline.inFlight) +
                 (pipeline.arrivesByWarp ? "_w" : "") +
                 (pipeline.fencesOnce ? "_o" : "");
  unsigned k = pipeline.tiles * tileK;
  Random random(k + pipeline.stages);
  std::vector<int> a(rows * k), b(columns * k);
  for (std::vector<int> *matrix : {&a, &b})
    for (int &value : *matrix) {
      value = int(random.below(9)) - 4;
      uint32_t bits = encode(bf16, value);
      program.input.push_back(bits);
      program.input.push_back(bits >> 8);
    }
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      int sum = 0;
      for (unsigned i = 0; i < k; ++i)
        sum += a[row * k + i] * b[column * k + i];
      uint32_t bits = encode(f32, sum);
      for (unsigned byte = 0; byte < 4; ++byte)
        program.expected.push_back(bits >> 8 * byte);
    }
  program.maps = {describe(0, bf16, k, rows, tileK),
                  describe(rows * k * 2, bf16, k, columns, tileK),
                  describe(0, f32, columns, rows, columns)};
  program.maps[0].swizzle = program.maps[1].swizzle = 3;
  program.maps[2].isOfOutput = true;
  program.text = Writer(pipeline).write(program.name);
  return program;
}

std::vector<HopperProgram> hopper::allPipelines() {
  std::vector<HopperProgram> programs;
  for (unsigned stages : {2, 3})
    for (unsigned tiles : {1, 2, 3, 5, 8})
      for (unsigned inFlight : {0, 1})
        for (bool arrivesByWarp : {false, true})
          programs.push_back(
              makePipeline({stages, tiles, inFlight, arrivesByWarp,
                            /*fencesOnce=*/tiles == 5, ""}));
  return programs;
}

std::vector<MistakenProgram> hopper::pipelineMistakes() {
  static constexpr std::pair<const char *, const char *> mistakes[] = {
      {"no-initialization-fence", "proxy-fence"},
      {"fence-of-other-thread", "proxy-fence"},
      {"no-barrier-after-initialization", "shared-race uninitialized-memory"},
      {"full-not-initialized", "uninitialized-memory"},
      {"initialized-twice", "barrier-mismatch"},
      {"full-count-of-two", "deadlock"},
      {"empty-count-too-large", "deadlock"},
      {"empty-count-too-small", "asynchronous-copy shared-race"},
      {"expects-too-many-bytes", "deadlock"},
      {"expects-too-few-bytes", "deadlock"},
      {"expects-one-tile", "asynchronous-copy shared-race"},
      {"expects-beyond-range", "barrier-mismatch"},
      {"no-expected-bytes", "asynchronous-copy shared-race"},
      {"no-arrival-with-bytes", "deadlock"},
      {"arrives-twice", "barrier-mismatch"},
      {"empty-parity-flipped", "deadlock"},
      {"empty-parity-of-next-lap", "barrier-mismatch"},
      {"no-wait-for-empty", "barrier-mismatch"},
      {"full-parity-flipped", "asynchronous-copy deadlock"},
      {"full-parity-of-next-lap", "asynchronous-copy deadlock shared-race"},
      {"waits-for-other-full", "asynchronous-copy shared-race"},
      {"no-wait-for-full", "asynchronous-copy uninitialized-register"},
      {"one-warp-waits-for-full", "asynchronous-copy uninitialized-memory"},
      {"no-release", "deadlock"},
      {"no-release-of-last-lap", "deadlock"},
      {"released-before-wait", "shared-race"},
      {"released-one-too-early", "shared-race"},
      {"wrong-rank", "execution"},
      {"misaligned-load", "misaligned"},
      {"no-map", "execution"},
      {"every-lane-loads", "barrier-mismatch"},
      {"load-tells-other-stage", "asynchronous-copy shared-race"},
      {"loads-into-other-stage", "asynchronous-copy shared-race"},
      {"loads-overlap", "asynchronous-copy"},
      {"second-load-forgotten", "deadlock"},
      {"invalidates-in-flight", "asynchronous-copy shared-race"},
      {"store-without-proxy-fence-before-load", "proxy-fence"},
      {"multiplies-other-stage", "asynchronous-copy shared-race"},
      {"descriptor-within-pattern", "misaligned"},
      {"descriptor-beyond-memory", "out-of-bounds"},
      {"descriptor-with-reserved-bits", "misaligned"},
      {"descriptor-differs-by-warp", "divergence misaligned"},
      {"descriptor-differs-by-lane", "divergence"},
      {"no-wgmma-fence", "asynchronous-product"},
      {"accumulator-written-behind-fence", "asynchronous-product"},
      {"accumulator-read-in-flight", "asynchronous-product"},
      {"accumulator-written-in-flight", "asynchronous-product"},
      {"other-shape-without-fence", "asynchronous-product"},
      {"one-warp-skips-product", "divergence"},
      {"adds-differs-by-warp", "divergence"},
      {"partial-warp", "divergence"},
      {"group-not-at-four", "divergence"},
      {"stage-written-in-flight", "proxy-fence shared-race"},
      {"no-commit", "shared-race"},
      {"no-wait-for-products", "asynchronous-product"},
      {"last-wait-leaves-one", "asynchronous-product"},
      {"no-proxy-fence-before-store", "proxy-fence"},
      {"fence-by-issuer-alone", "proxy-fence"},
      {"no-barrier-before-store",
       "proxy-fence shared-race uninitialized-memory"},
      {"barrier-of-too-few", "deadlock proxy-fence uninitialized-memory"},
      {"no-commit-of-store", "asynchronous-copy"},
      {"other-thread-waits-for-store", "asynchronous-copy"},
      {"result-rewritten-before-read", "proxy-fence shared-race"},
      {"output-read-before-wait", "asynchronous-copy"},
      {"waits-for-all-but-one", "asynchronous-copy"},
      {"no-wait-for-store", "asynchronous-copy"},
  };
  std::vector<MistakenProgram> programs;
  for (auto [mistake, checks] : mistakes)
    for (unsigned stages : {2, 3})
      for (unsigned inFlight : {0, 1}) {
        // Only where one is in flight is there one too early.
        if (std::string_view(mistake) == "released-one-too-early" && !inFlight)
          continue;
        Pipeline pipeline = {stages,
                             /*tiles=*/5,
                             inFlight,
                             /*arrivesByWarp=*/inFlight != 0,
                             /*fencesOnce=*/false,
                             mistake};
        programs.push_back(
            {mistake,
             number(stages) + " stages, " + number(inFlight) + " in flight",
             checks, makePipeline(pipeline)});
      }
  return programs;
}
