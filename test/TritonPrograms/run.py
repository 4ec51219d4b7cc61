#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of Triton's door without a GPU: makes an environment with Triton
and with the wheel in it, and there the tests of this folder (unittest), on the
emulator's CUDA driver. Where Triton cannot be had, they say so and are skipped.

    run.py --build build/dev --wheel build/wheel/tilewright-*.whl"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DRIVER = "lib/Judges/Emulator/Driver/libtilewright-emu-cuda.so"


def make_environment(folder, wheel):
    """The Python of the environment."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if subprocess.run([*pip, "-r", HERE / "requirements.txt"]).returncode:
        print("warning: Triton cannot be installed; its tests are skipped", flush=True)
    subprocess.run([*pip, "--no-index", "--no-deps", "--force-reinstall", wheel], check=True)
    return python


def link_driver(build, folder):
    """A folder with the emulator's library under the name of CUDA's."""
    folder.mkdir(parents=True, exist_ok=True)
    library = (build / DRIVER).resolve()
    for name in ("libcuda.so.1", library.name):
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(library)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default="build/dev")
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, default="build/triton")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    python = make_environment(folder / "venv", arguments.wheel.resolve())
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    libraries = str(link_driver(arguments.build, folder / "driver"))
    environment = {
        **os.environ, "TILEWRIGHT_WHEEL": str(arguments.wheel.resolve()),
        "TRITON_LIBCUDA_PATH": libraries, "LD_LIBRARY_PATH": libraries,
        "TRITON_CACHE_DIR": str(cache)}
    environment.setdefault("CC", shutil.which("cc") or "/usr/lib/llvm-22/bin/clang")
    sys.exit(subprocess.run([python, "-m", "unittest", "discover", "-v", "-s", HERE],
                            env=environment).returncode)


if __name__ == "__main__":
    main()
