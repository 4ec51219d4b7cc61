// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts are CuTe's canonical ones (cute/arch/mma_sm90_desc.hpp), written
// with strides in elements; the fragments are the PTX ISA's figures. Nothing
// here comes from the emulator.

#include "test/Hopper/Products.h"

#include <cstring>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Where a matrix' elements stand, from its pattern's begin.
struct Placement {
  uint32_t leading = 0, stride = 0, bytes = 0;
  unsigned elementBytes = 1;
  SharedMatrix matrix;

  Placement(const SharedMatrix &matrix, const ElementType &type, unsigned k);
  uint32_t offset(unsigned row, unsigned k) const;
};

Placement::Placement(const SharedMatrix &matrix, const ElementType &type,
                     unsigned k)
    : elementBytes(type.bytes), matrix(matrix) {
  uint32_t gap = 16 * matrix.gap;
  bool isPlain = matrix.swizzle == 16;
  // An atom is 8 rows of the swizzle's length.
  uint32_t atom = 8 * matrix.swizzle;
  unsigned acrossAtom = matrix.swizzle / type.bytes;
  unsigned blocks = matrix.isTransposed
                        ? (matrix.rows + acrossAtom - 1) / acrossAtom
                        : matrix.rows / 8;
  // Whole atoms, as far as static shared memory has room for them.
  if (!isPlain)
    gap = gap && 2 * blocks * atom <= 24576 ? atom : 0;
  if (!matrix.isTransposed) {
    stride = (isPlain ? 2 * 128 + gap : atom) + gap;
    leading = isPlain ? 128 + gap : 16;
    bytes = blocks * stride;
  } else if (isPlain) {
    stride = 128 + gap;
    leading = blocks * stride;
    bytes = k / 8 * leading;
  } else {
    stride = atom + gap;
    leading = k / 8 * stride;
    bytes = blocks * leading;
  }
}

uint32_t Placement::offset(unsigned row, unsigned k) const {
  unsigned perUnit = 16 / elementBytes, units = matrix.swizzle / 16;
  if (!matrix.isTransposed) {
    // ((8,m),(T,2)):((W*T,SBO),(1,LBO)), and LBO is T with a swizzle.
    uint32_t along = units == 1 ? leading : 16;
    return row % 8 * 16 * units + row / 8 * stride +
           k % perUnit * elementBytes + k / perUnit * along + matrix.kOffset;
  }
  // ((T,W,m),(8,k)):((1,T,LBO),(W*T,SBO)); without a swizzle W is 1 and the
  // two exchange their parts.
  uint32_t alongRows = units == 1 ? stride : leading;
  uint32_t alongK = units == 1 ? leading : stride;
  return row % perUnit * elementBytes + row / perUnit % units * 16 +
         row / perUnit / units * alongRows + k % 8 * 16 * units +
         k / 8 * alongK;
}

uint32_t swizzled(uint32_t offset, unsigned swizzle) {
  switch (swizzle) {
  case 32:
    return offset ^ ((offset >> 7 & 1) << 4);
  case 64:
    return offset ^ ((offset >> 7 & 3) << 4);
  case 128:
    return offset ^ ((offset >> 7 & 7) << 4);
  default:
    return offset;
  }
}

/// A matrix of rows (of A) or columns (of B) by k.
struct Matrix {
  unsigned rows, k;
  std::vector<int> values;

  Matrix(unsigned rows, unsigned k, const ElementType &type, Random &random)
      : rows(rows), k(k), values(rows * k) {
    for (int &value : values)
      value = type.least + int(random.below(type.most - type.least + 1));
  }
  int at(unsigned row, unsigned column) const {
    return values[row * k + column];
  }
};

void put(std::vector<uint8_t> &bytes, uint64_t offset, uint32_t value,
         unsigned size) {
  if (bytes.size() < offset + size)
    bytes.resize(offset + size);
  std::memcpy(&bytes[offset], &value, size);
}

/// Appends the matrix at a multiple of 1024 of the image; where it begins.
uint32_t place(std::vector<uint8_t> &image, const Placement &placement,
               const Matrix &matrix, const ElementType &type) {
  uint32_t begin = (image.size() + 1023) / 1024 * 1024;
  begin += 128 * placement.matrix.firstLine;
  image.resize(begin + placement.bytes + placement.matrix.kOffset);
  for (unsigned row = 0; row < matrix.rows; ++row)
    for (unsigned k = 0; k < matrix.k; ++k)
      put(image,
          begin + swizzled(placement.offset(row, k), placement.matrix.swizzle),
          encode(type, matrix.at(row, k)), type.bytes);
  image.resize((image.size() + 15) / 16 * 16);
  return begin;
}

uint64_t descriptorBits(const Placement &placement, uint32_t begin) {
  uint64_t mode = placement.matrix.swizzle == 128  ? 1
                  : placement.matrix.swizzle == 64 ? 2
                  : placement.matrix.swizzle == 32 ? 3
                                                   : 0;
  uint64_t start = begin + placement.matrix.kOffset;
  return start >> 4 | uint64_t(placement.leading >> 4) << 16 |
         uint64_t(placement.stride >> 4) << 32 |
         uint64_t(placement.matrix.firstLine & 7) << 49 | mode << 62;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The row and column of element `number` of a thread's part of D.
void placeOfSum(unsigned thread, unsigned number, unsigned &row,
                unsigned &column) {
  unsigned lane = thread % 32;
  row = 16 * (thread / 32) + lane / 4 + 8 * (number >> 1 & 1);
  column = 2 * (lane % 4) + (number & 1) + 8 * (number >> 2);
}

/// As words, thread by thread.
template <typename Function>
std::vector<uint8_t> packSums(const Product &product, Function value) {
  std::vector<uint8_t> words;
  unsigned perThread = product.n / 2 * product.d.bytes;
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned number = 0; number < product.n / 2; ++number) {
      unsigned row, column;
      placeOfSum(thread, number, row, column);
      put(words, thread * perThread + number * product.d.bytes,
          encode(product.d, value(row, column)), product.d.bytes);
    }
  return words;
}

/// A's fragments: 4 registers of each thread.
std::vector<uint8_t> packA(const Product &product, const Matrix &a) {
  std::vector<uint8_t> words;
  unsigned packed = 4 / product.a.bytes;
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned element = 0; element < 4 * packed; ++element) {
      unsigned lane = thread % 32, index = element / packed;
      unsigned row = 16 * (thread / 32) + lane / 4 + 8 * (index & 1);
      unsigned k =
          lane % 4 * packed + element % packed + 4 * packed * (index >> 1);
      put(words, 16 * thread + element * product.a.bytes,
          encode(product.a, a.at(row, k)), product.a.bytes);
    }
  return words;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string number(uint64_t value) { return std::to_string(value); }

std::string registers(const std::string &stem, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + stem + number(i);
  return text + "}";
}

/// Copies the image into `tile`, 16 bytes of each thread at a time.
std::string copyIn(uint64_t bytes) {
  return "mov.u32 %t, %tid.x;\nmov.u32 %s, tile;\nshl.b32 %o, %t, 4;\n"
         "copy:\nsetp.ge.u32 %p, %o, " +
         number(bytes) +
         ";\n@%p bra copied;\n"
         "cvt.u64.u32 %x, %o;\nadd.u64 %x, %x, %in;\n"
         "ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%x];\n"
         "add.u32 %u, %s, %o;\nst.shared.v4.b32 [%u], {%v0, %v1, %v2, %v3};\n"
         "add.u32 %o, %o, 2048;\nbra copy;\ncopied:\n"
         "fence.proxy.async.shared::cta;\nbar.sync 0;\n";
}

/// Words of each thread, at `offset` of what `base` points to.
std::string accessWords(const std::string &base, uint64_t offset,
                        const std::string &stem, unsigned count, bool isLoad) {
  std::string text =
      "mad.wide.u32 %x, %t, " + number(4 * count) + ", " + base + ";\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string place = "[%x+" + number(offset + 4 * i) + "]";
    std::string name = stem + number(i);
    text += isLoad ? "ld.global.b32 " + name + ", " + place + ";\n"
                   : "st.global.b32 " + place + ", " + name + ";\n";
  }
  return text;
}

/// %x = the descriptor: `bits` counts from `tile`, which is at a multiple of
/// 1024.
std::string makeDescriptor(const std::string &name, uint64_t bits) {
  return "cvt.u64.u32 " + name + ", %s;\nshr.u64 " + name + ", " + name +
         ", 4;\nadd.u64 " + name + ", " + name + ", " + number(bits) + ";\n";
}

std::string productText(const Product &product, unsigned words) {
  std::string text =
      "wgmma.mma_async.sync.aligned.m64n" + number(product.n) + "k" +
      number(product.k()) + (product.saturates ? ".satfinite." : ".") +
      product.d.name + "." + product.a.name + "." + product.b.name + " " +
      registers("%d", words) + ", " +
      (product.isAInRegisters ? registers("%a", 4) : "%da") + ", %db, %p";
  if (!product.d.isInteger())
    text += std::string(", ") + (product.negatesA ? "-1" : "1") + ", " +
            (product.negatesB ? "-1" : "1");
  if (product.a.bytes == 2 && !product.isAInRegisters)
    text += product.matrixA.isTransposed ? ", 1" : ", 0";
  if (product.a.bytes == 2)
    text += product.matrixB.isTransposed ? ", 1" : ", 0";
  return text + ";\n";
}

int expectedSum(const Product &product, const Matrix &a, const Matrix &b,
                const Matrix &c, unsigned row, unsigned column) {
  int64_t sum = product.adds ? c.at(row, column) : 0;
  int64_t sign = product.negatesA != product.negatesB ? -1 : 1;
  for (unsigned k = 0; k < a.k; ++k)
    sum += sign * a.at(row, k) * b.at(column, k);
  if (product.saturates)
    sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
  return sum;
}

} // namespace

HopperProgram hopper::makeProgram(const Product &product, uint64_t seed) {
  Random random(seed);
  unsigned k = product.k();
  Matrix a(64, k, product.a, random), b(product.n, k, product.b, random);
  Matrix c(64, product.n, product.d, random);
  // Beyond what sums of products reach, but for some.
  if (product.saturates)
    for (int &value : c.values)
      value = value % 2 ? INT32_MAX - value % 4096 : INT32_MIN + value % 4096;
  HopperProgram program;
  program.name = product.name;
  std::vector<uint8_t> &image = program.input;
  uint64_t bitsOfA = 0;
  if (!product.isAInRegisters) {
    Placement placement(product.matrixA, product.a, k);
    bitsOfA = descriptorBits(placement, place(image, placement, a, product.a));
  }
  Placement placement(product.matrixB, product.b, k);
  uint64_t bitsOfB =
      descriptorBits(placement, place(image, placement, b, product.b));
  uint64_t tile = image.size(), words = product.n / 2 * product.d.bytes / 4;
  auto append = [&](const std::vector<uint8_t> &bytes) {
    image.insert(image.end(), bytes.begin(), bytes.end());
  };
  append(packSums(product, [&](unsigned row, unsigned column) {
    return c.at(row, column);
  }));
  uint64_t fragments = image.size();
  if (product.isAInRegisters)
    append(packA(product, a));
  program.expected = packSums(product, [&](unsigned row, unsigned column) {
    return expectedSum(product, a, b, c, row, column);
  });
  program.text =
      ".visible .entry " + product.name +
      "(.param .u64 input, .param .u64 output)\n.reqntid 128, 1, 1\n{\n"
      ".shared .align 1024 .b8 tile[" +
      number(tile) +
      "];\n.reg .pred %p;\n.reg .b32 %t, %s, %o, %u, %v<4>, %a<4>, %d<" +
      number(words) +
      ">;\n"
      ".reg .b64 %x, %in, %out, %da, %db;\n"
      "ld.param.u64 %in, [input];\nld.param.u64 %out, [output];\n" +
      copyIn(tile) + accessWords("%in", tile, "%d", words, /*isLoad=*/true) +
      (product.isAInRegisters
           ? accessWords("%in", fragments, "%a", 4, /*isLoad=*/true)
           : makeDescriptor("%da", bitsOfA)) +
      makeDescriptor("%db", bitsOfB) + "setp." + (product.adds ? "ge" : "lt") +
      ".u32 %p, %t, 0;\nwgmma.fence.sync.aligned;\n" +
      productText(product, words) +
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" +
      accessWords("%out", 0, "%d", words, /*isLoad=*/false) + "ret;\n}\n";
  return program;
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

namespace {

struct Types {
  ElementType d, a, b;
};

std::vector<Types> allTypes() {
  std::vector<Types> types = {
      {f32, f16, f16}, {f16, f16, f16}, {f32, bf16, bf16}, {f32, tf32, tf32}};
  for (const ElementType &a : {e4m3, e5m2})
    for (const ElementType &b : {e4m3, e5m2})
      for (const ElementType &d : {f32, f16})
        types.push_back({d, a, b});
  for (const ElementType &a : {s8, u8})
    for (const ElementType &b : {s8, u8})
      types.push_back({s32, a, b});
  return types;
}

Product makeProduct(const Types &types, unsigned n, bool isAInRegisters,
                    bool isATransposed, bool isBTransposed) {
  Product product;
  product.n = n;
  product.d = types.d, product.a = types.a, product.b = types.b;
  product.isAInRegisters = isAInRegisters;
  product.matrixA.rows = 64;
  product.matrixA.isTransposed = isATransposed;
  product.matrixB.rows = n;
  product.matrixB.isTransposed = isBTransposed;
  product.name = types.d.name + "_" + types.a.name + "_" + types.b.name + "_n" +
                 number(n) + (isAInRegisters ? "_r" : "_s") +
                 (isATransposed ? "t" : "n") + (isBTransposed ? "t" : "n");
  return product;
}

constexpr unsigned swizzles[] = {16, 32, 64, 128};

void drawMatrix(SharedMatrix &matrix, Random &random) {
  matrix.swizzle = swizzles[random.below(4)];
  matrix.gap = random.below(2);
  // A row of the pattern has room for this many steps of K.
  if (!matrix.isTransposed && matrix.swizzle > 32)
    matrix.kOffset = 32 * random.below(matrix.swizzle / 32);
}

void drawRest(Product &product, Random &random) {
  drawMatrix(product.matrixA, random);
  drawMatrix(product.matrixB, random);
  product.adds = random.below(4);
  product.saturates = product.d.isInteger() && random.flip();
  product.negatesA = !product.d.isInteger() && random.flip();
  product.negatesB = !product.d.isInteger() && random.flip();
}

std::vector<unsigned> allColumns(bool isInteger) {
  std::vector<unsigned> columns;
  for (unsigned n = 8; n <= 256; n += isInteger && n >= 32 ? 16 : 8)
    columns.push_back(n);
  return columns;
}

/// Calls `function` with each place of A and each pair of orders.
template <typename Function>
void forPlaces(const Types &types, Function function) {
  bool mayTranspose = types.a.bytes == 2;
  for (bool isAInRegisters : {false, true})
    for (bool isATransposed : {false, true})
      for (bool isBTransposed : {false, true}) {
        bool isLegal = !(isATransposed && isAInRegisters) &&
                       (mayTranspose || !(isATransposed || isBTransposed));
        if (isLegal)
          function(isAInRegisters, isATransposed, isBTransposed);
      }
}

} // namespace

std::vector<Product> hopper::allProducts() {
  std::vector<Product> products;
  for (const Types &types : allTypes())
    for (unsigned n : allColumns(types.d.isInteger()))
      forPlaces(
          types, [&](bool inRegisters, bool aTransposed, bool bTransposed) {
            Product product =
                makeProduct(types, n, inRegisters, aTransposed, bTransposed);
            Random random(products.size());
            drawRest(product, random);
            products.push_back(std::move(product));
          });
  return products;
}

std::vector<Product> hopper::allSwizzles() {
  std::vector<Product> products;
  for (const Types &types : allTypes())
    forPlaces(types, [&](bool inRegisters, bool aTransposed, bool bTransposed) {
      for (unsigned swizzleOfA : swizzles)
        for (unsigned swizzleOfB : swizzles)
          for (unsigned gap : {0, 1}) {
            if (inRegisters && swizzleOfA != 16)
              continue;
            Product product =
                makeProduct(types, 96, inRegisters, aTransposed, bTransposed);
            product.matrixA.swizzle = swizzleOfA;
            product.matrixB.swizzle = swizzleOfB;
            product.matrixA.gap = product.matrixB.gap = gap;
            product.name += "_w" + number(swizzleOfA) + "_" +
                            number(swizzleOfB) + (gap ? "_gap" : "");
            products.push_back(std::move(product));
          }
    });
  return products;
}

std::vector<Product> hopper::allBaseOffsets() {
  std::vector<Product> products;
  Types types = {f32, f16, f16};
  forPlaces(types, [&](bool inRegisters, bool aTransposed, bool bTransposed) {
    for (unsigned swizzle : swizzles)
      for (unsigned line = 1; line < swizzle / 16; ++line) {
        Product product =
            makeProduct(types, 64, inRegisters, aTransposed, bTransposed);
        product.matrixA.swizzle = product.matrixB.swizzle = swizzle;
        product.matrixA.firstLine = product.matrixB.firstLine = line;
        product.name += "_w" + number(swizzle) + "_line" + number(line);
        products.push_back(std::move(product));
      }
  });
  return products;
}
