# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch with 8 tensor arguments costs the host, beside Triton's
launcher in the same process. Takes PyTorch, Triton and a GPU, and the Python
module (pip install ./python):

    python bench/launch_vs_triton.py [--json FILE]

Launches are timed in batches that fit in a stream's queue; the batches of the
contenders take turns, and the median batch counts.
"""

import argparse
import json
import statistics
import sys
import time

import tilewright

TEXT = """
tt.func public @copy(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %d: !tt.ptr<f32>,
                     %e: !tt.ptr<f32>, %f: !tt.ptr<f32>, %g: !tt.ptr<f32>, %h: !tt.ptr<f32>) {
  %value = tt.load %a : !tt.ptr<f32>
  tt.store %h, %value : !tt.ptr<f32>
  tt.return
}
"""
BATCH = 200
ROUNDS = 101


def time_batch(torch, launch):
    begin = time.perf_counter()
    for _ in range(BATCH):
        launch()
    seconds = time.perf_counter() - begin
    torch.cuda.synchronize()
    return seconds / BATCH * 1e6


def contenders(torch, triton_kernel, tensors):
    kernel = tilewright.compile(TEXT, machine_code=False)["copy"]
    launcher = kernel[1]
    handle = torch.cuda.current_stream().cuda_stream

    def triton_launch():
        triton_kernel[(1,)](*tensors)

    def ours_with_stream():
        kernel[1](*tensors, stream=handle)

    def ours_current_stream():
        kernel[1](*tensors, stream=torch.cuda.current_stream())

    def ours_kept_grid():
        launcher(*tensors, stream=handle)

    found = {"triton": triton_launch, "tilewright, stream=handle": ours_with_stream,
             "tilewright, stream=torch.cuda.current_stream()": ours_current_stream,
             "tilewright, grid kept, stream=handle": ours_kept_grid}
    if hasattr(type(tensors[0]), "__dlpack_c_exchange_api__"):
        found["tilewright, the framework's stream"] = lambda: kernel[1](*tensors)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    try:
        import torch
        import triton
        import triton.language as tl
    except ImportError as error:
        print(f"skipped: expects PyTorch and Triton: {error}")
        return 0
    if not torch.cuda.is_available():
        print("skipped: expects a GPU")
        return 0

    globals()["tl"] = tl
    triton_kernel = triton.jit(copy_kernel)
    tensors = [torch.full((1,), float(i), device="cuda") for i in range(8)]
    launches = contenders(torch, triton_kernel, tensors)
    for name, launch in launches.items():
        tensors[7].zero_()
        tensors[0].fill_(3.0)
        for _ in range(BATCH):
            launch()
        torch.cuda.synchronize()
        if tensors[7].item() != 3.0:
            print(f"error: {name} computed {tensors[7].item()}")
            return 1
    times = {name: [] for name in launches}
    for _ in range(ROUNDS):
        for name, launch in launches.items():
            times[name].append(time_batch(torch, launch))
    medians = {name: statistics.median(each) for name, each in times.items()}
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, "
          f"triton {triton.__version__}, 8 tensor arguments, us a launch")
    for name, microseconds in medians.items():
        print(f"{microseconds:8.2f}  {medians['triton'] / microseconds:5.2f} x  {name}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(medians, file, indent=1)
    return 0


def copy_kernel(a, b, c, d, e, f, g, h):
    tl.store(h, tl.load(a))  # noqa: F821 (made global by main)


if __name__ == "__main__":
    sys.exit(main())
