# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of tilewright.linear's functions by chance, and what a recurrence in float64
makes of the same inputs."""

import dataclasses
import inspect
import math
import random

import torch
import torch.nn.functional as F
from recurrence import largest_sum, recur

from tilewright import linear

TOKENS = [0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 509,
          1000, 2047, 2048, 2049, 4095, 4096, 4097]


def some(seed, count, most):
    chance = random.Random(seed)
    return [chance.randint(0, most) for _ in range(count)]


# Lengths of sequences that are packed: of each way in which they may lie, one.
PACKED = [
    [1], [64], [65], [4097], [0], [0, 0, 0],
    [0, 100], [100, 0], [50, 0, 70], [0, 0, 33, 0, 0], [0, 1, 0, 1, 0],
    [1] * 7, [1] * 64, [1] * 257, [2] * 33, [16] * 16, [17] * 15, [63] * 5, [64] * 8,
    [65] * 5, [256] * 4,
    [2000] + [1] * 30, [1] * 30 + [2000], [3000, 5, 0, 70], [0, 1] * 20, [1, 64] * 8,
    [15, 16, 17], [31, 32, 33, 63, 64, 65], [127, 128, 129], [255, 256, 257],
    [2 ** n for n in range(11)], [2 ** n for n in reversed(range(11))],
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43],
    [15, 85, 200, 900, 800], [256, 244, 500],
    some(1, 10, 300), some(2, 40, 60), some(3, 100, 10), some(4, 4, 1500), some(5, 20, 130)]
assert len(PACKED) == 40

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32

# An operator's functions, and letters for what it takes: g gates of tokens, G of channels,
# d those of DPLR, h of heads, b betas, A and B the low rank, u a bonus, n a normalization
# of q and k, s its name for gates besides; 1: as many heads of q as of v.
OPERATORS = {
    "linear attention": (["chunk_linear_attn", "fused_chunk_linear_attn",
                          "fused_recurrent_linear_attn"], ""),
    "normalized": (["chunk_linear_attn", "fused_chunk_linear_attn",
                    "fused_recurrent_linear_attn"], "N"),
    "retention": (["chunk_retention", "fused_chunk_retention",
                   "fused_recurrent_retention", "parallel_retention"], "r"),
    "lightning": (["chunk_lightning_attn", "fused_recurrent_lightning_attn"], "l"),
    "simple GLA": (["chunk_simple_gla", "fused_chunk_simple_gla",
                    "fused_recurrent_simple_gla", "parallel_simple_gla"], "g"),
    "gamma": (["chunk_simple_gla", "fused_chunk_simple_gla",
               "fused_recurrent_simple_gla"], "h"),
    "GLA": (["chunk_gla", "fused_recurrent_gla"], "G"),
    "RWKV-6": (["chunk_rwkv6", "fused_recurrent_rwkv6"], "Gu"),
    "Mamba-2": (["mamba_chunk_scan_combined"], "m"),
    "DeltaNet": (["chunk_delta_rule", "fused_recurrent_delta_rule"], "bn"),
    "Gated DeltaNet": (["chunk_gated_delta_rule", "fused_recurrent_gated_delta_rule"],
                       "gbnkx"),
    "delta product": (["chunk_gated_delta_product"], "gbnp"),
    "KDA": (["chunk_kda", "fused_recurrent_kda"], "Gbnkx"),
    "DPLR": (["chunk_dplr_delta_rule", "fused_recurrent_dplr_delta_rule"], "dAB"),
    "IPLR": (["chunk_iplr_delta_rule", "fused_recurrent_iplr_delta_rule"], "AB1"),
    "RWKV-7": (["chunk_rwkv7", "fused_recurrent_rwkv7", "fused_mul_recurrent_rwkv7"],
               "dABw"),
}
# What functions call their arguments.
NAMES = {
    "fused_recurrent_gla": {"g": "gk"},
    "chunk_rwkv6": {"q": "r", "g": "w"}, "fused_recurrent_rwkv6": {"q": "r", "g": "w"},
    "chunk_dplr_delta_rule": {"g": "gk"}, "fused_recurrent_dplr_delta_rule": {"g": "gk"},
    **{name: {"q": "r", "g": "w"} for name in OPERATORS["RWKV-7"][0]},
    "mamba_chunk_scan_combined": {"q": "C", "k": "B", "v": "x", "g": "dt",
                                  "initial_state": "initial_states",
                                  "output_final_state": "return_final_states"},
}

# Roundings to the type of q, k and v that lie one behind the other between the inputs and
# a result: of an operand with its decay, of the scores, of a copy of the state, and of the
# result; where a rule corrects besides of the inverse, of W or the values' weights, and of
# the corrections; of a low rank these twice, as a and b both meet the state.
ROUNDINGS = {"adds": 4, "corrects": 7, "low rank": 10}
# Of f32: a sum of 256 products and of 64 tokens rounds as often as it has terms, by chance
# in either direction (16 of 256), and so does what the exponential is taken of.
OF_SUMS = 16


class Decks:
    """Values by chance, but each of a kind as often as the others."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.decks = {}

    def draw(self, name, values):
        deck = self.decks.setdefault(name, [])
        if not deck:
            deck += values
            self.chance.shuffle(deck)
        return deck.pop()


@dataclasses.dataclass
class Case:
    number: int
    operator: str
    function: str
    letters: str
    lengths: list
    packed: object  # None, or the type of cu_seqlens.
    heads: int
    group: int
    dim: int
    values: int
    type: torch.dtype
    gates: str
    gate_type: torch.dtype
    state: object  # None, or the type of the initial one.
    final: str  # "", "new", "given", "in place".
    scale: object
    layout: str
    flags: dict

    def __str__(self):
        words = [f"case {self.number}: {self.function}", name_of(self.type),
                 f"H={self.heads}x{self.group}", f"K={self.dim}", f"V={self.values}",
                 self.gates, f"gates {name_of(self.gate_type)}", self.layout,
                 f"scale={self.scale}"]
        lengths = str(self.lengths)
        if self.packed:
            words.append(f"cu_seqlens {name_of(self.packed)} of "
                         f"{lengths if len(lengths) < 60 else lengths[:57] + '...'}")
        else:
            words.append(f"B={len(self.lengths)} T={self.lengths[0]}")
        if self.state:
            words.append(f"from {name_of(self.state)}")
        if self.final:
            words.append(f"state {self.final}")
        return " ".join(words + [name for name, value in self.flags.items() if value])


def name_of(type):
    return str(type).partition(".")[2]


def draw_flags(decks, operator, function, letters, plain):
    """What functions take besides, by their signatures."""
    def coin(name, values=(True, False)):
        return decks.draw((operator, name), list(values))
    takes = inspect.signature(getattr(linear, function)).parameters
    flags = {}
    if "state_v_first" in takes:
        flags["state_v_first"] = coin("first")
    if "reverse" in takes and plain:
        flags["reverse"] = coin("reverse", (True, False, False))
    if "n" in letters:
        flags["use_qk_l2norm_in_kernel"] = coin("norm")
    if "x" in letters:
        flags["use_beta_sigmoid_in_kernel"] = coin("sigmoid")
        flags["allow_neg_eigval"] = flags["use_beta_sigmoid_in_kernel"] and coin("negative")
    if "k" in letters:
        flags["use_gate_in_kernel"] = coin("kernel")
        if flags["use_gate_in_kernel"]:
            flags["dt_bias"] = coin("bias")
            flags["lower_bound"] = "G" in letters and coin("bound")
    if "p" in letters:
        flags["num_householder"] = coin("householder", (2, 3, 4))
        flags["gated"] = coin("gated", (True, True, False))
    if "m" in letters:
        flags["skip"], flags["dt_bias"] = coin("skip"), coin("bias")
    return flags


def draw(decks, number, operator, most_tokens=None, dims=(32, 64, 100, 128, 256),
         types=(BF16, BF16, F16, F32)):
    functions, letters = OPERATORS[operator]
    pick = lambda name, *values: decks.draw((operator, name), list(values))
    function = pick("function", *functions)
    packed = pick("packed", None, torch.int32, torch.int64, None)
    if packed:
        lengths = pick("lengths", *PACKED)
    else:
        lengths = [pick("tokens", *TOKENS)] * pick("batch", 1, 1, 2, 3)
    if most_tokens is not None:
        lengths = [min(length, most_tokens) for length in lengths[:5]]
    # A number of states and steps that a float64 recurrence has time for.
    if "p" in letters:
        lengths = [min(length, 2049) for length in lengths]
    parallel = function.startswith("parallel")
    final = "" if parallel else pick("final", "new", "given", "in place", "")
    type = pick("type", *types)
    state = None if parallel or (final == "in place" and "N" in letters) else pick(
        "state", None, F32, F32, type)
    if "N" in letters or (final == "in place" and state is None):
        final = final and "new"
    plain = final in ("", "new")
    dim = pick("dim", *dims)
    values = pick("values", 0, 0, 0, 16, 40, *dims[1:]) or dim
    return Case(number, operator, function, letters, lengths, packed,
                heads=pick("heads", 1, 2, 2, 3), group=(
                    1 if set("1N") & set(letters) else pick("group", 1, 1, 1, 2, 4)),
                dim=dim, values=values, type=type, gates=pick("gates", "mild", "strong"),
                gate_type=pick("gate type", F32, F32, type), state=state, final=final,
                scale=pick("scale", None, None, 1.0, 0.3), layout=pick(
                    "layout", "contiguous", "contiguous", "sliced", "heads first"),
                flags=draw_flags(decks, operator, function, letters, plain))


def the_call_that_crashed(number):
    """RWKV-7 of one packed sequence of 4096 tokens, of 128 channels, which elsewhere
    read where nothing is."""
    return Case(number, "RWKV-7", "chunk_rwkv7", "dABw", [4096], torch.int32, 2, 1, 128,
                128, BF16, "mild", F32, F32, "new", 1.0, "contiguous", {})


class Inputs:
    """A case's tensors: `given` for the function, `known` for the recurrence."""

    def __init__(self, case, device, seed):
        self.case, self.device = case, device
        self.random = torch.Generator(device).manual_seed(1000 * seed + case.number)
        self.given, self.known = {}, {}
        self.batch = 1 if case.packed else len(case.lengths)
        self.tokens = sum(case.lengths) if case.packed else case.lengths[0]
        self.count = case.flags.get("num_householder", 1)
        self.value_heads = case.heads * case.group
        self._add_tokens()
        self._add_gates()
        self._add_betas()
        self._add_states()
        self._add_words()

    def normal(self, *shape):
        return torch.randn(*shape, generator=self.random, device=self.device)

    def uniform(self, low, high, *shape):
        return low + (high - low) * torch.rand(*shape, generator=self.random,
                                               device=self.device)

    def lay(self, x):
        """The same numbers with the case's strides."""
        if self.case.layout == "sliced":
            wide = torch.empty(*x.shape[:-1], x.shape[-1] + 16, dtype=x.dtype,
                               device=x.device)
            wide[..., 8:-8] = x
            return wide[..., 8:-8]
        if self.case.layout == "heads first":
            return x.transpose(1, 2).contiguous().transpose(1, 2)
        return x

    def add(self, name, x, type=None, laid=False):
        x = x.to(type or self.case.type)
        self.given[name] = self.lay(x) if laid else x
        return x

    def flat(self, x):
        """tokens x heads x ..., in float64, of as many heads as v."""
        x = x.double().reshape(-1, *x.shape[2:])
        if x.shape[1] != self.value_heads:
            x = x.repeat_interleave(self.case.group, 1)
        return x

    def unit(self, *shape):
        return F.normalize(self.normal(*shape), dim=-1)

    def _add_tokens(self):
        case, letters = self.case, self.case.letters
        keys = (self.batch, self.tokens * self.count, case.heads, case.dim)
        queries = (self.batch, self.tokens, case.heads, case.dim)
        values = (*keys[:2], self.value_heads, case.values)
        own = case.flags.get("use_qk_l2norm_in_kernel")
        k = self.normal(*keys) if own else self.unit(*keys)
        q = self.normal(*queries)
        if "N" in letters:  # What is divided by a sum of these is positive.
            q, k = q.abs() + 0.01, (k.abs() + 0.01) / case.dim ** 0.5
        q, k = self.add("q", q, laid=True), self.add("k", k, laid=True)
        v = self.add("v", self.normal(*values), laid=True)
        q, k, v = self.flat(q), self.flat(k), self.flat(v)
        if own:
            q, k = (x / (x.square().sum(-1, keepdim=True) + 1e-6).sqrt() for x in (q, k))
        if self.count > 1:
            q = self._spread(q, self.count - 1)
        self.known.update(q=q, k=k, v=v)
        if "A" in letters:
            self._add_low_rank(keys)

    def _spread(self, x, place):
        """Of each token's corrections one has what the token has, others zeros."""
        spread = x.new_zeros(len(x), self.count, *x.shape[1:])
        spread[:, place] = x
        return spread.reshape(-1, *x.shape[1:])

    def _add_low_rank(self, keys):
        key = self.unit(*keys)
        if self.case.function == "fused_mul_recurrent_rwkv7":
            kk = self.add("kk", key, laid=True)
            a = self.add("a", self.normal(*keys).sigmoid(), laid=True)
            self.known.update(a=self.flat(-kk), b=self.flat(kk * a))
            return
        # Without decays of channels a weight of its own for each would let states grow.
        wide = keys if "d" in self.case.letters else (*keys[:3], 1)
        a = self.add("a", -key, laid=True)
        b = self.add("b", key * self.normal(*wide).sigmoid(), laid=True)
        self.known.update(a=self.flat(a), b=self.flat(b))

    def _logarithms(self, *shape):
        """Of decays: those of trained layers, or such that forget within a few tokens."""
        if self.case.gates == "strong":
            return -self.uniform(0, 12, *shape)
        if "d" in self.case.letters:
            return -0.6065 * self.normal(*shape).sigmoid()
        return F.logsigmoid(self.normal(*shape) + 2) / 4

    def _add_gates(self):
        case, letters = self.case, self.case.letters
        rows = (self.batch, self.tokens, self.value_heads)
        if "r" in letters or "l" in letters or "h" in letters:
            self._add_decays_of_heads()
        elif "m" in letters:
            self._add_steps(rows)
        elif case.flags.get("use_gate_in_kernel"):
            self._add_projected(rows)
        elif set("gGd") & set(letters) and case.flags.get("gated", True):
            g = self._logarithms(*rows, *((case.dim,) if set("Gd") & set(letters) else ()))
            g = self.flat(self.add("g", g, case.gate_type))
            self.known["g"] = self._spread(g, 0) if self.count > 1 else g
        elif case.flags.get("gated") is False:
            self.given["g"] = None
        if "u" in letters:
            u = self.add("u", self.normal(self.value_heads, case.dim), case.gate_type)
            self.known["bonus"] = u.double()

    def _add_decays_of_heads(self):
        letters, heads = self.case.letters, self.value_heads
        head = torch.arange(heads, device=self.device, dtype=torch.float64)
        if "r" in letters:
            g = torch.log1p(-torch.exp2(-5 - head))
        elif "l" in letters:
            self.given.update(layer_idx=3, num_layers=12)
            g = -8 / heads * (1 - 3 / 12) * head
        else:
            g = self.add("g_gamma", self._logarithms(heads), F32).double()
        tokens = len(self.known["v"])
        self.known["g"] = g.float().double().expand(tokens, heads)

    def _add_projected(self, rows):
        """What layers project, of which the kernel makes decays."""
        case = self.case
        channels = (case.dim,) if "G" in case.letters else ()
        raw = self.add("g", self.normal(*rows, *channels), case.gate_type)
        low, high = (1, 16) if case.gates == "strong" else (0.02, 0.2)
        rate = self.add("A_log", self.uniform(low, high, self.value_heads).log(), F32)
        x, rate = self.flat(raw), rate.double().exp().reshape(-1, *(1 for _ in channels))
        if case.flags["dt_bias"]:
            bias = self.add("dt_bias", self.normal(self.value_heads * math.prod(channels)),
                            F32)
            x = x + bias.double().reshape(self.value_heads, *channels)
        if case.flags["lower_bound"]:
            self.given["lower_bound"] = -5.0
            self.known["g"] = -5 * (rate * x).sigmoid()
        else:
            self.known["g"] = -rate * F.softplus(x, threshold=50)

    def _add_steps(self, rows):
        """Mamba-2's."""
        case = self.case
        dt = self.add("g", self.normal(*rows), case.gate_type)
        low, high = (1, 8) if case.gates == "strong" else (0.02, 0.2)
        rate = self.add("A", -self.uniform(low, high, self.value_heads), F32)
        x = self.flat(dt)
        if case.flags["dt_bias"]:
            x = x + self.add("dt_bias", self.normal(self.value_heads), F32).double()
        step = F.softplus(x, threshold=50)
        self.known["g"] = step * rate.double()
        self.plain_values = self.known["v"]
        self.known["v"] = step[..., None] * self.known["v"]
        if case.flags["skip"]:
            self.add("D", self.normal(self.value_heads), F32)
        self.given.update(dt_softplus=True, chunk_size=64)

    def _add_betas(self):
        if "b" not in self.case.letters:
            return
        rows = (self.batch, self.tokens * self.count, self.value_heads)
        raw = self.normal(*rows)
        flags = self.case.flags
        if not flags.get("use_beta_sigmoid_in_kernel"):
            self.known["beta"] = self.flat(
                self.add("beta", raw.sigmoid(), self.case.gate_type))
            return
        beta = self.flat(self.add("beta", raw, self.case.gate_type)).sigmoid()
        self.known["beta"] = 2 * beta if flags["allow_neg_eigval"] else beta

    def _is_v_first(self):
        return self.case.flags.get("state_v_first") or "m" in self.case.letters

    def _add_states(self):
        case = self.case
        shape = (len(case.lengths), self.value_heads, case.dim, case.values)
        if case.state:
            state = (0.3 * self.normal(*shape)).to(case.state)
            self.known["state"] = state.double()
            self.given["initial_state"] = (state.mT.contiguous() if self._is_v_first()
                                           else state)
        if "N" in case.letters and case.state:
            sums = self.uniform(0.5, 1.5, *shape[:3]) / case.dim
            self.given["initial_state"] = (state, sums[:, None])
            self.known["sums"] = sums.double()

    def _add_words(self):
        case = self.case
        if case.packed:
            bounds = torch.tensor([0, *case.lengths]).cumsum(0)
            self.given["cu_seqlens"] = bounds.to(case.packed).to(self.device)
        if "m" not in case.letters:
            self.given["scale"] = 1.0 if "w" in case.letters and case.scale is None \
                else case.scale
        if "normalize" in inspect.signature(getattr(linear, case.function)).parameters:
            self.given["normalize"] = "N" in case.letters
        for name in ("state_v_first", "reverse", "use_qk_l2norm_in_kernel",
                     "use_beta_sigmoid_in_kernel", "allow_neg_eigval",
                     "use_gate_in_kernel", "num_householder"):
            if case.flags.get(name):
                self.given[name] = case.flags[name]
        names = NAMES.get(case.function, {})
        self.given = {names.get(name, name): x for name, x in self.given.items()}
        self.names = names

    def arguments(self, ours=True):
        """Keywords of one call; states that it writes are new."""
        case, given = self.case, dict(self.given)
        if case.final:
            given[self.names.get("output_final_state", "output_final_state")] = True
        elif "m" not in case.letters and not case.function.startswith("parallel"):
            given["output_final_state"] = False
        if not ours or case.final not in ("given", "in place"):
            return given
        initial = self.names.get("initial_state", "initial_state")
        if case.final == "in place":
            given["final_state"] = given[initial] = given[initial].clone()
            return given
        sizes = (case.values, case.dim) if self._is_v_first() else (case.dim, case.values)
        given["final_state"] = torch.full(
            (len(case.lengths), self.value_heads, *sizes), float("nan"), dtype=case.type,
            device=self.device)
        return given

    def expected(self):
        """The result, the last states and, where results are divided by sums, these,
        in float64."""
        case, known = self.case, dict(self.known)
        sums = known.pop("sums", None)
        scale = 1.0 if "m" in case.letters or (
            "w" in case.letters and case.scale is None) else (
                case.scale or case.dim ** -0.5)
        if "N" in case.letters:
            known["v"] = torch.cat([known["v"], torch.ones_like(known["v"][..., :1])], -1)
            if sums is not None:
                known["state"] = torch.cat([known["state"], sums[..., None]], -1)
        out, state = recur([n * self.count for n in case.lengths], **known, scale=scale,
                           reverse=bool(case.flags.get("reverse")))
        if "N" in case.letters:
            out = out[..., :-1] / (out[..., -1:] + 1e-10)
            state, sums = state[..., :-1], state[..., -1][:, None]
        if self.count > 1:
            out = out[self.count - 1::self.count]
        if "D" in self.given:
            out = out + self.given["D"].double()[:, None] * self.plain_values
        out = out.reshape(self.batch, self.tokens, self.value_heads, case.values)
        state = state.mT if self._is_v_first() else state
        return (out, state, sums) if "N" in case.letters else (out, state)

    def unit_roundoff(self):
        """Of the type; with what f32's own sums are rounded by, to which results of all
        types are computed: a sum of logarithms of up to 64 tokens is off by its own size
        times f32's, and so is the decay."""
        of_type = {BF16: 2.0 ** -8, F16: 2.0 ** -11, F32: 0}[self.case.type]
        sums = largest_sum(self.known.get("g"))
        return of_type + 2.0 ** -24 * (OF_SUMS + sums)

    def bound(self):
        """For the root of the mean square of what differs, relative to that of what is
        expected.

        Each rounding changes a term by the unit roundoff u at most, so that n of them
        one behind the other change it by n u. The terms' errors are independent, and add
        up as the terms do. What reaches the state obeys the recurrence itself, which is
        linear in the values: where it forgets values, it forgets errors in the same
        measure. A correction v - S^T k may have the sum of both errors and only the
        difference as its size: that is at most twice as much in sum for keys of length
        1, whose corrections make no state longer."""
        letters = self.case.letters
        kind = "low rank" if "A" in letters else "corrects" if "b" in letters else "adds"
        roundings = ROUNDINGS[kind] + 2 * ("N" in letters)
        return roundings * self.unit_roundoff()


def all_cases(seed, count, operators=None, **options):
    """So many cases, all operators in turn; first the call that crashed."""
    decks = Decks(seed)
    names = list(OPERATORS)
    cases = [the_call_that_crashed(0)]
    cases += [draw(decks, number, names[number % len(names)], **options)
              for number in range(1, count)]
    return [case for case in cases if not operators
            or any(part in f"{case.operator} {case.function}" for part in operators)]
