# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a picture of `tilewright layout --format=svg`, and counts its cells.

It is well-formed XML, has a title and a description, uses only classes that it
defines, keeps everything within its box, gives every text on a coloured cell a
contrast of at least 7 to 1 (WCAG 2, level AAA), and every text in a cell fits
the cell.

usage: check-svg.py FILE.svg
"""

import re
import sys
import xml.etree.ElementTree as xml

NAMESPACE = "{http://www.w3.org/2000/svg}"
CHARACTER = 6.7  # of 11 px, in the widest of the fonts that are named


def luminance(color):
    channels = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055)**2.4
              for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check(condition, message):
    if not condition:
        sys.exit(f"check-svg: error: {message}")


root = xml.parse(sys.argv[1]).getroot()
check(root.tag == NAMESPACE + "svg", f"expects an svg, but got {root.tag}")
check(root.get("role") == "img", "expects role='img'")
named = {element.get("id"): element for element in root.iter()}
for name in root.get("aria-labelledby").split():
    check(named[name].text.strip(), f"expects text in '{name}'")

style = root.find(NAMESPACE + "style").text
fills = dict(re.findall(r"\.(\w+)\{fill:(#[0-9a-f]{6})", style))
defined = set(re.findall(r"\.(\w+)\{", style)) | {"t"}
ink = re.search(r"text\{[^}]*fill:(#[0-9a-f]{6})", style).group(1)
width, height = float(root.get("width")), float(root.get("height"))

cells = {}
counts = {}
for rect in root.iter(NAMESPACE + "rect"):
    kind = rect.get("class")
    if kind is None or kind == "page":
        continue
    check(kind in defined, f"expects a class that is defined, but got {kind}")
    x, y, w, h = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
    check(x >= 0 and y >= 0 and x + w <= width and y + h <= height,
          f"expects all within {width} x {height}, but got {x}, {y}, {w}, {h}")
    counts[kind] = counts.get(kind, 0) + 1
    if kind in fills:
        check(contrast(ink, fills[kind]) >= 7,
              f"expects a contrast of 7 on {fills[kind]}, but got "
              f"{contrast(ink, fills[kind]):.1f}")
        check((x, y) not in cells, f"expects one cell at {x}, {y}")
        cells[x, y] = w
centres = {(x + w // 2, y + 14): w for (x, y), w in cells.items()}
labelled = 0
for text in root.iter(NAMESPACE + "text"):
    x, y = float(text.get("x")), float(text.get("y"))
    check(text.get("class") in defined,
          f"expects a class that is defined, but got {text.get('class')}")
    check(0 <= x <= width and 0 <= y <= height, f"expects '{text.text}' inside")
    if text.get("class") == "c" and (x, y) in centres:
        labelled += 1
        check(len(text.text) * CHARACTER <= centres[x, y],
              f"expects '{text.text}' to fit {centres[x, y]} px")

colored = sum(n for kind, n in counts.items() if re.fullmatch(r"[pl]\d", kind))
print(f"{colored} colored, {labelled} labelled", *(
    f", {counts[kind]} {kind}" for kind in ("copy", "accessed", "conflict",
                                            "gap", "out") if kind in counts),
      sep="")
