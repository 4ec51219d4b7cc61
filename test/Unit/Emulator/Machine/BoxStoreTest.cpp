// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores of boxes at a tensor's borders, as an H200 does them.

#include "lib/Judges/Emulator/Machine/Launch.h"
#include "lib/Judges/Emulator/Machine/TensorMapObject.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

std::string number(uint64_t value) { return std::to_string(value); }

/// The box is 8 rows of 32 bytes.
constexpr uint32_t boxBytes = 256, rowBytes = 32, strideBytes = 256;
constexpr uint8_t untouched = 0xa5;

/// What byte `offset` of the box is, as the kernel below writes it.
uint8_t contentOf(uint32_t offset) {
  return (offset / 4 * 0x1030507 + 9) >> offset % 4 * 8;
}

/// 64 threads write the box, and thread 0 stores it to `coordinates`. Lines
/// `meanwhile` stand before the wait.
std::string write(unsigned rank, const std::string &coordinates,
                  const std::string &meanwhile) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k(.param .u64 tensor, .param .align 64 .b8 "
         "map[128])\n"
         ".reqntid 64, 1, 1\n{\n.shared .align 1024 .b8 tile[256];\n"
         ".reg .pred %leader, %second;\n.reg .b32 %t, %s, %v;\n"
         ".reg .b64 %tensor, %map;\n"
         "ld.param.u64 %tensor, [tensor];\n"
         "mov.b64 %map, map;\ncvta.param.u64 %map, %map;\n"
         "mov.u32 %t, %tid.x;\nsetp.eq.u32 %leader, %t, 0;\n"
         "setp.eq.u32 %second, %t, 1;\n"
         "mov.u32 %s, tile;\nmad.lo.u32 %s, %t, 4, %s;\n"
         "mad.lo.u32 %v, %t, 0x1030507, 9;\nst.shared.b32 [%s], %v;\n"
         "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
         "@%leader cp.async.bulk.tensor." +
         number(rank) + "d.global.shared::cta.tile.bulk_group [%map, {" +
         coordinates +
         "}], [tile];\n"
         "@%leader cp.async.bulk.commit_group;\n" +
         meanwhile +
         "@%leader cp.async.bulk.wait_group 0;\n"
         "ret;\n}\n";
}

struct StoreRun {
  std::vector<Fault> faults;
  std::vector<uint8_t> tensor;
};

/// Stores by `map` to an allocation of `allocated` bytes.
StoreRun run(TensorMap map, const std::string &coordinates, uint32_t allocated,
             const std::string &meanwhile = "", uint64_t seed = 0) {
  StoreRun result;
  GlobalMemory memory;
  SyntaxError error;
  auto program =
      Program::create(write(map.rank, coordinates, meanwhile), memory, error);
  if (!program) {
    ADD_FAILURE() << error.location.line << ": " << error.message;
    return result;
  }
  map.address = memory.allocate(allocated);
  result.tensor.assign(allocated, untouched);
  memory.write(map.address, result.tensor.data(), allocated);
  EXPECT_EQ(map.verify(), "");
  const Kernel &kernel = *program->find("k");
  std::vector<uint8_t> parameters(kernel.parameterBytes);
  std::memcpy(parameters.data(), &map.address, sizeof(map.address));
  uint8_t object[TensorMap::bytes];
  encodeTensorMap(map, object);
  std::memcpy(parameters.data() + kernel.parameters[1].offset, object,
              sizeof(object));
  LaunchOptions options;
  options.block = {64, 1, 1};
  options.seed = seed;
  options.maximumSteps = 100000;
  result.faults = launch(kernel, parameters, memory, options).faults;
  memory.read(map.address, result.tensor.data(), allocated);
  return result;
}

void expectClean(const StoreRun &run) {
  for (const Fault &fault : run.faults)
    ADD_FAILURE() << fault.location.line << ": " << fault.message;
}

/// The first fault is of `check` and says `words`.
void expectFault(const StoreRun &run, Check check, const std::string &words) {
  ASSERT_FALSE(run.faults.empty()) << "expects: " << words;
  EXPECT_EQ(run.faults[0].check, check) << run.faults[0].message;
  EXPECT_NE(run.faults[0].message.find(words), std::string::npos)
      << run.faults[0].message << "\nexpects: " << words;
}

/// Rows of `row` bytes, 256 apart, eight in each plane, of elements of
/// 2^`logBytes` bytes.
TensorMap makeMap(unsigned rank, uint32_t row, unsigned logBytes = 1,
                  uint32_t swizzle = 0) {
  constexpr uint32_t unsignedIntegers[] = {0, 1, 2, 4};
  TensorMap map;
  map.dataType = unsignedIntegers[logBytes];
  map.rank = rank;
  map.swizzle = swizzle;
  map.box = {rowBytes >> logBytes, rank > 1 ? boxBytes / rowBytes : 1, 1, 1, 1};
  map.shape = {row >> logBytes, rank > 1 ? 8u : 1u, rank > 2 ? 2u : 1u, 1, 1};
  map.strides = {strideBytes, 8 * strideBytes, 0, 0};
  return map;
}

TEST(BoxStore, WritesWholeUnitsAtARowsEnd) {
  constexpr uint32_t allocated = 8 * strideBytes, first = 224, top = 3;
  for (unsigned logBytes : {0, 1, 2, 3})
    for (uint32_t swizzle : {0, 1})
      for (uint64_t seed : {0, 5})
        // Rows that end within the box's first unit, at its end, behind it.
        for (uint32_t row : {232, 240, 248}) {
          SCOPED_TRACE(number(1 << logBytes) + " bytes, swizzle " +
                       number(swizzle) + ", rows of " + number(row));
          TensorMap map = makeMap(2, row, logBytes, swizzle);
          StoreRun stored =
              run(map, number(first >> logBytes) + ", " + number(top),
                  allocated, "", seed);
          expectClean(stored);
          // Rows behind the tensor are clipped, as documented.
          std::vector<uint8_t> expected(allocated, untouched);
          uint32_t end = (row + 15) / 16 * 16;
          for (uint32_t y = top; y < 8; ++y)
            for (uint32_t x = first; x < end; ++x) {
              uint32_t place = (y - top) * rowBytes + x - first;
              expected[y * strideBytes + x] =
                  contentOf(map.sharedSwizzle().place(place));
            }
          EXPECT_TRUE(stored.tensor == expected);
        }
}

/// What is behind the row is written, and checked as such.
TEST(BoxStore, AccessesWholeUnitsAtARowsEnd) {
  TensorMap map = makeMap(1, 10);
  expectClean(run(map, "0", 16));
  // 10 bytes are the tensor's, 16 are written.
  expectFault(run(map, "0", 10), Check::OutOfBounds,
              "in the 10 bytes allocated");
  // Nothing of a box that begins behind the unit.
  expectClean(run(map, "8", 10));
  // Written meanwhile, by the same thread and by another one.
  auto write = [&](const std::string &guard, unsigned offset, uint64_t seed) {
    return run(map, "0", 32,
               guard + " st.global.b8 [%tensor+" + number(offset) + "], 0;\n",
               seed);
  };
  for (uint64_t seed : {0, 1, 2, 3}) {
    expectFault(write("@%leader", 12, seed), Check::AsynchronousCopy,
                "a bulk copy that is not waited for");
    // While it is under way, or a race, as the seed has it.
    EXPECT_FALSE(write("@%second", 12, seed).faults.empty());
    expectClean(write("@%leader", 16, seed));
    expectClean(write("@%second", 16, seed));
  }
}

TEST(BoxStore, BeginsInTheTensor) {
  auto expectBelow = [](unsigned rank, const std::string &coordinates,
                        const std::string &words) {
    SCOPED_TRACE(coordinates);
    StoreRun stored = run(makeMap(rank, 240), coordinates, 2 * 8 * strideBytes);
    expectFault(stored, Check::OutOfBounds,
                "a stored box that begins at 0 or above along each "
                "dimension, but got " +
                    words);
    EXPECT_TRUE(stored.tensor ==
                std::vector<uint8_t>(stored.tensor.size(), untouched));
  };
  expectBelow(1, "-8", "-8 along dimension 0");
  expectBelow(2, "-8, 0", "-8 along dimension 0");
  expectBelow(2, "0, -1", "-1 along dimension 1");
  expectBelow(3, "0, 0, -1", "-1 along dimension 2");
  // Wholly before the tensor, and behind it in another dimension.
  expectBelow(2, "-64, 0", "-64 along dimension 0");
  expectBelow(2, "0, -2147483648", "-2147483648 along dimension 1");
  expectBelow(2, "-8, 100", "-8 along dimension 0");
  // Those that begin at its end or behind it write nothing.
  for (const char *coordinates : {"120, 0", "0, 8", "2000000000, 2000000000"}) {
    SCOPED_TRACE(coordinates);
    StoreRun stored = run(makeMap(2, 240), coordinates, 8 * strideBytes);
    expectClean(stored);
    EXPECT_TRUE(stored.tensor ==
                std::vector<uint8_t>(stored.tensor.size(), untouched));
  }
}

} // namespace
