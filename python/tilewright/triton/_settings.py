# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is switched on: one value for the process, and what of it belongs into
the keys of caches. It imports neither Triton nor the compiler."""

import fnmatch
import os
from dataclasses import dataclass, replace

IMAGES = ("auto", "cubin", "ptx")
# As the user set them; later they say what is in force, for processes to come.
_given = {name: os.environ.get(name) for name in (
    "TILEWRIGHT_TRITON", "TILEWRIGHT_TRITON_FALLBACK", "TILEWRIGHT_TRITON_EXCLUDE",
    "TILEWRIGHT_TRITON_IMAGE", "TILEWRIGHT_TRITON_TENSOR_MAPS")}
# What exclude() was called with.
_excluded = set()
_current = None


@dataclass(frozen=True)
class Settings:
    """How kernels are compiled by Tilewright."""

    fallback: bool = False
    exclude: tuple = ()
    image: str = "auto"
    tensor_maps: bool = True

    @staticmethod
    def from_environment(**given):
        """As TILEWRIGHT_TRITON_* say, but for what is given and not None."""
        settings = Settings(
            fallback=(_given["TILEWRIGHT_TRITON_FALLBACK"] or "0") != "0",
            exclude=_names(_given["TILEWRIGHT_TRITON_EXCLUDE"] or ""),
            image=_given["TILEWRIGHT_TRITON_IMAGE"] or "auto",
            tensor_maps=(_given["TILEWRIGHT_TRITON_TENSOR_MAPS"] or "1") != "0")
        given = {name: value for name, value in given.items() if value is not None}
        if "exclude" in given:
            given["exclude"] = _names(given["exclude"])
        settings = replace(settings, **given)
        if settings.image not in IMAGES:
            raise ValueError("expects the image (TILEWRIGHT_TRITON_IMAGE) to be one of "
                             f"{', '.join(IMAGES)}, but got '{settings.image}'")
        return settings

    def excludes(self, name):
        """Whether Triton is to compile the kernel of this name."""
        return name in _excluded or any(
            fnmatch.fnmatchcase(name, pattern) for pattern in self.exclude)

    def key(self):
        """What tells programs compiled under these settings from others."""
        return (f"fallback={int(self.fallback)},image={self.image},"
                f"tensor_maps={int(self.tensor_maps)},"
                f"exclude={'|'.join(sorted({*self.exclude, *_excluded}))}")


def _names(given):
    if isinstance(given, str):
        given = given.split(",")
    return tuple(sorted(name.strip() for name in given if name.strip()))


def current():
    """The settings in force; None where Triton compiles."""
    return _current


def use(settings):
    """Puts settings in force, here and in the processes that are started from
    here; gives those before."""
    global _current
    before, _current = _current, settings
    os.environ["TILEWRIGHT_TRITON"] = "0" if settings is None else "1"
    if settings is not None:
        os.environ["TILEWRIGHT_TRITON_FALLBACK"] = str(int(settings.fallback))
        os.environ["TILEWRIGHT_TRITON_EXCLUDE"] = ",".join(settings.exclude)
        os.environ["TILEWRIGHT_TRITON_IMAGE"] = settings.image
        os.environ["TILEWRIGHT_TRITON_TENSOR_MAPS"] = str(int(settings.tensor_maps))
    if before != settings:
        from ._kernels import switch
        switch(before, settings)
    return before


def use_environment():
    """Puts what the environment says in force."""
    use(Settings.from_environment())


def exclude_name(name):
    _excluded.add(name)
