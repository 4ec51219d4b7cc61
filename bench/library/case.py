# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a problem of the benchmark is."""

import dataclasses
from collections.abc import Callable

import torch


@dataclasses.dataclass
class Case:
    """A problem for the library, and for others who solve it too.

    ours and peers[name]: calls that are timed one after another, each on other
    copies of the operands; of a peer also what makes the calls, if it can.
    error: how far the result of ours[0] is from a computation in float64, for
    its root of the mean square; at most `bound`.
    """

    ours: list
    peers: dict[str, list | Callable[[], list]]
    error: Callable[[], float]
    bound: float
    # That any kernel has to move; multiplications and additions of products.
    bytes: float
    flops: float = 0


def rms(actual, expected):
    """Root of the mean square of what differs, for that of `expected`."""
    actual, expected = actual.double(), expected.double()
    return float(((actual - expected).square().mean() /
                  expected.square().mean()).sqrt())


def count_bytes(*tensors):
    return sum(x.numel() * x.element_size() for x in tensors if x is not None)


def normal(*shape, type=torch.float16):
    return torch.randn(*shape, device="cuda").to(type)
