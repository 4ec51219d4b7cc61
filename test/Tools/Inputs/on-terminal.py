# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command whose standard error is a terminal; prints what the terminal
got, a line for each return of the carriage."""

import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL)
os.close(theirs)
got = b""
try:
    while piece := os.read(ours, 4096):
        got += piece
except OSError:  # the other end is closed
    pass
print(got.decode().replace("\r", "\n"))
sys.exit(process.wait())
