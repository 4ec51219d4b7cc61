// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Emulator/Machine/Frames.h"

using namespace tilewright::emulator;

/// At most 32 frames run, and at most 31 wait for them.
uint8_t Frames::add(const Frame &frame) {
  ++count;
  for (uint8_t place = 0; place < all.size(); ++place)
    if (!all[place].mask) {
      all[place] = frame;
      return place;
    }
  all.push_back(frame);
  return all.size() - 1;
}

void Frames::remove(uint8_t place) {
  --count;
  // The other may have ended before, with the same lanes.
  uint8_t parent = all[place].parent;
  if (parent != Frame::none && all[parent].mask)
    --all[parent].children;
  all[place] = Frame();
}

bool Frames::part(uint32_t taken, uint32_t target, uint32_t next,
                  uint32_t meeting) {
  uint8_t parent = current;
  uint32_t others = active().mask & ~taken;
  active().next = meeting;
  // Another frame waits for these lanes at the same place already.
  if (meeting == active().reconvergence) {
    parent = active().parent;
    remove(current);
  }
  auto go = [&](uint32_t lanes, uint32_t to) {
    if (to == meeting)
      return;
    Frame child = {to, meeting, lanes, parent};
    ++all[parent].children;
    current = add(child);
  };
  current = parent;
  go(others, next);
  go(taken, target);
  return !active().children || chooseNext();
}

bool Frames::meet() {
  uint8_t parent = active().parent;
  remove(current);
  current = parent;
  return !active().children || chooseNext();
}

bool Frames::end(uint32_t lanes) {
  for (uint8_t place = 0; place < all.size(); ++place) {
    Frame &frame = all[place];
    if (!(frame.mask & lanes))
      continue;
    // A frame has the lanes of those that it waits for, so it loses its last
    // one with them.
    if (frame.mask & ~lanes)
      frame.mask &= ~lanes;
    else
      remove(place);
  }
  return choose(current);
}

bool Frames::wait(uint8_t barrier) {
  active().barrier = barrier;
  return chooseNext();
}

bool Frames::open(uint8_t barrier) {
  for (Frame &frame : all)
    if (frame.barrier == barrier)
      frame.barrier = Frame::none;
  return choose(current);
}

bool Frames::choose(unsigned start) {
  for (unsigned i = 0; i < all.size(); ++i) {
    unsigned place = (start + i) % all.size();
    const Frame &frame = all[place];
    if (frame.mask && !frame.children && frame.barrier == Frame::none) {
      current = place;
      return true;
    }
  }
  return false;
}
