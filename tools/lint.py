#!/usr/bin/env python3
"""The project's own rules, which no compiler knows. Prints `file:line: what; what to do` and exits 1 on a finding.

    tools/lint.py [ROOT]

Each rule is one function over one file. Standard library only; Python 3.9 or newer.
"""

import os
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

# A folder of src/ may include itself and what stands before it here.
FOLDERS = (
    "base net trace analysis plant device limits policy env ppo control actuate gate store ledger fleet "
    "experiment report serve cli"
).split()
SKIPPED = {".git", ".venv", ".cache", "__pycache__", "node_modules"}
CPP = {".cc", ".h"}
CODE = CPP | {".py", ".sh", ".js", ".cmake"}
MAX_LINES = 450


class Finding(NamedTuple):
    line: int
    what: str


class Source:
    """One file, with its path below the root and, for C++, its text without comments and literals."""

    def __init__(self, root: Path, path: Path):
        self.path = path
        self.rel = path.relative_to(root)
        self.raw = path.read_text(encoding="utf-8", errors="replace")
        self.lines = self.raw.splitlines()
        self.code = blank_comments_and_literals(self.raw).splitlines() if path.suffix in CPP else self.lines

    @property
    def folder(self) -> Optional[str]:
        parts = self.rel.parts
        return parts[1] if parts[0] == "src" and len(parts) > 2 else None

    @property
    def is_cpp(self) -> bool:
        return self.rel.suffix in CPP

    @property
    def is_test(self) -> bool:
        return (
            self.rel.parts[0] in ("tests", "fuzz") or self.rel.stem.endswith("_test") or "test_support" in self.rel.stem
        )


LITERALS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def blank_comments_and_literals(text: str) -> str:
    return LITERALS.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def matches(source: Source, pattern: str) -> Iterator[tuple]:
    for number, line in enumerate(source.code, 1):
        found = re.search(pattern, line)
        if found:
            yield number, found.group().strip(" (")


def include_order(source: Source) -> Iterator[Finding]:
    if not source.is_cpp or source.folder is None:
        return
    if source.folder not in FOLDERS:
        yield Finding(
            1, f"src/{source.folder} is not in the list of folders; give it its place in FOLDERS of tools/lint.py"
        )
        return
    for number, line in enumerate(source.lines, 1):
        include = re.match(r'\s*#\s*include\s*"([^"/]+)/?([^"]*)"', line)
        if not include:
            continue
        target = include.group(1)
        if not include.group(2) or target not in FOLDERS:
            yield Finding(number, f'includes "{target}"; name it from src/, as in "trace/trace.h"')
        elif FOLDERS.index(target) > FOLDERS.index(source.folder):
            yield Finding(
                number,
                f"{source.folder}/ includes {target}/, which stands after it; "
                f"move what is shared into {source.folder}/ or before it",
            )


def boost_only_in_net(source: Source) -> Iterator[Finding]:
    if not source.is_cpp or source.folder in (None, "net"):
        return
    for number, line in enumerate(source.lines, 1):
        if re.match(r"\s*#\s*include\s*[<\"]boost/", line):
            yield Finding(number, "includes Boost outside net/; put what needs it behind an interface of net/")


def chance_and_time_are_passed_in(source: Source) -> Iterator[Finding]:
    if not source.is_cpp:
        return
    for number, what in matches(
        source, r"\bthis_thread\s*::\s*sleep_\w+|\bsleep_for\s*\(|\b(u|nano)sleep\s*\(|(?<![\w.>])sleep\s*\("
    ):
        if source.is_test or source.folder != "base":
            yield Finding(number, f"{what} sleeps for real; take a Clock and call its sleep_until (tests: ManualClock)")
    if source.folder == "base":
        return
    for number, what in matches(
        source, r"(?<![\w.>])s?rand\s*\(|\brandom_device\b|\bmt19937(_64)?\b|\bdefault_random_engine\b"
    ):
        yield Finding(number, f"{what} is chance that no seed reaches; take an Rng (base/rng.h)")
    for number, what in matches(source, r"\bsystem_clock\b|\bhigh_resolution_clock\b|\bgettimeofday\b"):
        yield Finding(number, f"{what} cannot be replaced in a test; take a Clock (base/clock.h)")
    if source.folder is not None and not source.is_test:
        for number, what in matches(source, r"\bsteady_clock\b|\bclock_gettime\b"):
            yield Finding(number, f"{what} cannot be replaced in a test; take a Clock (base/clock.h)")


def libraries_do_not_print(source: Source) -> Iterator[Finding]:
    if (
        not source.is_cpp
        or source.is_test
        or any(re.match(r"int main\(", line) for line in source.code)
        or source.folder in (None, "cli")
        or source.rel.as_posix() == "src/base/check.cc"
    ):
        return
    for number, what in matches(
        source, r"\bstd::(cout|cerr|clog)\b|\bv?f?printf\s*\(|\bf?puts\s*\(|\bputchar\s*\(|\b(fmt|std)::print(ln)?\s*\("
    ):
        yield Finding(number, f"{what} prints from a library; return text or an Error and let cli/ print")


def length(source: Source) -> Iterator[Finding]:
    if (source.is_cpp or source.rel.suffix == ".py") and len(source.lines) >= MAX_LINES:
        yield Finding(
            len(source.lines), f"has {len(source.lines)} lines; split it by what its parts do (under {MAX_LINES})"
        )


def pragma_once(source: Source) -> Iterator[Finding]:
    if source.rel.suffix == ".h" and "#pragma once" not in source.raw:
        yield Finding(1, "has no include guard; write #pragma once as its first line")


def nothing_left_open(source: Source) -> Iterator[Finding]:
    for number, line in enumerate(source.lines, 1):
        if re.search(r"\b(TO" + r"DO|FIX" + r"ME)\b", line):
            yield Finding(number, "leaves work open; do it, or write it into docs/limitations.md")


def in_a_target(source: Source) -> Iterator[Finding]:
    """Every .cc is named in a CMakeLists.txt of its folder or one above; x_fuzz.cc and x_bench.cc by their macro."""
    if source.rel.suffix != ".cc":
        return
    kind = source.rel.stem.rpartition("_")[2]
    by_macro = rf"wattrein_{kind}\(\s*{re.escape(source.rel.stem[: -len(kind) - 1])}\s"
    for folder in list(source.path.parents)[: len(source.rel.parts)]:
        lists = folder / "CMakeLists.txt"
        if lists.is_file():
            name = re.escape(source.path.relative_to(folder).as_posix())
            text = re.sub(r"#[^\n]*", "", lists.read_text(encoding="utf-8"))
            if re.search(rf"(?<![\w./-]){name}(?![\w.-])", text) or (
                kind in ("fuzz", "bench") and re.search(by_macro, text)
            ):
                return
    effect = "so it never runs" if kind in ("test", "fuzz", "bench") else "so it is never built"
    yield Finding(1, f"is in no CMakeLists.txt, {effect}; name it in the one of its folder")


RULES = (
    include_order,
    boost_only_in_net,
    chance_and_time_are_passed_in,
    libraries_do_not_print,
    length,
    pragma_once,
    nothing_left_open,
    in_a_target,
)


def files(root: Path) -> Iterator[Path]:
    for folder, names, found in os.walk(root):
        names[:] = sorted(n for n in names if n not in SKIPPED and not (Path(folder) == root and n.startswith("build")))
        for name in sorted(found):
            if Path(name).suffix in CODE or name in ("dev", "CMakeLists.txt"):
                yield Path(folder) / name


def lint(root: Path) -> list:
    found = []
    for path in files(root):
        source = Source(root, path)
        for rule in RULES:
            found += [f"{source.rel}:{finding.line}: {finding.what}" for finding in rule(source)]
    return found


def main(arguments: list) -> int:
    root = Path(arguments[0] if arguments else Path(__file__).resolve().parent.parent).resolve()
    found = lint(root)
    for line in found:
        print(line)
    if found:
        print(f"lint: {len(found)} finding{'s' if len(found) > 1 else ''}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
