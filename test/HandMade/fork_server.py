# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program many times without loading it anew: see ForkServer.cpp."""

import os
import subprocess
from pathlib import Path


class ForkServer:
    """Runs a program again and again at the price of a fork each: see
    ForkServer.cpp, whose library this needs."""

    def __init__(self, library: str, program: str) -> None:
        environment = {**os.environ, "LD_PRELOAD": os.path.abspath(library),
                       "LD_BIND_NOW": "1"}
        self.process = subprocess.Popen(
            [program], env=environment, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, bufsize=1)

    def run(self, command: list[str], output: Path, errors: Path,
            seconds: int, memory: int) -> int:
        """The status, negative where a signal ended the process, which has so
        many seconds of the processor and GiB."""
        assert not any(letter in each for each in command for letter in "\t\n")
        fields = [str(seconds), str(memory << 30), str(output), str(errors),
                  *command]
        self.process.stdin.write("".join(f"{each}\t" for each in fields) + "\n")
        return int(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
