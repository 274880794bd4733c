"""Putting folders that are written whole into their places, or leaving these as they were."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol
from uuid import uuid4


class Folders(Protocol):
    """A file system, as far as folders are moved about in it."""

    def exists(self, path: str) -> bool:
        """Whether something is there."""

    def move(self, path: str, target: str) -> None:
        """Give a folder another name, in a folder that there may not be yet.

        :raises OSError: when that is refused
        """

    def remove(self, path: str) -> None:
        """Remove a folder and all below it; one that is not there is gone already."""


class LocalFolders:
    """Those of this machine."""

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        return os.path.lexists(path)

    def move(self, path: str, target: str) -> None:
        """Give a folder another name."""
        os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
        os.rename(path, target)

    def remove(self, path: str) -> None:
        """Remove a folder, or the file of that name."""
        with suppress(FileNotFoundError):
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def beside(path: str, what: str) -> str:
    """A name next to a folder that readers of the parent folder leave aside, and nobody else has."""
    parent, _, name = path.rstrip("/").rpartition("/")
    return f"{parent}/_dq_{what}_{name}_{uuid4().hex[:8]}" if parent else f"_dq_{what}_{name}_{uuid4().hex[:8]}"


def publish(folders: Folders, staged: Sequence[tuple[str, str]]) -> None:
    """Move written folders into their places; what was there goes, and comes back when any of them cannot be moved.

    Each move is one step of the file system: a reader finds the old rows, the new ones, or for a moment nothing.  On an
    object store a move copies.

    :param staged: (written folder, its place)
    :raises OSError: when the file system refuses; then all is as it was
    """
    old: list[tuple[str, str]] = []
    placed: list[tuple[str, str]] = []
    try:
        for written, target in staged:
            if folders.exists(target):
                aside = beside(target, "old")
                folders.move(target, aside)
                old.append((aside, target))
            folders.move(written, target)
            placed.append((written, target))
    except BaseException:
        for written, target in placed:
            folders.move(target, written)
        for aside, target in old:
            folders.move(aside, target)
        raise
    for aside, _ in old:
        folders.remove(aside)
