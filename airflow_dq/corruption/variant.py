"""The injected variants of a column: what its profile would be if each of the synthetic errors had happened."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.corruption.blob import PackedVariants, encode_variants
from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.extrapolation import Extrapolator, compared
from airflow_dq.corruption.procedure import injections_for
from airflow_dq.corruption.transport import repeated
from airflow_dq.exceptions import ProfileError, UnknownColumnError
from airflow_dq.metrics.evaluate import measure, measured
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column import CANONICAL
from airflow_dq.profile.hash_key import hash_key
from airflow_dq.profile.model import ColumnProfile, Profile, Variant
from airflow_dq.profile.sample import CELL_LIMIT, RowSample
from airflow_dq.states.base import Kind, State, states_of
from airflow_dq.states.number import NumberDistribution
from airflow_dq.uncollected import uncollected

ERRORS_A_PARTITION = 8_192
"""Errors that the columns of one partition share: what 256 columns have when each gets all of its kind, some 30.  Each
takes more than a millisecond, and a table with more columns would spend nearly all of its time on them."""
LEAST_A_COLUMN = 8
"""Errors of a column however many columns there are: one of each way in which its values can change."""


def errors_a_column(profile: Profile) -> int:
    """How many errors each column of a profile gets, at most."""
    return max(LEAST_A_COLUMN, ERRORS_A_PARTITION // max(1, len(profile.columns)))


def variants_of(profile: Profile, column: str, most: int | None = None) -> tuple[Variant, ...]:
    """The injected variants of a column: those of the profile, else those that follow from its row sample.

    When the row sample is the whole partition, a variant is exactly the profile of the column after the error.
    Otherwise the error is observed on the sample and extrapolated (:mod:`airflow_dq.corruption.extrapolation`).

    :param most: how many there may be, when the profile is a part of another; None: as many as its columns leave
    :raises UnknownColumnError: when the profile has no such column
    :raises ProfileError: when it holds neither variants nor a row sample
    """
    given = profile.variants.get(column)
    if given is not None:
        return given.variants if isinstance(given, PackedVariants) else tuple(given)
    if column not in profile.columns:
        names = ", ".join(map(repr, profile.columns))
        raise UnknownColumnError(f"The profile of {profile.partition!r} has no column {column!r}; it has: {names}.")
    if profile.sample is None:
        raise ProfileError(
            f"The profile of {profile.partition!r} keeps neither injected variants of column {column!r} nor the rows "
            "to compute them from (only the newest partitions keep variants). Profile the partition again."
        )
    if not profile.columns[column].states:
        # A column that could not be profiled has no rows in the sample either.
        return ()
    known, donor = profile.columns[column], _donors(profile, profile.columns[column].kind)[column]
    most = errors_a_column(profile) if most is None else most
    make = partial(_compute, known, donor, profile.sample, profile.options, most)
    return profile.variant_cache.of(column, make)


def all_variants(profile: Profile) -> dict[str, tuple[Variant, ...]]:
    """The variants of every column that has some or for which they can be computed, by name."""
    able = profile.variants if profile.sample is None else profile.columns
    return {name: variants_of(profile, name) for name in profile.columns if name in able}


def packed_variants(profile: Profile, column: str, most: int | None = None) -> PackedVariants:
    """The variants of one column as they are stored, a tenth of the memory; they are not remembered.

    :param most: as :func:`variants_of` takes it
    :raises UnknownColumnError: as :func:`variants_of` does
    :raises ProfileError: as it does
    """
    given = profile.variants.get(column)
    # A profile of its own has a cache of its own, which goes with it.
    made = variants_of(replace(profile), column, most) if given is None else given
    return PackedVariants(encode_variants(made))


def narrowed(profile: Profile, columns: Collection[str]) -> Profile:
    """As much of a profile as the variants of these columns are made of: nothing of the rows' other columns."""
    able = [name for name in columns if profile.columns[name].states]
    by_kind = {kind: _donors(profile, kind) for kind in {profile.columns[name].kind for name in able}}
    donors = {by_kind[profile.columns[name].kind][name] for name in able}
    kept = {name: column for name, column in profile.columns.items() if name in donors or name in columns}
    sample = profile.sample
    if sample is not None:
        sample = sample.of(kept)
    variants = {name: found for name, found in profile.variants.items() if name in kept}
    return replace(profile, columns=kept, sample=sample, variants=variants)


def with_variants(profile: Profile) -> Profile:
    """The profile with the variants of every column for which they can be computed, ready to be stored.

    Those of a column are packed before the next one's are made.
    """
    able = profile.variants if profile.sample is None else profile.columns
    return replace(profile, variants={name: packed_variants(profile, name) for name in profile.columns if name in able})


def _donors(profile: Profile, kind: Kind) -> dict[str, str | None]:
    """By column of a kind: the next one of it in the table's order, the first one after the last; None when alone."""
    alike = [name for name, other in profile.columns.items() if other.kind is kind and other.states]
    return dict(zip(alike, [*alike[1:], alike[0]] if len(alike) > 1 else [None], strict=True))


@uncollected()
def _compute(
    column: ColumnProfile, donor: str | None, sample: RowSample, options: ProfileOptions, most: int
) -> tuple[Variant, ...]:
    kind, key = column.kind, hash_key() if options.hides(column.name) else None
    rows = sample.expand([name for name in (column.name, donor) if name is not None])
    values = _values(rows, column.name, kind)
    clean = CleanColumn(kind, values, None if donor is None else _values(rows, donor, kind))
    whole = sample.total == clean.rows and sample.complete and not _cut(values) and not _rounded(column)
    extrapolator = None if whole else Extrapolator.of(column, clean, sample.total, key)
    variants = []
    for injection in injections_for(kind, most):
        injected = injection.apply(clean, options.seed, column.name)
        if injected is None:
            continue
        if extrapolator is None:
            exact: Mapping[str, State] = repeated(
                states_of(kind, injected.values, key, measured(kind)), injected.repeat
            )
            metrics, states = measure(kind, exact), compared(kind, exact)
        else:
            metrics, states = extrapolator.extrapolate(injected)
        states = {name: state.compared() for name, state in states.items()}
        variants.append(Variant(injection.type, injection.parameter, metrics, states))
    return tuple(variants)


def _values(rows: pa.Table, name: str, kind: Kind) -> pa.Array:
    values = rows.column(name).combine_chunks()
    # Untyped in every sampled batch, typed in another file of the partition.
    return values.cast(CANONICAL[kind]) if pa.types.is_null(values.type) else values


def _rounded(column: ColumnProfile) -> bool:
    """True when the column has integers that the sample holds as the floats next to them."""
    numbers = column.states.get(NumberDistribution.key)
    return isinstance(numbers, NumberDistribution) and len(numbers.rests) > 0


def _cut(values: pa.Array) -> bool:
    """True when the sample holds texts or binaries that it cut: their whole length is no longer known."""
    if pa.types.is_large_binary(values.type):
        return (pc.max(pc.binary_length(values)).as_py() or 0) >= CELL_LIMIT
    if not pa.types.is_large_string(values.type):
        return False
    return (pc.max(pc.utf8_length(values)).as_py() or 0) >= CELL_LIMIT
