# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit operands with scales, of gates, and of experts; and what
makes 8 or 4 bits of numbers.

    q, scales = tilewright.ops.quantize(x, "i8")
    c = tilewright.ops.scaled_matmul(q, w, scales, w_scales)
    h = tilewright.ops.scaled_matmul(x, w13, gate=True, activation="silu")
    c = tilewright.ops.grouped_matmul(x, w, offsets)

They are among tilewright.ops, and take the keywords that all of those take.
"""

import dataclasses

from . import _native
from . import ops as _ops

__all__ = ["dynamic_book", "grouped_matmul", "quantize", "scaled_matmul",
           "stack_experts"]


def _is_coded(w):
    return hasattr(w, "words") and hasattr(w, "weights")


def _weights(w, w_scales, group, block):
    """Tensors and words of weights that are numbers, or coded ones."""
    if not _is_coded(w):
        tensors = {"w": w, ("w_block_scales" if group or block > 1 else
                            "w_scales"): w_scales}
        scales = "no" if w_scales is None else _ops._kind("w_scales", w_scales)
        return tensors, {"weights": "plain", "scales": scales,
                         "group": str(group), "block": str(block)}
    if w_scales is not None or group or block != 1:
        raise TypeError("expects w_scales, group and block of numbers alone, as "
                        "quantized weights have their own")
    if w.rows is not None:
        raise TypeError("expects w with rows=None, and columns of a in the "
                        "order of w.rows")
    return {"words": w.words, "scales": w.scales, "zeros": w.zeros,
            "book": w.book}, _ops._weight_words(w)


def _columns(w):
    """How many columns weights have."""
    if _is_coded(w):
        return w.shape[1]
    return _ops._describe("w", w, 2, 3)[1][-1]


def _multiply(operator, like, rows, tensors, words, w, call, *, gate, bias,
              residual, activation, out, out_type, dynamic):
    """Runs it; the keywords: what happens to sums."""
    _ops._check_keywords(call)
    device = _native._describe_tensor("a", like)[2]
    columns = _columns(w)
    if gate and columns % 2:
        raise ValueError("expects w of an even number of columns with gate, but "
                         f"got {columns}")
    if out is None:
        out = _ops._new(like, (rows, columns // 2 if gate else columns),
                        out_type, device)
    else:
        out_type = _ops._kind("out", out)
    tensors.update(c=out, bias=bias, residual=residual)
    words.update(out=out_type, activation=activation,
                 gate="yes" if gate else "no",
                 bias="no" if bias is None else _ops._kind("bias", bias),
                 residual="no" if residual is None else "yes")
    if dynamic:
        words["dynamic"] = dynamic
    text = _ops._run(operator, tensors, words, device, call)
    return text if call.get("explain") else out


def _sums(a_zeros, w_sums):
    if (a_zeros is None) != (w_sums is None):
        raise TypeError("expects a_zeros and w_sums together: the sums of each "
                        "column of w, int32")
    return "no" if a_zeros is None else _ops._kind("a_zeros", a_zeros)


def _scaled_out(kind, out_type):
    if out_type != "same":
        return out_type
    return kind if kind in ("f16", "bf16", "f32") else "f16"


def scaled_matmul(a, w, a_scales=None, w_scales=None, *, a_zeros=None,
                  w_sums=None, a_group=0, group=0, block=1, gate=False,
                  bias=None, residual=None, activation="none", out=None,
                  out_type="same", dynamic="", **call):
    """activation(a_scales (a - a_zeros) (w w_scales) + bias) + residual.

    a: m x k, int8, fp8 (e4m3, e5m2), f16, bf16 or f32; w: k x n of the same
    type, or tilewright.quantized.QuantizedWeights (W4A8 with int8 or fp8).
    a_scales: m, or one for all; with a_group m x k / a_group. w_scales: n, or
    one for all; with group or block k / group x n / block. a_zeros: m, of int8
    or int32, with w_sums: the sums of w's columns, int32.
    gate: w has 2 n columns, and the result is activation(first half) * second
    half (SwiGLU with activation="silu").
    out_type: f16, bf16 or f32; "same" as a's, of 8 bits f16.
    """
    kind, shape, _ = _ops._describe("a", a, 2)
    tensors, words = _weights(w, w_scales, group, block)
    tensors.update({"a": a, "a_zeros": a_zeros, "sums": w_sums,
                    "a_block_scales" if a_group else "a_scales": a_scales})
    words.update(type=kind, a_group=str(a_group), a_zeros=_sums(a_zeros, w_sums),
                 a_scales="no" if a_scales is None
                 else _ops._kind("a_scales", a_scales))
    return _multiply("scaled_matmul", a, shape[0], tensors, words, w,
                     call, gate=gate, bias=bias, residual=residual,
                     activation=activation, out=out,
                     out_type=_scaled_out(kind, out_type), dynamic=dynamic)


def grouped_matmul(a, w, offsets, a_scales=None, w_scales=None, *, rows=None,
                   a_zeros=None, w_sums=None, a_group=0, group=0, block=1,
                   gate=False, bias=None, residual=None, activation="none",
                   out=None, out_type="same", dynamic="", **call):
    """As scaled_matmul, where each row has the weights of one expert.

    Rows offsets[e] to offsets[e + 1] - 1 have those of expert e, which is the
    first dimension of w, w_scales, bias and w_sums (of quantized weights: see
    stack_experts). offsets: experts + 1, int32 or int64, on the device; experts
    may have no rows, and nothing waits for the host.
    rows: which row of a each row of the result is of, of offsets' type; a_scales
    and a_zeros are then of a's rows.
    """
    kind, shape, _ = _ops._describe("a", a, 2)
    index, bounds, _ = _ops._describe("offsets", offsets, 1)
    tensors, words = _weights(w, w_scales, group, block)
    gathers = rows is not None
    if gathers and _ops._kind("rows", rows) != index:
        raise TypeError(f"expects rows of offsets' type, {index}, but got "
                        f"{_ops._kind('rows', rows)}")
    count = _ops._describe("rows", rows, 1)[1][0] if gathers else shape[0]
    scales = ("table_" if gathers else "a_") + (
        "block_scales" if a_group else "scales")
    tensors.update({"table" if gathers else "a": a, "offsets": offsets,
                    "rows": rows, "sums": w_sums, scales: a_scales,
                    "table_zeros" if gathers else "a_zeros": a_zeros})
    words.update(type=kind, index_type=index, gather="yes" if gathers else "no",
                 experts=str(bounds[0] - 1), a_group=str(a_group),
                 a_zeros=_sums(a_zeros, w_sums),
                 a_scales="no" if a_scales is None
                 else _ops._kind("a_scales", a_scales))
    return _multiply("grouped_matmul", a, count, tensors, words, w,
                     call, gate=gate, bias=bias, residual=residual,
                     activation=activation, out=out,
                     out_type=_scaled_out(kind, out_type), dynamic=dynamic)


def stack_experts(weights):
    """Of each expert's tilewright.quantized.QuantizedWeights (of NumPy arrays)
    those that grouped_matmul takes."""
    import numpy
    weights = list(weights)
    first = weights[0]
    for other in weights[1:]:
        for field in ("shape", "weights", "group", "order", "packed"):
            if getattr(other, field) != getattr(first, field):
                raise ValueError(f"expects experts of one {field}, "
                                 f"{getattr(first, field)}, but got "
                                 f"{getattr(other, field)}")
    def stacked(field):
        values = [getattr(each, field) for each in weights]
        return None if values[0] is None else numpy.stack(values)
    return dataclasses.replace(first, words=stacked("words"),
                               scales=stacked("scales"), zeros=stacked("zeros"))


def dynamic_book():
    """bitsandbytes' signed dynamic map, ascending: what the codes of its 8-bit
    types and of nested scales stand for (T. Dettmers et al., "8-bit Optimizers
    via Block-wise Quantization", 2022, section 2.2): 256 floats, NumPy."""
    import numpy
    numbers = [0.0, 1.0]
    for exponent in range(7):
        bounds = numpy.linspace(0.1, 1, 2 ** exponent + 1)
        means = (bounds[:-1] + bounds[1:]) / 2 * 10.0 ** (exponent - 6)
        numbers += [*means, *-means]
    return numpy.sort(numpy.array(numbers, numpy.float32))


def quantize(x, format, *, block=0, order="high_first", nested=False, book=None,
             dynamic="", **call):
    """Codes of x, and what the numbers that they stand for are multiplied by.

    x: rows x columns, or columns; f16, bf16 or f32. format: i8, f8e4m3, f8e5m2,
    int4, nf4, fp4, or book8, which takes book: 256 ascending floats of f32 on
    the device (dynamic_book()). block: columns that share a scale; 0: a row.
    Gives (q, scales): q as x, of 4 bits two in an int8, the first one in the
    upper half (order="low_first": in the lower one); scales: f32, rows, or with
    a block rows x blocks. Scales are of the numbers: the largest magnitude
    divided by 127, 448, 57344 or 7, or as it is of nf4, fp4, book8.
    nested: of one row; scales less their mean are codes of book in blocks of
    256. Gives (q, codes of scales, their scales, mean).
    """
    _ops._check_keywords(call)
    kind, shape, device = _ops._describe("x", x, 1, 2)
    columns, rows = shape[-1], shape[:-1]
    if format in ("int4", "nf4", "fp4"):
        stored, width = "i8", -(-columns // 2)
    else:
        stored, width = format if format.startswith("f8") else "i8", columns
    def new(shape, kind):
        return _ops._new(x, shape, kind, device)
    blocks = -(-columns // block) if block else 1
    q = new(rows + (width,), stored)
    if nested:
        results = {"q": q, "scale_codes": new(rows + (blocks,), "i8"),
                   "outer_scales": new(rows + (-(-blocks // 256),), "f32"),
                   "offset": new((1,), "f32")}
    elif block:
        results = {"q": q, "scales": new(rows + (blocks,), "f32")}
    else:
        results = {"q": q, "row_scales": new(rows or (1,), "f32")}
    words = {"type": kind, "format": format, "block": str(block),
             "order": order, "nested": "yes" if nested else "no"}
    if dynamic:
        words["dynamic"] = dynamic
    text = _ops._run("quantize", dict(results, x=x, book=book), words, device,
                     call)
    return text if call.get("explain") else tuple(results.values())


# They are among tilewright.ops, whichever of the two is imported first.
vars(_ops).update((name, globals()[name]) for name in __all__)
_ops.__all__ += __all__
