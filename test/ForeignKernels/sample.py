#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a sample of the manifest's kernels, and runs some of them.

What scripts/test does of this folder: makes an environment with
requirements.txt where there is none (skipped, and said so, where it cannot be
fetched), dumps the sample, takes a census for every target, and runs a part of
it. The last line is "N rows, N failed, N skipped": a row is a kernel compiled
for a target, or the run of a kernel that could be judged.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import census
import manifest

# Of the 1140 kernels each so many-th: 60 are compiled, and 30 run.
COMPILED, RUN = 19, 38
LEAST_JUDGED = 20


def run(command: list[object], timeout: float) -> bool:
    """Runs a tool, whose words go to our own stdout."""
    sys.stdout.flush()
    try:
        return subprocess.run(list(map(str, command)), check=False,
                              timeout=timeout).returncode == 0
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{command[0]}: {error}")
        return False


def make_environment(folder: Path) -> Path | None:
    """A Python with what dump.py needs; None where it cannot be had."""
    python = folder / "bin" / "python"
    requirements = manifest.FOLDER / "requirements.txt"
    done = folder / "requirements.txt"
    if done.exists() and done.read_text() == requirements.read_text():
        return python
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if (run([sys.executable, "-m", "venv", "--clear", folder], 120)
            and run([*pip, "--no-deps", "-r", requirements], 900)
            and run([*pip, "packaging"], 300)):
        done.write_text(requirements.read_text())
        return python
    return None


def count_compiled(report: Path) -> tuple[int, int]:
    """Rows of a census, and those that did not compile."""
    rows = json.loads(report.read_text())
    return len(rows), sum(row["status"] != census.COMPILED for row in rows)


def count_judged(report: Path) -> tuple[int, int]:
    """Runs of judged kernels, and those that do not agree. That enough kernels
    are judged is a row of its own."""
    rows = json.loads(report.read_text())
    judged = [row for row in rows if row["status"] == "judged"]
    images = [image for row in judged for image in row["images"]]
    failed = sum(image["status"] != "agrees" for image in images)
    return len(images) + 1, failed + (len(judged) < LEAST_JUDGED)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True,
                        help="the build's folder")
    parser.add_argument("--folder", type=Path, required=True,
                        help="where the environment and the kernels go")
    parser.add_argument("--parallel", type=int, default=1, metavar="N")
    options = parser.parse_args()
    kernels = options.folder / "sample"
    python = make_environment(options.folder / "venv")
    if python is None:
        print("triton and fla-core cannot be fetched: no kernel of theirs is "
              "compiled\n0 rows, 0 failed, 1 skipped")
        return 0
    tools, here = options.build / "bin", manifest.FOLDER
    reports = [options.folder / name for name in ("census.json", "run.json")]
    for report in reports:
        report.unlink(missing_ok=True)
    done = (
        run([python, here / "dump.py", kernels, f"--every={COMPILED}"], 600)
        and run([sys.executable, here / "census.py", kernels,
                 f"--every={COMPILED}", f"--tilewright={tools / 'tilewright'}",
                 f"--parallel={options.parallel}", f"--json={reports[0]}"],
                900)
        and run([sys.executable, here / "execute.py", kernels,
                 f"--every={RUN}", f"--judge={tools / 'tilewright-judge'}",
                 "--programs=2", f"--parallel={options.parallel}",
                 f"--json={reports[1]}"], 900))
    counts = [counter(report) for counter, report
              in zip((count_compiled, count_judged), reports)
              if report.exists()]
    failed = sum(count for _, count in counts)
    # A tool that failed without a row that did.
    broken = int(not done and not failed)
    print(f"{sum(count for count, _ in counts) + broken} rows, "
          f"{failed + broken} failed, 0 skipped")
    return 1 if failed or broken else 0


if __name__ == "__main__":
    sys.exit(main())
