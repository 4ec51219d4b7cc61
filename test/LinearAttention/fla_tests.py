#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs flash-linear-attention's own tests of its linear attention on a GPU with
tilewright.linear's functions in place of its own, forward.

    fla_tests.py FOLDER [--jobs N] [--seconds S] [--sample K]

FOLDER: `tests` of a checkout of FLA's; FLA, PyTorch, pytest and the Python module are
installed, or on PYTHONPATH. A test passes if it calls ours and compares results then
(forward_only.py says what is compared). Prints a line for each file, what failed, why
tests are not ours, and last "N passed, N failed, N not ours".

Ends after --seconds, and says how many tests have not run; nothing is run twice."""

import argparse
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
# The files with tests of what tilewright.linear.enable() redirects. Not those of parts
# of FLA's operators (test_gdn_kernels.py, test_intracard_cache.py).
FILES = ["ops/test_delta.py", "ops/test_delta_product.py", "ops/test_dplr_delta.py",
         "ops/test_gdn.py", "ops/test_gdp.py", "ops/test_gla.py", "ops/test_iplr_delta.py",
         "ops/test_kda.py", "ops/test_lightning_attn.py", "ops/test_linear_attn.py",
         "ops/test_retention.py", "ops/test_rwkv6.py", "ops/test_rwkv7.py",
         "ops/test_simple_gla.py", "modules/test_layernorm_gated.py"]

# How the reason begins of a test in which the process ended: nobody knows its calls.
LOST = "the process "


class Process:
    """A process of pytest, which takes one test after another; a fresh one follows
    where it breaks down."""

    def __init__(self, run, number):
        self.run = run
        self.record = run.work / f"record-{number}"
        self.log = run.work / f"log-{number}"
        self.thread = threading.Thread(target=self._go_on)
        self.thread.start()

    def rows(self):
        """Lines that are complete."""
        if not self.record.exists():
            return []
        return [json.loads(line) for line in self.record.read_text().splitlines(True)
                if line.endswith("\n")]

    def current(self):
        """The test that is running, and since when."""
        rows = [row for row in self.rows() if "begin" in row or "test" in row]
        if not rows or "begin" not in rows[-1]:
            return None, 0
        return rows[-1]["begin"], rows[-1]["time"]

    def _go_on(self):
        while time.time() < self.run.end:
            status = self._run_once()
            if status in (0, 1, 5):
                return
            test, _ = self.current()
            if test is None and status != 77:
                self._note("(collection)", f"{LOST}ended with status {status}: {tail(self.log)}")
                return
            if test is not None:
                what = "took too long" if status is None else f"ended with status {status}"
                self._note(test, f"{LOST}{what}: {tail(self.log, 200)}")

    def _note(self, test, reason):
        with open(self.record, "a") as file:
            file.write(json.dumps({"test": test, "outcome": "failed", "reason": reason,
                                   "taken": {}, "left": [], "compared": 0}) + "\n")

    def _run_once(self):
        """The process' status; None where its test took too long."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "forward_only", "-p",
                   "no:cacheprovider", "--tb=short", f"--rootdir={self.run.folder.parent}",
                   *self.run.files]
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                command, cwd=self.run.folder.parent, env=self.run.environment(self.record),
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                while process.poll() is None:
                    time.sleep(0.3)
                    test, begin = self.current()
                    late = test is not None and time.time() - begin > self.run.test_seconds
                    if late or time.time() > self.run.end + 5:
                        return None
                return process.returncode
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


class Run:
    def __init__(self, arguments, work):
        self.folder = pathlib.Path(arguments.folder).resolve()
        self.work = pathlib.Path(work)
        self.files = [f"{self.folder.name}/{file}" for file in FILES
                      if (self.folder / file).exists()
                      and any(part in file for part in arguments.files)]
        if not self.files:
            sys.exit(f"error: expects tests of FLA's in {self.folder}, but got none")
        self.test_seconds = arguments.test_seconds
        self.sample, self.seed = arguments.sample, arguments.seed
        self.end = time.time() + arguments.seconds
        (self.work / "claims").mkdir()
        self.processes = [Process(self, number) for number in range(arguments.jobs)]

    def environment(self, record):
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        path = os.pathsep.join(map(os.path.abspath, [HERE, *filter(None, given)]))
        # FLA's baseline, which has grouped heads, which its other backends have not.
        return {**os.environ, "FLA_DISABLE_BACKEND_DISPATCH": "1", "PYTHONPATH": path,
                "PYTHONDONTWRITEBYTECODE": "1",
                "FORWARD_CLAIMS": str(self.work / "claims"), "FORWARD_RECORD": str(record),
                "FORWARD_SAMPLE": str(self.sample), "FORWARD_SEED": str(self.seed),
                "FORWARD_END": str(self.end), "OMP_NUM_THREADS": "1",
                "TRITON_CACHE_DIR": str(self.work / "cache")}

    def wait(self):
        """Rows of tests, and how many were to run."""
        for process in self.processes:
            process.thread.join()
        rows = [row for process in self.processes for row in process.rows()]
        collected = next((row["collected"] for row in rows if "collected" in row), [])
        return [row for row in rows if "test" in row], collected


def tail(path, size=300):
    return path.read_text(errors="replace").strip()[-size:].replace("\n", " | ")


def judge(row):
    """passed, failed or not ours, and why."""
    if row["outcome"] == "not ours":
        return "not ours", row["reason"]
    if row["outcome"] == "skipped":
        return "not ours", f"skipped: {row['reason']}"
    broken = [reason for _, reason, _ in row["left"] if "CUDA_ERROR" in reason]
    if broken:
        return "failed", broken[0]
    if row["outcome"] == "failed":
        # An argument that says nothing here is no error.
        if "DID NOT RAISE" in row["reason"]:
            return "not ours", "expects an error of FLA's"
        if row["taken"] or row["reason"].startswith(LOST):
            return "failed", row["reason"]
        return "not ours", f"fails without a call of ours: {row['reason']}"
    if row["left"] or not row["taken"]:
        stays = sorted({f"{name} stays FLA's: {reason}" for name, reason, _ in row["left"]})
        return "not ours", "; ".join(stays) or "calls none of these operators"
    if not row["compared"]:
        return "not ours", "compares no result"
    return "passed", ""


def report(rows, collected):
    files = collections.defaultdict(collections.Counter)
    reasons, failures = collections.Counter(), []
    calls, compared = 0, 0
    for row in rows:
        verdict, reason = judge(row)
        files[row["test"].partition("::")[0]][verdict] += 1
        if verdict == "passed":
            calls += sum(row["taken"].values())
            compared += row["compared"]
        elif verdict == "failed":
            failures.append(f"{row['test'].rpartition('/')[2]}: {reason}")
        else:
            reasons[" ".join(reason.split())[:160]] += 1
    for file, counts in sorted(files.items()):
        print(f"{file}: {counts['passed']} passed, {counts['failed']} failed, "
              f"{counts['not ours']} not ours")
    for failure in failures[:40]:
        print("failed:", " ".join(failure.split())[:400])
    for reason, number in reasons.most_common(25):
        print(f"not ours, {number}: {reason}")
    missing = len(set(collected) - {row["test"] for row in rows})
    if missing:
        print(f"{missing} of {len(collected)} tests did not run: time was up")
    total = sum(files.values(), collections.Counter())
    print(f"{calls} calls were ours, {compared} comparisons of their results")
    print(f"{total['passed']} passed, {total['failed']} failed, "
          f"{total['not ours']} not ours")
    return 1 if total["failed"] or not total["passed"] else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", help="tests of a checkout of FLA's")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--seconds", type=float, default=280, help="for everything")
    parser.add_argument("--test-seconds", type=float, default=90, help="for a test")
    parser.add_argument("--sample", type=int, default=0, metavar="K",
                        help="tests of a function; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and the order")
    parser.add_argument("--files", nargs="*", default=[""], help="parts of files' names")
    parser.add_argument("--rows", help="a file for what was recorded of each test")
    return parser.parse_args()


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory() as work:
        rows, collected = Run(arguments, work).wait()
    if arguments.rows:
        pathlib.Path(arguments.rows).write_text("\n".join(map(json.dumps, rows)))
    return report(rows, collected)


if __name__ == "__main__":
    sys.exit(main())
