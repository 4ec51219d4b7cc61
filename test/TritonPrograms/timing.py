# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest for compare.py: times the kernels that tests launch, as Triton
compiles them and through the door, and compares what they write.

Of each kernel a few launches whose arguments differ: on copies of the arguments, so
that the test goes on with its own; by graphs of launches, replayed in turns, while no
other process of the run times anything. The environment: TIMING_LOCK, a file for that;
TIMING_LAUNCHES, how many of a kernel (2)."""

import contextlib
import copy
import fcntl
import os
import statistics

import torch
from recording import write
from triton.runtime.jit import JITFunction

import tilewright.triton

LAUNCHES_OF_A_KERNEL = int(os.environ.get("TIMING_LAUNCHES", "2"))
BYTES = 4 << 30
# Of kernels that take so much longer on ours the rows have the tile IR.
SLOWER = 1.08
REPLAYED, REPEATED = 10, 9
_seen = {}
_run = JITFunction.run
_is_timing = False


def _map(value, function):
    """Arguments with the tensors in them, also those of descriptors, replaced."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if type(value) in (tuple, list):
        return type(value)(_map(each, function) for each in value)
    if isinstance(value, dict):
        return {name: _map(each, function) for name, each in value.items()}
    if isinstance(getattr(value, "base", None), torch.Tensor):
        described = copy.copy(value)  # not made anew: a descriptor's checks want a tensor
        described.base = function(value.base)
        return described
    return value


def _describe(value):
    return repr(_map(value, lambda each: (each.dtype, tuple(each.shape), each.stride())))


def _copy(arguments):
    """Copies of tensors; those of one storage are of one storage again."""
    storages = {}

    def clone(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in storages:
            storages[storage.data_ptr()] = storage.clone()
        return torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(
            storages[storage.data_ptr()], tensor.storage_offset(), tensor.shape, tensor.stride())
    return _map(arguments, clone), storages


def _bytes(arguments):
    storages = {}
    _map(arguments, lambda tensor: storages.update(
        {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()}))
    return sum(storages.values())


def _differences(ours, theirs):
    """How far apart tensors are: the largest root of the mean square, for the numbers'
    own; infinity where one has a NaN or infinity that the other has not."""
    worst = 0.0

    def visit(mine, other):
        nonlocal worst
        if not mine.dtype.is_floating_point or mine.shape != other.shape or not mine.numel():
            return
        mine, other = mine.double(), other.double()
        if not torch.equal(mine.isfinite(), other.isfinite()):
            worst = float("inf")
            return
        mine, other = (each.nan_to_num(0, 0, 0) for each in (mine, other))
        size = other.square().mean().sqrt().item()
        worst = max(worst, (mine - other).square().mean().sqrt().item() / (size or 1.0))
    ours_all, theirs_all = [], []
    _map(ours, ours_all.append)
    _map(theirs, theirs_all.append)
    for mine, other in zip(ours_all, theirs_all):
        visit(mine, other)
    return worst


def _time(replay):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / REPLAYED


@contextlib.contextmanager
def _alone():
    with open(os.environ["TIMING_LOCK"], "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _measure(kernel, given, grid):
    graphs, results, resources = {}, {}, {}
    for name, switch in (("triton", tilewright.triton.disable), ("ours", tilewright.triton.enable)):
        with switch():
            (args, named), storages = _copy(given)
            compiled = _run(kernel, *args, grid=grid, warmup=False, **named)
            torch.cuda.synchronize()
            results[name] = _copy((args, named))[0]
            resources[name] = [compiled.n_regs, compiled.n_spills, compiled.metadata.shared]
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(REPLAYED):
                    _run(kernel, *args, grid=grid, warmup=False, **named)
            graphs[name] = (graph, storages)
    differs = _differences(results["ours"], results["triton"])
    times = {name: [] for name in graphs}
    with _alone():
        for _ in range(REPEATED):
            for name, (graph, _) in graphs.items():
                times[name].append(_time(graph.replay))
    us = {name: statistics.median(each) for name, each in times.items()}
    row = {"timed": kernel.__name__, "us": us, "differs": differs, "resources": resources,
           "warps": compiled.metadata.num_warps, "stages": compiled.metadata.num_stages,
           "arguments": _describe(given)[:2000]}
    if us["ours"] > SLOWER * us["triton"]:
        row["ttir"] = compiled.asm["ttir"]
    write(**row)


def _run_and_time(self, *args, grid, warmup, **named):
    global _is_timing
    given = (args, named)
    seen = _seen.setdefault(self.__name__, set())
    key = _describe(given)
    if (warmup or _is_timing or torch.cuda.is_current_stream_capturing() or key in seen
            or len(seen) >= LAUNCHES_OF_A_KERNEL or _bytes(given) > BYTES):
        return _run(self, *args, grid=grid, warmup=warmup, **named)
    seen.add(key)
    # A package may have put its own kernels in the place of what copies tensors.
    _is_timing = True
    try:
        before, _ = _copy(given)
        done = _run(self, *args, grid=grid, warmup=warmup, **named)
        try:
            _measure(self, before, grid)
        except Exception as error:  # what a test itself would not run into
            write(timed=self.__name__, failed=f"{type(error).__name__}: {error}"[:300])
        return done
    finally:
        _is_timing = False


JITFunction.run = _run_and_time
