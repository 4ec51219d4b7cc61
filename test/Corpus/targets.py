# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of targets, which the compiler knows."""

import subprocess
from pathlib import Path


def tested_targets(tilewright: str | Path) -> list[str]:
    """Those that tests are run for, oldest first; needs the built driver."""
    done = subprocess.run([str(tilewright), "targets", "--tested"],
                          capture_output=True, text=True, check=True)
    return done.stdout.split()
