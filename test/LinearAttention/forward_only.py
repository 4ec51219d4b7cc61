# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest for fla_tests.py: has the tests of flash-linear-attention call
tilewright.linear, and writes a line of JSON for each test when it begins and ends.

FLA's tests compute gradients, which ours have not. So no backward pass runs: ones
stand for gradients, and comparisons of gradients are left out, by their names. All
others are made, by FLA's function with FLA's tolerance; those are counted that a test
makes after its first call of ours.

Processes share the tests: each takes the next one that no other has taken. The
environment: FORWARD_CLAIMS (a folder for what is taken), FORWARD_RECORD (the file of
lines), FORWARD_SAMPLE (tests of one function at most; 0: all), FORWARD_SEED,
FORWARD_END (the time after which no test begins)."""

import functools
import inspect
import json
import os
import pathlib
import random
import re
import sys
import time
import types

import pytest
import torch
from _pytest.runner import runtestprotocol

CLAIMS = pathlib.Path(os.environ["FORWARD_CLAIMS"])
# "dq", " dk", "dh0@32", "d_ixr", "dA_log", "dt_bias": what begins with a d.
GRADIENT = re.compile(r"\s*d")
# Tests of nothing but a backward pass.
BACKWARD = re.compile(r"grad|bwd|backward")
# After such a failure the process has no GPU any more: a fresh one goes on.
BROKEN = re.compile(r"CUDA error|CUDA_ERROR|illegal memory|unspecified launch failure|"
                    r"device-side assert|misaligned address|AcceleratorError")
EXIT_AGAIN = 77


class Test:
    """What the running test has done."""

    def __init__(self):
        self.taken, self.left = {}, {}
        self.compared = 0


redirection = None
running = Test()


def write(**row):
    with open(os.environ["FORWARD_RECORD"], "a") as file:
        file.write(json.dumps(row) + "\n")


#===------------------------------------------------------------------------===#
# Forward alone
#===------------------------------------------------------------------------===#

class Attached(torch.autograd.Function):
    """A result as if it had been computed from `given`, of which some require
    gradients: tests look at .grad of these."""

    @staticmethod
    def forward(context, result, *given):
        context.save_for_backward(*given)
        return result[0]

    @staticmethod
    def backward(context, gradient):
        return None, *(torch.ones_like(x) for x in context.saved_tensors)


def attach(result, given):
    if isinstance(result, (tuple, list)):
        return type(result)(attach(one, given) for one in result)
    if not isinstance(result, torch.Tensor) or not result.is_floating_point():
        return result
    return Attached.apply([result], *given)


def detach(value):
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, (tuple, list)):
        return type(value)(detach(one) for one in value)
    return value


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [tensor for one in value for tensor in tensors_of(one)]
    return []


def forward_only(function):
    """The function for arguments that require gradients too."""
    @functools.wraps(function)
    def called(*arguments, **keywords):
        given = [tensor for tensor in tensors_of([*arguments, *keywords.values()])
                 if tensor.requires_grad]
        if not given or not torch.is_grad_enabled():
            return function(*arguments, **keywords)
        with torch.no_grad():
            result = function(*map(detach, arguments),
                              **{name: detach(x) for name, x in keywords.items()})
        return attach(result, given)
    return called


def leaves_of(node):
    """The tensors whose gradients a backward pass from there accumulates."""
    seen, waiting = set(), [node]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            yield node.variable
        waiting += [after for after, _ in node.next_functions]


def skip_backward(self, *_, **__):
    """In place of Tensor.backward."""
    for leaf in leaves_of(self.grad_fn):
        if leaf.grad is None:
            leaf.grad = torch.ones_like(leaf)


def skip_grad(outputs, inputs, *_, **__):
    """In place of torch.autograd.grad."""
    alone = isinstance(inputs, torch.Tensor)
    return tuple(torch.ones_like(x) for x in ([inputs] if alone else inputs))


#===------------------------------------------------------------------------===#
# What is counted
#===------------------------------------------------------------------------===#

def count_comparison():
    if calls_of_ours():
        running.compared += 1


def compare_results(theirs):
    """FLA's assert_close, of results alone."""
    @functools.wraps(theirs)
    def assert_close(prefix, *arguments, **keywords):
        if GRADIENT.match(prefix):
            return
        theirs(prefix, *arguments, **keywords)
        count_comparison()
    return assert_close


def count_calls_by_tests(function):
    """The comparison, which is counted where a test's file makes it."""
    @functools.wraps(function)
    def compare(*arguments, **keywords):
        result = function(*arguments, **keywords)
        caller = pathlib.Path(inspect.currentframe().f_back.f_code.co_filename)
        if caller.name.startswith("test_"):
            count_comparison()
        return result
    return compare


def replace_everywhere(theirs, ours):
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType):
            for name, value in list(vars(module).items()):
                if value is theirs:
                    setattr(module, name, ours)


def redirect():
    """Before FLA's tests are imported, which take what is there then."""
    global redirection
    import fla.utils
    from tilewright import linear
    for name in linear.__all__:
        setattr(linear, name, forward_only(getattr(linear, name)))
    # Kernels of FLA's that stay are Triton's: they are not what is tested.
    redirection = linear.enable(rest=False)
    replace_everywhere(fla.utils.assert_close,
                       compare_results(fla.utils.assert_close))
    torch.allclose = count_calls_by_tests(torch.allclose)
    torch.Tensor.allclose = count_calls_by_tests(torch.Tensor.allclose)
    torch.equal = count_calls_by_tests(torch.equal)
    torch.Tensor.backward = skip_backward
    torch.autograd.grad = skip_grad


def counts():
    return (dict(redirection.taken),
            {(name, reason): number
             for name, reasons in redirection.left.items()
             for reason, number in reasons.items()})


def difference(after, before):
    return {key: number - before.get(key, 0) for key, number in after.items()
            if number != before.get(key, 0)}


def calls_of_ours():
    return sum(difference(redirection.taken, running.before[0]).values())


#===------------------------------------------------------------------------===#
# Which tests
#===------------------------------------------------------------------------===#

def names_in(code):
    """With those in functions within it."""
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return set(code.co_names).union(*map(names_in, inner))


def names_of(function, seen):
    """Names that a function of a test's file mentions, and those that the
    functions of that file mention which it calls."""
    function = inspect.unwrap(function)
    if function in seen or not isinstance(function, types.FunctionType):
        return set()
    seen.add(function)
    names = names_in(function.__code__)
    for name in list(names):
        called = function.__globals__.get(name)
        if getattr(called, "__module__", None) == function.__module__:
            names |= names_of(called, seen)
    return names


def reaches_ours(item):
    """Whether the test may call one of these operators; a layer may too."""
    redirected = {name.rpartition(".")[2] for name in redirection.redirected}
    given = getattr(item, "callspec", None)
    given = [getattr(x, "__name__", "") for x in given.params.values()] if given else []
    return (bool(redirected & (names_of(item.function, set()) | set(given)))
            or "modules" in item.path.parts)


def reason_against(item):
    if BACKWARD.search(item.originalname):
        return "tests gradients"
    return "" if reaches_ours(item) else "calls none of these operators"


def sample(items, most):
    """At most so many of each function, by chance."""
    functions = {}
    for item in items:
        functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    chance = random.Random(int(os.environ.get("FORWARD_SEED", "1")))
    for members in functions.values():
        chance.shuffle(members)
    chosen = [item for members in functions.values()
              for item in (members[:most] if most else members)]
    chance.shuffle(chosen)
    return chosen


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    items[:] = sample(items, int(os.environ.get("FORWARD_SAMPLE", "0")))
    write(collected=[item.nodeid for item in items])


def pytest_configure(config):
    redirect()


def claim(number):
    try:
        os.close(os.open(CLAIMS / str(number), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """True: nobody else need run it."""
    if time.time() > float(os.environ["FORWARD_END"]):
        return True
    if not claim(item.session.items.index(item)):
        return True
    if reason := reason_against(item):
        write(test=item.nodeid, outcome="not ours", reason=reason)
        return True
    run(item)
    return True


def run(item):
    global running
    running = Test()
    running.before = counts()
    write(begin=item.nodeid, time=time.time())
    # Nothing of a module is kept: the next test may be of another one.
    reports = runtestprotocol(item, nextitem=None, log=True)
    taken, left = map(difference, counts(), running.before)
    bad = next((each for each in reports if each.outcome != "passed"), reports[0])
    text = reason_of(bad)
    write(test=item.nodeid, outcome=bad.outcome, reason=text, taken=taken,
          left=[[*key, number] for key, number in left.items()],
          compared=running.compared)
    broken = [str(bad.longrepr) if bad.failed else "", *(reason for _, reason in left)]
    if any(map(BROKEN.search, broken)):
        os._exit(EXIT_AGAIN)


def reason_of(report):
    if report.outcome == "passed":
        return ""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[-1])[:300]
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr)[-500:])[:500]
