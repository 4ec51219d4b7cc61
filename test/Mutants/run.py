#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the emulator with mutants: does it see a kernel that is wrong?

In: the corpus, a built `tilewright`. Out: a table by kind of mutant, the
mutants that nothing caught, and exit status 1 if too many were missed. A
mutant is caught when the emulator reports a fault in one of the kernel's
cases, or when a result fails the corpus' own verdict.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from mutants import KINDS, Mutant, choose, make_mutants, make_probe
from subjects import (Subject, ToolError, Trial, judge_case,
                      launch_options, make_subjects, require_driver,
                      run_command)

# A mutant may run on for ever.
TIME_LIMIT = "time limit"
RESULT = "result"
# "KERNEL: CHECK at SOURCE (PTX line N), CTA ...", the runner's first line.
_FAULT = re.compile(r": ([a-z-]+) at .*\(PTX line \d+\)")
# Of a hundred, rounded up to a whole mutant.
MISSES_ALLOWED = 2


@dataclass(frozen=True)
class Outcome:
    """What came of a mutant. caught: a check's name, RESULT, TIME_LIMIT, or
    "" where it was missed. problem: the emulator refused the text, or broke.
    is_same: missed, and no case tells it from the original."""

    subject: Subject
    mutant: Mutant
    caught: str = ""
    case: str = ""
    problem: str = ""
    is_same: bool = False


def run_trial(trial: Trial, command: list[str], folder: Path,
              seconds: float) -> tuple[str, str]:
    """What caught the text in this case, if anything, and what broke."""
    launch = trial.launch_in(folder)
    try:
        done = subprocess.run(
            [*command, *launch_options(launch)], capture_output=True, text=True,
            timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return TIME_LIMIT, ""
    if done.returncode == 0:
        return ("" if judge_case(trial.case, launch).passed else RESULT), ""
    said = done.stderr.splitlines() or ["it printed nothing"]
    found = _FAULT.search(said[0])
    if found and done.returncode == 1:
        return found[1], ""
    return "", f"exit status {done.returncode}: {said[0]}"


def run_mutant(subject: Subject, mutant: Mutant, tilewright: str,
               seconds: float) -> Outcome:
    """Runs the cases until one catches it. Where none does, a probe says
    whether there was anything to catch."""
    outcome = run_cases(subject, mutant, tilewright, seconds)
    probe = make_probe(mutant)
    if outcome.caught or outcome.problem or not probe:
        return outcome
    probed = run_cases(subject, probe, tilewright, seconds)
    return replace(outcome, problem=probed.problem,
                   is_same=not probed.caught and not probed.problem)


def run_cases(subject: Subject, mutant: Mutant, tilewright: str,
              seconds: float) -> Outcome:
    """Runs the cases until one catches it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        file = folder / "mutant.ptx"
        file.write_text(mutant.apply(subject.text))
        command = run_command(tilewright, file, subject)
        for trial in subject.trials:
            caught, problem = run_trial(trial, command, folder, seconds)
            if caught or problem:
                return Outcome(subject, mutant, caught, trial.case.name,
                               problem)
    return Outcome(subject, mutant)


def measure(subject: Subject, tilewright: str, seconds: float) -> Subject:
    """Runs the original, which must pass; its trials come back in the order
    that catches most in least time: exact ones first, then the fastest. Lines
    that no trial executes are noted."""
    executed: Counter[int] = Counter()
    times: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "original.ptx"
        file.write_text(subject.text)
        command = run_command(tilewright, file, subject)
        for trial in subject.trials:
            begin = time.perf_counter()
            launch = trial.launch_in(Path(scratch))
            done = subprocess.run(
                [*command, *launch_options(launch), "--stats=json"], timeout=seconds,
                capture_output=True, text=True, check=False)
            times[trial.case.name] = time.perf_counter() - begin
            if done.returncode or not judge_case(trial.case, launch).passed:
                raise ToolError(f"{subject.name}, {trial.case.name}: the "
                                f"original fails: {done.stderr.strip()}")
            counts = json.loads(done.stdout[done.stdout.index("{"):])
            for instruction in counts["instructions"]:
                executed[instruction["ptxLine"]] += instruction["warps"]
    order = sorted(subject.trials, key=lambda trial: (
        not trial.is_exact, times[trial.case.name]))
    return replace(subject, trials=tuple(order), executed=frozenset(
        line for line, count in executed.items() if count))


def reachable_mutants(subject: Subject) -> tuple[dict[str, list[Mutant]], int]:
    """The mutants of instructions that some case executes, and how many
    others there are. A guard that is never true hides its instruction, but not
    a mutant of the guard."""
    hidden, pools = 0, {}
    for kind, mutants in make_mutants(subject.text).items():
        if kind not in ("guard dropped", "guard negated"):
            kept = [mutant for mutant in mutants
                    if mutant.line in subject.executed]
        else:
            kept = mutants
        hidden += len(mutants) - len(kept)
        pools[kind] = kept
    return pools, hidden


def pick(subjects: list[Subject], count: int, seed: int
         ) -> tuple[list[tuple[Subject, Mutant]], int]:
    """`count` mutants, and the number of those that no case executes."""
    pools: dict[str, dict[str, list[Mutant]]] = {kind: {} for kind in KINDS}
    hidden = 0
    for subject in subjects:
        mutants, more = reachable_mutants(subject)
        hidden += more
        for kind, found in mutants.items():
            pools[kind][subject.name] = found
    by_name = {subject.name: subject for subject in subjects}
    return [(by_name[name], mutant)
            for name, mutant in choose(pools, count, seed)], hidden


# --- the report -------------------------------------------------------------

def print_table(outcomes: list[Outcome]) -> None:
    lines = [("kind", "made", "by a check", "by result", "missed", "checks")]
    for kind in KINDS:
        of_kind = [each for each in outcomes if each.mutant.kind == kind]
        ways = Counter(each.caught for each in of_kind if each.caught)
        by_result = ways.pop(RESULT, 0)
        lines.append((kind, str(len(of_kind)), str(ways.total()),
                      str(by_result),
                      str(len(of_kind) - ways.total() - by_result),
                      ", ".join(f"{name} {count}"
                                for name, count in ways.most_common())))
    wide = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(text.rjust(width) if 0 < place < 5
                        else text.ljust(width) for place, (text, width)
                        in enumerate(zip(line, wide))).rstrip())


def print_missed(outcomes: list[Outcome]) -> None:
    for each in outcomes:
        if each.caught:
            continue
        what = f"PROBLEM ({each.problem})" if each.problem else "missed"
        print(f"{what}: {each.subject.name}, PTX line {each.mutant.line}, "
              f"{each.mutant.kind}: {each.mutant.instruction.text}  ->  "
              f"{each.mutant.after or 'nothing'}")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH",
                        help="the driver (default: from PATH)")
    parser.add_argument("--mutants", type=int, default=400, metavar="N",
                        help="how many (default 400)")
    parser.add_argument("--quick", action="store_true",
                        help="40 mutants")
    parser.add_argument("--seed", type=int, default=1, metavar="N",
                        help="which of all possible ones (default 1)")
    parser.add_argument("--kernels", default="", metavar="EXPRESSION",
                        help="regular expression on names of kernels")
    parser.add_argument("--parallel", type=int, default=os.cpu_count(),
                        metavar="N", help="mutants at a time")
    parser.add_argument("--timeout", type=float, default=5.0,
                        metavar="SECONDS",
                        help="for each case; more is an endless loop")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write what became of each mutant there")
    return parser.parse_args()


def write_json(file: Path, outcomes: list[Outcome]) -> None:
    file.write_text(json.dumps(
        [{"kernel": each.subject.name, "kind": each.mutant.kind,
          "line": each.mutant.line, "before": each.mutant.instruction.text,
          "after": each.mutant.after, "caught": each.caught,
          "case": each.case, "problem": each.problem}
         for each in outcomes], indent=1) + "\n")


def run_all(options: argparse.Namespace, folder: Path
            ) -> tuple[list[Outcome], int]:
    with ThreadPoolExecutor(max(1, options.parallel)) as pool:
        subjects = list(pool.map(
            lambda subject: measure(subject, options.tilewright, 60.0),
            make_subjects(options.tilewright, options.kernels, folder)))
        picked, hidden = pick(subjects, 40 if options.quick
                              else options.mutants, options.seed)
        return list(pool.map(
            lambda each: run_mutant(*each, options.tilewright,
                                    options.timeout), picked)), hidden


def main() -> int:
    options = parse_options()
    require_driver(options.tilewright)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            outcomes, hidden = run_all(options, Path(scratch))
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not outcomes:
        print(f"error: expects kernels that match '{options.kernels}', but "
              f"found none", file=sys.stderr)
        return 2
    same = sum(each.is_same for each in outcomes)
    outcomes = [each for each in outcomes if not each.is_same]
    print_table(outcomes)
    print_missed(outcomes)
    if options.json:
        write_json(options.json, outcomes)
    print(f"left out, of all that could be made: {hidden}, whose instruction "
          f"no case executes; of those made: {same}, which decide as the "
          f"original does in every case")
    caught = sum(bool(each.caught) for each in outcomes)
    share = 100.0 * caught / len(outcomes)
    print(f"{len(outcomes)} mutants, {caught} caught ({share:.1f} %)")
    broken = any(each.problem for each in outcomes)
    allowed = math.ceil(len(outcomes) * MISSES_ALLOWED / 100)
    return 1 if broken or len(outcomes) - caught > allowed else 0


if __name__ == "__main__":
    sys.exit(main())
