# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one device, and its default stream."""

from ._driver import attribute, check, library


class Stream:
    cuda_stream = 0


class Event:
    """Times nothing: the emulator's seconds mean nothing."""

    def __init__(self, enable_timing=False):
        pass

    def record(self):
        pass

    def elapsed_time(self, other):
        return 1.0


def is_available():
    return True


def current_device():
    return 0


def set_device(number):
    pass


def get_device_capability(number=0):
    return attribute(75), attribute(76)


def current_stream(number=0):
    return Stream()


def synchronize(number=0):
    check(library().cuCtxSynchronize())
