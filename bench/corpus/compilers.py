# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same tile IR through both compilers: text, PTX, and what launching it
takes. Processes of their own run this, before any of them has opened a GPU."""

import importlib
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from problems import ROOT, JitText, Problem

sys.path.append(str(ROOT / "test/Corpus/kernels"))


@dataclass
class Code:
    """What one compiler made with a number of stages."""
    compiler: str
    stages: int
    ptx: str = ""
    kernel: str = ""
    shared_bytes: int = 0
    error: str = ""
    # Ours, where a launch makes tensor maps: what the runtime loads.
    artifact: bytes = b""
    # Ours: what --emit=estimate-json says of the kernel.
    estimate: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.compiler} {self.stages}"


@dataclass
class Tools:
    """How to compile: shared by all problems."""
    tilewright: str
    target: str
    stages: tuple[int, ...]
    device: str
    work: Path
    with_triton: bool = True

    @property
    def capability(self) -> int:
        return int(self.target[3:].rstrip("a"))


def make_text(problem: Problem, tools: Tools) -> Path:
    """The file with the problem's tile IR."""
    if isinstance(problem.text, Path):
        return problem.text
    name = re.sub(r"[^A-Za-z0-9]+", "_", problem.name)
    path = tools.work / f"{name}.ttir"
    if path.exists():
        return path
    import triton
    from triton.backends.compiler import GPUTarget
    text: JitText = problem.text
    function = getattr(importlib.import_module(text.module), text.function)
    types = {**text.signature, **{name: "constexpr" for name in text.constants}}
    types = {name: types[name] for name in function.arg_names}
    attributes = {
        (index,): [["tt.divisibility", 16]] for index, name in enumerate(types)
        if types[name].startswith("*") or name in text.divisible}
    source = triton.compiler.ASTSource(
        fn=function, signature=types, constexprs=text.constants,
        attrs=attributes)
    made = triton.compile(
        source, target=GPUTarget("cuda", tools.capability, 32),
        options={"num_warps": problem.warps, "num_stages": 1})
    path.write_text(made.asm["ttir"])
    return path


def compile_triton(problem: Problem, text: Path, tools: Tools,
                   stages: int) -> Code:
    import triton
    from triton.backends.compiler import GPUTarget
    made = triton.compile(
        str(text), target=GPUTarget("cuda", tools.capability, 32),
        options={"num_warps": problem.warps, "num_stages": stages})
    return Code("triton", stages, made.asm["ptx"], made.metadata.name,
                made.metadata.shared)


def run_tilewright(problem: Problem, text: Path, tools: Tools, stages: int,
                   form: str) -> bytes:
    done = subprocess.run(
        [tools.tilewright, "compile", str(text), f"--target={tools.target}",
         f"--num-warps={problem.warps}", f"--num-stages={stages}",
         f"--launch={problem.launch_option()}", f"--gpu={tools.device}",
         "--machine-code=false", f"--emit={form}", "-o", "-"],
        capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip())
    return done.stdout


def compile_ours(problem: Problem, text: Path, tools: Tools,
                 stages: int) -> Code:
    [facts] = json.loads(run_tilewright(problem, text, tools, stages,
                                        "artifact-json"))["kernels"]
    [estimate] = json.loads(run_tilewright(problem, text, tools, stages,
                                           "estimate-json"))["kernels"]
    code = Code("ours", stages,
                run_tilewright(problem, text, tools, stages, "ptx").decode(),
                facts["name"], facts["shared_bytes"], estimate=estimate)
    if any("tensor_maps" in variant for variant in facts["variants"]):
        code.artifact = run_tilewright(problem, text, tools, stages, "artifact")
    return code


def has_loop(text: Path) -> bool:
    """Whether stages can make a difference."""
    content = text.read_text()
    return "scf.for" in content or "scf.while" in content


def compile_all(job: tuple[Problem, Tools]) -> list[Code]:
    """By both, with each number of stages."""
    problem, tools = job
    made = []
    compilers = [("ours", compile_ours)]
    if tools.with_triton:
        compilers.append(("triton", compile_triton))
    try:
        text = make_text(problem, tools)
        stages = tools.stages if has_loop(text) else tools.stages[:1]
    except Exception as error:  # noqa: BLE001 (said in the row)
        return [Code(name, 0, error=str(error)[-300:]) for name, _ in compilers]
    for name, compiler in compilers:
        for count in stages:
            try:
                made.append(compiler(problem, text, tools, count))
            except Exception as error:  # noqa: BLE001 (said in the row)
                made.append(Code(name, count, error=str(error)[-300:]))
    return made


def new_work_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="tilewright-corpus-"))
