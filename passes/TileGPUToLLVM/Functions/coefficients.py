#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes Coefficients.h: minimax polynomials and constants, for f32 and f64.

Each polynomial is found by Remez' exchange in 60 digits, for the error that its
entry weighs; then its coefficients are rounded to the format. Needs mpmath. Prints the header; the
bound of each polynomial's error is a comment in it.
"""

from mpmath import mp, mpf, matrix, lu_solve, cos, pi, floor, frexp, ldexp
import mpmath as m

mp.dps = 60


def round_to(value, bits):
    if value == 0:
        return mpf(0)
    mantissa, exponent = frexp(value)
    return ldexp(m.nint(ldexp(mantissa, bits)), exponent - bits)


def fit(function, weight, low, high, degree):
    """The minimax polynomial and its largest weighted error."""
    free = degree + 1
    count = free + 1
    nodes = [
        (low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count))
        for i in reversed(range(count))
    ]
    grid = [
        (low + high) / 2 - (high - low) / 2 * cos(pi * i / 600)
        for i in range(601)
    ]
    values = [function(x) for x in grid]
    weights = [weight(x) for x in grid]
    coefficients, worst = None, None
    for _ in range(12):
        system = matrix(count, count)
        right = matrix(count, 1)
        for row, x in enumerate(nodes):
            for column in range(free):
                system[row, column] = x**column
            system[row, free] = (-1) ** row / weight(x)
            right[row] = function(x)
        solution = lu_solve(system, right)
        coefficients = list(solution[:free])
        errors = []
        for x, value, scale in zip(grid, values, weights):
            guess = mpf(0)
            for coefficient in reversed(coefficients):
                guess = guess * x + coefficient
            errors.append((guess - value) * scale)
        # One extremum for each run of one sign.
        extrema, start = [], 0
        for i in range(1, len(grid) + 1):
            if i == len(grid) or (errors[i] > 0) != (errors[start] > 0):
                best = max(range(start, i), key=lambda j: abs(errors[j]))
                extrema.append(best)
                start = i
        worst = max(abs(e) for e in errors)
        if len(extrema) < count:
            break
        while len(extrema) > count:
            if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]):
                extrema.pop(0)
            else:
                extrema.pop()
        nodes = [grid[i] for i in extrema]
    return coefficients, worst


def approximate(function, weight, low, high, degree, bits):
    coefficients, _ = fit(function, weight, low, high, degree)
    rounded = [round_to(c, bits) for c in coefficients]
    error = max(
        abs((sum(c * x**i for i, c in enumerate(rounded)) - function(x)) * weight(x))
        for x in [low + (high - low) * mpf(i) / 500 for i in range(501)]
    )
    return rounded, error


def near_zero(function, limit):
    """`function` with its value at 0, where the formula has none."""
    return lambda x: limit if abs(x) < mpf(10) ** -18 else function(x)


def by_square(function, limit):
    return near_zero(lambda z: function(m.sqrt(z)), limit)


def erfcx_of(t, k):
    if t >= 1:
        return 2 / m.sqrt(pi)
    x = k * (1 + t) / (1 - t)
    if x > 25:
        term, total = mpf(1), mpf(1)
        for i in range(1, 60):
            term *= -(2 * i - 1) / (2 * x * x)
            if abs(term) < mpf(10) ** -40:
                break
            total += term
        return total / (x * m.sqrt(pi)) * (1 + 2 * x)
    return m.exp(x * x) * m.erfc(x) * (1 + 2 * x)


half_ln2 = mpf("0.3475")
one = lambda x: mpf(1)
# name, what it is, function, weight, interval, degrees for f32 and f64; None
# where the format does without it.
POLYNOMIALS = [
    ("expTail", "(e^r - 1 - r) / r^2",
     near_zero(lambda r: (m.expm1(r) - r) / r**2, mpf(1) / 2),
     lambda r: abs(r) + mpf("0.02"), -half_ln2, half_ln2, 5, 11),
    ("exp2Tail", "(2^r - 1) / r",
     near_zero(lambda r: m.expm1(r * m.ln2) / r, +m.ln2),
     lambda r: abs(r) + mpf("0.02"), mpf("-0.505"), mpf("0.505"), 6, 12),
    ("logTail", "(log((1 + s) / (1 - s)) - 2 s) / s^3 of z = s^2",
     by_square(lambda s: (2 * m.atanh(s) - 2 * s) / s**3, mpf(2) / 3),
     one, mpf(0), mpf("0.0296"), None, 7),
    ("logSquareTail", "(log(1 + f) - f) / f^2",
     near_zero(lambda f: (m.log1p(f) - f) / f**2, -mpf(1) / 2),
     lambda f: abs(f) + mpf("0.02"), mpf("-0.2929"), mpf("0.41422"), 8, None),
    ("logPlus1SquareTail", "(log(1 + f) - f) / f^2, for 1 + f from 3/4",
     near_zero(lambda f: (m.log1p(f) - f) / f**2, -mpf(1) / 2),
     lambda f: abs(f) + mpf("0.02"), mpf("-0.2501"), mpf("0.5001"), 8, None),
    ("log2SquareTail", "(log2(1 + f) - f log2 e) / f^2",
     near_zero(lambda f: (m.log1p(f) - f) / f**2 / m.ln2, -1 / m.ln2 / 2),
     lambda f: abs(f) + mpf("0.02"), mpf("-0.2929"), mpf("0.41422"), 9, None),
    ("logCubeTail", "(log(1 + f) - f + f^2 / 2) / (f^3 / 2)",
     near_zero(lambda f: (m.log1p(f) - f + f**2 / 2) / (f**3 / 2), mpf(2) / 3),
     lambda f: f * f + mpf("0.002"), mpf("-0.2929"), mpf("0.41422"), 7, None),
    ("powTail", "(log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 of z = s^2",
     near_zero(lambda z: (lambda s: (2 * m.atanh(s) - 2 * s - s**3 * 2 / 3)
                          / s**5)(m.sqrt(z)), mpf(2) / 5),
     one, mpf(0), mpf("0.0296"), 3, 7),
    ("sineTail", "(sin r - r) / r^3 of z = r^2",
     by_square(lambda r: (m.sin(r) - r) / r**3, -mpf(1) / 6),
     one, mpf(0), mpf("0.64"), 3, 6),
    ("cosineTail", "(cos r - 1 + r^2 / 2) / r^4 of z = r^2",
     near_zero(lambda z: (lambda r: (m.cos(r) - 1 + z / 2) / z**2)(m.sqrt(z)),
               mpf(1) / 24),
     one, mpf(0), mpf("0.64"), 3, 6),
    ("arctangentTail", "(atan t - t) / t^3 of z = t^2",
     by_square(lambda t: (m.atan(t) - t) / t**3, -mpf(1) / 3),
     one, mpf(0), mpf("0.1915"), 5, 11),
    ("arcsineTail", "(asin x - x) / x^3 of z = x^2",
     by_square(lambda x: (m.asin(x) - x) / x**3, mpf(1) / 6),
     one, mpf(0), mpf("0.2501"), 5, 13),
    ("tanhTail", "(tanh x - x) / x^3 of z = x^2",
     by_square(lambda x: (m.tanh(x) - x) / x**3, -mpf(1) / 3),
     one, mpf(0), mpf("0.391"), None, 11),
    ("tanhTail", "(tanh x - x) / x^3 of z = x^2",
     by_square(lambda x: (m.tanh(x) - x) / x**3, -mpf(1) / 3),
     lambda z: z * m.sqrt(z) / m.tanh(m.sqrt(z)) if z > 0 else mpf(0),
     mpf(0), mpf(1), 6, None),
    ("errorTail", "erf x / x - 1 of z = x^2",
     by_square(lambda x: m.erf(x) / x - 1, 2 / m.sqrt(pi) - 1),
     one, mpf(0), mpf(1), 7, 14),
    ("errorHalvings", "-log2(erfc x), weighed by erfc x log 2",
     lambda x: -m.log(m.erfc(x)) / m.ln2, lambda x: m.erfc(x) * m.ln2,
     mpf(1), mpf(4), 6, None),
    ("scaledErrorTail", "(1 + 2 x) e^(x^2) erfc x of t = (x - 4) / (x + 4)",
     lambda t: erfcx_of(t, 4), one, mpf("-0.79"), mpf(1), 11, 23),
]


def split(value, bits, parts):
    words = []
    for _ in range(parts):
        words.append(round_to(value, bits))
        value -= words[-1]
    return words


CONSTANTS = [
    ("log2E", 1 / m.ln2, 2), ("ln2", +m.ln2, 2), ("ln10", m.log(10), 2),
    ("log10E", 1 / m.log(10), 2), ("log2Of10", m.log(10) / m.ln2, 1),
    ("log10Of2", m.ln2 / m.log(10), 2), ("twoThirds", mpf(2) / 3, 2),
    ("halfPi", pi / 2, 3), ("twoPi", 2 * pi, 2), ("pi", +pi, 2),
    ("twoOverPi", 2 / pi, 1), ("inverseSqrt2", 1 / m.sqrt(2), 2),
    ("atanHalf", m.atan(mpf(1) / 2), 2), ("atanOne", pi / 4, 2),
    ("atanThreeHalves", m.atan(mpf(3) / 2), 2),
]


def spell(value, bits):
    """A hexadecimal floating-point literal."""
    if value == 0:
        return "0.0"
    mantissa, exponent = frexp(abs(value))
    digits = int(ldexp(mantissa, 56))
    assert ldexp(mpf(digits), exponent - 56) == abs(value)
    text = "%014x" % digits
    return ("-" if value < 0 else "") + "0x0." + (text.rstrip("0") or "0") + \
        "p%+d" % exponent


def print_format(name, bits, column):
    print(f"template <>\nstruct Coefficients<{name}> {{")
    for entry in POLYNOMIALS:
        title, meaning, function, weight, low, high = entry[:6]
        if entry[6 + column] is None:
            continue
        values, error = approximate(function, weight, low, high,
                                    entry[6 + column], bits)
        print(f"  /// {meaning}: error below 2^{int(floor(m.log(error, 2))) + 1}.")
        print(f"  static constexpr double {title}[] = {{")
        print(",\n".join("      " + spell(v, bits) for v in values) + "};")
    for title, value, parts in CONSTANTS:
        words = ", ".join(spell(v, bits) for v in split(value, bits, parts))
        print(f"  static constexpr double {title}[] = {{{words}}};")
    # Cut so short that its product with an exponent is exact.
    for title, value in (("ln2", +m.ln2), ("log10Of2", m.ln2 / m.log(10))):
        short = round_to(value, bits - 12)
        rest = round_to(value - short, bits)
        print(f"  static constexpr double {title}Short[] = "
              f"{{{spell(short, bits)}, {spell(rest, bits)}}};")
    print("};\n")


def print_words(bits, count):
    mp.dps = 420
    value = int(floor(2 / pi * mpf(2) ** (bits * count)))
    words = [0] + [(value >> (bits * (count - 1 - i))) & ((1 << bits) - 1)
                   for i in range(count)]
    print(f"/// 2 / pi as words of {bits} bits, the one before its point first.")
    print(f"inline constexpr uint64_t twoOverPiWords{bits}[] = {{")
    print(",\n".join("    0x%0*x" % (bits // 4, w) for w in words) + "};\n")


if __name__ == "__main__":
    print("""// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by coefficients.py. Polynomials from the lowest power up; constants as
// sums of numbers of the format.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_COEFFICIENTS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_COEFFICIENTS_H

#include <cstdint>

namespace tilewright::functions {

enum class Format { F32, F64 };

template <Format format>
struct Coefficients;
""")
    print_format("Format::F32", 24, 0)
    print_format("Format::F64", 53, 1)
    print_words(32, 8)
    print_words(64, 21)
    print("""} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_COEFFICIENTS_H""")
