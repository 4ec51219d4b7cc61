# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values with what a kernel's f32 arithmetic may be away from them.

A reference of several steps follows the kernel's own, on values in float64,
and each step adds to the error what its instruction may add (running error
analysis: Higham, Accuracy and Stability of Numerical Algorithms, 3.3). The
bound of a result so follows from the types, the sizes and the inputs; nothing
is fitted. Errors of float64 itself are 2^-29 of those of f32, and are left to
the slack of the rules.

U32 = 2^-24 is the largest relative error of one rounding to nearest in f32;
LEAST = 2^-126 is what a result may lose where subnormals are flushed to zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formats import round_to
from references.common import U32, ceil_div

LEAST = 2.0 ** -126
# ex2.approx, rsqrt.approx, and div.full (2 units in the last place): PTX ISA.
APPROXIMATE = 2.0 ** -22
LN2 = float(np.log(2.0))


@dataclass(frozen=True)
class Bounded:
    """value: float64; error: the largest |computed - value|, as large."""

    value: np.ndarray
    error: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """The largest that the computed value can be."""
        return np.abs(self.value) + self.error

    @property
    def T(self) -> Bounded:
        return Bounded(self.value.T, self.error.T)

    def __getitem__(self, index: object) -> Bounded:
        return Bounded(self.value[index], self.error[index])

    def __add__(self, other: Bounded) -> Bounded:
        """Rounded once; an FMA, which does not round its product, errs less
        than the two steps that it replaces."""
        return _rounded(self.value + other.value, self.error + other.error)

    def __sub__(self, other: Bounded) -> Bounded:
        return self + Bounded(-other.value, other.error)

    def __mul__(self, other: Bounded) -> Bounded:
        value = self.value * other.value
        return _rounded(value, self.size * other.size - np.abs(value))

    def __truediv__(self, other: Bounded) -> Bounded:
        """The divisor must be positive and known to be above zero."""
        value = self.value / other.value
        least = other.value - other.error
        error = (self.error + np.abs(value) * other.error) / least
        return _with_relative(value, error, APPROXIMATE)

    def where(self, mask: np.ndarray) -> Bounded:
        """Zero where the mask is false."""
        return Bounded(np.where(mask, self.value, 0.0),
                       np.where(mask, self.error, 0.0))

    def stored(self, form: str) -> Bounded:
        """Rounded to a format of formats.py. Rounding keeps order: a computed
        value between value - error and value + error ends between what these
        two become. Mostly all three are one number, and no error is left."""
        below = round_to(self.value - self.error, form)
        value = round_to(self.value, form)
        above = round_to(self.value + self.error, form)
        return Bounded(value, np.maximum(above - value, value - below))


def exact(value: np.ndarray | float) -> Bounded:
    """What the kernel has without error."""
    value = np.asarray(value, np.float64)
    return Bounded(value, np.zeros_like(value))


def _with_relative(value: np.ndarray, error: np.ndarray,
                   relative: float) -> Bounded:
    return Bounded(value,
                   error + relative * (np.abs(value) + error) + LEAST)


def _rounded(value: np.ndarray, error: np.ndarray) -> Bounded:
    """One more rounding to f32."""
    return _with_relative(value, error, U32)


def exp2(x: Bounded) -> Bounded:
    """ex2.approx. An error e in the exponent is a factor of 2^e."""
    value = np.exp2(x.value)
    return _with_relative(value, value * np.expm1(LN2 * x.error), APPROXIMATE)


def exp(x: Bounded) -> Bounded:
    """ex2.approx of x times log2(e): the constant and the product are rounded,
    an error of 2 * U32 of the exponent."""
    exponent = x.value / LN2
    error = x.error / LN2
    return exp2(Bounded(exponent,
                        error + 2.01 * U32 * (np.abs(exponent) + error)))


def log2(x: Bounded) -> Bounded:
    """lg2.approx: 2^-22 absolute for x in [0.5, 2], of the result elsewhere
    (PTX ISA). x must be positive and known to be above zero."""
    value = np.log2(x.value)
    error = -np.log2(1.0 - x.error / x.value)
    return Bounded(value, error + APPROXIMATE * np.maximum(
        1.0, np.abs(value) + error))


def rsqrt(x: Bounded) -> Bounded:
    """1 / sqrt(x), as rsqrt.approx or as a division of 1 by sqrt.approx, each
    of which errs by 2^-22 or less. x must be known to be above zero."""
    value = 1.0 / np.sqrt(x.value)
    error = 1.0 / np.sqrt(x.value - x.error) - value
    return _with_relative(value, error, 2.01 * APPROXIMATE)


def total(x: Bounded, axis: int) -> Bounded:
    """A sum of n terms, in any order or tree: n - 1 roundings at most of no
    more than the sum of sizes."""
    size = np.sum(x.size, axis)
    rounding = 1.001 * (x.value.shape[axis] - 1) * U32 * size
    return Bounded(np.sum(x.value, axis), np.sum(x.error, axis) + rounding)


def largest(x: Bounded, axis: int) -> Bounded:
    """The maximum: it moves by no more than the term that moves most."""
    return Bounded(np.max(x.value, axis), np.max(x.error, axis))


def dot(a: Bounded, b: Bounded, accumulator: Bounded | None = None) -> Bounded:
    """a b + accumulator by matrix instructions or FMA, sums in f32.

    A matrix instruction adds a block of n products to the accumulator, and may
    cut every addend, and the sum, to 24 bits below the largest of them: n + 2
    errors of at most 2 * U32 of the sum of sizes. The smallest block (Volta's,
    n = 4) is the worst: 6/4 errors for each product, blocks filled up to a
    multiple of 4. FMA in any order stays below that.
    """
    size = a.size @ b.size
    value = a.value @ b.value
    error = a.size @ b.error + a.error @ np.abs(b.value)
    if accumulator is not None:
        size = size + accumulator.size
        value = value + accumulator.value
        error = error + accumulator.error
    depth = 4 * ceil_div(a.value.shape[1], 4)
    # The cuts themselves make the sums no larger than this.
    slack = 1.0 + 6.0 * depth * U32
    return Bounded(value, error + slack * 1.5 * depth * 2 * U32 * size)
