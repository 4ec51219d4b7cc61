// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a kernel takes, by the compiler's estimate of its code: dearer than
// Prediction.h, which knows of a kernel what it does, but not how it is
// compiled.

#ifndef TILEWRIGHT_LIB_KERNELS_REFINEMENT_H
#define TILEWRIGHT_LIB_KERNELS_REFINEMENT_H

#include "dialects/Target/Device.h"
#include "lib/Kernels/Choice.h"

namespace tilewright::kernels {

/// Has the code of the first `most` candidates estimated, a quarter more where
/// some have free warps, at most two of one tile and kind, in turns of each
/// kind of configuration, and puts these in front, by their estimates.
void refine(std::vector<Candidate> &candidates, const Problem &problem,
            const target::Target &target, const target::Device &device,
            size_t most);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_REFINEMENT_H
