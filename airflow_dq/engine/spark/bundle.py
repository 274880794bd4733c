"""The zip that a Spark cluster's executors get: our pure sub-packages, which need numpy and pyarrow only."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

PREFIX = "airflow_dq_executor"
"""Start of the bundle's file name.  It must not precede the installed package on a driver's path: it has no store."""

_PARTS = (
    "__init__.py",
    "exceptions.py",
    "settings.py",
    "uncollected.py",
    "visible.py",
    "check",
    "options",
    "pattern",
    "relation",
    "states",
    "metrics",
    "profile",
    "corruption",
    "engine/__init__.py",
    "engine/worker",
)
# The oldest date that a zip can hold: equal sources give equal bytes, whenever they were checked out.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def executor_bundle(target: Path, more: Mapping[str, str] | None = None) -> Path:
    """Write the bundle, unless one of the same content is there already.

    :param target: folder of the zip; nobody else should be able to write to it, executors run what it holds
    :param more: further modules, their text by file name
    :return: path of the zip; its name holds a digest of its content, so an upgrade never finds an old one
    """
    sources = _sources()
    sources |= {name: text.encode() for name, text in (more or {}).items()}
    digest = hashlib.blake2b(digest_size=8)
    for name, content in sources.items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    bundle = target / f"{PREFIX}-{digest.hexdigest()}.zip"
    if not bundle.exists():
        _write(bundle, sources)
    return bundle


def _sources() -> dict[str, bytes]:
    """The text of each module by its name in the zip; the package may be imported from a zip itself."""
    package = files("airflow_dq")
    places = ((package.joinpath(*part.split("/")), f"airflow_dq/{part}") for part in _PARTS)
    return {name: content for place, start in places for name, content in _below(place, start)}


def _below(place: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    if not place.is_dir():
        yield name, place.read_bytes()
        return
    for child in sorted(place.iterdir(), key=lambda one: one.name):
        if child.is_dir() or child.name.endswith(".py"):
            yield from _below(child, f"{name}/{child.name}")


def _write(bundle: Path, sources: dict[str, bytes]) -> None:
    # Written aside and renamed: a job that starts meanwhile sees no half bundle.
    handle, aside = tempfile.mkstemp(dir=bundle.parent, suffix=".tmp")
    with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for name, content in sources.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    Path(aside).replace(bundle)
