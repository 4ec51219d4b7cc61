// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations on integers. They wrap, and divisors and shift amounts
// are made such that results are defined.

#include "test/Random/KernelWriter.h"

using namespace tilewright;
using namespace tilewright::fuzz;

void KernelWriter::writeIntegerBinary() {
  Value a = getInteger(/*allowsBool=*/true);
  Value b = get(a.type);
  if (a.type.element == "i1")
    return keep(
        makeBinary(pickName({"arith.andi", "arith.ori", "arith.xori"}), a, b));
  if (oneIn(12))
    return keep(makeBinary("tt.mulhiui", a, b));
  keep(makeBinary(
      pickName({"arith.addi", "arith.subi", "arith.muli", "arith.andi",
                "arith.ori", "arith.xori", "arith.minsi", "arith.maxsi",
                "arith.minui", "arith.maxui"}),
      a, b));
}

/// The divisor is odd and from 1 to 15, or a constant.
void KernelWriter::writeDivision() {
  Value a = getInteger(/*allowsBool=*/false);
  Value divisor = makeConstant(a.type, pickFrom<int64_t>({1, 2, 3, 7, 8, 64}));
  if (!oneIn(3)) {
    Value low = makeBinary("arith.andi", get(a.type), makeConstant(a.type, 15));
    divisor = makeBinary("arith.ori", low, makeConstant(a.type, 1));
  }
  keep(makeBinary(
      pickName({"arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
                "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"}),
      a, divisor));
}

void KernelWriter::writeShift() {
  Value a = getInteger(/*allowsBool=*/false);
  Value amount = makeConstant(a.type, pick(a.type.getWidth()));
  if (oneIn(2))
    amount = makeBinary("arith.andi", get(a.type),
                        makeConstant(a.type, a.type.getWidth() - 1));
  keep(makeBinary(pickName({"arith.shli", "arith.shrsi", "arith.shrui"}), a,
                  amount));
}

void KernelWriter::writeIntegerUnary() {
  Value a = getInteger(/*allowsBool=*/false);
  keep(makeUnary("math.absi", a));
}

void KernelWriter::writeComparison() {
  std::optional<Value> found = find([](const Value &value) {
    return value.type.isInteger() || value.range.isExact();
  });
  if (!found)
    return;
  Value a = *found, b = get(a.type);
  ValueType type = a.type.with("i1");
  std::string operands = ", " + a.name + ", " + b.name + " : " + a.type.str();
  if (a.type.isInteger())
    return keep(make(type, "arith.cmpi " +
                               pickName({"eq", "ne", "slt", "sle", "sgt", "sge",
                                         "ult", "ule", "ugt", "uge"}) +
                               operands));
  if (b.range.isExact())
    keep(make(type,
              "arith.cmpf " +
                  pickName({"oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                            "ueq", "ugt", "uge", "ult", "ule", "une", "uno"}) +
                  operands));
}

void KernelWriter::writeSelect() {
  std::optional<Value> found = find([](const Value &) { return true; });
  Value a = *found, b = get(a.type);
  bool isScalar = a.type.isTile() && oneIn(4);
  Value condition = getCondition(isScalar ? Shape() : a.type.shape);
  std::string types = condition.type.isTile()
                          ? condition.type.str() + ", " + a.type.str()
                          : a.type.str();
  Range range = a.range;
  range.magnitude = std::max(range.magnitude, b.range.magnitude);
  range.error = std::max(range.error, b.range.error);
  range.isInteger &= b.range.isInteger;
  keep(make(a.type,
            "arith.select " + condition.name + ", " + a.name + ", " + b.name +
                " : " + types,
            range));
}

void KernelWriter::writeIntegerCast() {
  Value a = getInteger(/*allowsBool=*/true);
  std::string element = pickName({"i1", "i8", "i16", "i32", "i64"});
  unsigned width = a.type.with(element).getWidth();
  if (width < a.type.getWidth())
    keep(makeCast("arith.trunci", a, element));
  else if (width > a.type.getWidth())
    keep(makeCast(pickName({"arith.extsi", "arith.extui"}), a, element));
}
