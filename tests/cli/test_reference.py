"""Real logs, through the program, against figures computed apart from it (reference.json beside the logs)."""

import json
import math
import os
import pathlib

import pytest
from program import ROOT

SHARED = pathlib.Path(os.environ.get("WATTREIN_SHARED", ROOT.parent / "shared")) / "traces"
FILES = {
    "01": [],
    "08": [],
    "10": [],
    "20": ["--period", "1s"],
    "22": ["--period", "1s"],
    "26": [],
    "30": [],
    "35": [],
    "37": [],
    "38": [],
    "42": [],
    "52": [],
    "53": [],
    "54": [],
    "59": ["--time", "Time", "--power", "Power (W)"],
    "63": [],
    "67": [],
}
WINDOWS = {"w0.5": 0.5, "w1": 1.0, "w5": 5.0, "w30": 30.0}

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason=f"the real logs are not here ({SHARED})")


def close(value, expected):
    return math.isclose(value, expected, rel_tol=1e-6)


def check(subject, limit, reference):
    power, sampling = subject["power"], subject["sampling"]
    assert sampling["known"] == reference["n"]
    assert sampling["duplicate_stamps"] == reference["dup"] and sampling["backward_stamps"] == reference["back"]
    for key, name in (("mean_w", "mean"), ("tmean_w", "tmean"), ("min_w", "min"), ("max_w", "max")):
        assert close(power[key], reference[name]), key
    assert close(subject["energy"]["integral_j"], reference["E"])
    samples = [w for w in limit["windows"] if w["kind"] == "samples"]
    assert samples[0]["violating"] == reference["above"]
    for key, size in WINDOWS.items():
        (window,) = [w for w in limit["windows"] if w["kind"] == "block" and w["window_s"] == size]
        if reference[key] is None:
            # The reference knows no window below the period, be it by a hair.
            hair = size < sampling["period_s"] <= size / 0.98
            assert window["available"] == hair, key
            continue
        known, violating, worst = reference[key]
        assert (window["known"], window["violating"]) == (known, violating), key
        assert close(window["worst_mean_w"], worst), key


@pytest.mark.parametrize("number", FILES)
def test_equals_the_reference(wattrein, number):
    (path,) = SHARED.glob(f"{number}_*")
    reference = json.loads((SHARED / "reference.json").read_text())[path.name]
    series = dict(reference["dev"])
    limits = {name: f"{figures['cap']!r}W" for name, figures in series.items()}
    if "ALL" in reference:
        limits["ALL"] = f"{reference['ALL']['cap']!r}W:sum"
    rules = ["--max-gap", "none", "--last", "none", *FILES[number]]
    given = [arg for limit in limits.values() for arg in ("--limit", limit)]
    done = wattrein("analyze", path, *rules, *given, "--json")
    assert done.returncode in (0, 1), done.stderr.decode()
    (file,) = json.loads(done.stdout)["files"]
    assert len(file["devices"]) == len(series)
    assert file["understanding"]["damaged"] == 0
    for device in file["devices"]:
        own = [
            x
            for x in device["limits"]
            if x["scope"] == "each_device" and close(x["power_w"], series[device["name"]]["cap"])
        ]
        check(device, own[0], series[device["name"]])
    if "ALL" in reference:
        (own,) = [x for x in file["sum"]["limits"] if x["scope"] == "sum"]
        # A sum has no rows of its own to be duplicated or out of order.
        check(file["sum"], own, reference["ALL"])


@pytest.mark.parametrize(
    ("number", "devices", "total", "largest"), [("28", 16, 1129.212, 113.611), ("29", 8, 583.767, 113.611)]
)
def test_snapshots_of_a_node(wattrein, number, devices, total, largest):
    (path,) = SHARED.glob(f"{number}_*")
    (file,) = wattrein.json("analyze", path)["files"]
    assert len(file["devices"]) == devices
    assert close(sum(d["power"]["mean_w"] for d in file["devices"]), total)
    assert close(file["sum"]["power"]["mean_w"], total)
    assert max(d["power"]["max_w"] for d in file["devices"]) == largest
    assert file["sum"]["energy"]["integral_j"] is None


@pytest.mark.parametrize(("number", "instant"), [("14", 447.35), ("15", 97.43)])
def test_snapshots_with_every_field(wattrein, number, instant):
    (path,) = SHARED.glob(f"{number}_*")
    (file,) = wattrein.json("analyze", path)["files"]
    (device,) = file["devices"]
    assert device["power"]["mean_w"] == instant
    assert device["meter"] == "instantaneous"
    assert device["power"]["average_meter_mean_w"] == (433.78 if number == "14" else None)


@pytest.mark.parametrize(("number", "mean", "largest"), [("16", 633.6, 636), ("17", 438.6, 440), ("18", 97, 97)])
def test_dmon(wattrein, number, mean, largest):
    (path,) = SHARED.glob(f"{number}_*")
    (file,) = wattrein.json("analyze", path)["files"]
    (device,) = file["devices"]
    assert (device["power"]["mean_w"], device["power"]["max_w"]) == (mean, largest)


@pytest.mark.parametrize(("number", "watts"), [("19", [625.68]), ("43", [36, 44, 43, 39]), ("44", [67.03])])
def test_snapshots_of_single_tools(wattrein, number, watts):
    (path,) = SHARED.glob(f"{number}_*")
    (file,) = wattrein.json("analyze", path)["files"]
    assert file["snapshot"] and [d["power"]["mean_w"] for d in file["devices"]] == watts


@pytest.mark.parametrize("number", ["32", "33"])
def test_summaries_are_no_trace(wattrein, number):
    (path,) = SHARED.glob(f"{number}_*")
    done = wattrein("analyze", path)
    assert done.returncode == 3
    assert "CodeCarbon" in done.stderr.decode() and "whole runs" in done.stderr.decode()


def test_a_damaged_turbostat_header_shifts_no_column(wattrein):
    (good,) = SHARED.glob("35_*")
    (path,) = SHARED.glob("36_*")
    (file,) = wattrein.json("analyze", path)["files"]
    (whole,) = wattrein.json("analyze", good)["files"]
    assert (file["understanding"]["damaged"], file["devices"][0]["sampling"]["samples"]) == (1, 22)
    # The block under the damaged header holds the largest reading; every other one is the same in both.
    assert file["devices"][0]["power"]["min_w"] == whole["devices"][0]["power"]["min_w"]
    assert file["devices"][0]["power"]["max_w"] <= whole["devices"][0]["power"]["max_w"]


def test_counter_and_integral_agree(wattrein):
    (path,) = SHARED.glob("54_*")
    (file,) = wattrein.json("analyze", path)["files"]
    for device in file["devices"]:
        assert abs(device["energy"]["disagreement"]) < 0.005
        assert not device["energy"]["marked"]
