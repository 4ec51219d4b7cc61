# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What TILEWRIGHT_TRITON=1 does at Python's start: nothing is imported but this,
and when the program imports Triton, Tilewright is put in.

tilewright_triton.pth imports it, where the variable is set alone."""

import sys

# When this one is there, so are the back ends.
_LAST = "triton.runtime.jit"


class _Finder:
    """Stands before the other finders until Triton is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != _LAST:
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            _put_in_after(spec.loader)
        return spec


def _put_in_after(loader):
    execute = loader.exec_module

    def exec_module(module):
        execute(module)
        from tilewright.triton._install import install
        from tilewright.triton._settings import use_environment
        install()
        use_environment()

    loader.exec_module = exec_module


sys.meta_path.insert(0, _Finder())
