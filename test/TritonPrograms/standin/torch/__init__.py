# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton and the programs of this test use of PyTorch, which is too large to
install for a test: tensors in the memory of the CUDA driver that TRITON_LIBCUDA_PATH
has, and the current device and stream. Not for anything else."""

import numpy as np

from . import cuda, version  # noqa: F401
from ._driver import Memory

__version__ = "0.0.standin"
_NAMES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8")


class dtype:
    def __init__(self, name):
        self.name = name
        self.itemsize = np.dtype(name).itemsize
        self.is_floating_point = np.issubdtype(np.dtype(name), np.floating)

    def __repr__(self):
        return f"torch.{self.name}"


_types = {name: dtype(name) for name in _NAMES}
globals().update(_types)


class device:
    def __init__(self, kind, index=0):
        self.type, self.index = kind, index


class Tensor:
    """On the host (an array) or on the device (memory); contiguous."""

    def __init__(self, shape, type, array=None):
        self.shape, self.dtype = tuple(shape), type
        self._array = array
        self._memory = None if array is not None else Memory(self.numel() * type.itemsize)
        self.device = device("cpu" if array is not None else "cuda")

    @property
    def is_cuda(self):
        return self._memory is not None

    def data_ptr(self):
        return self._memory.address if self._memory else self._array.ctypes.data

    def numel(self):
        return int(np.prod(self.shape))

    def element_size(self):
        return self.dtype.itemsize

    def stride(self, dim=None):
        strides = tuple(int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape)))
        return strides if dim is None else strides[dim]

    def is_contiguous(self):
        return True

    def cuda(self):
        moved = Tensor(self.shape, self.dtype)
        moved._memory.write(np.ascontiguousarray(self._array).tobytes())
        return moved

    def cpu(self):
        if self._memory is None:
            return self
        bytes_there = self._memory.read()
        return from_numpy(np.frombuffer(bytes_there, dtype=self.dtype.name).reshape(self.shape))

    def numpy(self):
        return self._array

    def zero_(self):
        self._memory.write(bytes(self._memory.size))
        return self


def from_numpy(array):
    return Tensor(array.shape, _types[array.dtype.name], array)


def empty(*shape, dtype=None, device="cuda"):
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = tuple(shape[0])
    return Tensor(shape, dtype or _types["float32"])


def empty_like(other):
    return Tensor(other.shape, other.dtype)
