// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/TileAccess.h"

#include "dialects/Layout/BankTrace.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::MatrixAccess;
using layout::VectorAccess;
using target::Capability;

unsigned tilegpu::getVectorLimit(const layout::Padding &padding,
                                 unsigned elementBits) {
  return elementBits << padding.runBits(llvm::Log2_32(128 / elementBits));
}

std::optional<TileAccess> TileAccess::get(RankedTensorType tensor,
                                          MemDescType descriptor) {
  TileAccess access = {toLinearLayout(tensor), descriptor.toLinearLayout(),
                       descriptor.getEncoding().getPadding(),
                       descriptor.getElementBits()};
  if (access.elementBits > 64 || !llvm::isPowerOf2_32(access.elementBits))
    return std::nullopt;
  return access;
}

VectorAccess TileAccess::getVectors() const {
  return layout::accessVector(registers, shared, elementBits,
                              getVectorLimit(padding, elementBits));
}

unsigned TileAccess::countWavefronts(const VectorAccess &vectors) const {
  return padding.empty()
             ? layout::wavefronts(registers, shared, elementBits,
                                  vectors.vectorElements)
             : layout::traceAccess(registers, shared, padding, elementBits)
                   .wavefronts();
}

/// The matrix instructions that beat these vectors, if there are such.
static std::optional<MatrixAccess> getMatrices(const TileAccess &access,
                                               const VectorAccess &vectors) {
  return layout::findCheaperMatrices(
      access.registers, access.shared, access.padding, access.elementBits,
      vectors.instructions() + access.countWavefronts(vectors));
}

std::optional<MatrixAccess>
TileAccess::getMatrixLoads(const VectorAccess &vectors,
                           const target::Target &target) const {
  return target.has(Capability::LdMatrix) ? getMatrices(*this, vectors)
                                          : std::nullopt;
}

std::optional<MatrixAccess>
TileAccess::getMatrixStores(const VectorAccess &vectors,
                            const target::Target &target) const {
  // All lanes take part in stmatrix: it cannot leave copies out.
  bool fits = target.has(Capability::StMatrix) &&
              !registers.redundantBits(Axis::Lane) &&
              !registers.redundantBits(Axis::Warp);
  return fits ? getMatrices(*this, vectors) : std::nullopt;
}
