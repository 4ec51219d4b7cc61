# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mutants are made of: PTX with cases that tell right from wrong.

In: the corpus' manifest, and a built `tilewright` to compile it with. Out: PTX
text for each kernel and target, and its cases with their inputs as files.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# First, as the corpus has a run.py too.
sys.path.insert(0, str(HERE.parent / "Corpus"))

from backends import (Compiler, Launch, ToolError,  # noqa: E402
                      argument_text, write_launch)
from cases import Case  # noqa: E402
from manifest import Kernel, load_kernels, resolve_size  # noqa: E402
from references import build_case  # noqa: E402
from run import file_name, judge_case  # noqa: E402

TARGETS = ("sm_80", "sm_90a")

# By reference: cases beyond the corpus' own.
EXTRA_CASES: dict[str, list[dict[str, Any]]] = {}

__all__ = ["Subject", "ToolError", "Trial", "judge_case", "launch_options",
           "make_subjects", "run_command"]


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


def _make_trials(kernel: Kernel, folder: Path) -> tuple[Trial, ...]:
    sizes = [{key: value if key in ("name", "values") else
              resolve_size(value, kernel.constexprs)
              for key, value in case.items()}
             for case in EXTRA_CASES.get(kernel.reference, [])]
    trials = []
    for parameters in [*kernel.cases, *sizes]:
        case = build_case(kernel, parameters)
        here = folder / file_name(case.name)
        launch = write_launch(case, here / "in", here / "out")
        trials.append(Trial(case, launch,
                            parameters.get("values") == "integers"))
    return tuple(trials)


def make_subjects(tilewright: str, kernels: str,
                  folder: Path) -> list[Subject]:
    """The kernels whose names match, for each target; those whose code is the
    same for both targets once."""
    compiler = Compiler(tilewright, 60.0)
    subjects: list[Subject] = []
    for kernel in load_kernels():
        if not re.search(kernels, kernel.name):
            continue
        trials = _make_trials(kernel, folder / kernel.name)
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
