// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneInterpreter.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Regex.h"

#include <bit>
#include <cmath>

using namespace mlir;
using namespace tilewright::test;

//===----------------------------------------------------------------------===//
// Types and floats
//===----------------------------------------------------------------------===//

/// The scalars of a type, in order.
static void flatten(Type type, SmallVectorImpl<Type> &scalars) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    scalars.append(vector.getNumElements(), vector.getElementType());
  } else if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
    for (Type element : structure.getBody())
      flatten(element, scalars);
  } else {
    scalars.push_back(type);
  }
}

static SmallVector<Type> flatten(Type type) {
  SmallVector<Type> scalars;
  flatten(type, scalars);
  return scalars;
}

static unsigned widthOf(Type type) {
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return 64;
  return type.getIntOrFloatBitWidth();
}

static uint64_t maskTo(uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}

static int64_t signExtend(uint64_t value, unsigned width) {
  return int64_t(value << (64 - width)) >> (64 - width);
}

double tilewright::test::decodeFloat(uint64_t bits, Type type) {
  auto floatType = cast<FloatType>(type);
  APFloat value(floatType.getFloatSemantics(),
                APInt(floatType.getWidth(), bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

uint64_t tilewright::test::encodeFloat(double number, Type type) {
  APFloat value(number);
  bool losesInfo;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void LaneInterpreter::fail(const Twine &what) {
  if (error.empty())
    error = what.str();
}

LaneValue LaneInterpreter::makeValue(Type type) const {
  return LaneValue(flatten(type).size(), Scalars(threads));
}

const LaneValue &LaneInterpreter::get(Value value) {
  auto it = values.find(value.getAsOpaquePointer());
  if (it != values.end())
    return it->second;
  fail("a value was never computed");
  return values[value.getAsOpaquePointer()] = makeValue(value.getType());
}

void LaneInterpreter::set(Value value, LaneValue scalars) {
  SmallVector<Type> types = flatten(value.getType());
  for (auto [type, components] : llvm::zip_equal(types, scalars))
    for (uint64_t &component : components)
      component = maskTo(component, widthOf(type));
  values[value.getAsOpaquePointer()] = std::move(scalars);
}

void LaneInterpreter::setEach(
    Value value, function_ref<uint64_t(unsigned, unsigned)> function) {
  LaneValue result = makeValue(value.getType());
  for (unsigned component = 0; component < result.size(); ++component)
    for (unsigned thread = 0; thread < threads; ++thread)
      result[component][thread] = function(thread, component);
  set(value, std::move(result));
}

std::string LaneInterpreter::run(LLVM::LLVMFuncOp function,
                                 ArrayRef<uint64_t> arguments) {
  if (function.getBody().getBlocks().size() != 1)
    return "expects a function of one block";
  Block &body = function.getBody().front();
  if (body.getNumArguments() != arguments.size())
    return "expects one value for each argument";
  for (auto [argument, scalar] :
       llvm::zip_equal(body.getArguments(), arguments))
    set(argument, {Scalars(threads, scalar)});
  for (Operation &op : body) {
    ++opCounts[op.getName().getStringRef().str()];
    execute(op);
    if (!error.empty()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << error << " at: " << op;
      return text;
    }
  }
  return "";
}

void LaneInterpreter::execute(Operation &op) {
  if (isa<LLVM::ReturnOp, NVVM::Barrier0Op, NVVM::SyncWarpOp>(op))
    return;
  if (executeInteger(op) || executeFloat(op) || executeConversion(op) ||
      executeAggregate(op) || executeMemory(op) || executeLanes(op))
    return;
  fail("the interpreter does not know this op");
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static uint64_t compareIntegers(LLVM::ICmpPredicate predicate, uint64_t a,
                                uint64_t b, unsigned width) {
  int64_t x = signExtend(a, width), y = signExtend(b, width);
  switch (predicate) {
  case LLVM::ICmpPredicate::eq:
    return a == b;
  case LLVM::ICmpPredicate::ne:
    return a != b;
  case LLVM::ICmpPredicate::slt:
    return x < y;
  case LLVM::ICmpPredicate::sle:
    return x <= y;
  case LLVM::ICmpPredicate::sgt:
    return x > y;
  case LLVM::ICmpPredicate::sge:
    return x >= y;
  case LLVM::ICmpPredicate::ult:
    return a < b;
  case LLVM::ICmpPredicate::ule:
    return a <= b;
  case LLVM::ICmpPredicate::ugt:
    return a > b;
  case LLVM::ICmpPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are listed");
}

bool LaneInterpreter::executeInteger(Operation &op) {
  auto binary = [&](auto function) {
    const LaneValue &a = get(op.getOperand(0)), &b = get(op.getOperand(1));
    unsigned width = widthOf(flatten(op.getOperand(0).getType())[0]);
    setEach(op.getResult(0), [&](unsigned thread, unsigned i) -> uint64_t {
      return function(a[i][thread], b[i][thread], width);
    });
    return true;
  };
  using U = uint64_t;
  return TypeSwitch<Operation &, bool>(op)
      .Case([&](LLVM::AddOp) {
        return binary([](U a, U b, unsigned) { return a + b; });
      })
      .Case([&](LLVM::SubOp) {
        return binary([](U a, U b, unsigned) { return a - b; });
      })
      .Case([&](LLVM::MulOp) {
        return binary([](U a, U b, unsigned) { return a * b; });
      })
      .Case([&](LLVM::AndOp) {
        return binary([](U a, U b, unsigned) { return a & b; });
      })
      .Case([&](LLVM::OrOp) {
        return binary([](U a, U b, unsigned) { return a | b; });
      })
      .Case([&](LLVM::XOrOp) {
        return binary([](U a, U b, unsigned) { return a ^ b; });
      })
      .Case([&](LLVM::ShlOp) {
        return binary([](U a, U b, unsigned w) { return b < w ? a << b : 0; });
      })
      .Case([&](LLVM::LShrOp) {
        return binary([](U a, U b, unsigned w) { return b < w ? a >> b : 0; });
      })
      .Case([&](LLVM::AShrOp) {
        return binary([](U a, U b, unsigned w) {
          return U(signExtend(a, w) >> std::min<U>(b, w - 1));
        });
      })
      .Case([&](LLVM::UDivOp) {
        return binary([](U a, U b, unsigned) { return b ? a / b : 0; });
      })
      .Case([&](LLVM::URemOp) {
        return binary([](U a, U b, unsigned) { return b ? a % b : 0; });
      })
      .Case([&](LLVM::SMaxOp) {
        return binary([](U a, U b, unsigned w) {
          return signExtend(a, w) > signExtend(b, w) ? a : b;
        });
      })
      .Case([&](LLVM::SMinOp) {
        return binary([](U a, U b, unsigned w) {
          return signExtend(a, w) < signExtend(b, w) ? a : b;
        });
      })
      .Case([&](LLVM::ICmpOp compare) {
        return binary([&](U a, U b, unsigned w) {
          return compareIntegers(compare.getPredicate(), a, b, w);
        });
      })
      .Case([&](LLVM::CtPopOp) {
        const LaneValue &a = get(op.getOperand(0));
        setEach(op.getResult(0), [&](unsigned thread, unsigned i) {
          return std::popcount(a[i][thread]);
        });
        return true;
      })
      .Case([&](LLVM::SelectOp) {
        const LaneValue &condition = get(op.getOperand(0)),
                        &a = get(op.getOperand(1)), &b = get(op.getOperand(2));
        setEach(op.getResult(0), [&](unsigned thread, unsigned i) {
          return condition[0][thread] ? a[i][thread] : b[i][thread];
        });
        return true;
      })
      .Default(false);
}

static bool compareFloats(LLVM::FCmpPredicate predicate, double a, double b) {
  // The predicate's number: bit 0 equal, 1 greater, 2 less, 3 unordered (LLVM's
  // CmpInst).
  unsigned bits = unsigned(predicate);
  if (std::isnan(a) || std::isnan(b))
    return bits & 8;
  return bits & (a == b ? 1 : a > b ? 2 : 4);
}

bool LaneInterpreter::executeFloat(Operation &op) {
  if (op.getNumResults() != 1 || op.getNumOperands() == 0)
    return false;
  Type type = flatten(op.getOperand(0).getType())[0];
  if (!isa<FloatType>(type))
    return false;
  Type resultType = flatten(op.getResult(0).getType())[0];
  auto apply = [&](auto function) {
    setEach(op.getResult(0), [&](unsigned thread, unsigned i) -> uint64_t {
      double operands[3] = {0, 0, 0};
      for (unsigned n = 0; n < op.getNumOperands(); ++n)
        operands[n] = decodeFloat(get(op.getOperand(n))[i][thread], type);
      return encodeFloat(function(operands[0], operands[1], operands[2]),
                         resultType);
    });
    return true;
  };
  using D = double;
  return TypeSwitch<Operation &, bool>(op)
      .Case([&](LLVM::FAddOp) {
        return apply([](D a, D b, D) { return a + b; });
      })
      .Case([&](LLVM::FSubOp) {
        return apply([](D a, D b, D) { return a - b; });
      })
      .Case([&](LLVM::FMulOp) {
        return apply([](D a, D b, D) { return a * b; });
      })
      .Case([&](LLVM::FMAOp) {
        if (type.isF32())
          return apply([](D a, D b, D c) {
            return D(std::fmaf(float(a), float(b), float(c)));
          });
        return apply([](D a, D b, D c) { return std::fma(a, b, c); });
      })
      .Case<LLVM::MaxNumOp, LLVM::MaximumOp>([&](auto) {
        return apply([](D a, D b, D) { return std::fmax(a, b); });
      })
      .Case<LLVM::MinNumOp, LLVM::MinimumOp>([&](auto) {
        return apply([](D a, D b, D) { return std::fmin(a, b); });
      })
      .Case<LLVM::FPExtOp, LLVM::FPTruncOp>(
          [&](auto) { return apply([](D a, D, D) { return a; }); })
      .Case([&](LLVM::FCmpOp compare) {
        const LaneValue &a = get(op.getOperand(0)), &b = get(op.getOperand(1));
        setEach(op.getResult(0), [&](unsigned thread, unsigned i) {
          return compareFloats(compare.getPredicate(),
                               decodeFloat(a[i][thread], type),
                               decodeFloat(b[i][thread], type));
        });
        return true;
      })
      .Default(false);
}

bool LaneInterpreter::executeConversion(Operation &op) {
  if (op.getNumResults() != 1)
    return false;
  Value result = op.getResult(0);
  Type to = flatten(result.getType())[0];
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op)) {
    executeConstant(constant);
    return true;
  }
  if (isa<LLVM::ZeroOp, LLVM::UndefOp, LLVM::PoisonOp>(op)) {
    set(result, makeValue(result.getType()));
    return true;
  }
  if (op.getNumOperands() != 1)
    return false;
  const LaneValue &source = get(op.getOperand(0));
  Type from = flatten(op.getOperand(0).getType())[0];
  auto each = [&](auto function) {
    setEach(result, [&](unsigned thread, unsigned i) -> uint64_t {
      return function(source[i][thread]);
    });
    return true;
  };
  return TypeSwitch<Operation &, bool>(op)
      .Case<LLVM::TruncOp, LLVM::ZExtOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp,
            LLVM::AddrSpaceCastOp>(
          [&](auto) { return each([](uint64_t a) { return a; }); })
      .Case([&](LLVM::SExtOp) {
        return each([&](uint64_t a) { return signExtend(a, widthOf(from)); });
      })
      .Case([&](LLVM::SIToFPOp) {
        return each([&](uint64_t a) {
          return encodeFloat(signExtend(a, widthOf(from)), to);
        });
      })
      .Case([&](LLVM::FPToSIOp) {
        return each([&](uint64_t a) {
          return uint64_t(int64_t(decodeFloat(a, from)));
        });
      })
      .Case([&](LLVM::BitcastOp) {
        LaneValue cast = makeValue(result.getType());
        unsigned fromBits = widthOf(from), toBits = widthOf(to);
        for (unsigned thread = 0; thread < threads; ++thread)
          for (unsigned bit = 0; bit < fromBits * source.size(); ++bit)
            cast[bit / toBits][thread] |=
                (source[bit / fromBits][thread] >> (bit % fromBits) & 1)
                << (bit % toBits);
        set(result, std::move(cast));
        return true;
      })
      .Default(false);
}

void LaneInterpreter::executeConstant(LLVM::ConstantOp op) {
  auto toBits = [](Attribute attribute) {
    if (auto number = dyn_cast<FloatAttr>(attribute))
      return number.getValue().bitcastToAPInt().getZExtValue();
    return cast<IntegerAttr>(attribute).getValue().getZExtValue();
  };
  SmallVector<uint64_t> bits;
  if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue()))
    for (Attribute element : elements.getValues<Attribute>())
      bits.push_back(toBits(element));
  else
    bits.push_back(toBits(op.getValue()));
  setEach(op.getResult(), [&](unsigned, unsigned i) { return bits[i]; });
}

//===----------------------------------------------------------------------===//
// Vectors, structs, memory
//===----------------------------------------------------------------------===//

bool LaneInterpreter::executeAggregate(Operation &op) {
  if (auto insert = dyn_cast<LLVM::InsertElementOp>(op)) {
    LaneValue vector = get(insert.getVector());
    for (unsigned thread = 0; thread < threads; ++thread)
      vector[get(insert.getPosition())[0][thread]][thread] =
          get(insert.getValue())[0][thread];
    set(insert.getResult(), std::move(vector));
    return true;
  }
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
    setEach(extract.getResult(), [&](unsigned thread, unsigned) {
      return get(
          extract.getVector())[get(extract.getPosition())[0][thread]][thread];
    });
    return true;
  }
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op)) {
    auto structure =
        cast<LLVM::LLVMStructType>(extract.getContainer().getType());
    unsigned first = 0;
    for (int64_t i = 0; i < extract.getPosition()[0]; ++i)
      first += flatten(structure.getBody()[i]).size();
    setEach(extract.getResult(), [&](unsigned thread, unsigned i) {
      return get(extract.getContainer())[first + i][thread];
    });
    return true;
  }
  return false;
}

uint8_t *LaneInterpreter::locate(uint64_t address, unsigned bytes) {
  bool isShared = address >= sharedBase;
  std::vector<uint8_t> &memory = isShared ? shared : global;
  uint64_t base = isShared ? sharedBase : globalBase;
  if (address >= base && address - base + bytes <= memory.size())
    return memory.data() + (address - base);
  fail("an access of " + Twine(bytes) + " bytes at " + Twine(address) +
       " is out of bounds");
  return nullptr;
}

uint64_t LaneInterpreter::loadBytes(uint64_t address, unsigned bytes) {
  uint64_t value = 0;
  if (uint8_t *place = locate(address, bytes))
    std::memcpy(&value, place, bytes);
  return value;
}

void LaneInterpreter::storeBytes(uint64_t address, uint64_t value,
                                 unsigned bytes) {
  if (uint8_t *place = locate(address, bytes))
    std::memcpy(place, &value, bytes);
}

bool LaneInterpreter::executeMemory(Operation &op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    unsigned bytes = (widthOf(flatten(load.getType())[0]) + 7) / 8;
    const LaneValue &address = get(load.getAddr());
    setEach(load.getResult(), [&](unsigned thread, unsigned i) {
      return loadBytes(address[0][thread] + i * bytes, bytes);
    });
    return true;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    const LaneValue &value = get(store.getValue()),
                    &address = get(store.getAddr());
    unsigned bytes = (widthOf(flatten(store.getValue().getType())[0]) + 7) / 8;
    for (unsigned i = 0; i < value.size(); ++i)
      for (unsigned thread = 0; thread < threads; ++thread)
        storeBytes(address[0][thread] + i * bytes, value[i][thread], bytes);
    return true;
  }
  if (auto address = dyn_cast<LLVM::GEPOp>(op)) {
    executeAddress(address);
    return true;
  }
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
    setEach(address.getResult(), [](unsigned, unsigned) { return sharedBase; });
    return true;
  }
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
    if (assembly->getNumResults() == 0)
      executePredicatedStore(assembly);
    else
      executeArithmeticAssembly(assembly);
    return true;
  }
  return false;
}

void LaneInterpreter::executeAddress(LLVM::GEPOp op) {
  if (op.getIndices().size() != 1)
    return fail("expects one index");
  int64_t bytes = (widthOf(op.getElemType()) + 7) / 8;
  const LaneValue &base = get(op.getBase());
  setEach(op.getResult(), [&](unsigned thread, unsigned) -> uint64_t {
    int64_t index;
    if (auto value = llvm::dyn_cast_if_present<Value>(op.getIndices()[0]))
      index = signExtend(get(value)[0][thread], widthOf(value.getType()));
    else
      index = cast<IntegerAttr>(op.getIndices()[0]).getInt();
    return base[0][thread] + index * bytes;
  });
}

/// "mad.wide.s32 $0, $1, 12, $2;", "mad.lo.s64 $0, $1, 12, $2;" and
/// "sub.sat.s32 $0, $1, $2;" (PTX ISA: integer arithmetic instructions).
void LaneInterpreter::executeArithmeticAssembly(LLVM::InlineAsmOp op) {
  static const llvm::Regex multiplyAdd(
      "^mad\\.(wide\\.s32|lo\\.s64) \\$0, \\$1, (-?[0-9]+), \\$2;$");
  SmallVector<StringRef> parts;
  int64_t factor;
  if (multiplyAdd.match(op.getAsmString(), &parts) &&
      !parts[2].getAsInteger(10, factor)) {
    unsigned width = parts[1] == "wide.s32" ? 32 : 64;
    const LaneValue &scalar = get(op.getOperand(0));
    const LaneValue &addend = get(op.getOperand(1));
    return setEach(op.getResult(0), [&](unsigned thread, unsigned) -> uint64_t {
      return signExtend(scalar[0][thread], width) * factor + addend[0][thread];
    });
  }
  if (op.getAsmString() != "sub.sat.s32 $0, $1, $2;")
    return fail("the interpreter does not know this assembly");
  const LaneValue &lhs = get(op.getOperand(0)), &rhs = get(op.getOperand(1));
  setEach(op.getResult(0), [&](unsigned thread, unsigned) -> uint64_t {
    int64_t difference =
        signExtend(lhs[0][thread], 32) - signExtend(rhs[0][thread], 32);
    return uint32_t(std::clamp<int64_t>(difference, INT32_MIN, INT32_MAX));
  });
}

/// "@$2 st.global.b32 [$0+4], $1;", "@$0 st.shared.v2.b32 [$1], {$2, $3};".
void LaneInterpreter::executePredicatedStore(LLVM::InlineAsmOp op) {
  static const llvm::Regex pattern(
      "^(@\\$([0-9]+) )?st\\.(global|shared)(\\.v[24])?\\.b([0-9]+) "
      "\\[\\$([0-9]+)(\\+-?[0-9]+)?\\], \\{?([$0-9, ]+)\\}?;$");
  SmallVector<StringRef> parts;
  if (!pattern.match(op.getAsmString(), &parts))
    return fail("the interpreter does not know this assembly");
  unsigned bits, place, operand;
  int64_t offset = 0;
  if (parts[5].getAsInteger(10, bits) || parts[6].getAsInteger(10, place) ||
      (!parts[7].empty() && parts[7].drop_front().getAsInteger(10, offset)))
    return fail("expects numbers");
  SmallVector<StringRef> names;
  parts[8].split(names, ',');
  const LaneValue &address = get(op.getOperand(place));
  for (unsigned i = 0; i < names.size(); ++i) {
    if (names[i].trim(" $").getAsInteger(10, operand))
      return fail("expects operands");
    const LaneValue &value = get(op.getOperand(operand));
    for (unsigned thread = 0; thread < threads; ++thread) {
      unsigned predicate;
      if (!parts[2].getAsInteger(10, predicate) &&
          !get(op.getOperand(predicate))[0][thread])
        continue;
      storeBytes(address[0][thread] + offset + i * bits / 8, value[0][thread],
                 bits / 8);
    }
  }
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

bool LaneInterpreter::executeLanes(Operation &op) {
  if (auto index = dyn_cast<NVVM::ThreadIdXOp>(op)) {
    setEach(index.getResult(),
            [](unsigned thread, unsigned) { return thread; });
    return true;
  }
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    executeShuffle(shuffle);
    return true;
  }
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    executeIntrinsic(call);
    return true;
  }
  if (auto load = dyn_cast<NVVM::LdMatrixOp>(op)) {
    executeLdMatrix(load);
    return true;
  }
  return false;
}

/// PTX ISA, ldmatrix: lane 8i + r has the address of row r of matrix i; lane l
/// gets the halves 2 (l % 4) and the next of row l / 4, or of that column where
/// transposed.
void LaneInterpreter::executeLdMatrix(NVVM::LdMatrixOp op) {
  const LaneValue &address = get(op.getPtr());
  bool isTransposed = op.getLayout() == NVVM::MMALayout::col;
  setEach(op.getRes(), [&](unsigned thread, unsigned matrix) {
    unsigned lane = thread % 32, g = lane / 4, t = lane % 4;
    uint64_t word = 0;
    for (unsigned half : {0u, 1u}) {
      unsigned row = isTransposed ? 2 * t + half : g;
      unsigned column = isTransposed ? g : 2 * t + half;
      uint64_t start = address[0][thread - lane + 8 * matrix + row];
      word |= loadBytes(start + 2 * column, 2) << 16 * half;
    }
    return word;
  });
}

/// PTX ISA, shfl.sync: a lane out of range reads itself.
void LaneInterpreter::executeShuffle(NVVM::ShflOp op) {
  const LaneValue &value = get(op.getVal()), &offset = get(op.getOffset());
  setEach(op.getResult(), [&](unsigned thread, unsigned) {
    int lane = thread % 32, from = 0, by = offset[0][thread] & 31;
    switch (op.getKind()) {
    case NVVM::ShflKind::bfly:
      from = lane ^ by;
      break;
    case NVVM::ShflKind::idx:
      from = by;
      break;
    case NVVM::ShflKind::up:
      from = lane - by;
      break;
    case NVVM::ShflKind::down:
      from = lane + by;
      break;
    }
    if (from < 0 || from > 31)
      from = lane;
    return value[0][thread - lane + from];
  });
}

void LaneInterpreter::executeIntrinsic(LLVM::CallIntrinsicOp op) {
  StringRef name = op.getIntrin();
  if (name.starts_with("llvm.nvvm.mma."))
    return executeMma(op);
  Value result = op.getResult(0);
  const LaneValue &first = get(op.getArgs()[0]);
  if (name == "llvm.nvvm.f2tf32.rn") {
    // Round to nearest, ties to even, to 10 bits of mantissa.
    setEach(result, [&](unsigned thread, unsigned) {
      uint64_t bits = first[0][thread];
      return (bits + 0xfff + (bits >> 13 & 1)) & ~uint64_t(0x1fff);
    });
    return;
  }
  if (name == "llvm.nvvm.f2tf32.rna") {
    // Round to nearest, away from zero, to 10 bits of mantissa.
    setEach(result, [&](unsigned thread, unsigned) {
      return (first[0][thread] + 0x1000) & ~uint64_t(0x1fff);
    });
    return;
  }
  if (name == "llvm.nvvm.e4m3x2.to.f16x2.rn") {
    Type code = Float8E4M3FNType::get(op.getContext());
    Type half = Float16Type::get(op.getContext());
    setEach(result, [&](unsigned thread, unsigned element) {
      return encodeFloat(
          decodeFloat(first[0][thread] >> 8 * element & 255, code), half);
    });
    return;
  }
  if (name == "llvm.nvvm.idp4a.s.s") {
    setEach(result, [&](unsigned thread, unsigned) {
      uint64_t sum = get(op.getArgs()[2])[0][thread];
      for (unsigned byte = 0; byte < 4; ++byte)
        sum += signExtend(first[0][thread] >> 8 * byte & 255, 8) *
               signExtend(get(op.getArgs()[1])[0][thread] >> 8 * byte & 255, 8);
      return sum;
    });
    return;
  }
  fail("the interpreter does not know this intrinsic");
}

namespace {
/// Where an element of a fragment stands: PTX ISA, "Matrix Fragments for mma".
struct Place {
  unsigned row, column;
};

/// The types and the shape in an intrinsic's name.
struct MmaForm {
  unsigned m, n, k;
  Type a, b, accumulator;
  unsigned perWord;

  /// Volta's m8n8k4.
  bool isQuadPair() const { return m == 8 && a.isF16(); }
  Place lhs(unsigned lane, unsigned e) const {
    unsigned g = lane >> 2, t = lane & 3, p = perWord;
    if (isQuadPair())
      return {(lane & 3) + 4 * (lane >> 4 & 1), e};
    if (m == 8)
      return {g, p * t + e};
    return {g + 8 * (e / p & 1), t * p + e % p + 4 * p * (e / p >> 1)};
  }
  Place rhs(unsigned lane, unsigned e) const {
    unsigned g = lane >> 2, t = lane & 3, p = perWord;
    if (isQuadPair())
      return {e, (lane & 3) + 4 * (lane >> 4 & 1)};
    return {t * p + e % p + 4 * p * (e / p), g};
  }
  Place result(unsigned lane, unsigned e) const {
    unsigned g = lane >> 2, t = lane & 3;
    if (isQuadPair()) {
      unsigned q = (lane & 3) + 4 * (lane >> 4 & 1);
      if (accumulator.isF16())
        return {q, e};
      return {(q & 1) + (e & 2) + 4 * (q >> 2),
              (e & 1) + (q & 2) + 4 * (e >> 2)};
    }
    return {g + 8 * (e >> 1 & 1), 2 * t + (e & 1)};
  }
  /// The quad pairs of m8n8k4 compute a product each.
  unsigned group(unsigned lane) const {
    return isQuadPair() ? lane >> 2 & 3 : 0;
  }
};
} // namespace

static std::optional<MmaForm> parseMma(StringRef name, MLIRContext *context) {
  static const llvm::Regex pattern(
      "^llvm\\.nvvm\\.mma\\.m([0-9]+)n([0-9]+)k([0-9]+)\\.row\\.col\\."
      "([a-z0-9.]+)$");
  SmallVector<StringRef> parts, types;
  if (!pattern.match(name, &parts))
    return std::nullopt;
  MmaForm form;
  for (auto [part, value] : llvm::zip(ArrayRef(parts).drop_front(),
                                      std::array{&form.m, &form.n, &form.k}))
    part.getAsInteger(10, *value);
  parts[4].split(types, '.');
  auto toType = [&](StringRef type) -> Type {
    return llvm::StringSwitch<Type>(type)
        .Case("f16", Float16Type::get(context))
        .Case("bf16", BFloat16Type::get(context))
        .Cases({"tf32", "f32"}, Float32Type::get(context))
        .Case("f64", Float64Type::get(context))
        .Case("e4m3", Float8E4M3FNType::get(context))
        .Case("e5m2", Float8E5M2Type::get(context))
        .Case("s8", IntegerType::get(context, 8))
        .Default(Type());
  };
  if (types.size() == 4) {
    form.accumulator = toType(types[0]);
    form.a = toType(types[1]);
    form.b = toType(types[2]);
  } else if (types.size() == 2) {
    form.accumulator = toType(types[0]);
    form.a = form.b = Float16Type::get(context);
  } else {
    form.a = form.b = toType(types[0]);
    if (!form.a)
      return std::nullopt;
    form.accumulator = Float32Type::get(context);
    if (form.a.isInteger(8))
      form.accumulator = IntegerType::get(context, 32);
    if (form.a.isF64())
      form.accumulator = form.a;
  }
  if (!form.a || !form.b || !form.accumulator)
    return std::nullopt;
  form.perWord = std::max(1u, 32 / form.a.getIntOrFloatBitWidth());
  return form;
}

void LaneInterpreter::executeMma(LLVM::CallIntrinsicOp op) {
  std::optional<MmaForm> form = parseMma(op.getIntrin(), op.getContext());
  if (!form)
    return fail("the interpreter does not know this instruction");
  auto decode = [](uint64_t bits, Type type) -> double {
    if (isa<IntegerType>(type))
      return signExtend(bits, type.getIntOrFloatBitWidth());
    return decodeFloat(bits, type);
  };
  // The elements of the three operands, one 64-bit value each, in each thread.
  unsigned quadPairs = form->isQuadPair() ? 4 : 1;
  unsigned counts[] = {form->m * form->k * quadPairs / 32,
                       form->n * form->k * quadPairs / 32};
  if (form->isQuadPair())
    counts[0] = counts[1] = 4;
  std::vector<Scalars> elements[3];
  unsigned part = 0, width = form->a.getIntOrFloatBitWidth();
  for (Value argument : op.getArgs())
    for (const auto &[scalars, type] :
         llvm::zip_equal(get(argument), flatten(argument.getType()))) {
      if (part < 2 && elements[part].size() == counts[part])
        ++part;
      unsigned element =
          part < 2 ? width : form->accumulator.getIntOrFloatBitWidth();
      for (unsigned bit = 0; bit < widthOf(type); bit += element) {
        Scalars &slot = elements[part].emplace_back(scalars);
        for (uint64_t &value : slot)
          value = maskTo(value >> bit, element);
      }
    }
  LaneValue result = makeValue(op.getResult(0).getType());
  if (elements[2].size() != result.size())
    return fail("expects as many accumulators as results");
  for (unsigned warp = 0; warp < threads; warp += 32) {
    std::map<std::array<unsigned, 3>, double> a, b;
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned group = form->group(lane);
      for (unsigned e = 0; e < elements[0].size(); ++e) {
        Place place = form->lhs(lane, e);
        a[{group, place.row, place.column}] =
            decode(elements[0][e][warp + lane], form->a);
      }
      for (unsigned e = 0; e < elements[1].size(); ++e) {
        Place place = form->rhs(lane, e);
        b[{group, place.row, place.column}] =
            decode(elements[1][e][warp + lane], form->b);
      }
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned e = 0; e < result.size(); ++e) {
        unsigned group = form->group(lane);
        Place place = form->result(lane, e);
        double sum = decode(elements[2][e][warp + lane], form->accumulator);
        for (unsigned k = 0; k < form->k; ++k)
          sum += a[{group, place.row, k}] * b[{group, k, place.column}];
        result[e][warp + lane] = isa<IntegerType>(form->accumulator)
                                     ? uint64_t(int64_t(sum))
                                     : encodeFloat(sum, form->accumulator);
      }
  }
  set(op.getResult(0), std::move(result));
}
