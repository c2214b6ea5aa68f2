#!/usr/bin/env python3
"""Small trees in which each rule of lint.py has to fire at a known place, and one in which none may."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lint  # noqa: E402

CLEAN = {
    "src/base/CMakeLists.txt": "wattrein_library(base SOURCES check.cc clock.cc TESTS clock_test.cc)\n",
    "src/base/check.cc": '#include "base/check.h"\nvoid f() { std::fprintf(stderr, "x"); }\n',
    "src/base/check.h": "#pragma once\n",
    "src/base/clock.cc": "auto a = std::chrono::system_clock::now();\nvoid f() { std::this_thread::sleep_until(a); }\n",
    "src/base/clock_test.cc": "#include <gtest/gtest.h>\n",
    "src/net/CMakeLists.txt": "wattrein_library(net SOURCES json.cc)\n",
    "src/net/json.cc": '#include "base/check.h"\n#include <boost/json.hpp>\n',
    "src/trace/CMakeLists.txt": "wattrein_library(trace\n  SOURCES readers/csv.cc trace.cc\n  TESTS trace_test.cc)\n",
    "src/trace/readers/csv.cc": '#include "trace/trace.h"\n',
    "src/trace/trace.cc": (
        '#include "trace/trace.h"\n#include "net/json.h"\n'
        "// rand() and printf() in a comment, std::cout too\n"
        'const char* text = "std::cout << rand(); sleep(1)";\n'
        'const char* raw = R"(printf("x"))";\n'
        "void f(Clock& clock) { clock.sleep_until(clock.now()); int strand(int); snprintf(b, 1, text); }\n"
        "const int million = 1'000'000; // system_clock\n"
    ),
    "src/trace/trace.h": "#pragma once\n",
    "src/trace/trace_test.cc": '#include "trace/trace.h"\nvoid f() { std::cout << 1; }\n',
    "src/cli/CMakeLists.txt": "add_executable(wattrein main.cc)\n",
    "src/cli/main.cc": '#include "trace/trace.h"\nint main() { fmt::print("hello"); }\n',
    "fuzz/CMakeLists.txt": "add_executable(json_fuzz json_fuzz.cc)\nwattrein_fuzz(csv wattrein_trace)\n",
    "fuzz/csv_fuzz.cc": '#include "trace/trace.h"\n',
    "fuzz/json_fuzz.cc": "\n",
    "build/dev/left.cc": "int x = rand();\n",
}


class LintTest(unittest.TestCase):
    def findings(self, changes: dict) -> list:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **changes}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return lint.lint(Path(folder).resolve())

    def one(self, name: str, line: int, text: str, word: str) -> None:
        found = self.findings({name: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{name}:{line}: "), found[0])
        self.assertIn(word, found[0])
        self.assertIn("; ", found[0], "says what to do")

    def test_a_clean_tree_has_no_finding(self):
        self.assertEqual(self.findings({}), [])

    def test_include_of_a_later_folder(self):
        self.one("src/trace/trace.h", 2, '#pragma once\n#include "cli/main.h"\n', "trace/ includes cli/")
        self.one("src/base/check.h", 3, '#pragma once\n\n  #  include "net/json.h"\n', "base/ includes net/")

    def test_include_not_named_from_src(self):
        self.one("src/trace/trace.h", 2, '#pragma once\n#include "steps.h"\n', "name it from src/")

    def test_folder_without_a_place(self):
        found = self.findings({"src/misc/a.h": "#pragma once\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("src/misc/a.h:1: src/misc is not in the list", found[0])

    def test_boost_outside_net(self):
        self.one("src/trace/trace.h", 2, "#pragma once\n#include <boost/json.hpp>\n", "Boost")

    def test_chance(self):
        for text in (
            "int x = rand();",
            "void f() { srand(1); }",
            "std::random_device d;",
            "std::mt19937_64 g;",
            "int x = std::rand ();",
        ):
            self.one("src/trace/trace.h", 2, f"#pragma once\n{text}\n", "Rng")
            self.one("src/trace/trace_test.cc", 2, f"\n{text}\n", "Rng")

    def test_wall_clock(self):
        for text in ("auto t = std::chrono::system_clock::now();", "using c = std::chrono::steady_clock;"):
            self.one("src/trace/trace.h", 2, f"#pragma once\n{text}\n", "Clock")
        self.one("src/trace/trace_test.cc", 1, "auto t = std::chrono::system_clock::now();\n", "Clock")

    def test_sleep(self):
        for text in (
            "std::this_thread::sleep_until(t);",
            "using std::this_thread::sleep_for;",
            "usleep(1);",
            "sleep(1);",
            "::sleep(1);",
        ):
            self.one("src/trace/trace.h", 2, f"#pragma once\n{text}\n", "sleeps")
            self.one("src/base/clock_test.cc", 1, f"{text}\n", "sleeps")
            self.one("fuzz/csv_fuzz.cc", 1, f"{text}\n", "sleeps")

    def test_printing(self):
        for text in (
            "std::cout << 1;",
            "std::cerr << 1;",
            'printf("x");',
            'std::fprintf(f, "x");',
            'puts("x");',
            'fmt::print("x");',
        ):
            self.one("src/trace/trace.h", 2, f"#pragma once\n{text}\n", "prints")
        self.one("src/base/clock.cc", 1, 'void f() { printf("x"); }\n', "prints")
        self.assertEqual(self.findings({"src/base/clock.cc": 'int main() { printf("a program of its own"); }\n'}), [])

    def test_file_in_no_target(self):
        for name in ("src/trace/new_test.cc", "fuzz/new_fuzz.cc"):
            self.one(name, 1, "\n", "never runs")
        self.one("src/trace/new.cc", 1, "\n", "never built")
        # a name in a comment, or as the end of another name, is none
        found = self.findings({"src/net/CMakeLists.txt": "wattrein_library(net SOURCES big_json.cc) # json.cc\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("src/net/json.cc:1: is in no CMakeLists.txt", found[0])

    def test_length(self):
        self.assertEqual(self.findings({"src/trace/trace.h": "#pragma once\n" + "\n" * 448}), [])
        self.one("src/trace/trace.h", 450, "#pragma once\n" + "\n" * 449, "450 lines")

    def test_include_guard(self):
        self.one("src/trace/trace.h", 1, "struct A {};\n", "#pragma once")

    def test_work_left_open(self):
        self.one("src/trace/trace.h", 2, "#pragma once\n// TO" + "DO: more\n", "leaves work open")
        self.one("tools/x.py", 1, "# FIX" + "ME\n", "leaves work open")

    def test_line_numbers_survive_comments_and_raw_strings(self):
        self.one(
            "src/trace/trace.h",
            4,
            '#pragma once\n/* two\nlines */\nauto a = R"(x\n" rand( )"; int b = rand();\n'.replace('\n" rand', " rand"),
            "Rng",
        )
        self.one(
            "src/trace/trace.h",
            5,
            '#pragma once\n/* two\nlines */ auto a = R"x(\n)" rand()\n)x"; int b = rand();\n',
            "Rng",
        )


if __name__ == "__main__":
    unittest.main()
