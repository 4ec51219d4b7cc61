# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compilation said, as an exception with the line of the user's program."""

import linecache
import re

# What the compiler says of a kernel that needs more than a program may have, the
# limit and then the need: Triton's autotuner passes over configurations that raise
# OutOfResources.
_RESOURCES = {
    "shared memory": re.compile(
        r"to fit the (\d+) bytes of shared memory of \w+, but got (\d+) bytes"),
    "elements of a tile in a thread": re.compile(
        r"expects tiles of at most (\d+) elements for each thread, but got (\d+)"),
    "code of a thread's dots": re.compile(
        r"expects the dots of a kernel to take at most (\d+) .* of each thread, but got (\d+)"),
}


class CompilationError(RuntimeError):
    """A kernel that Tilewright does not compile.

    kernel, target: their names.
    diagnostics: tuples (severity, file, line, column, message).
    """

    def __init__(self, kernel, target, diagnostics):
        super().__init__(kernel, target, diagnostics)
        self.kernel = kernel
        self.target = target
        self.diagnostics = diagnostics

    def __str__(self):
        lines = [f"Tilewright does not compile the kernel '{self.kernel}' for {self.target}:"]
        for severity, file, line, column, message in self.diagnostics:
            place = f"{file}:{line}:{column}: " if file else ""
            lines.append(f"{place}{severity}: {message}")
            text = linecache.getline(file, line).rstrip() if line else ""
            if text:
                lines += [f"    {text}", "    " + " " * max(column - 1, 0) + "^"]
        lines.append("(TILEWRIGHT_TRITON_FALLBACK=1 has Triton compile such kernels.)")
        return "\n".join(lines)

    @property
    def reason(self):
        """The first error, in one line."""
        for severity, file, line, _, message in self.diagnostics:
            if severity == "error":
                return f"{file}:{line}: {message}" if file else message
        return "no diagnostic"

    def out_of_resources(self):
        """(need, limit, of what) where that is what is wrong, else None."""
        for *_, message in self.diagnostics:
            for name, pattern in _RESOURCES.items():
                found = pattern.search(message)
                if found:
                    return int(found[2]), int(found[1]), name
        return None
