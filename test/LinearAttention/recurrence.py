# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recurrences of linear attention in float64, of many sequences at once."""

import torch


def order_of(lengths, reverse):
    """For each step the tokens that it takes, of the longest sequences first: all
    steps' tokens one behind the other, how many each has, and the sequences'
    order. With that each step is a slice, whatever the lengths."""
    starts = torch.tensor([0, *lengths]).cumsum(0)[:-1]
    lengths = torch.tensor(lengths)
    ranks = torch.argsort(lengths, descending=True, stable=True)
    rank_of = torch.empty_like(ranks)
    rank_of[ranks] = torch.arange(len(ranks))
    sequence = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
    step = torch.arange(len(sequence)) - starts[sequence]
    if reverse:
        step = lengths[sequence] - 1 - step
    tokens = torch.argsort(step * len(lengths) + rank_of[sequence])
    steps = int(lengths.max()) if len(lengths) else 0
    counts = torch.bincount(step, minlength=steps).tolist()
    return tokens, counts, ranks


def recur(lengths, q, k, v, *, scale, g=None, beta=None, a=None, b=None,
          bonus=None, state=None, reverse=False):
    """S = e^g S + b (a^T S) + beta k (v - S^T k)^T; o = scale S^T q, without what is
    None. All tensors: tokens x heads x ..., those of the sequences one behind the
    other, of as many heads as v. With a bonus a query reads the state before its
    token's decay, and its own weighted key. The result and the last states."""
    tokens, counts, ranks = order_of(lengths, reverse)
    heads, dim, values = v.shape[1], q.shape[2], v.shape[2]
    device = v.device
    tokens, ranks = tokens.to(device), ranks.to(device)
    own = None if bonus is None else (q * bonus * k).sum(-1, keepdim=True) * v

    def sorted_rows(x, *shape):
        if x is None:
            return None
        return x[tokens].double().reshape(-1, *shape).contiguous()
    keys, queries = sorted_rows(k, 1, dim), sorted_rows(q, 1, dim)
    v, beta = sorted_rows(v, 1, values), sorted_rows(beta, 1, 1)
    a, b = sorted_rows(a, 1, dim), sorted_rows(b, dim, 1)
    decays = None
    if g is not None:
        decays = sorted_rows(g.exp(), dim if g.dim() == 3 else 1, 1)
    out = torch.zeros_like(v)
    s = torch.zeros(len(lengths), heads, dim, values, dtype=torch.float64,
                    device=device)
    if state is not None:
        s += state.double()[ranks]
    s = s.reshape(-1, dim, values)
    begin = 0
    for count in counts:
        end = begin + count * heads
        now = s[:count * heads]
        if bonus is not None:
            out[begin:end] = queries[begin:end] @ now
        low = None if a is None else a[begin:end] @ now
        if decays is not None:
            now.mul_(decays[begin:end])
        if low is not None:
            now.baddbmm_(b[begin:end], low)
        added = v[begin:end]
        if beta is not None:
            added = beta[begin:end] * (added - keys[begin:end] @ now)
        now.baddbmm_(keys[begin:end].mT, added)
        if bonus is None:
            out[begin:end] = queries[begin:end] @ now
        begin = end
    result = torch.empty(len(tokens), heads, values, dtype=torch.float64,
                         device=device)
    result[tokens] = out.reshape(-1, heads, values)
    last = torch.empty(len(lengths), heads, dim, values, dtype=torch.float64,
                       device=device)
    last[ranks] = s.reshape(-1, heads, dim, values)
    if own is not None:
        result += own
    return result * scale, last


def largest_sum(g, tokens=64):
    """The largest sum of |g| over so many tokens."""
    if g is None or not len(g):
        return 0.0
    sums = torch.cat([torch.zeros_like(g[:1]), g.double().abs().cumsum(0)])
    if len(g) <= tokens:
        return float((sums[-1] - sums[0]).max())
    return float((sums[tokens:] - sums[:-tokens]).max())
