"""Text with names from data in it, as a log, a terminal and a message may show it."""

from __future__ import annotations

import re

# Controls, line and paragraph separators, what changes the direction of writing or has no width, half surrogate pairs.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def visible(text: str, *, lines: bool = False) -> str:
    """The text with an escape (``\\x1b``, ``\\u202e``) in place of each character that would act instead of being seen.

    A column may be named by a terminal's command to delete a line, or by a line of a log that was never written.

    :param lines: whether the text's own line ends and tabs are meant
    """
    return _HIDDEN.sub(lambda found: found[0] if lines and found[0] in "\n\t" else _escape(found[0]), text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
