# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose tile IR Triton's versions print in different ways.

They keep to what every version from 3.0 on takes; what came later, or went, is
under HAS_...
"""

import triton
import triton.language as tl
from triton.language.extra import libdevice

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
HAS_BLOCK_POINTERS = VERSION < (3, 9)
HAS_DESCRIPTORS = hasattr(tl, "make_tensor_descriptor")
HAS_SCALED_DOT = hasattr(tl, "dot_scaled")
HAS_GATHER = hasattr(tl, "gather")
HAS_HISTOGRAM = VERSION >= (3, 4)
HAS_MAPS = hasattr(tl, "map_elementwise")


@triton.jit
def block_pointers(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr,
                   K: tl.constexpr):
    """A product by block pointers, in TF32, with an epilogue that clamps."""
    row = tl.program_id(0) * M
    column = tl.program_id(1) * N
    left = tl.make_block_ptr(a, (m, k), (k, 1), (row, 0), (M, K), (1, 0))
    right = tl.make_block_ptr(b, (k, n), (n, 1), (0, column), (K, N), (1, 0))
    total = tl.zeros((M, N), tl.float32)
    for _ in range(0, k, K):
        total = tl.dot(tl.load(left, boundary_check=(0, 1),
                               padding_option="zero"),
                       tl.load(right, boundary_check=(0,)), total,
                       input_precision="tf32")
        left = tl.advance(left, (0, K))
        right = tl.advance(right, (K, 0))
    total = tl.clamp(total, -100.0, 100.0)
    out = tl.make_block_ptr(c, (m, n), (n, 1), (row, column), (M, N), (1, 0))
    tl.store(out, total.to(tl.float16), boundary_check=(0, 1))


@triton.jit
def products(a, b, c, d, N: tl.constexpr):
    """Dots of every precision, on f16, bf16, f32, i8 and fp8."""
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x = tl.load(a + at)
    y = tl.load(b + at)
    total = tl.dot(x, y, input_precision="ieee")
    total += tl.dot(x, tl.trans(y), input_precision="tf32x3")
    total += tl.dot(x.to(tl.float16), y.to(tl.float16), out_dtype=tl.float32)
    total += tl.dot(x.to(tl.bfloat16), y.to(tl.bfloat16))
    total += tl.dot(x.to(tl.float8e5), y.to(tl.float8e5))
    tl.store(c + at, total)
    tl.store(d + at, tl.dot(x.to(tl.int8), y.to(tl.int8)))


@triton.jit
def softmax(x, y, where, n, stride, N: tl.constexpr):
    """Reductions of one and of two values, with and without a mask."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, N)
    value = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
    value = value - tl.max(value, axis=0)
    exponential = tl.exp(value)
    tl.store(y + row * stride + i, exponential / tl.sum(exponential, axis=0),
             mask=i < n)
    tl.store(where + row, tl.argmax(value, axis=0))


@triton.jit
def pair_sum(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@triton.jit
def scans(x, y, z, N: tl.constexpr):
    """Scans of one and of two values, from both ends."""
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(y + i, tl.cumsum(value, axis=0, reverse=True))
    decay, total = tl.associative_scan((tl.sigmoid(value), value), 0,
                                       pair_sum)
    tl.store(z + i, decay + total)
    tl.store(z + N + i, tl.sort(value, descending=True))


@triton.jit
def shapes(x, y, N: tl.constexpr):
    """Operations that rearrange tiles."""
    i = tl.arange(0, N)
    value = tl.load(x + i)
    both = tl.join(value, value + 1)
    even, odd = tl.split(tl.reshape(value, (N // 2, 2)))
    cube = tl.permute(tl.reshape(both, (N // 4, 4, 2)), (2, 0, 1))
    tl.store(y + i, tl.ravel(tl.cat(even, odd, can_reorder=True)))
    tl.store(y + N + tl.arange(0, 2 * N), tl.reshape(cube, (2 * N,)))
    tl.store(y + 3 * N + i, tl.flip(value, 0))
    wide = tl.broadcast_to(value[:, None], (N, 4))
    tl.store(y + 4 * N + i, tl.sum(wide, axis=1))


@triton.jit
def control(x, n, limit, N: tl.constexpr):
    """Loops and branches, with values that they carry, and early returns."""
    i = tl.arange(0, N)
    at = tl.program_id(0)
    if at * N >= n:
        return
    total = tl.zeros((N,), tl.float32)
    steps = 0
    while steps < limit:
        value = tl.load(x + (at * N + i) * 2 + steps, mask=at * N + i < n,
                        other=0.0)
        if steps % 2 == 0:
            total += value
        else:
            total = tl.where(total > value, total, value)
        steps += 1
    for _ in tl.static_range(2):
        total = total * 0.5
    for step in range(0, limit, 2):
        total += step
    tl.store(x + at * N + i, total, mask=at * N + i < n)


@triton.jit
def atomics(x, counter, lock, N: tl.constexpr):
    """Atomics, with orders and scopes."""
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.atomic_add(x + i, value, sem="relaxed")
    tl.atomic_max(x + i, value, mask=i < N - 1)
    tl.atomic_xchg(counter, 5, sem="release", scope="cta")
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.atomic_xchg(lock, 0)


@triton.jit
def hints(x, y, N: tl.constexpr):
    """How caches treat what is read and written, and a barrier."""
    i = tl.arange(0, N)
    value = tl.load(x + i, cache_modifier=".cg", eviction_policy="evict_last")
    value += tl.load(x + N + i, volatile=True)
    tl.debug_barrier()
    tl.store(y + i, value, cache_modifier=".wb", eviction_policy="evict_first")


@triton.jit
def elementwise(x, y, n, N: tl.constexpr):
    """Integers, conversions, functions, inline PTX, printing, asserting."""
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.static_assert(N > 1)
    tl.device_assert(value < 100.0, "too large")
    tl.device_print("value", value)
    small = value.to(tl.float8e5).to(tl.float32)
    bits = value.to(tl.int32, bitcast=True)
    tops = tl.umulhi(bits.to(tl.uint32), 12345)
    mixed = (bits // 7) ^ (bits % n) ^ (bits >> 3) ^ tops.to(tl.int32)
    swapped = tl.inline_asm_elementwise(
        "prmt.b32 $0, $1, 0, 0x0123;", "=r,r", [mixed], dtype=tl.int32,
        is_pure=True, pack=1)
    result = tl.exp2(value) + tl.sqrt_rn(tl.abs(value)) + tl.rsqrt(
        value * value + 1.0) + libdevice.tanh(value) + tl.erf(value)
    result = tl.fma(result, small, tl.div_rn(value, 3.0))
    tl.store(y + i, result + swapped.to(tl.float32))


@triton.jit
def descriptors(x, y, rows, columns, N: tl.constexpr):
    """Descriptors that the kernel makes."""
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1],
                                       [N, N])
    target = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1],
                                       [N, N])
    target.store([0, N], source.load([N, 0]) * 2.0)


@triton.jit
def scaled_dot(a, sa, b, sb, c, M: tl.constexpr, N: tl.constexpr,
               K: tl.constexpr):
    """A product of fp8 with scales."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    k = tl.arange(0, K)
    g = tl.arange(0, K // 32)
    left = tl.load(a + i[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + j[None, :])
    left_scale = tl.load(sa + i[:, None] * (K // 32) + g[None, :])
    right_scale = tl.load(sb + j[:, None] * (K // 32) + g[None, :])
    total = tl.dot_scaled(left, left_scale, "e5m2", right, right_scale,
                          "e5m2")
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def gather(x, indices, y, N: tl.constexpr):
    """Elements picked by indices."""
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    picked = tl.gather(tl.load(x + at), tl.load(indices + at), 1)
    tl.store(y + at, picked)


@triton.jit
def histogram(x, where, y, N: tl.constexpr, M: tl.constexpr):
    """Histograms, with and without a mask."""
    i = tl.arange(0, N)
    numbers = tl.load(x + i)
    counts = tl.histogram(numbers, M)
    counts += tl.histogram(numbers, M, mask=tl.load(where + i) > 0)
    tl.store(y + tl.arange(0, M), counts)


@triton.jit
def sort_two(a, b):
    """Two numbers in order."""
    if a < b:
        return a, b
    else:
        return b, a


@triton.jit
def mix_neighbours(a0, a1, b0, b1):
    """What is made of packs of two; of sums Triton asserts that they are in
    range, which a mapped function must not."""
    mixed = a0 ^ a1
    return mixed, mixed & 7, b0, b1 | mixed


@triton.jit
def maps(x, y, z, N: tl.constexpr):
    """Functions of scalars mapped over tiles."""
    i = tl.arange(0, N)
    low, high = tl.map_elementwise(sort_two, tl.load(x + i), tl.load(y + i))
    one, two = tl.map_elementwise(mix_neighbours, low, high, pack=2)
    tl.store(z + i, one + two)


@triton.jit
def rows(x, y, indices, m, n, M: tl.constexpr, N: tl.constexpr):
    """Rows picked by indices, and updates of a block."""
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [1, N])
    target = tl.make_tensor_descriptor(y, [m, n], [n, 1], [1, N])
    block = tl.make_tensor_descriptor(y, [m, n], [n, 1], [M, N])
    at = tl.load(indices + tl.arange(0, M))
    value = source.gather(at, 8)
    target.scatter(value, at, 16)
    block.atomic_add([0, 0], value)
    block.atomic_max([0, 0], value)
    block.atomic_min([0, 0], value)
    block.atomic_and([0, 0], value)
    block.atomic_or([0, 0], value)
    block.atomic_xor([0, 0], value)


# Name: types of the arguments, constants.
KERNELS = {
    "products": ("*fp32 *fp32 *fp32 *i32", {"N": 32}),
    "softmax": ("*fp32 *fp32 *i32 i32 i32", {"N": 256}),
    "scans": ("*fp32 *fp32 *fp32", {"N": 64}),
    "shapes": ("*fp32 *fp32", {"N": 64}),
    "control": ("*fp32 i32 i32", {"N": 128}),
    "atomics": ("*fp32 *i32 *i32", {"N": 64}),
    "elementwise": ("*fp32 *fp32 i32", {"N": 128}),
    "hints": ("*fp32 *fp32", {"N": 128}),
}
if HAS_BLOCK_POINTERS:
    KERNELS["block_pointers"] = ("*fp32 *fp32 *fp16 i32 i32 i32",
                                 {"M": 32, "N": 64, "K": 16})
if HAS_DESCRIPTORS:
    KERNELS["descriptors"] = ("*fp16 *fp16 i32 i32", {"N": 32})
if HAS_SCALED_DOT and HAS_DESCRIPTORS:
    KERNELS["scaled_dot"] = ("*fp8e5 *u8 *fp8e5 *u8 *fp32",
                             {"M": 32, "N": 32, "K": 64})
if HAS_GATHER:
    KERNELS["gather"] = ("*fp32 *i32 *fp32", {"N": 16})
if HAS_HISTOGRAM:
    KERNELS["histogram"] = ("*i32 *i32 *i32", {"N": 128, "M": 32})
if HAS_MAPS:
    KERNELS["maps"] = ("*i32 *i32 *i32", {"N": 128})
if VERSION >= (3, 6):
    KERNELS["rows"] = ("*i32 *i32 *i32 i32 i32", {"M": 8, "N": 16})
