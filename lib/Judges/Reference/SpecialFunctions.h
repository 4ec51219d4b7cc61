// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that C has not, on the host in float64, with an error of some units
// in the last place: oracles, made of other formulas than the compiler's.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_SPECIALFUNCTIONS_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_SPECIALFUNCTIONS_H

namespace tilewright::reference {

/// IEEE 754-2019's maximumNumber and minimumNumber: a NaN gives the other
/// number, and -0 is less than +0.
double maximumNumber(double x, double y);
double minimumNumber(double x, double y);

/// sin(pi x) and cos(pi x).
double sineOfTurns(double x);
double cosineOfTurns(double x);

/// e^(x^2) erfc x.
double scaledErfc(double x);
/// The numbers whose erf and erfc are x.
double inverseErf(double x);
double inverseErfc(double x);
/// The standard normal distribution and its inverse.
double normalProbability(double x);
double normalQuantile(double p);

/// Modified Bessel functions of the first kind.
double besselI0(double x);
double besselI1(double x);

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_SPECIALFUNCTIONS_H
