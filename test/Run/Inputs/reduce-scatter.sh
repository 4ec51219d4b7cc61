#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# reduce-scatter.sh TILEWRIGHT FILE PREFIX KERNEL PROGRAMS ROWS K: the kernel of FILE, a
# product of 2 ROWS x K and K x 128 by clusters of PROGRAMS that share K, in tiles of
# ROWS x 64, gives the same bits as one program that adds the parts in order. PREFIX: of
# files that it may write.
set -euo pipefail
tilewright=$1 file=$2 expected=$3.$4.npy kernel=$4 programs=$5 rows=$6 k=$7
m=$((2 * rows)) whole=whole warps=4
if [ "$rows" -lt 64 ]; then
  whole=narrow_whole warps=1
fi
run() {
  local kernel=$1 grid=$2 result=$3
  shift 3
  "$tilewright" run "$file" --kernel="$kernel" --target=sm_90a --device=emulator \
    --num-warps=$warps --grid="$grid,2" --arg=random:${m}x${k}xf16:1 \
    --arg=random:${k}x128xf16:2 --arg="$result" --arg=i32:$m --arg=i32:128 \
    --arg=i32:"$k" --arg=i32:$((k / programs)) "$@"
}
run $whole 2 "$expected=poison:${m}x128xf32" --arg=i32:"$programs" --bulk-copies=false
for options in "--bulk-copies=false --specialize-warps=false" \
  "--bulk-copies --specialize-warps=false --seed=3" "--specialize-warps --bulk-copies" \
  "--specialize-warps --num-stages=2 --seed=5"; do
  run "$kernel" $((2 * programs)) "poison:${m}x128xf32" $options --compare=2="$expected"
done
