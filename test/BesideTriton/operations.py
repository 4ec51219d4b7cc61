# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations that are compared, each as a kernel of it alone."""

from dataclasses import dataclass

WIDE = ("f16", "bf16", "f32", "f64")
BLOCK = 1024


@dataclass(frozen=True)
class Operation:
    """`body` computes %r of %x, %y, %z, tiles whose element types are
    `operands`; $x, $y, $z and $r are the types of the tiles."""

    name: str
    operands: tuple[str, ...]
    result: str
    body: str

    @property
    def types(self) -> str:
        return (",".join(self.operands) if len(set(self.operands)) > 1
                else self.operands[0]) + " -> " + self.result


def same(name: str, count: int, body: str,
         types: tuple[str, ...] = WIDE) -> list[Operation]:
    """An operation whose operands and result have one type."""
    return [Operation(name, (type_name,) * count, type_name, body)
            for type_name in types]


def arithmetic() -> list[Operation]:
    rows = []
    for name in ("addf", "subf", "mulf", "divf", "remf", "maxnumf", "minnumf",
                 "maximumf", "minimumf"):
        rows += same(f"arith.{name}", 2, f"%r = arith.{name} %x, %y : $r")
    rows += same("mulf, addf", 3, "%p = arith.mulf %x, %y : $r\n"
                 "%r = arith.addf %p, %z : $r")
    rows += same("mulf, subf", 3, "%p = arith.mulf %x, %y : $r\n"
                 "%r = arith.subf %p, %z : $r")
    rows += same("mulf, subf from", 3, "%p = arith.mulf %x, %y : $r\n"
                 "%r = arith.subf %z, %p : $r")
    rows += same("two products", 3, "%p = arith.mulf %x, %y : $r\n"
                 "%q = arith.mulf %y, %z : $r\n"
                 "%r = arith.addf %p, %q : $r")
    rows += same("tt.precise_divf", 2, "%r = tt.precise_divf %x, %y : $r",
                 ("f32",))
    rows += same("tt.precise_sqrt", 1, "%r = tt.precise_sqrt %x : $r",
                 ("f32",))
    for nan in ("none", "all"):
        rows += same(f"tt.clampf {nan}", 3, f"%r = tt.clampf %x, %y, %z, "
                     f"propagateNan = {nan} : $r", ("f16", "bf16", "f32"))
    for predicate in ("oeq", "ogt", "ole", "one", "ord", "ueq", "ult", "une",
                      "uno"):
        rows += [Operation(f"arith.cmpf {predicate}", (name, name), "i8",
                           f"%c = arith.cmpf {predicate}, %x, %y : $x\n"
                           "%r = arith.extui %c : tensor<1024xi1> to $r")
                 for name in WIDE]
    return rows


def functions() -> list[Operation]:
    rows = []
    for name in ("absf", "floor", "ceil", "exp", "exp2", "log", "log2", "sin",
                 "cos", "sqrt", "rsqrt", "erf"):
        types = WIDE if name in ("absf", "floor", "ceil") else ("f32", "f64")
        rows += same(f"math.{name}", 1, f"%r = math.{name} %x : $r", types)
    return rows + same("math.fma", 3, "%r = math.fma %x, %y, %z : $r")


def float_conversions() -> list[Operation]:
    rows = []
    for source, wider in (("f16", "f32"), ("bf16", "f32"), ("f32", "f64"),
                          ("f16", "f64"), ("bf16", "f64")):
        rows.append(Operation("arith.extf", (source,), wider,
                              "%r = arith.extf %x : $x to $r"))
        rows.append(Operation("arith.truncf", (wider,), source,
                              "%r = arith.truncf %x : $x to $r"))
    for rounding in ("rtne", "rtz"):
        for source, result in (("f32", "f16"), ("f32", "bf16"),
                               ("f32", "f8E5M2"), ("f16", "f8E5M2"),
                               ("bf16", "f8E5M2"), ("f32", "f8E4M3FN"),
                               ("f16", "f8E4M3FN"), ("bf16", "f8E4M3FN")):
            rows.append(Operation(
                f"tt.fp_to_fp {rounding}", (source,), result,
                f"%r = tt.fp_to_fp %x, rounding = {rounding} : $x -> $r"))
    for source in ("f8E5M2", "f8E4M3FN"):
        for result in ("f16", "bf16", "f32"):
            rows.append(Operation("tt.fp_to_fp", (source,), result,
                                  "%r = tt.fp_to_fp %x : $x -> $r"))
    return rows


def integer_conversions() -> list[Operation]:
    rows = []
    for integer in ("i8", "i16", "i32", "i64"):
        for real in WIDE:
            for name in ("sitofp", "uitofp"):
                rows.append(Operation(f"arith.{name}", (integer,), real,
                                      f"%r = arith.{name} %x : $x to $r"))
            for name in ("fptosi", "fptoui"):
                rows.append(Operation(f"arith.{name}", (real,), integer,
                                      f"%r = arith.{name} %x : $x to $r"))
    return rows


def library() -> list[Operation]:
    """Functions of libdevice that kernels call."""
    rows = []

    def call(symbol: str, operands: tuple[str, ...], result: str) -> None:
        values = ", ".join("%" + "xyz"[i] for i in range(len(operands)))
        types = ", ".join("$" + "xyz"[i] for i in range(len(operands)))
        rows.append(Operation(
            symbol, operands, result,
            f'%r = tt.extern_elementwise {values} {{libname = "", '
            f'libpath = "", pure = true, symbol = "{symbol}"}} : '
            f"({types}) -> $r"))

    for name in ("tanh", "sinh", "cosh", "asin", "acos", "atan", "asinh",
                 "acosh", "atanh", "exp", "exp2", "exp10", "expm1", "log",
                 "log2", "log10", "log1p", "sin", "cos", "tan", "erf", "erfc",
                 "cbrt", "rcbrt", "rsqrt", "sqrt", "round", "rint",
                 "nearbyint", "trunc"):
        call(f"__nv_{name}f", ("f32",), "f32")
        call(f"__nv_{name}", ("f64",), "f64")
    for name in ("pow", "atan2", "hypot", "fmax", "fmin", "fdim", "copysign"):
        call(f"__nv_{name}f", ("f32", "f32"), "f32")
        call(f"__nv_{name}", ("f64", "f64"), "f64")
    for name in ("fadd", "fmul", "fdiv"):
        for rounding in ("rn", "rz", "ru", "rd"):
            call(f"__nv_{name}_{rounding}", ("f32", "f32"), "f32")
    for name in ("fsqrt_rn", "frcp_rn", "frcp_rz", "saturatef", "fast_expf",
                 "fast_logf", "fast_sinf", "fast_cosf", "fast_tanf"):
        call(f"__nv_{name}", ("f32",), "f32")
    call("__nv_fast_fdividef", ("f32", "f32"), "f32")
    call("__nv_fast_powf", ("f32", "f32"), "f32")
    for rounding in ("rn", "rz", "ru", "rd"):
        call(f"__nv_float2int_{rounding}", ("f32",), "i32")
        call(f"__nv_float2uint_{rounding}", ("f32",), "i32")
        call(f"__nv_int2float_{rounding}", ("i32",), "f32")
        call(f"__nv_double2float_{rounding}", ("f64",), "f32")
    return rows


OPERATIONS = (arithmetic() + functions() + float_conversions()
              + integer_conversions() + library())


def make_kernel(operation: Operation) -> str:
    """The operation's kernel, as tile IR: pointers to the operands and to the
    result, BLOCK elements a program."""
    lines = ["module {", "  tt.func public @kernel("]
    names = "xyz"[:len(operation.operands)] + "r"
    types = dict(zip(names, (*operation.operands, operation.result)))
    lines[-1] += ", ".join(f"%p{name}: !tt.ptr<{types[name]}> "
                           "{tt.divisibility = 16 : i32}" for name in names)
    lines[-1] += ") attributes {noinline = false} {"
    lines += [f"    %block = arith.constant {BLOCK} : i32",
              "    %program = tt.get_program_id x : i32",
              "    %start = arith.muli %program, %block : i32",
              f"    %range = tt.make_range {{end = {BLOCK} : i32, start = 0 : "
              f"i32}} : tensor<{BLOCK}xi32>",
              f"    %starts = tt.splat %start : i32 -> tensor<{BLOCK}xi32>",
              f"    %places = arith.addi %starts, %range : "
              f"tensor<{BLOCK}xi32>"]
    for name in names:
        pointers = f"tensor<{BLOCK}x!tt.ptr<{types[name]}>>"
        lines += [f"    %s{name} = tt.splat %p{name} : "
                  f"!tt.ptr<{types[name]}> -> {pointers}",
                  f"    %a{name} = tt.addptr %s{name}, %places : {pointers}, "
                  f"tensor<{BLOCK}xi32>"]
        if name != "r":
            lines.append(f"    %{name} = tt.load %a{name} : {pointers}")
    body = operation.body
    for name in names:
        body = body.replace(f"${name}", f"tensor<{BLOCK}x{types[name]}>")
    lines += ["    " + line for line in body.splitlines()]
    lines += [f"    tt.store %ar, %r : tensor<{BLOCK}x!tt.ptr<"
              f"{operation.result}>>", "    tt.return", "  }", "}", ""]
    return "\n".join(lines)
