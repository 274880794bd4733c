"""Profiles of tables, kept on disk: profiling costs far more than judging, and the tables never change."""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import airflow_dq
from airflow_dq.profile import Profile, profile_table
from tests.benchmark.simulated.table import SimulatedTable

CACHE = Path(tempfile.gettempdir()) / "airflow_dq_benchmark"
"""Where profiles are kept unless another folder is given."""
_SOURCES = ("states", "metrics", "profile", "codec", "corruption")
"""Packages on which a profile, a distance or an injected error depends: when one changes, profiles are made again."""


def simulated(seed: int, days: int, cache: Path = CACHE) -> tuple[SimulatedTable, list[Profile]]:
    """A simulated table, and the profiles of its partitions, oldest first."""
    table = SimulatedTable.draw(seed, days)

    def make() -> list[Profile]:
        return [profile_table(table.partition(i), partition=day.key) for i, day in enumerate(table.days)]

    return table, kept(f"simulated-{seed}-{days}", make, cache)


def kept(name: str, make: Callable[[], list[Profile]], cache: Path) -> list[Profile]:
    """The profiles under this name; made and kept when they are not there or the code has changed."""
    path = cache / f"{name}-{_digest()}.pickle"
    if path.exists():
        # Our own file: nobody else writes to the folder.
        found: list[Profile] = pickle.loads(path.read_bytes())
        return found
    profiles = make()
    keep(name, profiles, cache)
    return profiles


def keep(name: str, profiles: Sequence[Profile], cache: Path) -> None:
    """Write profiles with what was measured on them since: distances are remembered with the profile."""
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{name}-{_digest()}.pickle"
    # Written beside and renamed: another run may read at the same time.
    part = path.with_suffix(".part")
    part.write_bytes(pickle.dumps(list(profiles), protocol=pickle.HIGHEST_PROTOCOL))
    part.replace(path)


_known: list[str] = []


def _digest() -> str:
    """Digest of the code that profiles depend on; that of learning and judging is not part of it."""
    if not _known:
        home = Path(airflow_dq.__file__).parent
        digest = hashlib.blake2b(digest_size=6)
        for path in _files([*(home / name for name in _SOURCES), Path(__file__).parent]):
            digest.update(path.read_bytes())
        _known.append(digest.hexdigest())
    return _known[0]


def _files(folders: Iterable[Path]) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))
