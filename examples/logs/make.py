#!/usr/bin/env python3
"""Writes the three example logs beside this file. All of it is made up (synthetic), in the formats of real tools.

A GRPO-like job: generate (about 290 W a GPU), update (about 370 W), a short idle between steps; AR(1) noise.
Run it again and the same bytes come out.
"""

import datetime as dt
import json
import pathlib
import random

HERE = pathlib.Path(__file__).parent


def cycle(rng, seconds, generate_w, update_w, step_s=48.0, update_s=5.4, noise_w=9.0):
    """Power of one GPU, one value a second."""
    noise, out = 0.0, []
    for t in range(seconds):
        noise = 0.55 * noise + rng.gauss(0.0, noise_w * (1 - 0.55**2) ** 0.5)
        at = t % step_s
        level = 86.0 if at < 1.0 else update_w if at > step_s - update_s else generate_w
        out.append(max(60.0, level + noise))
    return out


def nvidia_smi(path):
    rng = random.Random(11)
    gpus = [cycle(rng, 240, 288.0, 371.0) for _ in range(4)]
    t0 = dt.datetime(2026, 3, 2, 9, 15, 4, 118000)
    lines = ["timestamp, index, name, power.draw [W], power.limit [W], utilization.gpu [%]"]
    for i in range(240):
        for g, power in enumerate(gpus):
            t = t0 + dt.timedelta(seconds=i, milliseconds=3 * g)
            stamp = t.strftime("%Y/%m/%d %H:%M:%S.") + f"{t.microsecond // 1000:03d}"
            lines.append(
                f"{stamp}, {g}, NVIDIA A100-SXM4-80GB, {power[i]:.2f} W, 400.00 W, {99 if power[i] > 150 else 0} %"
            )
    path.write_text("\n".join(lines) + "\n")


def dcgmi(path):
    rng = random.Random(12)
    gpus = [cycle(rng, 180, 262.0, 262.0, noise_w=14.0) for _ in range(2)]
    lines = []
    for i in range(180):
        if i % 40 == 0:
            lines += [
                "#Entity         POWER             SMACT        DRAMA        ",
                "ID               W                                          ",
            ]
        for g, power in enumerate(gpus):
            lines.append(
                f"GPU {g}           {power[i]:<18.3f}{'N/A' if i == 0 else '0.412':<13}{'N/A' if i == 0 else '0.337':<13}"
            )
    path.write_text("\n".join(lines) + "\n")


def prometheus(path):
    rng = random.Random(13)
    result = []
    for host in ("gpu-node-1", "gpu-node-2"):
        for g in range(2):
            power = cycle(rng, 3600, 301.0, 352.0)[::15]
            result.append(
                {
                    "metric": {
                        "__name__": "DCGM_FI_DEV_POWER_USAGE",
                        "Hostname": host,
                        "gpu": str(g),
                        "UUID": f"GPU-0000000{g}-0000-0000-0000-00000000000{host[-1]}",
                        "modelName": "NVIDIA A100-SXM4-80GB",
                    },
                    "values": [[1772442900 + 15 * i, f"{p:.3f}"] for i, p in enumerate(power)],
                }
            )
    body = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    path.write_text(json.dumps(body) + "\n")


nvidia_smi(HERE / "node-nvidia-smi.csv")
dcgmi(HERE / "decode-dcgmi.txt")
prometheus(HERE / "rack-prometheus.json")
