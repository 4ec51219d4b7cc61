// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/LaunchFacts.h"

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

namespace {
struct ProgramModel
    : GridOpInterface::ExternalModel<ProgramModel, GetProgramIdOp> {
  GridQuantity getGridQuantity(Operation *op) const {
    return {unsigned(cast<GetProgramIdOp>(op).getAxis()), /*isSize=*/false};
  }
};

struct GridSizeModel
    : GridOpInterface::ExternalModel<GridSizeModel, GetNumProgramsOp> {
  GridQuantity getGridQuantity(Operation *op) const {
    return {unsigned(cast<GetNumProgramsOp>(op).getAxis()), /*isSize=*/true};
  }
};

struct AddressModel
    : AddressOpInterface::ExternalModel<AddressModel, AddPtrOp> {
  AddressSum getAddressSum(Operation *op) const {
    return {op->getOperand(0), op->getOperand(1),
            axis::getStep(op->getResult(0).getType())};
  }
};
} // namespace

void tt::attachLaunchFacts(MLIRContext &context) {
  GetProgramIdOp::attachInterface<ProgramModel>(context);
  GetNumProgramsOp::attachInterface<GridSizeModel>(context);
  AddPtrOp::attachInterface<AddressModel>(context);
}
