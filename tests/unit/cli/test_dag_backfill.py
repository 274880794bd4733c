"""``backfill --dag-id`` against a server that answers as Airflow's API does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from airflow_dq.cli.main import build_parser, main


class Api:
    """What was asked, and what to answer."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None, Any]] = []
        self.answer: tuple[int, bytes] = (200, b'{"id": 7, "dag_id": "flights"}')
        self.url = ""


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    made = Api()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.asked.append((self.path, self.headers["Authorization"], body))
            self.send_response(made.answer[0])
            self.end_headers()
            self.wfile.write(made.answer[1])

        def log_message(self, format: str, *arguments: Any) -> None:
            """Nothing on the terminal."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("AIRFLOW_DQ_API_TOKEN", "secret")
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def arguments(api: Api, *more: str) -> list[str]:
    dates = ["--from", "2013-01-01", "--to", "2013-02-14T12:00"]
    return ["backfill", "--dag-id", "flights", *dates, "--api-url", f"{api.url}/", *more]


def refused(given: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_it_starts_airflows_own_backfill(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    main(arguments(api, "--reprocess", "failed"))
    assert "Backfill 7 of flights from 2013-01-01 to 2013-02-14T12:00 has started" in capsys.readouterr().out
    body = {
        "dag_id": "flights",
        "from_date": "2013-01-01T00:00:00+00:00",
        "to_date": "2013-02-14T12:00:00+00:00",
        "reprocess_behavior": "failed",
        "max_active_runs": 3,
    }
    assert api.asked == [("/api/v2/backfills", "Bearer secret", body)]
    main(arguments(api, "--json"))
    assert json.loads(capsys.readouterr().out)["id"] == 7


def test_the_token_may_be_in_a_file(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AIRFLOW_DQ_API_TOKEN")
    assert "set AIRFLOW_DQ_API_TOKEN" in refused(arguments(api), capsys)
    file = tmp_path / "token"
    assert "cannot be read" in refused(arguments(api, "--token-file", str(file)), capsys)
    file.write_text("from-file\n")
    main(arguments(api, "--token-file", str(file)))
    assert api.asked[0][1] == "Bearer from-file"
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
    api: Api, code: int, body: bytes, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    api.answer = (code, body)
    said = refused(arguments(api), capsys)
    assert words in said
    assert "secret" not in said


def test_what_contradicts_itself(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    assert "needs --from DATE and --to" in refused(["backfill", "--dag-id", "flights"], capsys)
    assert "leave out --source" in refused(arguments(api, "--source", "x=*"), capsys)
    assert "Name the DATASET" in refused(["backfill"], capsys)
    given = ["backfill", "--dag-id", "f", "--from", "first", "--to", "2013-01-01", "--api-url", api.url]
    assert "--from 'first' is no date" in refused(given, capsys)
    assert "no http or https URL" in refused([*arguments(api)[:-1], "file:///etc"], capsys)
    assert "cannot be reached" in refused([*arguments(api)[:-1], "http://127.0.0.1:1"], capsys)
    assert api.asked == []


def test_the_parser_knows_it() -> None:
    assert build_parser().parse_args(["backfill", "--dag-id", "f"]).dataset is None
