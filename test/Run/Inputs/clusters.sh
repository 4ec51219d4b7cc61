#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# clusters.sh TILEWRIGHT FILE PREFIX KERNEL GRID M K: the kernel of FILE, a product of
# M x K and K x 248, gives the same bits in clusters and without. PREFIX: of files that
# it may write.
set -euo pipefail
tilewright=$1 file=$2 expected=$3.$4.npy kernel=$4 grid=$5 m=$6 k=$7
run() {
  local result=$1
  shift
  "$tilewright" run "$file" --kernel="$kernel" --target=sm_90a --device=emulator \
    --num-warps=4 --grid="$grid" --arg=random:${m}x${k}xf16:1 --arg=random:${k}x248xf16:2 \
    --arg="$result" --arg=i32:$m --arg=i32:248 --arg=i32:$k "$@"
}
run "$expected=poison:${m}x248xf32" --bulk-copies=false
for options in "--num-stages=2" "--seed=3" "--num-stages=4 --seed=5"; do
  run "poison:${m}x248xf32" --specialize-warps --cluster=2 $options --compare=2="$expected"
done
