# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that nobody means: what adversaries and unlucky users type.

Each is a text, or a command line, of a family that goes through one idea: names,
types, shapes, numbers, nesting, inline assembly, places, texts that end early or
lack a word. Most are wrong, some are right though they look wrong; what each
must give is the family's to say where it is sure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

#: What must come of an input.
COMPILES, REFUSED, EITHER = "compiles", "refused", "either"


@dataclass(frozen=True)
class Input:
    """`options` stand behind `tilewright COMMAND`; FILE is the text's file."""

    name: str
    text: str | bytes
    expected: str = EITHER
    options: tuple[str, ...] = ("compile", "FILE", "--emit=ptx", "-o", "-")
    #: Errors of the command line have no place in a file.
    has_place: bool = True


def kernel(body: str, arguments: str = "", name: str = "k") -> str:
    return (f"tt.func public @{name}({arguments}) {{\n{body}\n"
            "  tt.return\n}\n")


def escape(name: bytes) -> str:
    return '"' + "".join(chr(code) if 32 <= code < 127 and chr(code) not in
                         '"\\' else f"\\{code:02X}" for code in name) + '"'


# --- names -------------------------------------------------------------------

NAMES = [b"a b", b'a"b', b"a\nb", "é".encode(), b"a%b", b"a/b", b"a.b", b"1a",
         b".entry", b"llvm.trap", b"llvm.nvvm.barrier0", b"_", b"WARP_SZ",
         b"vprintf", b"__tilewright_sin_f32", b"tilewright_shared", b"k" * 5000,
         "é".encode() * 2000, b"a\\b", b"$a", b"%tid", b"*/ x", b"memset",
         b"__nv_sinf", b"a\x01b", b"\xff\xfe", b"$tw$a", b"main", b"??/",
         b'k"; .reg', b"add", b"f32", b"x%", b"a'b", b"a\tb", b"#", b"@k"]


def names() -> Iterator[Input]:
    body = ("  %c = arith.constant 1.0 : f32\n  %s = math.sin %c : f32\n"
            "  tt.store %p, %s : !tt.ptr<f32>")
    for number, name in enumerate(NAMES):
        text = kernel(body, f"%p: !tt.ptr<f32> loc({escape(name)})",
                      escape(name))
        yield Input(f"name {number}", text, COMPILES)
        yield Input(f"name {number} in an artifact", text, COMPILES,
                    ("compile", "FILE", "--emit=artifact-json",
                     "--machine-code=false", "-o", "-"))
        place = kernel("  tt.return loc(" + escape(name) + ":7:3)").replace(
            "\n  tt.return\n}", "\n}")
        yield Input(f"name {number} of a source", place, COMPILES)
    for name in (b"", b"a\0b"):
        yield Input(f"no name {name!r}", kernel("", name=escape(name)), REFUSED)


# --- types -------------------------------------------------------------------

TYPES = ["i1", "i7", "i8", "i16", "i32", "i64", "i128", "ui8", "si32", "f16",
         "bf16", "f32", "f64", "f80", "f128", "tf32", "f8E4M3FN", "f8E5M2",
         "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "index", "none",
         "complex<f32>", "vector<4xf32>", "memref<4xf32>", "tuple<>",
         "!tt.ptr<f32>", "!tt.ptr<!tt.ptr<i8>>", "!tt.ptr<tensor<4xf32>>",
         "tensor<4xf32>", "tensor<f32>", "!tt.tensordesc<tensor<4x4xf16>>",
         "!unknown.type", "!llvm.ptr"]
OF_TYPES = ["arith.addi %x, %x : T", "arith.addf %x, %x : T",
            "arith.remf %x, %x : T", "arith.divsi %x, %x : T",
            "arith.cmpi slt, %x, %x : T", "math.sin %x : T",
            "arith.select %c, %x, %x : T", "tt.splat %x : T -> tensor<32xT>",
            'tt.print "x" {hex = false, isSigned = array<i32: 1>} : %x : T']


def types() -> Iterator[Input]:
    for type_name, op in product(TYPES, OF_TYPES):
        result = "" if op.startswith("tt.print") else "%r = "
        yield Input(f"{op} of {type_name}",
                    kernel(f"  {result}" + re.sub(r"\bT\b", type_name, op),
                           f"%x: {type_name}, %c: i1"))
    for type_name in TYPES:
        yield Input(f"a load of {type_name}", kernel(
            f"  %x = tt.load %p : !tt.ptr<{type_name}>\n"
            f"  tt.store %p, %x : !tt.ptr<{type_name}>",
            f"%p: !tt.ptr<{type_name}>"))


# --- shapes and numbers --------------------------------------------------------

SIZES = ["0", "1", "2", "3", "32", "1000", "1024", "131072", "1048576",
         "4294967296", "9223372036854775807", "9223372036854775808", "?", "-1"]
OF_SIZES = [
    "%t = tt.splat %x : f32 -> tensor<NxF>",
    "%t = arith.constant dense<1.0> : tensor<NxF>",
    "%t = tt.splat %x : f32 -> tensor<NxNxF>",
    "%r = tt.make_range {start = 0 : i32, end = N : i32} : tensor<Nxi32>",
    "%t = tt.splat %x : f32 -> tensor<NxF>\n"
    "  %r = \"tt.reduce\"(%t) <{axis = 0 : i32}> ({\n"
    "  ^bb0(%a: f32, %b: f32):\n    %s = arith.addf %a, %b : f32\n"
    "    tt.reduce.return %s : f32\n  }) : (tensor<NxF>) -> f32",
    "%t = tt.splat %x : f32 -> tensor<NxF>\n"
    "  %r = tt.reshape %t : tensor<NxF> -> tensor<1xNxF>"]
NUMBERS = ["0", "1", "-1", "3", "2147483647", "2147483648", "-2147483648",
           "9223372036854775807", "99999999999999999999"]
OF_NUMBERS = [
    "%r = tt.make_range {start = N : i32, end = 64 : i32} : tensor<64xi32>",
    "%r = tt.make_range {start = 0 : i32, end = N : i32} : tensor<64xi32>",
    "%e = tt.splat %x : f32 -> tensor<32xf32>\n"
    "  %r = tt.expand_dims %e {axis = N : i32} : tensor<32xf32> -> "
    "tensor<1x32xf32>",
    "%e = tt.splat %x : f32 -> tensor<32xf32>\n"
    "  %r = \"tt.reduce\"(%e) <{axis = N : i32}> ({\n  ^bb0(%a: f32, %b: f32):\n"
    "    tt.reduce.return %a : f32\n  }) : (tensor<32xf32>) -> f32",
    "%i = arith.constant N : i32\n  %z = arith.divsi %i, %i : i32\n"
    "  %l = tt.splat %z : i32 -> tensor<32xi32>\n"
    "  %s = arith.shli %l, %l : tensor<32xi32>"]


def shapes() -> Iterator[Input]:
    for size, op in product(SIZES, OF_SIZES):
        yield Input(f"{op[:40]} of {size}",
                    kernel("  " + op.replace("N", size).replace("F", "f32"),
                           "%x: f32"))
    for number, op in product(NUMBERS, OF_NUMBERS):
        yield Input(f"{op[:40]} with {number}",
                    kernel("  " + op.replace("N", number), "%x: f32"))
    for number in [*NUMBERS, '"16"', "1.5", "[16]", "unit"]:
        yield Input(f"divisibility {number}", kernel(
            "  %x = tt.load %p : !tt.ptr<f32>\n"
            "  tt.store %p, %x : !tt.ptr<f32>",
            f"%p: !tt.ptr<f32> {{tt.divisibility = {number}}}"))
        yield Input(f"num_stages {number}", kernel(
            "  scf.for %i = %n to %n step %n : i32 {\n  } "
            f"{{tt.num_stages = {number}}}", "%n: i32"))
        yield Input(f"num-warps {number}",
                    f'module attributes {{"ttg.num-warps" = {number}}} {{\n'
                    + kernel("") + "}\n")


# --- inline assembly -----------------------------------------------------------

ASSEMBLY = ["", ";", "mov.b32 $0, $1;", "mov.b32 $0, $1", "{ mov.b32 $0, $1; }",
            "{ mov.b32 $0, $1;", "mov.b32 $0, $1; }", "{{}}{", "}{", "$", "$$",
            "$9", "${", "${0", "${0}", "${0:x}", "${0:r}", "${:uid}", "${x}",
            "mov.b32 $0, $1; // x", "mov.b32 $0, $1; /* x", "/* x */",
            "L: mov.b32 $0, $1;", "{ L: mov.b32 $0, $1; }",
            "L${:uid}: mov.b32 $0, $1;", ".entry k() { ret; }", ".reg .b32 t;",
            "{ .reg .b32 t; mov.b32 t, $1; mov.b32 $0, t; }", ".version 9.0;",
            "ret;", "exit;", "trap;", "@p mov.b32 $0, $1;", "nonsense $0;",
            "mov.b32 $0, %tid.x;", "mov.b32 $0, %nothing;", "\\\\", "\\22",
            "\\0A", "\\00", "\\FF", "$(a|b$)", "a|b", "::", "a::b;", "{,}",
            "mov.b64 {$0, $0}, $1;", "call f;", "bar.sync 0;", "!", "[;]"]
CONSTRAINTS = ["=r,r", "r,r", "=r", "", "=r,r,~{memory}", "=x,r", "=r,n"]


def assembly() -> Iterator[Input]:
    for text, constraints in product(ASSEMBLY, CONSTRAINTS):
        if constraints != "=r,r" and len(text) % 4:
            continue
        yield Input(f"assembly '{text}', '{constraints}'", kernel(
            "  %x = tt.load %p : !tt.ptr<i32>\n"
            f'  %y = tt.elementwise_inline_asm "{text}" {{constraints = '
            f'"{constraints}", packed_element = 1 : i32, pure = false}} %x : '
            "i32 -> i32\n  tt.store %p, %y : !tt.ptr<i32>",
            "%p: !tt.ptr<i32>"))


# --- nesting -------------------------------------------------------------------

def nesting() -> Iterator[Input]:
    for depth in (10, 100, 5000, 100000):
        expected = COMPILES if depth <= 100 else REFUSED
        yield Input(f"{depth} branches", kernel(
            "scf.if %n {\n" * depth + "}\n" * depth, "%n: i1"), expected)
        for name, start, end in (("lists", "[", "]"), ("types", "!tt.ptr<", ">"),
                                 ("dictionaries", "{a = ", "}"),
                                 ("parentheses", "(", ")")):
            middle = "f32" if name == "types" else "1"
            yield Input(f"{depth} {name}", "module attributes {a = "
                        f"{start * depth}{middle}{end * depth}}} {{}}\n",
                        EITHER if depth <= 100 else REFUSED)
        yield Input(f"{depth} brackets that stay open", "(" * depth, REFUSED)
        yield Input(f"{depth} brackets in a comment",
                    "// " + "([{<" * depth + "\n" + kernel(""), COMPILES)


# --- texts that end early, lack a word, or have one twice ------------------------

WHOLE = """module {
  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %base = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %at = tt.addptr %base, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64xf32>) : i32 {
      %v = tt.load %at : tensor<64x!tt.ptr<f32>>
      %t = arith.addf %s, %v : tensor<64xf32>
      scf.yield %t : tensor<64xf32>
    }
    tt.store %at, %sum : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
"""


def edits() -> Iterator[Input]:
    words = list(re.finditer(r"[%@!.\w]+|\S", WHOLE))
    yield Input("the whole text", WHOLE, COMPILES)
    for number, word in enumerate(words):
        before, after = WHOLE[:word.start()], WHOLE[word.end():]
        if number % 4 == 0:
            yield Input(f"the first {number} words", before)
        if number % 2:
            yield Input(f"without word {number}", before + after)
        else:
            yield Input(f"word {number} twice",
                        before + word.group() + " " + word.group() + after)
    for number in range(0, len(WHOLE), 40):
        broken = bytearray(WHOLE.encode())
        broken[number] ^= 0x80
        yield Input(f"byte {number} changed", bytes(broken))
    for name, text in (("nothing", b""), ("a zero", b"\0"), ("a byte", b"\xff"),
                       ("an artifact", b"\x89TWA\r\n\x1a\n" + b"\0" * 64)):
        yield Input(name, text, REFUSED)
    for size in range(0, 100, 5):
        yield Input(f"{size} bytes of bytecode", b"ML\xefR" + b"\x07" * size,
                    REFUSED)


# --- command lines ---------------------------------------------------------------

def command_lines() -> Iterator[Input]:
    text = kernel("")
    for option, values in {
            "--num-warps": ("0", "3", "64", "-1", "x", "", "4294967296"),
            "--target": ("sm_1", "sm_80,sm_42", "", ",", "sm_80 ", "all"),
            "--emit": ("nothing", "", "PTX"),
            "--max-registers": ("0", "1", "256", "-3", "x"),
            "--num-stages": ("0", "-1", "x", "4294967296"),
            "--threads": ("0", "100000", "x"),
            "--path-prefix-map": ("a", "a=b=c", "")}.items():
        for value in values:
            # The threads of a build, an empty list, are as they were.
            yield Input(f"{option}={value}", text, EITHER,
                        ("compile", "FILE", "--emit=ptx", "-o", "-",
                         f"{option}={value}"), has_place=False)
    for option in ("--grid=0", "--grid=-1", "--grid=1,2,3,4", "--grid=x",
                   "--grid=4294967296", "--arg=zeros", "--arg=zeros:xf32",
                   "--arg=zeros:99999999999999xf32", "--arg=random:4xf32",
                   "--arg=i32:x", "--arg=none.npy", "--compare=0",
                   "--compare=7=x.npy", "--check=all,-x", "--max-steps=x",
                   "--max-memory=-1", "--device=none", "--shared-bytes=8",
                   "--kernel=none", "--repeat=-1", "--seed=x"):
        yield Input(f"run {option}", text, REFUSED,
                    ("run", "FILE", "--device=emulator", option),
                    has_place=False)


FAMILIES = (names, types, shapes, assembly, nesting, edits, command_lines)


def make_inputs() -> list[Input]:
    return [each for family in FAMILIES for each in family()]
