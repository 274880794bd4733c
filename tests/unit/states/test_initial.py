from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.exceptions import CodecError
from airflow_dq.states.initial import Initials
from airflow_dq.states.layout import pack, pack_integers
from airflow_dq.states.prepared import PreparedColumn


def test_each_string_counts_under_its_first_character() -> None:
    found = Initials.of(pa.array(["Apple", "avocado", None, "", "Apple", "Éclair", " x"], pa.large_string()))
    assert {chr(place): int(found.counts[place]) for place in np.flatnonzero(found.counts)} == {
        "A": 2,
        "a": 1,
        "É": 1,
        " ": 1,
    }
    assert found.total == 5


def test_a_code_point_beyond_255_counts_modulo_256() -> None:
    found = Initials.of(pa.array(["東京"], pa.large_string()))
    assert np.flatnonzero(found.counts).tolist() == [ord("東") % 256]


def test_a_hidden_one_shows_counts_but_not_of_which_character() -> None:
    values = pa.array(["Apple", "Apple", "bread"], pa.large_string())
    clear, hidden, other = (
        Initials.of(values),
        Initials.of_hidden(PreparedColumn.of(values), b"key" * 8),
        Initials.of_hidden(PreparedColumn.of(values), b"another" * 4),
    )
    assert sorted(hidden.counts) == sorted(clear.counts)
    assert hidden != clear
    assert hidden != other
    assert hidden == Initials.of_hidden(PreparedColumn.of(values), b"key" * 8)


@pytest.mark.parametrize(("places", "counts"), [([3, 1], [1, 1]), ([1], [0]), ([1, 2], [1]), ([256], [1]), ([-1], [1])])
def test_damaged_bytes_are_refused(places: list[int], counts: list[int]) -> None:
    sections = (pack_integers(np.array(numbers, np.int64)) for numbers in (places, counts))
    with pytest.raises(CodecError, match="initials/1"):
        Initials.decode(pack(Initials.key, *sections))
