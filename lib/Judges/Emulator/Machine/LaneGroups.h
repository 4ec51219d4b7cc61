// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lanes of a warp stand. Lanes that part at a branch are groups of
// their own, and meet again at the branch's post-dominator, where the group
// that they were waits for them. LaneGroups that wait for nobody take turns, so
// that lanes may wait for other lanes of their warp.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LANEGROUPS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LANEGROUPS_H

#include <cstdint>
#include <vector>

namespace tilewright::emulator {

/// Lanes that run together, until they meet others at `reconvergence`.
struct LaneGroup {
  static constexpr uint8_t none = 255;

  uint32_t next = 0;
  uint32_t reconvergence = ~0u;
  /// 0: the place is free.
  uint32_t mask = 0;
  /// The group that waits for this one, and how many this one waits for.
  uint8_t parent = none, children = 0;
  /// The barrier that its lanes wait at.
  uint8_t barrier = none;
};

/// The groups of one warp.
class LaneGroups {
public:
  explicit LaneGroups(uint32_t mask) { all.push_back({0, ~0u, mask}); }

  /// The group that runs.
  LaneGroup &active() { return all[current]; }
  bool areApart() const { return count > 1; }
  const std::vector<LaneGroup> &places() const { return all; }

  // Each of these leaves a group active that can run, or returns false: all
  // that are left wait at barriers, or none is left.

  /// The lanes of `taken`, some of the active group's, go to `target`, the
  /// others to `next`, until they meet at `meeting`.
  bool part(uint32_t taken, uint32_t target, uint32_t next, uint32_t meeting);
  /// The active group has come to where it meets others.
  bool meet();
  /// Ends lanes, wherever they stand.
  bool end(uint32_t lanes);
  /// The active group waits at a barrier.
  bool wait(uint8_t barrier);
  /// Those who wait at a barrier go on.
  bool open(uint8_t barrier);
  /// The first group that can run, by place from `start` on.
  bool choose(unsigned start);
  bool chooseNext() { return choose(current + 1); }

private:
  uint8_t add(const LaneGroup &group);
  void remove(uint8_t place);

  std::vector<LaneGroup> all;
  unsigned count = 1;
  uint8_t current = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LANEGROUPS_H
