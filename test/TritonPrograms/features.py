#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of Triton and PyTorch goes through the door, on a GPU: each function is one
thing, run in a process of its own, and passes or fails.

    TILEWRIGHT_TRITON=1 features.py        # all of them
    TILEWRIGHT_TRITON=1 features.py NAME   # one"""

import os
import subprocess
import sys
import tempfile

if len(sys.argv) > 1:
    import torch
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor

    @triton.jit
    def add_one(x, out, n, BLOCK: tl.constexpr):
        place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + place, tl.load(x + place, mask=place < n) + 1, mask=place < n)

    @triton.jit
    def copy_block(source, out, M: tl.constexpr, N: tl.constexpr):
        out.store([M * tl.program_id(0), N], source.load([M * tl.program_id(0), N]))

    @triton.jit
    def copy_block_on_device(source, out, m, n, M: tl.constexpr, N: tl.constexpr):
        a = tl.make_tensor_descriptor(source, shape=[m, n], strides=[n, 1], block_shape=[M, N])
        b = tl.make_tensor_descriptor(out, shape=[m, n], strides=[n, 1], block_shape=[M, N])
        b.store([M * tl.program_id(0), N], a.load([M * tl.program_id(0), N]))

    @triton.jit
    def overflow(x, n, BLOCK: tl.constexpr):
        place = tl.arange(0, BLOCK)
        tl.device_assert(place < n, "place < n")
        tl.store(x + place, place)


def run_add_one(**options):
    x = torch.rand(1000, device="cuda")
    out = torch.empty_like(x)
    kernel = add_one[(8,)](x, out, 1000, BLOCK=128, **options)
    assert torch.equal(out, x + 1)
    return kernel


def stages():
    kernel = run_add_one()
    wanted = {"ttir", "ttgir", "llir", "ptx", "cubin"}
    assert wanted <= set(kernel.asm), set(kernel.asm)
    if os.environ.get("TILEWRIGHT_TRITON") == "1":
        assert "tilegpu" in kernel.asm["ttgir"]


def options():
    run_add_one(num_warps=8)
    run_add_one(num_stages=1)
    run_add_one(enable_fp_fusion=False)
    assert ".maxnreg 32" in run_add_one(maxnreg=32).asm["ptx"]
    run_add_one(num_ctas=2)


def host_descriptors():
    x = torch.rand(256, 128, device="cuda")
    out = torch.zeros_like(x)
    blocks = [TensorDescriptor(each, each.shape, each.stride(), [64, 64]) for each in (x, out)]
    copy_block[(4,)](*blocks, M=64, N=64)
    assert torch.equal(out[:, 64:], x[:, 64:]) and (out[:, :64] == 0).all()


def device_descriptors():
    triton.set_allocator(lambda size, align, stream: torch.empty(
        size, dtype=torch.int8, device="cuda"))
    x = torch.rand(256, 128, device="cuda")
    out = torch.zeros_like(x)
    copy_block_on_device[(4,)](x, out, 256, 128, M=64, N=64)
    assert torch.equal(out[:, 64:], x[:, 64:])


def graphs():
    x = torch.rand(1000, device="cuda")
    out = torch.empty_like(x)
    add_one[(8,)](x, out, 1000, BLOCK=128)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add_one[(8,)](x, out, 1000, BLOCK=128)
    for _ in range(3):
        x.copy_(torch.rand(1000, device="cuda"))
        graph.replay()
        assert torch.equal(out, x + 1)


def launch_hooks():
    seen = []
    hooks = triton.knobs.runtime
    enter = lambda metadata: seen.append(metadata.get()["name"])
    if hasattr(hooks.launch_enter_hook, "add"):
        hooks.launch_enter_hook.add(enter)
    else:
        hooks.launch_enter_hook = enter
    run_add_one()
    assert seen == ["add_one"], seen


def ir_files():
    text = run_add_one().asm["ttir"]
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()
        kernel = triton.compile(file.name)
    x = torch.rand(1000, device="cuda")
    out = torch.empty_like(x)
    kernel[(8, 1, 1)](x, out, 1000)
    assert torch.equal(out, x + 1)


def autotuning():
    tuned = triton.autotune([triton.Config({"BLOCK": block}, num_warps=warps)
                             for block in (64, 256) for warps in (1, 4)], key=["n"])(add_one)
    x = torch.rand(1000, device="cuda")
    out = torch.empty_like(x)
    tuned[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, out, 1000)
    assert torch.equal(out, x + 1)


def parallel_compilation():
    from concurrent.futures import ThreadPoolExecutor
    x = torch.rand(1000, device="cuda")
    with ThreadPoolExecutor(8) as pool, triton.AsyncCompileMode(pool):
        for block in (32, 64, 128, 256, 512, 1024):
            add_one.warmup(x, x, 1000, BLOCK=block, grid=(1,))
    run_add_one()


def inductor():
    @torch.compile
    def normalize(x, w):
        y = torch.softmax(x @ w, dim=-1)
        return (y - y.mean(-1, keepdim=True)) * torch.rsqrt(y.var(-1, keepdim=True) + 1e-5)

    x, w = torch.rand(512, 256, device="cuda"), torch.rand(256, 384, device="cuda")
    expected = normalize._torchdynamo_orig_callable(x, w)
    torch.testing.assert_close(normalize(x, w), expected, rtol=2e-3, atol=2e-3)


def inductor_templates():
    import torch._inductor.config as config
    config.max_autotune_gemm_backends = "TRITON"
    multiply = torch.compile(lambda a, b: torch.relu(a @ b), mode="max-autotune")
    a, b = (torch.randn(512, 512, device="cuda", dtype=torch.float16) for _ in range(2))
    torch.testing.assert_close(multiply(a, b), torch.relu(a @ b), rtol=1e-2, atol=1e-1)


def inductor_tensor_maps():
    """Products of torch.compile's templates are launched with tensor maps."""
    import torch._inductor.config as config
    from tilewright.triton._tensor_maps import TensorMaps
    made = []
    make = TensorMaps._make

    def noting(self, *arguments):
        made.append(self)
        return make(self, *arguments)

    TensorMaps._make = noting
    config.max_autotune_gemm_backends = "TRITON"
    multiply = torch.compile(lambda a, b: torch.relu(a @ b), mode="max-autotune-no-cudagraphs")
    a, b = (torch.randn(2048, 2048, device="cuda", dtype=torch.float16) for _ in range(2))
    torch.testing.assert_close(multiply(a, b), torch.relu(a @ b), rtol=1e-2, atol=1e-1)
    assert made or torch.cuda.get_device_capability()[0] != 9


def inductor_cache():
    """What torch.compile keeps of a graph is of who compiled it."""
    def count_hits(side):
        run = subprocess.run([sys.executable, __file__, "compile_and_count_hits"], text=True,
                             stdout=subprocess.PIPE, check=True,
                             env={**os.environ, "TILEWRIGHT_TRITON": str(side)})
        return int(run.stdout.split()[-1])
    assert [count_hits(side) for side in (0, 1, 0, 1)] == [0, 0, 1, 1]


def compile_and_count_hits():
    from torch._dynamo.utils import counters
    double = torch.compile(lambda x: x * 2 + 1)
    x = torch.rand(1000, device="cuda")
    assert torch.equal(double(x), x * 2 + 1)
    print(counters["inductor"]["fxgraph_cache_hit"])


def device_asserts():
    x = torch.zeros(128, dtype=torch.int32, device="cuda")
    overflow[(1,)](x, 128, BLOCK=128, debug=True)
    torch.cuda.synchronize()
    overflow[(1,)](x, 100, BLOCK=128, debug=True)
    try:
        torch.cuda.synchronize()
    except RuntimeError as error:
        assert "assert" in str(error), error
        return
    raise AssertionError("the assertion did not fire")


def switching():
    import tilewright.triton as door
    with door.disable():
        theirs = run_add_one()
    with door.enable():
        ours = run_add_one()
    assert "tilegpu" in ours.asm["ttgir"] and "ttg." in theirs.asm["ttgir"]
    with door.enable(exclude="add_*"):
        assert "ttg." in run_add_one().asm["ttgir"]


FEATURES = [stages, options, host_descriptors, device_descriptors, graphs, launch_hooks, ir_files,
            autotuning, parallel_compilation, inductor, inductor_templates,
            inductor_tensor_maps, inductor_cache, device_asserts, switching]


def main():
    if len(sys.argv) > 1:
        globals()[sys.argv[1]]()
        return
    failed = 0
    for feature in FEATURES:
        with tempfile.TemporaryDirectory() as cache:
            run = subprocess.run(
                [sys.executable, __file__, feature.__name__], text=True, timeout=300,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env={**os.environ, "TRITON_CACHE_DIR": cache, "TORCHINDUCTOR_CACHE_DIR": cache})
        failed += run.returncode != 0
        print(f"{feature.__name__}: {'FAILED' if run.returncode else 'passed'}", flush=True)
        if run.returncode:
            print("    " + run.stdout.strip()[-1500:].replace("\n", "\n    "), flush=True)
    print(f"{len(FEATURES) - failed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
