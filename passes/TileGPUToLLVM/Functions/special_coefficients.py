#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes SpecialCoefficients.h, as coefficients.py makes Coefficients.h: the
functions that are computed in f64 alone. Needs mpmath."""

import mpmath as m
from mpmath import mpf, pi

from coefficients import approximate, near_zero, one, spell


def inverse_error_ratio(w):
    """erfinv(x) / x for x with 1 - x^2 = e^-w."""
    x = m.sqrt(-m.expm1(-w))
    y = m.log(m.exp(-w) / (1 + x))
    z = m.sqrt(w)
    for _ in range(60):
        tail = m.erfc(z)
        step = (m.log(tail) - y) * tail * m.sqrt(pi) / 2 * m.exp(z * z)
        z += step
        if abs(step) < mpf(10) ** -45:
            break
    return z / x


def inverse_error_from(center):
    """erfinv(x) / x of t = (sqrt w - center) / (sqrt w + center)."""
    return lambda t: inverse_error_ratio((center * (1 + t) / (1 - t)) ** 2)


def inverse_root(center):
    return lambda t: (1 - t) / (center * (1 + t))


def stirling_rest(u):
    """x (lgamma x - (x - 1/2) log x + x - log(2 pi) / 2) of u = 1 / x^2."""
    x = 1 / m.sqrt(u)
    return x * (m.loggamma(x) - (x - mpf(1) / 2) * m.log(x) + x
                - m.log(2 * pi) / 2)


def of_square(function):
    """function(x) of t = (x^2 - 32) / 32."""
    return lambda t: function(m.sqrt(32 + 32 * t))


def hankel(order, part):
    """The amplitude's parts of Bessel functions from 8 on, of u = (8 / x)^2."""
    def evaluate(u):
        x = 8 / m.sqrt(u)
        chi = x - (2 * order + 1) * pi / 4
        j, y = m.besselj(order, x), m.bessely(order, x)
        scale = m.sqrt(pi * x / 2)
        if part == "P":
            return scale * (j * m.cos(chi) + y * m.sin(chi))
        return scale * (y * m.cos(chi) - j * m.sin(chi)) * x / 8
    limit = mpf(1) if part == "P" else mpf(4 * order * order - 1) / 64
    return lambda u: limit if u < mpf(10) ** -12 else evaluate(u)


def scaled_bessel_i(order):
    """sqrt(x) e^-x I(x) of v = 8 / x."""
    return near_zero(lambda v: m.sqrt(8 / v) * m.exp(-8 / v)
                     * m.besseli(order, 8 / v), 1 / m.sqrt(2 * pi))


def of_root(function):
    return lambda z: function(m.sqrt(z))


half = mpf(1) / 2
eight = mpf(8)
# name, what it is, function, weight, interval, degree.
POLYNOMIALS = [
    ("inverseErrorNear", "erfinv x / x of t = w - 3.125, w = -log(1 - x^2)",
     lambda t: m.sqrt(pi) / 2 if t + mpf("3.125") < mpf(10) ** -18
     else inverse_error_ratio(t + mpf("3.125")),
     one, mpf("-3.125"), mpf("3.125"), 23),
    ("inverseErrorMiddle", "erfinv x / x of t = sqrt w - 3.25",
     lambda t: inverse_error_ratio((t + mpf("3.25")) ** 2),
     one, mpf("-0.751"), mpf("0.751"), 19),
    ("inverseErrorFar", "erfinv x / x of t = (sqrt w - 6.5) / (sqrt w + 6.5)",
     inverse_error_from(mpf("6.5")), inverse_root(mpf("6.5")),
     mpf("-0.2385"), mpf("0.2356"), 22),
    ("inverseErrorFarthest", "the same with 17",
     inverse_error_from(mpf(17)), inverse_root(mpf(17)),
     mpf("-0.2365"), mpf("0.2390"), 18),
    ("logGammaTail", "lgamma(2 + t) / t",
     near_zero(lambda t: m.loggamma(2 + t) / t, m.psi(0, 2)),
     one, -half, half, 20),
    ("gammaTail", "gamma(2 + t)", lambda t: m.gamma(2 + t), one, -half, half,
     20),
    ("stirlingTail", "the rest of Stirling's formula, times x, of 1 / x^2",
     near_zero(stirling_rest, mpf(1) / 12), one, mpf(0), mpf(1) / 64, 8),
    ("besselJ0Near", "J0(x) of t = (x^2 - 32) / 32",
     of_square(lambda x: m.besselj(0, x)), one, mpf(-1), mpf(1), 19),
    ("besselJ1Near", "J1(x) / x of t = (x^2 - 32) / 32",
     of_square(lambda x: half if x < mpf(10) ** -15 else m.besselj(1, x) / x),
     one, mpf(-1), mpf(1), 18),
    ("besselY0Near", "Y0(x) - 2 / pi log(x) J0(x) of t",
     of_square(lambda x: 2 / pi * (m.euler - m.ln2) if x < mpf(10) ** -15
               else m.bessely(0, x) - 2 / pi * m.log(x) * m.besselj(0, x)),
     one, mpf(-1), mpf(1), 19),
    ("besselY1Near", "(Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x of t",
     of_square(lambda x: (2 * m.euler - 1 - 2 * m.ln2) / (2 * pi)
               if x < mpf(10) ** -12
               else (m.bessely(1, x) - 2 / pi
                     * (m.log(x) * m.besselj(1, x) - 1 / x)) / x),
     one, mpf(-1), mpf(1), 19),
    ("besselP0", "the even part of the amplitude of J0 and Y0 of (8 / x)^2",
     hankel(0, "P"), one, mpf(0), mpf(1), 13),
    ("besselQ0", "the odd part, times x / 8", hankel(0, "Q"), one, mpf(0),
     mpf(1), 13),
    ("besselP1", "the same of J1 and Y1", hankel(1, "P"), one, mpf(0), mpf(1),
     13),
    ("besselQ1", "", hankel(1, "Q"), one, mpf(0), mpf(1), 13),
    ("besselI0Near", "I0(x) of x^2, relative", of_root(lambda x: m.besseli(0, x)),
     of_root(lambda x: 1 / m.besseli(0, x)), mpf(0), eight**2, 19),
    ("besselI1Near", "I1(x) / x of x^2, relative",
     of_root(lambda x: half if x < mpf(10) ** -15 else m.besseli(1, x) / x),
     of_root(lambda x: 1 if x < mpf(10) ** -15 else x / m.besseli(1, x)),
     mpf(0), eight**2, 19),
    ("besselI0Far", "sqrt(x) e^-x I0(x) of 8 / x", scaled_bessel_i(0), one,
     mpf(0), mpf(1), 22),
    ("besselI1Far", "sqrt(x) e^-x I1(x) of 8 / x", scaled_bessel_i(1), one,
     mpf(0), mpf(1), 22),
]


if __name__ == "__main__":
    print("""// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by special_coefficients.py. Polynomials from the lowest power up.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_SPECIALCOEFFICIENTS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_SPECIALCOEFFICIENTS_H

namespace tilewright::functions::special {
""")
    for name, meaning, function, weight, low, high, degree in POLYNOMIALS:
        values, error = approximate(function, weight, low, high, degree, 53)
        bound = int(m.floor(m.log(error, 2))) + 1
        print(f"/// {meaning}: error below 2^{bound}.".replace("/// :", "///"))
        print(f"inline constexpr double {name}[] = {{", flush=True)
        print(",\n".join("    " + spell(v, 53) for v in values) + "};")
    print("""
} // namespace tilewright::functions::special

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_SPECIALCOEFFICIENTS_H""")
