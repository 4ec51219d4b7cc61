# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches the door on and off around a kernel that has been compiled before.
test_programs.py runs it."""

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def negate(x, out, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    tl.store(out + place, -tl.load(x + place))


def compile_negate():
    return negate.warmup(x, x, BLOCK=64, grid=(1,))


x = torch.from_numpy(np.ones(64, dtype=np.float32)).cuda()
theirs = compile_negate()
assert "ttg." in theirs.asm["ttgir"]

import tilewright.triton as door  # noqa: E402

with door.enable():
    ours = compile_negate()
    assert "tilegpu" in ours.asm["ttgir"]
    with door.disable():
        assert compile_negate() is theirs
    assert compile_negate() is ours
    out = torch.empty_like(x)
    negate[(1,)](x, out, BLOCK=64)
    np.testing.assert_array_equal(out.cpu().numpy(), -x.cpu().numpy())
assert compile_negate() is theirs
