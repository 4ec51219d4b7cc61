# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit operands, of gates and of experts, and quantization, as
operators of PyTorch: torch.ops.tilewright.scaled_matmul, .grouped_matmul and
.quantize, which tilewright.torch has too. Without gradients."""

from typing import Optional, Tuple

import torch
from torch import Tensor

from . import torch as _base

__all__ = ["grouped_matmul", "quantize", "scaled_matmul"]


def _result(a, w, rows, gate, out_type):
    _base._need(a.dim() == 2, f"expects a of 2 dimensions, but got {a.dim()}")
    _base._need(a.dtype == w.dtype,
                f"expects a and w of one type, but got {a.dtype} and {w.dtype}")
    _base._need(a.shape[-1] == w.shape[-2],
                f"expects as many rows of w as columns of a, {a.shape[-1]}, but "
                f"got {w.shape[-2]}")
    if out_type == "same":
        kind = a.dtype if a.dtype.itemsize > 1 else torch.float16
    else:
        kind = _base._TYPES[out_type]
    columns = w.shape[-1] // 2 if gate else w.shape[-1]
    return a.new_empty((rows, columns), dtype=kind)


def _scaled_matmul(a: Tensor, w: Tensor, a_scales: Optional[Tensor] = None,
                   w_scales: Optional[Tensor] = None,
                   bias: Optional[Tensor] = None,
                   residual: Optional[Tensor] = None, a_group: int = 0,
                   group: int = 0, block: int = 1, gate: bool = False,
                   activation: str = "none", out_type: str = "same",
                   dynamic: str = "") -> Tensor:
    return _base._call("scaled_matmul", 1, a, w, a_scales, w_scales, bias=bias,
                       residual=residual, a_group=a_group, group=group,
                       block=block, gate=gate, activation=activation,
                       out_type=out_type, dynamic=dynamic)


def _fake_scaled_matmul(a, w, a_scales=None, w_scales=None, bias=None,
                        residual=None, a_group=0, group=0, block=1, gate=False,
                        activation="none", out_type="same", dynamic=""):
    return _result(a, w, a.shape[0], gate, out_type)


scaled_matmul = _base._define("scaled_matmul", _scaled_matmul,
                              _fake_scaled_matmul)


def _grouped_matmul(a: Tensor, w: Tensor, offsets: Tensor,
                    a_scales: Optional[Tensor] = None,
                    w_scales: Optional[Tensor] = None,
                    rows: Optional[Tensor] = None,
                    bias: Optional[Tensor] = None,
                    residual: Optional[Tensor] = None, a_group: int = 0,
                    group: int = 0, block: int = 1, gate: bool = False,
                    activation: str = "none", out_type: str = "same",
                    dynamic: str = "") -> Tensor:
    return _base._call("grouped_matmul", 1, a, w, offsets, a_scales, w_scales,
                       rows=rows, bias=bias, residual=residual,
                       a_group=a_group, group=group, block=block, gate=gate,
                       activation=activation, out_type=out_type,
                       dynamic=dynamic)


def _fake_grouped_matmul(a, w, offsets, a_scales=None, w_scales=None, rows=None,
                         bias=None, residual=None, a_group=0, group=0, block=1,
                         gate=False, activation="none", out_type="same",
                         dynamic=""):
    _base._need(w.dim() == 3, f"expects w of 3 dimensions, but got {w.dim()}")
    count = a.shape[0] if rows is None else rows.shape[0]
    return _result(a, w, count, gate, out_type)


grouped_matmul = _base._define("grouped_matmul", _grouped_matmul,
                               _fake_grouped_matmul)


def _quantize(x: Tensor, format: str, block: int = 0, order: str = "high_first",
              book: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    return _base._call("quantize", 2, x, format=format, block=block, order=order,
                       book=book)


def _fake_quantize(x, format, block=0, order="high_first", book=None):
    rows, columns = x.shape[:-1], x.shape[-1]
    packed = format in ("int4", "nf4", "fp4")
    kind = _base._TYPES[format if format.startswith("f8") else "i8"]
    q = x.new_empty((*rows, (columns + 1) // 2 if packed else columns),
                    dtype=kind)
    scales = ((*rows, -(-columns // block)) if block else tuple(rows) or (1,))
    return q, x.new_empty(scales, dtype=torch.float32)


quantize = _base._define("quantize", _quantize, _fake_quantize)
