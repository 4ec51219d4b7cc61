// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops of `tt`, by family.

#ifndef TILEWRIGHT_DIALECTS_TRITON_OPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_OPS_TD

include "dialects/Triton/TritonBlockOps.td"
include "dialects/Triton/TritonComputeOps.td"
include "dialects/Triton/TritonDescriptorOps.td"
include "dialects/Triton/TritonElementwiseOps.td"
include "dialects/Triton/TritonFunctionOps.td"
include "dialects/Triton/TritonMemoryOps.td"
include "dialects/Triton/TritonShapeOps.td"

#endif // TILEWRIGHT_DIALECTS_TRITON_OPS_TD
