"""wattrein analyze: verdicts, options, and what it says to bad input."""

import gzip
import os
import subprocess

import pytest
from program import EXAMPLES

HEADER = "timestamp, index, power.draw [W]\n"


def rows(powers, start_s=0, index=0):
    return "".join(f"2026/03/02 09:15:{start_s + i:02d}.000, {index}, {p} W\n" for i, p in enumerate(powers))


def only(report):
    (file,) = report["files"]
    return file


def test_verdict_worked_by_hand(wattrein, log):
    # 10 samples a second apart; 450 W at 3 and 4 s: two seconds above 400 W, 100 J over it.
    path = log(HEADER + rows([300, 300, 300, 450, 450, 300, 300, 300, 300, 300]))
    file = only(wattrein.json("analyze", path, "--limit", "400W", status=1))
    (device,) = file["devices"]
    (limit,) = device["limits"]
    assert limit["outcome"] == "violated"
    assert limit["excursions"]["count"] == 1
    assert limit["excursions"]["time_above_s"] == 2
    assert limit["excursions"]["overshoot_j"] == pytest.approx(100)
    assert limit["excursions"]["list"][0]["start_s"] == 3
    assert device["energy"]["integral_j"] == pytest.approx(8 * 300 + 2 * 450)
    five = [w for w in limit["windows"] if w["kind"] == "block" and w.get("window_s") == 5]
    assert five[0]["known"] == 2 and five[0]["violating"] == 0  # (3*300 + 2*450)/5 = 360 W


def test_held_limit_exits_zero_and_a_limit_at_the_load_is_held(wattrein, log):
    path = log(HEADER + rows([400] * 20))
    done = wattrein("analyze", path, "--limit", "400W")
    assert done.returncode == 0, done.stdout.decode()
    assert b"held" in done.stdout


def test_limits_of_sum_and_window(wattrein, log):
    path = log(HEADER + "".join(rows([p], i, g) for i, p in enumerate([100, 100, 300, 300]) for g in (0, 1)))
    file = only(
        wattrein.json("analyze", path, "--limit", "500W:sum", "--limit", "500W:sum@4s", "--last", "hold", status=1)
    )
    outcomes = [r["outcome"] for r in file["sum"]["limits"]]
    assert outcomes == ["violated", "compliant"]  # 600 W for two seconds; the mean of the four is 400 W


def test_without_a_limit_it_proposes_and_says_so(wattrein):
    done = wattrein("analyze", EXAMPLES / "node-nvidia-smi.csv")
    assert done.returncode == 0
    assert b"No limit was given" in done.stdout
    assert b"proposal" in done.stdout


@pytest.mark.parametrize("name", ["node-nvidia-smi.csv", "decode-dcgmi.txt", "rack-prometheus.json"])
def test_examples_fit_eighty_columns_without_colour(wattrein, name):
    done = wattrein("analyze", EXAMPLES / name, "--limit", "300W", "--limit", "1000W:sum@30s")
    assert done.returncode in (0, 1), done.stderr.decode()
    text = done.stdout.decode()
    too_long = [line for line in text.splitlines() if len(line) > 80 and str(EXAMPLES) not in line]
    assert not too_long, too_long
    assert "\x1b" not in text
    assert "nan" not in text.lower().replace("nanosecond", "")


def test_stdin_gzip_and_several_files(wattrein, log, tmp_path):
    text = HEADER + rows([300, 310, 320])
    plain = only(wattrein.json("analyze", log(text)))
    piped = only(wattrein.json("analyze", "-", stdin=text.encode()))
    zipped = only(wattrein.json("analyze", log(gzip.compress(text.encode()), "power.log")))
    for other in (piped, zipped):
        assert other["devices"] == plain["devices"]
    two = wattrein.json("analyze", log(text, "a.csv"), log(text, "b.csv"), "--join", "no")
    assert [f["source"].rsplit("/", 1)[-1] for f in two["files"]] == ["a.csv", "b.csv"]


def test_one_bad_file_does_not_lose_the_good_one(wattrein, log, tmp_path):
    good = log(HEADER + rows([300, 310, 320]))
    done = wattrein("analyze", tmp_path / "missing.csv", good)
    assert done.returncode == 4
    assert b"missing.csv" in done.stderr
    assert b"power.csv" in done.stdout


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("-5W", "above zero"),
        ("400", "no unit"),
        ("", "--limit"),
        ("400W:foo", "sum"),
        ("400W@", ""),
        ("nanW", "not a power"),
        ("1e999W", "not a power"),
    ],
)
def test_limits_that_cannot_be(wattrein, log, limit, says):
    done = wattrein("analyze", log(HEADER + rows([300, 300])), f"--limit={limit}")
    assert done.returncode == 2
    assert b"--limit" in done.stderr
    assert says in done.stderr.decode()
    assert done.stdout == b""


BAD = {
    "empty": b"",
    "zero-byte gzip": gzip.compress(b""),
    "prose": b"Dear diary,\nthe GPUs were warm today.\n",
    "binary": bytes(range(256)) * 40,
    "all N/A": (HEADER + rows(["[N/A]"] * 5).replace(" W", "")).encode(),
    "half damaged": (HEADER + rows([300, "?!", 300, "?!", "?!", 300])).encode(),
    "torn gzip": gzip.compress(b"x" * 100000)[:60],
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_a_sentence_with_place_and_cure(wattrein, log, kind):
    done = wattrein("analyze", log(BAD[kind], "odd.log"))
    assert done.returncode == 3, done.stdout.decode() + done.stderr.decode()
    message = done.stderr.decode()
    assert "odd.log" in message
    assert "\n  " in message, "no cure in: " + message
    assert "internal error" not in message


def test_unknown_format_shows_the_first_line_and_what_it_looked_for(wattrein, log):
    done = wattrein("analyze", log(BAD["prose"]))
    assert b"Dear diary" in done.stderr
    assert b"nvidia-smi" in done.stderr


def test_lenient_reads_on_and_counts(wattrein, log):
    path = log(BAD["half damaged"])
    file = only(wattrein.json("analyze", path, "--lenient"))
    assert file["understanding"]["damaged"] == 3
    assert file["devices"][0]["sampling"]["samples"] == 3


def test_directory_and_missing_file(wattrein, tmp_path):
    assert wattrein("analyze", tmp_path).returncode in (3, 4)
    assert wattrein("analyze", tmp_path / "none.csv").returncode == 4


def test_json_takes_no_file(wattrein, log, tmp_path):
    path = log(HEADER + rows([300] * 5))
    done = wattrein("analyze", path, "--json", tmp_path / "out.json")
    assert done.returncode == 2
    assert b"--json takes no file" in done.stderr
    assert b"--json > " in done.stderr
    assert done.stdout == b""


def test_stretches_of_a_violated_window_worked_by_hand(wattrein, log):
    # Means over 2 s, by the second at which they begin: 250 325 300 200 100 50 200 200 100; above 190 W from 0 to 5 s and
    # from 6 to 9 s.
    path = log(HEADER + rows([200, 300, 350, 250, 150, 50, 50, 350, 50, 150]))
    file = only(wattrein.json("analyze", path, "--limit", "190W@2s", status=1))
    own = next(w for w in file["devices"][0]["limits"][0]["windows"] if w["kind"] == "sliding" and w["window_s"] == 2)
    assert own["stretches"] == 2
    assert own["longest"] == [
        {"start_s": 0, "duration_s": 5, "worst_mean_w": 325},
        {"start_s": 6, "duration_s": 3, "worst_mean_w": 200},
    ]
    text = wattrein("analyze", path, "--limit", "190W@2s").stdout
    assert b"2 stretches of 2 s windows above it, 8 s in all" in text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(wattrein, log):
    path = log(HEADER + rows([300]))
    path.chmod(0)
    assert wattrein("analyze", path).returncode == 4


def test_torn_last_line_is_no_damage(wattrein, log):
    file = only(wattrein.json("analyze", log(HEADER + rows([300] * 5) + "2026/03/02 09:15:0")))
    assert file["understanding"]["damaged"] == 0
    assert file["devices"][0]["sampling"]["samples"] == 5


def test_snapshot_has_unknown_energy(wattrein, log):
    file = only(wattrein.json("analyze", log(HEADER + rows([300]))))
    assert file["snapshot"] is True
    assert file["devices"][0]["energy"]["integral_j"] is None


def test_full_disk_is_said(wattrein, log):
    path = log(HEADER + rows([300] * 5))
    with open("/dev/full", "wb") as full:
        done = subprocess.run([wattrein.path, "analyze", path], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 4
    assert b"standard output" in done.stderr
    done = wattrein("analyze", path, "--report", "/dev/full")
    assert done.returncode == 4


def test_closed_pipe_is_quiet(wattrein):
    command = f"{wattrein.path} analyze {EXAMPLES}/node-nvidia-smi.csv --json | head -c 10"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""


def test_unwritable_report_keeps_the_answer(wattrein, log):
    done = wattrein("analyze", log(HEADER + rows([300] * 5)), "--report", "/nonexistent/x.html")
    assert done.returncode == 4
    assert b"power.csv" in done.stdout
    assert b"/nonexistent/x.html" in done.stderr


def test_report_is_written_whole_and_self_contained(wattrein, tmp_path):
    out = tmp_path / "r.html"
    done = wattrein("analyze", EXAMPLES / "node-nvidia-smi.csv", "--limit", "380W", "--report", out)
    assert done.returncode in (0, 1)
    text = out.read_text()
    assert text.rstrip().endswith("</html>")
    assert "default-src 'none'" in text
    assert list(tmp_path.iterdir()) == [out], "a temporary file was left behind"


@pytest.mark.parametrize(
    "args", [["analyze"], ["analyse", "x"], [], ["analyze", "x", "--limt", "4W"], ["analyze", "x", "--last", "maybe"]]
)
def test_usage_errors_exit_two(wattrein, args):
    assert wattrein(*args).returncode == 2


def test_a_misspelt_word_names_the_nearest(wattrein):
    assert b"analyze" in wattrein("analyse", "x").stderr
    assert b"--limit" in wattrein("analyze", "x", "--limt", "4W").stderr


@pytest.mark.parametrize(
    "text",
    [
        "#Entity   POWER\nID  W\nGPU 0 300\nGPU 0 -300\nGPU 0 300\n",
        'DCGM_FI_DEV_POWER_USAGE{gpu="0"} 50 1700000000000\nDCGM_FI_DEV_POWER_USAGE{gpu="0"} -51 1700000001000\n',
        HEADER + rows([300, -5, 300]),
    ],
)
def test_negative_power_is_unknown_in_every_format(wattrein, log, text):
    path = log(text)
    done = wattrein("analyze", path, "--limit", "400W")
    assert b"1 reading below zero" in done.stdout
    file = only(wattrein.json("analyze", path, "--limit", "400W"))
    assert file["understanding"]["unknown_power"] == 1
    (device,) = file["devices"]
    assert device["power"]["min_w"] > 0
    assert device["limits"][0]["outcome"] != "compliant"


def test_more_devices_than_there_can_be(wattrein, log):
    text = "#Entity   POWER\nID  W\n" + "".join(f"GPU {i} 300\n" for i in range(5000))
    done = wattrein("analyze", log(text))
    assert done.returncode == 3
    assert b"4096" in done.stderr


def test_a_log_cannot_steer_the_terminal(wattrein, log):
    done = wattrein("analyze", log("time_s,power_w,gpu\n1700000000,300,\x1b[31mred\n1700000001,300,\x1b[31mred\n"))
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr


def test_a_hole_is_not_within_a_limit(wattrein, log):
    path = log(HEADER + rows([300] * 10) + rows([300] * 10, start_s=40))
    file = only(wattrein.json("analyze", path, "--limit", "400W"))
    assert file["devices"][0]["limits"][0]["outcome"] == "not decided"


def test_a_window_limit_speaks_of_its_windows(wattrein, log):
    # 10 s at 300 W, then 10 s at 500 W: the blocks from 10 s and from 15 s are above 450 W.
    path = log(HEADER + rows([300] * 10 + [500] * 10))
    done = wattrein("analyze", path, "--limit", "450W@5s")
    assert done.returncode == 1
    assert b"2 of 4 blocks" in done.stdout.replace(b"\n        ", b" ")
    (limit,) = only(wattrein.json("analyze", path, "--limit", "450W@5s", status=1))["devices"][0]["limits"]
    (block,) = [w for w in limit["windows"] if w["kind"] == "block" and w["window_s"] == 5]
    assert block["violating"] == 2 and block["first_over_s"] == 10 and block["time_over_s"] == 10
    (samples,) = [w for w in limit["windows"] if w["kind"] == "samples"]
    assert samples["violating"] == 10 and samples["time_over_s"] is None
    assert limit["excursions"]["time_above_s"] == 10


def test_zeros_are_failed_polls_unless_kept(wattrein, log):
    path = log(HEADER + rows([300, 0, 300, 300]))
    power = only(wattrein.json("analyze", path))["devices"][0]["power"]
    assert power["min_w"] == 300
    kept = only(wattrein.json("analyze", path, "--zeros", "keep"))["devices"][0]["power"]
    assert kept["min_w"] == 0
    assert wattrein("analyze", path, "--zeros", "drop").returncode == 2


def test_says_how_it_understood_wide_and_counter_logs(wattrein, log):
    wide = log("time,gpu0_power_w,gpu1_power_w\n" + "".join(f"{1718369824 + i},70,300\n" for i in range(5)))
    text = " ".join(wattrein("analyze", wide).stdout.decode().split())
    assert "csv" in text and "2 columns 'gpu0_power_w' to 'gpu1_power_w' in W" in text
    assert "a column each" in text and "unix epoch in s" in text
    counter = log("time,gpu,energy_mj\n" + "".join(f"{1718369824 + i},0,{70000 * i}\n" for i in range(5)))
    text = " ".join(wattrein("analyze", counter).stdout.decode().split())
    assert "energy counter 'energy_mj' in mJ" in text and "counter difference" in text and "column 'gpu'" in text


UNTOLD = {
    "a log shorter than the window": (
        rows([500] * 20),
        "450W@30s",
        "the log has no whole 30 s window: it is 20 s long",
        20,
    ),
    "a window shorter than the period": (
        rows([500] * 20),
        "450W@700ms",
        "readings are 1 s apart, so a mean over 700 ms is unknown",
        20,
    ),
    "a snapshot": (rows([500]), "450W@30s", "one reading makes no 30 s window", 1),
}


@pytest.mark.parametrize("kind", UNTOLD)
def test_what_no_window_shows_cannot_be_told(wattrein, log, kind):
    text, limit, why, n = UNTOLD[kind]
    path = log(HEADER + text)
    (given,) = only(wattrein.json("analyze", path, "--limit", limit))["limits"]
    sentence = given["sentence"]
    assert f"cannot be told: {why}" in sentence
    assert f"{n} of {n} reading" in sentence and "do not decide a limit on means" in sentence
    assert "not violated" not in sentence
    assert wattrein("analyze", path, "--limit", limit, "--undecided-fails").returncode == 1
    assert wattrein("analyze", path, "--limit", limit).returncode == 0


def test_a_longer_window_shows_a_violation(wattrein, log):
    path = log(HEADER + rows([300] * 5 + [500] * 10 + [300] * 5))
    (file,) = wattrein.json("analyze", path, "--limit", "450W@500ms", status=1)["files"]
    sentence = file["limits"][0]["sentence"]
    assert "VIOLATED" in sentence and "as means over 1 s show" in sentence
    assert file["devices"][0]["limits"][0]["seen_at_s"] == 1


def test_undecided_fails_spares_what_is_held_and_what_is_proposed(wattrein, log):
    path = log(HEADER + rows([300] * 20))
    assert wattrein("analyze", path, "--limit", "400W", "--undecided-fails").returncode == 0
    holes = log(HEADER + rows([300] * 10) + rows([300] * 10, start_s=40), "holes.csv")
    assert wattrein("analyze", holes, "--undecided-fails").returncode == 0
    assert wattrein("analyze", holes, "--limit", "400W", "--undecided-fails").returncode == 1


def test_help_says_what_the_exit_statuses_mean(wattrein):
    text = " ".join(wattrein("analyze", "--help").stdout.decode().split())
    assert "Exit status: 0" in text and "not shown to be held" in text and "--undecided-fails" in text


def test_a_stated_unit_against_the_header_is_said_once_and_in_words(wattrein, log):
    path = log("time,device,power_w\n" + "".join(f"{1718369824 + i},rack,{3 + i}\n" for i in range(5)))
    file = only(wattrein.json("analyze", path, "--unit", "kW"))
    said = [n for n in file["understanding"]["notes"] if "--unit" in n]
    assert said == ["The header says 'power_w' and --unit says kW: --unit was taken."]
    assert file["understanding"]["power"] == "column 'power_w' in kW"
    assert file["understanding"]["warnings"] == [], "a rack may draw 7 kW"


def test_a_unit_that_no_gpu_can_draw_is_warned_about(wattrein, log):
    path = log("time,gpu,power_w\n" + "".join(f"{1718369824 + i},0,{300 + i}\n" for i in range(5)))
    (warning,) = only(wattrein.json("analyze", path, "--unit", "kW"))["understanding"]["warnings"]
    assert "With --unit kW device 0 draws up to 304000 W, more than any single GPU" in warning
    assert b"WARNING" in wattrein("analyze", path, "--unit", "kW", "--limit", "400W").stdout
    assert only(wattrein.json("analyze", path, "--unit", "mW"))["understanding"]["warnings"] == []


def test_the_first_is_the_limits_and_not_the_worst_devices(wattrein, log):
    # Device 0 is above for longer, device 1 is the first: at 09:15:02.
    powers = {0: [300] * 5 + [450] * 4 + [300], 1: [300, 300, 450] + [300] * 7}
    text = "".join(rows([powers[g][i]], i, g) for i in range(10) for g in (0, 1))
    done = wattrein("analyze", log(HEADER + text), "--limit", "400W")
    said = " ".join(done.stdout.decode().split())
    assert "VIOLATED by 2 of 2 devices, the first at 09:15:02.000 on device 1; most by device 0: for 4 s" in said


def test_turbostat_stands_where_its_intervals_began(wattrein, log):
    head = "Time_Of_Day_Seconds\tCore\tCPU\tBusy%\tPkgWatt\n"
    text = head + "".join(f"{1718369824 + 5 * i}.1\t-\t-\t1.0\t{50 + i}.00\n" for i in range(5))
    # 1718369824.1 is 12:57:04.1; of 50 to 54 W the first above 52.5 W is the fourth, over 12:57:14.1 to 12:57:19.1.
    done = wattrein("analyze", log(text, "turbostat.txt"), "--limit", "52.5W")
    assert b"the first at 12:57:14.100" in done.stdout
