"""Quoted values of CSV text that nothing closes: everything behind their quote would be taken for one value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa

_BOM = b"\xef\xbb\xbf"

OPEN = pa.schema(
    [("path", pa.string()), ("start", pa.int64()), ("from_outside", pa.bool_()), ("from_inside", pa.bool_())]
)
"""What a task has found out about a block of a file: whether it ends inside quotes, by how it begins."""
OPEN_DDL = "path string, start long, from_outside boolean, from_inside boolean"


@dataclass(frozen=True)
class Quoting:
    """How values are quoted, in a text whose characters are UTF-8 (or any encoding that follows ASCII)."""

    sep: str
    quote: str
    escape: str

    @cached_property
    def _closed(self) -> re.Pattern[bytes]:
        """Matches a text up to the first quote that begins a value and is never closed.

        Possessive, so that it never goes back: it takes a second for some hundred MB.
        """
        mark, escape, sep = (re.escape(text.encode()) for text in (self.quote, self.escape, self.sep))
        begins = rb"(?:\A|(?<=[\r\n])|(?<=%b)|(?<=%b))" % (sep, _BOM)
        if self.escape == self.quote:
            value = rb"%b[^%b]*+(?:%b%b[^%b]*+)*+%b" % (mark, mark, mark, mark, mark, mark)
        else:
            value = rb"%b[^%b%b]*+(?:%b.[^%b%b]*+)*+%b" % (mark, mark, escape, escape, mark, escape, mark)
        # A quote within a value that did not begin with one is a character as any other.
        within = rb"(?!\A)(?<![\r\n])(?<!%b)(?<!%b)%b" % (sep, _BOM, mark)
        return re.compile(rb"(?:[^%b]*+(?:%b%b|%b))*+[^%b]*+" % (mark, begins, value, within, mark), re.DOTALL)

    def opened(self, text: bytes, *, inside: bool = False) -> int | None:
        """Where the quoted value begins that the text ends inside of; None when it ends outside of quotes.

        :param inside: whether the text begins inside of quotes; the place is then that in the text with one before it
        """
        text = self.quote.encode() + text if inside else text
        found = self._closed.match(text)
        end = 0 if found is None else found.end()
        return None if end == len(text) else end

    def opened_line(self, text: bytes) -> int | None:
        """The number of the line, from 1 on, in which that value begins."""
        place = self.opened(text)
        if place is None:
            return None
        before = text[:place]
        return 1 + (before.count(b"\n") or before.count(b"\r"))


def open_blocks(batches: Iterable[pa.RecordBatch], quoting: Quoting, lines: bool = False) -> Iterator[pa.RecordBatch]:
    """Tell of each block of files whether it ends inside quotes.

    :param batches: lines that hold a quote (no others open or close one), the path of their file and where their block
        starts in it; the lines of a block come one after the other
    :param lines: whether each line is a record by itself: a block then ends inside quotes when one of its lines does
    :return: rows of :data:`OPEN`
    """
    block: tuple[str, int] | None = None
    ends = (False, not lines)
    for batch in batches:
        for found, texts in _blocks(batch):
            if block not in (None, found):
                yield _row(block, ends)
                ends = (False, not lines)
            block = found
            if lines:
                ends = (any(ends) or any(quoting.opened(text) is not None for text in texts),) * 2
                continue
            text = b"\n".join(texts)
            after = [quoting.opened(text, inside=inside) is not None for inside in (False, True)]
            ends = (after[ends[0]], after[ends[1]])
    if block is not None:
        yield _row(block, ends)


def ends_inside(blocks: Iterable[tuple[int, bool, bool]]) -> bool:
    """Whether a file ends inside quotes.

    :param blocks: where each block starts, and whether it ends inside quotes when it begins outside, and inside
    """
    inside = False
    for _, from_outside, from_inside in sorted(blocks):
        inside = from_inside if inside else from_outside
    return inside


def _blocks(batch: pa.RecordBatch) -> Iterator[tuple[tuple[str, int], Sequence[bytes]]]:
    """The lines of each block in a batch."""
    lines, paths, starts = (batch.column(place) for place in range(3))
    codes = paths.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    places = starts.to_numpy(zero_copy_only=False)
    changes = np.flatnonzero((codes[1:] != codes[:-1]) | (places[1:] != places[:-1])) + 1
    edges = [0, *changes.tolist(), len(codes)]
    for first, last in pairwise(edges):
        if last > first:
            yield (paths[first].as_py(), int(places[first])), lines.slice(first, last - first).to_pylist()


def _row(block: tuple[str, int] | None, ends: tuple[bool, bool]) -> pa.RecordBatch:
    assert block is not None
    return pa.RecordBatch.from_pylist(
        [{"path": block[0], "start": block[1], "from_outside": ends[0], "from_inside": ends[1]}], schema=OPEN
    )
