# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element by element: arithmetic and conversions of each type."""

import triton
import triton.language as tl


@triton.jit
def math_f32(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    """Row i of out [11, count] holds function i of x."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside, other=1.0)
    tl.store(out_ptr + at, tl.exp(x), mask=inside)
    tl.store(out_ptr + count + at, tl.log(tl.abs(x) + 1.0), mask=inside)
    tl.store(out_ptr + 2 * count + at, tl.sqrt(tl.abs(x)), mask=inside)
    tl.store(out_ptr + 3 * count + at, tl.sin(x), mask=inside)
    tl.store(out_ptr + 4 * count + at, tl.cos(x), mask=inside)
    tl.store(out_ptr + 5 * count + at, tl.erf(x), mask=inside)
    tl.store(out_ptr + 6 * count + at, tl.sigmoid(x), mask=inside)
    tl.store(out_ptr + 7 * count + at, tl.floor(x) - tl.ceil(x), mask=inside)
    tl.store(out_ptr + 8 * count + at, tl.exp2(x), mask=inside)
    tl.store(out_ptr + 9 * count + at, tl.rsqrt(tl.abs(x) + 0.5), mask=inside)
    tl.store(out_ptr + 10 * count + at, tl.div_rn(1.0, tl.abs(x) + 0.25),
             mask=inside)


@triton.jit
def multiply_add(x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    """out = x * y + x, in f32, rounded to out's type."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside).to(tl.float32)
    y = tl.load(y_ptr + at, mask=inside).to(tl.float32)
    tl.store(out_ptr + at, tl.fma(x, y, x).to(out_ptr.dtype.element_ty),
             mask=inside)


@triton.jit
def native_arithmetic(x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    """max(x * y - y, x) with each operation in the type of x."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, tl.maximum(x * y - y, x), mask=inside)


@triton.jit
def integers(x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    """Row i of out [10, count] holds operation i on x and y."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside, other=1)
    tl.store(out_ptr + at, x + y * x, mask=inside)
    tl.store(out_ptr + count + at, x // y, mask=inside)
    tl.store(out_ptr + 2 * count + at, x % y, mask=inside)
    tl.store(out_ptr + 3 * count + at, x << (y & 7), mask=inside)
    tl.store(out_ptr + 4 * count + at, x >> (y & 7), mask=inside)
    tl.store(out_ptr + 5 * count + at, (x & y) | (~x ^ y), mask=inside)
    tl.store(out_ptr + 6 * count + at, tl.minimum(x, y), mask=inside)
    tl.store(out_ptr + 7 * count + at, tl.maximum(x, y), mask=inside)
    tl.store(out_ptr + 8 * count + at, tl.where(x < y, x, -y), mask=inside)
    tl.store(out_ptr + 9 * count + at, tl.abs(x), mask=inside)


@triton.jit
def high_product(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    """The high half of the product of unsigned integers."""
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at,
             tl.umulhi(tl.load(x_ptr + at), tl.load(y_ptr + at)))


@triton.jit
def convert(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """x in the type of out."""
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(out_ptr.dtype.element_ty))


@triton.jit
def reinterpret(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """The bits of an f32 plus one, as an f32."""
    at = tl.arange(0, BLOCK)
    bits = tl.load(x_ptr + at).to(tl.int32, bitcast=True) + 1
    tl.store(out_ptr + at, bits.to(tl.float32, bitcast=True))


@triton.jit
def collatz(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """The steps until 1, by a loop that ends when all elements have."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    steps = tl.zeros([BLOCK], tl.int32)
    while tl.max(x, axis=0) > 1:
        going = x > 1
        x = tl.where(going, tl.where(x % 2 == 0, x // 2, 3 * x + 1), x)
        steps += going.to(tl.int32)
    tl.store(out_ptr + at, steps)


@triton.jit
def inline_assembly(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Leading zeros, by an instruction in the text."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    zeros = tl.inline_asm_elementwise("clz.b32 $0, $1;", "=r,r", [x],
                                      dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out_ptr + at, zeros)
