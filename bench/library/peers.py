# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""4-bit weights beside the packages and kernels that people use for them.

Each peer packs the same numbers in its own order, once: its other copies are
clones, as only their addresses matter. What it computes is compared with
float64 before it is timed; one that is too far off is refused.
"""

import ctypes
import dataclasses
import functools
import importlib.util
import os
from functools import partial

import torch
from case import Case, count_bytes, normal, rms
from products import dequantized, make_weights
from timing import count_copies

from tilewright import ops, quantized

MATRICES = [(4096, 4096), (14336, 4096), (4096, 14336), (8192, 8192),
            (28672, 8192)]
PRODUCTS = [(m, n, k) for n, k in MATRICES
            for m in (1, 4, 16, 32, 64, 256) + (4096,) * (n == k == 8192)]
DEQUANTIZED = [(8192, 8192), (14336, 4096)]
# Of bitsandbytes' blocks of NF4.
BLOCK = 64
# GemLite adds some hundreds of parts of a sum in f16.
PEERS_BOUND = 2e-2


def peers():
    return [(f"W4A16 {m} x {n} x {k}", partial(make_product, m, n, k))
            for m, n, k in PRODUCTS]


def nf4():
    return [(f"NF4 {m} x {n} x {k}", partial(make_nf4_product, m, n, k))
            for m, n, k in PRODUCTS]


def dequantize():
    return [(f"{name} of {n} x {k} to f16", partial(make_numbers, n, k, make))
            for n, k in DEQUANTIZED
            for name, make in (("NF4", make_nf4), ("uint4", make_weights))]


def is_installed(package):
    return importlib.util.find_spec(package) is not None


def check(make, expected):
    """The calls that `make` makes, if the first computes what is expected."""
    calls = make()
    error = rms(calls[0](), expected)
    if not error <= PEERS_BOUND:
        raise ValueError(f"differs from float64 by {error:.1e}")
    return calls


def repeat(tensors, count):
    """So many copies of a list of tensors, itself the first."""
    return [tensors] + [[x.clone() for x in tensors] for _ in range(count - 1)]


def copies_of(w, count):
    """So many of QuantizedWeights."""
    names = [name for name in ("words", "scales", "zeros", "book")
             if getattr(w, name) is not None]
    return [dataclasses.replace(w, **dict(zip(names, tensors)))
            for tensors in repeat([getattr(w, name) for name in names], count)]


def codes_of(w):
    """Codes of words that GPTQ stores, k x n."""
    parts = [(w.words >> 4 * i & 15).to(torch.uint8) for i in range(8)]
    return torch.stack(parts, 1).reshape(w.shape)


def multiply(a, weights, out):
    return [lambda w=w: ops.quantized_matmul(a, w, out=out) for w in weights]


def cublas(a, numbers, out):
    half = numbers.half()
    return [lambda w=w: torch.matmul(a, w, out=out) for w, in
            repeat([half], count_copies(count_bytes(half)))]


def plain_triton(a, weights, out):
    import plain_triton
    return [lambda w=w: plain_triton.multiply(a, w, out) for w in weights]


def gemlite(a, w, count):
    """By the kernels of its layer, tuned as it does where it has no
    configurations for a device: "fast", among some 20 of each kernel."""
    from gemlite import forward_functional
    from gemlite.helper import A16Wn
    turn = lambda x: x.t().contiguous()
    layer = A16Wn(device=a.device).from_weights(
        turn(codes_of(w)), turn(w.scales), turn(w.zeros).half(), W_nbits=4,
        group_size=w.group)
    about = layer.get_meta_args()
    return [lambda x=x: forward_functional(a, None, x, about)
            for x in repeat(layer.get_tensor_args(), count)]


@functools.cache
def marlin_function():
    """marlin_cuda of IST-DASLab/marlin, out of the library that the environment
    names: marlin_cuda_kernel.cu by nvcc -O3 -arch=sm_90 -shared -Xcompiler -fPIC
    --expt-relaxed-constexpr -cudart static, without the cache hint of its
    copies, which ptxas 13 makes instructions of that fault."""
    function = ctypes.CDLL(os.environ["TILEWRIGHT_MARLIN"])[
        "_Z11marlin_cudaPKvS0_PvS1_iiiS1_iiP11CUstream_stiiii"]
    pointer, number = ctypes.c_void_p, ctypes.c_int
    function.argtypes = ([pointer] * 4 + [number] * 3 + [pointer] +
                         [number] * 2 + [pointer] + [number] * 4)
    return function


def marlin_words(codes):
    """Marlin's words of codes, k x n: int32, k / 16 x 2 n.

    A word is what a lane multiplies of 16 rows and 16 columns (by two
    instructions m16n8k16, one for each half of the columns), and a lane's four
    words, of 64 columns, lie together. Pairs of rows are 16 bits apart.
    """
    k, n = codes.shape
    tiles = codes.view(k // 16, 2, 4, 2, n // 64, 4, 2, 8)
    # Dimensions: 0 rows of tiles, 1 half of k, 2 pair, 3 row of a pair,
    # 4 columns of 64, 5 tile, 6 half of its columns, 7 column.
    tiles = tiles.permute(0, 4, 7, 2, 5, 3, 6, 1).reshape(k // 16, 2 * n, 8)
    words = torch.zeros(k // 16, 2 * n, dtype=torch.int32, device=codes.device)
    for place in range(8):
        words |= tiles[:, :, place].int() << 4 * place
    return words


def marlin_scales(scales):
    """Those of 64 columns as a lane reads them, whose columns are 8 apart."""
    groups, n = scales.shape
    return scales.view(groups, n // 64, 8, 8).mT.reshape(groups, n)


def marlin(a, w, count, out):
    """Without zeros, which it has not: 8 is subtracted from the codes."""
    (m, k), n = a.shape, w.shape[1]
    locks = torch.zeros(n // 128 * 16, dtype=torch.int32, device=a.device)
    function = marlin_function()

    def call(words, scales):
        failed = function(
            a.data_ptr(), words.data_ptr(), out.data_ptr(), scales.data_ptr(),
            m, n, k, locks.data_ptr(), w.group, a.device.index,
            torch.cuda.current_stream().cuda_stream, -1, -1, -1, 16)
        if failed:
            raise RuntimeError(f"Marlin returns {failed}")
        return out

    packed = [marlin_words(codes_of(w)), marlin_scales(w.scales)]
    return [partial(call, *x) for x in repeat(packed, count)]


def make_case(m, w, peers_of):
    """Products of m rows with w as it is stored, beside those of `peers_of`: by
    name, what makes their calls, and the weights that these have."""
    k, n = w.shape
    a, numbers = normal(m, k), numbers_of(w)
    weights = copies_of(w, count_copies(n * k / 2))
    out, other = (torch.empty(m, n, device="cuda", dtype=torch.float16)
                  for _ in range(2))
    makers = {"ours, prepacked": (lambda: multiply(
                  a, copies_of(ops.prepack(w), len(weights)), other), w),
              "cuBLAS f16": (lambda: cublas(a, numbers, other), w),
              **peers_of(a, weights, other)}
    checked = {name: lambda make=make, has=has: check(
                   make, a.double() @ numbers_of(has))
               for name, (make, has) in makers.items()}
    return Case(multiply(a, weights, out), checked,
                lambda: rms(ops.quantized_matmul(a, w), a.double() @ numbers),
                2e-3, count_bytes(a, w.words, w.scales, w.zeros, w.book, out),
                2.0 * m * n * k)


def make_product(m, n, k):
    """W4A16 in groups of 128 with zeros, as GPTQ stores them."""
    def peers_of(a, weights, out):
        w, count = weights[0], len(weights)
        made = {}
        if is_installed("gemlite"):
            made["GemLite"] = lambda: gemlite(a, w, count), w
        if is_installed("triton"):
            made["plain Triton"] = lambda: plain_triton(a, weights, out), w
        if "TILEWRIGHT_MARLIN" in os.environ:
            made["Marlin, no zeros"] = (
                lambda: marlin(a, w, count, out),
                dataclasses.replace(w, zeros=torch.full_like(w.zeros, 8)))
        return made

    return make_case(m, make_weights(n, k), peers_of)


def make_nf4(n, k):
    """As bitsandbytes stores random weights of n x k: `from_bitsandbytes` of
    what is on the device."""
    packed = torch.randint(-128, 128, (n, k // 2), device="cuda",
                           dtype=torch.int8)
    largest = torch.rand(n, k // BLOCK, device="cuda") / 10
    book = torch.tensor(quantized.NF4, device="cuda")
    return quantized.QuantizedWeights(
        packed.t(), largest.t().contiguous(), (k, n), "book4", BLOCK, book=book,
        order="high_first")


def numbers_of(w):
    """Of NF4 or uint4, in float64, k x n."""
    if w.book is None:
        return dequantized(w)
    halves = w.words.view(torch.uint8).t()
    codes = torch.stack([halves >> 4, halves & 15], 2).reshape(w.shape[::-1])
    blocks = w.scales.t().double().repeat_interleave(w.group, 1)
    return (w.book.double()[codes.long()] * blocks).t()


def bitsandbytes_states(w, count):
    """Packed weights and what it knows of them, for each copy."""
    from bitsandbytes.functional import QuantState
    k, n = w.shape
    packed = w.words.view(torch.uint8).t().reshape(-1, 1)
    return [(data, QuantState(absmax=absmax, shape=torch.Size((n, k)),
                              code=book, blocksize=w.group, quant_type="nf4",
                              dtype=torch.float16))
            for data, absmax, book in repeat(
                [packed, w.scales.t().reshape(-1), w.book], count)]


def bitsandbytes(a, w, count):
    """Fused up to some rows, and above by dequantizing first, as it chooses."""
    from bitsandbytes import matmul_4bit
    return [lambda q=q, s=s: matmul_4bit(a, q.t(), quant_state=s)
            for q, s in bitsandbytes_states(w, count)]


def bitsandbytes_row(a, w, count):
    from bitsandbytes.functional import gemv_4bit
    return [lambda q=q, s=s: gemv_4bit(a, q.t(), state=s)
            for q, s in bitsandbytes_states(w, count)]


def make_nf4_product(m, n, k):
    def peers_of(a, weights, out):
        w, count = weights[0], len(weights)
        made = {}
        if is_installed("bitsandbytes"):
            made["bitsandbytes"] = lambda: bitsandbytes(a, w, count), w
            if m == 1:
                made["its gemv_4bit"] = lambda: bitsandbytes_row(a, w, count), w
        return made

    return make_case(m, make_nf4(n, k), peers_of)


def copy(moved, count):
    """Kernels that read and write so many bytes together, as the bandwidth of
    a copy is measured."""
    pairs = [[torch.ones(int(moved) // 8, device="cuda") for _ in range(2)]
             for _ in range(count)]
    return [lambda x=x, y=y: torch.neg(x, out=y) for x, y in pairs]


def bitsandbytes_numbers(w, count):
    """n x k, as it has them, which is compared as k x n."""
    from bitsandbytes.functional import dequantize_4bit
    outs = [torch.empty(w.shape[::-1], device="cuda", dtype=torch.float16)
            for _ in range(count)]
    return [lambda q=q, s=s, y=y: dequantize_4bit(q, s, out=y).t()
            for (q, s), y in zip(bitsandbytes_states(w, count), outs)]


def make_numbers(n, k, make):
    """Weights as f16 numbers: k x n where they are stored so (uint4), and else
    n x k, as bitsandbytes has them."""
    w = make(n, k)
    expected = numbers_of(w)
    moved = count_bytes(w.words, w.scales, w.zeros, w.book) + 2 * n * k
    count = count_copies(moved)

    def ours(isTurned):
        outs = [torch.empty((n, k) if isTurned else (k, n), device="cuda",
                            dtype=torch.float16) for _ in range(count)]
        outs = [y.t() if isTurned else y for y in outs]
        return [lambda w=w, y=y: ops.dequantize(w, out=y)
                for w, y in zip(copies_of(w, count), outs)]

    made = {"a copy": lambda: copy(moved, count)}
    if w.book is not None:
        made["ours, k x n"] = partial(check, lambda: ours(False), expected)
        if is_installed("bitsandbytes"):
            made["bitsandbytes"] = partial(
                check, lambda: bitsandbytes_numbers(w, count), expected)
    calls = ours(w.book is not None)
    return Case(calls, made, lambda: rms(calls[0](), expected), 1e-3, moved)
