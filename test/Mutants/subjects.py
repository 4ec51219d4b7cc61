# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mutants are made of: PTX with cases that tell right from wrong.

In: the corpus' manifest, and a built `tilewright` to compile it with. Out: PTX
text for each kernel and target, and its cases with their inputs as files.
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
# First, as the corpus has a run.py too.
sys.path.insert(0, str(HERE.parent / "Corpus"))

from backends import (Compiler, Launch, ToolError,  # noqa: E402
                      argument_text, require_driver, write_launch)
from cases import GUARD, Buffer, Case, Scalar  # noqa: E402
from manifest import Kernel, load_kernels  # noqa: E402
from references import build_case  # noqa: E402
from run import file_name, judge_case  # noqa: E402

TARGETS = ("sm_80", "sm_90a")

__all__ = ["Compiler", "Launch", "Subject", "ToolError", "Trial", "judge_case",
           "launch_options", "make_subjects", "make_trials", "require_driver",
           "run_command"]


@dataclass(frozen=True)
class Trial:
    """A case with its inputs in files. is_exact: no rounding is allowed for."""

    case: Case
    launch: Launch
    is_exact: bool

    def launch_in(self, folder: Path) -> Launch:
        """The launch with its outputs in another folder."""
        return Launch(self.launch.grid, [
            {**argument, "output": str(folder / Path(argument["output"]).name)}
            if "output" in argument else argument
            for argument in self.launch.arguments])


@dataclass(frozen=True)
class Subject:
    """A text and what it is run on. executed: the lines of the instructions
    that any of the trials comes to."""

    name: str
    text: str
    shared_bytes: int
    trials: tuple[Trial, ...]
    executed: frozenset[int] = frozenset()


def launch_options(launch: Launch) -> list[str]:
    """A launch as options of `tilewright run`."""
    options = [f"--grid={','.join(map(str, launch.grid))}"]
    for argument in launch.arguments:
        options += ["--arg", argument_text(argument)]
    return options


def run_command(tilewright: str, file: Path, subject: Subject) -> list[str]:
    return [tilewright, "run", str(file), "--device=emulator",
            f"--shared-bytes={subject.shared_bytes}"]


# --- cases ------------------------------------------------------------------

Parameters = dict[str, Any]


def _vector_sizes(block: int) -> list[int]:
    """Tails of all lengths, 16 of them."""
    return [block * (2 * index + 1) // 32 for index in range(16)]


def _matmul_sizes(kernel: Kernel, fine: int) -> list[Parameters]:
    """Tails of every length in all three dimensions, in another order each;
    several tiles both ways; many trips. `fine`: sizes are multiples of it."""
    m, n, k = (kernel.constexprs[f"BLOCK_{axis}"] for axis in "MNK")
    rows = fine if "M" in kernel.divisible_by_16 else 1
    tails = [{"M": rows * (1 + index % (m // rows)),
              "N": n - fine * (index % (n // fine)),
              "K": fine * (1 + (index + 3) % (2 * k // fine))}
             for index in range(max(m // rows, k // fine))]
    return [*tails, {"M": 2 * m, "N": 2 * n, "K": k},
            {"M": 5 * m, "N": 2 * n, "K": fine},
            {"M": rows, "N": fine, "K": 32 * k + fine}]


def more_cases(kernel: Kernel) -> list[Parameters]:
    """Cases beyond the corpus' own: it looks at the ends of tiles, but a
    mutant may be wrong for one row in their middle. None for kernels that
    mutants are not made of."""
    sizes = kernel.constexprs
    if kernel.reference == "vector_add":
        cases = [{"count": count} for count in _vector_sizes(sizes["BLOCK"])]
    elif kernel.reference == "fused_softmax":
        cases = [{"rows": 8, "columns": columns, "values": "special"}
                 for columns in _vector_sizes(sizes["BLOCK"])]
    elif kernel.reference in ("matmul", "matmul_typed"):
        cases = _matmul_sizes(kernel, 16 if "K" in kernel.divisible_by_16
                              else 1)
    elif kernel.reference == "matmul_w4a16":
        cases = _matmul_sizes(kernel, 16 if "K" in kernel.divisible_by_16
                              else 8)
    elif kernel.reference == "cumsum_varlen":
        cases = [{"lengths": list(range(2 * sizes["CHUNK"])), "heads": 3}]
    else:
        cases = []
    return [{"name": f"more {index}", "values": "integers", **case}
            for index, case in enumerate(cases)]


def without_guard(argument: Buffer | Scalar) -> Buffer | Scalar:
    """A buffer that ends with its last element, so that the emulator sees an
    access beyond; a buffer of none keeps its guard."""
    if isinstance(argument, Scalar) or len(argument.initial) == GUARD:
        return argument

    def cut(array: np.ndarray | None) -> np.ndarray | None:
        return None if array is None else array[:-GUARD]

    return replace(argument, initial=argument.initial[:-GUARD],
                   expected=cut(argument.expected), bound=cut(argument.bound),
                   written=cut(argument.written))


def make_trials(kernel: Kernel, cases: Iterable[Parameters],
                folder: Path) -> tuple[Trial, ...]:
    """The cases with their inputs in `folder`."""
    trials = []
    for parameters in cases:
        case = build_case(kernel, parameters)
        case = replace(case, arguments={
            name: without_guard(argument)
            for name, argument in case.arguments.items()})
        here = folder / file_name(case.name)
        launch = write_launch(case, here / "in", here / "out")
        trials.append(Trial(case, launch,
                            parameters.get("values") == "integers"))
    return tuple(trials)


# --- texts ------------------------------------------------------------------

def make_subjects(tilewright: str, kernels: str,
                  folder: Path) -> list[Subject]:
    """The kernels whose names match and that have cases fine enough, for each
    target; those whose code is the same for both targets once."""
    compiler = Compiler(tilewright, 60.0).without_maps()
    subjects: list[Subject] = []
    for kernel in load_kernels():
        if not re.search(kernels, kernel.name) or not more_cases(kernel):
            continue
        trials = make_trials(kernel, [*kernel.cases, *more_cases(kernel)],
                             folder / kernel.name)
        known: set[str] = set()
        for target in TARGETS:
            here = folder / kernel.name / target
            here.mkdir(parents=True)
            compiler.emit(kernel, target, "ptx", here / "kernel.ptx")
            text = (here / "kernel.ptx").read_text()
            body = text[text.index(".visible"):]
            if body in known:
                continue
            known.add(body)
            shared = compiler.metadata(kernel, target, here).shared_bytes
            subjects.append(Subject(f"{kernel.name} {target}", text, shared,
                                    trials))
    return subjects
