#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches one compiled kernel many times through the CUDA driver alone.

In: a job file (JSON) with the image (PTX or cubin), the kernel's name, its
threads and dynamic shared memory, and a list of launches whose buffers are
.npy files. Out: the outputs' .npy files, and one line of JSON on stdout for
each launch that was tried: {"launch": index, "error": null or text}. It stops
at the first error, since a fault leaves the context unusable; whoever called
it starts it anew for the rest. It compiles nothing and judges nothing.

A kernel takes exactly the arguments of its tile IR, in order: pointers and
i64 as 8 bytes, i32 and f32 as 4.
"""

import ctypes
import json
import sys
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

import numpy as np

JIT_ERROR_LOG_BUFFER = 5
JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8
LOG_BYTES = 16384

SCALAR_TYPES = {"i32": ctypes.c_int32, "i64": ctypes.c_int64,
                "f32": ctypes.c_float}


class CudaError(Exception):
    """A call of the driver that did not succeed."""


class Driver:
    """The few entry points that a launch needs."""

    def __init__(self) -> None:
        try:
            self._library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise CudaError(f"expects the CUDA driver, but got {error}")
        self.call("cuInit", c_uint(0))
        device = c_int()
        self.call("cuDeviceGet", byref(device), c_int(0))
        self._context = c_void_p()
        self.call("cuDevicePrimaryCtxRetain", byref(self._context), device)
        self.call("cuCtxSetCurrent", self._context)

    def call(self, name: str, *arguments: Any, note: str = "") -> None:
        status = getattr(self._library, name)(*arguments)
        if status:
            text = c_char_p()
            self._library.cuGetErrorName(c_int(status), byref(text))
            reason = (text.value or b"unknown error").decode()
            raise CudaError(f"{name}: {reason}{note}")

    def load(self, image: bytes, name: str, shared_bytes: int) -> c_void_p:
        """The kernel of that name, ready for so much shared memory."""
        log = ctypes.create_string_buffer(LOG_BYTES)
        keys = (c_int * 2)(JIT_ERROR_LOG_BUFFER,
                           JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        values = (c_void_p * 2)(ctypes.addressof(log), LOG_BYTES)
        module, function = c_void_p(), c_void_p()
        try:
            self.call("cuModuleLoadDataEx", byref(module), image + b"\0",
                      c_uint(2), keys, values)
        except CudaError as error:
            raise CudaError(f"{error} {log.value.decode().strip()}")
        self.call("cuModuleGetFunction", byref(function), module,
                  name.encode(), note=f" for '{name}'")
        if shared_bytes:
            self.call("cuFuncSetAttribute", function,
                      c_int(FUNCTION_MAX_DYNAMIC_SHARED_BYTES),
                      c_int(shared_bytes),
                      note=f" for {shared_bytes} bytes of shared memory")
        return function

    def upload(self, array: np.ndarray) -> c_uint64:
        """Device memory with the array's content."""
        pointer = c_uint64()
        self.call("cuMemAlloc_v2", byref(pointer),
                  c_size_t(max(1, array.nbytes)))
        self.call("cuMemcpyHtoD_v2", pointer,
                  array.ctypes.data_as(c_void_p), c_size_t(array.nbytes))
        return pointer

    def download(self, array: np.ndarray, pointer: c_uint64) -> None:
        self.call("cuMemcpyDtoH_v2", array.ctypes.data_as(c_void_p), pointer,
                  c_size_t(array.nbytes))

    def free(self, pointer: c_uint64) -> None:
        self.call("cuMemFree_v2", pointer)

    def launch(self, function: c_void_p, grid: list[int], threads: int,
               shared_bytes: int, values: list[Any]) -> None:
        """Launches on the default stream and waits for the end."""
        slots = (c_void_p * len(values))(
            *[ctypes.addressof(value) for value in values])
        self.call("cuLaunchKernel", function, *map(c_uint, grid),
                  c_uint(threads), c_uint(1), c_uint(1), c_uint(shared_bytes),
                  c_void_p(), slots, c_void_p())
        self.call("cuCtxSynchronize")


def run_launch(driver: Driver, function: c_void_p, job: dict[str, Any],
               launch: dict[str, Any]) -> None:
    """Buffers to the device, the launch, outputs back to their files."""
    values: list[Any] = []
    outputs: list[tuple[str, np.ndarray, c_uint64]] = []
    buffers: list[c_uint64] = []
    for argument in launch["arguments"]:
        if "type" in argument:
            values.append(SCALAR_TYPES[argument["type"]](argument["value"]))
            continue
        array = np.load(argument["input"])
        pointer = driver.upload(array)
        buffers.append(pointer)
        values.append(pointer)
        if "output" in argument:
            outputs.append((argument["output"], array, pointer))
    driver.launch(function, launch["grid"], job["threads"],
                  job["sharedBytes"], values)
    for path, array, pointer in outputs:
        driver.download(array, pointer)
        np.save(path, array)
    for pointer in buffers:
        driver.free(pointer)


def run_job(job: dict[str, Any]) -> None:
    """Tries each launch from job["first"] on, until one fails."""
    index = job["first"]
    try:
        driver = Driver()
        with open(job["image"], "rb") as file:
            image = file.read()
        function = driver.load(image, job["kernel"], job["sharedBytes"])
        for index in range(job["first"], len(job["launches"])):
            run_launch(driver, function, job, job["launches"][index])
            print(json.dumps({"launch": index, "error": None}), flush=True)
    except CudaError as error:
        print(json.dumps({"launch": index, "error": str(error)}), flush=True)


def main() -> int:
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} JOB.json", file=sys.stderr)
        return 2
    with open(sys.argv[1]) as file:
        run_job(json.load(file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
