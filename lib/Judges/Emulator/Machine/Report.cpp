// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/Report.h"

using namespace tilewright::emulator;

const char *tilewright::emulator::checkName(Check check) {
  switch (check) {
  case Check::OutOfBounds:
    return "out-of-bounds";
  case Check::Misaligned:
    return "misaligned";
  case Check::UninitializedRegister:
    return "uninitialized-register";
  case Check::UninitializedMemory:
    return "uninitialized-memory";
  case Check::Divergence:
    return "divergence";
  case Check::BarrierMismatch:
    return "barrier-mismatch";
  case Check::Deadlock:
    return "deadlock";
  case Check::SharedRace:
    return "shared-race";
  case Check::GlobalRace:
    return "global-race";
  case Check::AsynchronousCopy:
    return "asynchronous-copy";
  case Check::AsynchronousProduct:
    return "asynchronous-product";
  case Check::ProxyFence:
    return "proxy-fence";
  case Check::Execution:
    return "execution";
  }
  return "";
}

static std::string describePlace(const Fault &fault,
                                 const std::vector<std::string> &files) {
  std::string ptx = "PTX line " + std::to_string(fault.location.line);
  const SourceLocation &source = fault.source;
  if (source.file && source.file < files.size())
    ptx = files[source.file] + ":" + std::to_string(source.line) + ":" +
          std::to_string(source.column) + " (" + ptx + ")";
  return " at " + ptx + ", CTA (" + std::to_string(fault.cta[0]) + ", " +
         std::to_string(fault.cta[1]) + ", " + std::to_string(fault.cta[2]) +
         "), warp " + std::to_string(fault.warp) + ", lane " +
         std::to_string(fault.lane);
}

std::string
tilewright::emulator::describe(const Fault &fault,
                               const std::vector<std::string> &files) {
  std::string text = fault.kernel + ": " + checkName(fault.check);
  if (fault.location.line)
    text += describePlace(fault, files);
  text += ": " + fault.message;
  if (fault.times > 1)
    text += " (" + std::to_string(fault.times) + " times)";
  return text;
}
