# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants of tile IR: real kernels with a few words, numbers, types or lines
changed. What must come of one is not known: it compiles, or is refused.

One seed always gives the same mutants, each whatever the others are.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from inputs import EITHER, NUMBERS, TYPES, Input

_WORD = re.compile(r"[%@!.\w]+|\S")
_NUMBER = re.compile(r"(?<![\w%.])-?\d+")
_TYPE = re.compile(r"\b(?:[iu]\d+|b?f\d+|index)\b")
TARGETS = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90a")


def _replace(text: str, pattern: re.Pattern[str], chosen: list[str],
             source: random.Random) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    at = source.choice(found)
    return text[:at.start()] + source.choice(chosen) + text[at.end():]


def _edit_words(text: str, source: random.Random) -> str:
    words = list(_WORD.finditer(text))
    if len(words) < 2:
        return text
    first, second = sorted(source.sample(words, 2), key=lambda word: word.start())
    kind = source.randrange(4)
    if kind == 0:
        return text[:first.start()] + text[first.end():]
    if kind == 1:
        return text[:first.end()] + " " + first.group() + text[first.end():]
    if kind == 2:
        return text[:first.start()] + second.group() + text[first.end():]
    return (text[:first.start()] + second.group()
            + text[first.end():second.start()] + first.group()
            + text[second.end():])


def _edit_lines(text: str, source: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    first, second = source.sample(range(len(lines)), 2)
    kind = source.randrange(3)
    if kind == 0:
        del lines[first]
    elif kind == 1:
        lines.insert(second, lines[first])
    else:
        lines[first], lines[second] = lines[second], lines[first]
    return "".join(lines)


def mutate(text: str, source: random.Random) -> str:
    for _ in range(source.randint(1, 3)):
        kind = source.randrange(5)
        if kind == 0:
            text = _replace(text, _NUMBER, NUMBERS + ["7", "16", "64"], source)
        elif kind == 1:
            text = _replace(text, _TYPE, TYPES, source)
        elif kind == 2:
            text = _edit_lines(text, source)
        else:
            text = _edit_words(text, source)
    return text


def make_mutants(files: list[Path], count: int, seed: int,
                 first: int = 0) -> Iterator[Input]:
    for number in range(first, first + count):
        source = random.Random(f"{seed}.{number}")
        file = source.choice(files)
        text = mutate(file.read_text(), source)
        options = ("compile", "FILE", "--emit=ptx", "-o", "-",
                   f"--target={source.choice(TARGETS)}",
                   f"--num-warps={source.choice((1, 2, 4, 8))}")
        yield Input(f"mutant {seed}.{number} of {file.stem}", text, EITHER,
                    options)


def damage(data: bytes, source: random.Random) -> bytes:
    """Bytes cut off at the end, changed, or left out in the middle."""
    kind = source.randrange(4)
    if kind == 0:
        return data[:source.randrange(len(data))]
    if kind == 1:
        first, second = sorted(source.randrange(len(data)) for _ in range(2))
        return data[:first] + data[second:]
    changed = bytearray(data)
    for _ in range(source.choice((1, 1, 4, 16))):
        at = source.randrange(len(changed))
        changed[at] = (changed[at] ^ 1 << source.randrange(8) if kind == 2
                       else source.choice((0, 1, 0x7f, 0x80, 0xff)))
    return bytes(changed)


def make_damaged(files: list[tuple[str, bytes]], count: int, seed: int,
                 first: int = 0) -> Iterator[Input]:
    """Bytecode, by name, that was damaged; its errors have no line."""
    for number in range(first, first + count):
        source = random.Random(f"{seed}.{number}")
        name, data = source.choice(files)
        options = ("compile", "FILE", "--emit=ptx", "-o", "-",
                   f"--target={source.choice(TARGETS)}")
        yield Input(f"bytecode {seed}.{number} of {name}", damage(data, source),
                    EITHER, options, has_place=False)
