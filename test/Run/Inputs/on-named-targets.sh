#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# on-named-targets.sh TARGETS TILEWRIGHT FILE RUN-OPTIONS...: runs `tilewright run
# RUN-OPTIONS` on the emulator for every target of TARGETS, on FILE with the word
# TARGET replaced by its name, in the program's order and in two random ones, and
# stops at the first that fails.
set -euo pipefail
targets=$1 tilewright=$2 file=$3
shift 3
kernel=${TMPDIR:-/tmp}/on-named-targets.$$
for target in $targets; do
  sed "s/TARGET/$target/" "$file" >"$kernel.mlir"
  for seed in 0 1 2; do
    options=()
    ((seed == 0)) || options=(--seed=$seed)
    "$tilewright" run "$kernel.mlir" "$@" --device=emulator --target=$target \
      "${options[@]}" >"$kernel.out" 2>&1 ||
      { echo "$target, seed $seed:"; cat "$kernel.out"; exit 1; }
  done
done
rm -f "$kernel.mlir" "$kernel.out"
