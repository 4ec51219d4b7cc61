#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# says.sh PATTERN COMMAND... FILE: interesting to tilewright-reduce (status 1)
# if COMMAND, run on FILE, prints what grep finds PATTERN in.
pattern=$1
shift
"$@" 2>&1 | grep -q -e "$pattern" && exit 1
exit 0
