# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints tile IR that is nested deeply, in the way that is asked for."""

import sys

DEPTH = 5000


def kernel(body: str, argument: str = "%n: i1") -> str:
    return f"tt.func public @k({argument}) {{\n{body}\n  tt.return\n}}\n"


def calls(count: int, times: int) -> str:
    text = "tt.func private @f0() {\n  tt.return\n}\n"
    for number in range(1, count):
        call = f"  tt.call @f{number - 1}() : () -> ()\n"
        text += (f"tt.func private @f{number}() {{\n{call * times}"
                 "  tt.return\n}\n")
    return text + kernel(f"  tt.call @f{count - 1}() : () -> ()")


def nested_calls(count: int, depth: int) -> str:
    text = "tt.func private @f0(%n: i1) {\n  tt.return\n}\n"
    for number in range(1, count):
        text += (f"tt.func private @f{number}(%n: i1) {{\n"
                 + "scf.if %n {\n" * depth
                 + f"  tt.call @f{number - 1}(%n) : (i1) -> ()\n"
                 + "}\n" * depth + "  tt.return\n}\n")
    return text + kernel(f"  tt.call @f{count - 1}(%n) : (i1) -> ()")


def aliases(count: int, text: str, argument: str = "") -> str:
    """Definitions of #a0 or !a0 and so on, each with `text` as it has the one
    before, and a kernel."""
    kind = "!" if "tuple" in text else "#"
    lines = [f"{kind}a0 = {'i32' if kind == '!' else '[1]'}"]
    lines += [f"{kind}a{number} = " + text.replace("@", f"{kind}a{number - 1}")
              for number in range(1, count)]
    return "\n".join(lines) + "\n" + kernel("", argument or "%n: i1")


TEXTS = {
    "regions": lambda: kernel("scf.if %n {\n" * DEPTH + "}\n" * DEPTH),
    "generic": lambda: kernel('"scf.if"(%n) ({\n' * DEPTH
                              + "}) : (i1) -> ()\n" * DEPTH),
    "attributes": lambda: f"module attributes {{a = {'[' * DEPTH}{']' * DEPTH}"
                          "} {}\n",
    "dictionaries": lambda: f"module attributes {{a = {'{b = ' * DEPTH}1"
                            f"{'}' * DEPTH}}} {{}}\n",
    "pointers": lambda: kernel("", "%n: " + "!tt.ptr<" * DEPTH + "f32"
                               + ">" * DEPTH),
    "parentheses": lambda: kernel("(" * 100 * DEPTH),
    "locations": lambda: kernel("tt.return loc(" + "callsite(" * DEPTH),
    "shallow": lambda: kernel(
        f"// {'(' * DEPTH}\n" + "scf.if %n {\n" * 100
        + f'  tt.print "{"<[{(" * DEPTH}" '
        "{hex = false, isSigned = array<i32>}\n" + "}\n" * 100
        + "".join(f"%p{number} = tt.call @two(%n) : (i1) -> i1\n"
                  for number in range(300)))
    + "tt.func private @two(%n: i1) -> i1 {\n  tt.return %n : i1\n}\n",
    "types twice": lambda: aliases(40, "tuple<@, @>", "%n: !a39"),
    "attributes twice": lambda: aliases(40, "[@, @]"),
    "deep aliases": lambda: aliases(300, "[@]"),
    "further lines": lambda: aliases(40, "tuple<\n  @, @>", "%n: !a39"),
    "some aliases": lambda: aliases(100, "[@]"),
    "calls": lambda: calls(40, 2),
    "nested calls": lambda: nested_calls(100, 200),
    "chain": lambda: calls(2000, 1),
}

print(TEXTS[sys.argv[1]]())
