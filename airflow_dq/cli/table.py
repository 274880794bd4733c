"""Plain text tables."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_dq.visible import visible


def render(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns as wide as their widest cell; None is shown as a dash, numbers stand on the right."""
    cells = [list(head), *([_text(value) for value in row] for row in rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(head))]
    numeric = [bool(rows) and all(isinstance(row[n], int | None) for row in rows) for n in range(len(head))]
    lines = (
        "  ".join(
            cell.rjust(w) if right else cell.ljust(w) for cell, w, right in zip(row, widths, numeric, strict=True)
        )
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def _text(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else visible(str(value))
