# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows as a table, their means, the estimates' rank correlation, and a plot."""

import math
from typing import Any

Row = dict[str, Any]


def best_of(row: Row, compiler: str) -> tuple[str, float]:
    """The candidate of a compiler that took least time, and its time."""
    times = {name: us for name, us in row["us"].items()
             if name.startswith(compiler + " ")}
    return min(times.items(), key=lambda item: item[1],
               default=("", math.nan))


def geometric_mean(values: list[float]) -> float:
    return (math.exp(sum(map(math.log, values)) / len(values))
            if values else math.nan)


def ranks(values: list[float]) -> list[float]:
    """From 0; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while (last + 1 < len(order)
               and values[order[last + 1]] == values[order[first]]):
            last += 1
        for index in order[first:last + 1]:
            result[index] = (first + last) / 2
        first = last + 1
    return result


def rank_correlation(pairs: list[tuple[float, float]]) -> float:
    """Spearman's."""
    if len(pairs) < 3:
        return math.nan
    a, b = (ranks([pair[side] for pair in pairs]) for side in (0, 1))
    mean = (len(pairs) - 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    spread = math.sqrt(sum((x - mean) ** 2 for x in a)
                       * sum((y - mean) ** 2 for y in b))
    return covariance / spread if spread else math.nan


def estimated_pairs(rows: list[Row]) -> list[tuple[float, float]]:
    """Estimated and measured microseconds of each of our codes."""
    return [(row["estimates"][name]["us"], us) for row in rows
            for name, us in row["us"].items()
            if "us" in row["estimates"].get(name, {})]


def chosen_ratios(rows: list[Row]) -> list[float]:
    """Where stages differ: the time of those that the estimate ranks first, for
    one of the best."""
    ratios = []
    for row in rows:
        ours = {name: us for name, us in row["us"].items()
                if "us" in row["estimates"].get(name, {})}
        if len(ours) > 1:
            chosen = min(ours, key=lambda n: row["estimates"][n]["us"])
            ratios.append(ours[chosen] / min(ours.values()))
    return ratios


def achieved(row: Row) -> str:
    """The share of the memory's bandwidth or of the matrix units that our best
    code reaches, by what the estimate says that it moves and multiplies; of a
    copy's speed, where one was measured beside it."""
    name, us = best_of(row, "ours")
    if "copy" in row["us"]:
        return f"{100 * row['us']['copy'] / us:3.0f} % copy"
    estimate = row["estimates"].get(name, {})
    if "bounds_us" not in estimate:
        return ""
    memory = estimate["bounds_us"]["memory"] / us
    cycles = estimate["cta_resources"]
    most = max(cycles.values())
    matrix = (estimate["bounds_us"]["multiprocessor"]
              * cycles["matrix units"] / most / us if most else 0.0)
    return (f"{100 * matrix:3.0f} % matrix" if matrix > memory
            else f"{100 * memory:3.0f} % memory")


def format_row(row: Row) -> str:
    name, ours = best_of(row, "ours")
    other, theirs = best_of(row, "triton")
    mine = row["resources"].get(name, {})
    their = row["resources"].get(other, {})
    estimate = row["estimates"].get(name, {})
    text = (f"{row['problem'][:58]:58} {ours:9.1f} {theirs:9.1f} "
            f"{ours / theirs:5.2f}  {name[-1:] or '-':>1}/{other[-1:] or '-':1}"
            f"  {mine.get('registers', 0):3}/{their.get('registers', 0):3}"
            f"  {mine.get('spilled', 0):5}/{their.get('spilled', 0):5}"
            f"  {mine.get('shared', 0):6}/{their.get('shared', 0):6}"
            f"  {estimate.get('us', math.nan):9.1f} "
            f"{estimate.get('us', math.nan) / ours:5.2f} "
            f"{achieved(row):12} {estimate.get('bound', '')}")
    for who, error in row["errors"].items():
        text += f"\n    {who}: {error.splitlines()[-1] if error else ''}"
    return text


HEADINGS = (f"{'us: the best number of stages of either':58} {'ours':>9} "
            f"{'Triton':>9} {'ratio':>5}  st.  registers  spilled bytes  "
            f"{'shared bytes':13}  {'estimate':>9} {'/ours':>5} reached      "
            "bound by")


def summarize(rows: list[Row]) -> str:
    lines = []
    for group in ("plain", "corpus", "fla", ""):
        chosen = [row for row in rows if group in (row["group"], "")]
        ratios = [best_of(row, "ours")[1] / best_of(row, "triton")[1]
                  for row in chosen]
        ratios = [ratio for ratio in ratios if ratio == ratio]
        pairs = estimated_pairs(chosen)
        if not chosen:
            continue
        errors = [abs(math.log(a / b)) for a, b in pairs]
        picked = chosen_ratios(chosen)
        lines.append(
            f"{group or 'all'}: {len(chosen)} kernels; ours for one of "
            f"Triton's, best stages: geometric mean "
            f"{geometric_mean(ratios):.3f} of {len(ratios)}, worst "
            f"{max(ratios, default=math.nan):.2f}; estimate: rank correlation "
            f"{rank_correlation(pairs):.3f} of {len(pairs)} codes, off by "
            f"{math.exp(sum(errors) / len(errors)) if errors else math.nan:.2f}"
            f" x in the mean; stages picked by it {geometric_mean(picked):.3f}"
            f" x the best's time ({len(picked)} kernels)")
    return "\n".join(lines)


def draw(rows: list[Row]) -> str:
    """Measured times over estimated ones as SVG, a point for each code."""
    colors = {"plain": "#d62728", "corpus": "#1f77b4", "fla": "#2ca02c"}
    points = [(row["estimates"][name]["us"], us, row["group"],
               f"{row['problem']}, {name}") for row in rows
              for name, us in row["us"].items()
              if "us" in row["estimates"].get(name, {})]
    low, high = 0, 5
    scale = 120

    def place(us: float) -> float:
        return (math.log10(max(us, 1.0)) - low) * scale
    size = (high - low) * scale
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size + 80}" '
             f'height="{size + 60}" font-family="sans-serif" font-size="12">',
             '<g transform="translate(50,10)">',
             f'<rect width="{size}" height="{size}" fill="none" '
             'stroke="#888"/>',
             f'<line x1="0" y1="{size}" x2="{size}" y2="0" stroke="#888"/>']
    for power in range(low, high + 1):
        at = (power - low) * scale
        parts.append(f'<text x="{at}" y="{size + 16}" text-anchor="middle">'
                     f'{10 ** power}</text><text x="-6" y="{size - at + 4}" '
                     f'text-anchor="end">{10 ** power}</text>')
    parts.append(f'<text x="{size / 2}" y="{size + 36}" text-anchor="middle">'
                 'estimated, us (measured upward)</text>')
    for estimate, us, group, title in points:
        title = title.replace("&", "&amp;").replace("<", "&lt;")
        parts.append(f'<circle cx="{place(estimate):.1f}" '
                     f'cy="{size - place(us):.1f}" r="3" fill-opacity="0.6" '
                     f'fill="{colors[group]}"><title>{title}</title></circle>')
    for index, (group, color) in enumerate(colors.items()):
        parts.append(f'<circle cx="14" cy="{16 + 16 * index}" r="4" '
                     f'fill="{color}"/><text x="24" y="{20 + 16 * index}">'
                     f'{group}</text>')
    return "\n".join(parts) + "\n</g></svg>\n"
