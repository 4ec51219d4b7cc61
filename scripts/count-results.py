# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the results that scripts/test left, suite by suite.

In: the folder of results (NAME.status for each suite that ran, and the
runners' own reports) and the folder of logs. Out: a table and, last, the line
`N passed, N failed, N skipped`; exit status 1 if anything failed. A suite that
ended badly with no failure in its report counts as one failure.
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def count_gtest(report: Path) -> Counter:
    """Each case of one GoogleTest program."""
    counts = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None:
            counts["failed"] += 1
        elif case.get("result") == "completed":
            counts["passed"] += 1
        else:  # skipped by itself, or disabled
            counts["skipped"] += 1
    return counts


def count_unit(results: Path, logs: Path) -> Counter:
    """The cases of each program that ctest ran. One that crashed leaves no
    report, and one that is no GoogleTest has none: they count as one."""
    counts = Counter()
    for case in ElementTree.parse(results / "unit.xml").iter("testcase"):
        status = case.get("status")
        report = results / "gtest" / f"{case.get('name')}.xml"
        cases = count_gtest(report) if report.exists() else Counter()
        if status == "fail" and not cases["failed"]:
            cases["failed"] = 1
        elif not cases:
            cases["passed" if status == "run" else "skipped"] = 1
        counts += cases
    return counts


def count_lit(report: Path) -> Counter:
    outcome = {"PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed",
               "UNSUPPORTED": "skipped", "SKIPPED": "skipped",
               "EXCLUDED": "skipped"}
    tests = json.loads(report.read_text())["tests"]
    return Counter(outcome.get(test["code"], "failed") for test in tests)


def count_unittest(log: Path) -> Counter:
    """From the words of Python's runner, one line a test."""
    counts = Counter()
    for line in log.read_text().splitlines():
        if line.endswith("... ok"):
            counts["passed"] += 1
        elif re.search(r"\.\.\. (FAIL|ERROR)$", line):
            counts["failed"] += 1
        elif "... skipped " in line:
            counts["skipped"] += 1
    return counts


def count_rows(log: Path) -> Counter:
    """From a last line of "N rows, N failed[, N skipped]"."""
    rows, failed, *skipped = map(
        int, re.findall(r"\d+", log.read_text().splitlines()[-1]))
    return Counter(passed=rows - failed, failed=failed, skipped=sum(skipped))


def count_corpus(report: Path) -> Counter:
    """Compilations and runs; a case that was not run is skipped."""
    rows = json.loads(report.read_text())
    counts = Counter("passed" if row["passed"] else "failed" for row in rows)
    counts["skipped"] = sum(row["skipped"] for row in rows)
    return counts


def count(name: str, results: Path, logs: Path) -> Counter:
    """A suite's counts by its report; none where it left no report."""
    try:
        if name == "unit":
            return count_unit(results, logs)
        if name.startswith("lit"):
            return count_lit(results / f"{name}.json")
        if name in ("corpus-references", "census-tools", "hand-made-judge",
                    "python-module", "triton-programs"):
            return count_unittest(logs / f"{name}.log")
        if name in ("corpus", "corpus-seeded"):
            return count_corpus(results / f"{name}.json")
        if name in ("triton-ptx", "foreign-kernels", "barriers-verified",
                    "barriers-removed", "hand-made", "mutants-judged",
                    "cache-stress"):
            return count_rows(logs / f"{name}.log")
    except (OSError, ValueError, KeyError, ElementTree.ParseError) as error:
        print(f"{name}: no report to read: {error}")
        return Counter(failed=1)
    return Counter()  # one thing that passes or fails: its exit status tells


def main() -> int:
    results, logs = map(Path, sys.argv[1:3])
    total = Counter()
    print(f"{'suite':18} {'passed':>7} {'failed':>7} {'skipped':>7}")
    for file in sorted(results.glob("*.status"),
                       key=lambda file: file.stat().st_mtime_ns):
        counts = count(file.stem, results, logs)
        if int(file.read_text()) and not counts["failed"]:
            counts["failed"] = 1
        if not counts:
            counts["passed"] = 1
        print(f"{file.stem:18} {counts['passed']:7} {counts['failed']:7} "
              f"{counts['skipped']:7}")
        total += counts
    print(f"{total['passed']} passed, {total['failed']} failed, "
          f"{total['skipped']} skipped")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
