"""A server that answers as Airflow's API does, for tests of what asks it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

Answer = tuple[int, bytes]


@dataclass
class FakeApi:
    """What was asked, and what to answer."""

    answer: Answer = (200, b'{"id": 7, "dag_id": "flights"}')
    first: list[Answer] = field(default_factory=list)
    """Answers before that one."""
    asked: list[tuple[str, str, str | None, Any]] = field(default_factory=list)
    """Method, path, authorization and body of each request."""
    url: str = ""


@contextmanager
def fake_api() -> Iterator[FakeApi]:
    """The server, for as long as the block runs."""
    made = FakeApi()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.respond()

        def do_PATCH(self) -> None:
            self.respond()

        def respond(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.asked.append((self.command, self.path, self.headers["Authorization"], body))
            code, said = made.first.pop(0) if made.first else made.answer
            self.send_response(code)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Nothing on the terminal."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    # It looks this often whether it shall end: by default every half second.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
