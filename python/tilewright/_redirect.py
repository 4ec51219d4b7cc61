# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has an installed flash-linear-attention call tilewright.linear's functions.

A function of FLA's is looked for by its name in FLA's module; then every name in
a loaded module that stands for that function is given ours: FLA's own, those
that its layers imported, those of programs. disable() gives them back."""

import collections
import functools
import importlib
import sys
import threading
import types
import warnings

# Where FLA has the functions that are here.
_MODULES = {
    "fla.ops.delta_rule": ("chunk_delta_rule", "fused_recurrent_delta_rule"),
    "fla.ops.gated_delta_product": ("chunk_gated_delta_product",),
    "fla.ops.gated_delta_rule": ("chunk_gated_delta_rule",
                                 "fused_recurrent_gated_delta_rule"),
    "fla.modules.fused_norm_gate": ("layer_norm_gated", "rms_norm_gated"),
    "fla.modules.norm.fused_norm_gate": ("layer_norm_gated", "rms_norm_gated"),
    "fla.ops.generalized_delta_rule": ("chunk_dplr_delta_rule",
                                       "chunk_iplr_delta_rule",
                                       "fused_recurrent_dplr_delta_rule",
                                       "fused_recurrent_iplr_delta_rule"),
    "fla.ops.gla": ("chunk_gla", "fused_recurrent_gla"),
    "fla.ops.kda": ("chunk_kda", "fused_recurrent_kda"),
    "fla.ops.lightning_attn": ("chunk_lightning_attn",
                               "fused_recurrent_lightning_attn"),
    "fla.ops.linear_attn": ("chunk_linear_attn", "fused_chunk_linear_attn",
                            "fused_recurrent_linear_attn"),
    "fla.ops.retention": ("chunk_retention", "fused_chunk_retention",
                          "fused_recurrent_retention", "parallel_retention"),
    "fla.ops.rwkv6": ("chunk_rwkv6", "fused_recurrent_rwkv6"),
    "fla.ops.rwkv7": ("chunk_rwkv7", "fused_mul_recurrent_rwkv7",
                      "fused_recurrent_rwkv7"),
    "fla.ops.simple_gla": ("chunk_simple_gla", "fused_chunk_simple_gla",
                           "fused_recurrent_simple_gla",
                           "parallel_simple_gla"),
}

_lock = threading.RLock()
_active = None
_warned = set()


def _warn_once(name, reason):
    key = (name, str(reason))
    if key not in _warned:
        _warned.add(key)
        warnings.warn(f"{name} stays flash-linear-attention's: {reason}",
                      RuntimeWarning, stacklevel=3)


def _redirect(name, theirs, ours, count):
    """A function that calls ours, or theirs where ours has not what is asked.
    count(name, reason) is told which: reason is None of calls that were ours."""
    from . import Error
    from .linear import Unsupported

    @functools.wraps(theirs)
    def redirected(*arguments, **keywords):
        try:
            result = ours(*arguments, **keywords)
        except (Unsupported, Error) as reason:
            count(name, str(reason))
            _warn_once(name, reason)
        else:
            count(name, None)
            return result
        return theirs(*arguments, **keywords)

    redirected.__wrapped__ = theirs
    return redirected


def _functions():
    """(name, FLA's function, ours) of all that the installed FLA has."""
    from . import linear
    found = []
    for module, names in _MODULES.items():
        try:
            loaded = importlib.import_module(module)
        except ModuleNotFoundError as error:
            # An older FLA has fewer of them; what lacks is another's business.
            if not (error.name or "").startswith("fla"):
                raise
            continue
        found += [(name, getattr(loaded, name), getattr(linear, name))
                  for name in names if callable(getattr(loaded, name, None))]
    return found


def _names_of(functions):
    """(module, attribute, index) of every name that stands for one of them."""
    numbers = {id(theirs): index
               for index, (_, theirs, _) in enumerate(functions)}
    for module in list(sys.modules.values()):
        if not isinstance(module, types.ModuleType):
            continue
        for name, value in list(vars(module).items()):
            index = numbers.get(id(value))
            if index is not None:
                yield module, name, index


class Redirection:
    """What was redirected; in a `with` it is given back at the end.

    redirected: names such as "fla.ops.gla.chunk_gla", sorted.
    taken: by a function's name, the number of its calls that were ours.
    left: by a function's name and then the reason, the number of its calls that
    stayed FLA's. A call that raises anything but what is not here is in neither."""

    def __init__(self, functions, door):
        self._names = []
        self._door = door
        self.taken = collections.Counter()
        self.left = collections.defaultdict(collections.Counter)
        ours = [_redirect(*function, self._count) for function in functions]
        for module, name, index in _names_of(functions):
            self._names.append((module, name, functions[index][1], ours[index]))
            setattr(module, name, ours[index])
        self.redirected = sorted(f"{module.__name__}.{name}"
                                 for module, name, _, _ in self._names)

    def __repr__(self):
        return f"<Redirection of {', '.join(self.redirected)}>"

    def _count(self, name, reason):
        with _lock:
            if reason is None:
                self.taken[name] += 1
            else:
                self.left[name][reason] += 1

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._give_back()

    def _give_back(self):
        global _active
        with _lock:
            for module, name, theirs, ours in self._names:
                # Whoever has set it since keeps what it set.
                if getattr(module, name, None) is ours:
                    setattr(module, name, theirs)
            self._names = []
            if self._door is not None:
                self._door.__exit__(None, None, None)
                self._door = None
            if _active is self:
                _active = None


def enable(*, rest=True):
    """Redirects FLA's functions to ours, wherever a loaded module has a name for
    them. A call that asks for what is not here (gradients among it) is FLA's, and
    the first such call warns.

    rest: whether kernels of FLA's that stay are compiled by tilewright.triton.

    Gives what was redirected, for a `with` too; a second call redirects what was
    loaded since.
    """
    global _active
    with _lock:
        disable()
        functions = _functions()
        if not functions:
            raise ImportError("expects flash-linear-attention to be installed, "
                              "but got none of its operators")
        door = None
        if rest:
            from . import triton
            door = triton.enable(fallback=True)
        _active = Redirection(functions, door)
        return _active


def disable():
    """Gives FLA's functions back their names."""
    with _lock:
        if _active is not None:
            _active._give_back()
