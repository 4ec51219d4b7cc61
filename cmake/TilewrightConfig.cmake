# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(Tilewright) gives
#   Tilewright::Compiler   compile, load and launch; needs no LLVM
#   Tilewright::Runtime    load and launch what was compiled before
# with the headers tilewright-c/*.h (C) and tilewright/*.h (C++20).
include(${CMAKE_CURRENT_LIST_DIR}/TilewrightTargets.cmake)
