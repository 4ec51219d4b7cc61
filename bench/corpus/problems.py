# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: a kernel's text, a launch, and what its buffers hold.

It imports neither PyTorch nor Triton: compilers and devices read it alike.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent

# Bytes of an element of each form, as Triton's signatures name them.
BYTES = {"fp64": 8, "i64": 8, "fp32": 4, "i32": 4, "u32": 4, "fp16": 2,
         "bf16": 2, "i16": 2, "i8": 1, "u8": 1, "i1": 1, "fp8e4nv": 1,
         "fp8e5": 1}


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


@dataclass(frozen=True)
class Buffer:
    """Elements of a form: random numbers, zeros, or `values` and zeros."""
    elements: int
    form: str
    fill: str = "random"
    values: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return self.elements * BYTES[self.form]


@dataclass(frozen=True)
class Scalar:
    value: int | float
    form: str


@dataclass(frozen=True)
class JitText:
    """Tile IR that Triton's front end makes of a function of the corpus."""
    module: str
    function: str
    signature: dict[str, str]
    constants: dict[str, Any]
    # Besides pointers.
    divisible: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Problem:
    """text: a .ttir file or what one is made of. arguments: in the kernel's
    order, by name. check: which function of expected.py says what output holds;
    without one, results are compared with Triton's."""
    name: str
    group: str
    text: Path | JitText
    warps: int
    stages: int
    grid: tuple[int, int, int]
    arguments: dict[str, Buffer | Scalar]
    check: str = ""
    output: str = ""
    # Of the result beside what it must be: the largest difference.
    tolerance: float = 0.0
    sizes: dict[str, int] = field(default_factory=dict)
    # Must read or write each byte of its buffers once, and does little else: its
    # time is put beside that of a copy of as many bytes.
    streams: bool = False

    @property
    def bytes(self) -> int:
        """Of all buffers."""
        return sum(argument.size for argument in self.arguments.values()
                   if isinstance(argument, Buffer))

    @property
    def programs(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    def launch_option(self, grid: tuple[int, int, int] | None = None) -> str:
        """The value of --launch."""
        parts = ["x".join(map(str, grid or self.grid))]
        parts += [f"{name}={int(argument.value)}"
                  for name, argument in self.arguments.items()
                  if isinstance(argument, Scalar)
                  and argument.form.startswith(("i", "u"))]
        return ",".join(parts)
