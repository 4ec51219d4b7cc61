#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of Triton programs twice on a GPU: once on Triton, once on
Tilewright through its door (tilewright.triton), and compares test by test.

    compare.py --suite fla=FOLDER --suite liger=FOLDER --suite triton=FOLDER --out OUT

The folders are checkouts of flash-linear-attention, Liger-Kernel and Triton (the
installed version's); `--suite name=FOLDER:PATTERN` runs other tests, of any folder
whose packages are found in it. The wheel of Tilewright is installed. Prints the tests
that pass on Triton and not on Tilewright, with reasons, and how long kernels take to
compile on both, and with `--modes timed` to run. Without network; in parallel
processes; ends within --budget seconds, and says what has not run."""

import argparse
import concurrent.futures
import fnmatch
import gzip
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time

from report import (MODES, TIMED, load_rows, read_rows, report_compilations, report_outcomes,
                    report_times)

HERE = pathlib.Path(__file__).resolve().parent
# Name: where tests are, what is on Python's path, and what is left out: no kernels of
# Triton's, other packages than those of the suite, or several GPUs.
SUITES = {
    "fla": (["tests/ops/test_*.py", "tests/modules/test_*.py"], ["."],
            ["*tilelang*", "*_backends*", "*intracard_cache*"]),
    "liger": (["test/transformers/test_*.py"], ["src", "."],
              ["*cutile*", "*cutedsl*", "*cute_*", "*monkey_patch*", "*trainer*", "*auto_model*"]),
    "triton": (["python/test/unit/language/test_*.py"], ["python/test/unit/language"],
               ["*compile_errors*", "*test_frontend*", "*reproducer*", "*test_module*"]),
}
# Bytes of a test file for which a process is worth its start.
SHARD_BYTES = {"triton": 16000}


class Unit:
    """A part of a file's tests, in one mode."""

    def __init__(self, suite, folder, paths, file, shard, shards, mode):
        self.suite, self.folder, self.paths = suite, folder, paths
        self.file, self.shard, self.shards, self.mode = file, shard, shards, mode
        self.rows = []
        self.state = "not run"

    @property
    def name(self):
        part = f" {self.shard + 1}/{self.shards}" if self.shards > 1 else ""
        return f"{self.suite} {self.file}{part}"


def plan(arguments, modes):
    units = []
    for given in arguments.suite:
        name, folder = given.split("=", 1)
        folder, _, pattern = folder.partition(":")
        folder = pathlib.Path(folder).resolve()
        patterns, paths, skipped = SUITES.get(name, (["test_*.py"], ["."], []))
        for file in sorted({file for each in ([pattern] if pattern else patterns)
                            for file in folder.glob(each)}):
            relative = str(file.relative_to(folder))
            if any(fnmatch.fnmatch(relative, each) for each in skipped):
                continue
            if not any(fnmatch.fnmatch(relative, f"*{each}*") for each in arguments.files):
                continue
            size = arguments.shard_bytes or SHARD_BYTES.get(name)
            shards = max(1, file.stat().st_size // size) if size else 1
            for shard in range(shards):
                units += [Unit(name, folder, paths, relative, shard, shards, mode)
                          for mode in modes]
    # Large ones first; both modes of a part one after the other.
    units.sort(key=lambda unit: (unit.shards == 1, unit.shard))
    return units[::-1] if arguments.last_first else units


def check_door():
    """Ends the script where TILEWRIGHT_TRITON=1 does not put Tilewright in, as of a
    wheel in a folder whose .pth files Python does not read: no test would run."""
    asked = subprocess.run(
        [sys.executable, "-c",
         "import sys, triton; sys.exit('tilewright.triton' not in sys.modules)"],
        env={**os.environ, "TILEWRIGHT_TRITON": "1"}, capture_output=True, text=True)
    if asked.returncode:
        sys.exit("error: expects TILEWRIGHT_TRITON=1 to put Tilewright in, but it does not; "
                 f"install the wheel among the packages of {sys.executable}\n{asked.stderr}")


class Runner:
    def __init__(self, arguments):
        self.arguments = arguments
        self.end = time.time() + arguments.budget
        self.out = pathlib.Path(arguments.out).resolve()
        self.work = pathlib.Path(arguments.work).resolve()
        self.lock = threading.Lock()
        self.processes = set()
        # Processes take a GPU each in turn, so that all have as many.
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        gpus = visible.split(",") if visible else [str(gpu) for gpu in range(arguments.gpus)]
        self.devices = queue.SimpleQueue()
        for job in range(arguments.jobs):
            self.devices.put(gpus[job % min(arguments.gpus, len(gpus))])

    def run(self, unit):
        if time.time() > self.end:
            return
        where = self.work / unit.mode / f"{unit.suite}-{unit.file.replace('/', '-')}-{unit.shard}"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        unit.state = "unfinished"
        done = set()
        # A process that breaks down loses one test, and another one goes on.
        device = self.devices.get()
        for attempt in range(self.arguments.restarts + 1):
            status = self._run_process(unit, where, attempt, done, device)
            if status in (0, 1, 5):
                unit.state = "finished"
                break
            if status is None or not self._note_crash(unit, status, done):
                break
        self.devices.put(device)
        shutil.rmtree(where / "cache", ignore_errors=True)
        self._say(unit)

    def _run_process(self, unit, where, attempt, done, device):
        """One process on the GPU of that number; its exit status, None where time
        was up."""
        record, log = where / f"record-{attempt}", where / f"log-{attempt}"
        (where / "done").write_text("\n".join(sorted(done)))
        environment = {
            **os.environ, "TILEWRIGHT_TRITON": str(int(unit.mode == "ours")),
            "TRITON_CACHE_DIR": str(where / "cache"), "RECORD_TO": str(record),
            "RECORD_DONE": str(where / "done"), "RECORD_MODE": unit.mode,
            "RECORD_SHARD": f"{unit.shard}/{unit.shards}",
            "RECORD_SAMPLE": str(self.arguments.sample), "OMP_NUM_THREADS": "1",
            "RECORD_CONFIGS": str(self.arguments.configs),
            "TORCHINDUCTOR_CACHE_DIR": str(where / "cache"), "PYTHONDONTWRITEBYTECODE": "1",
            "TRITON_ALWAYS_COMPILE": "0", "CUDA_VISIBLE_DEVICES": device,
            "TIMING_LOCK": str(self.work / "lock"),
            "PYTHONPATH": os.pathsep.join([str(HERE), *(str(unit.folder / p) for p in unit.paths),
                                           os.environ.get("PYTHONPATH", "")])}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "recording", "-p",
                   "no:cacheprovider", "--tb=short", unit.file]
        if unit.mode == TIMED:
            command[4:4] = ["-p", "timing"]
        if self.arguments.timeout:
            command[4:4] = [f"--timeout={self.arguments.timeout}", "--timeout-method=thread"]
        with open(log, "wb") as output:
            process = subprocess.Popen(command, cwd=unit.folder, env=environment, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            with self.lock:
                self.processes.add(process)
            try:
                status = process.wait(timeout=max(1, self.end - time.time()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = None
            with self.lock:
                self.processes.discard(process)
        rows = read_rows(record)
        unit.rows += rows
        done.update(row["test"] for row in rows if "test" in row)
        unit.log = log
        return status

    def _note_crash(self, unit, status, done):
        """Notes the test in which a process ended; whether to go on."""
        begun = [row["begin"] for row in unit.rows if "begin" in row]
        if not begun:
            unit.rows.append({"test": f"{unit.file}::(collection)", "outcome": "crashed",
                              "reason": _tail(unit.log), "seconds": 0})
            return False
        if begun[-1] not in done:
            done.add(begun[-1])
            unit.rows.append({"test": begun[-1], "outcome": "crashed", "seconds": 0,
                              "reason": f"status {status}: {_tail(unit.log)}"})
        return True

    def _say(self, unit):
        counts = {}
        for row in unit.rows:
            if "outcome" in row:
                counts[row["outcome"]] = counts.get(row["outcome"], 0) + 1
        said = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
        note = "" if counts else f" [{_tail(unit.log)}]"
        rows = [{"suite": unit.suite, "mode": unit.mode, **row} for row in unit.rows
                if any(kind in row for kind in ("test", "compile", "timed"))]
        with self.lock:
            with gzip.open(self.out / "rows.jsonl.gz", "at") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            print(f"{time.strftime('%H:%M:%S')} {unit.mode:6} {unit.name}: "
                  f"{unit.state}: {said}{note}", flush=True)


def _tail(path, size=400):
    return path.read_text(errors="replace").strip()[-size:].replace("\n", " | ")


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--suite", action="append", default=[], metavar="NAME=FOLDER[:PATTERN]")
    parser.add_argument("--files", nargs="*", default=["*"], help="parts of files' names")
    parser.add_argument("--out", required=True, help="rows.jsonl.gz and report.txt go there")
    parser.add_argument("--work", default="/tmp/tilewright-compare", help="for logs and caches")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--gpus", type=int, default=1, help="that processes share")
    parser.add_argument("--budget", type=float, default=520, help="seconds for everything")
    parser.add_argument("--timeout", type=int, default=180, help="seconds a test (pytest-timeout)")
    parser.add_argument("--sample", type=int, default=0, help="tests of a function; 0: all")
    parser.add_argument("--shard-bytes", type=int, default=0,
                        help="bytes of a test file that are worth a process; 0: as is known "
                             "of a suite, or one process a file")
    parser.add_argument("--last-first", action="store_true",
                        help="parts in the other order: what a run left whose budget ended")
    parser.add_argument("--configs", type=int, default=2, help="an autotuner's; 0: all")
    parser.add_argument("--restarts", type=int, default=20, help="of a part's process")
    parser.add_argument("--modes", default=",".join(MODES),
                        help=f"with '{TIMED}' too, kernels are timed as they are launched")
    parser.add_argument("--rows", nargs="*", default=[], help="rows.jsonl.gz of earlier runs")
    return parser.parse_args(argv)


def main(argv):
    arguments = parse(argv)
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    modes = arguments.modes.split(",")
    if "ours" in modes:
        check_door()
    units = plan(arguments, modes)
    runner = Runner(arguments)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for future in [pool.submit(runner.run, unit) for unit in units]:
            future.result()
    rows = load_rows([*arguments.rows, out / "rows.jsonl.gz"])
    with open(out / "report.txt", "w") as file:
        def print_to(line):
            print(line, flush=True)
            print(line, file=file)
        missing = [unit for unit in units if unit.state != "finished"]
        report_outcomes(rows, print_to)
        report_compilations(rows, print_to)
        report_times(rows, print_to)
        print_to(f"\n{len(units) - len(missing)} of {len(units)} parts finished")
        for unit in missing:
            print_to(f"    {unit.state}: {unit.mode} {unit.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
