# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes mutants of PTX text: one small fault each, as a compiler could make.

In: PTX text as our compiler writes it, one instruction a line (or over several
lines, as LLVM writes matrix instructions). Out: mutants that keep the number
of lines, so that lines of reports and of the original agree. Each is legal PTX
of another meaning, as far as one instruction tells. Nothing is run here.
"""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

_GUARD = re.compile(r"@(!?)(%\w+)\s+")
_REGISTER = re.compile(r"%[a-z]+\d+")
_INTEGER = re.compile(r"-?\d+")
_ADDRESS = re.compile(r"\[([%\w.$]+)([+-]\d+)?\]")


@dataclass(frozen=True)
class Instruction:
    """first, last: its lines, from 0. guard: "%p1", "!%p1" or ""."""

    first: int
    last: int
    guard: str
    opcode: str
    operands: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.opcode.split(".")[0]

    @property
    def modifiers(self) -> list[str]:
        return self.opcode.split(".")[1:]

    @property
    def text(self) -> str:
        guard = f"@{self.guard} " if self.guard else ""
        return f"{guard}{self.opcode} {', '.join(self.operands)}".rstrip()

    def with_operand(self, index: int, text: str) -> "Instruction":
        operands = list(self.operands)
        operands[index] = text
        return replace(self, operands=tuple(operands))


@dataclass(frozen=True)
class Mutant:
    """One change. line: from 1, as the emulator counts them. after: "" where
    the instruction is dropped."""

    kind: str
    instruction: Instruction
    after: str

    @property
    def line(self) -> int:
        return self.instruction.first + 1

    def apply(self, text: str) -> str:
        lines = text.split("\n")
        here = self.instruction
        lines[here.first:here.last + 1] = [
            f"\t{self.after};" if self.after else "",
            *[""] * (here.last - here.first)]
        return "\n".join(lines)


# --- reading ----------------------------------------------------------------

def split_operands(text: str) -> tuple[str, ...]:
    """Splits at the commas outside of braces and brackets."""
    parts, depth, begin = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "{[") - (character in "}]")
        if character == "," and not depth:
            parts.append(text[begin:place].strip())
            begin = place + 1
    rest = text[begin:].strip()
    return (*parts, rest) if rest else tuple(parts)


def _read(text: str, first: int, last: int) -> Instruction:
    guard = ""
    if match := _GUARD.match(text):
        guard = match[1] + match[2]
        text = text[match.end():]
    opcode, _, rest = text.partition(" ")
    return Instruction(first, last, guard, opcode, split_operands(rest))


def read_instructions(text: str) -> list[Instruction]:
    """All instructions of the bodies, in order; directives, labels and
    comments are passed over."""
    found, pending, first = [], "", 0
    for number, line in enumerate(text.split("\n")):
        line = " ".join(line.split("//")[0].split())
        if not pending:
            if not line or line[0] in ".{}()" or line.endswith((":", ",", ")")):
                continue
            first = number
        pending = f"{pending} {line}".strip()
        if pending.endswith(";"):
            found.append(_read(pending[:-1].strip(), first, number))
            pending = ""
    return found


def read_labels(text: str) -> dict[str, int]:
    """The lines of labels, from 0."""
    return {line.strip()[:-1]: number
            for number, line in enumerate(text.split("\n"))
            if re.fullmatch(r"\s*[$%\w]+:\s*", line)}


def registers(operand: str) -> list[str]:
    return _REGISTER.findall(operand)


def elements(operand: str) -> list[str]:
    """The registers of "{a, b}"; [] where it is no vector."""
    if not operand.startswith("{"):
        return []
    return [part.strip() for part in operand.strip("{}").split(",")]


def sources(instruction: Instruction) -> set[str]:
    """Registers that an instruction reads."""
    first = 0 if instruction.name in ("st", "cp", "bra", "bar") else 1
    read = {name for operand in instruction.operands[first:]
            for name in registers(operand)}
    read |= {name for operand in instruction.operands[:1]
             if operand.startswith("[") for name in registers(operand)}
    return read | set(registers(instruction.guard))


def element_bytes(instruction: Instruction) -> int:
    """Bytes of one element of a load's or store's type; 0 if it has none."""
    match = re.fullmatch(r"[a-z]+(\d+)", instruction.modifiers[-1])
    return int(match[1]) // 8 if match else 0


def access_bytes(instruction: Instruction) -> int:
    """Bytes that one lane accesses."""
    if instruction.name in ("ldmatrix", "stmatrix", "cp"):
        return 16
    vector = [int(name[1:]) for name in instruction.modifiers
              if re.fullmatch(r"v\d", name)]
    return element_bytes(instruction) * (vector[0] if vector else 1)


def is_memory_access(instruction: Instruction) -> bool:
    """A load or store; parameters are no memory to get wrong."""
    if instruction.name == "cp":
        return len(instruction.operands) >= 3
    return (instruction.name in ("ld", "st", "ldmatrix", "stmatrix")
            and "param" not in instruction.modifiers)


# --- kinds ------------------------------------------------------------------

# A kind's function gives the texts that an instruction may become.
Texts = Iterator[str]


@dataclass(frozen=True)
class Context:
    """What kinds look at beyond their instruction."""

    # Line of an instruction that starts a loop's counter, or adds to it: what
    # is added.
    steps: dict[int, int]
    # Lines of the comparisons that loops end with.
    loop_tests: set[int]


def drop_barrier(here: Instruction, context: Context) -> Texts:
    if here.name in ("bar", "barrier"):
        yield ""


def drop_copy_wait(here: Instruction, context: Context) -> Texts:
    """cp.async.wait_group N, wait_all, commit_group; or waits for a group
    less."""
    if here.name != "cp" or is_memory_access(here):
        return
    yield ""
    if "wait_group" in here.modifiers:
        yield here.with_operand(0, str(int(here.operands[0]) + 1)).text


def drop_guard(here: Instruction, context: Context) -> Texts:
    if here.guard and is_memory_access(here):
        yield replace(here, guard="").text


def negate_guard(here: Instruction, context: Context) -> Texts:
    if here.guard:
        guard = (here.guard[1:] if here.guard[0] == "!"
                 else "!" + here.guard)
        yield replace(here, guard=guard).text


def narrow_mask(here: Instruction, context: Context) -> Texts:
    """One of the two conditions of a mask is forgotten."""
    if here.opcode == "and.pred":
        target, first, second = here.operands
        yield f"mov.pred {target}, {first}"
        yield f"mov.pred {target}, {second}"


def shift_immediate(here: Instruction, context: Context) -> Texts:
    """An index or an address computed one element beside: of 2 or 4 bytes
    where it has 64 bits."""
    if here.name not in ("add", "shl", "or", "mad", "mul", "xor"):
        return
    if here.modifiers[-1] in ("f32", "f16", "f16x2", "pred"):
        return
    if here.first in context.steps:
        return
    wide = here.name == "add" and here.modifiers[-1].endswith("64")
    for index, operand in enumerate(here.operands):
        if index and _INTEGER.fullmatch(operand):
            steps = (-4, 2) if wide else (-1, 1)
            for step in steps:
                if int(operand) + step >= 0 or int(operand) < 0:
                    yield here.with_operand(index,
                                            str(int(operand) + step)).text


def shift_offset(here: Instruction, context: Context) -> Texts:
    """The next access, and the one before."""
    if not is_memory_access(here):
        return
    for index, operand in enumerate(here.operands):
        match = _ADDRESS.fullmatch(operand)
        if not match:
            continue
        for step in (access_bytes(here), -access_bytes(here)):
            offset = int(match[2] or 0) + step
            if offset < 0 and not match[1].startswith("%"):
                continue
            yield here.with_operand(
                index, f"[{match[1]}{offset:+d}]" if offset
                else f"[{match[1]}]").text


def exchange_lanes(here: Instruction, context: Context) -> Texts:
    """A shuffle with another distance, or of another lane."""
    if here.name != "shfl":
        return
    source = here.operands[2]
    if not _INTEGER.fullmatch(source):
        # Everyone reads lane 0, or itself.
        yield here.with_operand(2, "0").text
        yield f"mov.b32 {here.operands[0].split('|')[0]}, {here.operands[1]}"
        return
    # No other bit of a butterfly's distance: lanes that differ in a bit that
    # an earlier step has reduced hold the same.
    others = ({int(source) * 2 % 32, int(source) // 2}
              if "bfly" in here.modifiers else {int(source) ^ 1})
    for other in sorted(others):
        yield here.with_operand(2, str(other)).text


def exchange_registers(here: Instruction, context: Context) -> Texts:
    """Two registers of a fragment or of a vector change places."""
    if here.name not in ("mma", "ldmatrix", "stmatrix", "ld", "st", "mov"):
        return
    for index, operand in enumerate(here.operands):
        names = elements(operand)
        for place in range(len(names) - 1):
            if names[place] == names[place + 1]:
                continue
            changed = list(names)
            changed[place:place + 2] = names[place + 1], names[place]
            yield here.with_operand(index, f"{{{', '.join(changed)}}}").text


_COMPARISONS = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "eq": "ne",
                "ne": "eq", "lo": "ls", "ls": "lo", "hi": "hs", "hs": "hi"}


def change_comparison(here: Instruction, context: Context) -> Texts:
    """Not that at the end of a loop: the masks of one trip more are false."""
    if here.first in context.loop_tests:
        return
    if here.name == "setp" and here.modifiers[0] in _COMPARISONS:
        modifiers = [_COMPARISONS[here.modifiers[0]], *here.modifiers[1:]]
        yield replace(here, opcode=".".join(["setp", *modifiers])).text


_STRICT = {"lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"}


def make_probe(mutant: Mutant) -> Mutant | None:
    """The original, with a trap where the mutant would decide otherwise. Where
    no case runs into the trap, the mutant decides as the original does in all
    of them. For comparisons that are strict in the original or in the mutant,
    and not in both, where their operands are equal; for a mask's condition,
    where it is false and the other is true; for a shuffle, where another value
    comes of it. None for other mutants."""
    here = mutant.instruction
    if mutant.kind == "lane of a shuffle":
        return make_shuffle_probe(mutant)
    if here.guard or len(here.operands) != 3:
        return None
    target, *parts = here.operands
    if mutant.kind == "comparison" and here.modifiers[0] in _STRICT:
        equal = replace(here,
                        opcode=".".join(["setp", "eq", *here.modifiers[1:]]))
        differs = [equal.text]
    elif (mutant.kind == "mask's condition dropped" and target not in parts):
        kept = mutant.after.split()[-1]
        dropped = parts[1] if kept == parts[0] else parts[0]
        differs = [f"not.pred {target}, {dropped}",
                   f"and.pred {target}, {target}, {kept}"]
    else:
        return None
    return replace(mutant, after="; ".join(
        [*differs, f"@{target} trap", here.text]))


def make_shuffle_probe(mutant: Mutant) -> Mutant | None:
    """Where what makes a warp's number uniform reads another lane, nothing is
    to be caught."""
    here = mutant.instruction
    target = here.operands[0]
    if here.guard or "|" in target:
        return None
    return replace(mutant, after="; ".join(
        [".reg .b32 %probed", ".reg .pred %differs",
         mutant.after.replace(target, "%probed", 1), here.text,
         f"setp.ne.b32 %differs, %probed, {target}", "@%differs trap"]))


def exchange_extremes(here: Instruction, context: Context) -> Texts:
    other = {"min": "max", "max": "min"}.get(here.name)
    if other:
        yield replace(here, opcode=".".join([other, *here.modifiers])).text


def exchange_operands(here: Instruction, context: Context) -> Texts:
    if here.name in ("sub", "selp", "div", "shr") and len(here.operands) >= 3:
        target, first, second, *rest = here.operands
        if (first != second and registers(first)
                and (here.name != "shr" or registers(second))):
            yield replace(here, operands=(target, second, first, *rest)).text


def drop_store(here: Instruction, context: Context) -> Texts:
    if here.name in ("st", "stmatrix"):
        yield ""
    if here.name == "cp" and is_memory_access(here):
        yield ""


def change_trips(here: Instruction, context: Context) -> Texts:
    """A loop's counter begins one trip later, or goes on with another
    number."""
    if here.first not in context.steps:
        return
    step, last = context.steps[here.first], len(here.operands) - 1
    if here.name == "mov":
        yield here.with_operand(last, str(int(here.operands[last]) + step)).text
        return
    yield here.with_operand(last, str(step + 1)).text
    yield here.with_operand(last, str(2 * step)).text


KINDS: dict[str, Callable[[Instruction, Context], Texts]] = {
    "barrier dropped": drop_barrier,
    "copy's group or wait dropped": drop_copy_wait,
    "guard dropped": drop_guard,
    "guard negated": negate_guard,
    "mask's condition dropped": narrow_mask,
    "index off by one": shift_immediate,
    "offset by one access": shift_offset,
    "lane of a shuffle": exchange_lanes,
    "registers exchanged": exchange_registers,
    "comparison": change_comparison,
    "min for max": exchange_extremes,
    "operands exchanged": exchange_operands,
    "store dropped": drop_store,
    "loop's count": change_trips,
}


# --- all mutants of a text --------------------------------------------------

def _find_loops(text: str, code: list[Instruction]) -> Context:
    """A loop ends with a guarded branch backwards, and its counter is what
    the comparison before it reads first."""
    labels = read_labels(text)
    context = Context({}, set())
    for place, branch in enumerate(code):
        if (branch.name != "bra" or not branch.guard
                or labels.get(branch.operands[0], branch.first)
                >= branch.first):
            continue
        guard = branch.guard.strip("!")
        test = next((other for other in reversed(code[:place])
                     if other.name == "setp" and other.operands[0] == guard),
                    None)
        if test is None:
            continue
        context.loop_tests.add(test.first)
        counts = [other for other in code
                  if other.name in ("add", "mov")
                  and other.operands[0] == test.operands[1]
                  and _INTEGER.fullmatch(other.operands[-1])]
        steps = [int(other.operands[-1]) for other in counts
                 if other.name == "add"]
        for other in counts if len(steps) == 1 else ():
            context.steps[other.first] = steps[0]
    return context


# --- mutants of the same meaning --------------------------------------------

_REORDERED = re.compile(r"(max|min|add)(\.rn)?\.(f32|f16|s32)")


def _root(name: str, uses: dict[str, list[Instruction]]) -> tuple[str, str]:
    """What a sum or an extreme of many ends in, of which `name` is one: its
    operation and its register; ("", name) where it has another use."""
    operation = ""
    while len(uses.get(name, [])) == 1:
        use = uses[name][0]
        if (not _REORDERED.fullmatch(use.opcode) or use.guard
                or operation not in ("", use.opcode)
                or use.operands[1:].count(name) != 1):
            break
        operation, name = use.opcode, use.operands[0]
    return operation, name


def _is_same(here: Instruction, after: str,
             uses: dict[str, list[Instruction]]) -> bool:
    """Whether registers changed places that nobody reads, or that are two
    operands of one sum or extreme: its order is not part of its meaning."""
    if not after or here.name not in ("ld", "ldmatrix", "mov"):
        return False
    other = _read(after, here.first, here.last)
    if other.operands[1:] != here.operands[1:] or other.opcode != here.opcode:
        return False
    changed = [old for old, new in zip(elements(here.operands[0]),
                                       elements(other.operands[0]))
               if old != new]
    if not any(uses.get(name) for name in changed):
        return bool(changed)
    roots = {_root(name, uses) for name in changed}
    return len(roots) == 1 and roots.pop()[0] != ""


def _last_wait(code: list[Instruction]) -> Instruction | None:
    """The wait for copies behind which nothing jumps, and nothing touches
    shared memory: bytes that are still on their way there are never seen."""
    for here in reversed(code):
        if here.name == "cp" and not is_memory_access(here):
            return here if "wait_group" in here.modifiers else None
        if here.name == "bra" or "shared" in here.modifiers:
            return None
    return None


def make_mutants(text: str) -> dict[str, list[Mutant]]:
    """All mutants by kind, in the order of the text."""
    code = read_instructions(text)
    context = _find_loops(text, code)
    uses: dict[str, list[Instruction]] = {}
    for instruction in code:
        for name in sources(instruction):
            uses.setdefault(name, []).append(instruction)
    last_wait = _last_wait(code)
    return {kind: [Mutant(kind, here, after) for here in code
                   if here is not last_wait
                   for after in change(here, context)
                   if after != here.text and not _is_same(here, after, uses)]
            for kind, change in KINDS.items()}


def choose(pools: dict[str, dict[str, list[Mutant]]], count: int,
           seed: int) -> list[tuple[str, Mutant]]:
    """`count` mutants of the pools (by kind, then by name of the text), evenly
    over kinds and, within one, over texts."""
    rng = random.Random(seed)
    queues: dict[str, list[tuple[str, Mutant]]] = {}
    for kind, texts in pools.items():
        shuffled = {name: rng.sample(mutants, len(mutants))
                    for name, mutants in texts.items() if mutants}
        names = rng.sample(list(shuffled), len(shuffled))
        queues[kind] = []
        while any(shuffled.values()):
            queues[kind] += [(name, shuffled[name].pop()) for name in names
                             if shuffled[name]]
    chosen: list[tuple[str, Mutant]] = []
    while len(chosen) < count and any(queues.values()):
        for queue in queues.values():
            if queue and len(chosen) < count:
                chosen.append(queue.pop(0))
    return chosen
