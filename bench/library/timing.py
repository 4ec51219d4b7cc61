# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times calls on a GPU in turns, by graph replay."""

import time

import torch
from case import count_bytes

# Twice this lies between two uses of the same bytes.
L2_BYTES = 100e6
# A replay of a graph takes about so long, and is repeated so often.
REPLAY_US, ROUNDS = 1500.0, 11


def count_copies(size: float) -> int:
    """How many copies of operands of `size` bytes to take in turns, so that
    none of them is in the L2 when it is read again."""
    return max(1, min(32, int(2 * L2_BYTES // max(size, 1)) + 1))


class Timed:
    """A list of calls that are made one after another."""

    def __init__(self, calls):
        self.calls = calls
        self.times = []
        begin = time.perf_counter()
        calls[0]()
        torch.cuda.synchronize()
        # With choosing, compiling and loading.
        self.first_ms = (time.perf_counter() - begin) * 1e3
        self.stream = torch.cuda.Stream()
        with torch.cuda.stream(self.stream):
            for call in calls:
                call()
            self.stream.synchronize()
            rounds = max(1, min(20, int(REPLAY_US / self._time(self._call))))
        self.count = rounds * len(calls)
        self.isCaptured = True
        self.replay = self._capture(rounds)

    def _call(self):
        for call in self.calls:
            call()

    def _capture(self, rounds):
        def launch():
            for _ in range(rounds):
                self._call()
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=self.stream):
                launch()
        except RuntimeError:  # What waits for the host cannot be captured.
            torch.cuda.synchronize()
            self.isCaptured = False
            return launch
        return graph.replay

    def _time(self, function):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record(self.stream)
        function()
        end.record(self.stream)
        end.synchronize()
        return begin.elapsed_time(end) * 1e3

    def measure(self):
        with torch.cuda.stream(self.stream):
            self.times.append(self._time(self.replay) / self.count)

    def median(self):
        """Microseconds of a call."""
        return sorted(self.times)[len(self.times) // 2]


def take_turns(timed):
    """Measures each of them in turns; the first round is to warm up."""
    for round in range(ROUNDS + 1):
        for each in timed:
            each.measure()
            if not round:
                each.times.clear()


def copy_bandwidth():
    """Bytes a second, read and written, of a kernel over 1 GiB (the driver's
    own copy reaches less: 2.7 for 4.2 TB/s on an H200)."""
    source = torch.ones(1 << 28, device="cuda")
    target = torch.empty_like(source)
    copy = Timed([lambda: torch.neg(source, out=target)])
    take_turns([copy])
    return 2 * count_bytes(source) / copy.median() * 1e6
