#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright.linear's functions on a GPU beside a recurrence in float64: all operators,
types, options, numbers of tokens and ways in which sequences are packed, by chance.

    against_recurrence.py [--count N] [--seconds S] [--theirs N]

Of each call: results within a bound (cases.py derives it); the same bits again, from
memory that held NaN; no operation of PyTorch's that waits for the GPU; and captured
into a CUDA graph, which no call survives that waits, the same bits at each replay. Of
one call of each function besides: which functions of the driver it calls when warm.

With --theirs so many calls are made of flash-linear-attention's functions too, where it
is installed: ours must have at most 1.05 times their error, or at most the unit roundoff
of the type (of f32: what its own sums are off by), with which results are stored. FLA's
autotuners keep their first configuration.

The last line is "N passed, N failed"; a case is one call, and so is a comparison.
`--emulator` runs small calls on the emulator's CUDA library, results alone."""

import argparse
import collections
import contextlib
import importlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import zlib

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from cases import F16, F32, OPERATORS, Inputs, all_cases  # noqa: E402
from tilewright import linear, ops  # noqa: E402

AT_MOST_THEIRS = 1.05
# FLA's module of each function; the others have none, or several for one.
MODULES = {"delta_rule": "delta_rule", "gated_delta_rule": "gated_delta_rule",
           "gated_delta_product": "gated_delta_product", "gla": "gla", "kda": "kda",
           "dplr_delta_rule": "generalized_delta_rule",
           "iplr_delta_rule": "generalized_delta_rule", "lightning_attn": "lightning_attn",
           "linear_attn": "linear_attn", "retention": "retention", "rwkv6": "rwkv6",
           "rwkv7": "rwkv7", "simple_gla": "simple_gla"}
# What says that the process has no GPU any more.
BROKEN = ("CUDA error", "illegal memory", "misaligned", "unspecified launch")


#===------------------------------------------------------------------------===#
# One call
#===------------------------------------------------------------------------===#

def poisoned(new):
    """Memory for results and for what is kept between launches holds NaN."""
    def make(*arguments):
        made = new(*arguments)
        if not isinstance(made, torch.Tensor):
            return made
        return made.fill_(float("nan") if made.is_floating_point() else -1)
    return make


def flatten(result):
    """A function's results, without those that are None."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for one in result or () for tensor in flatten(one)]


def results_of(case, result):
    """Without states that were not asked for (sums of keys are there always)."""
    tensors = flatten(result)
    return tensors if case.final else tensors[:1]


def rms(x):
    return float(x.square().mean().sqrt()) if x.numel() else 0.0


def errors(results, expected):
    """Of each result, relative to what is expected; infinite where it is no number."""
    found = []
    for actual, right in zip(results, expected):
        if actual.shape != right.shape:
            raise AssertionError(f"expects {list(right.shape)}, but got "
                                 f"{list(actual.shape)}")
        size, error = rms(right), rms(actual.double() - right)
        found.append(error / size if size else error)
    return [error if error == error else float("inf") for error in found]


def same(results, others):
    return len(results) == len(others) and all(
        torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8))
        for a, b in zip(results, others))


@contextlib.contextmanager
def refuse_waiting():
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def problem_of_repeating(call):
    """What is not the same from call to call and from replay to replay, or ""."""
    first = [x.clone() for x in call()]
    with refuse_waiting():
        second = call()
    if not same(second, first):
        return "two calls differ"
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        captured = call()
    for _ in range(2):
        for x in captured:
            x.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        if not same(captured, first):
            return "a replay differs"
    return ""


def driver_calls(call):
    """The functions of CUDA's that a warm call calls."""
    from torch.profiler import ProfilerActivity, profile, record_function
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
        with record_function("the call"):
            call()
        torch.cuda.synchronize()
    events = profiled.events()
    span = next(e.time_range for e in events if e.name == "the call"
                and str(e.device_type).endswith("CPU"))
    return sorted({e.name for e in events if e.name.startswith("cu") and
                   span.start <= e.time_range.start <= span.end and
                   str(e.device_type).endswith("CPU")})


def digest(results):
    """A number that says whether another run's bits are the same."""
    total = 0
    for x in results:
        units = x.contiguous().view(torch.uint8).flatten().long() + 1
        places = torch.arange(len(units), device=units.device) % 65521 + 1
        total = (total * 31 + int((units * places).sum())) % 2 ** 61
    return total


class Checker:
    """profiled: the numbers of cases of which the driver's calls are recorded."""

    def __init__(self, options, device, profiled):
        self.options, self.device, self.profiled = options, device, profiled

    def check(self, case):
        """A row for the report."""
        inputs = Inputs(case, self.device, self.options.seed)
        function = getattr(linear, case.function)
        call = lambda: results_of(case, function(**inputs.arguments()))
        results, expected = call(), inputs.expected()
        found, bound = errors(results, expected), inputs.bound()
        row = {"errors": found, "bound": bound, "bits": digest(results), "problem": ""}
        if case.final in ("given", "in place") and len(results) > 1:
            # What a state is stored as rounds it once more.
            eps = torch.finfo(results[1].dtype).eps / 2
            limits = [bound, bound + eps]
        else:
            limits = [bound] * len(found)
        row["share"] = max([e / b for e, b in zip(found, limits)], default=0.0)
        if row["share"] > 1:
            row["problem"] = f"expects errors of {bound:.2e} at most, but got " + ", ".join(
                f"{e:.2e}" for e in found)
        elif self.device != "cpu":
            row["problem"] = problem_of_repeating(call)
            if not row["problem"] and case.number in self.profiled:
                row["calls"] = self._driver_calls(call)
                if any("Synchronize" in name for name in row["calls"]):
                    row["problem"] = f"a warm call waits: {row['calls']}"
        return row

    def _driver_calls(self, call):
        try:
            return driver_calls(call)
        except (StopIteration, RuntimeError, ImportError) as error:
            return [f"not found: {error}"[:100]]

    def compare(self, case, theirs):
        """Of FLA's function; None where it refuses the call."""
        inputs = Inputs(case, self.device, self.options.seed)
        try:
            with torch.no_grad():
                results = results_of(case, theirs(**inputs.arguments(ours=False)))
            torch.cuda.synchronize()
        except Exception as error:  # Of whatever kind: it is theirs.
            if any(word in str(error) for word in BROKEN):
                raise
            return {"refused": f"{type(error).__name__}: {error}"[:200]}
        expected = inputs.expected()
        their_errors = errors(results, expected)
        with torch.no_grad():
            ours = results_of(
                case, getattr(linear, case.function)(**inputs.arguments()))
        floor = inputs.unit_roundoff()
        found = errors(ours, expected)
        worst = max([min(e / t if t else float(e > 0) * 1e9, 1e9)
                     for e, t in zip(found, their_errors)], default=0.0)
        bad = any(e > AT_MOST_THEIRS * t and e > floor
                  for e, t in zip(found, their_errors))
        return {"ratio": worst, "problem": (
            f"expects at most FLA's errors, {their_errors}, or {floor:.1e}, but got "
            f"{found}") if bad else ""}


#===------------------------------------------------------------------------===#
# A process
#===------------------------------------------------------------------------===#

def find_theirs(function):
    """FLA's function of that name, or None."""
    name = max((name for name in MODULES if function.endswith("_" + name)), key=len,
               default=None)
    if name is None:
        return None
    try:
        module = importlib.import_module("fla.ops." + MODULES[name])
    except ImportError:
        return None
    return getattr(module, function, None)


def keep_few_configurations():
    """Else an autotuner compiles and times dozens."""
    from triton.runtime.autotuner import Autotuner
    build = Autotuner.__init__

    def shorter(self, function, names, configs, *rest, **named):
        build(self, function, names, configs[:1] if configs else configs, *rest, **named)
    Autotuner.__init__ = shorter


def comparable(case):
    """What FLA has too: of grouped heads only some of its operators."""
    grouped = case.group == 1 or case.operator in ("Gated DeltaNet", "KDA")
    return (case.number > 0 and grouped and sum(case.lengths) > 0 and case.letters != "m"
            and case.state in (None, F32) and min(case.lengths) > 0)


def choose_compared(cases, count):
    """So many, every function as often as the others."""
    functions = collections.defaultdict(list)
    for case in cases:
        if comparable(case):
            functions[case.function].append(case)
    for members in functions.values():  # Most of its chunk_... have no f32.
        members.sort(key=lambda case: case.type == F32)
    rounds = max(map(len, functions.values()), default=0)
    return [members[i] for i in range(rounds) for members in functions.values()
            if i < len(members)][:count]


def select_cases(options):
    small = dict(most_tokens=40, dims=(32, 16), types=(F16, F32)) if options.emulator else {}
    cases = all_cases(options.seed, options.count, options.only, **small)
    if options.emulator:
        cases = [case for case in cases if case.number]
    return cases if options.case is None else [
        case for case in cases if case.number == options.case]


def attempt(number, kind, action):
    """Prints the row of an action; whether the process has a GPU still. Processes
    share its memory: none keeps what it does not use."""
    print(json.dumps({"case": number, "kind": kind, "begins": time.time()}),
          flush=True)
    try:
        row = action()
    except Exception as error:  # One call that raises is one failure.
        row = {"problem": f"{type(error).__name__}: {error}"[:400]}
    print(json.dumps({"case": number, "kind": kind, **row}), flush=True)
    if any(word in row.get("problem", "") for word in BROKEN):
        return False
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return True


def work(options):
    """A process' part of the cases: first ours, then FLA's, which may lose the GPU."""
    part, parts = map(int, options.part.split("/"))
    device = "cpu" if options.emulator else "cuda"
    if options.theirs:
        keep_few_configurations()
    linear._new, ops._new = poisoned(linear._new), poisoned(ops._new)
    cases = select_cases(options)
    # One call of each function.
    profiled = {case.function: case.number for case in reversed(cases) if case.number}
    checker = Checker(options, device, profiled.values() if options.calls else ())
    todo = [("ours", case) for case in cases[part::parts]]
    todo += [("theirs", case)
             for case in choose_compared(cases, options.theirs)[part::parts]]
    done = set(options.done.split(","))
    for kind, case in todo:
        if time.time() > options.end:
            return 0
        if f"{kind}{case.number}" in done:
            continue
        if kind == "theirs":
            theirs = find_theirs(case.function)
            action = lambda: checker.compare(case, theirs)
            if theirs is None:
                action = lambda: {"refused": "not there"}
        else:
            action = lambda: checker.check(case)
        if not attempt(case.number, kind, action):
            os._exit(77)
    return 0


#===------------------------------------------------------------------------===#
# All processes
#===------------------------------------------------------------------------===#

class Process:
    """One part of the cases; goes on in a fresh process where one breaks down."""

    def __init__(self, options, part, folder):
        self.options, self.part = options, part
        self.output = folder / f"rows-{part}"
        self.log = folder / f"log-{part}"
        self.begins = 0
        self.start()

    def start(self):
        done = ",".join(f"{row['kind']}{row['case']}" for row in self.rows(True))
        self.begins += 1
        command = [sys.executable, str(HERE / "against_recurrence.py"), *sys.argv[1:],
                   "--part", f"{self.part}/{self.options.jobs}", "--end",
                   str(self.options.end), "--done", done]
        environment = {**os.environ, "OMP_NUM_THREADS": "1",
                       "PYTHONDONTWRITEBYTECODE": "1"}
        with open(self.output, "ab") as output, open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=output, stderr=log,
                                            env=environment, start_new_session=True)

    def rows(self, with_begun=False):
        """Of what ended; with what was begun in place of what did not."""
        lines = self.output.read_text().splitlines(True) if self.output.exists() else []
        rows = [json.loads(line) for line in lines
                if line.startswith("{") and line.endswith("}\n")]
        ended = {(row["kind"], row["case"]): row for row in rows if "begins" not in row}
        begun = {(row["kind"], row["case"]): row for row in rows if "begins" in row}
        return list(({**begun, **ended} if with_begun else ended).values())

    def step(self):
        """Whether it is still at work."""
        status = self.process.poll()
        if status is None:
            if time.time() > self.options.end + 20:
                self.stop()
                return False
            begun = max((row.get("begins", 0) for row in self.rows(True)), default=0)
            if not begun or time.time() < begun + self.options.case_seconds:
                return True
            self.stop()
        else:
            self._note_lost(f"the process ended with status {status}")
        if status == 0 or time.time() > self.options.end or self.begins > 20:
            return False
        if not self.rows(True):
            return False  # It does not even begin.
        self.start()
        return True

    def _note_lost(self, problem):
        for row in self.rows(True):
            if row.pop("begins", None):
                with open(self.output, "a") as file:
                    file.write("\n" + json.dumps({**row, "problem": problem}) + "\n")

    def stop(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._note_lost("takes too long")


def run_all(options):
    options.end = time.time() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        processes = [Process(options, part, pathlib.Path(folder))
                     for part in range(options.jobs)]
        active = list(processes)
        while active:
            time.sleep(0.5)
            active = [process for process in active if process.step()]
        rows = [row for process in processes for row in process.rows()]
        if not rows:
            print(processes[0].log.read_text(errors="replace")[-2000:])
    return rows


def describe_ours(operator, cases, rows):
    mine = [row for row in rows if row["kind"] == "ours" and "share" in row
            and cases[row["case"]].operator == operator]
    kinds = {tuple(cases[row["case"]].lengths) for row in mine if cases[row["case"]].packed}
    tokens = {cases[row["case"]].lengths[0] for row in mine
              if not cases[row["case"]].packed}
    worst = max(mine, key=lambda row: row["share"], default={"share": 0, "errors": [0]})
    theirs = [row for row in rows if row["kind"] == "theirs" and "ratio" in row
              and cases[row["case"]].operator == operator]
    most = max([row["ratio"] for row in theirs], default=0)
    at_most = sum(row["ratio"] <= AT_MOST_THEIRS for row in theirs)
    return (f"{operator:15} {len(mine):5} {len(kinds):4} {len(tokens):4} "
            f"{max(worst['errors'], default=0):11.2e} {worst['share']:8.2f} "
            f"{len(theirs):5} {at_most:5} {most:8.2f}")


def report(rows, cases):
    cases = {case.number: case for case in cases}
    print("operator        cases pack   T  worst error  / bound  FLA's  1.05    most")
    for operator in OPERATORS:
        print(describe_ours(operator, cases, rows))
    calls = {name for row in rows for name in row.get("calls", ())}
    if calls:
        print("driver calls of warm calls:", ", ".join(sorted(calls)))
    refused = collections.Counter(f"{cases[row['case']].function}: {row['refused']}"[:150]
                                  for row in rows if "refused" in row)
    for reason, number in refused.most_common(12):
        print(f"FLA's refuses, {number}: {reason}")
    failed = [row for row in rows if row.get("problem")]
    lost = [row for row in failed if row["kind"] == "theirs" and "ratio" not in row]
    failed = [row for row in failed if row not in lost]
    for row in lost[:10]:
        print(f"FLA's breaks down: {cases[row['case']]}: {row['problem'][:150]}")
    for row in failed[:40]:
        print(f"failed ({row['kind']}): {cases[row['case']]}: {row['problem'][:300]}")
    bits = [row.get("bits", 0) for row in sorted(rows, key=lambda row: row["case"])
            if row["kind"] == "ours"]
    print(f"digest of {len(bits)} calls' results, for other runs: "
          f"{zlib.crc32(repr(bits).encode()):08x}")
    missing = len(cases) - sum(row["kind"] == "ours" for row in rows)
    if missing:
        print(f"{missing} of {len(cases)} cases did not run: time was up")
    passed = sum(not row.get("problem") and "refused" not in row for row in rows)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed or not passed else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=480, help="cases")
    parser.add_argument("--seconds", type=float, default=240, help="for everything")
    parser.add_argument("--case-seconds", type=float, default=90, help="for one case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--theirs", type=int, default=0, metavar="N",
                        help="comparisons with FLA's functions")
    parser.add_argument("--only", nargs="*", help="parts of operators' or functions' names")
    parser.add_argument("--case", type=int, help="that one alone")
    parser.add_argument("--calls", action=argparse.BooleanOptionalAction, default=True,
                        help="whether one call of each function is profiled")
    parser.add_argument("--emulator", action="store_true",
                        help="small cases, on the library that TILEWRIGHT_CUDA_DRIVER names")
    parser.add_argument("--rows", help="a file for what was found of each case")
    for internal in ("--part", "--done"):
        parser.add_argument(internal, default="", help=argparse.SUPPRESS)
    parser.add_argument("--end", type=float, help=argparse.SUPPRESS)
    return parser.parse_args()


def use_emulator():
    """CPU tensors, which are copied to the emulator's memory and back."""
    sys.path.insert(0, str(HERE.parents[1] / "python" / "tests"))
    import test_linear
    ops.machine_code = False
    copied = test_linear.CopiedTensors()
    for module in (linear, ops):
        module._native, module._run, module._new = copied, copied.run, copied.new


def main():
    options = parse()
    if options.emulator:
        use_emulator()
    if options.part:
        return work(options)
    rows = run_all(options)
    if options.rows:
        pathlib.Path(options.rows).write_text("\n".join(map(json.dumps, rows)))
    return report(rows, select_cases(options))


if __name__ == "__main__":
    sys.exit(main())
