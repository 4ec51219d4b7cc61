# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that the process holds. A JITFunction keeps what it has compiled by
its arguments alone, so each has a cache for each setting: switching on or off
takes what was compiled under the other one out of sight, and back again."""

import functools
import gc
import weakref
from collections import defaultdict

_functions = weakref.WeakValueDictionary()
# The caches that are out of sight, by function and setting.
_put_away = weakref.WeakKeyDictionary()


def watch(jit_function):
    """Notes each instance of Triton's class JITFunction, those that are there and
    those to come."""
    create_binder = jit_function.create_binder

    # (By its own name, under which a copied or pickled function finds it.)
    @functools.wraps(create_binder)
    def noted(self, *arguments, **named):
        _functions[id(self)] = self
        return create_binder(self, *arguments, **named)

    jit_function.create_binder = noted
    for thing in gc.get_objects():
        # (isinstance would ask the object itself for its class.)
        if issubclass(type(thing), jit_function):
            _functions[id(thing)] = thing
            # (The dictionary keeps the bound method that it was made with.)
            if hasattr(thing, "device_caches"):
                thing.device_caches.default_factory = thing.create_binder


def switch(before, after):
    """From the caches of one setting to those of another."""
    for function in list(_functions.values()):
        away = _put_away.setdefault(function, {})
        away[before] = function.device_caches
        caches = away.pop(after, None)
        if caches is None:
            caches = defaultdict(function.create_binder)
        function.device_caches = caches
