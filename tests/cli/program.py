"""Runs the real program, as a user would."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "logs"


class Program:
    """The wattrein binary: WATTREIN_BIN, else the newest of the usual build folders."""

    def __init__(self):
        given = os.environ.get("WATTREIN_BIN")
        candidates = [pathlib.Path(given)] if given else [ROOT / "build" / p / "wattrein" for p in ("dev", "release")]
        found = [c for c in candidates if c.exists()]
        if not found:
            pytest.fail(f"no wattrein binary at {', '.join(map(str, candidates))}: build it, or set WATTREIN_BIN")
        self.path = max(found, key=lambda p: p.stat().st_mtime)

    def __call__(self, *args, stdin=b"", env=None, cwd=None):
        environment = {**os.environ, **(env or {})}
        return subprocess.run(
            [self.path, *map(str, args)],
            input=stdin,
            capture_output=True,
            env=environment,
            cwd=cwd,
            timeout=120,
            check=False,
        )

    def json(self, *args, stdin=b"", status=0):
        done = self(*args, "--json", stdin=stdin)
        assert done.returncode == status, done.stderr.decode()
        return json.loads(done.stdout)
