// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/SharedLayout.h"

#include "LayoutTestSupport.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tilewright::layout;

namespace {

/// Where shared memory holds what the registers hold.
class Placement {
public:
  Placement(const LinearLayout &registers, const LinearLayout &shared)
      : map(registers.compose(*shared.invert())) {}
  /// The offset, in elements, of what (register, lane, warp) holds.
  uint64_t operator()(uint64_t reg, uint64_t lane, uint64_t warp) const {
    return map.apply(reg << map.inputOffset(Axis::Register) |
                     lane << map.inputOffset(Axis::Lane) |
                     warp << map.inputOffset(Axis::Warp));
  }

private:
  LinearLayout map;
};

/// Wavefronts of the lanes from `first` to `end` together: the most distinct
/// words of a bank. `idle`: the address of a lane that takes no part.
constexpr uint64_t idle = ~uint64_t(0);
unsigned simulatePhase(const std::vector<uint64_t> &addresses, unsigned first,
                       unsigned end, unsigned bytes) {
  std::set<uint64_t> words;
  for (unsigned lane = first; lane < end; ++lane) {
    if (addresses[lane] == idle)
      continue;
    EXPECT_EQ(addresses[lane] % bytes, 0u) << "misaligned";
    for (unsigned byte = 0; byte < bytes; byte += std::min(bytes, 4u))
      words.insert((addresses[lane] + byte) / 4);
  }
  unsigned worst = 0;
  for (unsigned bank = 0; bank < 32; ++bank)
    worst = std::max<unsigned>(
        worst, std::count_if(words.begin(), words.end(),
                             [&](uint64_t word) { return word % 32 == bank; }));
  return worst;
}

/// Wavefronts of one instruction of 32 lanes: phases of whole lanes, two of
/// them together where neighbours share all addresses.
unsigned simulate(const std::vector<uint64_t> &addresses, unsigned bytes) {
  unsigned lanes = std::min(32u, 128 / bytes), total = 0;
  unsigned step = std::min(32u, 2 * lanes);
  for (unsigned first = 0; first < 32; first += step) {
    bool areShared[2] = {true, true};
    for (unsigned lane = first; lane < first + step; ++lane)
      for (unsigned which : {0u, 1u}) {
        uint64_t here = addresses[lane], there = addresses[lane ^ 1 << which];
        if (here != idle && there != idle && here != there)
          areShared[which] = false;
      }
    if (step == lanes || areShared[0] || areShared[1])
      total += simulatePhase(addresses, first, first + step, bytes);
    else
      total += simulatePhase(addresses, first, first + lanes, bytes) +
               simulatePhase(addresses, first + lanes, first + step, bytes);
  }
  return total;
}

/// Checks an access against the map, element by element, and counts the
/// wavefronts of each warp. Lanes of `copies`, a mask of bits, take no part.
unsigned checkAccess(const VectorAccess &access, const LinearLayout &registers,
                     const LinearLayout &shared, unsigned elementBits,
                     uint64_t copies = 0) {
  Placement offsetOf(registers, shared);
  unsigned worst = 0;
  for (uint64_t warp = 0; warp < 1u << registers.inputBits(Axis::Warp);
       ++warp) {
    unsigned count = 0;
    for (size_t i = 0; i < access.order.size(); i += access.vectorElements) {
      std::vector<uint64_t> addresses;
      for (uint64_t lane = 0; lane < 1u << registers.inputBits(Axis::Lane);
           ++lane) {
        uint64_t start = offsetOf(access.order[i], lane, warp);
        EXPECT_EQ(start % access.vectorElements, 0u);
        for (unsigned j = 0; j < access.vectorElements; ++j)
          EXPECT_EQ(offsetOf(access.order[i + j], lane, warp), start + j);
        addresses.push_back(lane & copies ? idle : start * elementBits / 8);
      }
      count += simulate(addresses, access.vectorElements * elementBits / 8);
    }
    worst = std::max(worst, count);
  }
  // Every register is accessed, or copies one that is.
  std::set<unsigned> accessed(access.order.begin(), access.order.end());
  EXPECT_EQ(accessed.size(), access.order.size());
  EXPECT_EQ(access.representative.size(),
            1u << registers.inputBits(Axis::Register));
  for (unsigned reg = 0; reg < access.representative.size(); ++reg) {
    EXPECT_TRUE(accessed.count(access.representative[reg]));
    EXPECT_EQ(offsetOf(reg, 0, 0), offsetOf(access.representative[reg], 0, 0));
  }
  return worst;
}

/// Executes `ldmatrix` as PTX defines it, on a memory that holds its own
/// offsets, and compares.
unsigned checkMatrix(const MatrixAccess &access, const LinearLayout &registers,
                     const LinearLayout &shared, unsigned elementBits) {
  unsigned perRow = 128 / elementBits, word = access.wordElements;
  Placement offsetOf(registers, shared);
  unsigned total = 0;
  for (uint64_t warp = 0; warp < 1u << registers.inputBits(Axis::Warp);
       ++warp) {
    total = 0;
    for (unsigned i = 0; i < access.instructions(); ++i) {
      std::vector<uint64_t> rows, bytes;
      for (uint64_t lane = 0; lane < 8 * access.matrices; ++lane) {
        std::vector<AxisValue> at = {
            {Axis::Register, i}, {Axis::Lane, lane}, {Axis::Warp, warp}};
        rows.push_back(access.address.apply(at)[0].value);
        bytes.push_back(rows.back() * elementBits / 8);
        EXPECT_EQ(rows.back() % perRow, 0u);
      }
      bytes.resize(32, idle);
      total += simulate(bytes, 16);
      for (unsigned matrix = 0; matrix < access.matrices; ++matrix)
        for (uint64_t lane = 0; lane < 32; ++lane)
          for (unsigned e = 0; e < word; ++e) {
            uint64_t got =
                access.transposed
                    ? rows[8 * matrix + 2 * (lane & 3) + e] + (lane >> 2)
                    : rows[8 * matrix + (lane >> 2)] + (lane & 3) * word + e;
            unsigned reg =
                access.order[(i * access.matrices + matrix) * word + e];
            EXPECT_EQ(got, offsetOf(reg, lane, warp));
          }
    }
  }
  EXPECT_EQ(total, wavefronts(access, elementBits));
  return total;
}

/// Checks all that a plan says; returns it.
SharedPlan checkPlan(const LinearLayout &source,
                     const LinearLayout &destination, unsigned elementBits,
                     SharedOptions options = {}) {
  SharedPlan plan = planShared(source, destination, elementBits, options);
  EXPECT_TRUE(plan.shared.isBijective());
  EXPECT_EQ(plan.shared.outputs(), source.outputs());
  EXPECT_EQ(checkAccess(plan.store, source, plan.shared, elementBits,
                        source.redundantBits(Axis::Lane)),
            plan.storeWavefronts);
  EXPECT_EQ(checkAccess(plan.load, destination, plan.shared, elementBits),
            plan.loadWavefronts);
  if (plan.matrixLoad)
    checkMatrix(*plan.matrixLoad, destination, plan.shared, elementBits);
  if (plan.matrixStore)
    checkMatrix(*plan.matrixStore, source, plan.shared, elementBits);
  return plan;
}

/// The least wavefronts of `instructions` accesses of `bytes` a lane.
unsigned leastWavefronts(const VectorAccess &access, unsigned elementBits) {
  unsigned bytes = access.vectorElements * elementBits / 8;
  return access.instructions() * std::max(1u, bytes * 32 / 128);
}

std::vector<std::pair<std::string, LinearLayout>> layouts64x64() {
  std::vector<unsigned> shape = {6, 6}, warps = {1, 1};
  return {
      {"rows by 8", blocked({0, 3}, {2, 3}, {2, 0}, shape)},
      {"rows by 4", blocked({0, 2}, {1, 4}, {2, 0}, shape)},
      {"rows by 1", blocked({0, 0}, {0, 5}, {1, 1}, shape)},
      {"columns by 8", blocked({3, 0}, {3, 2}, {0, 2}, shape, {0, 1})},
      {"columns by 1", blocked({0, 0}, {5, 0}, {0, 2}, shape, {0, 1})},
      {"tiles", blocked({2, 2}, {2, 3}, {1, 1}, shape)},
      {"mma", mmaAccumulator(Fragment::M16N8, warps, shape)},
      {"mma volta", mmaAccumulator(Fragment::M8N8K4, warps, shape)},
      {"operand A", mmaOperand(Fragment::M16N8, 0, 1, warps, shape)},
      {"operand B", mmaOperand(Fragment::M16N8, 1, 1, warps, shape)},
  };
}

TEST(SharedPlan, ConflictFreeForEveryPairOfRealLayouts) {
  for (const auto &[from, source] : layouts64x64())
    for (const auto &[to, destination] : layouts64x64())
      for (unsigned elementBits : {8u, 16u, 32u}) {
        SCOPED_TRACE(from + " -> " + to + ", " + std::to_string(elementBits));
        SharedPlan plan = checkPlan(source, destination, elementBits);
        EXPECT_LE(plan.storeWavefronts,
                  leastWavefronts(plan.store, elementBits));
        EXPECT_LE(plan.loadWavefronts, leastWavefronts(plan.load, elementBits));
      }
}

TEST(SharedPlan, TransposesWithoutConflicts) {
  LinearLayout rows = blocked({0, 0}, {0, 5}, {0, 0}, {5, 5});
  LinearLayout columns = blocked({0, 0}, {5, 0}, {0, 0}, {5, 5}, {0, 1});
  for (unsigned elementBits : {8u, 16u, 32u, 64u}) {
    SharedPlan plan = checkPlan(rows, columns, elementBits);
    EXPECT_EQ(plan.storeWavefronts, leastWavefronts(plan.store, elementBits));
    EXPECT_EQ(plan.loadWavefronts, leastWavefronts(plan.load, elementBits));
  }
}

TEST(SharedPlan, VectorsAreAsWideAsBothSidesAllow) {
  LinearLayout wide = blocked({0, 3}, {2, 3}, {0, 0}, {6, 6});
  LinearLayout other = blocked({0, 3}, {4, 1}, {0, 0}, {6, 6});
  SharedPlan plan = checkPlan(wide, other, 16);
  EXPECT_EQ(plan.store.vectorElements, 8u);
  EXPECT_EQ(plan.load.vectorElements, 8u);
  // 32-bit elements: 16 bytes are four of them.
  EXPECT_EQ(checkPlan(wide, other, 32).load.vectorElements, 4u);
  // What both sides share need not be neighbours in the tensor; here it is the
  // pair alone. The side with more registers, the fragment with its copies in
  // four warps, gets its 16 bytes all the same.
  std::vector<unsigned> warps = {0, 2}, shape = {4, 6};
  LinearLayout rows = blocked({0, 3}, {2, 3}, {2, 0}, shape);
  LinearLayout operand = mmaOperand(Fragment::M16N8, 0, 1, warps, shape);
  plan = checkPlan(rows, operand, 16);
  EXPECT_EQ(plan.store.vectorElements, 2u);
  EXPECT_EQ(plan.load.vectorElements, 8u);
  plan = checkPlan(operand, rows, 16);
  EXPECT_EQ(plan.store.vectorElements, 8u);
  EXPECT_EQ(plan.load.vectorElements, 2u);
}

TEST(SharedPlan, ReplicasAreStoredOnce) {
  LinearLayout copies({{Axis::Register, 3}, {Axis::Lane, 5}, {Axis::Warp, 1}},
                      {{dim(0), 6}}, {1, 0, 1, 2, 4, 8, 16, 32, 0});
  SharedPlan plan = checkPlan(copies, copies, 32);
  EXPECT_EQ(plan.store.order.size(), 2u);
  EXPECT_EQ(plan.store.representative,
            (std::vector<unsigned>{0, 1, 0, 1, 1, 0, 1, 0}));
}

TEST(SharedPlan, EveryRandomPairIsCorrect) {
  RandomMaps random(6);
  unsigned conflicts = 0;
  for (unsigned i = 0; i < 150; ++i) {
    unsigned elementBits = 8u << random.below(4);
    unsigned rows = 2 + random.below(3), columns = 3 + random.below(2);
    unsigned bits = rows + columns;
    auto layout = [&] {
      unsigned registers = (bits > 6 ? bits - 6 : 0) + random.below(2);
      return random.permutation(registers, 5, 1, rows, columns);
    };
    LinearLayout source = layout(), destination = layout();
    SharedPlan plan = checkPlan(source, destination, elementBits);
    conflicts +=
        plan.storeWavefronts > leastWavefronts(plan.store, elementBits) ||
        plan.loadWavefronts > leastWavefronts(plan.load, elementBits);
  }
  // A longer vector on one side may be worth a conflict on the other; otherwise
  // there is none.
  EXPECT_LE(conflicts, 3u);
  // Any linear layouts at all, mixed columns included: always correct.
  for (unsigned i = 0; i < 150; ++i) {
    auto layout = [&] {
      for (;;) {
        LinearLayout map =
            random.map({{Axis::Register, 3}, {Axis::Lane, 5}, {Axis::Warp, 1}},
                       {{dim(0), 3}, {dim(1), 4}});
        if (map.isSurjective())
          return map;
      }
    };
    LinearLayout source = layout(), destination = layout();
    checkPlan(source, destination, 8u << random.below(4), {true, true});
  }
}

TEST(Wavefronts, CountsConflictsOfRowMajorMemory) {
  std::vector<unsigned> order = {1, 0}, shape = {5, 5};
  LinearLayout memory = sharedSwizzled(0, 0, 0, order, shape);
  LinearLayout rows = blocked({0, 0}, {0, 5}, {0, 0}, shape);
  LinearLayout columns = blocked({0, 0}, {5, 0}, {0, 0}, shape, {0, 1});
  EXPECT_EQ(wavefronts(rows, memory, 32, 1), 32u);
  EXPECT_EQ(wavefronts(columns, memory, 32, 1), 32u * 32);
  // Rows of 64 bytes: two share the banks' 128.
  EXPECT_EQ(wavefronts(columns, memory, 16, 1), 32u * 16);
}

TEST(LdMatrix, ServesOperandAOfM16N8K16) {
  std::vector<unsigned> warps = {1, 0}, shape = {6, 5}, order = {1, 0};
  LinearLayout operand = mmaOperand(Fragment::M16N8, 0, 1, warps, shape);
  LinearLayout plain = sharedSwizzled(0, 0, 0, order, shape);
  LinearLayout swizzled = sharedSwizzled(3, 1, 2, order, shape);
  std::optional<MatrixAccess> access = matchLdMatrix(operand, plain, 16, false);
  ASSERT_TRUE(access);
  EXPECT_EQ(access->matrices, 4u);
  EXPECT_EQ(access->order.size(), 1u << operand.inputBits(Axis::Register));
  unsigned conflicting = checkMatrix(*access, operand, plain, 16);

  access = matchLdMatrix(operand, swizzled, 16, false);
  ASSERT_TRUE(access);
  unsigned free = checkMatrix(*access, operand, swizzled, 16);
  EXPECT_EQ(free, access->instructions() * 4);
  EXPECT_EQ(conflicting, 4 * free); // rows of 64 bytes: eight rows, two by two
}

TEST(LdMatrix, TransposedServesColumnMajorMemory) {
  std::vector<unsigned> warps = {0, 0}, shape = {5, 4};
  std::vector<unsigned> columnMajor = {0, 1}, rowMajor = {1, 0};
  LinearLayout operand = mmaOperand(Fragment::M16N8, 0, 1, warps, shape);
  LinearLayout memory = sharedSwizzled(0, 0, 0, columnMajor, shape);
  EXPECT_FALSE(matchLdMatrix(operand, memory, 16, false));
  std::optional<MatrixAccess> access = matchLdMatrix(operand, memory, 16, true);
  ASSERT_TRUE(access);
  EXPECT_TRUE(access->transposed);
  checkMatrix(*access, operand, memory, 16);
  // B: row-major memory needs the transposed form, column-major memory the
  // other one.
  LinearLayout right = mmaOperand(Fragment::M16N8, 1, 1, warps, shape);
  LinearLayout rows = sharedSwizzled(0, 0, 0, rowMajor, shape);
  EXPECT_TRUE(matchLdMatrix(right, rows, 16, true));
  EXPECT_FALSE(matchLdMatrix(right, rows, 16, false));
  EXPECT_TRUE(matchLdMatrix(right, memory, 16, false));
}

TEST(LdMatrix, OtherElementWidths) {
  std::vector<unsigned> warps = {0, 0}, shape = {4, 5}, order = {1, 0};
  LinearLayout memory = sharedSwizzled(0, 0, 0, order, shape);
  LinearLayout bytes = mmaOperand(Fragment::M16N8, 0, 2, warps, shape);
  LinearLayout words = mmaOperand(Fragment::M16N8, 0, 0, warps, shape);
  for (auto [operand, width] : {std::pair(bytes, 8u), std::pair(words, 32u)}) {
    std::optional<MatrixAccess> access =
        matchLdMatrix(operand, memory, width, false);
    ASSERT_TRUE(access);
    checkMatrix(*access, operand, memory, width);
    EXPECT_FALSE(matchLdMatrix(operand, memory, width, true));
  }
  EXPECT_FALSE(matchLdMatrix(words, memory, 64, false));
}

TEST(LdMatrix, RefusesWhatDoesNotFit) {
  std::vector<unsigned> warps = {0, 0}, shape = {5, 5}, order = {1, 0};
  LinearLayout operand = mmaOperand(Fragment::M16N8, 0, 1, warps, shape);
  // A swizzle that splits rows of 16 bytes.
  EXPECT_FALSE(
      matchLdMatrix(operand, sharedSwizzled(2, 0, 2, order, shape), 16, false));
  // The fragment of another width, and no fragment at all.
  LinearLayout memory = sharedSwizzled(0, 0, 0, order, shape);
  EXPECT_FALSE(matchLdMatrix(operand, memory, 8, false));
  LinearLayout rows = blocked({0, 3}, {3, 2}, {0, 0}, shape);
  for (bool transposed : {false, true})
    EXPECT_FALSE(matchLdMatrix(rows, memory, 16, transposed));
}

TEST(LdMatrix, PlansUseItWhereItPays) {
  std::vector<unsigned> warps = {1, 1}, shape = {6, 6};
  LinearLayout rows = blocked({0, 3}, {2, 3}, {2, 0}, shape);
  LinearLayout columns = blocked({3, 0}, {3, 2}, {0, 2}, shape, {0, 1});
  LinearLayout operand = mmaOperand(Fragment::M16N8, 0, 1, warps, shape);
  SharedOptions options = {true, false};
  for (const LinearLayout &source : {rows, columns}) {
    SharedPlan plan = checkPlan(source, operand, 16, options);
    ASSERT_TRUE(plan.matrixLoad);
    EXPECT_EQ(plan.matrixLoad->matrices, 4u);
    EXPECT_EQ(plan.store.vectorElements, 8u);
    EXPECT_EQ(plan.storeWavefronts, leastWavefronts(plan.store, 16));
    EXPECT_EQ(wavefronts(*plan.matrixLoad, 16),
              plan.matrixLoad->instructions() * 4);
    EXPECT_FALSE(planShared(source, operand, 16).matrixLoad);
  }
  LinearLayout result = mmaAccumulator(Fragment::M16N8, warps, shape);
  SharedPlan plan = checkPlan(result, rows, 16, {false, true});
  ASSERT_TRUE(plan.matrixStore);
  EXPECT_EQ(plan.load.vectorElements, 8u);
}

TEST(SharedPlan, CopiesStayWholeBesideOtherRegisters) {
  // A thread copies 8 elements at a time of each of two rows: without its own
  // rows staying out, one would be turned within the other's vector.
  std::vector<unsigned> shape = {5, 7};
  LinearLayout copied = blocked({0, 3}, {1, 4}, {2, 0}, shape);
  LinearLayout readers = blocked({0, 1}, {0, 5}, {2, 0}, shape);
  SharedOptions options = {false, false, /*copyElements=*/8};
  SharedPlan plan = checkPlan(copied, readers, 16, options);
  EXPECT_GE(plan.store.vectorElements, 8u);
}

TEST(SharedPlan, ReadersOfNarrowCopiesHaveVectorsWithoutConflicts) {
  // Of two rows that lanes copy by words, of which each lane reads two.
  std::vector<unsigned> shape = {1, 6};
  LinearLayout copied = blocked({0, 0}, {0, 5}, {1, 1}, shape);
  SharedOptions options = {false, false, /*copyElements=*/1};
  SharedPlan plan =
      checkPlan(copied, blocked({0, 2}, {1, 4}, {2, 0}, shape), 32, options);
  EXPECT_EQ(plan.load.vectorElements, 4u);
  EXPECT_EQ(plan.loadWavefronts, 4u);
  // Four rows of lanes read the same.
  plan = checkPlan(copied, blocked({0, 3}, {2, 3}, {2, 0}, shape), 32, options);
  EXPECT_EQ(plan.load.vectorElements, 1u);
}

} // namespace
