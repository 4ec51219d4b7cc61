# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tile-level kernels for NVIDIA GPUs and launches them.

    program = tilewright.compile(text, targets=["sm_80"])
    kernel = program["add"]
    kernel[grid](x, y, out, n, stream=stream)

Tensors are those of any framework that speaks DLPack (PyTorch, CuPy, JAX), and
are not copied; their elements are of the type that the kernel's parameter points
to (`tilewright.reinterpret(x)` passes any others' bits). A launch is one call of the driver on the stream that it names;
where the tensors' framework says on which stream it works (DLPack's C exchange
interface: PyTorch since 2.10), `stream` may be left out. Numbers are passed as
the kernel's parameter has them: signed integers that fit, or unsigned ones of
NumPy's types.

Without a framework, `tilewright.array(x)` copies a NumPy array to the GPU and
`tilewright.to_numpy(a)` copies it back. Without a GPU the environment variable
TILEWRIGHT_CUDA_DRIVER may name the emulator's library.
"""

import inspect

from . import _native
from ._native import (Array, Error, Kernel, describe_device, reinterpret,
                      version)

__all__ = ["Array", "Error", "Kernel", "Program", "array", "compile", "default_target",
           "describe_device", "emit", "empty", "load", "reinterpret", "targets", "to_numpy",
           "version"]

_SEVERITIES = ("note", "remark", "warning", "error")
# DLPack's codes of NumPy's kinds of types: int, uint, float, complex, bool.
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_compilers = {}


def targets():
    """The names of all targets, oldest first."""
    return _native._targets()


def default_target(device=0):
    """The target whose code runs best on the device."""
    best = _native._target_for(device)
    if best is None:
        raise Error(f"expects a device of one of {', '.join(targets())}, "
                    f"but got {describe_device(device)}")
    return best


class Program:
    """Compiled kernels: program["name"], or program.kernel() of a single one."""

    def __init__(self, native):
        self._native = native
        self._kernels = {}

    @property
    def kernels(self):
        """The kernels' names."""
        return self._native.kernels

    def __getitem__(self, name):
        kernel = self._kernels.get(name)
        if kernel is None:
            if name not in self.kernels:
                raise KeyError(f"expects one of {self.kernels}, but got '{name}'")
            kernel = self._kernels.setdefault(
                name, _native._kernel(self._native, name))
        return kernel

    def kernel(self):
        """The only kernel."""
        if len(self.kernels) != 1:
            raise KeyError(f"expects the name of a kernel: {self.kernels}")
        return self[self.kernels[0]]

    def serialize(self):
        """The bytes that load() takes."""
        return self._native.serialize()


def load(data):
    """The program in the bytes of an artifact."""
    return Program(_native._load(bytes(data)))


def compile(text, targets=None, *, on_diagnostic=None, cache_folder=None,
            **options):
    """Compiles tile IR to a Program, once for everybody who shares the cache.

    targets: one name such as "sm_80", or several; default: for device 0.
    on_diagnostic: called with (severity, file, line, column, message); what
        comes from the cache brings no messages.
    cache_folder: where compiled kernels are kept; "": in memory alone;
        default: as the environment says.
    """
    if targets is None:
        targets = [default_target()]
    elif isinstance(targets, str):
        targets = [targets]
    compiler = _compilers.get(cache_folder)
    if compiler is None:
        compiler = _compilers.setdefault(
            cache_folder, _native._compiler(cache_folder))
    return Program(_native._compile(
        compiler, text, {"targets": list(targets), **options},
        _forward(on_diagnostic)))


# The forms of a compilation that are bytes; the others are text.
_BINARY_FORMS = ("cubin", "artifact")


def emit(text, forms, target=None, *, on_diagnostic=None, **options):
    """Compiles tile IR to several forms by one compilation, past the cache.

    forms: names such as "tilegpu", "llvm", "ptx", "artifact-json", as
        `tilewright compile --emit` has them.
    target: a name such as "sm_80"; default: for device 0.
    on_diagnostic: called with (severity, file, line, column, message).

    Gives a dictionary: the text (or bytes) of each form by its name. Beside an
    artifact, a cubin is empty where the assembler that was found would lose something
    that the PTX asks for: the artifact has the PTX alone then.
    """
    forms = list(forms)
    outputs = _native._emit(
        text, forms, {"targets": [target or default_target()], **options},
        _forward(on_diagnostic))
    return {form: output if form in _BINARY_FORMS else output.decode()
            for form, output in zip(forms, outputs)}


def _forward(on_diagnostic):
    """The callback as the extension calls it."""
    if on_diagnostic is None:
        return None

    def forward(entry):
        on_diagnostic(_SEVERITIES[entry["severity"]], entry["file"],
                      entry["line"], entry["column"], entry["message"])
    return forward


def _describe_options(function):
    """Completes the documentation and the signature by the compiler's table."""
    rows = [row for row in _native._options() if row["name"] != "targets"]
    function.__doc__ = inspect.cleandoc(function.__doc__) + "".join(
        f"\n{row['name']}: {row['text']}; default: {row['default']!r}."
        for row in rows) + (
            "\n\nRaises Error with the diagnostics where the text does not "
            "compile.")
    signature = inspect.signature(function)
    given = [parameter for parameter in signature.parameters.values()
             if parameter.kind != inspect.Parameter.VAR_KEYWORD]
    function.__signature__ = signature.replace(parameters=given + [
        inspect.Parameter(row["name"], inspect.Parameter.KEYWORD_ONLY,
                          default=row["default"]) for row in rows])


_describe_options(compile)
_describe_options(emit)


def array(values, device=0):
    """A copy of a NumPy array (or what becomes one) on a GPU."""
    import numpy
    dense = numpy.ascontiguousarray(values).reshape(numpy.shape(values))
    kind = dense.dtype.kind
    if kind not in _CODES:
        raise TypeError(f"expects numbers, but got {dense.dtype}")
    return _native._make_array(dense.tobytes(), list(dense.shape),
                               dense.dtype.str, _CODES[kind],
                               8 * dense.dtype.itemsize, device)


def empty(shape, dtype, device=0):
    """An array of zeros on a GPU."""
    import numpy
    return array(numpy.zeros(shape, dtype), device)


def to_numpy(source, stream=None):
    """A NumPy copy of an Array, after the work on `stream`."""
    import numpy
    if not isinstance(source, _native.Array):
        raise TypeError("expects what tilewright.array or tilewright.empty made, "
                        f"but got an object of type '{type(source).__name__}'")
    return numpy.frombuffer(source._read(stream), dtype=source.type).reshape(
        source.shape).copy()
