// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host arrays, element conversion, and .npy files.

#include "lib/Run/Npy.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilewright::run;

static std::vector<uint8_t> fileOf(const std::string &header,
                                   size_t contentBytes, char major = 1) {
  std::string text = "\x93NUMPY";
  text += major;
  text += '\0';
  text += char(header.size() & 255);
  text += char(header.size() >> 8);
  if (major == 2)
    text += std::string(2, '\0');
  text += header + std::string(contentBytes, '\x01');
  return {text.begin(), text.end()};
}

static std::string failureOf(const std::vector<uint8_t> &bytes) {
  Result<HostTensor> tensor = parseNpy(bytes);
  return tensor ? "" : tensor.error().message;
}

TEST(Tensor, ConversionsAreExactWhereTheyCanBe) {
  // Every bit pattern of the narrow types decodes and encodes to itself.
  for (ElementType type : {ElementType::F8E4M3, ElementType::F8E5M2,
                           ElementType::F16, ElementType::BF16})
    for (uint32_t bits = 0; bits < 1u << (8 * byteSize(type)); ++bits) {
      uint8_t in[2] = {uint8_t(bits), uint8_t(bits >> 8)}, out[2] = {};
      double value = toDouble(type, in);
      fromDouble(type, value, out);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(toDouble(type, out)));
        continue;
      }
      ASSERT_EQ(in[0], out[0]) << name(type) << " " << bits;
      if (byteSize(type) == 2) {
        ASSERT_EQ(in[1], out[1]) << name(type) << " " << bits;
      }
    }
}

static uint32_t encode(ElementType type, double value) {
  uint8_t bytes[8] = {};
  fromDouble(type, value, bytes);
  return bytes[0] | uint32_t(bytes[1]) << 8 | uint32_t(bytes[2]) << 16 |
         uint32_t(bytes[3]) << 24;
}

TEST(Tensor, RoundingAndOverflow) {
  EXPECT_EQ(encode(ElementType::F16, 1.0), 0x3c00u);
  EXPECT_EQ(encode(ElementType::F16, 1.0 + 0x1p-11), 0x3c00u); // tie to even
  EXPECT_EQ(encode(ElementType::F16, 1.0 + 0x3p-11), 0x3c02u);
  EXPECT_EQ(encode(ElementType::F16, 65519.9), 0x7bffu);
  EXPECT_EQ(encode(ElementType::F16, 65520), 0x7c00u);
  EXPECT_EQ(encode(ElementType::F16, 0x1p-24), 1u);
  EXPECT_EQ(encode(ElementType::F16, 0x1p-25), 0u);
  EXPECT_EQ(encode(ElementType::F16, -0.0), 0x8000u);
  EXPECT_EQ(encode(ElementType::BF16, -1.5), 0xbfc0u);
  EXPECT_EQ(encode(ElementType::F8E4M3, 448), 0x7eu);
  EXPECT_EQ(encode(ElementType::F8E4M3, 465), 0x7fu);
  EXPECT_EQ(encode(ElementType::F8E4M3, INFINITY), 0x7fu);
  EXPECT_EQ(encode(ElementType::F8E5M2, 57344), 0x7bu);
  EXPECT_EQ(encode(ElementType::F8E5M2, INFINITY), 0x7cu);
  EXPECT_EQ(encode(ElementType::I8, 300), 0x7fu);
  EXPECT_EQ(encode(ElementType::I8, -300), 0x80u);
  EXPECT_EQ(encode(ElementType::U8, -1), 0u);
  EXPECT_EQ(encode(ElementType::I32, -7.9), uint32_t(-7));
  EXPECT_EQ(encode(ElementType::I32, NAN), 0u);
}

TEST(Tensor, TypeNames) {
  EXPECT_EQ(tensorFromTypeName("3x4xbf16")->typeName(), "3x4xbf16");
  EXPECT_EQ(tensorFromTypeName("3x4xbf16")->bytes.size(), 24u);
  EXPECT_EQ(tensorFromTypeName("f32")->bytes.size(), 4u);
  EXPECT_EQ(tensorFromTypeName("0x5xf64")->bytes.size(), 0u);
  for (const char *text :
       {"", "x", "3", "3x", "3xf17", "-3xf32", "3 xf32",
        "99999999999999999999xf32", "4294967296x4294967296x4294967296xf32"})
    EXPECT_FALSE(bool(tensorFromTypeName(text))) << text;
}

TEST(Npy, RoundTripOfEveryType) {
  for (unsigned i = 0; i <= unsigned(ElementType::F64); ++i)
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {5}, {2, 3}, {0, 7}, {1, 2, 3, 4}}) {
      HostTensor tensor = *HostTensor::create(ElementType(i), shape);
      for (size_t b = 0; b < tensor.bytes.size(); ++b)
        tensor.bytes[b] = uint8_t(b * 3 + 1);
      std::vector<uint8_t> bytes = serializeNpy(tensor);
      EXPECT_EQ((bytes.size() - tensor.bytes.size()) % 64, 0u);
      Result<HostTensor> parsed = parseNpy(bytes);
      ASSERT_TRUE(bool(parsed)) << parsed.error().message;
      EXPECT_EQ(parsed->shape, shape);
      EXPECT_EQ(parsed->bytes, tensor.bytes);
      bool hasCode = tensor.type < ElementType::F8E4M3 ||
                     tensor.type == ElementType::F16 ||
                     tensor.type >= ElementType::F32;
      EXPECT_EQ(parsed->type, hasCode                      ? tensor.type
                              : byteSize(tensor.type) == 1 ? ElementType::U8
                                                           : ElementType::U16);
    }
}

TEST(Npy, HeadersAsNumpyWritesThem) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";
  EXPECT_EQ(parseNpy(fileOf(header, 24))->typeName(), "2x3xf32");
  EXPECT_EQ(parseNpy(fileOf(header, 24, 2))->typeName(), "2x3xf32");
  EXPECT_EQ(parseNpy(fileOf("{'shape':(4,),'fortran_order':False,"
                            "'descr':'<i2'}",
                            8))
                ->typeName(),
            "4xi16");
  EXPECT_EQ(parseNpy(fileOf("{'descr': '|b1', 'fortran_order': False, "
                            "'shape': (), }",
                            1))
                ->typeName(),
            "i1");
}

TEST(Npy, OtherFormsAreNamed) {
  EXPECT_EQ(failureOf(fileOf(
                "{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8)),
            "bad .npy header at byte 44: expects C order ('fortran_order': "
            "False); use numpy.ascontiguousarray");
  EXPECT_NE(failureOf(fileOf("{'descr': '>f4', 'fortran_order': False, "
                             "'shape': (2,), }",
                             8))
                .find("but got '>f4'"),
            std::string::npos);
  EXPECT_EQ(failureOf(fileOf("{'descr': '<f4', 'fortran_order': False, "
                             "'shape': (2,), }",
                             9)),
            "bad .npy file: 2xf32 expects 8 bytes of elements, but got 9");
  EXPECT_NE(failureOf(fileOf("{'descr': '<f4', 'fortran_order': False, "
                             "'shape': (4611686018427387904, 4), }",
                             16))
                .find("expects more than"),
            std::string::npos);
  EXPECT_NE(failureOf(fileOf("{'descr': [('a', '<f4')], 'fortran_order': "
                             "False, 'shape': (2,), }",
                             8)),
            "");
}

TEST(Npy, DamageIsAnErrorOrAnArray) {
  std::vector<uint8_t> original =
      fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
  for (size_t size = 0; size < original.size(); ++size)
    EXPECT_NE(failureOf({original.begin(), original.begin() + long(size)}), "")
        << size;
  for (size_t bit = 0; bit < original.size() * 8; ++bit) {
    std::vector<uint8_t> bytes = original;
    bytes[bit / 8] ^= uint8_t(1 << bit % 8);
    Result<HostTensor> parsed = parseNpy(bytes);
    if (parsed) {
      EXPECT_EQ(parsed->bytes.size(), 24u);
    }
  }
}

TEST(Npy, Files) {
  std::string path = testing::TempDir() + "tilewright_npy_test.npy";
  HostTensor tensor = *tensorFromTypeName("2x2xi32");
  tensor.bytes[4] = 7;
  ASSERT_TRUE(bool(writeNpy(path, tensor)));
  EXPECT_EQ(*readNpy(path), tensor);
  std::remove(path.c_str());
  EXPECT_NE(readNpy(path).error().message.find(path), std::string::npos);
}
