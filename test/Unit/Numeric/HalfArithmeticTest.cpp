// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation on f16 and bf16, correctly rounded on every target, by
// instructions of that width or by way of f32.

#include "test/Unit/Numeric/NumericTest.h"

#include <random>

using namespace tilewright;
using namespace tilewright::numeric;

namespace {

class HalfArithmeticTest : public NumericTest {
protected:
  static Bits makeCodes(uint64_t seed) {
    std::mt19937_64 generator(seed);
    Bits codes(16 * tileSize);
    for (uint64_t &code : codes)
      code = generator() & 0xffff;
    return codes;
  }

  void check(const std::string &body, const std::string &type) {
    expectReferenceBits({{type, type}, type, body + " : " + tileOf(type)},
                        {makeCodes(1), makeCodes(2)});
  }
};

} // namespace

TEST_F(HalfArithmeticTest, Operations) {
  for (const char *type : {"f16", "bf16"}) {
    for (const char *op : {"addf", "subf", "mulf", "divf", "maximumf",
                           "minimumf", "maxnumf", "minnumf"})
      check(std::string("  %r = arith.") + op + " %x0, %x1", type);
    check("  %r = arith.negf %x0", type);
    check("  %r = math.absf %x0", type);
    check("  %r = math.floor %x0", type);
    check("  %r = math.ceil %x0", type);
    check("  %r = math.sqrt %x0", type);
    check("  %r = tt.precise_sqrt %x0", type);
    check("  %r = tt.precise_divf %x0, %x1", type);
  }
}
