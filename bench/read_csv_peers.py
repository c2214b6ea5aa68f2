"""Reading and analysing a large nvidia-smi CSV: wattrein beside polars, DuckDB and pandas, in the same run.

usage: read_csv_peers.py BUILD_FOLDER [--size-mb 1000] [--repeats 5]

Makes a log of 8 GPUs at 100 ms, lets every tool take block windows of 1, 5 and 30 s, checks that all of them find the
same, and prints medians of wall time, CPU time and peak memory, and the ratio to wattrein. Beside it stand the time that
reading the bytes alone takes, and what `wattrein analyze` needs for all that it says (nine window sizes, block and
sliding, limits with intervals, excursions, breaker; phases in the last row). Tools take turns, so that a noisy neighbour
disturbs all alike.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
WINDOWS_S = [1.0, 5.0, 30.0]
GPUS = 8


def make_log(path, size_mb):
    """A synthetic log; its power is a slow wave and noise, from a fixed seed."""
    rng = random.Random(1)
    start = datetime.datetime(2026, 1, 1)
    cells = [
        f"{rng.gauss(430.0, 60.0):.2f} W, {rng.randint(0, 100)} %, {rng.randint(1000, 80000)} MiB" for _ in range(65536)
    ]
    written, poll = 0, 0
    partial = path.with_suffix(".part")
    with partial.open("w", buffering=1 << 20) as out:
        out.write("timestamp, index, power.draw [W], utilization.gpu [%], memory.used [MiB]\n")
        while written < size_mb * 1_000_000:
            lines = []
            for _ in range(1000):
                now = start + datetime.timedelta(milliseconds=100 * poll)
                stamp = f"{now:%Y/%m/%d %H:%M:%S}.{now.microsecond // 1000:03d}"
                at = rng.randrange(65536 - GPUS)
                lines += [f"{stamp}, {g}, {cells[at + g]}\n" for g in range(GPUS)]
                poll += 1
            text = "".join(lines)
            out.write(text)
            written += len(text)
    partial.rename(path)


def run(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output = process.stdout.read()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"failed: {' '.join(map(str, command))}\n{errors.decode()[-2000:]}")
    return output, {"wall_s": wall_s, "cpu_s": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024}


def ours(output):
    """Block windows out of `wattrein analyze --json`, in the peers' form."""
    found = {str(w): [] for w in WINDOWS_S}
    for device in json.loads(output)["files"][0]["devices"]:
        for window in device["windows"]:
            if window["kind"] == "block" and window["window_s"] in WINDOWS_S:
                found[str(float(window["window_s"]))].append([window["known"], window["worst_mean_w"]])
    return found


def same(a, b):
    return all(
        x[0] == y[0] and math.isclose(x[1], y[1], rel_tol=1e-9)
        for w in map(str, WINDOWS_S)
        for x, y in zip(a[w], b[w], strict=True)
    )


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("build", type=pathlib.Path, help="where wattrein and bench/wattrein_block_windows are")
    parse.add_argument("--size-mb", type=int, default=1000)
    parse.add_argument("--repeats", type=int, default=5)
    parse.add_argument("--data", type=pathlib.Path, default=HERE.parent / "build" / "bench-data")
    given = parse.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    log = given.data / f"smi-{given.size_mb}mb.csv"
    if not log.exists():
        make_log(log, given.size_mb)
    with log.open("rb") as file:
        rows = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")) - 1
    windows = [f"{w:g}" for w in WINDOWS_S]
    tools = {
        "bytes alone": ["cat", log],
        "wattrein": [given.build / "bench" / "wattrein_block_windows", log, *windows],
        **{name: [sys.executable, HERE / "peers.py", name, log, *windows] for name in ("polars", "duckdb", "pandas")},
        "analyze, no phases": [given.build / "wattrein", "analyze", log, "--json", "--phases", "none"],
        "analyze": [given.build / "wattrein", "analyze", log, "--json"],
    }
    figures = {name: [] for name in tools}
    answers = {}
    for _ in range(given.repeats):
        for name, command in tools.items():
            if name == "bytes alone":
                command = ["dd", f"if={log}", "of=/dev/null", "bs=1M", "status=none"]
            output, used = run(command)
            figures[name].append(used)
            if name != "bytes alone":
                answers[name] = ours(output) if name.startswith("analyze") else json.loads(output)
    for name, answer in answers.items():
        if not same(answer, answers["wattrein"]):
            sys.exit(f"{name} and wattrein disagree: {answer} {answers['wattrein']}")
    medians = {n: {k: statistics.median(f[k] for f in fs) for k in fs[0]} for n, fs in figures.items()}
    columns_mb = rows * 16 / 1e6
    print(f"{log.name}: {log.stat().st_size / 1e6:.0f} MB, {rows} rows; medians of {given.repeats}")
    print(f"{'':20}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}{'x wattrein':>12}")
    base = medians["wattrein"]["wall_s"]
    for name, m in medians.items():
        print(f"{name:20}{m['wall_s']:9.2f}{m['cpu_s']:9.2f}{m['peak_mb']:9.0f}{m['wall_s'] / base:12.2f}")
    print(
        f"time and power columns: {columns_mb:.0f} MB; wattrein's peak is {medians['wattrein']['peak_mb'] / columns_mb:.2f} x that"
    )


if __name__ == "__main__":
    main()
