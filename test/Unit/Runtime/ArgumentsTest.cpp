// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument syntax of `tilewright run`, and comparing.

#include "lib/Run/Arguments.h"
#include "lib/Run/Npy.h"
#include "lib/Run/Run.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilewright::run;

static std::vector<double> valuesOf(const HostTensor &tensor) {
  std::vector<double> values;
  for (uint64_t i = 0; i < tensor.elementCount(); ++i)
    values.push_back(toDouble(tensor.type, tensor.element(i)));
  return values;
}

static std::vector<double> parsed(std::string_view text) {
  Result<RunArgument> argument = parseArgument(text);
  EXPECT_TRUE(bool(argument)) << (argument ? "" : argument.error().message);
  return argument ? valuesOf(argument->value) : std::vector<double>();
}

static std::string failureOf(std::string_view text) {
  Result<RunArgument> argument = parseArgument(text);
  return argument ? "" : argument.error().message;
}

TEST(Arguments, MadeArrays) {
  using Values = std::vector<double>;
  EXPECT_EQ(parsed("zeros:2x2xf16"), Values({0, 0, 0, 0}));
  EXPECT_EQ(parsed("full:3xbf16:1.5"), Values({1.5, 1.5, 1.5}));
  EXPECT_EQ(parsed("full:2xu64:0xff"), Values({255, 255}));
  EXPECT_EQ(parsed("arange:4xi32"), Values({0, 1, 2, 3}));
  EXPECT_EQ(parsed("arange:3xi8:-1:-2"), Values({-1, -3, -5}));
  EXPECT_EQ(parsed("arange:3xf32:1:0.5"), Values({1, 1.5, 2}));
  EXPECT_EQ(parsed("arange:3xu8:2:-1"), Values({2, 1, 0}));
  EXPECT_EQ(parsed("poison:2xi32"), Values({-1, -1}));
  for (const char *text : {"poison:2xf8e4m3", "poison:2xf8e5m2", "poison:2xf16",
                           "poison:2xbf16", "poison:2xf32", "poison:2xf64"})
    for (double value : parsed(text))
      EXPECT_TRUE(std::isnan(value)) << text;
}

TEST(Arguments, RandomIsTheSameEverywhere) {
  // SplitMix64 from seed 1234567, as published with the generator.
  EXPECT_EQ(randomBits(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(randomBits(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(parsed("random:5xf32:7"), parsed("random:5xf32:7"));
  EXPECT_NE(parsed("random:5xf32:7"), parsed("random:5xf32:8"));
  double sum = 0;
  for (double value : parsed("random:10000xf64:3:2:4")) {
    EXPECT_GE(value, 2);
    EXPECT_LT(value, 4);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 3, 0.03);
  unsigned counts[4] = {};
  for (double value : parsed("random:4000xi8:1:-2:1"))
    ++counts[int(value) + 2];
  for (unsigned count : counts)
    EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(parsed("random:2xf32:1:5:5"), std::vector<double>({5, 5}));
  EXPECT_EQ(parsed("random:2xi64:1:5:5"), std::vector<double>({5, 5}));
}

TEST(Arguments, Scalars) {
  Result<RunArgument> argument = parseArgument("i64:-5");
  ASSERT_TRUE(bool(argument));
  EXPECT_EQ(argument->kind, RunArgument::Kind::Scalar);
  EXPECT_EQ(toInteger(ElementType::I64, argument->value.bytes.data()), -5);
  EXPECT_EQ(parsed("f32:0.5"), std::vector<double>({0.5}));
  EXPECT_TRUE(std::isinf(parsed("f16:-inf")[0]));
  EXPECT_EQ(parseArgument("null")->kind, RunArgument::Kind::Null);
  EXPECT_EQ(failureOf("i8:128"), "argument 'i8:128': expects an integer that "
                                 "fits in i8, but got '128'");
  EXPECT_EQ(failureOf("i8:-128"), "");
  EXPECT_NE(failureOf("u8:-1"), "");
  EXPECT_NE(failureOf("i1:2"), "");
  EXPECT_NE(failureOf("f32:one"), "");
  EXPECT_NE(failureOf("i32:"), "");
}

TEST(Arguments, FilesAndOutputs) {
  std::string path = testing::TempDir() + "tilewright_argument_test.npy";
  HostTensor tensor = *tensorFromTypeName("2xu16");
  tensor.bytes = {0x80, 0x3f, 0x00, 0x40};
  ASSERT_TRUE(bool(writeNpy(path, tensor)));
  EXPECT_EQ(parsed(path), std::vector<double>({0x3f80, 0x4000}));
  EXPECT_EQ(parsed(path + ":bf16"), std::vector<double>({1, 2}));
  EXPECT_NE(failureOf(path + ":f32").find("2xu16"), std::string::npos);
  Result<RunArgument> both = parseArgument("out.npy=" + path);
  EXPECT_EQ(both->output, "out.npy");
  EXPECT_EQ(both->value, tensor);
  std::remove(path.c_str());
  EXPECT_NE(failureOf(path), "");
}

TEST(Arguments, BadTextIsQuoted) {
  for (const char *text :
       {"", ":", "=", "zeros", "zeros:", "zeros:4xf32:1", "full:4xf32",
        "random:4xf32", "random:4xf32:1:2", "random:4xf32:1:2:1",
        "random:4xf32:-1", "arange:4xi32:x", "out.txt=zeros:4xf32",
        "out.npy=i32:5", "out.npy=null", "f99:1", "ones:4xf32",
        "random:4xf32:1:-inf:0", "x.npy"}) {
    std::string message = failureOf(text);
    EXPECT_NE(message.find("argument '" + std::string(text) + "': "),
              std::string::npos)
        << text << ": " << message;
  }
}

TEST(Arguments, Expectations) {
  Result<Expectation> expectation =
      parseExpectation("2=full:4xf32:1@1e-2,1e-3");
  ASSERT_TRUE(bool(expectation)) << expectation.error().message;
  EXPECT_EQ(expectation->argument, 2u);
  EXPECT_EQ(expectation->tolerance.relative, 1e-2);
  EXPECT_EQ(expectation->tolerance.absolute, 1e-3);
  EXPECT_EQ(parseExpectation("0=zeros:f32")->tolerance.relative, 0);
  for (const char *text : {"", "zeros:f32", "x=zeros:f32", "0=i32:5",
                           "0=zeros:f32@", "0=zeros:f32@-1", "-1=zeros:f32"})
    EXPECT_FALSE(bool(parseExpectation(text))) << text;
}

TEST(Arguments, Dimensions) {
  EXPECT_EQ(*parseDimensions("64"),
            (tilewright::runtime::Dimensions{64, 1, 1}));
  EXPECT_EQ(*parseDimensions("6x2,3"),
            (tilewright::runtime::Dimensions{6, 2, 3}));
  for (const char *text : {"", "x", "1x", "1x2x3x4", "-1", "1 "})
    EXPECT_FALSE(bool(parseDimensions(text))) << text;
}

static HostTensor floats(std::vector<double> values) {
  HostTensor tensor =
      *HostTensor::create(ElementType::F32, {int64_t(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    fromDouble(ElementType::F32, values[i], tensor.element(i));
  return tensor;
}

TEST(Compare, TolerancesAndErrors) {
  HostTensor expected = floats({1, 2, 4}), actual = floats({1, 2.5, 4});
  Comparison exact = *compare(actual, expected, {});
  EXPECT_EQ(exact.mismatches, 1u);
  EXPECT_EQ(exact.firstMismatch, 1u);
  EXPECT_EQ(exact.maxAbsoluteError, 0.5);
  EXPECT_EQ(exact.maxRelativeError, 0.25);
  EXPECT_EQ(describe(exact, actual),
            "1 of 3 differ, max abs 0.5, max rel 0.25, first at [1]: expects "
            "2, but got 2.5");
  EXPECT_TRUE(compare(actual, expected, {0.25, 0})->matches());
  EXPECT_FALSE(compare(actual, expected, {0.24, 0})->matches());
  EXPECT_TRUE(compare(actual, expected, {0, 0.5})->matches());
}

TEST(Compare, NanAndInfinity) {
  Tolerance loose{1, 1e9}, strict;
  strict.nanMatchesNan = false;
  EXPECT_TRUE(compare(floats({NAN}), floats({NAN}), {})->matches());
  EXPECT_FALSE(compare(floats({NAN}), floats({NAN}), strict)->matches());
  EXPECT_FALSE(compare(floats({NAN}), floats({1}), loose)->matches());
  EXPECT_FALSE(compare(floats({1}), floats({NAN}), loose)->matches());
  EXPECT_TRUE(compare(floats({INFINITY}), floats({INFINITY}), {})->matches());
  EXPECT_FALSE(
      compare(floats({INFINITY}), floats({-INFINITY}), loose)->matches());
  EXPECT_FALSE(compare(floats({1}), floats({INFINITY}), loose)->matches());
}

TEST(Compare, IntegersAreExact) {
  HostTensor a = *tensorFromTypeName("1xi64"), b = a;
  fromInteger(a.type, (int64_t(1) << 60) + 1, a.element(0));
  fromInteger(b.type, int64_t(1) << 60, b.element(0));
  EXPECT_FALSE(compare(a, b, {})->matches());
  fromInteger(a.type, -1, a.element(0));
  b.type = ElementType::U64;
  fromInteger(b.type, -1, b.element(0));
  EXPECT_FALSE(compare(a, b, {})->matches());
}

TEST(Compare, ShapesMustAgree) {
  Result<Comparison> result = compare(floats({1, 2}), floats({1}), {});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().message, "expects 1xf32, but got 2xf32");
}
