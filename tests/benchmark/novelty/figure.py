"""The paper's figures as SVG files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def draw(tables: Mapping[str, Rows], folder: Path) -> Iterator[str]:
    """Draw what there is; say which files were written."""
    try:
        import matplotlib
    except ImportError as error:
        yield f"no plots: {error}. Install matplotlib in an environment of its own."
        return
    matplotlib.use("svg")
    bars = {"table 1": ("error", "auc"), "figure 2": ("data", "auc")}
    for name, (across, value) in bars.items():
        if tables[name]:
            yield _bars(tables[name], across, value, folder / f"{name.replace(' ', '-')}.svg")
    for name, across in (("figure 3", "magnitude"), ("figure 4", "period")):
        if tables[name]:
            yield _lines(tables[name], across, folder / f"{name.replace(' ', '-')}.svg")
    if tables["figure 5"]:
        yield _scatter(tables["figure 5"], folder / "figure-5.svg")


def _names(rows: Rows, key: str) -> list[Any]:
    return list(dict.fromkeys(row[key] for row in rows))


def _bars(rows: Rows, across: str, value: str, path: Path) -> str:
    from matplotlib import pyplot

    groups, series = _names(rows, across), _names(rows, "detector")
    figure, axes = pyplot.subplots(figsize=(10, 4))
    for place, name in enumerate(series):
        heights = {row[across]: row[value] for row in rows if row["detector"] == name}
        at = [group + (place - len(series) / 2) * 0.8 / len(series) for group in range(len(groups))]
        axes.bar(at, [heights.get(group, 0.0) for group in groups], 0.8 / len(series), label=name)
    axes.set_xticks(range(len(groups)), [str(group) for group in groups])
    axes.set(ylabel="ROC AUC", ylim=(0, 1))
    axes.legend(fontsize=7)
    return _written(figure, path)


def _lines(rows: Rows, across: str, path: Path) -> str:
    from matplotlib import pyplot

    rows = [row for row in rows if row["detector"] in ("calibrated", "average-knn")]
    data, series = _names(rows, "data"), _names(rows, "detector")
    figure, grid = pyplot.subplots(
        len(series), len(data), figsize=(3.2 * len(data), 3 * len(series)), sharey=True, squeeze=False
    )
    for down, name in enumerate(series):
        for right, one in enumerate(data):
            axes = grid[down][right]
            axes.set(title=f"{one}, {name}", xlabel=across, ylim=(0.4, 1.02))
            mine = [row for row in rows if row["data"] == one and row["detector"] == name]
            for error in _names(mine, "error"):
                points = [(row[across], row["auc"]) for row in mine if row["error"] == error]
                axes.plot(*zip(*sorted(points), strict=True), marker=".", label=error)
    grid[0][0].legend(fontsize=7)
    return _written(figure, path)


def _scatter(rows: Rows, path: Path) -> str:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 5))
    for name in _names(rows, "detector"):
        mine = [row for row in rows if row["detector"] == name]
        error = sum((row["auc"] - row["best alone"]) ** 2 for row in mine) / len(mine)
        axes.scatter(
            [row["best alone"] for row in mine], [row["auc"] for row in mine], s=12, label=f"{name}, MSE {error:.3f}"
        )
    axes.plot([0.4, 1], [0.4, 1], linewidth=0.8, color="grey")
    axes.set(xlabel="AUC of the better one of two errors", ylabel="AUC of both together")
    axes.legend(fontsize=7)
    return _written(figure, path)


def _written(figure: Any, path: Path) -> str:
    from matplotlib import pyplot

    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
    return f"wrote {path}"
