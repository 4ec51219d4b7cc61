// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass `--test-miscompile`, which is wrong on purpose: tests of what finds
// wrong passes run it.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_OPT_TESTMISCOMPILE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_OPT_TESTMISCOMPILE_H

namespace tilewright {

/// Registers the pass under its name.
void registerTestMiscompilePass();

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_OPT_TESTMISCOMPILE_H
