# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of PTX text, whoever made it."""

import re
from collections import Counter

# An instruction: perhaps a predicate, then an opcode with lower-case letters.
_INSTRUCTION = re.compile(r"^(?:@!?%?\w+\s+)?([a-z][a-z0-9_]*)[.\s;]")


def opcodes(text: str) -> Counter[str]:
    """How often each opcode stands there, without its suffixes."""
    counts: Counter[str] = Counter()
    for line in re.sub(r"//.*|/\*.*?\*/", "", text).splitlines():
        # Inline assembly has several to a line, with braces around them.
        for statement in line.replace("{", ";").replace("}", ";").split(";"):
            statement = statement.strip()
            match = _INSTRUCTION.match(statement + ";")
            if match and not statement.endswith(":"):
                counts[match[1]] += 1
    return counts


def count_instructions(text: str) -> int:
    return sum(opcodes(text).values())
