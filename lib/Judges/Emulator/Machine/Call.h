// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the decoders of calls share, and accesses to parameters of calls: they
// lie in local memory, where a value that was never written may pass through.
// Private to this folder.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CALL_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CALL_H

#include "lib/Judges/Emulator/Machine/CallGraph.h"
#include "lib/Judges/Emulator/Machine/Cta.h"
#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Frame.h"

namespace tilewright::emulator {

/// A call of a function without a body: vprintf and __assertfail are performed,
/// others refused.
bool decodeExternalCall(DecodeContext &context, const CallParts &parts);

/// ld.param and st.param of a parameter of a call. What was never written has
/// no value, and is no fault: these are moves, and count no bytes.
void executeParameterLoad(Warp &warp, const Decoded &instruction,
                          uint32_t mask);
void executeParameterStore(Warp &warp, const Decoded &instruction,
                           uint32_t mask);

/// One lane's local memory.
inline CheckedBytes &localMemory(Warp &warp, unsigned lane) {
  return warp.cta.local(warp.number * warpSize + lane);
}

/// Forgets that the bytes of `place` were ever written.
void forgetLocal(Warp &warp, uint32_t mask, const LocalPlace &place);
/// Copies lanes of a register to local memory, and whether they have a value.
void storeLocal(Warp &warp, uint32_t mask, const Source &source,
                const LocalPlace &place);
/// The other way; it has a value if any of the bytes was written.
void loadLocal(Warp &warp, uint32_t mask, const Destination &destination,
               const LocalPlace &place, bool isSigned);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CALL_H
