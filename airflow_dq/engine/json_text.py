"""Whether JSON text has a record in each line, as a reader expects that takes it apart by lines."""

from __future__ import annotations

import json

from airflow_dq.exceptions import SourceUnreadableError


def require_whole_lines(head: bytes, path: str) -> None:
    """Refuse a file whose first record goes on behind the end of its line, which readers say in odd words.

    :param head: its first bytes
    :raises SourceUnreadableError: naming the file, and what to do
    """
    text = head.decode("utf-8", "ignore").lstrip("\ufeff \t\r\n")
    line, ended, rest = text.partition("\n")
    if not ended or not rest.strip() or line[:1] not in ("{", "["):
        return
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        # One that breaks off where the line ends goes on in the next; any other is damaged.
        if error.pos >= len(line.rstrip()):
            raise SourceUnreadableError(
                f"The file {path} cannot be read as JSON lines: its first record goes on behind the first line. Set "
                "the read option multiLine=true (which takes each file for one record or one list of records), or write "
                "each record in a line of its own."
            ) from None
