"""A server that accepts connections and never answers: at once, or after it has let its clients in."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_TOLD = {
    "server_version": "16.0",
    "client_encoding": "UTF8",
    "DateStyle": "ISO, MDY",
    "standard_conforming_strings": "on",
    "integer_datetimes": "on",
}


@contextmanager
def silent_server(*, lets_in: bool = False) -> Iterator[int]:
    """Its port on 127.0.0.1.

    :param lets_in: speak PostgreSQL's protocol until the client may put its first question, as a paused pooler does
    """
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        kept: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return  # closed: the test is over
                kept.append(client)
                if lets_in:
                    _let_in(client)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for client in kept:
                client.close()


def _let_in(client: socket.socket) -> None:
    if struct.unpack("!I", client.recv(4))[0] == 8:  # asks for encryption
        client.recv(4)
        client.sendall(b"N")
        client.recv(4)
    client.recv(4096)
    said = _message(b"R", struct.pack("!I", 0))
    for name, value in _TOLD.items():
        said += _message(b"S", f"{name}\0{value}\0".encode())
    client.sendall(said + _message(b"Z", b"I"))


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body
