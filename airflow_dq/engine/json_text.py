"""Whether JSON text has its records where the reader looks for them: it says nothing of what it leaves out."""

from __future__ import annotations

import json
import re

from airflow_dq.exceptions import SourceUnreadableError

_BEGINS = ("{", "[")
_DECODER = json.JSONDecoder()
_LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line for Spark."""


def require_whole_lines(head: bytes, path: str) -> None:
    """Refuse a file whose first record goes on behind the end of its line, and one with several records in a line.

    Of the first readers say in odd words what is wrong; of the second they read one record a line, and say nothing.

    :param head: its first bytes
    :raises SourceUnreadableError: naming the file, and what to do
    """
    first, *others = _LINE_END.split(_text(head))
    if first.startswith(_BEGINS) and any(line.strip() for line in others) and _breaks_off(first):
        raise SourceUnreadableError(
            f"The file {path} cannot be read as JSON lines: its first record goes on behind the first line. Set "
            "the read option multiLine=true (which takes each file for one record or one list of records), or "
            "write each record in a line of its own."
        )
    for number, line in enumerate((first, *others), 1):
        if _followed(line):
            raise SourceUnreadableError(
                f"The file {path} cannot be read as JSON lines: line {number} has a record behind another one, and of "
                "each line only the first record would be read. Write each record in a line of its own."
            )


def require_one_value(head: bytes, path: str) -> None:
    """Refuse a file with records behind its first value, where a reader takes each file for one value (``multiLine``).

    :param head: its first bytes
    :raises SourceUnreadableError: naming the file, and what to do
    """
    if _followed(_text(head)):
        raise SourceUnreadableError(
            f"The file {path} cannot be read with multiLine=true: it has a record behind its first one, and only the "
            "first record, or list of records, of each file would be read. Leave multiLine out where each record has a "
            "line of its own; otherwise write one list of records."
        )


def _text(head: bytes) -> str:
    return head.decode("utf-8", "ignore").lstrip("\ufeff \t\r\n")


def _breaks_off(line: str) -> bool:
    """Whether a record goes on in the next line; any other that is no JSON is damaged."""
    try:
        _DECODER.raw_decode(line)
    except json.JSONDecodeError as error:
        return error.pos >= len(line.rstrip())
    return False


def _followed(text: str) -> bool:
    """Whether a second value begins behind the first one; a comma between them changes nothing."""
    text = text.lstrip()
    if not text.startswith(_BEGINS):
        return False
    try:
        _, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError:
        # Cut off, or for the reader to tell.
        return False
    return text[end:].lstrip(", \t\r\n").startswith(_BEGINS)
