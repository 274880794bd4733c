"""What happens to a day's data: accidents of many kinds, written down without the package's own injected errors.

The seed chooses columns, factors and shares, so that another seed is another catalogue of the same kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import numpy as np

from tests.benchmark.problems.table import Frame


@dataclass(frozen=True)
class Scene:
    """What an accident is given: the day as it should have been, other days, and chance."""

    rng: np.random.Generator
    frame: Frame
    other_day: Callable[[int], Frame]
    """The frame of another day, so many days later."""

    @property
    def rows(self) -> int:
        """Rows of the day."""
        return len(next(iter(self.frame.values())))

    def some(self, low: float, high: float) -> np.ndarray:
        """A random part of the rows, of a share between two."""
        return self.rng.random(self.rows) < self.rng.uniform(low, high)

    def pick(self, *choices: Any) -> Any:
        """One of some choices."""
        return choices[int(self.rng.integers(len(choices)))]


@dataclass(frozen=True)
class Truth:
    """What happened, as it is to be told."""

    frame: Frame
    columns: tuple[str, ...] = ()
    """The columns that the headline must name; none: the table as a whole."""
    rows: int | None = None
    """Rows concerned; None where it is not asked."""
    words: tuple[str, ...] = ()
    """Patterns of which a right cause or headline has one; none: whatever is proven."""
    also: tuple[str, ...] = ()
    """Columns that may be named as well."""
    segment: str | None = None
    """Pattern of the segment that the headline must name; None where it is in no one."""


Happen = Callable[[Scene], Truth]


@dataclass(frozen=True)
class Accident:
    """One entry of the catalogue."""

    name: str
    table: str
    happen: Happen = field(repr=False)


def values(column: str, change: Callable[[Any], Any], *words: str, part: tuple[float, float] | None = None) -> Happen:
    """Every value of a column, or of a share of the rows, is another one."""

    def happen(scene: Scene) -> Truth:
        hit = np.ones(scene.rows, dtype=bool) if part is None else scene.some(*part)
        old = scene.frame[column]
        new = [change(one) if is_hit and one is not None else one for one, is_hit in zip(old, hit, strict=True)]
        changed = sum(a is not b and a != b for a, b in zip(old, new, strict=True))
        return Truth({**scene.frame, column: _objects(new)}, (column,), changed, words)

    return happen


def times(*columns: str, factors: tuple[float, ...], where: tuple[str, Any] | None = None) -> Happen:
    """The numbers of one of some columns are multiplied; only where another column has a value, if that is given."""

    def happen(scene: Scene) -> Truth:
        column, factor = scene.pick(*columns), scene.pick(*factors)
        hit = np.ones(scene.rows, dtype=bool) if where is None else scene.frame[where[0]] == where[1]
        old = scene.frame[column]
        new = [one * factor if one is not None and is_hit else one for one, is_hit in zip(old, hit, strict=True)]
        size = f"{max(factor, 1 / factor):.4g}".replace("1000", "1,000")
        way = "large" if factor > 1 else "small"
        words = (f"{size} times too {way}", rf"x{size}\b", rf"/{size}\b") if factor > 0 else ("sign", "negative")
        return Truth({**scene.frame, column: _objects(new)}, (column,), int(sum(hit & (old != 0.0))), words)

    return happen


def null(columns: tuple[str, ...], low: float, high: float, *words: str, also: tuple[str, ...] = ()) -> Happen:
    """Some columns are null in the same rows."""

    def happen(scene: Scene) -> Truth:
        hit = scene.some(low, high) if low < 1.0 else np.ones(scene.rows, dtype=bool)
        frame = dict(scene.frame)
        lost = 0
        for column in columns:
            there = np.array([one is not None for one in frame[column]])
            lost = max(lost, int((hit & there).sum()))
            frame[column] = _where(~hit, frame[column])
        return Truth(frame, columns, lost, words or ("null",), also)

    return happen


def rows(chosen: Callable[[Scene], np.ndarray], *words: str) -> Happen:
    """Other rows than should have come: their places, of which some may come more than once."""

    def happen(scene: Scene) -> Truth:
        places = chosen(scene)
        frame = {name: column[places] for name, column in scene.frame.items()}
        again = len(places) - len(set(places.tolist()))
        partly = 0 < again < scene.rows
        return Truth(frame, (), again if partly else len(places), words)

    return happen


def swap(*pairs: tuple[str, str]) -> Happen:
    """Two columns hold each other's values."""

    def happen(scene: Scene) -> Truth:
        one, other = scene.pick(*pairs)
        frame = {**scene.frame, one: scene.frame[other], other: scene.frame[one]}
        return Truth(frame, (one, other), scene.rows, ("swap",))

    return happen


def shifted(column: str, *hours: float, also: tuple[str, ...] = ()) -> Happen:
    """Times are some hours later or earlier."""

    def happen(scene: Scene) -> Truth:
        by = scene.pick(*hours)
        step, frame = timedelta(hours=by), dict(scene.frame)
        for name in (column, *also):
            frame[name] = _objects([None if one is None else one + step for one in frame[name]])
        span = f"{abs(by) // 24:g} day" if abs(by) % 24 == 0 else f"{abs(by):g} h"
        where = "later" if by > 0 else "earlier"
        return Truth(frame, (column,), scene.rows, (rf"{span}s? {where}",), also)

    return happen


def stuck(column: str, *choices: Any) -> Happen:
    """Every row has one value."""

    def happen(scene: Scene) -> Truth:
        value = scene.pick(*choices)
        return Truth(
            {**scene.frame, column: _objects([value] * scene.rows)}, (column,), scene.rows, ("is ", "every value")
        )

    return happen


def other_codes(column: str, codes: dict[Any, Any], *words: str) -> Happen:
    """Another list of codes for the same things."""

    def happen(scene: Scene) -> Truth:
        old = scene.frame[column]
        new = _objects([codes.get(one, one) for one in old])
        changed = sum(a != b for a, b in zip(old, new, strict=True))
        return Truth({**scene.frame, column: new}, (column,), changed, words or ("new value",))

    return happen


def another_day(which: str, *words: str, columns: tuple[str, ...] = (), also: tuple[str, ...] = ()) -> Happen:
    """The data of another day."""

    def happen(scene: Scene) -> Truth:
        frame = scene.other_day(-1 if which == "yesterday" else 1)
        return Truth(dict(frame), columns, None, words, also)

    return happen


def schema(change: Callable[[Frame], Frame], columns: tuple[str, ...], *words: str) -> Happen:
    """Other columns."""

    def happen(scene: Scene) -> Truth:
        return Truth(change(dict(scene.frame)), columns, None, words)

    return happen


def header_rows(scene: Scene) -> Truth:
    """The header line of each of a dozen files, read as data: numbers are null there, texts their column's name."""
    count = int(scene.rng.integers(12, 30))
    frame, texts = {}, []
    for name, column in scene.frame.items():
        is_text = any(isinstance(one, str) for one in column)
        texts += [name] if is_text else []
        frame[name] = _objects([*column.tolist(), *([name if is_text else None] * count)])
    return Truth(frame, (), count, ("header",), tuple(scene.frame))


def records_of_a_test(column: str, value: str) -> Happen:
    """Records of a test among the real ones."""

    def happen(scene: Scene) -> Truth:
        hit = scene.some(0.04, 0.12)
        new = _objects(scene.frame[column].tolist())
        new[hit] = value
        return Truth({**scene.frame, column: new}, (column,), int(hit.sum()), (value,))

    return happen


def wrongly_decoded(text: str) -> str:
    """UTF-8 that is read as Windows-1252."""
    return text.encode("utf-8").decode("cp1252", errors="replace")


def _objects(found: list[Any]) -> np.ndarray:
    made = np.empty(len(found), dtype=object)
    made[:] = found
    return made


def _where(there: np.ndarray, column: np.ndarray) -> np.ndarray:
    made = _objects(column.tolist())
    made[~there] = None
    return made
