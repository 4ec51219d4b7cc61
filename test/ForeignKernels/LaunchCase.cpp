// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/ForeignKernels/LaunchCase.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::foreign;
namespace json = llvm::json;

namespace tilewright::foreign {

bool fromJSON(const json::Value &value, LaunchArgument &argument,
              json::Path path) {
  if (std::optional<bool> flag = value.getAsBoolean()) {
    argument.integer = *flag;
    return true;
  }
  if (std::optional<llvm::StringRef> name = value.getAsString()) {
    if (*name != "inf" && *name != "-inf" && *name != "nan") {
      path.report("expects a number, \"inf\", \"-inf\" or \"nan\"");
      return false;
    }
    argument.real = *name == "nan"         ? NAN
                    : name->front() == '-' ? -INFINITY
                                           : INFINITY;
    return true;
  }
  if (std::optional<double> number = value.getAsNumber()) {
    argument.real = *number;
    argument.integer = value.getAsInteger().value_or(int64_t(*number));
    return true;
  }
  json::ObjectMapper members(value, path);
  argument.isBuffer = true;
  return members && members.map("elements", argument.elements) &&
         members.mapOptional("before", argument.before) &&
         members.mapOptional("values", argument.values);
}

bool fromJSON(const json::Value &value, ForeignImage &image, json::Path path) {
  json::ObjectMapper members(value, path);
  return members && members.map("name", image.name) &&
         members.map("file", image.file) &&
         members.map("sharedBytes", image.sharedBytes);
}

bool fromJSON(const json::Value &value, LaunchCase &launch, json::Path path) {
  json::ObjectMapper members(value, path);
  std::vector<uint32_t> grid;
  if (!members || !members.map("kernel", launch.kernel) ||
      !members.map("numWarps", launch.numWarps) || !members.map("grid", grid) ||
      !members.mapOptional("seed", launch.seed) ||
      !members.mapOptional("numStages", launch.numStages) ||
      !members.map("arguments", launch.arguments) ||
      !members.map("targets", launch.targets) ||
      !members.mapOptional("ptx", launch.images))
    return false;
  if (grid.size() != launch.grid.size()) {
    path.field("grid").report("expects three sizes");
    return false;
  }
  llvm::copy(grid, launch.grid.begin());
  return true;
}

} // namespace tilewright::foreign

llvm::Expected<LaunchCase> foreign::parseCase(llvm::StringRef text) {
  return json::parse<LaunchCase>(text, "case");
}
