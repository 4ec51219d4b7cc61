# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What TILEWRIGHT_TRITON=1 does at Python's start: nothing is imported but this,
and when the program imports Triton, Tilewright is put in.

tilewright_triton.pth imports it and calls start(), where the variable is set alone."""

import sys


def after_import(name, act):
    """Calls act(module) as soon as the module of this name is imported: now, if it is
    there already."""
    module = sys.modules.get(name)
    if module is not None:
        act(module)
    else:
        sys.meta_path.insert(0, _Finder(name, act))


class _Finder:
    """Stands before the other finders until a module is imported."""

    def __init__(self, name, act):
        self.name = name
        self.act = act

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            _act_after(spec.loader, self.act)
        return spec


def _act_after(loader, act):
    execute = loader.exec_module

    def exec_module(module):
        execute(module)
        act(module)

    loader.exec_module = exec_module


def start():
    # When this one is there, so are the back ends.
    after_import("triton.runtime.jit", _put_in)


def _put_in(_jit):
    from tilewright.triton._install import install
    from tilewright.triton._settings import use_environment
    install()
    use_environment()
