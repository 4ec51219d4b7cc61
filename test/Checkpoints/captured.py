#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of quantized layers, captured into CUDA graphs: bit for bit as eager,
over replays with other inputs, on several streams at once. Takes a GPU.

    test/Checkpoints/captured.py [--replays=1000] [--streams=4]
"""

import argparse
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "python", "tests"))

import test_nn  # noqa: E402
from tilewright import nn  # noqa: E402

WORDS = 48


class Replayed:
    """A graph of `model` on a stream of its own, with its input and output."""

    def __init__(self, model, shape):
        self.stream = torch.cuda.Stream()
        self.tokens = torch.zeros(shape, dtype=torch.long, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            model(self.tokens)
        torch.cuda.synchronize()
        with torch.cuda.graph(self.graph, stream=self.stream):
            self.logits = model(self.tokens)

    def replay(self, tokens):
        """A copy of what the graph gives, in the stream's order."""
        with torch.cuda.stream(self.stream):
            self.tokens.copy_(tokens, non_blocking=True)
            self.graph.replay()
            return self.logits.clone()


def compare(model, shape, replays, streams):
    """How many replays give other bits than eager calls."""
    inputs = [torch.randint(0, WORDS, shape, device="cuda") for _ in range(61)]
    eager = [model(tokens) for tokens in inputs]
    torch.cuda.synchronize()
    graphs = [Replayed(model, shape) for _ in range(streams)]
    results = []
    for number in range(replays):
        index = number * 7 % len(inputs)
        results.append((index, graphs[number % streams].replay(inputs[index])))
    torch.cuda.synchronize()
    if all(torch.equal(eager[0], logits) for logits in eager):
        raise SystemExit("expects other logits for other tokens")
    return sum(not torch.equal(logits, eager[index]) for index, logits in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--replays", type=int, default=1000)
    parser.add_argument("--streams", type=int, default=4)
    options = parser.parse_args()
    failed = passed = 0
    for kind in test_nn.KINDS:
        for dtype in (torch.float16, torch.bfloat16):
            # One row of the products, some, and many: each has code of its own.
            for shape in ((1, 1), (2, 7), (4, 64)):
                torch.manual_seed(3)
                model = test_nn.Transformer(width=256, words=WORDS)
                model = model.to(dtype).cuda()
                nn.patch(model, linears=kind, group=64, skip=(), undoable=False)
                with torch.no_grad():
                    other = compare(model, shape, options.replays, options.streams)
                failed, passed = failed + bool(other), passed + (not other)
                print(f"{'FAIL' if other else 'ok  '} {kind} {dtype} {shape}: "
                      f"{other} of {options.replays} replays differ", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
