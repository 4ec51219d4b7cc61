# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA driver's calls, by ctypes."""

import ctypes
import functools


@functools.lru_cache()
def library():
    """The driver, with the primary context of device 0 current."""
    loaded = ctypes.CDLL("libcuda.so.1")
    check(loaded.cuInit(0))
    context = ctypes.c_void_p()
    check(loaded.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(loaded.cuCtxSetCurrent(context))
    return loaded


def check(status):
    if status:
        raise RuntimeError(f"the CUDA driver fails with status {status}")


def attribute(number):
    value = ctypes.c_int()
    check(library().cuDeviceGetAttribute(ctypes.byref(value), number, 0))
    return value.value


class Memory:
    """Bytes on the device."""

    def __init__(self, size):
        self.size = max(size, 1)
        address = ctypes.c_uint64()
        check(library().cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(self.size)))
        self.address = address.value

    def __del__(self):
        library().cuMemFree_v2(ctypes.c_uint64(self.address))

    def write(self, data):
        check(library().cuMemcpyHtoD_v2(ctypes.c_uint64(self.address), data,
                                        ctypes.c_size_t(len(data))))

    def read(self):
        data = ctypes.create_string_buffer(self.size)
        check(library().cuMemcpyDtoH_v2(data, ctypes.c_uint64(self.address),
                                        ctypes.c_size_t(self.size)))
        return data.raw
