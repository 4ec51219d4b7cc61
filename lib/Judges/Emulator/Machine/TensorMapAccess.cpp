// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/TensorMapAccess.h"

#include "lib/Judges/Emulator/Machine/TensorMapObject.h"

using namespace tilewright::emulator;

/// In halves: a map may cross a page, which accesses do not. The ISA names no
/// alignment but the driver's, 64, which an H200 insists on where copies use a
/// map.
MemoryPlace tilewright::emulator::accessTensorMap(Warp &warp, unsigned lane,
                                                  StateSpace space,
                                                  uint64_t address,
                                                  AccessKind kind,
                                                  const uint8_t *value) {
  constexpr unsigned half = TensorMap::alignment;
  MemoryPlace first =
      accessMemory(warp, lane, space, address, half, half, kind, value);
  if (!first.data || !accessMemory(warp, lane, space, address + half, half,
                                   half, kind, value ? value + half : nullptr)
                          .data)
    return {};
  return first;
}

std::optional<TensorMap> tilewright::emulator::readTensorMap(Warp &warp,
                                                             unsigned lane,
                                                             uint64_t address,
                                                             unsigned rank) {
  auto refuse = [&](Check check, std::string problem) {
    warp.report(check, std::move(problem), 1u << lane);
    return std::nullopt;
  };
  MemoryPlace place = accessTensorMap(warp, lane, StateSpace::Generic, address,
                                      AccessKind::Load);
  if (!place.data)
    return std::nullopt;
  if (place.space != StateSpace::Global && place.space != StateSpace::Parameter)
    return refuse(Check::Execution,
                  "expects a tensor map in global memory or among the "
                  "parameters, but got another space");
  if (warp.cta.checks(Check::ProxyFence))
    if (std::string problem = warp.cta.tensorMapFences.findUnfenced(
            accessorOf(warp, lane), address);
        !problem.empty())
      warp.report(Check::ProxyFence, "uses a tensor map that " + problem,
                  1u << lane);
  std::string problem;
  std::optional<TensorMap> map = decodeTensorMap(place.data, problem);
  if (map && map->rank != rank)
    problem = "expects a tensor map of " + std::to_string(rank) +
              " dimensions, but got one of " + std::to_string(map->rank);
  else if (map)
    problem = map->findUnsupported();
  return problem.empty() ? map : refuse(Check::Execution, std::move(problem));
}
