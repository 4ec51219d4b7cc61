#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# deterministic.sh TILEWRIGHT CORPUS SCRATCH: compiles every corpus kernel twice with one thread and once with eight, and
# compares the PTX byte by byte.
set -euo pipefail
tilewright=$1 corpus=$2 scratch=$3
mkdir -p "$scratch"
count=0
for kernel in "$corpus"/*.ttir; do
  for target in sm_75 sm_80 sm_90a; do
    for run in once again eight; do
      threads=1
      [ "$run" = eight ] && threads=8
      "$tilewright" compile "$kernel" --target=$target --emit=ptx \
        --threads=$threads -o "$scratch/$run.ptx"
    done
    cmp "$scratch/once.ptx" "$scratch/again.ptx"
    cmp "$scratch/once.ptx" "$scratch/eight.ptx"
    count=$((count + 1))
  done
done
echo "identical: $count"
