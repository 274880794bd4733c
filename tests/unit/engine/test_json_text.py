from __future__ import annotations

import pytest

from airflow_dq.engine.json_text import require_one_value, require_whole_lines
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
        '{"a": 1}\r{"a": 2}\r',
        '{"a": 1},\r\n{"a": "}{"},\r\n',
        '{"a": 1}\n{"a": [{}, {}]}',
    ],
)
def test_lines_that_are_whole_or_damaged_are_left_to_the_reader(text: str) -> None:
    require_whole_lines(text.encode(), "f.json")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1}{"a": 2}', 1),
        ('{"a": "}"} {"a": 2}\n', 1),
        ('[{"a": 1}][{"a": 2}]', 1),
        ('{"a": 1}\n{"a": 2},{"a": 3}\n{"a": 4}\n', 2),
    ],
)
def test_no_record_is_lost_behind_another_in_its_line(text: str, line: int) -> None:
    with pytest.raises(SourceUnreadableError, match=rf"f\.json .* line {line} has a record behind another"):
        require_whole_lines(text.encode(), "f.json")


@pytest.mark.parametrize("text", ['{"a": 1}\n{"a": 2}\n', '[{"a": 1}]\n[{"a": 2}]', '{"a": 1}{"a": 2}'])
def test_no_record_is_lost_behind_the_one_value_of_a_file(text: str) -> None:
    with pytest.raises(SourceUnreadableError, match=r"f\.json .* Leave multiLine out"):
        require_one_value(text.encode(), "f.json")


@pytest.mark.parametrize("text", ['{\n "a": 1\n}\n', '[{"a": 1},\n{"a": 2}]\n', "", '{"a": [{"b": 1}, ', "no json"])
def test_one_value_in_a_file_or_what_cannot_be_told_is_left_to_the_reader(text: str) -> None:
    require_one_value(text.encode(), "f.json")
