// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by coefficients.py. Polynomials from the lowest power up; constants as
// sums of numbers of the format.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_COEFFICIENTS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_COEFFICIENTS_H

#include <cstdint>

namespace tilewright::functions {

enum class Format { F32, F64 };

template <Format format>
struct Coefficients;

template <>
struct Coefficients<Format::F32> {
  /// (e^r - 1 - r) / r^2: error below 2^-28.
  static constexpr double expTail[] = {0x0.8p+0,      0x0.aaaaabp-2,
                                       0x0.aaaa59p-4, 0x0.888848p-6,
                                       0x0.b6b8bap-9, 0x0.d0d02cp-12};
  /// (2^r - 1) / r: error below 2^-28.
  static constexpr double exp2Tail[] = {
      0x0.b17218p+0, 0x0.f5fdfp-2,   0x0.e35847p-4, 0x0.9d94f6p-6,
      0x0.aec38fp-9, 0x0.a231bap-12, 0x0.807a97p-15};
  /// (log(1 + f) - f) / f^2: error below 2^-26.
  static constexpr double logSquareTail[] = {
      -0x0.fffffdp-1, 0x0.aaaaa2p-1, -0x0.8001d7p-1,
      0x0.ccd488p-2,  -0x0.aa1f4p-2, 0x0.910dd5p-2,
      -0x0.87199dp-2, 0x0.85036dp-2, -0x0.a09657p-3};
  /// (log(1 + f) - f) / f^2, for 1 + f from 3/4: error below 2^-26.
  static constexpr double logPlus1SquareTail[] = {
      -0x0.8p+0,      0x0.aaaadp-1,   -0x0.800053p-1,
      0x0.ccb5f6p-2,  -0x0.aa6bedp-2, 0x0.941b0bp-2,
      -0x0.871324p-2, 0x0.d95a96p-3,  -0x0.be4c7cp-4};
  /// (log2(1 + f) - f log2 e) / f^2: error below 2^-27.
  static constexpr double log2SquareTail[] = {
      -0x0.b8aa3bp+0, 0x0.f63845p-1, -0x0.b8aa34p-1, 0x0.93bf6dp-1,
      -0x0.f64236p-2, 0x0.d21431p-2, -0x0.b6f658p-2, 0x0.af3f9cp-2,
      -0x0.ae15bfp-2, 0x0.ccc179p-3};
  /// (log(1 + f) - f + f^2 / 2) / (f^3 / 2): error below 2^-25.
  static constexpr double logCubeTail[] = {
      0x0.aaaaa5p+0, -0x0.800107p+0, 0x0.ccd2c5p-1, -0x0.aa3e69p-1,
      0x0.913858p-1, -0x0.865e71p-1, 0x0.83dbddp-1, -0x0.a13351p-2};
  /// (log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 of z = s^2: error below
  /// 2^-26.
  static constexpr double powTail[] = {0x0.cccccdp-1, 0x0.924948p-1,
                                       0x0.e35fc2p-2, 0x0.c3dd1cp-2};
  /// (sin r - r) / r^3 of z = r^2: error below 2^-27.
  static constexpr double sineTail[] = {-0x0.aaaaabp-2, 0x0.888887p-6,
                                        -0x0.d00996p-12, 0x0.b6cb73p-18};
  /// (cos r - 1 + r^2 / 2) / r^4 of z = r^2: error below 2^-29.
  static constexpr double cosineTail[] = {0x0.aaaaabp-4, -0x0.b60b6p-9,
                                          0x0.d00ab9p-15, -0x0.928513p-21};
  /// (atan t - t) / t^3 of z = t^2: error below 2^-26.
  static constexpr double arctangentTail[] = {-0x0.aaaaabp-1, 0x0.ccccb5p-2,
                                              -0x0.924346p-2, 0x0.e27e9dp-3,
                                              -0x0.aede52p-3, 0x0.c60fb1p-4};
  /// (asin x - x) / x^3 of z = x^2: error below 2^-26.
  static constexpr double arcsineTail[] = {0x0.aaaaaap-2, 0x0.999a24p-3,
                                           0x0.b6aadcp-4, 0x0.ff0abap-5,
                                           0x0.8b43acp-5, 0x0.8afb79p-4};
  /// (tanh x - x) / x^3 of z = x^2: error below 2^-26.
  static constexpr double tanhTail[] = {
      -0x0.aaaa9ep-1, 0x0.8885f1p-2, -0x0.dcb112p-4, 0x0.b004cap-5,
      -0x0.823065p-6, 0x0.96d283p-8, -0x0.bbeea7p-11};
  /// erf x / x - 1 of z = x^2: error below 2^-27.
  static constexpr double errorTail[] = {
      0x0.8375d4p-2, -0x0.c093a3p-1,  0x0.e71785p-3,  -0x0.dc14ecp-5,
      0x0.ab158dp-7, -0x0.de6befp-10, 0x0.ec5c47p-13, -0x0.a267e2p-16};
  /// -log2(erfc x), weighed by erfc x log 2: error below 2^-28.
  static constexpr double errorHalvings[] = {
      0x0.85c6fep-10, 0x0.d01ff3p+1, 0x0.ebb743p+0,  0x0.983814p-2,
      -0x0.80da82p-4, 0x0.8af7a3p-7, -0x0.8c5d84p-11};
  /// (1 + 2 x) e^(x^2) erfc x of t = (x - 4) / (x + 4): error below 2^-24.
  static constexpr double scaledErrorTail[] = {
      0x0.9dd2c9p+1,  -0x0.8ef8e2p-2, 0x0.fbfcbp-6,    0x0.8b7913p-3,
      -0x0.cef158p-3, 0x0.bfe12cp-3,  -0x0.87be6ep-3,  0x0.98d0a9p-4,
      -0x0.85ff32p-5, 0x0.9e3ecbp-7,  -0x0.86453fp-10, -0x0.e46a74p-13};
  static constexpr double log2E[] = {0x0.b8aa3bp+1, 0x0.a5706p-25};
  static constexpr double ln2[] = {0x0.b17218p+0, -0x0.82e308p-28};
  static constexpr double ln10[] = {0x0.935d8ep+2, -0x0.89555dp-24};
  static constexpr double log10E[] = {0x0.de5bd9p-1, -0x0.ad91afp-26};
  static constexpr double log2Of10[] = {0x0.d49a78p+2};
  static constexpr double log10Of2[] = {0x0.9a209bp-1, -0x0.f6086p-26};
  static constexpr double twoThirds[] = {0x0.aaaaabp+0, -0x0.aaaaabp-25};
  static constexpr double halfPi[] = {0x0.c90fdbp+1, -0x0.bbbd2ep-24,
                                      -0x0.f72cedp-49};
  static constexpr double twoPi[] = {0x0.c90fdbp+3, -0x0.bbbd2ep-22};
  static constexpr double pi[] = {0x0.c90fdbp+2, -0x0.bbbd2ep-23};
  static constexpr double twoOverPi[] = {0x0.a2f983p+0};
  static constexpr double inverseSqrt2[] = {0x0.b504f3p+0, 0x0.cfe77ap-26};
  static constexpr double atanHalf[] = {0x0.ed6338p-1, 0x0.ac376ap-27};
  static constexpr double atanOne[] = {0x0.c90fdbp+0, -0x0.bbbd2ep-25};
  static constexpr double atanThreeHalves[] = {0x0.fb985fp+0, -0x0.d7e096p-25};
  static constexpr double ln2Short[] = {0x0.b17p+0, 0x0.85fdf4p-14};
  static constexpr double log10Of2Short[] = {0x0.9a2p-1, 0x0.9a84fcp-17};
};

template <>
struct Coefficients<Format::F64> {
  /// (e^r - 1 - r) / r^2: error below 2^-59.
  static constexpr double expTail[] = {0x0.8p+0,
                                       0x0.aaaaaaaaaaaaa8p-2,
                                       0x0.aaaaaaaaaaaac8p-4,
                                       0x0.888888888888ap-6,
                                       0x0.b60b60b60a78c8p-9,
                                       0x0.d00d00d00bf15p-12,
                                       0x0.d00d00d6aecc78p-15,
                                       0x0.b8ef1d30a57e28p-18,
                                       0x0.93f26662b1a048p-21,
                                       0x0.d732094c97e33p-25,
                                       0x0.8fc535b5661f68p-28,
                                       0x0.b0f28ba6334b38p-32};
  /// (2^r - 1) / r: error below 2^-55.
  static constexpr double exp2Tail[] = {
      0x0.b17217f7d1cf78p+0,  0x0.f5fdeffc162c78p-2, 0x0.e35846b82506p-4,
      0x0.9d955b7dd273fp-6,   0x0.aec3ff3c5339cp-9,  0x0.a184897c34ed3p-12,
      0x0.ffe5fe2c4376d8p-16, 0x0.b1601124e737ap-19, 0x0.da929ea6150b7p-23,
      0x0.f2677ac05967f8p-27, 0x0.f46535d1704p-31,   0x0.e264bac02880d8p-35,
      0x0.c12265bc8cfd48p-39};
  /// (log((1 + s) / (1 - s)) - 2 s) / s^3 of z = s^2: error below 2^-54.
  static constexpr double logTail[] = {
      0x0.aaaaaaaaaaaaa8p+0, 0x0.ccccccccccd2p-1,   0x0.924924923ad0bp-1,
      0x0.e38e3901af9d18p-2, 0x0.ba2e7c183cad58p-2, 0x0.9d8e30d3ca1fa8p-2,
      0x0.87dd0285c352f8p-2, 0x0.86195cbefb27c8p-2};
  /// (log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 of z = s^2: error below
  /// 2^-55.
  static constexpr double powTail[] = {
      0x0.ccccccccccccdp-1,  0x0.92492492492948p-1, 0x0.e38e38e37444c8p-2,
      0x0.ba2e8bbe329ab8p-2, 0x0.9d89ca8a4b248p-2,  0x0.888c77bb91693p-2,
      0x0.efba50c0313068p-3, 0x0.f041472cfadb18p-3};
  /// (sin r - r) / r^3 of z = r^2: error below 2^-56.
  static constexpr double sineTail[] = {
      -0x0.aaaaaaaaaaaaa8p-2, 0x0.8888888888888p-6,    -0x0.d00d00d00cbea8p-12,
      0x0.b8ef1d2a1b1df8p-18, -0x0.d73229e5483d58p-25, 0x0.b090a36ee2aa58p-32,
      -0x0.d57ba858ab867p-40};
  /// (cos r - 1 + r^2 / 2) / r^4 of z = r^2: error below 2^-58.
  static constexpr double cosineTail[] = {
      0x0.aaaaaaaaaaaaa8p-4,   -0x0.b60b60b60b60bp-9,  0x0.d00d00d00ce36p-15,
      -0x0.93f27dbb7fff68p-21, 0x0.8f76c6e5bbf328p-28, -0x0.c9ca44083f4d4p-36,
      0x0.d5adb6aa2ee52p-44};
  /// (atan t - t) / t^3 of z = t^2: error below 2^-55.
  static constexpr double arctangentTail[] = {
      -0x0.aaaaaaaaaaaaa8p-1, 0x0.ccccccccccc69p-2,   -0x0.9249249242fa18p-2,
      0x0.e38e38dec97a58p-3,  -0x0.ba2e8aae9f3f88p-3, 0x0.9d89bbb132c52p-3,
      -0x0.88865a56be88d8p-3, 0x0.f0b925ff8308b8p-4,  -0x0.d5b26f5336e688p-4,
      0x0.b8164c9e9a1fbp-4,   -0x0.87e05bd92bbb88p-4, 0x0.f2bc42f583f048p-6};
  /// (asin x - x) / x^3 of z = x^2: error below 2^-56.
  static constexpr double arcsineTail[] = {
      0x0.aaaaaaaaaaaaa8p-2, 0x0.99999999999c98p-3, 0x0.b6db6db6d57128p-4,
      0x0.f8e38e3d9699bp-5,  0x0.b745d07e523e2p-5,  0x0.8e278089f0d9b8p-5,
      0x0.e4c80d04d7ab6p-6,  0x0.bd84a06feb6a9p-6,  0x0.9d89c520d0b4p-6,
      0x0.9946eacea0e058p-6, 0x0.bed58afa369ba8p-8, 0x0.a2ce2bf4e91b3p-5,
      -0x0.a1480d588866dp-5, 0x0.f4d6e7d09ae0d8p-5};
  /// (tanh x - x) / x^3 of z = x^2: error below 2^-55.
  static constexpr double tanhTail[] = {
      -0x0.aaaaaaaaaaaaa8p-1, 0x0.88888888888568p-2,   -0x0.dd0dd0dd07c9ep-4,
      0x0.b327a43f19029p-5,   -0x0.91371a3d08e598p-6,  0x0.eb69ce032e2b08p-8,
      -0x0.becfbfdd12811p-9,  0x0.9a93c2b830e1fp-10,   -0x0.f925697f56de18p-12,
      0x0.c2306f8d0a7dcp-13,  -0x0.82facc58eaa478p-14, 0x0.da0467200fbe98p-17};
  /// erf x / x - 1 of z = x^2: error below 2^-56.
  static constexpr double errorTail[] = {
      0x0.8375d410a6db48p-2,  -0x0.c093a3581bcf38p-1,  0x0.e71790d0215f1p-3,
      -0x0.dc167189445a38p-5, 0x0.ab2de6873517cp-7,    -0x0.e016da001b0c38p-10,
      0x0.fcd1937bd94bd8p-13, -0x0.fa692dfd2f274p-16,  0x0.dcf361cde2eb4p-19,
      -0x0.afb9e23c062a8p-22, 0x0.fe5d9f93ac1d28p-26,  -0x0.a8be9e8e975238p-29,
      0x0.cd09797e7b1d58p-33, -0x0.da0f4fc75de098p-37, 0x0.9e136f7da4a538p-41};
  /// (1 + 2 x) e^(x^2) erfc x of t = (x - 4) / (x + 4): error below 2^-53.
  static constexpr double scaledErrorTail[] = {
      0x0.9dd2c8b74febf8p+1,  -0x0.8ef8d68aa51468p-2,  0x0.fbfaefb37ed8ep-6,
      0x0.8b7677e7d290ep-3,   -0x0.ceed91e1f55458p-3,  0x0.bff700270afbdp-3,
      -0x0.87d836ff119568p-3, 0x0.983cf6fafc6f98p-4,   -0x0.84b11c4629cd18p-5,
      0x0.a4e3395a59c318p-7,  -0x0.c6a549b77f0828p-10, -0x0.d0efa638e4b5d8p-12,
      0x0.9defe4af2b44d8p-12, -0x0.cca9fcaf4da028p-15, -0x0.bc37d3a48c8738p-16,
      0x0.bf762e81c53b6p-17,  0x0.9a4e62f74fa198p-21,  -0x0.dbc9b563832448p-20,
      0x0.b08a94574b8cd8p-23, 0x0.dc6785370e1908p-23,  -0x0.c5aae0723a20b8p-25,
      -0x0.a1bc6cfe158c9p-26, 0x0.e482e564b1d3a8p-28,  -0x0.c31b80f6005b48p-36};
  static constexpr double log2E[] = {0x0.b8aa3b295c17fp+1,
                                     0x0.bbbe87fed0692p-55};
  static constexpr double ln2[] = {0x0.b17217f7d1cf78p+0,
                                   0x0.d5e4f1d9cc01f8p-55};
  static constexpr double ln10[] = {0x0.935d8dddaaa8bp+2,
                                    -0x0.fa456a4a751f48p-52};
  static constexpr double log10E[] = {0x0.de5bd8a937287p-1,
                                      0x0.ca9aadd557d698p-56};
  static constexpr double log2Of10[] = {0x0.d49a784bcd1b88p+2};
  static constexpr double log10Of2[] = {0x0.9a209a84fbcff8p-1,
                                        -0x0.cee0ed4ca7e908p-58};
  static constexpr double twoThirds[] = {0x0.aaaaaaaaaaaaa8p+0,
                                         0x0.aaaaaaaaaaaaa8p-54};
  static constexpr double halfPi[] = {
      0x0.c90fdaa22168cp+1, 0x0.8d313198a2e038p-53, -0x0.f8cbb5bf6c7dep-109};
  static constexpr double twoPi[] = {0x0.c90fdaa22168cp+3,
                                     0x0.8d313198a2e038p-51};
  static constexpr double pi[] = {0x0.c90fdaa22168cp+2, 0x0.8d313198a2e038p-52};
  static constexpr double twoOverPi[] = {0x0.a2f9836e4e4418p+0};
  static constexpr double inverseSqrt2[] = {0x0.b504f333f9de68p+0,
                                            -0x0.dee9a09d9322bp-54};
  static constexpr double atanHalf[] = {0x0.ed63382b0dda78p-1,
                                        0x0.d15bf9117b2f1p-55};
  static constexpr double atanOne[] = {0x0.c90fdaa22168cp+0,
                                       0x0.8d313198a2e038p-54};
  static constexpr double atanThreeHalves[] = {0x0.fb985e940fb4d8p+0,
                                               0x0.803c43d7865de8p-55};
  static constexpr double ln2Short[] = {0x0.b17217f7d2p+0,
                                        -0x0.c21950d87131ap-42};
  static constexpr double log10Of2Short[] = {0x0.9a209a84fcp-1,
                                             -0x0.c0219dc1da995p-43};
};

/// 2 / pi as words of 32 bits, the one before its point first.
inline constexpr uint64_t twoOverPiWords32[] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
    0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};

/// 2 / pi as words of 64 bits, the one before its point first.
inline constexpr uint64_t twoOverPiWords64[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
    0xa9e391615ee61b08};

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_COEFFICIENTS_H
