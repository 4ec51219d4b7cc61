// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that a kernel makes itself: the same as the host's, and each
// mistake on the way reported.

#include "lib/Judges/Emulator/Machine/Launch.h"
#include "lib/Judges/Emulator/Machine/TensorMapObject.h"

#include "gtest/gtest.h"

#include <cstring>
#include <functional>

using namespace tilewright::emulator;

namespace {

std::string number(uint64_t value) { return std::to_string(value); }

constexpr uint32_t tensorBytes = 16384, outputBytes = 4096, scratchBytes = 8192;

/// The parts of a kernel of two warps, lines of PTX that a test may change. The
/// first warp makes a map at %map of zeros in `object`, and thread 0 loads a
/// box by it to `tile`, which goes to the output.
struct Parts {
  std::string zero, replace, copy, order, acquire, load, behind;
  /// Where %map points to, from the scratch memory's begin.
  uint32_t place = 0;
  /// Of the box.
  uint64_t bytes = 0;
};

/// "[object]" of shared memory, or "[%map]" of global memory.
struct Object {
  const char *space = "shared::cta", *operand = "[object]";
};

/// A line that replaces a field, with what is behind the address.
std::string replaceField(const std::string &field, const std::string &values,
                         const Object &object = {}) {
  bool isWide = field == "global_address" || field == "global_stride";
  return "@%leader tensormap.replace.tile." + field + "." + object.space +
         ".b1024." + (isWide ? "b64 " : "b32 ") + object.operand + ", " +
         values + ";\n";
}

/// All fields of a map of the tensor at %in. `elementType` is PTX's.
std::string replaceAll(const TensorMap &map, uint32_t elementType,
                       const Object &object = {}) {
  std::string text = replaceField("global_address", "%in", object) +
                     replaceField("rank", number(map.rank - 1), object);
  for (unsigned i = 0; i < map.rank; ++i) {
    std::string ordinal = number(i) + ", ";
    text += replaceField("box_dim", ordinal + number(map.box[i]), object) +
            replaceField("global_dim", ordinal + number(map.shape[i]), object) +
            replaceField("element_stride",
                         ordinal + number(map.elementStrides[i]), object);
    if (i + 1 < map.rank)
      text += replaceField("global_stride", ordinal + number(map.strides[i]),
                           object);
  }
  return text + replaceField("elemtype", number(elementType), object) +
         replaceField("interleave_layout", "0", object) +
         replaceField("swizzle_mode", number(map.swizzle), object) +
         replaceField("fill_mode", number(map.fill), object);
}

std::string loadBox(const TensorMap &map) {
  std::string coordinates = number(16 / map.elementBytes());
  for (unsigned i = 1; i < map.rank; ++i)
    coordinates += ", -1";
  return "@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], " +
         number(map.boxBytes()) + ";\n@%leader cp.async.bulk.tensor." +
         number(map.rank) +
         "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], "
         "[%map, {" +
         coordinates + "}], [barrier];\n";
}

constexpr const char *copyObject =
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu."
    "sync.aligned [%map], [object], 128;\n";
constexpr const char *acquireMap =
    "@%leader fence.proxy.tensormap::generic.acquire.gpu [%map], 128;\n";
constexpr const char *waitForBox =
    "wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [barrier], 0;\n"
    "@!%p bra wait;\n";

Parts correctParts(const TensorMap &map, uint32_t elementType) {
  return {.zero = "st.shared.b32 [%mine], 0;\nbar.warp.sync 0xffffffff;\n",
          .replace =
              replaceAll(map, elementType) + "bar.warp.sync 0xffffffff;\n",
          .copy = copyObject,
          .order = "bar.sync 0;\n",
          .acquire = acquireMap,
          .load = loadBox(map),
          .behind = waitForBox,
          .bytes = map.boxBytes()};
}

std::string write(const Parts &parts) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k(.param .u64 input, .param .u64 output, "
         ".param .u64 scratch)\n.reqntid 64, 1, 1\n{\n"
         ".shared .align 1024 .b8 tile[4096];\n"
         ".shared .align 128 .b8 object[256];\n"
         ".shared .align 8 .b64 barrier;\n"
         ".local .align 128 .b8 local[128];\n"
         ".reg .pred %p, %leader, %second;\n.reg .b32 %t, %mine, %s, %o, %v;\n"
         ".reg .b64 %x, %in, %out, %map;\n"
         "ld.param.u64 %in, [input];\nld.param.u64 %out, [output];\n"
         "ld.param.u64 %map, [scratch];\nadd.u64 %map, %map, " +
         number(parts.place) +
         ";\nmov.u32 %v, %ctaid.x;\nmad.wide.u32 %map, %v, 128, %map;\n"
         "mov.u32 %t, %tid.x;\nsetp.eq.u32 %leader, %t, 0;\n"
         "setp.ge.u32 %second, %t, 32;\nshl.b32 %o, %t, 2;\n"
         "mov.u32 %s, object;\nadd.u32 %mine, %s, %o;\n"
         "@%leader mbarrier.init.shared::cta.b64 [barrier], 1;\n"
         "@%leader fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
         "@%second bra made;\n" +
         parts.zero + parts.replace + parts.copy + "made:\n" + parts.order +
         parts.acquire + parts.load + parts.behind +
         "mov.u32 %s, tile;\nwords:\nsetp.ge.u32 %p, %o, " +
         number(parts.bytes) +
         ";\n@%p bra done;\ncvt.u64.u32 %x, %o;\nadd.u64 %x, %x, %out;\n"
         "add.u32 %v, %s, %o;\nld.shared.b32 %v, [%v];\n"
         "st.global.b32 [%x], %v;\nadd.u32 %o, %o, 256;\nbra words;\ndone:\n"
         "ret;\n}\n";
}

/// What a kernel did.
struct MapRun {
  std::string error;
  std::vector<Fault> faults;
  std::vector<uint8_t> output;
  /// What is at the map's place, and what the host makes of it.
  uint8_t made[TensorMap::bytes] = {}, expected[TensorMap::bytes] = {};
};

struct MapLaunch {
  /// The host's map is in the scratch memory before.
  bool isHostMade = false;
  uint64_t seed = 0;
  /// Each makes its own map, behind the one before.
  uint32_t ctas = 1;
};

/// Runs a kernel; `map` gets the tensor's address.
MapRun run(const Parts &parts, TensorMap map, const MapLaunch &how = {}) {
  std::string text = write(parts);
  uint32_t place = parts.place;
  MapRun result;
  GlobalMemory memory;
  SyntaxError error;
  auto program = Program::create(text, memory, error);
  if (!program) {
    result.error = number(error.location.line) + ": " + error.message;
    return result;
  }
  std::vector<uint8_t> content(tensorBytes);
  for (uint32_t i = 0; i < tensorBytes; ++i)
    content[i] = i * 7 + i / 256;
  uint64_t addresses[3] = {memory.allocate(tensorBytes),
                           memory.allocate(outputBytes),
                           memory.allocate(scratchBytes)};
  memory.write(addresses[0], content.data(), tensorBytes);
  map.address = addresses[0];
  encodeTensorMap(map, result.expected);
  if (how.isHostMade)
    memory.write(addresses[2] + place, result.expected, TensorMap::bytes);
  std::vector<uint8_t> parameters(sizeof(addresses));
  std::memcpy(parameters.data(), addresses, sizeof(addresses));
  LaunchOptions options;
  options.grid = {how.ctas, 1, 1};
  options.block = {64, 1, 1};
  options.hostThreads = how.ctas;
  options.seed = how.seed;
  options.maximumSteps = 100000;
  LaunchResult launched =
      launch(*program->find("k"), parameters, memory, options);
  result.faults = std::move(launched.faults);
  result.output.resize(outputBytes);
  memory.read(addresses[1], result.output.data(), outputBytes);
  memory.read(addresses[2] + place, result.made, TensorMap::bytes);
  return result;
}

void expectClean(const MapRun &run) {
  EXPECT_EQ(run.error, "");
  for (const Fault &fault : run.faults)
    ADD_FAILURE() << fault.location.line << ": " << fault.message;
}

/// The first fault is of `check` and says `words`.
void expectFault(const MapRun &run, Check check, const std::string &words) {
  EXPECT_EQ(run.error, "");
  ASSERT_FALSE(run.faults.empty()) << "expects: " << words;
  EXPECT_EQ(run.faults[0].check, check) << run.faults[0].message;
  EXPECT_NE(run.faults[0].message.find(words), std::string::npos)
      << run.faults[0].message << "\nexpects: " << words;
}

//===----------------------------------------------------------------------===//
// Correct kernels
//===----------------------------------------------------------------------===//

/// tensormap.replace's elemtype, and the driver's number.
struct ElementType {
  uint32_t ptx, driver;
};
constexpr ElementType elementTypes[] = {
    {0, 0}, {1, 1}, {2, 2},  {3, 3},  {4, 4},   {5, 5},  {6, 6},
    {7, 7}, {9, 8}, {10, 9}, {8, 10}, {11, 11}, {12, 12}};
constexpr ElementType half = {6, 6};

TensorMap makeMap(unsigned rank, ElementType type, uint32_t swizzle) {
  TensorMap map;
  map.rank = rank;
  map.dataType = type.driver;
  map.swizzle = swizzle;
  uint32_t bytes = map.elementBytes();
  map.box = {(16u << swizzle) / bytes, 5, 3, 1, 1};
  map.shape = {256 / bytes, 7, 4, 1, 1};
  map.strides = {256, 2048, 0, 0};
  map.elementStrides[1] = 2;
  for (unsigned i = rank; i < TensorMap::maximumRank; ++i)
    map.box[i] = map.shape[i] = map.elementStrides[i] = 1;
  map.fill = type.driver >= 6 && type.driver != 11;
  return map;
}

void expectSame(const MapRun &made, const MapRun &expected) {
  EXPECT_EQ(std::memcmp(made.made, made.expected, sizeof(made.made)), 0);
  EXPECT_TRUE(made.output == expected.output);
}

/// The same kernel with the host's map in its place.
MapRun runHosts(Parts parts, const TensorMap &map) {
  parts.zero = parts.replace = parts.copy = parts.acquire = "";
  return run(parts, map, {.isHostMade = true});
}

TEST(TensorMap, MadeByAKernelIsTheHosts) {
  for (unsigned rank : {2, 3})
    for (ElementType type : elementTypes)
      for (uint32_t swizzle : {0, 1, 2, 3})
        for (uint64_t seed : {0, 5}) {
          SCOPED_TRACE(number(rank) + "d, type " + number(type.ptx) +
                       ", swizzle " + number(swizzle));
          TensorMap map = makeMap(rank, type, swizzle);
          Parts parts = correctParts(map, type.ptx);
          MapRun made = run(parts, map, {.seed = seed});
          MapRun expected = runHosts(parts, map);
          expectSame(made, expected);
          // What the emulator cannot copy by.
          if (!map.findUnsupported().empty()) {
            expectFault(made, Check::Execution, "how copies convert");
            continue;
          }
          expectClean(made);
          EXPECT_TRUE(expected.output !=
                      std::vector<uint8_t>(outputBytes, 0xcd));
        }
}

/// The warp that has copied it needs no barrier.
TEST(TensorMap, UsedRightBehindTheCopy) {
  TensorMap map = makeMap(2, half, 2);
  Parts parts = correctParts(map, half.ptx);
  parts.order = "";
  parts.load = "@%leader cp.async.bulk.prefetch.tensor.2d.L2.global.tile "
               "[%map, {0, 0}];\n" +
               parts.load;
  for (uint64_t seed : {0, 1, 2, 3}) {
    MapRun made = run(parts, map, {.seed = seed});
    expectClean(made);
    expectSame(made, runHosts(parts, map));
  }
}

TEST(TensorMap, MadeByEachCta) {
  TensorMap map = makeMap(3, half, 2);
  Parts parts = correctParts(map, half.ptx);
  MapRun made = run(parts, map, {.ctas = 7});
  expectClean(made);
  expectSame(made, runHosts(parts, map));
  // Another CTA's is written by nobody who is known to be done.
  parts.acquire += "add.u64 %map, %map, 128;\n";
  EXPECT_FALSE(run(parts, map, {.ctas = 7}).faults.empty());
}

TEST(TensorMap, MadeInGlobalMemory) {
  TensorMap map = makeMap(2, half, 2);
  Parts parts = correctParts(map, half.ptx);
  // Across a page of 4096 bytes, and no multiple of 128.
  parts.place = 4096 - 64;
  parts.zero = "cvt.u64.u32 %x, %o;\nadd.u64 %x, %x, %map;\n"
               "st.global.b32 [%x], 0;\nbar.warp.sync 0xffffffff;\n";
  for (Object object : {Object{"global", "[%map]"}}) {
    parts.replace = replaceAll(map, half.ptx, object);
    parts.copy = "@%leader fence.proxy.tensormap::generic.release.cta;\n";
    MapRun made = run(parts, map);
    expectClean(made);
    expectSame(made, runHosts(parts, map));
  }
  // By generic addresses, of global and shared memory.
  Parts generic = correctParts(map, half.ptx);
  generic.replace = "cvt.u64.u32 %x, %s;\ncvta.shared.u64 %x, %x;\n" +
                    replaceAll(map, half.ptx, {"generic", "[%x]"}) +
                    "bar.warp.sync 0xffffffff;\n";
  for (size_t at; (at = generic.replace.find(".generic")) != std::string::npos;)
    generic.replace.erase(at, 8);
  MapRun made = run(generic, map);
  expectClean(made);
  expectSame(made, runHosts(generic, map));
}

/// What becomes of the host's map when the kernel changes a field.
TEST(TensorMap, ChangedInPlace) {
  TensorMap map = makeMap(2, half, 0), changed = map;
  changed.shape[1] = 3;
  Parts parts = correctParts(map, half.ptx);
  MapRun expected = runHosts(parts, changed);
  parts.zero = "";
  parts.replace = replaceField("global_dim", "1, 3", {"global", "[%map]"});
  parts.copy = "@%leader fence.proxy.tensormap::generic.release.gpu;\n";
  MapRun made = run(parts, map, {.isHostMade = true});
  expectClean(made);
  EXPECT_TRUE(made.output == expected.output);
  EXPECT_TRUE(made.output != runHosts(parts, map).output);
}

/// A second map at the same place, when nothing uses the first any more.
TEST(TensorMap, ReplacedAfterItsUse) {
  TensorMap map = makeMap(2, half, 0);
  Parts parts = correctParts(map, half.ptx);
  std::string again =
      "@%second bra again;\n" + replaceField("global_dim", "1, 3") +
      "bar.warp.sync 0xffffffff;\n" + copyObject + "again:\nbar.sync 0;\n";
  parts.behind += again + acquireMap;
  expectClean(run(parts, map));
  // A store uses it until it is known to have read.
  std::string store =
      "@%leader cp.async.bulk.tensor.2d.global.shared::cta.tile."
      "bulk_group [%map, {8, 0}], [tile];\n"
      "@%leader cp.async.bulk.commit_group;\n";
  std::string prefetch =
      "@%leader cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%map, {0, 0}]"
      ";\n";
  parts.behind = waitForBox + prefetch + store +
                 "@%leader cp.async.bulk.wait_group.read 0;\n" + again;
  expectClean(run(parts, map));
  parts.behind =
      waitForBox + store + again + "@%leader cp.async.bulk.wait_group 0;\n";
  expectFault(run(parts, map), Check::AsynchronousCopy, "may still read");
  // The new one must be acquired too.
  parts.behind = waitForBox + again + prefetch;
  expectFault(run(parts, map), Check::ProxyFence, "has not acquired since");
  parts.behind = waitForBox + again + acquireMap + prefetch;
  expectClean(run(parts, map));
}

/// A prefetch shows nowhere, but uses the map.
TEST(TensorMap, Prefetched) {
  TensorMap map = makeMap(2, half, 0);
  for (const char *mode : {"", ".tile"}) {
    Parts parts = correctParts(map, half.ptx);
    parts.load = std::string("@%leader cp.async.bulk.prefetch.tensor.2d.L2."
                             "global") +
                 mode + " [%map, {0, 0}];\n" + parts.load;
    MapRun made = run(parts, map);
    expectClean(made);
    expectSame(made, runHosts(parts, map));
    parts.acquire = "";
    expectFault(run(parts, map), Check::ProxyFence, "has not acquired since");
  }
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

MapRun runChanged(const std::function<void(Parts &)> &change) {
  TensorMap map = makeMap(2, half, 0);
  Parts parts = correctParts(map, half.ptx);
  change(parts);
  return run(parts, map);
}

TEST(TensorMap, Fences) {
  const std::string unknown = "has not acquired since";
  expectFault(runChanged([](Parts &parts) { parts.acquire = ""; }),
              Check::ProxyFence, unknown);
  expectFault(runChanged([](Parts &parts) {
                parts.acquire =
                    "@%leader fence.proxy.tensormap::generic.release.gpu;\n";
              }),
              Check::ProxyFence, unknown);
  // Before the write, or of another address.
  expectFault(runChanged([](Parts &parts) {
                parts.replace += acquireMap;
                parts.acquire = "";
              }),
              Check::ProxyFence, unknown);
  expectFault(runChanged([](Parts &parts) {
                parts.acquire = "@%leader fence.proxy.tensormap::generic."
                                "acquire.gpu [%map+128], 128;\n";
              }),
              Check::ProxyFence, unknown);
  // By another thread, and by the right one before it knows of the write.
  const std::string becomeSecond = "setp.eq.u32 %leader, %t, 32;\n";
  expectFault(runChanged([&](Parts &parts) { parts.acquire += becomeSecond; }),
              Check::ProxyFence, unknown);
  expectFault(runChanged([&](Parts &parts) {
                parts.order = becomeSecond + acquireMap + parts.order;
                parts.acquire = "";
              }),
              Check::ProxyFence, unknown);
  expectClean(runChanged(
      [&](Parts &parts) { parts.acquire = becomeSecond + acquireMap; }));
  // Of what a replace writes, without a release.
  TensorMap map = makeMap(2, half, 0);
  Parts parts = correctParts(map, half.ptx);
  parts.zero = parts.copy = "";
  parts.replace = replaceField("global_dim", "1, 3", {"global", "[%map]"});
  expectFault(run(parts, map, {.isHostMade = true}), Check::ProxyFence,
              "has not released");
  expectFault(runChanged([](Parts &parts) {
                parts.acquire = "@%leader fence.proxy.tensormap::generic."
                                "acquire.gpu [%map+8128], 128;\n";
              }),
              Check::OutOfBounds, "128 bytes of global memory");
}

TEST(TensorMap, WrittenWhileACopyUsesIt) {
  const std::string message = "a bulk copy that is not waited for";
  expectFault(runChanged([](Parts &parts) {
                parts.load += "@%second bra waits;\n";
                parts.load += copyObject;
                parts.load += "waits:\n";
              }),
              Check::AsynchronousCopy, message);
  expectFault(runChanged([](Parts &parts) {
                parts.load += "@%leader st.global.b32 [%map+124], 0;\n";
              }),
              Check::AsynchronousCopy, message);
  expectFault(runChanged([](Parts &parts) {
                parts.load += replaceField("rank", "1", {"global", "[%map]"});
              }),
              Check::AsynchronousCopy, message);
}

TEST(TensorMap, Addresses) {
  expectFault(runChanged([](Parts &parts) { parts.place = 32; }),
              Check::Misaligned, "multiples of 64");
  expectFault(runChanged([](Parts &parts) {
                parts.replace =
                    replaceField("rank", "1", {"shared::cta", "[object+32]"});
              }),
              Check::Misaligned, "a multiple of 64");
  expectFault(runChanged([](Parts &parts) {
                parts.acquire = "@%leader fence.proxy.tensormap::generic."
                                "acquire.gpu [%map+32], 128;\n";
              }),
              Check::Misaligned, "a multiple of 64");
  expectFault(runChanged([](Parts &parts) {
                parts.acquire += "add.u64 %map, %map, 32;\n";
              }),
              Check::Misaligned, "a multiple of 64");
  // A copy does not read a map in shared memory.
  expectFault(runChanged([](Parts &parts) {
                parts.acquire += "cvt.u64.u32 %map, %s;\n"
                                 "cvta.shared.u64 %map, %map;\n";
              }),
              Check::Execution, "but got another space");
  // Nor does anything replace fields of one in local memory.
  expectFault(runChanged([](Parts &parts) {
                parts.replace = "mov.u64 %x, local;\ncvta.local.u64 %x, %x;\n"
                                "mov.u32 %v, 0;\n";
                for (unsigned at = 0; at < TensorMap::bytes; at += 16)
                  parts.replace +=
                      "st.v4.b32 [%x+" + number(at) + "], {%v, %v, %v, %v};\n";
                parts.replace += "@%leader tensormap.replace.tile.rank.b1024."
                                 "b32 [%x], 1;\n";
              }),
              Check::Execution, "but got another space");
  expectFault(runChanged([](Parts &parts) { parts.place = scratchBytes - 64; }),
              Check::OutOfBounds, "bytes allocated");
}

TEST(TensorMap, CopiedByAWholeWarp) {
  expectFault(runChanged([](Parts &parts) {
                parts.copy = std::string("@%leader ") + copyObject;
              }),
              Check::Divergence, "all lanes of the warp");
  expectFault(runChanged([](Parts &parts) {
                parts.copy = "cvt.u64.u32 %x, %o;\nadd.u64 %map, %map, %x;\n" +
                             parts.copy;
              }),
              Check::Divergence, "the same addresses");
  // What another lane has written is not known yet.
  expectFault(runChanged([](Parts &parts) {
                parts.replace = replaceAll(makeMap(2, half, 0), half.ptx);
              }),
              Check::SharedRace, "nothing orders the two");
}

TEST(TensorMap, OfWhatWasNeverWritten) {
  expectFault(runChanged([](Parts &parts) { parts.zero = ""; }),
              Check::UninitializedMemory, "never written");
  expectFault(runChanged([](Parts &parts) { parts.zero = parts.replace = ""; }),
              Check::UninitializedMemory, "never written");
  // Half of it.
  expectFault(runChanged([](Parts &parts) {
                parts.zero = "setp.lt.u32 %p, %t, 16;\n@%p " + parts.zero;
              }),
              Check::UninitializedMemory, "never written");
  expectFault(runChanged([](Parts &parts) {
                parts.zero = "st.shared.b32 [%mine], 1;\n"
                             "bar.warp.sync 0xffffffff;\n";
              }),
              Check::Execution, "expects a tensor map or 128 zeros");
  expectFault(runChanged([](Parts &parts) { parts.replace = ""; }),
              Check::Execution, "but got other bytes");
}

TEST(TensorMap, WithoutAField) {
  TensorMap map = makeMap(2, half, 0);
  std::string all = replaceAll(map, half.ptx);
  unsigned count = 0;
  for (size_t begin = 0; begin < all.size(); ++count) {
    size_t end = all.find('\n', begin) + 1;
    std::string line = all.substr(begin, end - begin);
    size_t field = line.find("tile.") + 5;
    std::string name = line.substr(field, line.find('.', field) - field);
    expectFault(runChanged([&](Parts &parts) {
                  parts.replace = all.substr(0, begin) + all.substr(end) +
                                  "bar.warp.sync 0xffffffff;\n";
                }),
                Check::Execution, "nothing has given it " + name);
    begin = end;
  }
  EXPECT_EQ(count, 13u);
}

TEST(TensorMap, WithAnIllegalField) {
  auto expectIllegal = [](const std::string &field, const std::string &value,
                          const std::string &words) {
    SCOPED_TRACE(field + " " + value);
    expectFault(runChanged([&](Parts &parts) {
                  parts.replace += replaceField(field, value) +
                                   "bar.warp.sync 0xffffffff;\n";
                }),
                Check::Execution, words);
  };
  expectIllegal("box_dim", "0, 0", "a box from 1 to 256 in dimension 0");
  expectIllegal("box_dim", "1, 257", "a box from 1 to 256 in dimension 1");
  // 65536 more than a legal one.
  expectIllegal("box_dim", "1, 65541", "but got 65541");
  expectIllegal("box_dim", "0, 4", "multiples of 16 bytes");
  expectIllegal("global_dim", "1, 0", "a size from 1 to 2^32 in dimension 1");
  expectIllegal("element_stride", "1, 0", "an element stride from 1 to 8");
  expectIllegal("element_stride", "1, 257", "an element stride from 1 to 8");
  expectIllegal("global_stride", "0, 24", "a multiple of 16 bytes");
  expectIllegal("global_address", "1032", "a multiple of 16");
  expectIllegal("rank", "0", "of 2 dimensions, but got one of 1");
  expectIllegal("rank", "4294967295", "1 to 5 dimensions, but got one of 0");
  expectIllegal("rank", "5", "1 to 5 dimensions, but got one of 6");
  expectIllegal("rank", "257", "1 to 5 dimensions, but got one of 255");
  expectIllegal("rank", "2", "nothing has given it box_dim 2");
  expectIllegal("elemtype", "2", "a floating-point type to fill with NaN");
  expectIllegal("interleave_layout", "1", "3 dimensions or more");
}

TEST(TensorMap, UnknownForms) {
  auto errorOf = [](const std::string &line) {
    return runChanged([&](Parts &parts) { parts.replace += line + ";\n"; })
        .error;
  };
  auto has = [](const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  };
  std::string replace = "tensormap.replace.tile.";
  std::string wide = ".shared::cta.b1024.b64 [object], ";
  std::string narrow = ".shared::cta.b1024.b32 [object], ";
  EXPECT_EQ(errorOf(replace + "fill_mode" + narrow + "1"), "");
  for (const auto &[field, most] : {std::pair{"elemtype", 12},
                                    {"interleave_layout", 2},
                                    {"swizzle_mode", 3},
                                    {"fill_mode", 1}}) {
    EXPECT_EQ(errorOf(replace + field + narrow + number(most)), "");
    EXPECT_TRUE(has(errorOf(replace + field + narrow + number(most + 1)),
                    "from 0 to " + number(most)));
    EXPECT_TRUE(has(errorOf(replace + field + narrow + "%v"),
                    "expects a number for this field"));
  }
  EXPECT_TRUE(has(errorOf(replace + "box_dim" + narrow + "5, 1"), "0 to 4"));
  EXPECT_TRUE(has(errorOf(replace + "box_dim" + narrow + "%v, 1"), "0 to 4"));
  EXPECT_TRUE(
      has(errorOf(replace + "global_stride" + wide + "4, 16"), "0 to 3"));
  for (const std::string &line :
       {replace + "swizzle_atomicity" + narrow + "0",
        replace + "rank" + wide + "1",
        replace + "global_address" + narrow + "1",
        replace + "rank" + narrow + "0, 1",
        "tensormap.replace.im2col.rank" + narrow + "1",
        std::string("tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
                    "generic.release.gpu.sync.aligned [%map], [object], 64"),
        std::string("tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
                    "generic.acquire.gpu.sync.aligned [%map], [object], 128"),
        std::string("fence.proxy.tensormap::generic.acquire.gpu"),
        std::string("fence.proxy.tensormap::generic.acquire.gpu [%map], 64"),
        std::string("fence.proxy.tensormap::generic.release [%map], 128")})
    EXPECT_TRUE(has(errorOf(line), "the emulator cannot execute")) << line;
}

} // namespace
