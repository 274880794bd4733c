"""Other profilers on the same table: each script of ``peer/`` in its own environment, in turns with a no-op scan."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmark.profile.report import grid
from tests.benchmark.profile.table import Shape, write

SCRIPTS = Path(__file__).parent / "peer"
_NO_PEER = {"timing"}
_PATIENCE = 1800
"""Seconds that one peer may take, all rounds together."""


def compare(wanted: str, shape: Shape, rounds: int, home: Path, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Time the peers; one that cannot be installed or fails is listed with the reason.

    :param wanted: names of scripts, with commas, or ``all``
    """
    path = write(shape, home / "tables")
    names = sorted(script.stem for script in SCRIPTS.glob("*.py") if script.stem not in _NO_PEER)
    found = []
    for name in names if wanted == "all" else wanted.split(","):
        say(f"peer {name}")
        try:
            script = SCRIPTS / f"{name}.py"
            python = _environment(script, home / "peers" / name)
            seen = json.loads(_run([str(python), str(script), str(path), str(rounds)]).splitlines()[-1])
            found.append({"peer": name, "versions": _versions(python, script), **seen})
        except (subprocess.SubprocessError, ValueError, IndexError) as error:
            found.append({"peer": name, "problem": _reason(error)})
    return found


def text(peers: list[dict[str, Any]]) -> str:
    """One line per peer."""
    lines = [("peer", "scan s", "peer s", "wall x", "CPU x", "metrics", "ms per metric")]
    problems = []
    for one in peers:
        if "problem" in one:
            problems.append(f"{one['peer']}: not measured: {one['problem']}")
            continue
        scan, wall = median(one["scan_wall"]), median(one["wall"])
        ratios = (
            median(a / b for a, b in zip(one[what], one[f"scan_{what}"], strict=True)) for what in ("wall", "cpu")
        )
        numbers = [f"{number:.2f}" for number in (scan, wall, *ratios)]
        lines.append((one["peer"], *numbers, str(one["metrics"]), f"{1000 * wall / max(1, one['metrics']):.1f}"))
    return "\n".join([*grid(lines), *problems])


def _environment(script: Path, folder: Path) -> Path:
    """The Python of an environment with what the script's ``dependencies`` line names; ours when it names nothing."""
    needed = _dependencies(script)
    if not needed:
        return Path(sys.executable)
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        uv = str(Path(sys.executable).parent / "uv")
        _run([uv, "venv", "--clear", "--python", sys.executable, str(folder)])
        _run([uv, "pip", "install", "--python", str(python), *needed])
        (folder / "complete").touch()
    return python


def _run(command: list[str]) -> str:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK", "PYTHONPATH"))
    }
    environment |= {"PYSPARK_PYTHON": command[0], "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PATIENCE, env=environment)
    return done.stdout


def _dependencies(script: Path) -> list[str]:
    return json.loads(re.search(r"^# dependencies = (\[.*\])$", script.read_text(), re.MULTILINE)[1])


def _versions(python: Path, script: Path) -> dict[str, str]:
    names = [re.match(r"[\w-]+", needed)[0] for needed in _dependencies(script)] or ["pyspark"]
    code = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {names!r}}}))"
    return json.loads(_run([str(python), "-c", code]))


def _reason(error: Exception) -> str:
    said = getattr(error, "stderr", None) or str(error)
    lines = [line.strip() for line in str(said).splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    return (named or lines or [type(error).__name__])[-1][:300]
