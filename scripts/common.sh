# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the scripts share; sourced, never run. Goes to the project's root, and
# defines where logs go, how a step is run, and what of a GPU is here.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly LOGS=$PWD/build/logs
mkdir -p "$LOGS"

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }

fail() {
  say "error: $*" >&2
  exit 1
}

# step NAME COMMAND...: runs a command whose output goes to build/logs/NAME.log;
# shows the end of it where the command fails, and hands on its exit status.
step() {
  local log=$LOGS/$1.log status=0 begin=$SECONDS
  shift
  "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    tail -n 40 "$log" >&2
    say "failed (exit status $status) after $((SECONDS - begin)) s: $*; log: $log" >&2
  fi
  return "$status"
}

# The compute capability of the first GPU as two or three digits (90 for 9.0);
# nothing where there is no GPU, or no driver.
gpu_capability() {
  [ -e /dev/nvidiactl ] && command -v nvidia-smi >/dev/null || return 0
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    head -n 1 | tr -dc '0-9'
}

# runnable_targets CAPABILITY: the targets that tests are run for and whose PTX
# a GPU runs, with commas between. The compiler knows, which must be built.
runnable_targets() {
  build/dev/bin/tilewright targets --tested --runs-on="$1" | paste -sd, -
}

# Configures the development preset.
configure() {
  step configure cmake --preset dev -DTILEWRIGHT_CUDA_ROOT="${TILEWRIGHT_CUDA_ROOT:-}" ||
    fail "cannot configure"
}

# build TARGET...: configures the development preset and builds targets. By
# preset, as it sets ccache's environment too.
build() {
  say "building $* (build/dev)"
  configure
  step build cmake --build --preset dev --target "$@" || fail "cannot build"
}
