# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
hip = None
cuda = "13.0"
