"""``backfill-dag`` against a server that answers as Airflow's API does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_dq.cli.main import main
from tests.airflow_api import FakeApi, fake_api


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    monkeypatch.setenv("AIRFLOW_DQ_API_TOKEN", "secret")
    with fake_api() as made:
        yield made


def arguments(api: FakeApi, *more: str) -> list[str]:
    dates = ["--since", "2013-01-01", "--until", "2013-02-14T12:00"]
    return ["backfill-dag", "flights", *dates, "--api-url", f"{api.url}/", *more]


def refused(given: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_it_starts_airflows_own_backfill(api: FakeApi, capsys: pytest.CaptureFixture[str]) -> None:
    main(arguments(api, "--reprocess", "failed"))
    assert "Backfill 7 of flights from 2013-01-01 to 2013-02-14T12:00 has started" in capsys.readouterr().out
    body = {
        "dag_id": "flights",
        "from_date": "2013-01-01T00:00:00+00:00",
        "to_date": "2013-02-14T12:00:00+00:00",
        "reprocess_behavior": "failed",
        "max_active_runs": 3,
    }
    assert api.asked == [("POST", "/api/v2/backfills", "Bearer secret", body)]
    main(arguments(api, "--json"))
    assert json.loads(capsys.readouterr().out)["id"] == 7


def test_the_token_may_be_in_a_file(
    api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AIRFLOW_DQ_API_TOKEN")
    assert "set AIRFLOW_DQ_API_TOKEN" in refused(arguments(api), capsys)
    file = tmp_path / "token"
    assert "cannot be read" in refused(arguments(api, "--token-file", str(file)), capsys)
    file.write_text("from-file\n")
    main(arguments(api, "--token-file", str(file)))
    assert api.asked[0][2] == "Bearer from-file"
    file.write_text("two words")
    assert "blanks or line breaks" in refused(arguments(api, "--token-file", str(file)), capsys)


@pytest.mark.parametrize(
    ("code", "body", "words"),
    [
        (401, b'{"detail": "Invalid JWT"}', "missing, wrong or too old: get a new one. It says: Invalid JWT"),
        (403, b"{}", "may not start backfills"),
        (404, b'{"detail": "Could not find dag flights"}', "It says: Could not find dag flights"),
        (409, b"not json", "a backfill of the DAG is running"),
        (422, b'{"detail": [{"loc": ["body"]}]}', 'It says: [{"loc": ["body"]}]'),
        (500, b"", "(500 from http"),
        (200, b"<html>", "did not answer as Airflow does"),
    ],
)
def test_a_refusal_is_explained(
    api: FakeApi, code: int, body: bytes, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    api.answer = (code, body)
    said = refused(arguments(api), capsys)
    assert words in said
    assert "secret" not in said


def test_a_busy_airflow_is_asked_again(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("airflow_dq.cli.airflow_api.PAUSE_SECONDS", 0)
    api.first = [(503, b'{"detail": "locked"}')] * 4
    main(arguments(api))
    assert len(api.asked) == 5
    api.answer = (503, b'{"detail": "locked"}')
    assert "its database is busy: try again. It says: locked" in refused(arguments(api), capsys)
    assert len(api.asked) == 10


def test_what_contradicts_itself(api: FakeApi, capsys: pytest.CaptureFixture[str]) -> None:
    assert "required: --since, --until" in refused(["backfill-dag", "flights"], capsys)
    assert "unrecognized arguments: --source" in refused(arguments(api, "--source", "x=*"), capsys)
    given = ["backfill-dag", "f", "--since", "first", "--until", "2013-01-01", "--api-url", api.url]
    assert "--since 'first' is no date" in refused(given, capsys)
    assert "no http or https URL" in refused([*arguments(api)[:-1], "file:///etc"], capsys)
    assert "cannot be reached" in refused([*arguments(api)[:-1], "http://127.0.0.1:1"], capsys)
    assert api.asked == []
