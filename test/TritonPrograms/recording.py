# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest for compare.py: runs a part of a file's tests, and writes a
line of JSON for each test when it begins and ends, and for each compilation.

The environment: RECORD_TO (the file), RECORD_DONE (a file with the tests that are
not to run again), RECORD_SHARD (I/N), RECORD_SAMPLE (tests of one function at
most; 0: all), RECORD_CONFIGS (configurations that an autotuner keeps; 0: all),
RECORD_MODE (ours: every kernel must have been compiled by Tilewright)."""

import json
import os
import re
import tempfile
import time

import pytest

OUTPUT = os.environ["RECORD_TO"]
SHARD, SHARDS = map(int, os.environ.get("RECORD_SHARD", "0/1").split("/"))
SAMPLE = int(os.environ.get("RECORD_SAMPLE", "0"))
CONFIGS = int(os.environ.get("RECORD_CONFIGS", "0"))
# After such a failure the process has no GPU any more: a fresh one goes on.
BROKEN = re.compile(r"CUDA error|Triton Error \[CUDA\]|CUDA_ERROR|illegal memory|"
                    r"unspecified launch failure|device-side assert|misaligned address")
EXIT_AGAIN = 77
_begin = {}
_ended = set()


def write(**row):
    with open(OUTPUT, "a") as file:
        file.write(json.dumps(row) + "\n")


def _compiled(*, src, metadata, metadata_group, times, cache_hit):
    if cache_hit:
        return
    stages = dict(times.lowering_stages)
    write(compile=src.name, source=src.hash(), seconds=times.total / 1e6,
          stages={name: value / 1e6 for name, value in stages.items()},
          warps=metadata.get("num_warps"), num_stages=metadata.get("num_stages"),
          options=[str(metadata.get(name)) for name in ("enable_fp_fusion", "maxnreg", "debug")],
          ours="tilewright" in metadata, fallback=metadata.get("tilewright_fallback"))


def _keep_few_configurations():
    from triton.runtime.autotuner import Autotuner
    build = Autotuner.__init__

    def shorter(self, function, names, configs, *rest, **named):
        build(self, function, names, configs[:CONFIGS] if configs else configs, *rest, **named)
    Autotuner.__init__ = shorter


# Now: a suite's conftest may import its kernels before pytest configures plugins.
if CONFIGS:
    _keep_few_configurations()

# What a process does once, and not for a kernel, is done by compiling this one.
FIRST_KERNEL = """module {
  tt.func public @first(%out: !tt.ptr<f32>) {
    %value = arith.constant 1.0 : f32
    tt.store %out, %value : !tt.ptr<f32>
    tt.return
  }
}
"""


def _load_compilers():
    import torch  # noqa: F401  (it brings an assembler)
    import triton
    from triton.backends.compiler import GPUTarget
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(FIRST_KERNEL)
        file.flush()
        return triton.compile(file.name, target=GPUTarget("cuda", 90, 32))


def pytest_configure(config):
    import triton
    first = _load_compilers()
    ours = os.environ.get("RECORD_MODE") == "ours"
    if ours != hasattr(first.metadata, "tilewright"):
        pytest.exit(f"expects Tilewright to be {'on' if ours else 'off'}: is the wheel installed?", 3)
    if hasattr(triton.knobs.compilation, "listener"):
        triton.knobs.compilation.listener = _compiled


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    done = set()
    if os.environ.get("RECORD_DONE"):
        with open(os.environ["RECORD_DONE"]) as file:
            done = set(file.read().split("\n"))
    if SAMPLE:
        items[:] = _sample(items)
    items[:] = [item for number, item in enumerate(items)
                if number % SHARDS == SHARD and item.nodeid not in done]
    write(collected=len(items))


def _sample(items):
    """At most SAMPLE of each function, spread over its parameters."""
    functions = {}
    for item in items:
        functions.setdefault(item.nodeid.split("[")[0], []).append(item)
    chosen = []
    for members in functions.values():
        step = max(1, -(-len(members) // SAMPLE))
        chosen += members[step // 2::step] if step > 1 else members
    return chosen


def pytest_runtest_logstart(nodeid, location):
    _begin[nodeid] = time.time()
    write(begin=nodeid)


def pytest_runtest_logreport(report):
    if report.when == "call" or (report.outcome != "passed" and report.nodeid not in _ended):
        _ended.add(report.nodeid)
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "xfailed" if outcome == "skipped" else "xpassed"
        elif report.when != "call" and outcome == "failed":
            outcome = "error"
        write(test=report.nodeid, outcome=outcome, reason=_reason(report),
              seconds=round(time.time() - _begin.get(report.nodeid, time.time()), 3))
        if outcome in ("failed", "error") and BROKEN.search(str(report.longrepr)):
            os._exit(EXIT_AGAIN)


def _reason(report):
    if report.outcome == "passed":
        return ""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[-1])[:300]
    crash = getattr(report.longrepr, "reprcrash", None)
    message = crash.message if crash else str(report.longrepr)[-600:]
    return message[:600]
