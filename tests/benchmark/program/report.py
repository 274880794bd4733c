"""The tables as Markdown and JSON, and the figures as PNG."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.benchmark.program.latency import Latency
from tests.benchmark.program.outcome import Outcome

Rows = Mapping[str, Outcome]
"""Outcome by the setting's label."""
_HEAD = ("setting", "column FPR", "tables alarmed", "recall", "precision", "F1", "clauses")


def summary(rows: Rows) -> str:
    """One line per setting."""
    lines = [
        (
            label,
            f"{one.false_alarms:.4f}",
            f"{one.false_partitions:.3f}",
            f"{one.recall():.3f}",
            f"{one.precision():.3f}",
            f"{one.f1():.3f}",
            f"{one.clauses_per_column:.2f}",
        )
        for label, one in rows.items()
    ]
    return _table(_HEAD, lines)


def by_error(rows: Rows) -> str:
    """One line per type of error: precision and recall of each setting."""
    errors = sorted({error for one in rows.values() for error in one.injected})
    head = ("error", *(f"{label} {what}" for label in rows for what in ("precision", "recall")))
    lines = [
        (error, *(f"{value:.3f}" for one in rows.values() for value in (one.precision(error), one.recall(error))))
        for error in errors
    ]
    return _table(head, lines)


def latencies(found: Sequence[Latency]) -> str:
    """Milliseconds per column."""
    head = ("rows", "profile ms", "injected errors ms", "synthesis and evaluation ms")
    return _table(
        head,
        [
            (f"{one.rows:,}", *(f"{1000 * value:.1f}" for value in (one.profile, one.variants, one.judge)))
            for one in found
        ],
    )


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = "|".join("---" for _ in head)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, *lines)).replace("\n", f"\n|{rule}|\n", 1) + "\n"


def save_json(path: Path, figures: Mapping[str, Rows]) -> None:
    """All counts, for a later comparison."""
    content: dict[str, Any] = {
        name: {
            label: {**vars(one), "injected": dict(one.injected), "caught": dict(one.caught)}
            for label, one in rows.items()
        }
        for name, rows in figures.items()
    }
    path.write_text(json.dumps(content, indent=1))


def plot(folder: Path, figures: Mapping[str, Rows], latency: Sequence[Latency]) -> None:
    """One PNG per figure.

    :raises ModuleNotFoundError: when matplotlib is not installed
    """
    # Not an import statement: only those who want pictures have it.
    import_module("matplotlib").use("Agg")
    plt = import_module("matplotlib.pyplot")
    for name, rows in figures.items():
        drawing, axes = plt.subplots(figsize=(7, 4))
        if name.startswith("fig5"):
            _bars(axes, rows)
        else:
            for what in ("recall", "precision", "f1"):
                axes.plot(list(rows), [getattr(one, what)() for one in rows.values()], marker="o", label=what)
            axes.plot(list(rows), [one.false_alarms for one in rows.values()], marker="x", label="column FPR")
            axes.set_ylim(0.0, 1.02)
        _finish(drawing, axes, name, folder)
    if latency:
        drawing, axes = plt.subplots(figsize=(7, 4))
        for what in ("profile", "variants", "judge"):
            axes.loglog([one.rows for one in latency], [getattr(one, what) for one in latency], marker="o", label=what)
        axes.set_xlabel("rows")
        axes.set_ylabel("seconds per column")
        _finish(drawing, axes, "fig4_latency", folder)


def _bars(axes: Any, rows: Rows) -> None:
    errors = sorted({error for one in rows.values() for error in one.injected})
    width = 0.8 / max(1, len(rows))
    for place, (label, one) in enumerate(rows.items()):
        at = [i + place * width for i in range(len(errors))]
        axes.bar(at, [one.recall(error) for error in errors], width, label=f"{label}: recall")
        axes.plot(at, [one.precision(error) for error in errors], "k_", label=f"{label}: precision")
    axes.set_xticks(range(len(errors)), errors, rotation=45, ha="right")


def _finish(drawing: Any, axes: Any, name: str, folder: Path) -> None:
    axes.set_title(name)
    axes.tick_params(axis="x", labelrotation=30)
    axes.legend(fontsize="small")
    drawing.tight_layout()
    drawing.savefig(folder / f"{name}.png", dpi=110)
