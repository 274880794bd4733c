"""What names of files and folders say: which are data, and which partition a folder holds (Spark's rules)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import EMPTY_KEY, NULL_KEY

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The folder of rows whose key column is null or empty, as Hive and Spark name it."""

# Spark leaves out names that start with a dot or underscore by itself, but reads these as data.
_SIDE_SUFFIXES = (".tmp", ".crc", "._COPYING_")
_NAMED = 5
"""Files that a line names one by one."""


def key_of(folder: str) -> str:
    """The partition key that a folder's name spells, with the escapes undone that Spark writes into it (``%3A``).

    >>> key_of("10%3A00"), key_of(""), key_of("__HIVE_DEFAULT_PARTITION__")
    ('10:00', '(empty)', '(null)')
    """
    return NULL_KEY if folder == HIVE_NULL else unquote(folder) or EMPTY_KEY


def keys_of(folders: Iterable[str]) -> dict[str, str]:
    """The partition key by folder; folders that would have one key (``a%3Ab`` and ``a:b``) keep their own names.

    >>> keys_of(["2026-01-01 10%3A00", "x%41", "xA"])
    {'2026-01-01 10%3A00': '2026-01-01 10:00', 'x%41': 'x%41', 'xA': 'xA'}
    """
    keys = {folder: key_of(folder) for folder in folders}
    times = Counter(keys.values())
    return {folder: key if times[key] == 1 else folder or EMPTY_KEY for folder, key in keys.items()}


def require_key(key: str, place: str, where: str) -> None:
    """Refuse a place in whose name nothing stands in place of the key.

    :raises ConfigurationError: naming it
    """
    if key == EMPTY_KEY:
        raise ConfigurationError(
            f"{where}: the name of {place} has nothing in place of the key, so nobody can tell which partition its "
            "rows belong to. Find out what wrote it (a key that was empty?), then rename or remove it."
        )


def beside(folder: str, names: Iterable[str], pattern: str) -> str | None:
    """What a job's log says of files that lie beside the partitions' folders.

    :param names: of the files in the folder
    :param pattern: what the partitions match; a file may be one as well
    """
    start, star, end = pattern.rpartition("/")[2].partition("*")
    others = (name for name in names if not (star and name.startswith(start) and name.endswith(end)))
    strays = sorted(name for name in others if not is_hidden(name) and not is_side_file(name))
    if not strays:
        return None
    named = ", ".join(strays[:_NAMED]) + (f" and {len(strays) - _NAMED} more" if len(strays) > _NAMED else "")
    return f"beside the partitions' folders, {folder} holds files that are in no partition and are not read: {named}"


def is_hidden(name: str) -> bool:
    """Whether Spark leaves such a name out: `_x=1` is a partition folder, `_temporary` and `_SUCCESS` are not data."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def is_side_file(name: str) -> bool:
    """Whether a file is left over from a write: unfinished, or a checksum."""
    return name.endswith(_SIDE_SUFFIXES)
