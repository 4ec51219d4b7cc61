// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lanes of a warp stand. Lanes that part at a branch are frames of
// their own, and meet again at the branch's post-dominator, where the frame
// that they were waits for them. Frames that wait for nobody take turns, so
// that lanes may wait for other lanes of their warp.

#ifndef TILEWRIGHT_LIB_EMULATOR_MACHINE_FRAMES_H
#define TILEWRIGHT_LIB_EMULATOR_MACHINE_FRAMES_H

#include <cstdint>
#include <vector>

namespace tilewright::emulator {

/// Lanes that run together, until they meet others at `reconvergence`.
struct Frame {
  static constexpr uint8_t none = 255;

  uint32_t next = 0;
  uint32_t reconvergence = ~0u;
  /// 0: the place is free.
  uint32_t mask = 0;
  /// The frame that waits for this one, and how many this one waits for.
  uint8_t parent = none, children = 0;
  /// The barrier that its lanes wait at.
  uint8_t barrier = none;
};

/// The frames of one warp.
class Frames {
public:
  explicit Frames(uint32_t mask) { all.push_back({0, ~0u, mask}); }

  /// The frame that runs.
  Frame &active() { return all[current]; }
  bool areApart() const { return count > 1; }
  const std::vector<Frame> &places() const { return all; }

  // Each of these leaves a frame active that can run, or returns false: all
  // that are left wait at barriers, or none is left.

  /// The lanes of `taken`, some of the active frame's, go to `target`, the
  /// others to `next`, until they meet at `meeting`.
  bool part(uint32_t taken, uint32_t target, uint32_t next, uint32_t meeting);
  /// The active frame has come to where it meets others.
  bool meet();
  /// Ends lanes, wherever they stand.
  bool end(uint32_t lanes);
  /// The active frame waits at a barrier.
  bool wait(uint8_t barrier);
  /// Those who wait at a barrier go on.
  bool open(uint8_t barrier);
  /// The first frame that can run, by place from `start` on.
  bool choose(unsigned start);
  bool chooseNext() { return choose(current + 1); }

private:
  uint8_t add(const Frame &frame);
  void remove(uint8_t place);

  std::vector<Frame> all;
  unsigned count = 1;
  uint8_t current = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_MACHINE_FRAMES_H
