# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/test NAME... runs, and what must be built for that.

In: the build folder, configured, and names. A name is a lit folder or file
below test/ (TileGPU, Tools/run.test, test/Tools/run.test), or a test of ctest
or a part of its name that no other has. Out: a line `lit PATH`, `unit TEST` or
`build TARGET` for each thing. A name that is none of those, or that means
several tests, is an error with the possible names; exit status 2.
"""

import re
import sys
from pathlib import Path

TEST = Path(__file__).resolve().parent.parent / "test"
SUFFIXES = (".mlir", ".ttir", ".test")
# Below these folders' names lit finds no tests (test/lit.cfg.py).
EXCLUDED = {"Unit", "kernels", "Inputs"}
# A program of ours where a command begins, or as an argument of another.
PROGRAM = re.compile(r"""(?:^|[\s,"'])(tilewright(?:-[a-z]+)*)(?=[\s,"'])""",
                     re.MULTILINE)
ADD_TEST = re.compile(r'^add_test\((?:\[=\[)?(.*?)(?:\]=\])? "([^"]+)"',
                      re.MULTILINE)
ALL_PROGRAMS = "tilewright-lit-programs"


def lit_files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    return [file for file in files if file.suffix in SUFFIXES
            and not EXCLUDED & set(file.relative_to(TEST).parts)]


def lit_folders() -> list[str]:
    return [folder.name for folder in sorted(TEST.iterdir())
            if folder.is_dir() and lit_files(folder)]


def find_lit(name: str) -> Path | None:
    """The folder or file that a name means, if lit finds tests there."""
    path = (TEST / name.removeprefix("test/")).resolve()
    is_below = TEST in path.parents
    return path if is_below and path.exists() and lit_files(path) else None


def programs_of(path: Path) -> set[str]:
    """The targets that lit's tests at a path run: by their RUN lines, and by
    the lines that their folder gives to all (lit.local.cfg)."""
    text = "\n".join(line for file in lit_files(path)
                     for line in file.read_text().splitlines()
                     if "RUN:" in line)
    folder = path if path.is_dir() else path.parent
    local = folder / "lit.local.cfg"
    if local.exists():
        text += local.read_text()
    # What is installed, or opened as a library.
    if "%build" in text or "%emulated_cuda" in text:
        return {ALL_PROGRAMS}
    return set(PROGRAM.findall(text))


def unit_tests(build: Path) -> dict[str, str]:
    """The tests of ctest, and the target whose program each one runs. (ctest
    itself does not tell the program before that is built.)"""
    return {match[1]: Path(match[2]).name
            for file in sorted((build / "test").rglob("CTestTestfile.cmake"))
            for match in ADD_TEST.finditer(file.read_text())}


def find_units(name: str, tests: dict[str, str]) -> list[str]:
    return [name] if name in tests else [test for test in tests if name in test]


def fail(message: str, tests: dict[str, str]) -> None:
    print(f"test: error: {message}\n"
          f"lit folders: {' '.join(lit_folders())}\n"
          f"tests of ctest: {' '.join(tests)}", file=sys.stderr)
    sys.exit(2)


def main() -> None:
    build, names = Path(sys.argv[1]), sys.argv[2:]
    tests = unit_tests(build)
    lines: dict[str, None] = {}
    targets: set[str] = set()
    for name in names:
        if path := find_lit(name):
            lines[f"lit {build / 'test' / path.relative_to(TEST)}"] = None
            targets |= programs_of(path)
            continue
        units = find_units(name, tests)
        if not units:
            fail(f"expects the name of a lit folder, of a lit file or of a test "
                 f"of ctest, but got '{name}'", tests)
        if len(units) > 1:
            fail(f"expects a name of one test, but '{name}' is part of "
                 f"{', '.join(units)}", tests)
        lines[f"unit {units[0]}"] = None
        targets.add(tests[units[0]])
    print(*lines, *(f"build {target}" for target in sorted(targets)), sep="\n")


if __name__ == "__main__":
    main()
