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
    """CPU milliseconds per column."""
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


_STAGES = {"profile": "profile", "variants": "injected errors", "judge": "synthesis and evaluation"}
TITLES = {
    "fig4_latency": ("Latency by rows (as Fig. 4)", "rows"),
    "fig5_error_type": ("Recall and precision by type of error (as Fig. 5)", ""),
    "fig6_history": ("By length of the history (as Fig. 6)", "partitions"),
    "fig7_target": ("By target (as Fig. 7)", "target FPR of a column"),
    "fig8_single_distribution": ("Without two-distribution metrics (as Fig. 8)", ""),
    "fig9_clauses": ("By most clauses of a column (as Fig. 9)", "clauses"),
    "whole_table": ("One budget for the whole table", ""),
    "fig10_stationary": ("With and without forecasts (as Fig. 10)", ""),
}
"""Title and name of the horizontal axis of each figure."""


def plot(folder: Path, figures: Mapping[str, Rows], latency: Sequence[Latency]) -> None:
    """One PNG per figure.

    :raises ModuleNotFoundError: when matplotlib is not installed
    """
    # Not an import statement: only those who want pictures have it.
    import_module("matplotlib").use("Agg")
    plt = import_module("matplotlib.pyplot")
    for name, rows in figures.items():
        drawing, axes = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
        if name.startswith("fig5"):
            _bars(axes, rows)
        else:
            _lines(axes, rows, joined=len(rows) > 2)
        _finish(drawing, axes, name, folder)
    if latency:
        drawing, axes = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
        for what, label in _STAGES.items():
            seconds = [getattr(one, what) for one in latency]
            axes.loglog([one.rows for one in latency], seconds, marker="o", label=label)
        axes.set_ylabel("CPU seconds per column")
        _finish(drawing, axes, "fig4_latency", folder)


def _lines(axes: Any, rows: Rows, *, joined: bool) -> None:
    """Recall, precision and F1 on the left axis; false alarms, which are a hundred times smaller, on the right one."""
    style = "-" if joined else "none"
    for what in ("recall", "precision", "f1"):
        values = [getattr(one, what)() for one in rows.values()]
        axes.plot(list(rows), values, marker="o", linestyle=style, label=what)
    axes.set_ylabel("recall, precision, F1")
    axes.set_ylim(0.5, 1.01)
    axes.margins(x=0.05 if joined else 0.4)
    right = axes.twinx()
    false = [one.false_alarms for one in rows.values()]
    right.plot(list(rows), false, "rx", linestyle=style.replace("-", "--"), label="column FPR (right)")
    right.set_ylabel("column FPR")
    right.set_ylim(0.0, max(0.02, 1.2 * max(false)))
    # The legend is the left axis's: this makes the right one's line known to it.
    axes.plot([], [], "rx", linestyle=style.replace("-", "--"), label="column FPR (right)")


def _bars(axes: Any, rows: Rows) -> None:
    """A bar as high as the recall, with a stroke at the precision."""
    errors = sorted({error for one in rows.values() for error in one.injected})
    width = 0.8 / max(1, len(rows))
    for place, (label, one) in enumerate(rows.items()):
        at = [i + place * width for i in range(len(errors))]
        axes.bar(at, [one.recall(error) for error in errors], width, label=f"{label}: recall")
        last = place == len(rows) - 1
        axes.plot(at, [one.precision(error) for error in errors], "k_", label="precision" if last else None)
    axes.set_xticks([i + 0.4 - width / 2 for i in range(len(errors))], errors)
    axes.tick_params(axis="x", labelrotation=30)
    axes.set_ylim(0.0, 1.02)


def _finish(drawing: Any, axes: Any, name: str, folder: Path) -> None:
    title, along = TITLES[name]
    axes.set_title(title)
    axes.set_xlabel(along)
    axes.grid(axis="y", alpha=0.3)
    drawing.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")
    drawing.savefig(folder / f"{name}.png", dpi=110)
    import_module("matplotlib.pyplot").close(drawing)
