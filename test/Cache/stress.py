#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that share a cache are killed; disks are full or read-only.

    stress.py --tilewright=build/dev/bin/tilewright [--processes=64] [--kills=N]

Processes of `tilewright cache warm` compile the same kernels into one folder, in
orders of their own. Some are killed at random and others take their place. The
last ones are left alone: they must end well, every entry must be whole, and a
further process must find all of them. Then the folder is on a file system that is
full, and on one that is read-only: what is there is found; what cannot be kept,
made or removed is an error that says why; nothing is damaged. Prints what is wrong
and, last, "N rows, N failed, N skipped"; file systems are mounted in a namespace
of the user's own, and skipped where that is not allowed.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KERNEL = """tt.func public @k{0}(%p: !tt.ptr<i32>) {{
  %c = arith.constant {0} : i32
  tt.store %p, %c : !tt.ptr<i32>
  tt.return
}}
"""
SECONDS = 300


class Stress:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.random = random.Random(options.seed)
        self.files = []
        for number in range(options.kernels):
            self.files.append(str(folder / f"k{number}.mlir"))
            Path(self.files[-1]).write_text(KERNEL.format(number))
        self.passed = self.failed = self.skipped = 0

    def command(self, action: str, cache: Path, *more: str) -> list[str]:
        return [self.options.tilewright, "cache", action, f"--folder={cache}",
                *more]

    def warm(self, cache: Path, files: list[str]) -> list[str]:
        return self.command("warm", cache, "--target=sm_80",
                            "--machine-code=false", *files)

    def expect(self, name: str, said: str, pattern: str) -> None:
        if re.search(pattern, said):
            self.passed += 1
            return
        self.failed += 1
        print(f"{name}: expects {pattern!r}, but got\n    {said}")

    def run(self, name: str, command: list[str], status: int,
            *patterns: str) -> None:
        """Expects a status and, of what is said, patterns."""
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False,
                              timeout=SECONDS)
        self.expect(name, f"status {done.returncode}: {done.stdout}",
                    f"^status {status}:")
        for pattern in patterns:
            self.expect(name, done.stdout, pattern)

    def start(self, cache: Path) -> subprocess.Popen:
        return subprocess.Popen(
            self.warm(cache, self.random.sample(self.files, len(self.files))),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def kill(self) -> None:
        cache, all_of = self.folder / "killed", len(self.files)
        running = [self.start(cache) for _ in range(self.options.processes)]
        killed = 0
        for _ in range(self.options.kills):
            time.sleep(self.random.random() * 0.02)
            alive = [number for number, process in enumerate(running)
                     if process.poll() is None]
            number = self.random.choice(alive or range(len(running)))
            running[number].kill()
            running[number].communicate()
            killed += running[number].returncode < 0
            running[number] = self.start(cache)
        print(f"{killed} of {self.options.processes + self.options.kills} "
              f"processes were killed")
        for process in running:
            said, _ = process.communicate(timeout=SECONDS)
            self.expect("not killed", f"{process.returncode}: {said}",
                        r"^0: \d+ compiled, \d+ there already\n$")
        self.run("killed: verify", self.command("verify", cache), 0,
                 f"^{all_of} entries, 0 damaged")
        self.run("killed: again", self.warm(cache, self.files), 0,
                 f"^0 compiled, {all_of} there already")
        # Of killed processes: what they wrote last is not under an entry's name.
        self.run("killed: clear", self.command("clear", cache), 0,
                 f"^{all_of} entries removed")

    def fill(self, mounted: Path) -> None:
        cache, first, second = mounted / "cache", *self.files[:2]
        self.run("first", self.warm(cache, [first]), 0, "^1 compiled")
        (mounted / "rest").open("wb").close()
        subprocess.run(["dd", "if=/dev/zero", f"of={mounted}/rest", "bs=1k"],
                       stderr=subprocess.DEVNULL, check=False)
        self.run("full", self.warm(cache, [first, second]), 1,
                 "1 compiled, 1 there already",
                 "error: 1 of them not kept: .*No space left on device")
        self.run("full: verify", self.command("verify", cache), 0,
                 "^1 entries, 0 damaged")
        (mounted / "rest").unlink()
        self.run("space again", self.warm(cache, [first, second]), 0,
                 "^1 compiled, 1 there already")

    def read(self, mounted: Path) -> None:
        cache, files = mounted / "cache", self.files[:3]
        self.run("read-only: there", self.warm(cache, files[:2]), 0,
                 "^0 compiled, 2 there already")
        self.run("read-only: more", self.warm(cache, files), 1,
                 "1 compiled, 2 there already",
                 "error: 1 of them not kept: .*Read-only file system")
        self.run("read-only: verify", self.command("verify", cache), 0,
                 "^2 entries, 0 damaged")
        self.run("read-only: list", self.command("list", cache), 0)
        self.run("read-only: prune", self.command("prune", cache), 0,
                 "^0 entries removed")
        self.run("read-only: clear", self.command("clear", cache), 1,
                 "0 entries removed",
                 "error: cannot remove all that is to go .*Read-only")
        self.run("read-only: no folder",
                 self.warm(mounted / "other", files), 1,
                 "error: cannot use the cache folder .*: Read-only file system")

    def mount(self, *arguments: str) -> bool:
        return subprocess.run(["mount", *arguments], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0

    def run_mounted(self) -> None:
        mounted = self.folder / "mounted"
        mounted.mkdir()
        if not self.mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mounted)):
            self.skipped += 1
            return
        self.fill(mounted)
        if self.mount("-o", "remount,ro", str(mounted)):
            self.read(mounted)
        else:
            self.skipped += 1
        subprocess.run(["umount", str(mounted)], check=True)


def can_mount() -> bool:
    return subprocess.run(["unshare", "-rm", "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--kernels", type=int, default=40)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mounted", action="store_true",
                        help="in a namespace of file systems already")
    options = parser.parse_args()
    if not options.mounted and can_mount():
        return subprocess.run(["unshare", "-rm", sys.executable, *sys.argv,
                               "--mounted"], check=False).returncode
    with tempfile.TemporaryDirectory() as folder:
        stress = Stress(options, Path(folder))
        stress.kill()
        if options.mounted:
            stress.run_mounted()
        else:
            stress.skipped += 2
    print(f"{stress.passed + stress.failed} rows, {stress.failed} failed, "
          f"{stress.skipped} skipped")
    return stress.failed > 0


if __name__ == "__main__":
    sys.exit(main())
