# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the figures of bench/corpus's reports on rows made here."""

import sys

sys.path.insert(0, sys.argv[1])

import foreign  # noqa: E402
import manifest  # noqa: E402
import own  # noqa: E402
import plain  # noqa: E402
import report  # noqa: E402
from problems import Buffer  # noqa: E402

# Spearman's coefficient: order alone counts, ties share ranks.
assert report.rank_correlation([(1, 10), (2, 100), (3, 1000)]) == 1
assert report.rank_correlation([(1, 3), (2, 2), (3, 1)]) == -1
assert report.ranks([5, 1, 5, 7]) == [1.5, 0, 1.5, 3]
assert abs(report.rank_correlation([(1, 1), (2, 3), (3, 2), (4, 4)]) - 0.8) < 1e-9


def row(ours, triton, estimates, group="plain"):
    return {"problem": "p", "group": group, "errors": {}, "resources": {},
            "us": {**{f"ours {n}": t for n, t in ours.items()},
                   **{f"triton {n}": t for n, t in triton.items()}},
            "estimates": {f"ours {n}": {"us": t, "bound": "memory"}
                          for n, t in estimates.items()}}


rows = [row({1: 20, 3: 10}, {1: 30, 3: 20}, {1: 18, 3: 9}),
        row({1: 40, 3: 50}, {1: 40}, {1: 60, 3: 50}),
        row({}, {1: 5}, {}, "corpus")]
assert report.best_of(rows[0], "ours") == ("ours 3", 10)
# The estimate picks three stages for both: the second time wrongly.
assert report.chosen_ratios(rows) == [1.0, 50 / 40]
summary = report.summarize(rows)
assert "geometric mean 0.707 of 2, worst 1.00" in summary, summary
assert "<circle" in report.draw(rows)
for one in rows:
    report.format_row(one)

# Every kernel of the corpus has a launch, whose buffers fit a GPU.
for problem in own.list_problems(90) + plain.list_problems():
    sizes = [b.size for b in problem.arguments.values()
             if isinstance(b, Buffer)]
    assert 0 < sum(sizes) < 2 << 30 and problem.programs > 0, problem.name

# Sequences, batches and buffers grow together.
kernels = manifest.load_kernels(foreign.FOLDER / "fla.json")
for kernel in kernels:
    grid, tokens, batch = foreign.grow_grid(kernel)
    assert all(a >= b for a, b in zip(grid, kernel.launch["grid"])), kernel.name
    assert tokens in (1, foreign.TOKENS) and batch in (1, foreign.BATCH)
    if any("values" in v for v in kernel.launch["arguments"].values()
           if isinstance(v, dict)):
        assert list(grid) == kernel.launch["grid"], kernel.name
