from __future__ import annotations

import pytest

from airflow_dq.exceptions import ConfigurationError, StoreUnreachableError
from airflow_dq.get_provider_info import get_provider_info
from airflow_dq.hooks.dq import DQHook

PASSWORD = "staple-of-its-own"


def test_the_connection_gives_the_dsn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_DQ_DEFAULT", f"dq://me:{PASSWORD}@db:5433/stats?sslmode=require")
    assert DQHook().get_dsn() == f"postgresql+psycopg2://me:{PASSWORD}@db:5433/stats?sslmode=require"


def test_the_environment_wins_over_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_DQ_DEFAULT", "dq://me@db/one")
    monkeypatch.setenv("AIRFLOW_DQ_DSN", "postgresql://me@db/two")
    assert DQHook().get_dsn() == "postgresql://me@db/two"


def test_neither_connection_nor_environment_is_one_clear_sentence() -> None:
    with pytest.raises(ConfigurationError, match="'other' to the statistics database is not defined"):
        DQHook("other").get_dsn()


def test_the_password_is_masked_and_not_in_the_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.sdk._shared.secrets_masker import redact

    monkeypatch.setenv("AIRFLOW_DQ_DSN", f"postgresql://me:{PASSWORD}@db/stats")
    hook = DQHook()
    hook.get_dsn()
    assert redact(f"a log line with {PASSWORD} in it") == "a log line with *** in it"
    assert PASSWORD not in repr(hook)


def test_the_test_button_explains_a_failure_without_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", f"postgresql://me:{PASSWORD}@127.0.0.1:1/stats")
    ok, words = DQHook().test_connection()
    assert not ok
    assert "127.0.0.1:1" in words
    assert PASSWORD not in words
    with pytest.raises(StoreUnreachableError), DQHook().get_store():
        pass


def test_the_form_of_the_connection_is_described_once() -> None:
    (described,) = get_provider_info()["connection-types"]
    behaviour = DQHook.get_ui_field_behaviour()
    assert behaviour["hidden_fields"] == described["ui-field-behaviour"]["hidden-fields"]
    assert described["hook-class-name"] == f"{DQHook.__module__}.{DQHook.__qualname__}"
    assert described["connection-type"] == DQHook.conn_type
    assert described["hook-name"] == DQHook.hook_name
