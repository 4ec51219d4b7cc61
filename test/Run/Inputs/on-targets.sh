#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# on-targets.sh TILEWRIGHT RUN-OPTIONS...: runs `tilewright run RUN-OPTIONS` on
# the emulator for every tested target, with one warp and with four, and stops at the
# first that fails.
set -euo pipefail
tilewright=$1
shift
for target in $("$tilewright" targets --tested); do
  for warps in 1 4; do
    "$tilewright" run "$@" --device=emulator --target=$target \
      --num-warps=$warps >"${TMPDIR:-/tmp}/on-targets.$$" 2>&1 ||
      { echo "$target, $warps warps:"; cat "${TMPDIR:-/tmp}/on-targets.$$"; exit 1; }
  done
done
rm -f "${TMPDIR:-/tmp}/on-targets.$$"
