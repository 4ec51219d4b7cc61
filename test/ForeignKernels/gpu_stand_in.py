# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets Triton and packages of kernels believe in a GPU that is not there.

Packages ask at import which GPU they are on and choose kernels by it. They
are told of one A100, so that what they choose is the same on any machine.
Nothing can be launched on it.
"""

from typing import Any

CAPABILITY = (8, 0)
NAME = "NVIDIA A100-SXM4-40GB"
PROPERTIES = {"max_shared_mem": 166912, "multiprocessor_count": 108,
              "warpSize": 32}


class _Utils:
    """What Triton's driver tells of a device."""

    @staticmethod
    def get_device_properties(_device: int) -> dict[str, int]:
        return PROPERTIES


class Driver:
    """The part of triton.backends.DriverBase that needs no GPU."""

    utils = _Utils()

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget
        return GPUTarget("cuda", 10 * CAPABILITY[0] + CAPABILITY[1], 32)

    def get_active_torch_device(self) -> Any:
        import torch
        return torch.device("cpu")

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _device: int) -> int:
        return 0

    def get_device_capability(self) -> tuple[int, int]:
        return CAPABILITY


def install() -> None:
    """Makes Triton's driver the stand-in, and torch.cuda tell the same. To be
    called before a package of kernels is imported."""
    import torch
    import triton
    triton.runtime.driver.set_active(Driver())
    torch.cuda.get_device_capability = lambda *_: CAPABILITY
    torch.cuda.get_device_name = lambda *_: NAME
    torch.cuda.device_count = lambda: 1
