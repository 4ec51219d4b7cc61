# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the corpus' kernels are compiled and launched.

In: a kernel, a target, and launches whose buffers are .npy files. Out: what
was compiled, and for each launch the error, if any; outputs lie in their
files. Nothing is judged here.
"""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from cases import Buffer, Case
from manifest import CORPUS, Kernel


class ToolError(Exception):
    """A tool that failed, with what it said."""


def require_driver(path: str) -> None:
    """Ends the program with status 2 unless the driver is at `path`."""
    if shutil.which(path) is None:
        print(f"error: expects the driver at '{path}', but found none; build "
              f"it, or give --tilewright=PATH", file=sys.stderr)
        sys.exit(2)


def run_tool(command: list[str], seconds: float) -> str:
    """Runs a command; returns its stdout, or raises with its stderr."""
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise ToolError(f"expects an end within {seconds:g} s, but got none")
    except OSError as error:
        raise ToolError(f"cannot run {command[0]}: {error.strerror}")
    if done.returncode:
        said = ("\n".join(filter(None, (done.stderr.strip(),
                                        done.stdout.strip())))
                or "it printed nothing")
        raise ToolError(f"exit status {done.returncode}: {said}")
    return done.stdout


@dataclass(frozen=True)
class Launch:
    """One launch with its files.

    arguments: {"input": path[, "output": path]} or {"type": t, "value": v}
    """

    grid: tuple[int, int, int]
    arguments: list[dict[str, Any]]


def write_launch(case: Case, inputs: Path, outputs: Path) -> Launch:
    """Writes a case's buffers; says where its outputs will be."""
    inputs.mkdir(parents=True, exist_ok=True)
    outputs.mkdir(parents=True, exist_ok=True)
    arguments: list[dict[str, Any]] = []
    for name, argument in case.arguments.items():
        if not isinstance(argument, Buffer):
            arguments.append({"type": argument.type, "value": argument.value})
            continue
        path = inputs / f"{name}.npy"
        np.save(path, argument.initial)
        files = {"input": str(path)}
        if argument.expected is not None:
            files["output"] = str(outputs / f"{name}.npy")
        arguments.append(files)
    return Launch(case.grid, arguments)


# --- compiling --------------------------------------------------------------

@dataclass(frozen=True)
class Metadata:
    """What a launch must know of a compiled kernel."""

    name: str
    threads: int
    shared_bytes: int


@dataclass(frozen=True)
class Figures:
    """What was made of a kernel for a target; None where the assembler, which
    knows, has not run or gives no code for the target."""

    ptx_lines: int
    shared_bytes: int
    registers: int | None
    spill_bytes: int | None
    cubin_bytes: int | None


@dataclass(frozen=True)
class Compiler:
    """The driver, `tilewright compile`."""

    tilewright: str
    seconds: float
    options: tuple[str, ...] = ()

    def without_maps(self) -> "Compiler":
        """Of code that is launched by its own parameters alone."""
        return replace(self, options=(*self.options, "--tensor-maps=false"))

    def emit(self, kernel: Kernel, target: str, form: str,
             output: Path) -> None:
        run_tool([self.tilewright, "compile", str(kernel.file),
                  f"--target={target}", f"--num-warps={kernel.num_warps}",
                  f"--emit={form}", "-o", str(output), *self.options],
                 self.seconds)

    def metadata(self, kernel: Kernel, target: str, folder: Path) -> Metadata:
        """The one place that knows where a launch's figures come from."""
        entry = self._describe(kernel, target, folder)
        return Metadata(entry["name"], 32 * entry["num_warps"],
                        entry["shared_bytes"])

    def figures(self, kernel: Kernel, target: str, folder: Path,
                ptx: str) -> Figures:
        """What the artifact says of its code; `ptx` is the listing."""
        entry = self._describe(kernel, target, folder)
        code = entry["variants"]

        def known(field: str) -> int | None:
            return next((image[field] for image in code if field in image),
                        None)

        cubins = [image["image_bytes"] for image in code
                  if image["image"] == "cubin"]
        return Figures(len(ptx.splitlines()), entry["shared_bytes"],
                       known("registers"), known("spill_bytes"),
                       cubins[0] if cubins else None)

    def _describe(self, kernel: Kernel, target: str,
                  folder: Path) -> dict[str, Any]:
        path = folder / "artifact.json"
        self.emit(kernel, target, "artifact-json", path)
        return json.loads(path.read_text())["kernels"][0]


# What is worth knowing of the generated code, as PTX spells it.
_FAMILIES = re.compile(
    r"^\s*(?:@!?%\w+\s+)?(?P<name>"
    r"mma\.sync\.aligned\.m\d+n\d+k\d+|wgmma\.mma_async\.sync\.aligned\.m\w+"
    r"|dp4a|ldmatrix|stmatrix|cp\.async(?:\.bulk)?(?!\.(?:commit|wait))"
    r"|fma\.rn\.f32|shfl\.sync|bar(?:rier)?\.(?:cta\.)?sync|ex2\.approx"
    r"|(?:ld|st)\.(?:global|shared)(?=[.\w:]*\.v[248]))", re.MULTILINE)


def instructions(ptx: str) -> str:
    """Counts of the instruction families in a PTX text, largest first."""
    counts = Counter(match["name"].replace(".sync.aligned", "")
                     for match in _FAMILIES.finditer(ptx))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} x{count}" for name, count in ordered)


# --- launching --------------------------------------------------------------

class Backend(Protocol):
    """prepare() compiles and raises ToolError; launch() returns, for each
    launch, its error or None."""

    def prepare(self, kernel: Kernel, target: str, folder: Path) -> Any: ...

    def launch(self, prepared: Any, launches: list[Launch],
               folder: Path) -> list[str | None]: ...


@dataclass(frozen=True)
class AssembleOnly:
    """Compiles down to the image (cubin: the assembler too); launches
    nothing."""

    compiler: Compiler
    image: str

    def prepare(self, kernel: Kernel, target: str, folder: Path) -> None:
        self.compiler.emit(kernel, target, self.image,
                           folder / f"kernel.{self.image}")

    def launch(self, prepared: None, launches: list[Launch],
               folder: Path) -> list[str | None]:
        return []


@dataclass(frozen=True)
class TilewrightRun:
    """`tilewright run`, one process for each launch. seed: the order of the
    emulator's warps, lanes and copies. wrapper: a command that runs the one
    after it, such as a sanitizer; a launch fails where its exit status is not
    0."""

    compiler: Compiler
    device: str
    seconds: float
    seed: int = 0
    wrapper: tuple[str, ...] = ()

    def prepare(self, kernel: Kernel, target: str,
                folder: Path) -> tuple[Path, str]:
        artifact = folder / "kernel.artifact"
        self.compiler.emit(kernel, target, "artifact", artifact)
        return artifact, kernel.function

    def launch(self, prepared: tuple[Path, str], launches: list[Launch],
               folder: Path) -> list[str | None]:
        return [self._launch(*prepared, launch) for launch in launches]

    def _launch(self, artifact: Path, name: str,
                launch: Launch) -> str | None:
        command = [*self.wrapper,
                   self.compiler.tilewright, "run", str(artifact),
                   f"--kernel={name}",
                   f"--grid={','.join(map(str, launch.grid))}",
                   f"--device={self.device}", f"--seed={self.seed}"]
        for argument in launch.arguments:
            command += ["--arg", argument_text(argument)]
        try:
            run_tool(command, self.seconds)
        except ToolError as error:
            return str(error)
        return None


def argument_text(argument: dict[str, Any]) -> str:
    """An argument as `tilewright run --arg` takes it."""
    if "type" in argument:
        return f"{argument['type']}:{argument['value']!r}"
    if "output" in argument:
        return f"{argument['output']}={argument['input']}"
    return argument["input"]


@dataclass(frozen=True)
class PythonCuda:
    """cuda_launch.py: the driver's PTX or cubin on the first GPU, with none
    of Tilewright's runtime in between. All launches share one process."""

    compiler: Compiler
    image: str
    seconds: float

    def prepare(self, kernel: Kernel, target: str,
                folder: Path) -> dict[str, Any]:
        image = folder / f"kernel.{self.image}"
        compiler = self.compiler.without_maps()
        compiler.emit(kernel, target, self.image, image)
        metadata = compiler.metadata(kernel, target, folder)
        return {"image": str(image), "kernel": metadata.name,
                "threads": metadata.threads,
                "sharedBytes": metadata.shared_bytes}

    def launch(self, prepared: dict[str, Any], launches: list[Launch],
               folder: Path) -> list[str | None]:
        errors: list[str | None] = []
        while len(errors) < len(launches):
            errors += self._launch_from(len(errors), prepared, launches,
                                        folder)
        return errors

    def _launch_from(self, first: int, prepared: dict[str, Any],
                     launches: list[Launch],
                     folder: Path) -> list[str | None]:
        """The errors of at least the first launch."""
        path = folder / "job.json"
        path.write_text(json.dumps({
            **prepared, "first": first,
            "launches": [{"grid": launch.grid, "arguments": launch.arguments}
                         for launch in launches]}))
        command = [sys.executable, str(CORPUS / "cuda_launch.py"), str(path)]
        said, failure = self._run_worker(command)
        errors = [json.loads(line)["error"] for line in said.splitlines()]
        if failure and len(errors) < len(launches) - first:
            errors.append(failure)
        return errors

    def _run_worker(self, command: list[str]) -> tuple[str, str]:
        """What the worker printed, and why it ended early, if it did."""
        try:
            done = subprocess.run(command, capture_output=True, text=True,
                                  timeout=self.seconds, check=False)
        except subprocess.TimeoutExpired as error:
            said = error.stdout or b""
            return (said.decode() if isinstance(said, bytes) else said,
                    f"expects an end within {self.seconds:g} s, but got none")
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            return done.stdout, f"exit status {done.returncode}: {last}"
        return done.stdout, ("" if done.stdout
                             else "expects a result, but got none")
