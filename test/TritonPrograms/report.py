# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the rows of compare.py say: which tests pass on Triton and not on Tilewright,
and how long kernels take to compile on both."""

import gzip
import json
import math
import pathlib
import re

MODES = ("triton", "ours")
# Tests whose kernels are timed on both as they are launched.
TIMED = "timed"


def read_rows(path):
    """The rows of a file of lines of JSON, which may be compressed or torn."""
    rows = []
    if path.exists():
        read = gzip.open if path.suffix == ".gz" else open
        with read(path, "rt") as file:
            lines = file.read().splitlines()
        for line in lines:
            try:
                rows.append(json.loads(line))
            except ValueError:
                pass  # the process was killed as it wrote
    return rows


def load_rows(paths):
    rows = []
    for path in paths:
        rows += read_rows(pathlib.Path(path))
    return rows


def outcomes(rows):
    """{(suite, test): {mode: (outcome, reason)}}"""
    table = {}
    for row in rows:
        if "test" in row:
            table.setdefault((row["suite"], row["test"]), {})[row["mode"]] = (
                row["outcome"], row["reason"])
    return table


def report_outcomes(rows, print_to):
    table = outcomes(rows)
    both = {key: modes for key, modes in table.items() if set(MODES) <= set(modes)}
    for suite in sorted({suite for suite, _ in table}):
        mine = {key: modes for key, modes in both.items() if key[0] == suite}
        good = [modes for modes in mine.values() if modes["triton"][0] == "passed"]
        same = sum(modes["ours"][0] == "passed" for modes in good)
        print_to(f"{suite}: {len(good)} tests pass on Triton, of these {same} on ours, "
                 f"{len(good) - same} do not; {len(mine)} ran on both")
    worse = {key: modes["ours"] for key, modes in both.items()
             if modes["triton"][0] == "passed" and modes["ours"][0] not in ("passed", "xpassed")}
    reasons = {}
    for (suite, test), (outcome, reason) in worse.items():
        reasons.setdefault((suite, outcome, _class_of(reason)), []).append((test, reason))
    for (suite, outcome, _), tests in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print_to(f"\n{len(tests)} x {suite}: {outcome}: {tests[0][1]}")
        for test, _ in tests[:5]:
            print_to(f"    {test}")
        if len(tests) > 5:
            print_to(f"    and {len(tests) - 5} more")
    better = [key for key, modes in both.items()
              if modes["ours"][0] == "passed" and modes["triton"][0] not in ("passed", "xpassed")]
    print_to(f"\n{len(worse)} pass on Triton and not on ours; {len(better)} the other way round")


def _class_of(reason):
    """A reason without its numbers and names, so that like ones stand together."""
    return re.sub(r"0x[0-9a-f]+|\d+|/\S+|'[^']*'", "_", reason)[:160]


def report_compilations(rows, print_to):
    times = {}
    fallbacks = {}
    unexpected = set()
    for row in rows:
        if "compile" not in row:
            continue
        if row["mode"] == "ours" and not row["ours"]:
            unexpected.add(row["compile"])
        if row.get("fallback"):
            fallbacks[row["compile"]] = row["fallback"]
        key = (row["compile"], row["source"], row["warps"], row["num_stages"], *row["options"])
        times.setdefault(key, {}).setdefault(row["mode"], []).append(row)
    pairs = []
    for key, modes in times.items():
        if set(MODES) <= set(modes):
            ours, theirs = (min(modes[mode], key=lambda row: row["seconds"])
                            for mode in ("ours", "triton"))
            pairs.append((ours["seconds"] / max(theirs["seconds"], 1e-6), key, ours, theirs))
    ran = [len({key for key, modes in times.items() if mode in modes}) for mode in MODES]
    print_to(f"\ncompilations: {ran[0]} kernels on Triton, {ran[1]} on ours, {len(pairs)} on both")
    if unexpected:
        print_to(f"not compiled by us: {', '.join(sorted(unexpected)[:20])}")
    for kernel, reason in fallbacks.items():
        print_to(f"compiled by Triton: {kernel}: {reason}")
    if not pairs:
        return
    pairs.sort(key=lambda pair: -pair[0])
    above = sum(pair[0] > 1.5 for pair in pairs)
    print_to(f"seconds, ours / Triton's: geometric mean {_mean(pair[0] for pair in pairs):.3f}; "
             f"worst {pairs[0][0]:.2f}; above 1.5: {above}")
    # Triton's front end and TTIR are the same on both.
    behind = _mean(_behind_ttir(ours) / max(_behind_ttir(theirs), 1e-6)
                   for _, _, ours, theirs in pairs)
    print_to(f"from TTIR to machine code: geometric mean {behind:.3f}")
    for ratio, key, ours, theirs in pairs[:15]:
        print_to(f"    {ratio:6.2f}  {key[0]} warps={key[2]} stages={key[3]}: "
                 f"{ours['seconds']:.3f} s, Triton {theirs['seconds']:.3f} s  "
                 f"{_stages(ours)} | {_stages(theirs)}")


def report_times(rows, print_to):
    timed = [row for row in rows if "us" in row]
    for row in rows:
        if "timed" in row and "us" not in row:
            print_to(f"not timed: {row['suite']} {row['timed']}: {row['failed']}")
    if not timed:
        return
    timed.sort(key=lambda row: -row["us"]["ours"] / row["us"]["triton"])
    print_to(f"\nmicroseconds, ours / Triton's, of {len(timed)} launches: geometric mean "
             f"{_mean(row['us']['ours'] / row['us']['triton'] for row in timed):.3f}")
    for row in timed:
        ours, theirs = (row["us"][mode] for mode in ("ours", "triton"))
        registers = "; ".join("/".join(map(str, row["resources"][mode]))
                              for mode in ("ours", "triton"))
        print_to(f"    {ours / theirs:6.2f}  {ours:9.1f} {theirs:9.1f}  {row['suite']} "
                 f"{row['timed']} warps={row['warps']}; registers/spills/shared {registers}; "
                 f"differs by {row['differs']:.1e}")


def _mean(ratios):
    logarithms = [math.log(max(ratio, 1e-6)) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


def _behind_ttir(row):
    return sum(seconds for name, seconds in row["stages"].items() if name != "ttir")


def _stages(row):
    return " ".join(f"{name}={value:.3f}" for name, value in row["stages"].items())
