#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which names of the installed Triton's dialects docs/TritonIR.md says nothing
of.

In: Triton's library, in which the names of its operations and attributes are
texts, and the table. Out: each name with what the table says, or `missing`. The
exit status is 1 if one is missing.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = re.compile(rb"(?<![\w.])(tt\.[a-z_]+(?:\.return)?)(?=\0)")
# Types, attributes that later stages of Triton give, and pieces of names that
# the library puts together.
NOT_PRINTED = {
    "tt.ptr", "tt.tensordesc", "tt.cache_policy", "tt.latency",
    "tt.self_latency", "tt.loop_schedule", "tt.scheduled_max_stage",
    "tt.desired_encoding", "tt.pointee_type", "tt.descriptor_gase",
    "tt.descriptor_st",
}


def read_table() -> dict[str, str]:
    """What the table says of each name that it has."""
    said: dict[str, str] = {}
    text = (ROOT / "docs" / "TritonIR.md").read_text()
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        is_row = len(cells) > 2
        where = " ".join(cells[:2]) if is_row else line
        for name in re.findall(r"`(tt\.[a-z_.]+)`", where):
            said.setdefault(name, cells[-1] if is_row else "refused")
    return said


def main() -> int:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    import triton
    library = Path(triton.__file__).parent / "_C" / "libtriton.so"
    names = {match.decode() for match in NAME.findall(library.read_bytes())}
    said = read_table()
    missing = 0
    for name in sorted(names - NOT_PRINTED):
        print(f"{name}: {said.get(name, 'missing')}")
        missing += name not in said
    print(f"Triton {triton.__version__}: {len(names - NOT_PRINTED)} names, "
          f"{missing} missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
