#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every diagnostic of the compiler is expected by some test.

In: the sources of the dialects, the passes and the compiler, and the tests. A
message is what a statement with emitError, emitOpError or emitWarning streams,
or a text elsewhere that begins with "expects ": its pieces between the values.
It is tested if a test expects (expected-error, expected-warning, a CHECK line,
a string of a unit test) a text that has all its pieces in their order. Out: the
messages without a test, by file and line, and two counts: of messages, and of
bad inputs, which are located expectations of errors. The exit status is 1 if a
message has no test or there are fewer bad inputs than --at-least.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ("dialects", "passes", "lib/Compiler", "lib/Codegen")
EMIT = re.compile(r"\b(?:mlir::)?emit(?:OpError|Error|Warning)\s*\(")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?P<raw>.*?)\)"'
                   r'|"(?P<text>(?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)\''
                   r'|[;{}()?:]|<<', re.DOTALL)
# What no input can bring about, and why it is said all the same.
BEYOND_INPUTS = {
    "has no layout after assignment":
        "an operation whose placement has no layout",
    "LLVM has no NVPTX back end: ": "a broken LLVM",
    "LLVM cannot compile for '": "a broken LLVM",
    "LLVM cannot emit PTX for '": "a broken LLVM",
    "cannot link the bitcode library '": "a broken bitcode library",
}
ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\", "\\t": "\t"}


@dataclass(frozen=True)
class Message:
    """A diagnostic: the pieces of its text that are always the same."""

    file: str
    line: int
    pieces: tuple[str, ...]

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(".*?".join(map(re.escape, self.pieces)), re.DOTALL)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: " + "…".join(self.pieces)


# --- messages in sources ------------------------------------------------------

@dataclass(frozen=True)
class Token:
    """Punctuation, or a string with its text."""

    start: int
    end: int
    symbol: str
    text: str = ""


def unescape(text: str) -> str:
    return re.sub(r"\\.", lambda match: ESCAPES.get(match[0], match[0]), text)


def tokenize(source: str) -> list[Token]:
    """Strings and punctuation, without comments; neighbouring strings are
    one."""
    tokens: list[Token] = []
    for match in TOKEN.finditer(source):
        if match[0].startswith(("//", "/*", "'")):
            continue
        text = match["raw"] if match["raw"] is not None else match["text"]
        if text is None:
            tokens.append(Token(match.start(), match.end(), match[0]))
            continue
        text = unescape(text)
        last = tokens[-1] if tokens else None
        if (last and last.symbol == '"'
                and not source[last.end:match.start()].strip()):
            tokens[-1] = Token(last.start, match.end(), '"', last.text + text)
        else:
            tokens.append(Token(match.start(), match.end(), '"', text))
    return tokens


def statement_end(tokens: list[Token], first: int) -> int:
    """The token that ends the statement in which token `first` is: ';' outside
    the parentheses that it opens, or the end of a lambda."""
    depth = 0
    for index in range(first, len(tokens)):
        symbol = tokens[index].symbol
        depth += symbol in ("(", "{")
        depth -= symbol in (")", "}")
        if depth < 0 or (symbol == ";" and depth == 0):
            return index
    return len(tokens)


def pieces_of(tokens: list[Token]) -> tuple[str, ...]:
    """The strings that are always in the message: neither those between which
    a condition chooses, nor those within calls for its values."""
    pieces: list[str] = []
    depth = 0
    for index, token in enumerate(tokens):
        before = tokens[index - 1].symbol if index else ""
        depth += token.symbol == "("
        depth -= token.symbol == ")"
        if token.symbol == '"' and before not in ("?", ":") and depth <= 1:
            pieces.append(token.text)
    return tuple(piece for piece in pieces if re.search(r"[A-Za-z]", piece))


def messages_in(path: Path) -> list[Message]:
    source = path.read_text()
    name = str(path.relative_to(ROOT))
    tokens = tokenize(source)
    messages, used = [], set()
    for match in EMIT.finditer(source):
        first = next((index for index, token in enumerate(tokens)
                      if token.start >= match.end() - 1), len(tokens))
        end = statement_end(tokens, first)
        statement = tokens[first:end]
        used.update(token.start for token in statement)
        pieces = pieces_of(statement)
        if pieces:
            line = source.count("\n", 0, match.start()) + 1
            messages.append(Message(name, line, pieces))
    for token in tokens:
        # What an assertion says is for programmers.
        is_assertion = source[:token.start].rstrip().endswith("&&")
        if (token.symbol == '"' and token.start not in used
                and token.text.startswith("expects ") and not is_assertion):
            line = source.count("\n", 0, token.start) + 1
            messages.append(Message(name, line, (token.text,)))
    return messages


def all_messages() -> list[Message]:
    return [message for folder in SOURCES
            for path in sorted((ROOT / folder).rglob("*.cpp"))
            for message in messages_in(path)
            if message.pieces[0] not in BEYOND_INPUTS]


# --- expectations in tests ----------------------------------------------------

EXPECTED = re.compile(r"expected-(?:error|warning|note)(?:-re)?\s*"
                      r"(?:@[^{]*)?(?:\d+\s*)?\{\{(.*?)\}\}\s*$",
                      re.MULTILINE)
# FileCheck's lines, by whatever prefix.
CHECKED = re.compile(r"^.*?[A-Z][A-Z0-9_-]*:(.*)$", re.MULTILINE)
BAD_INPUT = re.compile(r"expected-error\s*(?:-re)?\s*@?[^{\n]*\{\{"
                       r"|[A-Z][A-Z0-9_-]*:.*\berror: ")


def expectations() -> tuple[list[str], int]:
    """All expected texts, and the number of bad inputs."""
    texts: list[str] = []
    bad_inputs = 0
    for path in sorted((ROOT / "test").rglob("*")):
        if path.suffix in (".mlir", ".test", ".ttir"):
            text = path.read_text()
            texts += [match[1].replace("\n", " ")
                      for match in EXPECTED.finditer(text)]
            texts += [match[1] for match in CHECKED.finditer(text)]
            bad_inputs += len(BAD_INPUT.findall(text))
        elif path.suffix == ".cpp":
            texts += [token.text.replace("\n", " ")
                      for token in tokenize(path.read_text())
                      if token.symbol == '"']
    return texts, bad_inputs


def is_expected(message: Message, texts: list[str]) -> bool:
    pattern = message.pattern
    return any(pattern.search(text) for text in texts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at-least", type=int, default=100, metavar="N",
                        help="bad inputs that there must be (default 100)")
    parser.add_argument("--list", action="store_true",
                        help="print every message")
    options = parser.parse_args()
    messages = all_messages()
    texts, bad_inputs = expectations()
    missing = [message for message in messages
               if not is_expected(message, texts)]
    for message in messages if options.list else missing:
        print(message)
    print(f"{len(messages)} messages, {len(missing)} without a test; "
          f"{bad_inputs} bad inputs with their diagnostics")
    return 1 if missing or bad_inputs < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
