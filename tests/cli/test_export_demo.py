"""wattrein export and wattrein demo."""

import json

import pytest
from program import EXAMPLES


@pytest.mark.parametrize("name", ["node-nvidia-smi.csv", "decode-dcgmi.txt", "rack-prometheus.json"])
def test_export_keeps_every_figure(wattrein, tmp_path, name):
    native = tmp_path / "native.csv"
    done = wattrein("export", EXAMPLES / name, "-o", native)
    assert done.returncode == 0, done.stderr.decode()
    before = wattrein.json("analyze", EXAMPLES / name)["files"][0]
    after = wattrein.json("analyze", native)["files"][0]
    for a, b in zip(before["devices"], after["devices"], strict=True):
        assert a["power"] == b["power"]
        assert a["energy"] == b["energy"]
        assert a["sampling"] == b["sampling"]
        assert a["meter"] == b["meter"]
    assert before["start"] == after["start"]


def test_export_json_is_json(wattrein):
    done = wattrein("export", EXAMPLES / "node-nvidia-smi.csv", "--to", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)


def test_a_result_never_replaces_its_log(wattrein, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes((EXAMPLES / "node-nvidia-smi.csv").read_bytes())
    before = path.read_bytes()
    for command in (("export", path, "-o", path), ("analyze", path, "--report", path)):
        done = wattrein(*command)
        assert done.returncode == 2
        assert b"is the log itself" in done.stderr
    assert path.read_bytes() == before


def test_demo_compares_and_writes_its_report(wattrein, tmp_path):
    done = wattrein("demo", "--replications", "3", "--duration", "10min", cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode()
    assert text.startswith("SIMULATED")
    for arm in ("uncontrolled", "static:4", "hysteresis", "adaptive-threshold"):
        assert arm in text
    assert max(map(len, text.splitlines())) <= 80
    assert "SIMULATED" in (tmp_path / "wattrein-demo.html").read_text().upper()


def test_demo_is_the_same_for_a_seed(wattrein):
    args = ("demo", "--replications", "2", "--duration", "5min", "--report", "none")
    first, again, other = wattrein.json(*args), wattrein.json(*args), wattrein.json(*args, "--seed", "2")
    assert first == again
    assert first != other
    assert first["evidence"] == "simulated"


def test_demo_on_a_log_says_what_it_took(wattrein, tmp_path):
    # An hour of a busy log at 15 s is too coarse; the dcgmi example is too short: both are refused with the need.
    for name in ("rack-prometheus.json", "decode-dcgmi.txt"):
        done = wattrein("demo", "--trace", EXAMPLES / name, "--report", "none")
        assert done.returncode == 3
        assert b"\n  " in done.stderr
    log = tmp_path / "long.csv"
    lines = ["timestamp, index, power.draw [W]"]
    state = 12345
    noise = 0.0
    for i in range(1200):
        state = (1103515245 * state + 12345) % 2**31
        noise = 0.7 * noise + 20.0 * (state / 2**31 - 0.5)
        lines.append(f"2026/03/02 {9 + i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}.000, 0, {300 + noise:.2f} W")
    log.write_text("\n".join(lines) + "\n")
    result = wattrein.json("demo", "--trace", log, "--replications", "2", "--duration", "5min", "--report", "none")
    assert result["fitted_from"]
    assert result["evidence"] == "simulated"


@pytest.mark.parametrize(
    "args",
    [
        ["--arm", "histeresis"],
        ["--replications", "0"],
        ["--duration", "1s"],
        ["--duration", "-1s"],
        ["--arm", "static:99"],
    ],
)
def test_demo_refuses_what_cannot_be(wattrein, args):
    done = wattrein("demo", *args, "--report", "none")
    assert done.returncode == 2
    assert done.stderr
