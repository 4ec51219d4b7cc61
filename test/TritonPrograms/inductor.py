# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch.compile makes of PyTorch, beside PyTorch without it: the operators that
PyTorch's own database of tests lists, by types, forward and backward, and programs that
become reductions, scans, products, attention and optimizers. Needs a GPU.

    compare.py --suite inductor=test/TritonPrograms:inductor.py --shard-bytes 500 --out OUT"""

import functools
import itertools

import pytest
import torch
import torch._dynamo
import torch._inductor.config
import torch.nn.functional as F
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import SampleInput

DEVICE = "cuda"
TYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool)
SAMPLES = 3
# Compilations in this process, whose kernels a listener sees; numbers that eager draws.
torch._inductor.config.compile_threads = 1
torch._inductor.config.fallback_random = True
torch._inductor.config.fx_graph_cache = False
torch._dynamo.config.cache_size_limit = 64
torch._dynamo.config.capture_scalar_outputs = True
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def tensors(value):
    """All tensors of nested lists, tuples and mappings, in order."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value)
            if isinstance(leaf, torch.Tensor)]


def tolerance(dtype):
    """Relative and absolute, for sums of some hundred terms in another order."""
    return {torch.float16: (1e-2, 1e-2), torch.bfloat16: (5e-2, 5e-2),
            torch.float32: (1e-3, 1e-3), torch.complex64: (1e-3, 1e-3),
            torch.float64: (1e-9, 1e-9), torch.complex128: (1e-9, 1e-9)}.get(dtype, (0, 0))


def compare(actual, expected):
    actual, expected = tensors(actual), tensors(expected)
    assert len(actual) == len(expected)
    for mine, theirs in zip(actual, expected):
        relative, absolute = tolerance(theirs.dtype)
        torch.testing.assert_close(mine, theirs, rtol=relative, atol=absolute, equal_nan=True)


def run(function, arguments, keywords=None, backward=False, **options):
    """Runs a function eagerly and compiled, on the same numbers, and compares results,
    and gradients of all inputs that have one."""
    torch._dynamo.reset()

    def go(called):
        torch.manual_seed(0)
        given = torch.utils._pytree.tree_map_only(
            torch.Tensor, lambda each: each.detach().clone().requires_grad_(each.requires_grad),
            (arguments, keywords or {}))
        out = called(*given[0], **given[1])
        leaves = [each for each in tensors(given) if each.requires_grad]
        sums = [each.float().square().sum() for each in tensors(out)
                if each.requires_grad and each.numel()]
        if not backward or not leaves or not sums:
            return torch.utils._pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, out), ()
        sum(sums).backward()
        return (torch.utils._pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, out),
                [each.grad for each in leaves])
    expected = go(function)
    compare(go(torch.compile(function, **options)), expected)


def operators():
    for info, dtype in itertools.product(op_db, TYPES):
        if dtype in info.supported_dtypes(DEVICE):
            name = f"{info.full_name}-{str(dtype).removeprefix('torch.')}"
            yield pytest.param(info, dtype, id=name)


@pytest.mark.parametrize("info,dtype", list(operators()))
def test_operator(info, dtype):
    gradients = dtype in (torch.float32, torch.bfloat16) and info.supports_autograd
    samples = info.sample_inputs(DEVICE, dtype, requires_grad=gradients)
    for sample in itertools.islice(samples, SAMPLES):
        assert isinstance(sample, SampleInput)
        run(lambda *given, **named: info(*given, **named), [sample.input, *sample.args],
            sample.kwargs, backward=gradients)


# --- programs ----------------------------------------------------------------

def normal(*shape, dtype=torch.float32, grad=True):
    return torch.randn(*shape, device=DEVICE, dtype=dtype, requires_grad=grad)


def rms_norm(x, weight):
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * weight


def rotary(x, angles):
    first, second = x.chunk(2, -1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def gated(x, gate):
    return F.silu(gate) * x


def cross_entropy(x, labels):
    return F.cross_entropy(x, labels, label_smoothing=0.1)


def attention(q, k, v):
    scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    mask = torch.ones_like(scores, dtype=torch.bool).tril()
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v


def statistics(x):
    return (x.var(-1), torch.var_mean(x, 0), x.std(), x.amax(1), x.argmax(-1), x.argmin(0),
            x.prod(1), x.logsumexp(-1), x.norm(dim=-1), x.any(), x.all(-1), x.median(-1)[0],
            x.sum((0, 1)))


def scans(x):
    return x.cumsum(-1), x.cumsum(0), (x * 0.1).cumprod(-1), x.logcumsumexp(-1), x.cummax(-1)[0]


def order(x):
    return x.sort(-1), x.topk(5, -1)[0], x.sort(-1, descending=True)[0], x.unique(sorted=True)


def scattering(x, index):
    out = torch.zeros(64, x.shape[1], device=x.device, dtype=x.dtype)
    return (out.index_add(0, index, x), out.scatter_reduce(
        0, index[:, None].expand_as(x), x, "amax"), x[index % x.shape[0]].sum(1),
        torch.bincount(index, minlength=64), F.one_hot(index, 64).sum(0))


def views(x):
    return (x.flip(0), x.roll(3, 1), x.unfold(1, 4, 2).sum(-1), F.pad(x, (1, 2, 3, 4)),
            x.repeat_interleave(2, 0), x.T.contiguous(), torch.cat([x, x * 2], 1)[:, ::3])


def images(x, weight):
    y = F.gelu(F.conv2d(x, weight, padding=1))
    return F.group_norm(y, 4), F.max_pool2d(y, 3, 2), F.avg_pool2d(y, 2), F.interpolate(
        y, scale_factor=2, mode="bilinear"), F.adaptive_avg_pool2d(y, 3)


def bits(x):
    return ((x << 3) ^ (x >> 2), x & 0x55, ~x, x // 7, x % 7, torch.bitwise_or(x, 12),
            x.to(torch.int8).to(torch.int32), x.to(torch.uint8), x.abs().float().sqrt())


def eight_bits(x):
    scale = x.abs().amax(-1, keepdim=True) / 448
    stored = (x / scale).to(torch.float8_e4m3fn)
    return stored.to(torch.float32) * scale, x.to(torch.float8_e5m2).to(torch.float32)


def special(x):
    y = x.abs() + 0.5
    return (torch.erf(x), torch.lgamma(y), torch.digamma(y), torch.special.i0(x), torch.erfinv(
        x.tanh()), torch.special.bessel_j0(x), torch.special.zeta(y + 1, y), torch.expm1(x),
        torch.log1p(y), torch.atan2(x, y), torch.hypot(x, y), torch.fmod(x, y),
        torch.remainder(x, y), torch.nextafter(x, y), torch.ldexp(x, torch.tensor(3)),
        x.frexp()[0], x.round(), x.trunc(), x.ceil(), x.sinh(), y.acosh(), x.asinh(), x.atanh(),
        torch.polygamma(2, y), torch.copysign(y, x), x.sign(), x.signbit(), x.isnan())


PROGRAMS = {
    "rms_norm": lambda t: (rms_norm, [normal(37, 1000, dtype=t), normal(1000, dtype=t)]),
    "layer_norm": lambda t: (lambda x, w, b: F.layer_norm(x, (777,), w, b), [
        normal(64, 777, dtype=t), normal(777, dtype=t), normal(777, dtype=t)]),
    "long_layer_norm": lambda t: (lambda x: F.layer_norm(x, (33000,)), [normal(5, 33000, dtype=t)]),
    "softmax": lambda t: (lambda x: x.softmax(-1), [normal(50, 5000, dtype=t)]),
    "outer_softmax": lambda t: (lambda x: x.softmax(0), [normal(300, 70, dtype=t)]),
    "dropout": lambda t: (lambda x: F.dropout(x, 0.3) * 2, [normal(100, 100, dtype=t)]),
    "rotary": lambda t: (rotary, [normal(2, 8, 33, 64, dtype=t), normal(33, 32, dtype=t)]),
    "gated": lambda t: (gated, [normal(123, 457, dtype=t), normal(123, 457, dtype=t)]),
    "cross_entropy": lambda t: (cross_entropy, [normal(64, 5003, dtype=t), torch.randint(
        0, 5003, (64,), device=DEVICE)]),
    "attention": lambda t: (attention, [normal(2, 4, 70, 64, dtype=t) for _ in range(3)]),
    "statistics": lambda t: (statistics, [normal(33, 517, dtype=t)]),
    "large_statistics": lambda t: (lambda x: (x.sum(), x.mean(0), x.amax()), [
        normal(1024, 1025, dtype=t)]),
    "scans": lambda t: (scans, [normal(65, 400, dtype=t, grad=False)]),
    "order": lambda t: (order, [normal(20, 100, dtype=t, grad=False)]),
    "scattering": lambda t: (scattering, [normal(200, 33, dtype=t, grad=False), torch.randint(
        0, 64, (200,), device=DEVICE)]),
    "views": lambda t: (views, [normal(30, 41, dtype=t)]),
    "images": lambda t: (images, [normal(2, 3, 20, 24, dtype=t), normal(8, 3, 3, 3, dtype=t)]),
    "batch_norm": lambda t: (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), [
        normal(16, 8, 9, 10, dtype=t), normal(8, dtype=t), normal(8, dtype=t)]),
    "embedding": lambda t: (lambda i, w: F.embedding(i, w).sum(1), [torch.randint(
        0, 99, (31, 12), device=DEVICE), normal(99, 72, dtype=t)]),
    "eight_bits": lambda t: (eight_bits, [normal(40, 500, dtype=t, grad=False)]),
    "special": lambda t: (special, [normal(999, dtype=t, grad=False)]),
    "linear": lambda t: (lambda x, w, b: F.relu(F.linear(x, w, b)).sum(0), [
        normal(100, 96, dtype=t), normal(50, 96, dtype=t), normal(50, dtype=t)]),
}


@pytest.mark.parametrize("dtype", (torch.float32, torch.float16, torch.bfloat16), ids=str)
@pytest.mark.parametrize("dynamic", (False, True), ids=("fixed", "dynamic"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, dynamic, dtype):
    torch.manual_seed(1)
    function, arguments = PROGRAMS[name](dtype)
    run(function, arguments, backward=True, dynamic=dynamic)


@pytest.mark.parametrize("dtype", (torch.int8, torch.int16, torch.int32, torch.int64,
                                   torch.uint8), ids=str)
def test_bits(dtype):
    run(bits, [torch.randint(0, 100, (300,), device=DEVICE).to(dtype)])


def product(x, y, bias):
    return F.gelu(x @ y + bias).to(torch.float32)


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16, torch.float32), ids=str)
@pytest.mark.parametrize("shape", ((64, 64, 64), (100, 200, 72), (512, 256, 1000), (1, 300, 64),
                                   (16, 4096, 128)), ids=str)
def test_product(shape, dtype):
    m, k, n = shape
    with torch._inductor.config.patch(
            max_autotune_gemm=True, max_autotune_gemm_backends="TRITON",
            max_autotune_gemm_search_space="DEFAULT", autotune_in_subproc=False):
        run(product, [normal(m, k, dtype=dtype, grad=False),
                      normal(k, n, dtype=dtype, grad=False) / k ** 0.5,
                      normal(n, dtype=dtype, grad=False)])


def causal(batch, head, query, key):
    return query >= key


def window(batch, head, query, key):
    return (query >= key) & (query - key < 50)


def positions(score, batch, head, query, key):
    return score + (key - query) * 0.05 * (head + 1)


def soft_cap(score, batch, head, query, key):
    return 20 * torch.tanh(score / 20)


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16, torch.float32), ids=str)
@pytest.mark.parametrize("mask", (None, causal, window), ids=("all", "causal", "window"))
@pytest.mark.parametrize("score", (None, positions, soft_cap), ids=("plain", "alibi", "cap"))
@pytest.mark.parametrize("shape", ((2, 4, 4, 256, 256, 64), (1, 8, 2, 200, 300, 128),
                                   (2, 8, 2, 1, 500, 64)), ids=str)
def test_flex_attention(shape, score, mask, dtype):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    batch, heads, key_heads, queries, keys, dim = shape
    given = [normal(batch, heads, queries, dim, dtype=dtype),
             normal(batch, key_heads, keys, dim, dtype=dtype),
             normal(batch, key_heads, keys, dim, dtype=dtype)]
    blocks = mask and create_block_mask(mask, None, None, queries, keys, device=DEVICE)
    run(functools.partial(flex_attention, score_mod=score, block_mask=blocks,
                          enable_gqa=heads != key_heads), given, backward=queries > 1)


@pytest.mark.parametrize("kind", ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam"))
def test_optimizer(kind):
    def train(compiled):
        torch.manual_seed(0)
        weights = [torch.nn.Parameter(torch.randn(size, device=DEVICE))
                   for size in ((33, 70), (1000,), (5, 5, 5))]
        optimizer = getattr(torch.optim, kind)(weights, lr=0.01)
        step = torch.compile(optimizer.step) if compiled else optimizer.step
        for _ in range(3):
            for weight in weights:
                weight.grad = torch.sin(weight.detach() * 3)
            step()
        return [weight.detach() for weight in weights]
    torch._dynamo.reset()
    compare(train(True), train(False))


class Layer(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for each in self.qkv(self.first(x)).chunk(3, -1))
        x = x + self.out(attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.second(x))))


@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16), ids=str)
@pytest.mark.parametrize("mode", ("default", "reduce-overhead"))
def test_transformer(mode, dtype):
    torch.manual_seed(0)
    model = torch.nn.Sequential(*(Layer(128, 4) for _ in range(2))).to(DEVICE, dtype)
    x = normal(2, 65, 128, dtype=dtype)
    torch._dynamo.reset()

    def train(called):
        model.zero_grad()
        loss = called(x).float().square().mean()
        loss.backward()
        return [loss.detach().clone(), *(each.grad.clone() for each in model.parameters())]
    expected = train(model)
    called = torch.compile(model, mode=mode)
    for _ in range(3):
        actual = train(called)
    compare(actual, expected)
