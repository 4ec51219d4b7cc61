# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says, once of each kernel, that Triton compiles it in Tilewright's place: when it
does, and when what it compiled comes from its cache."""

import functools
import warnings

_reported = set()


def report_fallback(kernel, reason):
    if (kernel, reason) in _reported:
        return
    _reported.add((kernel, reason))
    warnings.warn(f"Triton compiles the kernel '{kernel}', which Tilewright does not: {reason}",
                  RuntimeWarning, stacklevel=2)


def watch(compiled_kernel):
    """Has each instance of Triton's class CompiledKernel reported that is such a
    kernel."""
    if hasattr(compiled_kernel, "_tilewright"):
        return
    compiled_kernel._tilewright = True
    build = compiled_kernel.__init__

    @functools.wraps(build)
    def init(self, *arguments, **named):
        build(self, *arguments, **named)
        reason = getattr(self.metadata, "tilewright_fallback", None)
        if reason:
            report_fallback(self.name, reason)

    compiled_kernel.__init__ = init
