"""What runs inside a Spark task that says what its machine has."""

from __future__ import annotations

import json
import platform
from importlib.metadata import PackageNotFoundError, version

MODULES = ("numpy", "pyarrow")
"""What executors need besides what a job brings along."""


def machine(_: object) -> str:
    """The version of Python, and of each module, as JSON; null for one that is not there."""
    return json.dumps({"python": platform.python_version(), **{name: _version(name) for name in MODULES}})


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
