// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by special_coefficients.py. Polynomials from the lowest power up.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_SPECIALCOEFFICIENTS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_SPECIALCOEFFICIENTS_H

namespace tilewright::functions::special {

/// erfinv x / x of t = w - 3.125, w = -log(1 - x^2): error below 2^-53.
inline constexpr double inverseErrorNear[] = {
    0x0.d3aaf3e4cd743p+1,    0x0.f5ec06cd89efd8p-2,  -0x0.c5b61988a77208p-7,
    -0x0.c22bb4a41afb2p-10,  0x0.c3ce15106b60fp-12,  -0x0.e8e8fbe4e1a84p-16,
    -0x0.b74529f71bdba8p-19, 0x0.e35a7c3e8b3168p-21, -0x0.f9b672a0fb5e88p-25,
    -0x0.8d4f572ea7d508p-27, 0x0.907a7594561da8p-29, -0x0.ee1fcf72242548p-34,
    -0x0.e44b06ab541c28p-36, 0x0.b91c1e4e3484b8p-38, -0x0.b6c74fbe55913p-43,
    -0x0.b4449a3f92b388p-44, 0x0.ed9938e397e2dp-47,  -0x0.b1b41fe63dc718p-54,
    -0x0.95ec50d728a638p-52, 0x0.8e7ae313390118p-55, 0x0.a8dfcce39b1a3p-59,
    -0x0.cb7fa236221b18p-61, -0x0.983fb56f9c044p-69, 0x0.edcb25c6e23198p-68};
/// erfinv x / x of t = sqrt w - 3.25: error below 2^-52.
inline constexpr double inverseErrorMiddle[] = {
    0x0.c55e61c06ad24p+2,   0x0.80ac536b20eaa8p+1,   0x0.affe7f2db8c348p-7,
    -0x0.f5d6d5dd03b6fp-8,  0x0.a34776538ebf68p-8,   -0x0.dd49206ba97e58p-9,
    0x0.f9e62a90c0b86p-10,  -0x0.ba245e84b465fp-11,  0x0.c996ba8f8a06ap-15,
    0x0.8f3561d14406a8p-13, -0x0.c6785d19357328p-14, 0x0.d12057e465fb6p-16,
    0x0.c45725bac7d8dp-18,  -0x0.85b9fa7d7c23d8p-17, 0x0.c9296b365a6adp-19,
    -0x0.f20df8ee3be3bp-25, -0x0.91b6263d562acp-21,  0x0.8dd33fd3e69d08p-22,
    0x0.c75505daa642fp-30,  -0x0.851270be67fc4p-25};
/// erfinv x / x of t = (sqrt w - 6.5) / (sqrt w + 6.5): error below 2^-51.
inline constexpr double inverseErrorFar[] = {
    0x0.cbaabf9fac0e7p+3,   0x0.d1e50e8bc1ceb8p+4,  0x0.d08394339c4e48p+4,
    0x0.cec0f7c5afaeap+4,   0x0.d1e5b459f8e95p+4,   0x0.cde4b80c268fe8p+4,
    0x0.d230fe211bb8fp+4,   0x0.cdfb7218a5b6dp+4,   0x0.d1bf4902f48d78p+4,
    0x0.cea02ac94acd18p+4,  0x0.d134f96cfdc248p+4,  0x0.d1717021df3418p+4,
    0x0.c3671abe0c015p+4,   0x0.9c0d1cfc7f309p+3,   0x0.fcd4bce72d194p+6,
    0x0.8a0ecd02ffc828p+8,  -0x0.974d33a74c968p+10, -0x0.b00432c30092b8p+13,
    0x0.c307908698ff48p+15, 0x0.b091b8ea8036e8p+15, -0x0.b9bf6d160b7398p+18,
    0x0.950d112a0742cp+14,  0x0.e208e826bdaf18p+19};
/// the same with 17: error below 2^-53.
inline constexpr double inverseErrorFarthest[] = {
    0x0.875c6918e8cc1p+5,  0x0.8867962f53599p+6,  0x0.87d434303a358p+6,
    0x0.88181757263e2p+6,  0x0.87fbaa1c742708p+6, 0x0.87f8a69ce2fc98p+6,
    0x0.8812e93509e488p+6, 0x0.87e52bf808209p+6,  0x0.8822784c6cb178p+6,
    0x0.87d833e0f17ef8p+6, 0x0.882ced1585f008p+6, 0x0.87cca4c187173p+6,
    0x0.8830aeb7b98308p+6, 0x0.881e5c7baeabb8p+6, 0x0.88802b6348cb98p+6,
    0x0.82abac26bcf478p+6, 0x0.835acecb4a56fp+6,  0x0.b2c189cb4f29a8p+6,
    0x0.b26a725fb56658p+6};
/// lgamma(2 + t) / t: error below 2^-56.
inline constexpr double logGammaTail[] = {
    0x0.d8773039049e7p-1,   0x0.a51a6625307d3p-1,    -0x0.89f000d2abb03p-3,
    0x0.a8991563ec24d8p-5,  -0x0.f2027e10c7b76p-7,   0x0.bd6eb756d95bdp-8,
    -0x0.9c562e15f564dp-9,  0x0.859b57c45ba228p-10,  -0x0.e9fea641f2c7dp-12,
    0x0.d093d7a10cd5p-13,   -0x0.bc6f2c256e1738p-14, 0x0.ac071334e749a8p-15,
    -0x0.9e5e983bb3289p-16, 0x0.92c6461f6f17b8p-17,  -0x0.88d10dd76777e8p-18,
    0x0.80a35f6c8be29p-19,  -0x0.f25c8ebd2de3a8p-21, 0x0.d8cfc761c4482p-22,
    -0x0.cac424a16d008p-23, 0x0.8b071ae83e1cdp-23,   -0x0.8888bd87a915fp-24};
/// gamma(2 + t): error below 2^-56.
inline constexpr double gammaTail[] = {0x0.8p+1,
                                       0x0.d8773039049e7p-1,
                                       0x0.d2dcbc5cb5f5fp-1,
                                       0x0.a711ccc232812p-3,
                                       0x0.980fdd8792e028p-3,
                                       -0x0.8bf9ba06831c9p-11,
                                       0x0.b6bf7564e0424p-6,
                                       -0x0.baf37489558b7p-8,
                                       0x0.89e224edd6f2e8p-8,
                                       -0x0.f10f8bdfcaf508p-10,
                                       0x0.808d66cec364d8p-10,
                                       -0x0.fca5b500a6a8cp-12,
                                       0x0.ff2c04ac46eee8p-13,
                                       -0x0.feec3841fc0e6p-14,
                                       0x0.ff5daf44972b4p-15,
                                       -0x0.806bf0fa6ae84p-15,
                                       0x0.80bce4787e786p-16,
                                       -0x0.f08267b3c11c6p-18,
                                       0x0.ece52ea88a5e9p-19,
                                       -0x0.b32264a467f218p-19,
                                       0x0.b9064ecb5f5558p-20};
/// the rest of Stirling's formula, times x, of 1 / x^2: error below 2^-57.
inline constexpr double stirlingTail[] = {
    0x0.aaaaaaaaaaaaa8p-3,   -0x0.b60b60b60b6078p-8, 0x0.d00d00d006c23p-10,
    -0x0.9c09c08bbe0b68p-10, 0x0.dca8dbf833d788p-10, -0x0.fb4d998902ca4p-9,
    0x0.d12d7b58100cdp-7,    -0x0.e35b4fa109857p-5,  0x0.e1a9f980b4096p-3};
/// J0(x) of t = (x^2 - 32) / 32: error below 2^-52.
inline constexpr double besselJ0Near[] = {
    0x0.bbb7e2fc2714p-4,     0x0.ee2838f8904fap+0,   -0x0.a602153b51ecdp+0,
    -0x0.cedee8793476fp+0,   0x0.84e99e4139a638p+1,  -0x0.81e96d04ada728p+0,
    0x0.957e19c8b6ca98p-2,   -0x0.e93f9e6861727p-5,  0x0.84f9a2457f293p-7,
    -0x0.e88bb9d9b0e358p-11, 0x0.a15e4819b931d8p-14, -0x0.b662932540d568p-18,
    0x0.ab53d16c78323p-22,   -0x0.87fc54c245ddcp-26, 0x0.b8e8a8805d3b28p-31,
    -0x0.d9dfb9febea4d8p-36, 0x0.e0a9a965afa28p-41,  -0x0.cc7c801e2a38ap-46,
    0x0.a5e8d16510bf48p-51,  -0x0.f0696f6383373p-57};
/// J1(x) / x of t = (x^2 - 32) / 32: error below 2^-55.
inline constexpr double besselJ1Near[] = {
    -0x0.ee2838f8904fap-4,   0x0.a602153b51ecdp-3,    0x0.9b272e5ae75938p-2,
    -0x0.84e99e4139a638p-1,  0x0.a263c845d910fp-2,    -0x0.e03d26ad122fe8p-4,
    0x0.cc17aa9b55442p-6,    -0x0.84f9a2457f293p-8,   0x0.82ce988a737fep-11,
    -0x0.c9b5da20277f6p-15,  0x0.fac78a53392618p-19,  -0x0.807edd11590eep-22,
    0x0.dcfa09bbb0707p-27,   -0x0.a1cb9372d4e6f8p-31, 0x0.cc41be60ff096p-36,
    -0x0.e0a9a34533d0a8p-41, 0x0.d944437796b278p-46,  -0x0.baac0c0ccd6738p-51,
    0x0.8ec2c31d477128p-56};
/// Y0(x) - 2 / pi log(x) J0(x) of t: error below 2^-52.
inline constexpr double besselY0Near[] = {
    -0x0.c3b65b978e3f58p-1,  -0x0.d4145fdfee49bp+0,   0x0.d2d40eb30fbc4p+1,
    0x0.9395d9db045a1p-2,    -0x0.89ed158a52437p+1,   0x0.ac13cc089ad138p+0,
    -0x0.e0366323fb5528p-2,  0x0.bdeb5f967490d8p-4,   -0x0.e63830091b0fd8p-7,
    0x0.d3546364c1bb4p-10,   -0x0.98a9be2e66bcd8p-13, 0x0.b28dc76d0f00fp-17,
    -0x0.accad58f65c748p-21, 0x0.8ccc5557443a48p-25,  -0x0.c4008d5fc68598p-30,
    0x0.ebe596d76a90fp-35,   -0x0.f7fe86d6c90448p-40, 0x0.e5c2d548115fbp-45,
    -0x0.bd818381cbc1f8p-50, 0x0.8b6705ae35a14p-55};
/// (Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x of t: error below 2^-55.
inline constexpr double besselY1Near[] = {
    0x0.90ea8b7c0d67bp-3,   -0x0.f937eee757e87p-2,   0x0.bf6d598a83e818p-5,
    0x0.f0b6bd0e83db8p-2,   -0x0.c91ca96be2153p-2,   0x0.a0ddb48bd8aed8p-3,
    -0x0.a0cc7c9518f958p-5, 0x0.e04bddcc7ede28p-8,   -0x0.e8b027ce6567ap-11,
    0x0.bb60b25c2a8aap-14,  -0x0.f1a8b4ef2e3c48p-18, 0x0.ff9a7e3b98cbep-22,
    -0x0.e1f8ec76bf6d5p-26, 0x0.a997b424203658p-30,  -0x0.daea0755fe425p-35,
    0x0.f5b1f8aa4f6678p-40, -0x0.f208cfb0570698p-45, 0x0.d300b4d1d4734p-50,
    -0x0.a4525ea180702p-55, 0x0.e50fd7998baadp-61};
/// the even part of the amplitude of J0 and Y0 of (8 / x)^2: error below 2^-59.
inline constexpr double besselP0[] = {0x0.8p+1,
                                      -0x0.8fffffffffdd5p-9,
                                      0x0.e5affffd9f9f5p-15,
                                      -0x0.928f71efcac2ap-18,
                                      0x0.c25d9b86adbe5p-21,
                                      -0x0.dbe70fc5a2519p-23,
                                      0x0.bc5142a461e1a8p-24,
                                      -0x0.daf9db24da066p-25,
                                      0x0.95b51d01f69b48p-25,
                                      -0x0.cb136e5163f69p-26,
                                      0x0.e9f1201c6e534p-27,
                                      -0x0.c7f6ea524fac68p-28,
                                      0x0.d943f087a6a72p-30,
                                      -0x0.dd1fabac384d4p-33};
/// the odd part, times x / 8: error below 2^-59.
inline constexpr double besselQ0[] = {-0x0.8p-5,
                                      0x0.95fffffffec328p-12,
                                      -0x0.e88efff519f25p-17,
                                      0x0.dd26233df71028p-20,
                                      -0x0.c30922de8e1bfp-22,
                                      0x0.89ae294122a0e8p-23,
                                      -0x0.8ccc34cd9bc1d8p-24,
                                      0x0.bbaad9a2c68858p-25,
                                      -0x0.8cfb6fcab688c8p-25,
                                      0x0.cad58f18265b3p-26,
                                      -0x0.f21b0d9ac391fp-27,
                                      0x0.d3845abf520968p-28,
                                      -0x0.e915e6fd7cf25p-30,
                                      0x0.ef83df6c8f465p-33};
/// the same of J1 and Y1: error below 2^-59.
inline constexpr double besselP1[] = {0x0.8p+1,
                                      0x0.efffffffffdb6p-9,
                                      -0x0.93a7fffebf1448p-14,
                                      0x0.ad3529d2df221p-18,
                                      -0x0.dc48079a165348p-21,
                                      0x0.f30e95251dd0ep-23,
                                      -0x0.ccbeb567f3cddp-24,
                                      0x0.eb79352aaed418p-25,
                                      -0x0.9fe10dea87eeap-25,
                                      0x0.d8008373f548dp-26,
                                      -0x0.f84288ae259ba8p-27,
                                      0x0.d3e9fd7fe70da8p-28,
                                      -0x0.e60d7382e08018p-30,
                                      0x0.ea0163e6a30648p-33};
/// error below 2^-59.
inline constexpr double besselQ1[] = {0x0.cp-4,
                                      -0x0.d1fffffffeb24p-12,
                                      0x0.8e1e7ffa42dcep-16,
                                      -0x0.ff2c023d42be6p-20,
                                      0x0.d9fb4b6c981fep-22,
                                      -0x0.96cca15fb4d738p-23,
                                      0x0.981d0e92365438p-24,
                                      -0x0.c8e3d649558b7p-25,
                                      0x0.960cd9612fcdfp-25,
                                      -0x0.d728458b00ad38p-26,
                                      0x0.8028899932b528p-26,
                                      -0x0.dfabeeb3274cd8p-28,
                                      0x0.f64c035bc11f48p-30,
                                      -0x0.fcf6f01c883e98p-33};
/// I0(x) of x^2, relative: error below 2^-54.
inline constexpr double besselI0Near[] = {0x0.8p+1,
                                          0x0.8p-1,
                                          0x0.8p-5,
                                          0x0.e38e38e38e38ep-11,
                                          0x0.e38e38e38e38ep-17,
                                          0x0.91a2b3c4d5e6f8p-23,
                                          0x0.81742e044c5b8p-30,
                                          0x0.a91521fb2a43c8p-38,
                                          0x0.a91521fb2a35bp-46,
                                          0x0.85989944e01f88p-54,
                                          0x0.ab00c42f0fa268p-63,
                                          0x0.b4e54e7d0d0a8p-72,
                                          0x0.a0cbd3c00fec68p-81,
                                          0x0.f392b31bd1447p-91,
                                          0x0.9f11257b3ff1ep-100,
                                          0x0.b50070b1a452a8p-110,
                                          0x0.b4c47c13494188p-120,
                                          0x0.a23afb84e7ee7p-130,
                                          0x0.e68ed45bd53acp-141,
                                          0x0.820cb8d2e2732p-150};
/// I1(x) / x of x^2, relative: error below 2^-54.
inline constexpr double besselI1Near[] = {0x0.8p+0,
                                          0x0.8p-3,
                                          0x0.aaaaaaaaaaaaa8p-8,
                                          0x0.e38e38e38e38ep-14,
                                          0x0.b60b60b60b60b8p-20,
                                          0x0.c22e4506728948p-27,
                                          0x0.93f27dbbc4faep-34,
                                          0x0.a91521fb2a439p-42,
                                          0x0.964bac6d7adf6p-50,
                                          0x0.d5c0f53aff897p-59,
                                          0x0.f8bb4be76d741p-68,
                                          0x0.f131bdfac73498p-77,
                                          0x0.c5e72c13673fbp-86,
                                          0x0.8b2f40e937134p-95,
                                          0x0.a9abf2c0485978p-105,
                                          0x0.b4ffae3d347678p-115,
                                          0x0.aa296a5c2842a8p-125,
                                          0x0.90078fcb2848f8p-135,
                                          0x0.c381ccdb215ffp-146,
                                          0x0.cdae5a7380015p-156};
/// sqrt(x) e^-x I0(x) of 8 / x: error below 2^-53.
inline constexpr double besselI0Far[] = {
    0x0.cc42299ea1b28p-1,   0x0.cc42299ea29898p-7,   0x0.e5ca6ecce01aa8p-11,
    0x0.ef5d8e014c1b7p-14,  0x0.b743cc658f02d8p-16,  0x0.b889246b359158p-18,
    0x0.acdc138136bf58p-19, -0x0.c650d5c6cd24c8p-17, 0x0.81dbb41527ce88p-13,
    -0x0.e4cdae875f434p-11, 0x0.963e8e52af5p-8,      -0x0.9651396e62559p-6,
    0x0.e8b1791436085p-5,   -0x0.8c8775a8258cp-3,    0x0.84df92cdf2a0dp-2,
    -0x0.c4640d42c8dcdp-2,  0x0.e162ac74b883b8p-2,   -0x0.c652c69093e88p-2,
    0x0.83084d8213ab5p-2,   -0x0.fb4d39e1692c48p-4,  0x0.a4fc3cf1b9ea7p-5,
    -0x0.849de5156a7edp-7,  0x0.c4d82b098beb08p-11};
/// sqrt(x) e^-x I1(x) of 8 / x: error below 2^-54.
inline constexpr double besselI1Far[] = {
    0x0.cc42299ea1b288p-1,   -0x0.99319f36f97abp-5,   -0x0.bf7e070277c118p-10,
    -0x0.a78e477331c978p-13, -0x0.eba1d3ce5cb068p-16, -0x0.e1354ebc76e2e8p-18,
    -0x0.d320a2d4f46a4p-19,  0x0.f1d03de1d46cdp-17,   -0x0.97e3aab60a3978p-13,
    0x0.82885d4b0db688p-10,  -0x0.a8744315350c48p-8,  0x0.a658fda0d73058p-6,
    -0x0.fee69765c57d9p-5,   0x0.98afda4dc54f18p-3,   -0x0.8f666fcbe1cfp-2,
    0x0.d2c181d65e07dp-2,    -0x0.f0b5ab6b379058p-2,  0x0.d2edcbee5e33a8p-2,
    -0x0.8adb26cd3e2e9p-2,   0x0.84ba5572dcd17p-3,    -0x0.adc8717c3a4298p-5,
    0x0.8b5554c5030f8p-7,    -0x0.ce570e3f5c87fp-11};

} // namespace tilewright::functions::special

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_SPECIALCOEFFICIENTS_H
