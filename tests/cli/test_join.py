"""Several files at once: joined by device and clock, or each on its own, and said which."""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest
from program import EXAMPLES, ROOT

SHARED = pathlib.Path(os.environ.get("WATTREIN_SHARED", ROOT.parent / "shared")) / "traces"
HEADER = "timestamp, index, power.draw [W]\n"


def node(powers, start_s=0, day=2, extra=0):
    """One node of two GPUs that draw p and p + 50 W, a sample a second."""
    return HEADER + "".join(
        f"2026/03/{day:02d} 09:{(start_s + i) // 60:02d}:{(start_s + i) % 60:02d}.000, {g}, {p + extra + 50 * g} W\n"
        for i, p in enumerate(powers)
        for g in (0, 1)
    )


def dmon(powers):
    return "#Entity   POWER\nID  W\n" + "".join(f"GPU 0 {p}\n" for p in powers)


def notes(file):
    return " ".join(file["understanding"]["notes"])


def flat(done):
    """Output with its line breaks taken out."""
    return " ".join(done.stdout.decode().split())


def test_nodes_of_one_job_are_summed(wattrein, log):
    # Four GPUs: 100 + 150 and 200 + 250 W; 700 W in all, 1 W above the limit.
    a, b = log(node([100] * 20), "a.csv"), log(node([200] * 20), "b.csv")
    report = wattrein.json("analyze", a, b, "--limit", "699W:sum", "--limit", "260W", status=1)
    (file,) = report["files"]
    assert [d["name"] for d in file["devices"]] == ["a/0", "a/1", "b/0", "b/1"]
    assert file["sum"]["power"]["max_w"] == 700
    assert file["sum"]["limits"][0]["outcome"] == "violated"
    assert [p["source"] for p in file["understanding"]["files"]] == [str(a), str(b)]
    assert "--join no" in notes(file)
    assert file["understanding"]["warnings"] == []


def test_each_file_says_how_it_was_read_before_the_joined_verdict(wattrein, log):
    a, b = log(node([100] * 20), "a.csv"), log(node([200, 201] * 10), "b.csv")
    done = wattrein("analyze", a, b, "--limit", "800W:sum")
    text = flat(done)
    assert done.returncode == 0, done.stderr.decode()
    assert text.index("a.csv: nvidia-smi, 2 devices") < text.index("b.csv: nvidia-smi, 2 devices")
    assert text.index("b.csv: nvidia-smi") < text.index("limit 800 W, sum of devices: held")


def test_runs_of_two_days_have_two_verdicts(wattrein, log):
    report = wattrein.json("analyze", log(node([100] * 20), "a.csv"), log(node([200] * 20, day=3), "b.csv"))
    assert len(report["files"]) == 2
    assert all("on its own" in notes(f) for f in report["files"])


def test_join_no_is_each_on_its_own(wattrein, log):
    report = wattrein.json("analyze", log(node([100] * 9), "a.csv"), log(node([200] * 9), "b.csv"), "--join", "no")
    assert [len(f["devices"]) for f in report["files"]] == [2, 2]


def test_a_rotated_log_is_one_device_with_a_hole(wattrein, log):
    (file,) = wattrein.json("analyze", log(node([100] * 10), "x.1"), log(node([100] * 10, start_s=30), "x"))["files"]
    assert [d["name"] for d in file["devices"]] == ["0", "1"]
    # 10 samples, then silence until 30 s: the last one holds 3 s, so 17 s are unknown.
    assert file["devices"][0]["sampling"]["span_s"] == 40
    assert file["devices"][0]["sampling"]["known_time_s"] == 22


def test_copied_node_logs_are_warned_about_and_the_sum_is_marked(wattrein, log):
    powers = [300, 310, 305, 320, 300, 315]
    a, b = log(node(powers), "node_1.csv"), log(node(powers), "node_2.csv")
    done = wattrein("analyze", a, b, "--limit", "2000W:sum")
    assert "hold the same 12 readings: a sum counts them twice" in flat(done)
    assert "! the sum is in doubt" in flat(done)
    assert "The sum is in doubt: see the warnings." in flat(done)
    (file,) = wattrein.json("analyze", a, b)["files"]
    assert "node_2.csv hold the same 12 readings" in file["understanding"]["warnings"][0]
    assert file["sum"]["power"]["max_w"] == 2 * (320 + 370), "it is given all the same"


def test_a_missing_node_is_said_beside_the_sum(wattrein, log, tmp_path):
    done = wattrein("analyze", log(node([1] * 5), "a.csv"), log(node([2] * 5), "b.csv"), tmp_path / "c.csv")
    assert done.returncode == 4
    assert "c.csv could not be read: it is missing here" in flat(done)


def test_logs_without_a_clock(wattrein, log):
    one, two = log(dmon([100, 110, 120]), "one.txt"), log(dmon([200, 210]), "two.txt")
    assert len(wattrein.json("analyze", one, two)["files"]) == 2
    (together,) = wattrein.json("analyze", one, two, "--join", "same-start")["files"]
    assert [d["name"] for d in together["devices"]] == ["one/0", "two/0"]
    (behind,) = wattrein.json("analyze", one, two, "--join", "append", "--start", "2026-03-02T09:00:00Z")["files"]
    assert behind["devices"][0]["sampling"]["samples"] == 5
    assert behind["devices"][0]["sampling"]["span_s"] == 5
    assert behind["start"].startswith("2026-03-02 09:00:00")


def test_a_clock_that_is_missing_is_asked_for(wattrein, log):
    a, b = log(node([100] * 5), "a.csv"), log(dmon([100, 110]), "b.txt")
    done = wattrein("analyze", a, b, "--join", "clock")
    assert done.returncode == 2
    assert b"b.txt" in done.stderr and b"--offset" in done.stderr
    report = wattrein.json("analyze", a, b, "--join", "clock", "--offset", f"{b}=+1s")
    assert len(report["files"]) == 1
    assert len(wattrein.json("analyze", a, b, "--join", "clock", "--offset", "#2=0s")["files"]) == 1


def test_the_same_device_with_other_readings_is_named(wattrein, log):
    text = "# wattrein trace 1\n# start=2026-03-02T09:00:00Z\n# device=0,uuid=GPU-1\ntime_s,device,power_w\n"
    text += "".join(f"{i},0,{300 + i}\n" for i in range(5))
    other = text.replace(",303", ",333")
    done = wattrein("analyze", log(text, "a.csv"), log(other, "b.csv"), "--join", "clock")
    assert done.returncode == 3
    message = done.stderr.decode()
    assert "a.csv says 303 W at 2026-03-02 09:00:03" in message
    assert "b.csv says 333 W" in message


@pytest.mark.parametrize("offset", ["x", "=1s", "nobody.csv=1s", "#3=1s", "#1=1", "#1=soon", "#0=1s"])
def test_offsets_that_cannot_be(wattrein, log, offset):
    done = wattrein("analyze", log(node([100] * 5), "a.csv"), log(node([100] * 5), "b.csv"), "--offset", offset)
    assert done.returncode == 2
    assert b"--offset" in done.stderr
    assert done.stdout == b""


def test_export_of_a_joined_trace_reads_back_the_same(wattrein, log, tmp_path):
    a, b = log(node([100, 120] * 8), "a.csv"), log(node([200, 190] * 8), "b.csv")
    out = tmp_path / "joined.csv"
    assert wattrein("export", a, b, "-o", out).returncode == 0
    (before,) = wattrein.json("analyze", a, b)["files"]
    (after,) = wattrein.json("analyze", out)["files"]
    for key in ("devices", "sum", "start", "limits"):
        assert before[key] == after[key], key
    parsed = json.loads(wattrein("export", a, b, "--to", "json").stdout)
    assert [d["name"] for d in parsed["devices"]] == ["a/0", "a/1", "b/0", "b/1"]


def test_export_says_what_is_in_doubt_and_so_does_what_it_wrote(wattrein, log, tmp_path):
    a, b = log(node([100, 120] * 8), "a.csv"), log(node([100, 120] * 8), "b.csv")
    out = tmp_path / "joined.csv"
    done = wattrein("export", a, b, "-o", out)
    assert done.returncode == 0
    assert b"warning: " in done.stderr and b"a sum counts them twice" in done.stderr
    (before,) = wattrein.json("analyze", a, b)["files"]
    (after,) = wattrein.json("analyze", out)["files"]
    assert set(before["understanding"]["warnings"]) <= set(after["understanding"]["warnings"])


def test_export_of_what_does_not_belong_together_is_refused(wattrein, log, tmp_path):
    a, b = log(node([100] * 9), "a.csv"), log(node([200] * 9, day=3), "b.csv")
    done = wattrein("export", a, b, "-o", tmp_path / "out.csv")
    assert done.returncode == 2
    assert b"--join" in done.stderr
    assert not (tmp_path / "out.csv").exists()
    assert wattrein("export", a, b, "--join", "append", "-o", tmp_path / "out.csv").returncode == 0


def test_a_real_log_beside_its_copy(wattrein, tmp_path):
    real = SHARED / "01_h100x8-train-ckpt1-smi100ms.csv"
    if not real.exists():
        pytest.skip("no shared traces here")
    copy = tmp_path / "copy.csv"
    copy.write_bytes(real.read_bytes())
    (file,) = wattrein.json("analyze", real, copy)["files"]
    assert len(file["devices"]) == 16
    assert "54456 readings" in file["understanding"]["warnings"][0]


@pytest.mark.parametrize("args", [["--help"], ["analyze", "--help"], ["--version"]])
def test_help_on_a_full_disk_is_an_error(wattrein, args):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([wattrein.path, *args], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 4
    assert b"standard output" in done.stderr
    assert wattrein(*args).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_unfinished_file(wattrein, tmp_path, number):
    # A log large enough that writing it takes a moment; the signal comes while the unfinished file is there.
    log = tmp_path / "log.csv"
    rows = "".join(f"{i // 10}.{i % 10}00000000,0,{300 + i % 97}\n" for i in range(2_000_000))
    log.write_text("# wattrein trace 1\ntime_s,device,power_w\n" + rows)
    out = tmp_path / "out"
    out.mkdir()
    running = subprocess.Popen([wattrein.path, "export", log, "-o", out / "native.csv"])
    until = time.monotonic() + 60
    while not list(out.iterdir()) and time.monotonic() < until and running.poll() is None:
        time.sleep(0.001)
    running.send_signal(number)
    assert running.wait(timeout=60) in (-number, 0)
    assert not [p for p in out.iterdir() if ".part-" in p.name]


def test_windows_that_differ_look_different(wattrein):
    done = wattrein("analyze", EXAMPLES / "node-nvidia-smi.csv", "--limit", "380W", "--window", "1001ms")
    assert b"1.001 s" in done.stdout


@pytest.mark.parametrize("missing_first", [True, False])
@pytest.mark.parametrize("mode", ["auto", "clock", "append"])
def test_a_missing_file_is_marked_though_one_is_left(wattrein, log, tmp_path, mode, missing_first):
    good, gone = log(node([100] * 40), "a.csv"), tmp_path / "gone.csv"
    files = [gone, good] if missing_first else [good, gone]
    args = [*files, "--join", mode, "--limit", "1300W:sum@30s", "--limit", "400W"]
    page = tmp_path / "r.html"
    done = wattrein("analyze", *args, "--report", page)
    assert done.returncode == 4
    text = flat(done)
    assert "WARNING" in text and "gone.csv could not be read: it is missing here" in text
    assert "! the sum is in doubt" in text
    assert "The sum is in doubt: see the warnings." in text
    assert "400 W, each device: held" in text and "See the warnings." in text
    html = page.read_text()
    assert "gone.csv could not be read" in html and "The sum is in doubt: see the warnings." in html
    (file,) = wattrein.json("analyze", *args, status=4)["files"]
    assert "gone.csv could not be read" in file["understanding"]["warnings"][0]
    assert [limit["in_doubt"] for limit in file["limits"]] == [True, False]
    assert file["limits"][0]["sentence"].endswith("The sum is in doubt: see the warnings.")


def test_a_missing_file_beside_one_device_and_beside_files_apart(wattrein, log, tmp_path):
    one = log(HEADER + "".join(f"2026/03/02 09:00:{i:02d}.000, 0, 100 W\n" for i in range(5)), "one.csv")
    (file,) = wattrein.json("analyze", one, tmp_path / "gone.csv", "--limit", "1kW:sum", status=4)["files"]
    assert file["limits"][0]["in_doubt"] is True
    other = log(node([200] * 9, day=3), "b.csv")
    apart = wattrein.json("analyze", one, other, tmp_path / "gone.csv", status=4)["files"]
    assert len(apart) == 2
    assert all("gone.csv" in f["understanding"]["warnings"][0] for f in apart)


def test_with_join_no_nothing_is_missing_from_a_file(wattrein, log, tmp_path):
    args = [log(node([100] * 9), "a.csv"), tmp_path / "gone.csv", "--join", "no"]
    (file,) = wattrein.json("analyze", *args, status=4)["files"]
    assert file["understanding"]["warnings"] == []
