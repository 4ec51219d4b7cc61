// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the interpreter of tile IR reads `tilegpu` operations: by what they say
// of the elements of tiles, without threads, layouts or addresses.
//
// - A layout conversion is its source.
// - Shared memory is a tile (or several) that stores and copies set; each
//   allocation that is run has its own. Its bytes are not modelled: neither
//   overlapping offsets nor missing barriers show.
// - An asynchronous copy is done where it is started, a bulk copy too;
//   mbarriers mean nothing then.
// - A reduction within warps combines equal pieces of the axis in order, not
//   the elements that a layout gives each warp; the reduction that follows it
//   therefore combines as `tt.reduce` does, but with other parentheses.
// - A matrix instruction, and a dot by multiply-adds, is the product that it
//   accumulates.

#ifndef TILEWRIGHT_LIB_JUDGES_VALIDATION_TILEGPUREADING_H
#define TILEWRIGHT_LIB_JUDGES_VALIDATION_TILEGPUREADING_H

#include "dialects/TileGPU/TileGPU.h"
#include "lib/Judges/Reference/Interpreter.h"

namespace tilewright::validation {

/// `tilegpu`, and what Triton's front end prints beside tile IR: gpu.barrier,
/// which means nothing where programs run one after another, and
/// llvm.intr.assume, which must hold.
class TileGPUReading : public reference::Extension {
public:
  TileGPUReading();

  void beginProgram() override {
    memories.clear();
    views.clear();
    tensors.clear();
  }

private:
  /// A descriptor of shared memory is a view of buffers that stand one after
  /// the other: those from `buffer` on, with dimension i of the descriptor
  /// being dimension order[i] of the allocation.
  struct SharedView {
    size_t memory, buffer = 0;
    mlir::SmallVector<int32_t, 4> order;
  };
  struct SharedMemory {
    reference::Shape shape;
    std::vector<reference::Element> elements;
  };

  /// What a tensor map describes; strides of all dimensions, in elements.
  struct Tensor {
    uint64_t base;
    reference::Shape sizes, strides;
  };

  void addSharedMemoryOps();
  void addBulkCopyOps();
  void addComputeOps();
  void addWarpGroupOps();
  void addAgentOps();
  mlir::LogicalResult allocate(reference::Interpreter &interpreter,
                               tilegpu::LocalAllocOp op);
  void write(reference::Interpreter &interpreter, mlir::Value descriptor,
             const reference::RuntimeValue &value);
  reference::RuntimeValue read(reference::Interpreter &interpreter,
                               mlir::Value descriptor);
  /// Descriptors are held as numbers of views.
  void setView(reference::Interpreter &interpreter, mlir::Value descriptor,
               SharedView view);
  const SharedView &getView(reference::Interpreter &interpreter,
                            mlir::Value descriptor) const;
  /// Calls `visit` with each element of the buffer that a descriptor shows and
  /// its index in the descriptor's shape.
  template <typename Visit>
  void visitElements(const SharedView &view, Visit visit);
  mlir::LogicalResult selectBuffer(reference::Interpreter &interpreter,
                                   tilegpu::MemDescIndexOp op);
  mlir::LogicalResult permute(reference::Interpreter &interpreter,
                              tilegpu::MemDescTransOp op);
  mlir::LogicalResult copy(reference::Interpreter &interpreter,
                           tilegpu::AsyncCopyOp op);
  /// Maps are held as numbers of tensors.
  mlir::LogicalResult describe(reference::Interpreter &interpreter,
                               tilegpu::TensorMapOp op);
  mlir::LogicalResult visitBox(
      reference::Interpreter &interpreter, mlir::Value map,
      mlir::OperandRange coordinates, tilegpu::MemDescType tile,
      llvm::function_ref<mlir::LogicalResult(int64_t, std::optional<uint64_t>)>
          visit);
  mlir::LogicalResult copyBoxes(reference::Interpreter &interpreter,
                                tilegpu::BulkCopyOp op);
  mlir::LogicalResult storeBox(reference::Interpreter &interpreter,
                               tilegpu::BulkStoreOp op);
  mlir::LogicalResult gather(reference::Interpreter &interpreter,
                             tilegpu::LocalGatherOp op);
  mlir::LogicalResult count(reference::Interpreter &interpreter,
                            tilegpu::LocalCountOp op);
  mlir::LogicalResult multiplyAdd(reference::Interpreter &interpreter,
                                  tilegpu::MultiplyAddOp op);

  std::vector<SharedMemory> memories;
  std::vector<SharedView> views;
  std::vector<Tensor> tensors;
};

} // namespace tilewright::validation

#endif // TILEWRIGHT_LIB_JUDGES_VALIDATION_TILEGPUREADING_H
