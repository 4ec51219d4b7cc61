// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Driver/State.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

State &State::get() {
  // Never destroyed: other libraries' destructors may still call.
  static State *state = new State();
  return *state;
}

void State::makeContext() {
  context = std::make_unique<ContextState>();
  context->id = ++contexts;
}

Context State::contextHandle() {
  static char place;
  return reinterpret_cast<Context>(&place);
}

std::vector<Context> &driver::contextStack() {
  static thread_local std::vector<Context> stack;
  return stack;
}

std::shared_ptr<Stream> ContextState::findStream(StreamHandle handle) const {
  switch (reinterpret_cast<uintptr_t>(handle)) {
  case 0:
  case 1:
    return legacyStream;
  case 2:
    return perThreadStream;
  default:
    return streams.find(handle);
  }
}

static Status admit(State &state, CallKind kind) {
  if (!state.device)
    return notInitialized;
  if (kind == CallKind::Initialized)
    return success;
  if (contextStack().empty() || !contextStack().back())
    return invalidContext;
  if (!state.context)
    return contextIsDestroyed;
  if (kind == CallKind::CleansUp)
    return success;
  ContextState &context = *state.context;
  if (kind == CallKind::Waits && context.fault)
    context.isFaultKnown = true;
  return context.isFaultKnown ? context.fault : Status(success);
}

Call::Call(CallKind kind) : state(State::get()), lock(state.mutex) {
  result = admit(state, kind);
}
