# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library's operators on tensors of any framework that speaks DLPack.

    c = tilewright.ops.matmul(a, b, bias=bias, activation="gelu")
    y = tilewright.ops.softmax(x)

Results are new tensors of the arguments' framework (PyTorch, or arrays of this
module), or `out`, which any framework may give. Work goes to `stream`, by
default the stream that the framework says it works on. The first call with
certain sizes chooses a configuration, compiles and loads; `prepare=True` does
that alone, so that a later call can be captured into a graph.

`explain=True` gives instead the text of the choice: what such a call gets, what
it is predicted to take, what was refused and why.
"""

import dataclasses

from . import _compilers, _native
from . import empty as _empty

__all__ = ["attention", "dequantize", "layer_norm", "matmul", "prepack", "quantized_matmul", "rms_norm",
           "scaled_dot_product_attention", "softmax"]

# Whether PTX is assembled before the driver sees it.
machine_code = True
# How many candidates are measured where a call needs a choice that nobody has
# measured yet; 0: as the environment variable TILEWRIGHT_TUNE says, else none.
# What came of it is kept in the cache, for later processes too.
tune = 0
_plans = {}
_NUMPY = {"f16": "float16", "f32": "float32", "f64": "float64", "i8": "int8",
          "i32": "int32", "i64": "int64"}
_TORCH = {"f16": "float16", "bf16": "bfloat16", "f32": "float32",
          "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "i8": "int8",
          "i32": "int32", "i64": "int64"}


def _plan(operator, device, words, config):
    key = (operator, device, tuple(words.items()), config, machine_code, tune)
    plan = _plans.get(key)
    if plan is None:
        compiler = _compilers.get(None)
        if compiler is None:
            compiler = _compilers.setdefault(None, _native._compiler(None))
        plan = _plans.setdefault(key, _native._plan(
            compiler, device, operator, words, config or "", machine_code,
            tune))
    return plan


def _new(like, shape, kind, device):
    """A tensor of the framework of `like`, whose content is not known."""
    if isinstance(like, _native.Array):
        if kind not in _NUMPY:
            raise TypeError(f"expects out=..., as NumPy has no type {kind}")
        return _empty(shape, _NUMPY[kind], device)
    module = type(like).__module__.partition(".")[0]
    if module != "torch":
        raise TypeError("expects out=..., as tensors of "
                        f"{type(like).__module__} cannot be made here")
    import torch
    return torch.empty(shape, dtype=getattr(torch, _TORCH[kind]),
                       device=like.device)


def _run(operator, tensors, words, device, call):
    """`call`: the keywords that every operator takes."""
    plan = _plan(operator, device, words, call.get("config"))
    given = [tensors.get(name) for name in plan.tensors]
    if call.get("explain"):
        return plan.explain(given)
    if call.get("prepare"):
        plan.prepare(given)
        return None
    first = next(tensor for tensor in given if tensor is not None)
    plan.run(given, call.get("stream"),
             lambda size: _new(first, (size,), "i8", device))
    return None


def _check_keywords(call):
    for name in call:
        if name not in ("stream", "config", "prepare", "explain"):
            raise TypeError("expects the keywords stream, config, prepare and "
                            f"explain besides, but got '{name}'")


def _kind(name, tensor):
    return _native._describe_tensor(name, tensor)[0] or "unknown"


def _describe(name, tensor, *ranks):
    """Type, sizes and device of a tensor of so many dimensions."""
    kind, shape, device = _native._describe_tensor(name, tensor)
    if len(shape) not in ranks:
        raise TypeError(f"expects {name} of {' or '.join(map(str, ranks))} "
                        f"dimensions, but got {len(shape)}")
    return kind, shape, device


def matmul(a, b, *, bias=None, residual=None, activation="none", scale=1.0,
           out=None, out_type="same", precision="full", dynamic="", **call):
    """activation(scale * a b + bias) + residual.

    a: [batch,] m x k; b: [batch,] k x n, of the same type: f16, bf16, f32, fp8
    (e4m3, e5m2) or int8. bias: n; residual: as the result. Strides in any order.
    activation: none, relu, gelu, gelu-tanh, silu, sigmoid.
    out_type: of the result; "same" as a's (of int8, int32).
    precision: "tf32" where operands of f32 may be rounded.
    dynamic: names of sizes ("m") that differ from call to call: one code serves
    them all, up to the next power of two.
    """
    _check_keywords(call)
    kind, shape_a, device = _native._describe_tensor("a", a)
    other, shape_b, _ = _native._describe_tensor("b", b)
    if kind != other:
        raise TypeError(f"expects a and b of one type, but got {kind} and "
                        f"{other}")
    if len(shape_a) not in (2, 3) or len(shape_b) not in (2, 3):
        raise TypeError("expects a and b of 2 or 3 dimensions, but got "
                        f"{len(shape_a)} and {len(shape_b)}")
    if out is None:
        stored = out_type
        if stored == "same":
            stored = "i32" if kind == "i8" else kind
        batches = [n for shape in (shape_a, shape_b) for n in shape[:-2]]
        batch = () if not batches else (
            next((n for n in batches if n != 1), 1),)
        out = _new(a, batch + (shape_a[-2], shape_b[-1]), stored, device)
    elif out_type == "same":
        out_type = _kind("out", out)
    words = {"type": kind, "out": out_type, "activation": activation,
             "scale": repr(float(scale)), "precision": precision,
             "bias": "no" if bias is None else _kind("bias", bias),
             "residual": "no" if residual is None else "yes"}
    if dynamic:
        words["dynamic"] = dynamic
    text = _run("matmul", {"a": a, "b": b, "c": out, "bias": bias,
                           "residual": residual}, words, device, call)
    return text if call.get("explain") else out


def _weight_words(w):
    """The words of options that say how weights are coded."""
    if not isinstance(w.shape, (tuple, list)) or len(w.shape) != 2:
        raise TypeError(f"expects w.shape to be (k, n), but got {w.shape!r}")
    word = _kind("w.words", w.words)
    if word not in ("i8", "i32"):
        raise TypeError(f"expects w.words of int8 or int32, but got {word}")
    words = {"weights": w.weights, "word": word, "order": w.order,
             "packed": w.packed, "group": str(w.group),
             "scales": _kind("w.scales", w.scales),
             "zeros": "no" if w.zeros is None else _kind("w.zeros", w.zeros)}
    if w.book is not None:
        words["book"] = _kind("w.book", w.book)
    return words


def dequantize(w, *, out_type="f16", out=None, **call):
    """The weights of a tilewright.quantized.QuantizedWeights as numbers, k x n.

    (value of a code - zero) * scale in f32, rounded to out_type: f16, bf16, f32.
    Rows are in the order of w.rows where that is given.
    """
    _check_keywords(call)
    device = _native._describe_tensor("w.words", w.words)[2]
    words = _weight_words(w)
    if out is None:
        out = _new(w.words, tuple(w.shape), out_type, device)
    words["type"] = _kind("out", out)
    text = _run("dequantize", {"words": w.words, "scales": w.scales,
                               "zeros": w.zeros, "book": w.book, "w": out},
                words, device, call)
    return text if call.get("explain") else out


def prepack(w, family=None, **call):
    """The QuantizedWeights w with words in the order of a fragment
    (`QuantizedWeights.prepacked`), made on the device. family: by default that of
    the device."""
    from . import default_target, quantized
    _check_keywords(call)
    device = _native._describe_tensor("w.words", w.words)[2]
    family = family or quantized.prepacked_for(default_target(device))
    made = dataclasses.replace(w, packed=family, order="even_first")
    unit = quantized._Unit(made)
    along_k, along_n = unit.units
    words = _new(w.words, (along_n, along_k * unit.words), "i32", device)
    text = _run("prepack", {"words": w.words, "prepacked": words},
                {"k": str(w.shape[0]), "n": str(w.shape[1]), "to": family,
                 "weights": w.weights, "order": w.order, "packed": w.packed,
                 "word": _kind("w.words", w.words)}, device, call)
    return text if call.get("explain") else dataclasses.replace(
        made, words=words)


def quantized_matmul(a, w, *, bias=None, residual=None, activation="none",
                     out=None, out_type="same", dynamic="", **call):
    """activation(a w + bias) + residual with quantized weights.

    a: m x k, f16 or bf16; w: tilewright.quantized.QuantizedWeights with tensors on
    the device (`w.on(...)`), or anything with its fields. bias: n; residual: as
    the result. Where w.rows is given, columns of a are to be in that order; of
    tensors that can be indexed (PyTorch) it is done here.
    """
    _check_keywords(call)
    kind, shape, device = _describe("a", a, 2)
    if w.rows is not None:
        if isinstance(a, _native.Array):
            raise TypeError("expects columns of a in the order of w.rows, and w "
                            "with rows=None, as arrays here cannot be indexed")
        a = a[:, w.rows]
    words = _weight_words(w)
    if out is None:
        out = _new(a, (shape[0], w.shape[1]),
                   kind if out_type == "same" else out_type, device)
    elif out_type == "same":
        out_type = _kind("out", out)
    words.update(type=kind, out=out_type, activation=activation,
                 bias="no" if bias is None else _kind("bias", bias),
                 residual="no" if residual is None else "yes")
    if dynamic:
        words["dynamic"] = dynamic
    text = _run("quantized_matmul", {
        "a": a, "words": w.words, "scales": w.scales, "zeros": w.zeros,
        "book": w.book, "c": out, "bias": bias, "residual": residual}, words,
        device, call)
    return text if call.get("explain") else out


def _rowwise(operator, x, words, tensors, residual, out, out_type, call):
    _check_keywords(call)
    kind, shape, device = _describe("x", x, 2)
    if out is None:
        out = _new(x, shape, kind if out_type == "same" else out_type, device)
    elif out_type == "same":
        out_type = _kind("out", out)
    results = [out]
    tensors = dict(tensors, x=x, y=out, residual=residual)
    if residual is not None:
        tensors["sum"] = _new(x, shape, kind, device)
        results.append(tensors["sum"])
    if out_type in ("i8", "f8e4m3", "f8e5m2"):
        tensors["scales"] = _new(x, shape[:1], "f32", device)
        results.append(tensors["scales"])
    words = dict(words, type=kind, out=out_type,
                 residual="no" if residual is None else "yes")
    text = _run(operator, tensors, words, device, call)
    if call.get("explain"):
        return text
    return results[0] if len(results) == 1 else tuple(results)


def softmax(x, *, scale=1.0, residual=None, out=None, out_type="same", **call):
    """Softmax of each row of scale * x.

    With `residual` x + residual stands for x, and comes second. With a quantized
    `out_type` (i8, f8e4m3, f8e5m2) the scale of each row comes last.
    """
    return _rowwise("softmax", x, {"scale": repr(float(scale))}, {}, residual,
                    out, out_type, call)


def _norm(operator, x, weight, bias, gate, activation, epsilon, residual, out,
          out_type, call):
    words = {"epsilon": repr(float(epsilon)),
             "weight": "no" if weight is None else "yes",
             "bias": "no" if bias is None else "yes",
             "gate": "no" if gate is None else activation}
    parameter = bias if weight is None else weight
    if parameter is not None:
        words["parameters"] = _kind("weight", parameter)
    return _rowwise(operator, x, words,
                    {"weight": weight, "bias": bias, "gate": gate}, residual,
                    out, out_type, call)


def layer_norm(x, weight=None, bias=None, *, gate=None, activation="silu",
               epsilon=1e-5, residual=None, out=None, out_type="same", **call):
    """((x - mean) / sqrt(variance + epsilon) * weight + bias) * f(gate) of each
    row; gate: as x; f, the activation: silu or sigmoid.

    Results as those of softmax.
    """
    return _norm("layer_norm", x, weight, bias, gate, activation, epsilon,
                 residual, out, out_type, call)


def rms_norm(x, weight=None, *, bias=None, gate=None, activation="silu",
             epsilon=1e-5, residual=None, out=None, out_type="same", **call):
    """(x / sqrt(mean of squares + epsilon) * weight + bias) * f(gate) of each
    row; gate: as x; f, the activation: silu or sigmoid.

    Results as those of softmax.
    """
    return _norm("rms_norm", x, weight, bias, gate, activation, epsilon,
                 residual, out, out_type, call)


def attention(q, k, v, *, causal="no", window=0, soft_cap=0.0, scale=None,
              bias=None, slopes=None, lengths=None, query_offsets=None,
              key_offsets=None, pages=None, lse=False, precision="full",
              out=None, dynamic="", **call):
    """softmax(scale * q k^T + bias) v; with `lse`, also the logarithms of sums.

    q: [batch,] heads x queries x dim; k and v: [batch,] kv_heads x keys x dim,
    each head of which serves heads / kv_heads of q's. Strides in any order, dim
    up to 256, of v also another. f16, bf16 or f32.
    causal: "top-left" has the first query at the first key, "bottom-right" the
    last at the last. window: how many keys up to its own a query sees.
    bias: as the scores, repeated where it has size 1. slopes: heads, f32, of
    ALiBi. lengths: keys of each batch.
    Packed sequences: q is heads x all queries x dim, k and v likewise;
    query_offsets and key_offsets are their bounds, the total last.
    pages: batch x pages of a sequence; k and v are then pages x kv_heads x page
    size x dim.
    """
    _check_keywords(call)
    kind, shape, device = _describe("q", q, 3, 4)
    last = _describe("v", v, 3, 4)[1][-1]
    if out is None:
        out = _new(q, shape[:-1] + (last,), kind, device)
    logarithms = _new(q, shape[:-1], "f32", device) if lse else None
    index = next((_kind("an index", tensor) for tensor in
                  (lengths, query_offsets, pages) if tensor is not None), "i32")
    words = {"type": kind, "causal": causal, "window": window,
             "soft_cap": repr(float(soft_cap)),
             "scale": repr(float(scale or 0)), "precision": precision,
             "bias": "no" if bias is None else _kind("bias", bias),
             "alibi": "no" if slopes is None else "yes",
             "lengths": "no" if lengths is None else "yes",
             "lse": "yes" if lse else "no", "index_type": index}
    if dynamic:
        words["dynamic"] = dynamic
    paged = pages is not None
    text = _run("attention", {
        "q": q, "k": None if paged else k, "v": None if paged else v,
        "k_pages": k if paged else None, "v_pages": v if paged else None,
        "out": out, "bias": bias, "slopes": slopes, "lse": logarithms,
        "lengths": lengths, "query_offsets": query_offsets,
        "key_offsets": key_offsets, "pages": pages}, words, device, call)
    if call.get("explain"):
        return text
    return (out, logarithms) if lse else out


def scaled_dot_product_attention(query, key, value, attn_mask=None,
                                 dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """As torch.nn.functional.scaled_dot_product_attention, forward, on any
    target; rows that see no key are 0."""
    if dropout_p:
        raise ValueError("expects dropout_p=0, which inference has, but got "
                         f"{dropout_p}")
    if attn_mask is not None and _kind("attn_mask", attn_mask) == "unknown":
        import torch
        attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(
            attn_mask.logical_not(), float("-inf"))
    return attention(query, key, value, scale=scale, bias=attn_mask,
                     causal="top-left" if is_causal else "no")


# It is made of what is above, and adds its functions.
from . import linear as _linear  # noqa: E402,F401
from . import products as _products  # noqa: E402,F401
