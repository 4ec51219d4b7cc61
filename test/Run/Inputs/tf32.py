# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of tf32-products.mlir, and what they give: the paths of five files.

Each third row of x is 1, 1 + 2^-11, or 1 + 3 * 2^-11: the latter two lie between
two numbers of tf32, of which the even ones are 1 and 1 + 2^-9. Sums of 128 are
exact in f32, of x as it is too.
"""

import struct
import sys

ROWS = [(1.0, 1.0), (1 + 2**-11, 1.0), (1 + 3 * 2**-11, 1 + 2**-9)]


def save(path, shape, numbers):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode())
        file.write(struct.pack(f"<{len(numbers)}f", *numbers))


x, y, ones, product, sums = sys.argv[1:]
rows = [ROWS[row % 3] for row in range(64)]
save(x, (64, 128), [number for number, _ in rows for _ in range(128)])
save(y, (128, 64), [1.0] * 128 * 64)
save(ones, (64, 128), [1.0] * 128 * 64)
save(product, (64, 64), [128 * rounded for _, rounded in rows for _ in range(64)])
save(sums, (64,), [128 * number for number, _ in rows])
