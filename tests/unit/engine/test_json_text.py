from __future__ import annotations

import pytest

from airflow_dq.engine.json_text import require_whole_lines
from airflow_dq.exceptions import SourceUnreadableError


@pytest.mark.parametrize("text", ['{\n "a": 1\n}\n', '[{"a": 1},\n{"a": 2}]\n', '\ufeff\n[\n  {"a": 1}]'])
def test_a_record_over_several_lines_names_the_option_that_reads_it(text: str) -> None:
    with pytest.raises(SourceUnreadableError, match=r"f\.json .* multiLine=true"):
        require_whole_lines(text.encode(), "f.json")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}\n{"a": 2}\n',
        '[{"a": 1}, {"a": 2}]\n',
        '{"a": 1',
        "",
        "no json\n",
        '{"a": }\n{"a": 1}\n',
        '{"a": 1}\n{"b"\n',
    ],
)
def test_lines_that_are_whole_or_damaged_are_left_to_the_reader(text: str) -> None:
    require_whole_lines(text.encode(), "f.json")
