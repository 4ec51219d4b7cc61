# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers of PyTorch with quantized weights.

    layer = tilewright.nn.QuantizedLinear.from_linear(linear, "nf4")
    layer = tilewright.nn.QuantizedLinear.from_tensors(tensors)

    print(tilewright.nn.patch(model))

`patch` replaces the layers of bitsandbytes, gptqmodel, auto-gptq, autoawq, HQQ,
GemLite and compressed-tensors in a loaded model (docs/Checkpoints.md), and by
option plain ones. Work goes to the tensors' current stream; torch.compile takes
a layer whole; activations have gradients, weights none.
"""

import dataclasses
import json
import math
import re
from typing import Optional

import tilewright

from . import ops
from . import quantized
from .torch import Tensor, _define, _need, _to_emulator, torch

__all__ = ["Patch", "QuantizedLinear", "patch", "quantize"]

_TYPES = (torch.float16, torch.bfloat16)


# ---------------------------------------------------------------------------
# The operator
# ---------------------------------------------------------------------------

def _weights(k, n, coding, words, scales, zeros, book):
    """QuantizedWeights of what the operator takes. coding: weights, order, packed
    and group, as _coding writes them."""
    weights, order, packed, group = coding.split(" ")
    return quantized.QuantizedWeights(words, scales, (k, n), weights, int(group),
                                      zeros, book, order, packed)


def _coding(w):
    return f"{w.weights} {w.order} {w.packed} {w.group}"


def _on_device(w, like):
    """The tensors where operators take them, and their keywords."""
    if like.device.type == "cuda":
        return w, {"stream": torch.cuda.current_stream(like.device)}
    return w.on(_to_emulator), {"stream": 0}


def _back(result):
    return result if isinstance(result, Tensor) else torch.from_numpy(
        tilewright.to_numpy(result))


def _plan_of_rows(m):
    """One row has code of its own; others share that of the next power of two."""
    return "m" if m > 1 else ""


def _linear(a: Tensor, words: Tensor, scales: Tensor, zeros: Optional[Tensor],
            book: Optional[Tensor], rows: Optional[Tensor],
            bias: Optional[Tensor], k: int, n: int, coding: str) -> Tensor:
    if a.shape[0] == 0:
        return a.new_empty((0, n))
    if rows is not None:
        a = a.index_select(1, rows)
    w, keywords = _on_device(_weights(k, n, coding, words, scales, zeros, book), a)
    if a.device.type != "cuda":
        a, bias = _to_emulator(a), _to_emulator(bias)
    return _back(ops.quantized_matmul(a, w, bias=bias,
                                      dynamic=_plan_of_rows(a.shape[0]),
                                      **keywords))


def _fake_linear(a, words, scales, zeros, book, rows, bias, k, n, coding):
    _need(a.dim() == 2, f"expects a of 2 dimensions, but got {a.dim()}")
    _need(a.shape[1] == k, f"expects {k} columns of a, but got {a.shape[1]}")
    return a.new_empty((a.shape[0], n))


def _dequantize(like: Tensor, words: Tensor, scales: Tensor,
                zeros: Optional[Tensor], book: Optional[Tensor], k: int, n: int,
                coding: str) -> Tensor:
    w, keywords = _on_device(_weights(k, n, coding, words, scales, zeros, book),
                             words)
    kind = "bf16" if like.dtype == torch.bfloat16 else "f16"
    return _back(ops.dequantize(w, out_type=kind, **keywords))


quantized_linear = _define("quantized_linear", _linear, _fake_linear)
_dequantized = _define(
    "dequantize_weights", _dequantize,
    lambda like, words, scales, zeros, book, k, n, coding:
    like.new_empty((k, n)))


def _keep(ctx, inputs, output):
    _, words, scales, zeros, book, rows, bias, ctx.k, ctx.n, ctx.coding = inputs
    ctx.bias_type = None if bias is None else bias.dtype
    ctx.save_for_backward(words, scales, zeros, book, rows)


def _backward(ctx, gradient):
    words, scales, zeros, book, rows = ctx.saved_tensors
    by_a = by_bias = None
    if ctx.needs_input_grad[0]:
        w = _dequantized(gradient, words, scales, zeros, book, ctx.k, ctx.n,
                         ctx.coding)
        by_a = gradient @ w.t()
        if rows is not None:
            by_a = torch.empty_like(by_a).index_copy(1, rows, by_a)
    if ctx.needs_input_grad[6]:
        by_bias = gradient.sum(0, dtype=torch.float32).to(ctx.bias_type)
    return by_a, None, None, None, None, None, by_bias, None, None, None


quantized_linear.register_autograd(_backward, setup_context=_keep)


# ---------------------------------------------------------------------------
# Quantization
# ---------------------------------------------------------------------------

def quantize(weight, weights="nf4", group=64):
    """QuantizedWeights in NumPy of an n x k tensor (as torch.nn.Linear has it),
    each rounded to the nearest.

    weights: "nf4" or "fp4" by a group's largest magnitude, as bitsandbytes has
    them; "int4", "int8" without zeros; "uint4", "uint2" with zeros, from a group's
    least to its largest. group: along k; 0: all of it.
    """
    kinds = ("nf4", "fp4", "int4", "int8", "uint2", "uint4")
    _need(weights in kinds,
          f"expects weights of {', '.join(kinds)}, but got '{weights}'")
    n, k = weight.shape
    group = group or k
    _need(k % group == 0,
          f"expects a group that divides k = {k}, but got {group}")
    groups = weight.detach().float().reshape(n, k // group, group)
    largest = groups.abs().amax(-1, keepdim=True)
    zeros = book = None
    if weights in ("nf4", "fp4"):
        table = quantized.NF4 if weights == "nf4" else quantized.FP4
        book = torch.tensor(table, device=weight.device)
        scales = largest
        codes = _nearest(groups / scales.clamp_min(1e-30), book)
    elif weights.startswith("int"):
        top = 2 ** (int(weights[3:]) - 1) - 1
        scales = (largest / top).clamp_min(1e-30)
        codes = (groups / scales).round().clamp(-top, top)
    else:
        top = 2 ** int(weights[4:]) - 1
        least = groups.amin(-1, keepdim=True).clamp_max(0)
        scales = ((groups.amax(-1, keepdim=True).clamp_min(0) - least) /
                  top).clamp_min(1e-30)
        zeros = (-least / scales).round()
        codes = (groups / scales + zeros).round().clamp(0, top)

    def of_groups(values, kind):
        return values.reshape(n, k // group).t().to(kind).contiguous().cpu().numpy()
    return quantized.from_codes(
        codes.reshape(n, k).t().to(torch.int16).cpu().numpy(),
        of_groups(scales, torch.float32),
        weights="book4" if book is not None else weights,
        zeros=None if zeros is None else of_groups(zeros, torch.int8),
        group=group, book=None if book is None else book.cpu().numpy())


def _nearest(values, book):
    """The numbers of the nearest entries of a book."""
    ordered, numbers = book.sort()
    between = (ordered[1:] + ordered[:-1]) / 2
    return numbers[torch.bucketize(values, between)]


# ---------------------------------------------------------------------------
# The layer
# ---------------------------------------------------------------------------

_TENSORS = ("words", "scales", "zeros", "book", "rows")


class QuantizedLinear(torch.nn.Module):
    """A torch.nn.Linear whose weights are quantized: y = x w + bias.

    x: any leading dimensions, in_features last; f16 or bf16, or of other types
    where `compute_dtype` says what they are computed in. Made empty, for
    load_state_dict, or by from_weights, from_linear or from_tensors.

    The state is `words`, `scales`, `zeros`, `book` and `rows` (docs/Checkpoints.md)
    and what `tilewright.quantized.QuantizedWeights` says beside them, in
    `_extra_state`, as a tensor of bytes. Casts (`half()`) are the bias's alone.
    """

    def __init__(self, in_features, out_features, bias=True, *,
                 compute_dtype=None, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.compute_dtype = compute_dtype
        self.coding, self.source = None, ""
        for name in _TENSORS:
            self.register_buffer(name, None)
        self.bias = torch.nn.Parameter(
            torch.zeros(out_features, device=device, dtype=dtype),
            requires_grad=False) if bias else None

    @classmethod
    def from_weights(cls, weights, bias=None, *, device=None, repack=True,
                     prepack=False, compute_dtype=None, source=""):
        """Of QuantizedWeights in NumPy and a tensor of n. repack: whether words
        are brought to the order that takes the fewest instructions. prepack:
        whether they are brought to that of the device's fragments instead
        (`tilewright.ops.prepack`); of groups that do not allow it a ValueError.
        source: the name of the format, for what is printed."""
        weights = weights.on(lambda values: _tensor(values, device))
        if prepack:
            weights = _prepacked(weights)
        elif repack:
            weights = _repacked(weights)
        made = cls(*weights.shape, bias=False, compute_dtype=compute_dtype)
        made.source = source or weights.weights
        for name in _TENSORS:
            setattr(made, name, getattr(weights, name))
        made.coding = _coding(weights)
        if bias is not None:
            made.bias = torch.nn.Parameter(
                bias.detach().clone().to(device), requires_grad=False)
        return made

    @classmethod
    def from_linear(cls, linear, weights="nf4", group=64, **keywords):
        """Of a torch.nn.Linear, by `quantize`."""
        keywords.setdefault("device", linear.weight.device)
        keywords.setdefault("source", f"torch.nn.Linear as {weights}")
        return cls.from_weights(quantize(linear.weight, weights, group),
                                linear.bias, **keywords)

    @classmethod
    def from_tensors(cls, tensors, *, gptq_version=1, group=None, block=None,
                     **keywords):
        """Of a layer's tensors as a package stores them, by their names in the
        layer; "bias" among them. See tilewright.checkpoints.weights_of."""
        from . import checkpoints
        source, weights = checkpoints.weights_of(
            tensors, gptq_version=gptq_version, group=group, block=block)
        return cls.from_weights(weights, tensors.get("bias"), source=source,
                                **keywords)

    def weights(self):
        """The QuantizedWeights, with this layer's tensors."""
        self._check_loaded()
        return dataclasses.replace(
            _weights(self.in_features, self.out_features, self.coding,
                     self.words, self.scales, self.zeros, self.book),
            rows=self.rows)

    def dequantize(self, dtype=torch.float16):
        """The weights as numbers, n x k, as torch.nn.Linear has them."""
        self._check_loaded()
        like = torch.empty(0, dtype=dtype, device=self.words.device)
        w = _dequantized(like, self.words, self.scales, self.zeros, self.book,
                         self.in_features, self.out_features, self.coding)
        if self.rows is not None:
            w = torch.empty_like(w).index_copy(0, self.rows, w)
        return w.t()

    def forward(self, x):
        self._check_loaded()
        _need(x.shape[-1] == self.in_features,
              f"expects {self.in_features} features, but got {x.shape[-1]}")
        kind = x.dtype
        x = x.to(self.words.device)
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))
            kind = x.dtype
        elif self.compute_dtype is not None:
            x = x.to(self.compute_dtype)
        _need(x.dtype in _TYPES,
              "expects activations of float16 or bfloat16, or a compute_dtype of "
              f"these, but got {x.dtype}")
        out = quantized_linear(
            x.reshape(-1, self.in_features), self.words, self.scales, self.zeros,
            self.book, self.rows, self.bias, self.in_features, self.out_features,
            self.coding)
        return out.reshape(*x.shape[:-1], self.out_features).to(kind)

    def prepare(self, rows, dtype=torch.float16):
        """Chooses, compiles and loads what calls with so many rows take, so that
        they can be captured into a graph."""
        with torch.no_grad():
            self(torch.zeros(rows, self.in_features, dtype=dtype,
                             device=self.words.device))

    def extra_repr(self):
        text = (f"in_features={self.in_features}, "
                f"out_features={self.out_features}, bias={self.bias is not None}")
        if self.coding is None:
            return text + ", not loaded"
        weights, _, _, group = self.coding.split(" ")
        text += f", weights={weights}, group={group}"
        text += ", act_order" if self.rows is not None else ""
        return text + (f", of {self.source}" if self.source else "")

    def _check_loaded(self):
        _need(self.coding is not None,
              "expects weights (from_weights, from_tensors or load_state_dict), "
              "but got a layer without")

    def get_extra_state(self):
        state = {"coding": self.coding, "source": self.source,
                 "shape": [self.in_features, self.out_features]}
        if self.coding is not None and self.weights().is_prepacked:
            state["unit"] = quantized._Unit(self.weights()).digest()
        return torch.tensor(list(json.dumps(state).encode()), dtype=torch.uint8)

    def set_extra_state(self, state):
        read = json.loads(bytes(state.cpu().tolist()))
        shape = [self.in_features, self.out_features]
        if read["shape"] != shape:
            raise RuntimeError(f"expects a state of {shape} features, but got "
                               f"{read['shape']}")
        self.coding, self.source = read["coding"], read["source"]
        weights = self.weights()
        if weights.is_prepacked and \
                read.get("unit") != quantized._Unit(weights).digest():
            raise RuntimeError("expects words in the order of this version's "
                               f"{weights.packed}, but got others; prepack the "
                               "weights anew")

    def _load_from_state_dict(self, state_dict, prefix, *others):
        """Which tensors there are, and of what shapes, is the state's."""
        if prefix + "words" in state_dict:
            where = next((t.device for t in self.state_dict().values()
                          if t.device.type != "cpu"), None)
            for name in _TENSORS:
                stored = state_dict.get(prefix + name)
                # (What is a parameter in a file of another's is none here.)
                setattr(self, name, None if stored is None else torch.empty_like(
                    stored, device=where or stored.device))
        super()._load_from_state_dict(state_dict, prefix, *others)

    def _apply(self, function, recurse=True):
        """Moves all, casts the bias alone: scales are as exact as they came."""
        kept = {name: getattr(self, name) for name in _TENSORS}
        super()._apply(function, recurse)
        for name, before in kept.items():
            after = getattr(self, name)
            if before is not None and after.dtype != before.dtype:
                setattr(self, name, before.to(after.device))
        return self


def _tensor(values, device):
    """Of a NumPy array, contiguous."""
    made = values if isinstance(values, Tensor) else torch.from_numpy(values)
    return made.to(device).contiguous()


def _prepacked(w):
    """ops.prepack of tensors, where they are."""
    if w.is_prepacked:
        return w
    given, keywords = _on_device(w, w.words)
    made = ops.prepack(given, **keywords)
    return dataclasses.replace(w, words=_back(made.words), packed=made.packed,
                               order=made.order)


def _repacked(w):
    """QuantizedWeights.repacked() of tensors, where they are."""
    if w.is_prepacked or \
            (w.packed, w.order, w.words.dtype) == ("k", "even_first", torch.int32):
        return w
    (k, n), bits = w.shape, quantized._BITS[w.weights]
    axis = 0 if w.packed == "k" else 1
    places = quantized._places(8 * w.words.element_size() // bits, w.order)
    parts = [(w.words >> bits * place & (2 ** bits - 1)).to(torch.uint8)
             for place in places]
    codes = torch.stack(parts, axis + 1).flatten(axis, axis + 1)[:k, :n]
    count = 32 // bits
    codes = torch.nn.functional.pad(codes, (0, 0, 0, -k % count))
    words = torch.zeros((codes.shape[0] // count, n), dtype=torch.int32,
                        device=codes.device)
    for index, place in enumerate(quantized._places(count, "even_first")):
        words |= codes[index::count].to(torch.int32) << bits * place
    return dataclasses.replace(w, words=words, packed="k", order="even_first")


# ---------------------------------------------------------------------------
# Models
# ---------------------------------------------------------------------------

# Classes whose kernels have rewritten what was loaded, in orders of their own.
_REWRITTEN = re.compile(
    "exllama|marlin|machete|bitblas|swordfish|ipex|fused|aten|avx512|int8kernel",
    re.IGNORECASE)


class Patch:
    """What `patch` did to a model: `replaced`, (name, format) of each layer, and
    `left`, (name, reason). In a `with`, undone at the end."""

    def __init__(self):
        self.replaced, self.left = [], []
        self._undo = []

    def undo(self):
        """Gives the model its layers back."""
        for parent, name, before, after in reversed(self._undo):
            # Whoever has set it since keeps what it set.
            if getattr(parent, name, None) is after:
                setattr(parent, name, before)
        self._undo = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.undo()

    def __str__(self):
        lines = [f"replaced {len(self.replaced)} layers"]
        lines += [f"  {name}: {source}" for name, source in self.replaced]
        if self.left:
            lines.append(f"left {len(self.left)} layers")
            lines += [f"  {name}: {reason}" for name, reason in self.left]
        return "\n".join(lines)


def patch(model, *, linears=None, group=64, skip=("lm_head",), undoable=True,
          prepack=False, config=None):
    """Replaces the quantized linear layers of a loaded model by QuantizedLinear,
    in place; their own are found by the names of their tensors.

    linears: what plain torch.nn.Linear are quantized to (`quantize`), with groups
    of `group`; None: they stay. skip: names, or last parts of names, that stay.
    undoable: whether the layers are kept for undo(), with their memory. prepack:
    as of QuantizedLinear.from_weights; layers whose groups do not allow it stay.
    config: the quantization's configuration as a dictionary; default: that of
    model.config, if any.

    Gives a Patch, which says what was replaced and what was left, and why.
    """
    if config is None:
        config = getattr(getattr(model, "config", None), "quantization_config",
                         None) or {}
        config = config if isinstance(config, dict) else config.to_dict()
    done, made = Patch(), {}
    for name, module in list(model.named_modules(remove_duplicate=False)):
        if next(module.children(), None) is not None:
            continue
        if id(module) not in made:
            made[id(module)] = _replacement(name, module, linears, group, skip,
                                            config, done, prepack=prepack)
        after = made[id(module)]
        if after is None:
            continue
        parent_name, _, last = name.rpartition(".")
        parent = model.get_submodule(parent_name)
        _need(last != "", "expects a model with layers, but got a layer")
        setattr(parent, last, after)
        if undoable:
            done._undo.append((parent, last, module, after))
    return done


def _replacement(name, module, linears, group, skip, config, done, **keywords):
    """The layer in place of `module`, or None; notes it in `done`. keywords: of
    QuantizedLinear.from_weights."""
    from . import checkpoints
    if isinstance(module, QuantizedLinear):
        return None
    tensors = _tensors_of(module)
    kind = checkpoints.format_of(tensors)
    # (compressed-tensors leaves the class, and changes what it has.)
    is_plain = kind is None and type(module) is torch.nn.Linear
    if kind is None and not is_plain:
        if _looks_quantized(module, tensors):
            done.left.append((name, "its tensors are of no known format"))
        return None
    reason = _reason_to_leave(name, module, tensors, is_plain and linears is None,
                              skip)
    if reason is not None:
        done.left.append((name, reason))
        return None
    try:
        after = QuantizedLinear.from_linear(
            module, linears, math.gcd(group, module.in_features) if group else 0,
            **keywords) \
            if is_plain else _of_module(module, tensors, config, **keywords)
    except (ValueError, RuntimeError) as error:
        done.left.append((name, str(error)))
        return None
    after.training = module.training
    done.replaced.append((name, after.source))
    return after


def _of_module(module, tensors, config, **keywords):
    from . import checkpoints
    hints = checkpoints.hints_of(config)
    # gptqmodel has zeros as in version 2 in memory where its kernel reads these;
    # qzero_format says only whether it was gptqmodel that made them so.
    if callable(getattr(module, "qzero_format", None)):
        needs_2 = getattr(module, "REQUIRES_FORMAT_V2", False)
        hints["gptq_version"] = 2 if needs_2 else module.qzero_format()
    group = getattr(module, "group_size", None)
    if isinstance(group, int) and group > 0:
        hints["group"] = group
    device = next(t.device for t in tensors.values()
                  if isinstance(t, Tensor) and t.dim() > 1)
    compute = getattr(module, "compute_dtype", None)
    return QuantizedLinear.from_tensors(
        tensors, device=device, **hints, **keywords,
        compute_dtype=compute if compute in _TYPES else None)


def _tensors_of(module):
    """A layer's tensors by the names that a checkpoint has for them."""
    meta = getattr(module, "meta", None)
    if isinstance(meta, dict) and "W_q" in vars(module).get("_parameters", {}):
        # HQQ: its state_dict has the same, coded as tensors.
        names = ("scale", "zero", "shape", "nbits", "group_size", "axis")
        tensors = {name: meta[name] for name in names if name in meta}
        tensors["W_q"] = module.W_q.data
        if getattr(module, "bias", None) is not None:
            tensors["bias"] = module.bias
        return tensors
    return {name: tensor for name, tensor in module.state_dict().items()
            if isinstance(tensor, Tensor)}


def _looks_quantized(module, tensors):
    return "qweight" in tensors or "weight_packed" in tensors or \
        "W_q" in tensors or hasattr(getattr(module, "weight", None), "quant_state")


def _reason_to_leave(name, module, tensors, stays_plain, skip):
    if any(name == part or name.endswith("." + part) for part in skip):
        return "skipped by name"
    if stays_plain:
        return "a plain torch.nn.Linear, and no linears=... to quantize it"
    if any(isinstance(t, Tensor) and t.device.type == "meta"
           for t in tensors.values()):
        return "its tensors are on no device (offloaded)"
    if getattr(module, "planar", False):
        return "its codes are in planes of bits, not one after the other"
    if "qweight" in tensors and (_REWRITTEN.search(type(module).__name__) or
                                 hasattr(module, "q_handle")):
        return (f"{type(module).__name__} has rewritten its weights: load the "
                "model with the package's plain kernel (gptqmodel: "
                "backend=BACKEND.TORCH)")
    return None
