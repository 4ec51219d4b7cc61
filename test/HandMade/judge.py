#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges mutants of the corpus: does what is compiled do what they say?

    judge.py --judge=build/dev/bin/tilewright-judge --count=5000 --seed=1
        --fork-server=build/dev/test/HandMade/libtilewright_fork_server.so

Mutants that verify run in the reference, and on the emulator by what is compiled
for a target; see test/ForeignKernels/tilewright-judge.cpp. Many cannot be judged:
they do something undefined, race, or rounding decides what they compute. Prints each
that the compiled code does not agree with, that the compiler refuses without a
place, or that ends the process; and last "N rows, N failed", of those that were judged.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Last, as the corpus has a run.py too.
sys.path.append(str(HERE.parent / "Corpus"))

from cases import GUARD, Buffer  # noqa: E402
from fork_server import ForkServer  # noqa: E402
from manifest import Kernel, load_kernels  # noqa: E402
from mutate import TARGETS, mutate_meaning  # noqa: E402
from references import build_case  # noqa: E402
from run import OUT_OF_TIME  # noqa: E402

#: Elements that a buffer has beyond those of its case: mutants go further.
MORE = 1024
#: The reference's and the emulator's work grows with them.
LARGEST = 1 << 16


#: What became of a mutant that uses a register without a value, and shifts.
POISONED = "poisoned"


@dataclass(frozen=True)
class Subject:
    kernel: Kernel
    grid: tuple[int, ...]
    #: As tilewright-judge reads them.
    arguments: list[Any]


def describe(argument: Any) -> Any:
    if not isinstance(argument, Buffer):
        return argument.value
    count = len(argument.initial) - GUARD
    described: dict[str, Any] = {"elements": count + MORE}
    if argument.expected is None and argument.initial.dtype.kind == "i":
        described["values"] = [int(each) for each in argument.initial[:count]]
    return described


def make_subjects() -> Iterator[Subject]:
    """Each kernel with the smallest of its cases."""
    for kernel in load_kernels():
        cases = [build_case(kernel, parameters) for parameters in kernel.cases]

        def size(case: Any) -> int:
            return sum(len(argument.initial)
                       for argument in case.arguments.values()
                       if isinstance(argument, Buffer))
        # Not the one of no rows, with which a kernel does nothing.
        cases = [case for case in cases if all(
            len(argument.initial) > GUARD
            for argument in case.arguments.values()
            if isinstance(argument, Buffer))] or cases
        case = min(cases, key=size)
        if size(case) <= LARGEST:
            yield Subject(kernel, case.grid, [
                describe(argument) for argument in case.arguments.values()])


def make_case(subject: Subject, source: random.Random) -> dict[str, Any]:
    """All of a case but the file of its kernel."""
    return {"grid": list(subject.grid),
            "numWarps": source.choice((1, 2, 4, 8)),
            "numStages": source.choice((0, 1, 2, 4)),
            "seed": source.choice((0, 7)), "arguments": subject.arguments,
            "targets": [source.choice(TARGETS)]}


def is_associative(text: str) -> bool:
    """Whether what scans and reductions combine by may be done in any order."""
    bodies = re.findall(r'"tt\.(?:scan|reduce)".*?\n *}\)', text, re.DOTALL)
    return not any(re.search(r"arith\.(?:sub|div|rem|sh)", body)
                   for body in bodies)


SHIFT = re.compile(
    r"(?P<start>\s*%[\w.]+ = arith\.sh(?:li|rsi|rui) %[\w.#]+, )"
    r"(?P<amount>%[\w.#]+)(?P<flags>[^:]*) : "
    r"(?P<type>(?:tensor<(?:\d+x)*)?i(?P<width>\d+)>?)(?P<end>\s.*)?")


def bound_shifts(text: str) -> str:
    """The kernel with the amount of each shift modulo its width: the same where
    none is too far."""
    lines = []
    for number, line in enumerate(text.split("\n")):
        shift = SHIFT.fullmatch(line)
        if not shift:
            lines.append(line)
            continue
        last, name = int(shift["width"]) - 1, f"%bound.{number}"
        value = f"dense<{last}>" if shift["type"][0] == "t" else last
        lines += [
            f"{name}.last = arith.constant {value} : {shift['type']}",
            f"{name} = arith.andi {shift['amount']}, {name}.last : "
            f"{shift['type']}",
            f"{shift['start']}{name}{shift['flags']} : {shift['type']}"
            f"{shift['end'] or ''}"]
    return "\n".join(lines)


def find_problem(text: str, status: int, said: str, errors: str
                 ) -> tuple[str, str]:
    """What became of a mutant, in a word, and what is wrong, or ""."""
    # That it compiles in time is another question (run.py).
    if status in OUT_OF_TIME:
        return "too long", ""
    if status != 0:
        return "ended", f"status {status}: {errors[:300]}"
    report = json.loads(said)
    if report["status"] != "judged":
        return report["status"], ""
    image = report["images"][0]
    # The mutant's own: lanes or programs write one place without an order.
    fault = image["message"].split("\n")[0]
    if ": global-race at " in fault:
        return "races", ""
    if ": uninitialized-register at " in fault and bound_shifts(text) != text:
        return POISONED, image["message"]
    wrong = image["status"] in ("differs", "faulted")
    return image["status"], image["message"] if wrong else ""


def write(text: str, case: dict[str, Any], name: Path) -> Path:
    """Writes NAME.ttir and NAME.json, which is the case and is returned."""
    kernel, file = Path(f"{name}.ttir"), Path(f"{name}.json")
    kernel.write_text(text)
    file.write_text(json.dumps({"kernel": str(kernel), **case}))
    return file


class Runner:
    """Runs mutants in tilewright-judge."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.server = ForkServer(options.fork_server, options.judge)

    def judge(self, text: str, case: dict[str, Any]) -> tuple[str, str]:
        """As find_problem. Shifts too far are poison, which a dot spreads also
        where it is times 0, and which the reference finds to be the same for
        all that they could be: they are why a register has no value where it
        has one once no shift is too far."""
        word, problem = self.run(text, case)
        if word != POISONED:
            return word, problem
        bounded, other = self.run(bound_shifts(text), case)
        if bounded == "agrees":
            return "shifts too far", ""
        return "faulted", f"{problem}; with bounded shifts: {bounded} {other}"

    def run(self, text: str, case: dict[str, Any]) -> tuple[str, str]:
        said, errors = self.folder / "said", self.folder / "errors"
        file = write(text, case, self.folder / "mutant")
        status = self.server.run([str(file)], said, errors,
                                 self.options.seconds, memory=4)
        return find_problem(text, status, said.read_text(),
                            errors.read_text(errors="replace"))

    def close(self) -> None:
        self.server.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judge", required=True, metavar="PATH")
    parser.add_argument("--fork-server", required=True, metavar="LIBRARY")
    parser.add_argument("--count", type=int, default=1000, help="of mutants")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=30,
                        help="of the processor, for each")
    parser.add_argument("--keep", type=Path, default=None, metavar="FOLDER",
                        help="write what fails there")
    options = parser.parse_args()
    subjects = list(make_subjects())
    became: Counter[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(options, Path(scratch))
        for number in range(options.first, options.first + options.count):
            source = random.Random(f"{options.seed}.{number}")
            subject = source.choice(subjects)
            text = mutate_meaning(subject.kernel.file.read_text(), source)
            if not is_associative(text):
                became["no order"] += 1
                continue
            case = make_case(subject, source)
            word, problem = runner.judge(text, case)
            became[word] += 1
            if not problem:
                continue
            failed += 1
            print(f"{options.seed}.{number} of {subject.kernel.name}: {word}: "
                  f"{problem[:400]}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                write(text, case, options.keep / f"{options.seed}.{number}")
        runner.close()
    judged = sum(became[word] for word in ("agrees", "differs", "faulted", "ended"))
    print(", ".join(f"{count} {word}" for word, count in became.most_common()))
    print(f"{judged} rows, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
