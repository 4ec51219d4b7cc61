// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_SINKADDRESSES_H
#define TILEWRIGHT_LIB_CODEGEN_SINKADDRESSES_H

namespace llvm {
class FunctionPass;
} // namespace llvm

namespace tilewright::codegen {

/// A pass, to be run right before instructions are selected, that computes
/// addresses at constant distances from others where they are used, so that the
/// distance stands in the instruction and takes no register until there.
///
/// LLVM's CodeGenPrepare does so for loads and stores. What NVPTX reads and
/// writes by intrinsics (ldmatrix, cp.async) it leaves to a hook that the
/// target does not have: hoisted out of a loop, each such address was held in a
/// register through all of it.
llvm::FunctionPass *createSinkAddresses();

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_SINKADDRESSES_H
