# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized layers as checkpoints and the packages' modules name their tensors.

    kind, weights = tilewright.checkpoints.weights_of(tensors)

    with tilewright.checkpoints.Checkpoint("model-folder") as checkpoint:
        for name in checkpoint.layers():
            kind, weights = checkpoint.weights(name)

The tensors of a layer say which format they are of by their names, types and
shapes (docs/Checkpoints.md lists them), and of how many bits; what they do not
say is in config.json. A layer's tensors are NumPy arrays or PyTorch's. Nothing of
the packages is needed; files are read by the package `safetensors`.
"""

import dataclasses
import json
import os

from . import quantized
from .quantized import QuantizedWeights, _expect

__all__ = ["Checkpoint", "NotQuantized", "weights_of"]


class NotQuantized(ValueError):
    """The tensors are not those of a quantized layer of a known format."""


# ---------------------------------------------------------------------------
# Tensors
# ---------------------------------------------------------------------------

_FLOATS_OF_8_BITS = {"float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}


def _type(tensor):
    """The name of its type, without the framework's."""
    return str(tensor.dtype).rpartition(".")[2]


def _array(tensor):
    """A NumPy array: of bfloat16 as float32, of floats of 8 bits their bits."""
    if not hasattr(tensor, "detach"):
        import numpy
        return numpy.asarray(tensor)
    tensor = tensor.detach().cpu()
    kind = _type(tensor)
    if kind == "bfloat16":
        tensor = tensor.float()
    elif kind in _FLOATS_OF_8_BITS:
        import torch
        tensor = tensor.view(torch.uint8)
    return tensor.numpy()


def _number(value):
    """That of a number or of a tensor with one."""
    return value.item() if hasattr(value, "item") else value


def _unpack_dense(words, bits, axis, count):
    """`count` codes of any width up to 8 along `axis` of int32 words, one after
    the other from the lowest bit on: 32 of them in `bits` words."""
    import numpy
    words = numpy.moveaxis(words, axis, 0).view(numpy.uint32)
    _expect(words.shape[0] == -(-count * bits // 32),
            f"{-(-count * bits // 32)} words of {count} codes of {bits} bits",
            words.shape[0])
    starts = numpy.arange(count) * bits
    first, shift = starts // 32, (starts % 32).astype(numpy.uint32)[:, None]
    codes = words[first] >> shift
    crossing = numpy.flatnonzero(shift[:, 0] + bits > 32)
    codes[crossing] |= words[first[crossing] + 1] << (32 - shift[crossing])
    codes = (codes & numpy.uint32(2 ** bits - 1)).astype(numpy.uint8)
    return numpy.moveaxis(codes, 0, axis)


def _holding(bits):
    """The least width that kernels read."""
    return next(width for width in (2, 4, 8) if width >= bits)


def _ascending(g_idx, k, groups):
    """The rows in the order of their groups; None where they are in it."""
    import numpy
    if g_idx is None or (g_idx < 0).all():
        return None
    _expect(g_idx.shape == (k,), f"g_idx of {k} rows", g_idx.shape)
    if (g_idx == numpy.arange(k) // -(-k // groups)).all():
        return None
    sizes = numpy.bincount(g_idx, minlength=groups)
    _expect((sizes == k // groups).all(), f"groups of {k // groups} rows in g_idx",
            sizes.tolist())
    return numpy.argsort(g_idx, kind="stable").astype(numpy.int64)


def _blocks(values, n, k, block):
    """(values: groups x n, or x 1; rows of a group) of those of an n x k weight:
    one for all, for each row, for groups along k, or for blocks of `block`."""
    import numpy
    values = numpy.asarray(values)
    values = values.reshape(-1, 1) if values.ndim < 2 else values
    rows, groups = values.shape
    if block is not None:
        expected = tuple(-(-size // part) for size, part in zip((n, k), block))
        _expect(values.shape == expected, f"{expected} blocks of {tuple(block)}",
                values.shape)
        values = numpy.repeat(values, block[0], 0)[:n]
    else:
        _expect(rows in (1, n), f"values for 1 or {n} rows", rows)
        _expect(k % groups == 0, f"k = {k} to be a multiple of the groups", groups)
    group = 0 if groups == 1 else block[1] if block else k // groups
    return numpy.ascontiguousarray(values.T), group


# ---------------------------------------------------------------------------
# Formats: each reads the tensors of a layer by their names in it
# ---------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class _Hints:
    """What tensors do not say of themselves; None: not known."""

    gptq_version: int = 1
    group: int = None
    block: tuple = None


def _is_gptq(t):
    return {"qweight", "qzeros", "scales"} <= t.keys() and \
        t["qweight"].shape[1] == t["scales"].shape[1]


def _gptq(t, hints):
    qweight, qzeros = _array(t["qweight"]), _array(t["qzeros"])
    scales, g_idx = _array(t["scales"]), t.get("g_idx")
    g_idx = None if g_idx is None or not len(g_idx) else _array(g_idx)
    n = scales.shape[1]
    if g_idx is not None:
        bits = 32 * qweight.shape[0] // g_idx.size
    else:
        bits = 32 * qzeros.shape[1] // n
    _expect(2 <= bits <= 8, "codes of 2 to 8 bits", bits)
    version = hints.gptq_version
    if _holding(bits) != bits:
        qweight, qzeros = _widened_gptq(qweight, qzeros, n, bits, version)
        bits, version = _holding(bits), 2
    return quantized.from_gptq(qweight, qzeros, scales, g_idx, bits=bits,
                               version=version)


def _widened_gptq(qweight, qzeros, n, bits, version):
    """The same in words of a width that kernels read, zeros as in version 2."""
    import numpy
    k = 32 * qweight.shape[0] // bits
    codes = _unpack_dense(qweight, bits, 0, k)
    zeros = _unpack_dense(qzeros, bits, 1, n) + numpy.uint8(version == 1)
    wide = _holding(bits)
    return (quantized._pack(codes, wide),
            numpy.ascontiguousarray(quantized._pack(zeros.T, wide).T))


def _is_awq(t):
    return {"qweight", "qzeros", "scales"} <= t.keys() and \
        t["qweight"].shape[1] * 8 == t["scales"].shape[1] and \
        t["qzeros"].shape[0] == t["scales"].shape[0] < t["qweight"].shape[0]


def _awq(t, hints):
    return quantized.from_awq(*(_array(t[name]) for name in
                                ("qweight", "qzeros", "scales")))


def _is_awq_gemv(t):
    # (GPTQ's groups of 8 rows look alike but for g_idx.)
    return {"qweight", "qzeros", "scales"} <= t.keys() and "g_idx" not in t and \
        _type(t["qweight"]) == "int32" and \
        t["qweight"].shape[0] == t["scales"].shape[0] == t["qzeros"].shape[0] and \
        t["scales"].shape[1] == 8 * t["qzeros"].shape[1]


def _awq_gemv(t, hints):
    """n x k / 8 words, low codes first; scales and zeros: n x groups, padded."""
    import numpy
    codes = quantized._unpack(_array(t["qweight"]), 4, 1, "low_first")
    k = codes.shape[1]
    _expect(hints.group, "the group size (group_size in the configuration)",
            hints.group)
    groups = k // hints.group
    zeros = quantized._unpack(_array(t["qzeros"]), 4, 1, "low_first")[:, :groups]
    return quantized.from_codes(
        codes.T, _array(t["scales"])[:, :groups].T, group=hints.group,
        zeros=numpy.ascontiguousarray(zeros.T.astype(numpy.int8)))


_BNB_STATE = "weight.quant_state.bitsandbytes__"


def _is_bitsandbytes(t):
    return "weight.absmax" in t and any(name.startswith(_BNB_STATE) for name in t)


def _bitsandbytes(t, hints):
    import numpy
    key = next(name for name in t if name.startswith(_BNB_STATE))
    # bitsandbytes, utils.py: pack_dict_to_tensor, JSON in bytes.
    state = json.loads(bytes(_array(t[key])))
    nested = None
    if "nested_offset" in state:
        nested = (_array(t["weight.nested_quant_map"]),
                  _array(t["weight.nested_absmax"]), state["nested_offset"])
    # The bytes may be kept under another type (bnb_4bit_quant_storage).
    weight = t["weight"]
    if hasattr(weight, "detach"):
        import torch
        weight = weight.detach().cpu().contiguous().view(torch.uint8)
    return quantized.from_bitsandbytes(
        _array(weight).reshape(-1).view(numpy.uint8), _array(t["weight.absmax"]),
        state["shape"], quant_type=key[len(_BNB_STATE):],
        blocksize=state["blocksize"], nested=nested,
        nested_blocksize=state.get("nested_blocksize", 256))


def _is_bitsandbytes_int8(t):
    return {"weight", "SCB"} <= t.keys() and _type(t["weight"]) == "int8"


def _bitsandbytes_int8(t, hints):
    form = _number(t.get("weight_format", 0))
    _expect(form == 0, "weight_format 0 (row)", form)
    # bitsandbytes, functional.py: int8_vectorwise_dequant.
    scales = _array(t["SCB"]).reshape(1, -1) / 127
    return quantized.from_codes(_array(t["weight"]).T, scales, weights="int8")


def _is_hqq(t):
    return {"W_q", "scale", "zero", "shape"} <= t.keys()


def _hqq(t, hints):
    import numpy
    bits, axis = int(_number(t["nbits"])), int(_number(t["axis"]))
    _expect(axis == 1, "axis=1, groups along k", axis)
    n, k = (int(size) for size in t["shape"])
    group = t.get("group_size")
    group = k if group is None else int(_number(group))
    packed = _array(t["W_q"])
    if packed.dtype.kind == "f":  # view_as_float
        packed = packed.view(numpy.int32 if bits == 3 else numpy.uint8)
    if bits not in (2, 4, 8):
        packed, bits = _widened_hqq(packed, n * k // group, bits)
    return quantized.from_hqq(packed, _array(t["scale"]), _array(t["zero"]),
                              (n, k), bits=bits, group=group)


def _widened_hqq(packed, rows, bits):
    """(bytes, bits) of a width that kernels read, of 1 bit (1bit_u8) or of 3 bits,
    ten in a word (3bit_32): the first part of the rows in the highest bits."""
    import numpy
    _expect(bits in (1, 3), "codes of 1, 2, 3, 4 or 8 bits", bits)
    count = 8 if bits == 1 else 10
    codes = numpy.concatenate([packed >> bits * place & (2 ** bits - 1)
                               for place in reversed(range(count))])
    wide = _holding(bits)
    parts = 8 // wide
    step = -(-rows // parts)
    padded = numpy.zeros((parts * step, codes.shape[1]), numpy.uint8)
    padded[:rows] = codes[:rows]
    made = numpy.zeros((step, codes.shape[1]), numpy.uint8)
    for i in range(parts):
        made |= padded[i * step:(i + 1) * step] << (8 - wide * (i + 1))
    return made, wide


def _is_pack_quantized(t):
    return {"weight_packed", "weight_scale", "weight_shape"} <= t.keys() and \
        _type(t["weight_packed"]) == "int32"


def _pack_quantized(t, hints):
    import numpy
    n, k = (int(size) for size in t["weight_shape"])
    words = _array(t["weight_packed"])
    # (Words of a row are full but the last, and rows are longer than a word.)
    bits = 32 * words.shape[1] // max(k, 32)
    _expect(1 <= bits <= 8, "codes of 1 to 8 bits", bits)
    codes = _unpack_dense(words, bits, 1, k).astype(numpy.int16) - 2 ** bits // 2
    scales, group = _blocks(_array(t["weight_scale"]), n, k, hints.block)
    zeros = t.get("weight_zero_point")
    if zeros is not None:
        zeros = _unpack_dense(_array(zeros), bits, 0, n).astype(numpy.int16)
        zeros = _blocks(zeros - 2 ** bits // 2, n, k, None)[0].astype(numpy.int8)
    g_idx = t.get("weight_g_idx")
    rows = _ascending(None if g_idx is None else _array(g_idx), k,
                      scales.shape[0])
    codes = codes.T if rows is None else codes.T[rows]
    made = quantized.from_codes(codes, scales, weights=f"int{_holding(bits)}",
                                zeros=zeros, group=group)
    return dataclasses.replace(made, rows=rows)


def _is_plain_quantized(t):
    return ("weight_scale" in t or "weight_scale_inv" in t) and "weight" in t and \
        len(t["weight"].shape) == 2 and \
        (_type(t["weight"]) == "int8" or _type(t["weight"]) in _FLOATS_OF_8_BITS)


def _plain_quantized(t, hints):
    """compressed-tensors' int-quantized and float-quantized, and the blocks of
    128 x 128 that DeepSeek's checkpoints have."""
    import numpy
    kind = _FLOATS_OF_8_BITS.get(_type(t["weight"]), "int8")
    codes = _array(t["weight"])
    n, k = codes.shape
    block = hints.block
    if "weight_scale_inv" in t:
        block = block or (128, 128)
    scale = t.get("weight_scale_inv", t.get("weight_scale"))
    scales, group = _blocks(_array(scale), n, k, block)
    zeros = t.get("weight_zero_point")
    zeros = None if zeros is None or _type(zeros) != "int8" else _array(zeros)
    if zeros is not None and zeros.any():
        zeros = _blocks(zeros, n, k, block)[0]
    else:
        zeros = None
    return quantized.from_codes(numpy.ascontiguousarray(codes.T), scales,
                                weights=kind, zeros=zeros, group=group)


def _is_gemlite(t):
    return {"W_q", "scales", "metadata", "orig_shape"} <= t.keys()


def _gemlite(t, hints):
    """gemlite, core.py: get_meta_args and pack; w = q s + z where fused."""
    import numpy
    meta = [int(value) for value in t["metadata"]]
    bits, group, channel, mode = meta[1], meta[2], meta[9], meta[10]
    n, k = (int(size) for size in t["orig_shape"])
    _expect(bits in (1, 2, 4, 8) and mode <= 4 and channel in (0, 1),
            "weights alone of 1, 2, 4 or 8 bits",
            f"{bits} bits with modes {mode} and {channel}")
    kind = _FLOATS_OF_8_BITS.get(_type(t["W_q"]))
    words = _array(t["W_q"])
    if kind is None:
        kind = "int8" if bits == 8 and words.dtype == numpy.int8 \
            else f"uint{_holding(bits)}"
    codes = words if words.shape[0] == k else \
        quantized._unpack(words, bits, 0, "low_first")
    scales, zeros = _array(t["scales"]), _array(t["zeros"])
    scales = scales.astype(numpy.float32) if scales.size else \
        numpy.ones((1, 1), numpy.float32)
    if mode in (0, 2) or not zeros.size:
        zeros = None
    elif zeros.size == 1:
        zeros = numpy.full(scales.shape, zeros.item(), numpy.float32)
    else:
        zeros = zeros.astype(numpy.float32)
        zeros = -zeros / scales if mode == 4 else zeros
    groups = scales.shape[0]
    return quantized.from_codes(codes, scales, weights=kind, zeros=zeros,
                                group=0 if groups == 1 else group)


# (name, whether tensors are of it, what reads them); the first that fits.
_FORMATS = (
    ("bitsandbytes 4-bit", _is_bitsandbytes, _bitsandbytes),
    ("bitsandbytes int8", _is_bitsandbytes_int8, _bitsandbytes_int8),
    ("AWQ gemv", _is_awq_gemv, _awq_gemv),
    ("GPTQ", _is_gptq, _gptq),
    ("AWQ", _is_awq, _awq),
    ("HQQ", _is_hqq, _hqq),
    ("GemLite", _is_gemlite, _gemlite),
    ("compressed-tensors packed", _is_pack_quantized, _pack_quantized),
    ("8-bit", _is_plain_quantized, _plain_quantized),
)


def format_of(tensors):
    """The name of the format of a layer's tensors, or None."""
    return next((name for name, fits, _ in _FORMATS if fits(tensors)), None)


def weights_of(tensors, *, gptq_version=1, group=None, block=None):
    """(the format's name, QuantizedWeights in NumPy) of a layer's tensors by
    their names in the layer: {"qweight": ..., "qzeros": ...}.

    gptq_version: 2 where zeros are stored as they are (gptq_v2). group: what AWQ's
    gemv format is to be told. block: (rows, columns) of the blocks of n x k that
    scales are for, where they are neither for rows nor for groups of a row.
    """
    hints = _Hints(gptq_version, group, block)
    for name, fits, read in _FORMATS:
        if fits(tensors):
            return name, read(tensors, hints)
    raise NotQuantized("expects the tensors of a quantized layer ("
                       + ", ".join(name for name, _, _ in _FORMATS)
                       + f"), but got {', '.join(sorted(tensors))}")


# ---------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------

# The ends of names that only quantized layers have.
_ENDS = (".qweight", ".weight.absmax", ".SCB", ".W_q", ".weight_packed",
         ".weight_scale", ".weight_scale_inv")


class Checkpoint:
    """The safetensors files of a folder, or one such file, with the quantization
    that config.json or quantize_config.json beside them describes."""

    def __init__(self, path):
        path = os.fspath(path)
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        files = sorted(os.path.join(path, name) for name in os.listdir(path)
                       if name.endswith(".safetensors")) \
            if os.path.isdir(path) else [path]
        _expect(files, "a folder with .safetensors files", path)
        self.config = _configuration(folder)
        self._files = [_open(file) for file in files]
        self._owner = {name: file for file in self._files for name in file.keys()}

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._files, self._owner = [], {}

    def names(self):
        """The names of all tensors, sorted."""
        return sorted(self._owner)

    def tensor(self, name):
        """A tensor, of PyTorch where that is installed, else of NumPy."""
        if name not in self._owner:
            raise KeyError(f"expects the name of a tensor, but got '{name}'")
        return self._owner[name].get_tensor(name)

    def layers(self):
        """The names of the quantized layers, sorted."""
        return sorted({name[:-len(end)] for name in self._owner for end in _ENDS
                       if name.endswith(end)})

    def tensors(self, layer):
        """The tensors of a layer by their names in it."""
        prefix = layer + "."
        return {name[len(prefix):]: self.tensor(name) for name in self._owner
                if name.startswith(prefix)}

    def weights(self, layer):
        """(the format's name, QuantizedWeights in NumPy) of a layer."""
        return weights_of(self.tensors(layer), **hints_of(self.config))


def _open(file):
    try:
        from safetensors import safe_open
    except ImportError as error:
        raise ImportError("tilewright.checkpoints expects the package "
                          "safetensors for reading files") from error
    try:
        import torch  # noqa: F401
        framework = "pt"
    except ImportError:
        framework = "numpy"
    return safe_open(file, framework=framework)


def _configuration(folder):
    """The quantization's, {} where there is none."""
    for name, key in (("config.json", "quantization_config"),
                      ("quantize_config.json", None)):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                read = json.load(file)
            read = read if key is None else read.get(key)
            if read:
                return read
    return {}


def hints_of(config):
    """What a quantization's configuration says that tensors do not, as keywords
    of weights_of."""
    hints = {}
    if "gptq_v2" in (config.get("checkpoint_format"), config.get("format")):
        hints["gptq_version"] = 2
    group = config.get("group_size", config.get("q_group_size"))
    if group and group > 0:
        hints["group"] = group
    block = config.get("weight_block_size")
    for scheme in (config.get("config_groups") or {}).values():
        block = (scheme.get("weights") or {}).get("block_structure") or block
    if block:
        hints["block"] = tuple(block)
    return hints
