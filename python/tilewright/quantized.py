# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 2, 4 and 8 bits, as checkpoints store them.

    w = tilewright.quantized.from_gptq(qweight, qzeros, scales, g_idx)
    c = tilewright.ops.quantized_matmul(a, w.on(tilewright.array), stream=0)

Each `from_...` takes NumPy arrays with what the package of that name stores, and
gives a `QuantizedWeights`. None of the packages is needed. Words that the kernels
can read stay as they are; others are packed anew, and `repacked()` brings any to
the order that kernels with few rows read fastest. `prepacked()` brings them to that
of the matrix instructions' operands, which kernels of all sizes read fastest, and
`save` and `load` keep any of them in a file.
"""

import dataclasses

__all__ = ["FP4", "NF4", "QuantizedWeights", "from_awq", "from_bitsandbytes",
           "from_codes", "from_compressed_tensors", "from_gptq", "from_hqq",
           "load", "prepacked_for", "save"]

# What the codes of bitsandbytes' 4-bit types stand for (bitsandbytes,
# functional.py: get_4bit_type; FP4 as its CUDA kernels have it, unrounded).
NF4 = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453,
       -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
       0.07958029955625534, 0.16093020141124725, 0.24611230194568634,
       0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
       0.7229568362236023, 1.0)
_FP4 = (0.0, 0.005208333333, 0.66666667, 1.0, 0.33333333, 0.5, 0.16666667, 0.25)
FP4 = _FP4 + tuple(-x for x in _FP4)
_BITS = {"uint2": 2, "int2": 2, "book2": 2, "uint4": 4, "int4": 4, "book4": 4,
         "e2m1": 4, "uint8": 8, "int8": 8, "book8": 8, "e4m3": 8, "e5m2": 8}


@dataclasses.dataclass(frozen=True)
class QuantizedWeights:
    """Weights w of k x n: (value of a code - zero) * scale.

    words: packed codes, int32 or int8, k / codes of a word x n with packed="k",
    k x n / codes with packed="n"; of prepacked ones, with packed="m16n8" or
    "m8n8k4", a row for each unit along n. order: of the codes in a word, from the
    lowest bits on (docs/dialects/Tile.md). scales and zeros: groups x n, or 1 in a
    dimension for all of it; zeros are as they are subtracted. group: rows that
    share them; 0: all. book: what codes stand for. rows: where it is not None,
    row i of w is multiplied by column rows[i] of the activations.
    """

    words: object
    scales: object
    shape: tuple
    weights: str = "uint4"
    group: int = 0
    zeros: object = None
    book: object = None
    order: str = "low_first"
    packed: str = "k"
    rows: object = None

    def on(self, convert):
        """The same with tensors made by `convert` of NumPy arrays: of
        `tilewright.array`, or of `lambda x: torch.from_numpy(x).cuda()`."""
        def made(values):
            return None if values is None else convert(values)
        return dataclasses.replace(
            self, words=made(self.words), scales=made(self.scales),
            zeros=made(self.zeros), book=made(self.book), rows=made(self.rows))

    def codes(self):
        """The codes, uint8, k x n (of words in NumPy)."""
        if self.is_prepacked:
            codes = _Unit(self).unpack(self.words)
        else:
            axis = 0 if self.packed == "k" else 1
            codes = _unpack(self.words, _BITS[self.weights], axis, self.order)
        return codes[:self.shape[0], :self.shape[1]]

    @property
    def is_prepacked(self):
        """Whether words lie in the order of a fragment."""
        return self.packed not in ("k", "n")

    def repacked(self):
        """The same in words of 32 bits along k, in which neighbours are 16 bits
        apart, where the halves of a register have them: what takes the fewest
        instructions on every target."""
        return dataclasses.replace(
            self, words=_pack(self.codes(), _BITS[self.weights], "even_first"),
            packed="k", order="even_first")


    def prepacked(self, family="m16n8"):
        """The same in words of 32 bits in the order of a fragment: "m16n8", which
        targets from Turing on take, or "m8n8k4", Volta's (`prepacked_for` names a
        target's). On the device tilewright.ops.prepack does this."""
        made = dataclasses.replace(self, packed=family, order="even_first")
        return dataclasses.replace(made, words=_Unit(made).pack(self.codes()))


def prepacked_for(target):
    """The family of prepacked weights that kernels for a target read fastest."""
    from . import _native
    family = _native._prepacked_family(target)
    _expect(family is not None, "a target", repr(target))
    return family


class _Unit:
    """What prepacked words of such weights consist of, as the library has it."""

    def __init__(self, w):
        import numpy
        from . import _native
        self.rows, self.columns, self.words, self.span, places = \
            _native._prepacked_unit(w.packed, w.weights, w.order)
        _expect(w.group == 0 or w.group >= w.shape[0] or
                w.group % self.rows == 0 or
                (self.rows % w.group == 0 and w.group % self.span == 0),
                f"groups of a multiple of {self.rows} rows, of a power of two "
                f"from {self.span} on, or of all rows, in which rows of "
                f"prepacked weights can change places", w.group)
        self.places = numpy.array(places, numpy.uint32)
        self.bits = _BITS[w.weights]
        self.units = [-(-size // unit) for size, unit in
                      zip(w.shape, (self.rows, self.columns))]

    def pack(self, codes):
        """The words of codes, uint8, k x n."""
        import numpy
        along_k, along_n = self.units
        padded = numpy.zeros((along_k * self.rows, along_n * self.columns),
                             numpy.uint8)
        padded[:codes.shape[0], :codes.shape[1]] = codes
        units = padded.reshape(along_k, self.rows, along_n, self.columns)
        units = units.transpose(2, 0, 1, 3).reshape(along_n, along_k, -1)
        units = units[:, :, self.places].reshape(-1, 32 // self.bits)
        return _pack(numpy.ascontiguousarray(units.T), self.bits).reshape(
            along_n, along_k * self.words)

    def unpack(self, words):
        """The codes, of whole units, of such words."""
        import numpy
        along_k, along_n = self.units
        shape = (along_n, along_k * self.words)
        _expect(tuple(words.shape) == shape and words.dtype == numpy.int32,
                f"words of int32 {shape}", f"{words.dtype} {words.shape}")
        codes = _unpack(words.reshape(1, -1), self.bits, 0, "low_first").T
        units = numpy.empty((along_n, along_k, len(self.places)), numpy.uint8)
        units[:, :, self.places] = codes.reshape(units.shape)
        units = units.reshape(along_n, along_k, self.rows, self.columns)
        return units.transpose(1, 2, 0, 3).reshape(along_k * self.rows,
                                                   along_n * self.columns)

    def digest(self):
        """Of the order: other orders have others."""
        import hashlib
        return hashlib.sha256(self.places.astype("<u4").tobytes()).hexdigest()


_FORMAT, _VERSION = "tilewright.quantized", 1
_TENSORS = ("words", "scales", "zeros", "book", "rows")


def save(file, w):
    """Writes weights of NumPy arrays to a file (.npz) that says what they are."""
    import json

    import numpy
    about = {"format": _FORMAT, "version": _VERSION, "weights": w.weights,
             "shape": list(w.shape), "group": w.group, "order": w.order,
             "packed": w.packed}
    if w.is_prepacked:
        unit = _Unit(w)
        about["unit"] = [unit.rows, unit.columns, unit.digest()]
    given = {name: getattr(w, name) for name in _TENSORS
             if getattr(w, name) is not None}
    numpy.savez(file, about=json.dumps(about), **given)


def load(file, target=None):
    """The weights that `save` wrote. Refused (ValueError) is what another version
    wrote, and prepacked words whose order is not this version's, or not that of
    `target` ("sm_80"), where it is given."""
    import json

    import numpy
    with numpy.load(file, allow_pickle=False) as stored:
        _expect("about" in stored.files, f"a file that {_FORMAT}.save wrote",
                f"one of {', '.join(stored.files)}")
        about = json.loads(str(stored["about"]))
        tensors = {name: stored[name] for name in _TENSORS
                   if name in stored.files}
    _expect(about.get("format") == _FORMAT and
            about.get("version") == _VERSION, f"{_FORMAT} {_VERSION}",
            f"{about.get('format')} {about.get('version')}")
    w = QuantizedWeights(
        shape=tuple(about["shape"]), weights=about["weights"],
        group=about["group"], order=about["order"], packed=about["packed"],
        **tensors)
    if w.is_prepacked:
        unit = _Unit(w)
        known = [unit.rows, unit.columns, unit.digest()]
        _expect(about.get("unit") == known,
                f"prepacked weights of {w.packed}, units of {known[0]} rows and "
                f"{known[1]} columns in the order {known[2][:12]}",
                f"{about.get('unit')}; pack the weights anew")
        unit.unpack(w.words)
        _expect(target is None or w.packed == prepacked_for(target),
                f"weights prepacked for {target}", w.packed)
    return w


def _places(count, order):
    """For each element of a word, where its code is."""
    if order == "low_first":
        return list(range(count))
    if order == "high_first":
        return list(range(count))[::-1]
    return [j // 2 + (j % 2) * (count // 2) for j in range(count)]


def _unpack(words, bits, axis, order):
    """The codes of two-dimensional words that are packed along `axis`."""
    import numpy
    count = 8 * words.dtype.itemsize // bits
    unsigned = words.view(f"u{words.dtype.itemsize}")
    parts = [(unsigned >> (bits * place) & (2 ** bits - 1)).astype(numpy.uint8)
             for place in _places(count, order)]
    shape = list(words.shape)
    shape[axis] *= count
    return numpy.stack(parts, axis=axis + 1).reshape(shape)


def _pack(codes, bits, order="low_first"):
    """Words of 32 bits along the first axis."""
    import numpy
    count = 32 // bits
    rows = -(-codes.shape[0] // count) * count
    padded = numpy.zeros((rows, codes.shape[1]), numpy.uint32)
    padded[:codes.shape[0]] = codes
    words = numpy.zeros((rows // count, codes.shape[1]), numpy.uint32)
    for index, place in enumerate(_places(count, order)):
        words |= padded[index::count] << numpy.uint32(bits * place)
    return words.view(numpy.int32)


def _expect(condition, what, got):
    if not condition:
        raise ValueError(f"expects {what}, but got {got}")


def _expect_matrix(name, values, kinds="iu"):
    """Of integers, or of numbers of NumPy's other kinds ("f")."""
    shape, dtype = getattr(values, "shape", None), getattr(values, "dtype", None)
    _expect(shape is not None and len(shape) == 2,
            f"{name} of 2 dimensions",
            f"shape {tuple(shape)}" if shape is not None else type(values))
    _expect(getattr(dtype, "kind", "") in kinds,
            f"{name} of {'integers' if kinds == 'iu' else 'numbers'}", dtype)


def _group_size(k, groups):
    """Of rows; `groups`: how many."""
    _expect(groups > 0 and k % groups == 0,
            f"k = {k} to be a multiple of the groups", groups)
    return k // groups


def _scales(values):
    """Of a type that kernels take."""
    import numpy
    kind = numpy.float16 if values.dtype == numpy.float16 else numpy.float32
    return numpy.ascontiguousarray(values, kind)


def from_codes(codes, scales, *, weights="uint4", zeros=None, group=0,
               book=None):
    """Of codes: integers below 2^bits, k x n. scales and zeros: groups x n."""
    import numpy
    _expect(weights in _BITS, "weights of " + ", ".join(_BITS), repr(weights))
    _expect_matrix("codes", codes)
    _expect_matrix("scales", scales, "iuf")
    mask = 2 ** _BITS[weights] - 1
    if codes.dtype.kind == "f":
        codes = codes.astype(numpy.int64)
    words = _pack(codes.astype(numpy.uint8) & numpy.uint8(mask), _BITS[weights])
    return QuantizedWeights(words, _scales(scales), codes.shape, weights, group,
                            zeros, book)


def _signed(words, bits):
    """Words of codes less 2^(bits - 1), in two's complement."""
    import numpy
    highest = sum(1 << at for at in range(bits - 1, 32, bits))
    return words ^ numpy.uint32(highest).astype(numpy.int32)


def from_gptq(qweight, qzeros, scales, g_idx=None, *, bits=4, version=1):
    """GPTQ and its descendants, bits of 2, 4 or 8.

    qweight: int32 [k bits / 32, n], qzeros: int32 [groups, n bits / 32], scales:
    [groups, n], g_idx: the group of each row. Version 1 stores zeros less one,
    version 2 (gptq_v2) as they are. Where g_idx does not ascend (desc_act), rows
    are put in its order, and `rows` says which columns of activations go with
    them.
    """
    import numpy
    _expect(bits in (2, 4, 8), "bits of 2, 4 or 8", bits)
    _expect(version in (1, 2), "version 1 or 2", version)
    _expect_matrix("qweight", qweight)
    _expect_matrix("qzeros", qzeros)
    _expect_matrix("scales", scales, "iuf")
    k, n = qweight.shape[0] * 32 // bits, qweight.shape[1]
    groups = scales.shape[0]
    group = _group_size(k, groups)
    if g_idx is not None:
        shape = tuple(getattr(g_idx, "shape", ()))
        _expect(shape == (k,), f"g_idx of {k} groups", f"shape {shape}")
        _expect(g_idx.dtype.kind in "iu" and k and 0 <= g_idx.min() and
                g_idx.max() < groups, f"groups below {groups} in g_idx",
                "others")
    # Kept below 2^bits before 1 is added, as the packages' kernels do.
    zeros = _unpack(qzeros, bits, 1, "low_first")[:, :n].astype(numpy.int16)
    zeros += version == 1
    words, rows = qweight, None
    if g_idx is not None and (g_idx != numpy.arange(k) // group).any():
        rows = numpy.argsort(g_idx, kind="stable").astype(numpy.int64)
        sizes = numpy.bincount(g_idx, minlength=groups)
        _expect((sizes == group).all(), f"groups of {group} rows in g_idx",
                sizes.tolist())
        words = _pack(_unpack(qweight, bits, 0, "low_first")[rows], bits)
    weights = f"uint{bits}"
    middle = 2 ** (bits - 1)
    if bits == 8 or (zeros == middle).all():
        # Both less the middle: zeros are of 8 bits then, or there are none.
        words, weights, zeros = _signed(words, bits), f"int{bits}", zeros - middle
        _expect(zeros.max(initial=0) < 128, "zeros up to 255",
                zeros.max(initial=0) + 128)
    zeros = zeros.astype(numpy.int8) if zeros.any() else None
    return QuantizedWeights(numpy.ascontiguousarray(words), _scales(scales),
                            (k, n), weights, group, zeros, rows=rows)


def from_awq(qweight, qzeros, scales):
    """AWQ's GEMM format: qweight int32 [k, n / 8], qzeros int32 [groups, n / 8],
    scales [groups, n]; codes along n in the order 0 2 4 6 1 3 5 7."""
    import numpy
    _expect_matrix("qweight", qweight)
    _expect_matrix("qzeros", qzeros)
    _expect_matrix("scales", scales, "iuf")
    k, n = qweight.shape[0], qweight.shape[1] * 8
    group = _group_size(k, scales.shape[0])
    zeros = _unpack(qzeros, 4, 1, "even_first").astype(numpy.int8)
    words, weights = qweight, "uint4"
    if (zeros == 8).all():
        words, weights, zeros = _signed(qweight, 4), "int4", None
    return QuantizedWeights(numpy.ascontiguousarray(words), _scales(scales),
                            (k, n), weights, group, zeros,
                            order="even_first", packed="n")


def from_bitsandbytes(packed, absmax, shape, *, quant_type="nf4", blocksize=64,
                      nested=None, nested_blocksize=256):
    """bitsandbytes' 4-bit weights of shape (n, k).

    packed: bytes, the first code of two in the upper half; absmax: one for each
    `blocksize` codes. nested: (code of 256 floats, absmax of blocks of
    `nested_blocksize`, offset), where absmax are bytes (double quantization).
    Blocks go on from row to row; where k is no multiple of them, groups are the
    largest that no block's end divides.
    """
    import math

    import numpy
    _expect(quant_type in ("nf4", "fp4"), "quant_type nf4 or fp4",
            repr(quant_type))
    n, k = shape
    _expect(blocksize > 0, "blocksize above 0", blocksize)
    blocks = -(-n * k // blocksize)
    _expect(absmax.size == blocks, f"absmax of {blocks} blocks", absmax.size)
    if nested is not None:
        code, outer, offset = nested
        blocks = numpy.arange(absmax.size) // nested_blocksize
        absmax = (code[absmax.reshape(-1)] * outer.reshape(-1)[blocks] +
                  offset).astype(numpy.float32)
    halves = packed.reshape(-1).view(numpy.uint8)
    book = numpy.array(NF4 if quant_type == "nf4" else FP4, numpy.float32)
    group = math.gcd(k, blocksize)
    scales = absmax.reshape(-1)[numpy.arange(0, n * k, group) // blocksize]
    scales = scales.reshape(n, k // group).T
    if k % 2 == 0:
        words = halves[:n * k // 2].reshape(n, k // 2).view(numpy.int8).T
        return QuantizedWeights(words, _scales(scales), (k, n), "book4", group,
                                book=book, order="high_first")
    # Rows that begin in the middle of a byte.
    codes = numpy.stack([halves >> 4, halves & 15], axis=1).reshape(-1)
    return from_codes(codes[:n * k].reshape(n, k).T, scales, weights="book4",
                      group=group, book=book)


def from_hqq(packed, scale, zero, shape, *, bits=4, group=64):
    """HQQ's weights of shape (n, k), quantized along k (axis = 1).

    packed: bytes of codes of n k / group rows of `group`, of which the first
    parts are in the upper bits (4bit_u8, 2bit_u8, 8bit_u8); scale and zero: one
    for each such row.
    """
    import numpy
    _expect(bits in (2, 4, 8), "bits of 2, 4 or 8", bits)
    n, k = shape
    _expect(group > 0 and k % group == 0, f"k = {k} to be a multiple of group",
            group)
    parts = [packed >> (8 - bits * (i + 1)) & (2 ** bits - 1)
             for i in range(8 // bits)]
    rows = n * k // group
    codes = numpy.concatenate(parts, axis=0)[:rows].reshape(n, k)
    def groups(values):
        return numpy.ascontiguousarray(values.reshape(n, k // group).T)
    return from_codes(codes.T, groups(scale), weights=f"uint{bits}",
                      zeros=_scales(groups(zero)), group=group)


def from_compressed_tensors(weight_packed, weight_scale, shape, *,
                            weight_zero_point=None, bits=4):
    """compressed-tensors' pack-quantized weights of shape (n, k).

    weight_packed: int32 [n, k bits / 32], signed codes with 2^(bits - 1) added,
    the lowest bits first; weight_scale: [n, groups]; weight_zero_point: int32
    [n bits / 32, groups], packed likewise along n.
    """
    import numpy
    _expect(bits in (4, 8), "bits of 4 or 8", bits)
    _expect_matrix("weight_packed", weight_packed)
    _expect_matrix("weight_scale", weight_scale, "iuf")
    if weight_zero_point is not None:
        _expect_matrix("weight_zero_point", weight_zero_point)
    n, k = shape
    groups = weight_scale.shape[1]
    group = _group_size(k, groups)
    codes = _unpack(weight_packed, bits, 1, "low_first")[:, :k]
    signed = codes.astype(numpy.int16) - 2 ** (bits - 1)
    zeros = None
    if weight_zero_point is not None:
        zeros = _unpack(weight_zero_point, bits, 0, "low_first")[:n]
        zeros = (zeros.astype(numpy.int16) - 2 ** (bits - 1)).astype(numpy.int8)
        zeros = numpy.ascontiguousarray(zeros.T)
    return from_codes(signed.T, numpy.ascontiguousarray(weight_scale.T),
                      weights=f"int{bits}", zeros=zeros,
                      group=0 if groups == 1 else group)
