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
#: Of tilegpu IR, which is for one.
_TARGET = re.compile(r'tilegpu.target = "(sm_\w+)"')
MORE_OPTIONS = ((), (), (), (), (), ("--num-stages=1",), ("--num-stages=5",),
                ("--max-registers=64",), ("--remarks=all",))
HOPPER = ((), (), ("--bulk-copies",), ("--specialize-warps",))
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


#: Words that mean something else in one another's place.
FAMILIES = [family.split() for family in (
    "arith.addi arith.subi arith.muli arith.andi arith.ori arith.xori "
    "arith.shli arith.shrsi arith.shrui arith.maxsi arith.minsi arith.maxui "
    "arith.minui arith.divsi arith.remsi arith.divui arith.remui",
    "arith.addf arith.subf arith.mulf arith.divf arith.maximumf arith.minimumf "
    "arith.maxnumf arith.minnumf arith.remf",
    "math.exp math.exp2 math.log math.log2 math.sqrt math.rsqrt math.sin "
    "math.cos math.absf math.floor math.ceil math.erf",
    "slt, sle, sgt, sge, ult, ule, ugt, uge, eq, ne,",
    "oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno,")]


def _edit_everywhere(text: str, source: random.Random) -> str:
    """One length or element type becomes another wherever it stands, or an
    operation one of its family: such mutants often verify."""
    kind = source.randrange(3)
    if kind == 0 and (found := sorted(set(re.findall(r"(?<![\w.])\d+(?=x)", text)))):
        old, new = source.choice(found), source.choice(("1", "8", "16", "32", "64",
                                                        "128", "48", "512"))
        return re.sub(rf"(?<![\w.%]){old}(?=x|\b)", new, text)
    if kind == 1 and (found := sorted(set(_TYPE.findall(text)))):
        old, new = source.choice(found), source.choice(TYPES[:18])
        return re.sub(rf"(?<![%@\w]){old}\b|(?<=\dx){old}\b", new, text)
    family = source.choice(FAMILIES)
    pattern = "|".join(rf"(?<![\w.]){re.escape(each)}(?!\w)" for each in family)
    return _replace(text, re.compile(pattern), family, source)


def mutate(text: str, source: random.Random) -> str:
    if source.randrange(3) == 0:
        text = _edit_everywhere(text, source)
        if source.randrange(2):
            return text
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
        target = source.choice(TARGETS)
        if lowered := _TARGET.search(text):
            target = lowered[1]
        options = ("compile", "FILE", "--emit=ptx", "-o", "-",
                   f"--target={target}",
                   f"--num-warps={source.choice((1, 2, 4, 8))}",
                   *source.choice(MORE_OPTIONS),
                   *(source.choice(HOPPER) if target == "sm_90a" else ()))
        yield Input(f"mutant {seed}.{number} of {file.stem}", text, EITHER,
                    options)


_CONSTANT = re.compile(r"(?<=arith\.constant )-?\d+(?= :)|(?<=dense<)-?\d+(?=>)")
_REAL = re.compile(r"-?\d\.\d+e[-+]\d+|0x[0-9A-F]{4,16}\b")
_OPERANDS = re.compile(r"(?<= )(%[\w#]+), (%[\w#]+)(?= :)")


def mutate_meaning(text: str, source: random.Random) -> str:
    """Mutants that mostly verify and compute something else: other operations,
    constants, lengths and types, and operands the other way round."""
    for _ in range(source.randint(1, 3)):
        kind = source.randrange(6)
        if kind == 0:
            text = _replace(text, _CONSTANT, ["0", "1", "2", "3", "7", "16",
                                              "31", "-1"], source)
        elif kind == 1:
            text = _replace(text, _REAL, ["0.0", "1.0", "-2.5", "1.0e-3"], source)
        elif kind == 2:
            text = _OPERANDS.sub(lambda each, at=source.randrange(
                max(1, len(_OPERANDS.findall(text)))), count=iter(range(10 ** 6)):
                f"{each[2]}, {each[1]}" if next(count) == at else each[0], text)
        else:
            text = _edit_everywhere(text, source)
    return text


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
    """Bytecode, by name, that was damaged."""
    for number in range(first, first + count):
        source = random.Random(f"{seed}.{number}")
        name, data = source.choice(files)
        options = ("compile", "FILE", "--emit=ptx", "-o", "-",
                   f"--target={source.choice(TARGETS)}")
        yield Input(f"bytecode {seed}.{number} of {name}", damage(data, source),
                    EITHER, options)
