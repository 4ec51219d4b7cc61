# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process that has the GPU, and another one when it is lost."""

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

from compilers import Code
from problems import Problem

# A kernel that takes longer is given up.
SECONDS = 90


def serve(connection: Connection) -> None:
    # PyTorch is wanted in that process alone.
    import device
    device.serve(connection)


class Worker:
    def __init__(self) -> None:
        self.context = multiprocessing.get_context("spawn")
        self.start()

    def start(self) -> None:
        self.connection, theirs = self.context.Pipe()
        self.process = self.context.Process(target=serve, args=(theirs,),
                                            daemon=True)
        self.process.start()
        theirs.close()
        self.device = self.connection.recv()

    def run(self, problem: Problem, codes: list[Code]) -> dict[str, Any]:
        """A row: microseconds, resources and errors by the codes' names."""
        try:
            self.connection.send((problem, codes))
            if not self.connection.poll(SECONDS):
                raise EOFError
            row = self.connection.recv()
        except (EOFError, OSError):
            row = {"us": {}, "resources": {}, "lost": True,
                   "errors": {"all": "the process with the GPU ended, or took "
                                     f"more than {SECONDS} s"}}
        if row.pop("lost", False):
            self.process.kill()
            self.process.join()
            self.start()
        return row

    def stop(self) -> None:
        self.connection.send(None)
        self.process.join()
