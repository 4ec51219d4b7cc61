// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small artifact for the tests: kernel "add" with two pointers and an i32, as
// a cubin for sm_80 and as PTX for sm_70.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_SAMPLEARTIFACT_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_SAMPLEARTIFACT_H

#include "runtime/Artifact.h"

namespace tilewright::runtime {

inline std::vector<uint8_t> bytesOf(std::string_view text) {
  return {text.begin(), text.end()};
}

inline Artifact sampleArtifact() {
  Artifact artifact;
  artifact.producer = "test";
  artifact.images = {
      {ImageKind::Cubin, {8, 0, 0}, 70, false, bytesOf("cubin 80")},
      {ImageKind::Ptx, {7, 0, 0}, 60, true, bytesOf("ptx 70")}};
  artifact.kernels = {{"add",
                       {{"x", ParameterKind::Pointer, 8, 0, 16, "f32"},
                        {"y", ParameterKind::Pointer, 8, 0, 16, "f32"},
                        {"n", ParameterKind::Integer, 4, 0, 1, "i32"}}}};
  for (uint32_t image : {0u, 1u}) {
    Variant variant;
    variant.image = image;
    variant.symbol = "add";
    variant.numWarps = 4;
    variant.block = {128, 1, 1};
    appendNaturalSlots(artifact.kernels[0], 8, variant.slots);
    artifact.variants.push_back(variant);
  }
  artifact.remarks = {
      {"dot.fma", RemarkKind::Missed, "no tensor core", "a.mlir:1:2", 0, {}}};
  return artifact;
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_SAMPLEARTIFACT_H
