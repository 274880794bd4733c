"""The procedures of AVH, Appendix B, in its order and with its parameters, and a few further magnitudes."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.corruption.clean_column import CleanColumn, Mask
from airflow_dq.corruption.injection import Generator, Injected, Injection, injection, registered
from airflow_dq.corruption.spelling import split_points
from airflow_dq.states.base import Kind

VALUED = {Kind.NUMERIC, Kind.STRING, Kind.BOOLEAN, Kind.TIMESTAMP}
PRESENT = VALUED | {Kind.BINARY, Kind.NESTED}
SPELLED = {Kind.NUMERIC, Kind.STRING}


@injection("schema_change", VALUED, {"1%": 0.01, "10%": 0.1, "100%": 1.0})
def schema_change(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 1: values drawn from another column of the same kind replace a share of the values."""
    if clean.donor is None:
        return None
    drawn = clean.donor.take(pa.array(rng.integers(0, len(clean.donor), clean.rows)))
    return Injected(clean, _replace(clean.values, _pick(clean.rows, share, rng), drawn))


@injection(
    "unit_change",
    {Kind.NUMERIC},
    {"x10": 10, "x100": 100, "x1000": 1000},
    {"x60": 60, "/10": 0.1, "x1000/1024": 1000 / 1024},
)
def unit_change(clean: CleanColumn, factor: float, rng: Generator) -> Injected | None:
    """Type 2: every number is multiplied."""
    return linear(clean, float(factor), 0.0)


@injection("unit_change", {Kind.TIMESTAMP}, {}, {"x1000": 1000, "/1000": 0.001})
def time_unit_change(clean: CleanColumn, factor: float, rng: Generator) -> Injected | None:
    """Type 2 for timestamps: seconds taken for milliseconds, or the other way round."""
    return linear(clean, factor, 0.0)


@injection("unit_change", {Kind.TIMESTAMP}, {}, {"+1 h": 3600, "-1 h": -3600, "+1 day": 86_400, "-1 day": -86_400})
def time_shift(clean: CleanColumn, seconds: float, rng: Generator) -> Injected | None:
    """Type 2 for timestamps: another time zone, or the data of another day."""
    return linear(clean, 1.0, float(seconds))


@injection("casing_change", {Kind.STRING}, {"1%": 0.01, "10%": 0.1, "100%": 1.0}, {"50%": 0.5})
def casing_change(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 3: lower case becomes upper case and vice versa in a share of the values."""
    return _respell(clean, _edit(clean, _pick(clean.rows, share, rng), lambda text, row: text.swapcase()))


@injection("increased_nulls", {Kind.STRING}, {"1%": 0.01, "50%": 0.5, "100%": 1.0})
def empty_strings(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 4, categorical: empty strings replace a share of the values."""
    return Injected(clean, _replace(clean.values, _pick(clean.rows, share, rng), pa.scalar("", pa.large_string())))


@injection("increased_nulls", {Kind.NUMERIC}, {"1%": 0.01, "50%": 0.5, "100%": 1.0})
def zeros(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 4, numerical: zeros replace a share of the values."""
    return Injected(clean, _replace(clean.values, _pick(clean.rows, share, rng), pa.scalar(0.0)))


@injection("increased_nulls", PRESENT, {}, {"10% null": 0.1, "100% null": 1.0})
def nulls(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 4 with real nulls, which Appendix B replaces by empty strings and zeros."""
    return Injected(clean, _replace(clean.values, _pick(clean.rows, share, rng), pa.scalar(None, clean.values.type)))


@injection("volume_change", PRESENT, {"x2": 2, "x10": 10})
def more_rows(clean: CleanColumn, factor: float, rng: Generator) -> Injected | None:
    """Type 5: every row arrives several times."""
    return Injected(clean, clean.values, repeat=int(factor)) if clean.rows else None


@injection("volume_change", PRESENT, {"50%": 0.5, "10%": 0.1})
def fewer_rows(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 5: only a share of the rows arrives, at least one."""
    kept = min(clean.rows, max(1, round(clean.rows * share)))
    if kept in (0, clean.rows):
        return None
    return Injected(
        clean, clean.values.take(pa.array(np.sort(rng.permutation(clean.rows)[:kept]))), share=kept / clean.rows
    )


@injection("distribution_change", VALUED, {"first 10%": 0.1, "first 50%": 0.5, "last 10%": -0.1, "last 50%": -0.5})
def distribution_change(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 6: the smallest or the largest values, in sorted order, replace all values (nulls stay)."""
    order = clean.ascending
    if not len(order):
        return None
    kept = max(1, int(len(order) * abs(share)))
    biased = order[:kept] if share > 0 else order[-kept:]
    source = np.arange(clean.rows)
    source[np.sort(order)] = np.resize(biased, len(order))
    return Injected(clean, clean.values.take(pa.array(source)))


@injection("char_perturbation", SPELLED, {"1%": 0.01, "10%": 0.1, "100%": 1.0})
def char_perturbation(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 7: a share of the characters become others of the same type (digit, lower or upper case letter)."""
    points = clean.code_points.points.copy()
    hit = rng.random(len(points)) < share
    for alphabet in (string.digits, string.ascii_lowercase, string.ascii_uppercase):
        first, size = ord(alphabet[0]), len(alphabet)
        chosen = np.flatnonzero(hit & (points >= first) & (points < first + size))
        # A step of 1 .. size-1 round the alphabet never lands on the same character.
        points[chosen] = first + (points[chosen] - first + rng.integers(1, size, len(chosen), dtype=np.uint32)) % size
    return _respell(clean, split_points(points, clean.code_points.lengths))


@injection("char_insertion", SPELLED, {"10%": 0.1, "50%": 0.5})
def char_insertion(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 8: a random character (a digit in numbers) appears somewhere in a share of the values."""
    alphabet = string.digits if clean.kind is Kind.NUMERIC else string.ascii_lowercase
    hits, places = _pick(clean.rows, share, rng), rng.random(clean.rows).tolist()
    drawn: list[str] = rng.choice(list(alphabet), clean.rows).tolist()

    def insert(text: str, row: int) -> str:
        at = int(places[row] * (len(text) + 1))
        return text[:at] + drawn[row] + text[at:]

    return _respell(clean, _edit(clean, hits, insert))


@injection("char_deletion", SPELLED, {"10%": 0.1, "50%": 0.5})
def char_deletion(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 9: one character is missing from a share of the values."""
    hits, places = _pick(clean.rows, share, rng), rng.random(clean.rows).tolist()

    def delete(text: str, row: int) -> str:
        at = int(places[row] * len(text))
        return text[:at] + text[at + 1 :]

    return _respell(clean, _edit(clean, hits, delete))


@injection("char_deletion", {Kind.STRING}, {}, {"10% cut in half": 0.1})
def truncation(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 9 as a truncation upstream: the second half of a share of the values is missing."""
    return _respell(clean, _edit(clean, _pick(clean.rows, share, rng), lambda text, row: text[: (len(text) + 1) // 2]))


@injection("whitespace_padding", {Kind.STRING}, {"10%": 0.1, "50%": 0.5, "100%": 1.0})
def whitespace_padding(clean: CleanColumn, share: float, rng: Generator) -> Injected | None:
    """Type 10: a blank before or behind a share of the values."""
    hits, leading = _pick(clean.rows, share, rng), (rng.random(clean.rows) < 0.5).tolist()
    return _respell(clean, _edit(clean, hits, lambda text, row: f" {text}" if leading[row] else f"{text} "))


APPENDIX_B = tuple(entry for entry in registered() if entry.appendix_b)
"""The procedures with exactly the magnitudes that the paper lists; the others are our further ones."""


def injections_for(kind: Kind, most: int | None = None) -> tuple[Injection, ...]:
    """The injections of a kind of column, in the order of Appendix B.

    :param most: of more than so many only those that tell most: each procedure with its middle magnitude, then each
        with another one, ...; another number of rows a turn later, for it is seen without a look at any column
    """
    found = tuple(entry for entry in registered() if kind in entry.kinds)
    if most is None or len(found) <= most:
        return found
    told = sorted(found, key=lambda entry: _turn([one for one in found if one.procedure is entry.procedure], entry))
    return tuple(entry for entry in found if entry in told[:most])


def _turn(alike: Sequence[Injection], entry: Injection) -> int:
    """When an injection is chosen among those of its procedure."""
    middle = (len(alike) - 1) // 2
    turns = [alike[middle], *alike[:middle], *alike[middle + 1 :]]
    return turns.index(entry) + (entry.type == "volume_change")


def _pick(rows: int, share: float, rng: Generator) -> Mask:
    """A share of the rows; their number is rounded at random, so that small samples are right on average."""
    mask = np.zeros(rows, dtype=bool)
    mask[rng.permutation(rows)[: int(rows * share + rng.random())]] = True
    return mask


def _replace(values: pa.Array, mask: Mask, replacement: pa.Array | pa.Scalar) -> pa.Array:
    return pc.if_else(pa.array(mask), replacement, values)


def linear(clean: CleanColumn, factor: float, offset: float) -> Injected:
    """Every number times a factor plus an offset; those that leave the range of floats are null."""
    numbers = pc.add(pc.multiply(clean.values, factor), offset)
    lost = pc.and_(pc.is_finite(clean.values), pc.is_inf(numbers))
    return Injected(clean, pc.if_else(lost, pa.scalar(None, pa.float64()), numbers), linear=(factor, offset))


def _edit(clean: CleanColumn, hits: Mask, edit: Callable[[str, int], str]) -> list[str | None]:
    texts = list(clean.texts)
    for row in np.flatnonzero(hits).tolist():
        text = texts[row]
        if text:
            texts[row] = edit(text, row)
    return texts


def _respell(clean: CleanColumn, texts: list[str | None]) -> Injected:
    return Injected(clean, clean.respelled(texts))
