# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Tilewright kernel as a PyTorch operator that torch.compile takes whole, and
that a CUDA graph can capture.

    python examples/pytorch.py

Without a GPU it runs on the emulator whose library TILEWRIGHT_CUDA_DRIVER names
(on CPU tensors, and without the graph), or else says what is missing and ends.
"""

import os
import pathlib
import sys

try:
    import torch
except ImportError:
    torch = None

on_emulator = bool(os.environ.get("TILEWRIGHT_CUDA_DRIVER"))
if torch is None or not (on_emulator or torch.cuda.is_available()):
    print("skipped: expects PyTorch, and a GPU or the emulator")
    sys.exit(0)

import tilewright

text = pathlib.Path(__file__).with_name("add.mlir").read_text()
kernel = tilewright.compile(text, machine_code=False)["add"]


@torch.library.custom_op("tilewright_examples::add", mutates_args=(),
                         device_types="cuda")
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    # The stream of this very call: another one in a capture.
    stream = torch.cuda.current_stream(x.device)
    kernel[(x.numel() + 63) // 64](x, y, out, x.numel(), stream=stream)
    return out


@add.register_kernel("cpu")
def _(x, y):  # the emulator's memory is not PyTorch's
    out = tilewright.empty(x.numel(), "float32")
    kernel[(x.numel() + 63) // 64](tilewright.array(x.numpy()),
                                   tilewright.array(y.numpy()), out, x.numel(),
                                   stream=0)
    return torch.from_numpy(tilewright.to_numpy(out)).reshape(x.shape)


@add.register_fake
def _(x, y):
    torch._check(x.shape == y.shape, lambda: "expects tensors of one shape")
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def main():
    x, y = torch.randn(2, 1000, device="cpu" if on_emulator else "cuda")
    torch.testing.assert_close(add(x, y), x + y, rtol=0, atol=0)
    torch.library.opcheck(add, (x, y))

    compiled = torch.compile(lambda a, b: add(a, b) * 2, fullgraph=True)
    torch.testing.assert_close(compiled(x, y), (x + y) * 2, rtol=0, atol=0)

    if on_emulator:
        print(f"{tilewright.describe_device()}: eager, compiled")
        return
    kernel.prepare(x.device.index)  # so that the capture loads nothing
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = add(x, y)
    for _ in range(100):  # other inputs at every replay
        x.normal_()
        graph.replay()
        torch.testing.assert_close(captured, x + y, rtol=0, atol=0)
    print(f"{tilewright.describe_device()}: eager, compiled, captured")


if __name__ == "__main__":
    main()
