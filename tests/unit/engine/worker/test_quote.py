"""Quotes that nothing closes: told from all others, wherever the text is cut into blocks."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.engine.worker.quote import Quoting, ends_inside, open_blocks

DOUBLED, ESCAPED = Quoting(",", '"', '"'), Quoting(",", '"', "\\")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,"x"\n', None),
        ('1,pipe 8"\n2,"a ""b"""\n3,""\n', None),  # a quote inside of a value is a character
        ('1,"two\nlines",3\n', None),
        ('\ufeff"id"\n', None),
        ('1,"6 inch\n2,x\n3,pipe 8"\n', None),  # closed later: nobody can tell it from two lines
        ("", None),
        ('a,b\n1,2\n3,"x\n4,5\n', 3),
        ('a,b\r\n1,"x\r\n', 2),
        ("a,b\r1,2\r3,'x".replace("'", '"'), 3),
        ('"', 1),
        ('a\n"x ""y""\n', 2),
        ('a\n"x """\n"', 3),
        ('\ufeff"id\n', 1),
    ],
)
def test_the_line_is_that_of_the_quote_which_nothing_closes(text: str, line: int | None) -> None:
    assert DOUBLED.opened_line(text.encode()) == line


def test_an_escaped_quote_closes_nothing() -> None:
    assert ESCAPED.opened_line(rb'"a \"b\" c"' + b"\n") is None
    assert ESCAPED.opened_line(rb'"a \"' + b"\n") == 1
    assert ESCAPED.opened_line(rb'"C:\\"' + b"\n") is None
    assert Quoting("||", "'", "'").opened_line(b"a||'b'||'c\n") == 1


def state_at_end(text: str, quoting: Quoting) -> bool:
    """The same, a character at a time."""
    state, place = "start", 0
    while place < len(text):
        char = text[place]
        if state == "inside":
            if char == quoting.escape and (
                quoting.escape != quoting.quote or text[place + 1 : place + 2] == quoting.quote
            ):
                place += 1
            elif char == quoting.quote:
                state = "value"
        elif state == "start" and char == quoting.quote:
            state = "inside"
        else:
            state = "start" if char in ",\r\n" else "value"
        place += 1
    return state == "inside"


@settings(max_examples=100, deadline=None)
@given(st.text('",\n\\ab', max_size=30), st.sampled_from([DOUBLED, ESCAPED]), st.data())
def test_blocks_say_together_what_the_whole_text_says(text: str, quoting: Quoting, data: st.DataObject) -> None:
    expected = state_at_end(text, quoting)
    assert (quoting.opened(text.encode()) is not None) == expected
    if text.endswith("\\"):
        # What it escapes would be the line break that is put between lines.
        return
    lines = text.split("\n")
    cut = data.draw(st.integers(0, len(lines)))
    rows = [(line.encode(), "f", int(place >= cut)) for place, line in enumerate(lines) if '"' in line]
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    types = (pa.binary(), pa.string(), pa.int64())
    batch = pa.record_batch(
        [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)], ["l", "p", "s"]
    )
    size = data.draw(st.integers(1, 4))
    batches = [batch.slice(start, size) for start in range(0, batch.num_rows, size)]
    found = [row for block in open_blocks(batches, quoting) for row in block.to_pylist()]
    assert ends_inside((row["start"], row["from_outside"], row["from_inside"]) for row in found) == expected
