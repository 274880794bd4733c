from __future__ import annotations

import logging

import pytest

from airflow_dq.exceptions import (
    ConfigurationError,
    DQError,
    SourceMissingError,
    StoreNotMigratedError,
    StoreUnreachableError,
    SynthesisError,
    UnknownColumnError,
)
from airflow_dq.hooks.task import explained, partition_key
from airflow_dq.version_compat import AirflowException, AirflowFailException

LOG = logging.getLogger("task")


@pytest.mark.parametrize(
    ("rendered", "key"), [("2013-02-01", "2013-02-01"), ("00011", "00011"), (20130201, "20130201")]
)
def test_a_key_is_raw_text(rendered: object, key: str) -> None:
    assert partition_key(rendered, "flights") == key


@pytest.mark.parametrize("rendered", [None, "", "  ", "None"])
def test_a_key_that_rendered_to_nothing_names_the_argument(rendered: object) -> None:
    with pytest.raises(ConfigurationError, match="Dataset 'flights': the argument partition rendered to"):
        partition_key(rendered, "flights")


@pytest.mark.parametrize("rendered", ["day=None", "None/eu", "day=2024-01-01T None", "day=None_eu"])
def test_a_key_with_a_value_that_rendered_to_nothing_is_refused(rendered: str) -> None:
    with pytest.raises(ConfigurationError, match=f"the argument partition rendered to '{rendered}'"):
        partition_key(rendered, "flights")
    with pytest.raises(ConfigurationError, match="the argument dataset rendered to"):
        partition_key("1", rendered)


@pytest.mark.parametrize("rendered", ["NoneSuch", "none", "Nonesense-1", "aNone"])
def test_a_word_that_only_begins_like_it_is_a_key(rendered: str) -> None:
    assert partition_key(rendered, rendered) == rendered


@pytest.mark.parametrize("rendered", [" 2024-01-01", "2024-01-01 ", "2024-01-01\n", "\u00a02024-01-01"])
def test_a_key_with_outer_blanks_is_refused(rendered: str) -> None:
    with pytest.raises(ConfigurationError, match="begins or ends with a blank"):
        partition_key(rendered, "flights")
    with pytest.raises(ConfigurationError, match="begins or ends with a blank"):
        partition_key("1", rendered)


@pytest.mark.parametrize("error", [StoreUnreachableError("down"), SourceMissingError("no folder")])
def test_what_may_pass_by_itself_is_retried(error: DQError) -> None:
    with pytest.raises(AirflowException, match=str(error)) as raised, explained(LOG):
        raise error
    assert not isinstance(raised.value, AirflowFailException)


@pytest.mark.parametrize(
    "error", [ConfigurationError("a"), StoreNotMigratedError("b"), SynthesisError("c"), UnknownColumnError("d")]
)
def test_what_needs_a_person_is_not_retried(error: DQError, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(AirflowFailException, match=str(error)) as raised, explained(LOG):
        raise error
    # No chain of causes: the sentence is all that the log needs.
    assert raised.value.__suppress_context__
    assert [(record.levelname, record.message) for record in caplog.records] == [("ERROR", str(error))]


def test_a_bug_is_not_disguised() -> None:
    with pytest.raises(ZeroDivisionError), explained(LOG):
        _ = 1 / 0
