// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/LaneGroups.h"

using namespace tilewright::emulator;

/// At most 32 groups run, and at most 31 wait for them.
uint8_t LaneGroups::add(const LaneGroup &group) {
  ++count;
  for (uint8_t place = 0; place < all.size(); ++place)
    if (!all[place].mask) {
      all[place] = group;
      return place;
    }
  all.push_back(group);
  return all.size() - 1;
}

void LaneGroups::remove(uint8_t place) {
  --count;
  // The other may have ended before, with the same lanes.
  uint8_t parent = all[place].parent;
  if (parent != LaneGroup::none && all[parent].mask)
    --all[parent].children;
  all[place] = LaneGroup();
}

bool LaneGroups::part(uint32_t taken, uint32_t target, uint32_t next,
                      uint32_t meeting) {
  uint8_t parent = current;
  uint32_t others = active().mask & ~taken;
  active().next = meeting;
  // Another group waits for these lanes at the same place already.
  if (meeting == active().reconvergence) {
    parent = active().parent;
    remove(current);
  }
  auto go = [&](uint32_t lanes, uint32_t to) {
    if (to == meeting)
      return;
    LaneGroup child = {to, meeting, lanes, parent};
    ++all[parent].children;
    current = add(child);
  };
  current = parent;
  go(others, next);
  go(taken, target);
  return !active().children || chooseNext();
}

bool LaneGroups::meet() {
  uint8_t parent = active().parent;
  remove(current);
  current = parent;
  return !active().children || chooseNext();
}

bool LaneGroups::end(uint32_t lanes) {
  for (uint8_t place = 0; place < all.size(); ++place) {
    LaneGroup &group = all[place];
    if (!(group.mask & lanes))
      continue;
    // A group has the lanes of those that it waits for, so it loses its last
    // one with them.
    if (group.mask & ~lanes)
      group.mask &= ~lanes;
    else
      remove(place);
  }
  return choose(current);
}

bool LaneGroups::wait(uint8_t barrier) {
  active().barrier = barrier;
  return chooseNext();
}

bool LaneGroups::open(uint8_t barrier) {
  for (LaneGroup &group : all)
    if (group.barrier == barrier)
      group.barrier = LaneGroup::none;
  return choose(current);
}

bool LaneGroups::choose(unsigned start) {
  for (unsigned i = 0; i < all.size(); ++i) {
    unsigned place = (start + i) % all.size();
    const LaneGroup &group = all[place];
    if (group.mask && !group.children && group.barrier == LaneGroup::none) {
      current = place;
      return true;
    }
  }
  return false;
}
