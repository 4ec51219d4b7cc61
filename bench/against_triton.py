#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the corpus through Triton and through Tilewright, side by side.

Both compile the same tile IR for the same target with the same number of warps;
both PTX texts are loaded by the driver and launched in one process, in turns, so
that for sm_80 neither has Hopper's units. The results are compared with
PyTorch's in float64 first. Needs a GPU, PyTorch and Triton.

  python3 bench/against_triton.py --tilewright build/release/bin/tilewright

One line a kernel: microseconds of each with each number of stages, registers and
bytes of shared memory, and ours over Triton's, the best of either; then the
geometric mean. --json FILE writes the rows.
"""

import argparse
import ctypes
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

KERNELS = Path(__file__).resolve().parent.parent / "test/Corpus/kernels"
sys.path.append(str(KERNELS))

import causal_attention  # noqa: E402
import matmul_f16  # noqa: E402
import matmul_w4a16  # noqa: E402

cuda = ctypes.CDLL("libcuda.so.1")


def check(status: int) -> None:
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"CUDA driver: {(text.value or b'?').decode()}")


@dataclass
class Kernel:
    """One instantiation, its arguments, and what it must compute."""
    name: str
    function: Any
    signature: dict[str, str]
    constants: dict[str, int]
    grid: tuple[int, int, int]
    arguments: list[Any]
    output: torch.Tensor
    expected: Callable[[], torch.Tensor]
    tolerance: float
    warps: int = 4
    # Arguments that are multiples of 16 beside pointers.
    divisible: set[str] = field(default_factory=set)


class Loaded:
    """PTX, loaded by the driver for the GPU at hand."""

    def __init__(self, ptx: str, name: str, shared: int, threads: int,
                 extra_pointers: int) -> None:
        module = ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), ptx.encode()))
        self.function = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module,
                                       name.encode()))
        # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        check(cuda.cuFuncSetAttribute(self.function, 8, shared))
        registers, local = ctypes.c_int(), ctypes.c_int()
        check(cuda.cuFuncGetAttribute(ctypes.byref(registers), 4,
                                      self.function))
        check(cuda.cuFuncGetAttribute(ctypes.byref(local), 3, self.function))
        self.registers, self.local = registers.value, local.value
        self.shared, self.threads = shared, threads
        self.extra_pointers = extra_pointers

    def launch(self, kernel: Kernel) -> None:
        values: list[Any] = []
        types = [t for t in kernel.signature.values() if t != "constexpr"]
        for argument, kind in zip(kernel.arguments, types, strict=True):
            if isinstance(argument, torch.Tensor):
                values.append(ctypes.c_void_p(argument.data_ptr()))
            elif kind == "fp32":
                values.append(ctypes.c_float(argument))
            else:
                values.append(ctypes.c_int32(argument))
        values += [ctypes.c_void_p(0)] * self.extra_pointers
        pointers = (ctypes.c_void_p * len(values))(
            *[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
        check(cuda.cuLaunchKernel(
            self.function, *kernel.grid, self.threads, 1, 1, self.shared,
            ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), pointers,
            None))


def compile_triton(kernel: Kernel, capability: int, stages: int) -> Any:
    names = list(kernel.signature)
    attributes = {
        (index,): [["tt.divisibility", 16]]
        for index, name in enumerate(names)
        if kernel.signature[name].startswith("*") or name in kernel.divisible}
    source = ASTSource(fn=kernel.function, signature=kernel.signature,
                       constexprs=kernel.constants, attrs=attributes)
    return triton.compile(
        source, target=GPUTarget("cuda", capability, 32),
        options={"num_warps": kernel.warps, "num_stages": stages})


def count_parameters(ptx: str) -> int:
    return ptx.split(".entry", 1)[1].split(")", 1)[0].count(".param")


def load_triton(kernel: Kernel, capability: int, stages: int) -> Loaded:
    made = compile_triton(kernel, capability, stages)
    extra = count_parameters(made.asm["ptx"]) - len(kernel.arguments)
    return Loaded(made.asm["ptx"], made.metadata.name, made.metadata.shared,
                  kernel.warps * 32, extra)


def load_ours(kernel: Kernel, tilewright: str, target: str, text: str,
              stages: int) -> Loaded:
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()

        def run(form: str) -> str:
            return subprocess.run(
                [tilewright, "compile", file.name, f"--target={target}",
                 f"--num-warps={kernel.warps}", f"--num-stages={stages}",
                 f"--emit={form}", "-o", "-"],
                check=True, capture_output=True, text=True).stdout
        ptx = run("ptx")
        [facts] = json.loads(run("artifact-json"))["kernels"]
    return Loaded(ptx, facts["name"], facts["shared_bytes"], kernel.warps * 32,
                  count_parameters(ptx) - len(kernel.arguments))


def measure(launches: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Microseconds of each, in turns; the median of the rounds."""
    times: dict[str, list[float]] = {name: [] for name in launches}
    for _ in range(7):
        for name, launch in launches.items():
            for _ in range(2):
                launch()
            start = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            start.record()
            for _ in range(10):
                launch()
            end.record()
            end.synchronize()
            times[name].append(start.elapsed_time(end) * 100)
    return {name: sorted(values)[len(values) // 2]
            for name, values in times.items()}


# The kernels.

def matmul(m: int, n: int, k: int, tile: tuple[int, int, int],
           warps: int) -> Kernel:
    a = torch.randn(m, k, device="cuda").half()
    b = torch.randn(k, n, device="cuda").half()
    c = torch.full((m, n), math.nan, device="cuda").half()
    signature = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16",
                 "M": "i32", "N": "i32", "K": "i32", "stride_am": "i32",
                 "stride_ak": "constexpr", "stride_bk": "i32",
                 "stride_bn": "constexpr", "stride_cm": "i32",
                 "stride_cn": "constexpr", "BLOCK_M": "constexpr",
                 "BLOCK_N": "constexpr", "BLOCK_K": "constexpr",
                 "GROUP_M": "constexpr"}
    constants = {"stride_ak": 1, "stride_bn": 1, "stride_cn": 1,
                 "BLOCK_M": tile[0], "BLOCK_N": tile[1], "BLOCK_K": tile[2],
                 "GROUP_M": 8}
    return Kernel(
        f"matmul f16 {m}x{n}x{k}, {'x'.join(map(str, tile))}, {warps} warps",
        matmul_f16.matmul_f16_kernel, signature, constants,
        (-(-m // tile[0]) * -(-n // tile[1]), 1, 1),
        [a, b, c, m, n, k, k, n, n], c, lambda: a.double() @ b.double(),
        1e-2 * math.sqrt(k), warps,
        {"M", "N", "K", "stride_am", "stride_bk", "stride_cm"})


def attention(heads: int, tokens: int, d: int, tile: tuple[int, int],
              warps: int) -> Kernel:
    q, k, v = (torch.randn(tokens, heads, d, device="cuda").half()
               for _ in range(3))
    out = torch.full_like(q, math.nan)
    sums = torch.zeros(heads, tokens, device="cuda")
    signature = {"q_ptr": "*fp16", "k_ptr": "*fp16", "v_ptr": "*fp16",
                 "out_ptr": "*fp16", "sums_ptr": "*fp32", "scale": "fp32",
                 "queries": "i32", "keys": "i32", "heads": "i32",
                 "stride_q": "i32", "stride_k": "i32", "stride_v": "i32",
                 "stride_out": "i32", "GROUP": "constexpr",
                 "DIMENSION": "constexpr", "BLOCK_M": "constexpr",
                 "BLOCK_N": "constexpr"}
    constants = {"GROUP": 1, "DIMENSION": d, "BLOCK_M": tile[0],
                 "BLOCK_N": tile[1]}
    scale = 1.4426950408889634 / math.sqrt(d)

    def expected() -> torch.Tensor:
        result = torch.nn.functional.scaled_dot_product_attention(
            *(x.transpose(0, 1).float() for x in (q, k, v)), is_causal=True)
        return result.transpose(0, 1).double()
    row = heads * d
    return Kernel(
        f"causal attention f16, {heads} heads, {tokens}, D = {d}, "
        f"{tile[0]}x{tile[1]}, {warps} warps",
        causal_attention.causal_attention_kernel, signature, constants,
        (-(-tokens // tile[0]), heads, 1),
        [q, k, v, out, sums, scale, tokens, tokens, heads, row, row, row, row],
        out, expected, 2e-2, warps,
        {"queries", "keys", "heads", "stride_q", "stride_k", "stride_v",
         "stride_out"})


def quantized(m: int, n: int, k: int, tile: tuple[int, int, int],
              warps: int) -> Kernel:
    group = 128
    a = torch.randn(m, k, device="cuda").half()
    packed = torch.randint(-2**31, 2**31 - 1, (k // 8, n), device="cuda",
                           dtype=torch.int32)
    scales = (torch.rand(k // group, n, device="cuda") / 8).half()
    zeros = torch.randint(0, 16, (k // group, n), device="cuda").half()
    c = torch.full((m, n), math.nan, device="cuda").half()
    signature = {"a_ptr": "*fp16", "packed_ptr": "*i32", "scales_ptr": "*fp16",
                 "zeros_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32",
                 "N": "i32", "K": "i32", "stride_am": "i32",
                 "stride_cm": "i32", "BLOCK_M": "constexpr",
                 "BLOCK_N": "constexpr", "BLOCK_K": "constexpr",
                 "GROUP": "constexpr", "ZEROS_PACKED": "constexpr"}
    constants = {"BLOCK_M": tile[0], "BLOCK_N": tile[1], "BLOCK_K": tile[2],
                 "GROUP": group, "ZEROS_PACKED": 0}

    def expected() -> torch.Tensor:
        shifts = (torch.arange(8, device="cuda") * 4).view(1, 8, 1)
        codes = (packed.unsqueeze(1) >> shifts & 15).reshape(k, n).half()
        spread = [x.repeat_interleave(group, 0) for x in (zeros, scales)]
        return a.double() @ ((codes - spread[0]) * spread[1]).double()
    return Kernel(
        f"W4A16 {m}x{n}x{k}, {'x'.join(map(str, tile))}, {warps} warps",
        matmul_w4a16.matmul_w4a16_kernel, signature, constants,
        (-(-m // tile[0]), -(-n // tile[1]), 1),
        [a, packed, scales, zeros, c, m, n, k, k, n], c, expected,
        1e-1 * math.sqrt(k), warps, {"M", "N", "K", "stride_am", "stride_cm"})


def list_kernels() -> list[Callable[[], Kernel]]:
    return [
        lambda: matmul(4096, 4096, 4096, (128, 128, 32), 4),
        lambda: matmul(4096, 4096, 4096, (128, 128, 64), 8),
        lambda: matmul(4096, 4096, 4096, (128, 64, 64), 4),
        lambda: matmul(4096, 4096, 4096, (64, 64, 32), 4),
        lambda: attention(32, 4096, 128, (64, 64), 4),
        lambda: attention(32, 4096, 64, (128, 64), 4),
        lambda: quantized(64, 8192, 8192, (64, 64, 64), 4),
        lambda: quantized(4096, 8192, 8192, (128, 128, 64), 8)]


def compare(kernel: Kernel, options: argparse.Namespace) -> dict[str, Any]:
    capability = int(options.target[3:].rstrip("a"))
    text = compile_triton(kernel, capability, 1).asm["ttir"]
    loaded: dict[str, Loaded] = {}
    row: dict[str, Any] = {"kernel": kernel.name, "errors": {}}
    wanted = kernel.expected()
    for who, load in (
            ("triton", lambda n: load_triton(kernel, capability, n)),
            ("ours", lambda n: load_ours(kernel, options.tilewright,
                                         options.target, text, n))):
        for stages in options.stages:
            name = f"{who} {stages}"
            try:
                made = load(stages)
                kernel.output.fill_(math.nan)
                made.launch(kernel)
                torch.cuda.synchronize()
            except Exception as error:  # noqa: BLE001 (said in the row)
                row["errors"][name] = str(error)[-300:]
                continue
            worst = (kernel.output.double() - wanted).abs().max().item()
            if not worst <= kernel.tolerance:
                row["errors"][name] = (f"off by {worst:.3g}, more than "
                                       f"{kernel.tolerance:.3g}")
                continue
            loaded[name] = made
    times = measure({name: (lambda made=made: made.launch(kernel))
                     for name, made in loaded.items()})
    row["us"] = times
    row["resources"] = {
        name: {"registers": made.registers, "spilled": made.local,
               "shared": made.shared} for name, made in loaded.items()}
    best = {who: min((t for name, t in times.items() if name.startswith(who)),
                     default=math.nan) for who in ("triton", "ours")}
    row["ratio"] = best["ours"] / best["triton"]
    return row


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--stages", default=[1, 2, 3, 4],
                        type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.manual_seed(0)
    rows = []
    for make in list_kernels():
        kernel = make()
        if options.only not in kernel.name:
            continue
        row = compare(kernel, options)
        rows.append(row)
        print(f"{row['kernel']}: ours / Triton's {row['ratio']:.2f}")
        for name, us in row["us"].items():
            used = row["resources"][name]
            print(f"  {name:10} {us:9.1f} us  {used['registers']:3} registers, "
                  f"{used['spilled']:4} bytes spilled, {used['shared']:6} bytes "
                  "shared")
        for name, error in row["errors"].items():
            print(f"  {name:10} {error}")
        sys.stdout.flush()
        if options.json:
            Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    ratios = [row["ratio"] for row in rows if row["ratio"] == row["ratio"]]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"geometric mean {mean:.3f} of {len(ratios)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
