#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the compiler inputs that nobody means (inputs.py), and judges it.

    run.py --tilewright=build/dev/bin/tilewright [--filter=TEXT] [--parallel=N]
    run.py --tilewright=... --mutants=100000 --seed=2     mutants of the corpus
    ... --folder=build/fla          and of what test/ForeignKernels/dump.py made,
                                    or of tilegpu IR
    ... --bytecode=build/dev/bin/tilewright-opt     of their bytecode, damaged
    ... --fork-server=build/dev/test/HandMade/libtilewright_fork_server.so
                                    ten times as many in the same time

Every input either compiles or is refused: the process ends by itself, within
--seconds and --memory (GiB), with status 0 or 1; it is no bug report; and the
first error has a place in the file, but for those of the command line. Prints
what is wrong as soon as it is found and, last, "N rows, N failed".
"""

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from fork_server import ForkServer
from inputs import COMPILES, REFUSED, Input, make_inputs
from mutate import make_damaged, make_mutants

#: A line of its own; columns may be 0, which is "not known" in locations.
PLACE = re.compile(r":[1-9]\d*:\d+: error: ")
BUGS = ("LLVM ERROR", "Stack dump", "This is a bug", "Assertion", "AddressSan",
        "terminate called", "UNREACHABLE")
#: How the processor's time ends a process.
OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGKILL)
#: What a process may take by the clock, in parts of the processor's time.
WAITING = 20


@dataclass(frozen=True)
class Outcome:
    """status: of the process, negative where a signal ended it; None: it took
    too long."""

    status: int | None
    errors: str


def find_problem(given: Input, outcome: Outcome) -> str:
    """What is wrong with what came of an input, or ""."""
    if outcome.status is None:
        return "it does not end"
    if outcome.status not in (0, 1):
        return f"it ended with status {outcome.status}"
    for text in BUGS:
        if text in outcome.errors:
            return f"it reports '{text}'"
    if given.expected == COMPILES and outcome.status:
        return "it is right, but refused"
    if given.expected == REFUSED and not outcome.status:
        return "it is wrong, but accepted"
    if outcome.status == 0:
        return ""
    first = next((line for line in outcome.errors.splitlines()
                  if "error: " in line), "")
    if not first and not given.has_place:
        return "" if outcome.errors else "it is refused without an error"
    if not first:
        return "it is refused without an error"
    if given.has_place and not PLACE.search(first):
        return f"its error has no place: {first}"
    return ""


class Runner:
    """Runs inputs, in a thread or several; with a fork server for each thread
    where its library is given."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.own = threading.local()
        self.servers: list[ForkServer] = []

    def run(self, given: Input, number: int) -> Outcome:
        file = self.folder / f"{number}.mlir"
        text = given.text
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        command = [str(file) if each == "FILE" else each
                   for each in given.options]
        if self.options.fork_server:
            outcome = self.run_forked(command)
        else:
            outcome = run_started(command, self.options)
        file.unlink()
        return outcome

    def run_forked(self, command: list[str]) -> Outcome:
        if not hasattr(self.own, "server"):
            self.own.server = ForkServer(self.options.fork_server,
                                         self.options.tilewright)
            self.servers.append(self.own.server)
            self.own.errors = self.folder / f"{threading.get_ident()}.errors"
        status = self.own.server.run(command, Path("/dev/null"), self.own.errors,
                                     self.options.seconds, self.options.memory)
        if status in OUT_OF_TIME:
            return Outcome(None, "")
        return Outcome(status, self.own.errors.read_text(errors="replace"))

    def close(self) -> None:
        for server in self.servers:
            server.close()


def run_started(command: list[str], options: argparse.Namespace) -> Outcome:
    # The shell sets the limits: what Python runs between fork and exec
    # (preexec_fn) may wait for ever for a lock that another thread held. Time is
    # the processor's, as others may keep it busy; who only waits gets more.
    limits = f"ulimit -v {options.memory << 20} && ulimit -t {options.seconds}"
    limited = ["sh", "-c", limits + ' && exec "$@"', "sh", options.tilewright,
               *command]
    try:
        done = subprocess.run(limited, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False,
                              timeout=WAITING * options.seconds)
    except subprocess.TimeoutExpired:
        return Outcome(None, "")
    if done.returncode in OUT_OF_TIME:
        return Outcome(None, "")
    return Outcome(done.returncode, done.stderr.decode(errors="replace"))


def run_all(inputs: Iterable[Input], options: argparse.Namespace
            ) -> Iterator[tuple[Input, Outcome]]:
    """Every input with what came of it, in order; of 100,000 inputs few are
    held at a time."""
    numbered = enumerate(inputs)
    with tempfile.TemporaryDirectory() as folder, \
            ThreadPoolExecutor(options.parallel) as pool:
        runner = Runner(options, Path(folder))
        while some := list(islice(numbered, 256)):
            outcomes = pool.map(lambda each: runner.run(each[1], each[0]), some)
            yield from zip((given for _, given in some), outcomes)
        runner.close()


def write_bytecode(tool: str, file: Path) -> tuple[str, bytes]:
    done = subprocess.run([tool, str(file), "--emit-bytecode", "-o", "-"],
                          stdout=subprocess.PIPE, check=True)
    return file.stem, done.stdout


def make_all(options: argparse.Namespace) -> Iterable[Input]:
    if not options.mutants:
        return make_inputs()
    folders = [] if options.only else [Path(__file__).parent.parent / "Corpus"]
    folders += options.folder
    files = sorted(file for folder in folders for file in folder.glob("*.ttir"))
    which = (options.mutants, options.seed, options.first)
    if options.bytecode:
        return make_damaged([write_bytecode(options.bytecode, file)
                             for file in files], *which)
    return make_mutants(files, *which)


def keep(given: Input, file: Path) -> None:
    text = given.text
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--fork-server", default="", metavar="LIBRARY",
                        help="libtilewright_fork_server.so: a fork for each input "
                             "instead of a program that starts anew")
    parser.add_argument("--filter", default="", help="in names of inputs")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--mutants", type=int, default=0,
                        help="so many mutants of the corpus instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0,
                        help="the number of the first mutant")
    parser.add_argument("--folder", type=Path, action="append", default=[],
                        help="with more .ttir files to make mutants of")
    parser.add_argument("--only", action="store_true",
                        help="mutants of those folders alone")
    parser.add_argument("--bytecode", default="", metavar="TILEWRIGHT-OPT",
                        help="damage bytecode, which this tool writes, instead")
    parser.add_argument("--keep", type=Path, default=None, metavar="FOLDER",
                        help="write what fails there")
    parser.add_argument("--seconds", type=int, default=30,
                        help="of the processor")
    parser.add_argument("--memory", type=int, default=4, help="GiB")
    options = parser.parse_args()
    count = failed = 0
    for given, outcome in run_all(
            (each for each in make_all(options)
             if options.filter in each.name), options):
        count += 1
        if problem := find_problem(given, outcome):
            failed += 1
            print(f"{given.name[:80]}: {problem}")
            print(f"    {' '.join(given.options)}")
            if options.keep:
                keep(given, options.keep / f"{failed}.mlir")
            print("".join(f"    {line[:150]}\n"
                          for line in outcome.errors.splitlines()[:3]), end="",
                  flush=True)
    print(f"{count} rows, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
