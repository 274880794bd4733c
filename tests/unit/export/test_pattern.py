"""A learned pattern that leaves the project says the same to other engines."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from airflow_dq.export.learned import portable
from airflow_dq.pattern.language import whole_value

CHARACTERS = [*map(chr, range(0x80)), "ü", "я", "日", "\U0010fffe", "\U0010ffff"]


@pytest.mark.parametrize(
    "pattern",
    [
        "<other>",
        "<any>+",
        "<letter|other>",
        "<digit|upper|other|->{1,2}",
        "<digit|upper|lower|symbol|other>+",
        "A<other>?<digit>",
        "<upper|]|[|^|other>",
        "[<digit>]",
    ],
)
def test_every_character_is_taken_or_refused_as_by_the_pattern_itself(pattern: str) -> None:
    expression = whole_value((pattern,), ("n/a",))
    texts = ["n/a", *CHARACTERS, *(f"A{one}1" for one in CHARACTERS), *(f"1{one}" for one in CHARACTERS), "[1]"]
    wanted = pc.match_substring_regex(pa.array(texts), expression).to_pylist()
    said = re.compile(portable(expression).removesuffix("$") + r"\Z")
    assert [said.match(text) is not None for text in texts] == wanted
    assert any(wanted)
