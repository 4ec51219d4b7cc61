# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches and times PTX of both compilers on a GPU, in one process, in turns.

A process of its own runs `serve`: a launch that faults ends the CUDA context, so
that whoever asked starts another one and goes on. All buffers lie in one
allocation, with space between them.
"""

import ctypes
import math
from multiprocessing.connection import Connection
from typing import Any

import torch

from compilers import Code
from expected import CHECKS
from problems import Buffer, Problem

DTYPES = {"fp64": torch.float64, "fp32": torch.float32, "fp16": torch.float16,
          "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
          "u32": torch.int32, "i16": torch.int16, "i8": torch.int8,
          "u8": torch.uint8, "i1": torch.int8,
          "fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2}
SCALARS = {"fp32": ctypes.c_float, "fp64": ctypes.c_double,
           "i64": ctypes.c_int64, "i32": ctypes.c_int32,
           "u32": ctypes.c_uint32, "i16": ctypes.c_int16,
           "i8": ctypes.c_int8, "i1": ctypes.c_int8}
ARENA_BYTES, GAP_BYTES = 12 << 30, 1 << 20
# A replay takes about so long; each candidate is replayed so often.
REPLAY_US, ROUNDS = 600.0, 9

cuda = ctypes.CDLL("libcuda.so.1")


def check(status: int) -> None:
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"CUDA driver: {(text.value or b'?').decode()}")


class Tensors:
    """The buffers of a problem, in the arena."""

    def __init__(self, problem: Problem, arena: torch.Tensor) -> None:
        self.problem = problem
        self.tensors: dict[str, torch.Tensor] = {}
        place = GAP_BYTES
        for name, buffer in problem.arguments.items():
            if not isinstance(buffer, Buffer):
                continue
            if place + buffer.size + GAP_BYTES > arena.numel():
                raise RuntimeError("expects buffers that fit "
                                   f"{arena.numel() >> 30} GB")
            self.tensors[name] = arena[place:place + buffer.size].view(
                DTYPES[buffer.form])
            place += -(-(buffer.size + GAP_BYTES) // 512) * 512

    def fill(self) -> None:
        """The same bits each time."""
        torch.manual_seed(0)
        for name, tensor in self.tensors.items():
            fill_one(tensor, self.problem.arguments[name])


def fill_one(tensor: torch.Tensor, buffer: Buffer) -> None:
    if tensor.dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        tensor.view(torch.int8).random_(0, 64)
    elif tensor.is_floating_point() and buffer.fill == "random":
        tensor.normal_()
    elif tensor.is_floating_point() and buffer.fill == "small":
        tensor.normal_(0, 0.1)
    elif tensor.is_floating_point() and buffer.fill == "negative":
        tensor.uniform_(-0.1, 0.0)
    elif (not tensor.is_floating_point() and buffer.fill == "random"
          and tensor.dtype in (torch.int32, torch.int8)):
        tensor.random_(-8, 8) if tensor.dtype == torch.int8 else \
            tensor.random_(-2**31, 2**31 - 1)
    else:
        tensor.zero_()
    if buffer.values:
        values = torch.tensor(buffer.values, device=tensor.device)
        tensor[:len(buffer.values)] = values.to(tensor.dtype)


def load_through_runtime(code: Code) -> Any:
    """The kernel where a launch makes tensor maps, which takes Tilewright's
    Python module; None for others, which need the driver alone."""
    if not code.artifact:
        return None
    import tilewright
    kernel = tilewright.load(code.artifact)[code.kernel]
    kernel.prepare()
    return kernel


class Loaded:
    """Code, loaded by the driver for the GPU at hand."""

    def __init__(self, code: Code, problem: Problem, tensors: Tensors) -> None:
        module = ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), code.ptx.encode()))
        self.module = module
        self.function = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module,
                                       code.kernel.encode()))
        # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        check(cuda.cuFuncSetAttribute(self.function, 8, code.shared_bytes))
        self.registers, self.local = self.read(4), self.read(3)
        self.code, self.problem = code, problem
        self.through_runtime = load_through_runtime(code)
        self.pack(tensors)

    def read(self, attribute: int) -> int:
        value = ctypes.c_int()
        check(cuda.cuFuncGetAttribute(ctypes.byref(value), attribute,
                                      self.function))
        return value.value

    def pack(self, tensors: Tensors) -> None:
        values: list[Any] = []
        for name, argument in self.problem.arguments.items():
            if isinstance(argument, Buffer):
                values.append(ctypes.c_void_p(
                    tensors.tensors[name].data_ptr()))
            else:
                values.append(SCALARS[argument.form](argument.value))
        entry = self.code.ptx.split(".entry", 1)[1].split(")", 1)[0]
        # Triton's scratch spaces.
        values += [ctypes.c_void_p(0)] * (entry.count(".param") - len(values))
        self.values = values
        self.tensors = tensors.tensors
        self.pointers = (ctypes.c_void_p * len(values))(
            *[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])

    def launch(self) -> None:
        stream = torch.cuda.current_stream().cuda_stream
        if self.through_runtime:
            self.through_runtime[self.problem.grid](
                *[self.tensors[name] if isinstance(argument, Buffer)
                  else argument.value
                  for name, argument in self.problem.arguments.items()],
                stream=stream)
            return
        check(cuda.cuLaunchKernel(
            self.function, *self.problem.grid, self.problem.warps * 32, 1, 1,
            self.code.shared_bytes, ctypes.c_void_p(stream), self.pointers,
            None))

    def unload(self) -> None:
        cuda.cuModuleUnload(self.module)


class Copy:
    """A kernel that reads one half of so many bytes and writes the other (the
    driver's own copy reaches less), at the end of the arena."""

    def __init__(self, size: int, arena: torch.Tensor) -> None:
        words = arena.view(torch.float32)[-(size // 4):]
        self.source = words[:len(words) // 2]
        self.target = words[len(words) // 2:][:len(self.source)]

    def launch(self) -> None:
        torch.neg(self.source, out=self.target)


def difference(mine: torch.Tensor, theirs: torch.Tensor) -> float:
    """Root of the mean square of the difference, for one of theirs; infinite
    where only one has a number."""
    a, b = mine.double(), theirs.double()
    finite = torch.isfinite(b)
    if not torch.equal(finite, torch.isfinite(a)):
        return math.inf
    a, b = a[finite], b[finite]
    size = b.square().mean().item() if b.numel() else 0.0
    return math.sqrt((a - b).square().mean().item() / size) if size else 0.0


def verify(problem: Problem, tensors: Tensors,
           others: dict[str, torch.Tensor] | None) -> str:
    """What is wrong with the results, or ""; `others`: another compiler's."""
    if problem.check:
        # Buffers for input are as they were.
        wanted = CHECKS[problem.check](tensors.tensors, problem.sizes)
        result = tensors.tensors[problem.output].double()
        worst = (result - wanted.reshape(-1)).abs().max().item()
        return ("" if worst <= problem.tolerance else
                f"off by {worst:.3g}, more than {problem.tolerance:.3g}")
    if others is None:
        return ""
    worst = max((difference(tensors.tensors[name].float(), other.float())
                 for name, other in others.items()), default=0.0)
    return "" if worst <= 0.05 else f"differs from Triton's by {worst:.3g}"


def capture(loaded: Loaded | Copy, launches: int) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(launches):
            loaded.launch()
    return graph


def time_once(run: Any) -> float:
    """Microseconds."""
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    run()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1000


def measure(loaded: dict[str, Loaded | Copy]) -> dict[str, float]:
    """Microseconds of each in replayed graphs, in turns: the median."""
    graphs = {}
    for name, made in loaded.items():
        made.launch()
        first = min(time_once(made.launch) for _ in range(3))
        launches = max(1, min(100, int(REPLAY_US / max(first, 1.0))))
        graphs[name] = (capture(made, launches), launches)
    times: dict[str, list[float]] = {name: [] for name in graphs}
    for _ in range(ROUNDS):
        for name, (graph, launches) in graphs.items():
            times[name].append(time_once(graph.replay) / launches)
    return {name: sorted(values)[len(values) // 2]
            for name, values in times.items()}


def run_problem(problem: Problem, codes: list[Code],
                arena: torch.Tensor) -> dict[str, Any]:
    tensors = Tensors(problem, arena)
    loaded: dict[str, Loaded] = {}
    errors = {code.name: code.error for code in codes if code.error}
    others = None
    # Triton's first, which ours are compared with.
    for code in sorted(codes, key=lambda code: code.compiler != "triton"):
        if code.error:
            continue
        try:
            made = Loaded(code, problem, tensors)
            tensors.fill()
            made.launch()
            torch.cuda.synchronize()
        except RuntimeError as error:
            # A fault leaves no context to go on with.
            if "illegal" in str(error) or "launch failure" in str(error):
                raise RuntimeError(f"{code.name}: {error}") from error
            errors[code.name] = str(error)[-300:]
            continue
        wrong = verify(problem, tensors, others)
        if wrong:
            errors[code.name] = wrong
            if problem.check:
                continue
        if others is None and code.compiler == "triton" and not problem.check:
            others = {name: tensor.clone()
                      for name, tensor in tensors.tensors.items()
                      if tensor.is_floating_point()}
        loaded[code.name] = made
    del others
    tensors.fill()
    beside = ({"copy": Copy(problem.bytes, arena)} if problem.streams else {})
    row = {"us": measure({**loaded, **beside}), "errors": errors,
           "resources": {name: {"registers": made.registers,
                                "spilled": made.local,
                                "shared": made.code.shared_bytes}
                         for name, made in loaded.items()}}
    for made in loaded.values():
        made.unload()
    return row


def serve(connection: Connection) -> None:
    """Answers (problem, codes) with rows, until None."""
    arena = torch.empty(ARENA_BYTES, dtype=torch.uint8, device="cuda")
    connection.send(torch.cuda.get_device_name())
    while (job := connection.recv()) is not None:
        try:
            connection.send(run_problem(*job, arena))
        except Exception as error:  # noqa: BLE001 (said in the row)
            connection.send({"us": {}, "resources": {},
                             "errors": {"all": str(error)[-300:]},
                             "lost": "CUDA" in str(error)})
            if "CUDA" in str(error):
                return
