from __future__ import annotations

import pytest

from airflow_dq.engine.csv_text import CsvFormat, settles_types, spark_defaults


def test_what_nobody_said_is_a_comma_double_quotes_a_header_and_text() -> None:
    plain = CsvFormat.of({})
    assert (plain.sep, plain.quote, plain.header, plain.encoding, plain.infer) == (",", '"', True, None, False)


def test_options_are_those_of_sparks_reader_in_any_case() -> None:
    given = CsvFormat.of(
        {"Delimiter": ";", "QUOTE": "'", "charset": "latin-1", "inferschema": "True", "header": "FALSE"}
    )
    assert given == CsvFormat(";", "'", None, False, "latin-1", True)


@pytest.mark.parametrize(
    ("path", "head", "sep"), [("a.csv", "a;b,c;d\n1,2,3\n", ";"), ("a.TSV.gz", "a,b\n", "\t"), ("a.csv", "", ",")]
)
def test_a_separator_that_nobody_said_is_the_most_frequent_one(path: str, head: str, sep: str) -> None:
    assert CsvFormat.of({}, sep=None).separator(path, head) == sep
    assert CsvFormat.of({"sep": "|"}, sep=None).separator(path, head) == "|"
    assert CsvFormat.of({}).separator(path, head) == ","


def test_an_escape_character_that_was_given_wins_over_the_files() -> None:
    text = r'a,"say \"hi\", he"'
    assert CsvFormat.of({}).escape_in(text, ",") == "\\"
    assert CsvFormat.of({"escape": "!"}).escape_in(text, ",") == "!"


def test_types_are_settled_by_inference_or_by_a_schema() -> None:
    assert settles_types({"InferSchema": "true"})
    assert settles_types({"schema": "n int"})
    assert not settles_types({"sep": ";"})


@pytest.mark.parametrize(
    ("files", "options", "enforced"), [(1, {}, "true"), (2, {}, "false"), (1, {"Schema": "n int"}, "false")]
)
def test_spark_must_not_let_columns_change_places(files: int, options: dict[str, str], enforced: str) -> None:
    assert spark_defaults(files, options)["enforceSchema"] == enforced
