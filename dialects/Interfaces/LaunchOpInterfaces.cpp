// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Interfaces/LaunchOpInterfaces.h"

#include "dialects/Interfaces/LaunchOpInterfaces.cpp.inc"
