# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the choice of copies is the least of the estimates, as
lib/Compiler/CopyChoice.cpp weighs them, that options
overrule it, and that what is only tried says nothing.

copy_choice.py TILEWRIGHT CORPUS SCRATCH
"""

import json
import subprocess
import sys
from pathlib import Path

tilewright, corpus, scratch = sys.argv[1:]
corpus = Path(corpus)
MATMUL = "M=4096,N=4096,K=4096,stride_am=4096,stride_bk=4096,stride_cm=4096"
WAYS = ("--bulk-copies=false", "--bulk-copies", "--specialize-warps")
MARGIN = 1.03
# Kernels, warps, launches, and the way that is to be chosen; measured on an H200,
# products of 128 x 128 x 64 by eight warps are slowest by warps of their own, and
# fastest by bulk copies (docs/Hopper.md). The last one has no boxes.
CASES = (
    ("matmul_f16_128x128x64_aligned", 8, "1024," + MATMUL, 1),
    ("matmul_f16_128x128x64_aligned", 4, "1024," + MATMUL, None),
    ("matmul_f16_64x64x32", 4, "4096", 0),
)


def make(form, name, warps, launch, *options):
    done = subprocess.run(
        [tilewright, "compile", str(corpus / f"{name}.ttir"), "--target=sm_90a",
         f"--num-warps={warps}", f"--launch={launch}", f"--emit={form}",
         "--machine-code=false", "-o", "-", *options],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def microseconds(*case):
    return json.loads(make("estimate-json", *case)[0])["kernels"][0]["us"]


def has_maps(*case):
    [kernel] = json.loads(make("artifact-json", *case)[0])["kernels"]
    return any("tensor_maps" in variant for variant in kernel["variants"])


chosen = set()
for name, warps, launch, expected in CASES:
    case = (name, warps, launch)
    times = [microseconds(*case, way) for way in WAYS]
    # Threads' copies must be better by some; without boxes there are no others.
    weighed = [MARGIN * times[0], *times[1:]]
    best = weighed.index(min(weighed)) if len(set(times)) > 1 else 0
    assert expected in (None, best), (case, times)
    assert microseconds(*case) == times[best], case
    chosen.add(best)
    own, remarks = make("tilegpu", *case, "--remarks=all")
    forced, forcedRemarks = make("tilegpu", *case, "--remarks=all", WAYS[best])
    assert own == forced, case
    assert remarks == forcedRemarks, (remarks, forcedRemarks)
    assert (make("layout-report", *case)[0] ==
            make("layout-report", *case, WAYS[best])[0]), case
    assert has_maps(*case) == (best != 0), case
    assert not has_maps(*case, "--tensor-maps=false"), case
    assert not has_maps(*case, "--bulk-copies=false"), case
    if best == 2:
        assert "setmaxnreg" not in make("ptx", *case, "--specialize-warps=false")[0]
assert len(chosen) > 1, chosen

# Who asks for bulk copies of launches that make no maps gets none.
assert not has_maps(CASES[0][0], 8, "1024", "--tensor-maps=false", "--bulk-copies")
print("all choices as estimated")
