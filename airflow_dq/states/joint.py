"""Two sketches of numbers over the cells that both know: all that their distances and quantiles need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.cell import Cells
from airflow_dq.states.grid import COARSEST, grid_edges, grid_level, log_edges
from airflow_dq.states.sketch import NumberSketch

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


def sketched_cells(now: NumberSketch, before: NumberSketch) -> Cells:
    """The cells between all edges that both know, with the heavy hitters of either as cells of no width.

    The logarithmic edges are those of the coarser histogram, and so are the grid's.
    """
    cells = _cells(now, before, max(now.log_level, before.log_level))
    heavy = np.union1d(now.heavy.values.to_numpy(), before.heavy.values.to_numpy())
    return _with_points(cells, heavy, [_counts_at(heavy, sketch) for sketch in (now, before)]) if len(heavy) else cells


def comparable_cells(now: NumberSketch, before: NumberSketch) -> Cells:
    """Cells of a resolution that does not depend on how many values there are.

    For distances that grow with the number of cells: they would take a finer or coarser sketch for drift.
    """
    return _cells(now, before, COARSEST)


def _cells(now: NumberSketch, before: NumberSketch, fine: int) -> Cells:
    low, high = min(now.low, before.low), max(now.high, before.high)
    level = grid_level(low, high)
    sides = (now,) if now is before else (now, before)
    logs, grids = [side.log_at(fine) for side in sides], [side.at(level) for side in sides]
    log_bins, grid_bins = (_edge_keys(*(part.keys for part in parts)) for parts in (logs, grids))
    edges = np.concatenate([log_edges(log_bins, fine), grid_edges(grid_bins, level)])
    order = np.argsort(edges, kind="stable")
    edges = np.clip(edges[order], low, high)
    counts = [
        np.diff(np.concatenate([log.below(log_bins), grid.below(grid_bins)])[order])
        for log, grid in zip(logs, grids, strict=True)
    ]
    after, earlier = counts[0], counts[-1]
    occupied = (after > 0) | (earlier > 0)
    lower, upper = edges[:-1][occupied], edges[1:][occupied]
    # Zero is a bin of its own, and so is a float up to the next one: values, not cells.
    single = (lower == 0.0) | (upper <= np.nextafter(lower, np.inf))
    upper[single] = lower[single]
    return Cells(lower, upper, after[occupied], earlier[occupied])


def _edge_keys(*keys: Integers) -> Integers:
    # Sorted runs: to sort them is much quicker than to hash them, as np.unique does.
    edges = np.sort(np.concatenate([*keys, *(side + 1 for side in keys)]), kind="stable")
    return edges[np.append(True, edges[1:] != edges[:-1])] if len(edges) else edges


def _counts_at(values: Floats, sketch: NumberSketch) -> Integers:
    """How often the sketch's heavy hitters occur, by value; 0 for a value that is none of them."""
    counts = np.zeros(len(values), np.int64)
    np.add.at(counts, np.searchsorted(values, sketch.heavy.values.to_numpy()), sketch.heavy.counts)
    return counts


def _with_points(cells: Cells, points: Floats, masses: list[Integers]) -> Cells:
    """The cells, each cut at the points that lie in it; what is not at a point lies evenly between them."""
    home = np.searchsorted(cells.lower, points, side="right") - 1
    # Each cell becomes the pieces between its points, and each point a piece of its own.
    lower = np.concatenate([cells.lower, points, points])
    origin = np.concatenate([np.arange(len(cells.lower)), home, home])
    role = np.repeat([0, 1, 2], [len(cells.lower), len(points), len(points)])
    order = np.lexsort([role, lower, origin])
    lower, origin, point = lower[order], origin[order], role[order] == 1
    last = np.append(origin[1:] != origin[:-1], True)
    upper = np.where(point, lower, np.where(last, cells.upper[origin], np.append(lower[1:], 0.0)))
    sides = []
    for counts, mass in zip((cells.now, cells.before), masses, strict=True):
        taken = np.zeros(len(counts), np.int64)
        np.add.at(taken, home, mass)
        sides.append(_spread(np.maximum(counts - taken, 0), lower, upper, origin, mass, point))
    kept = (sides[0] > 0) | (sides[1] > 0)
    return Cells(lower[kept], upper[kept], sides[0][kept], sides[1][kept])


def _spread(left: Integers, lower: Floats, upper: Floats, origin: Integers, mass: Integers, point: Mask) -> Integers:
    """Whole counts by piece: a point has its mass, the other pieces of a cell share what is left by their widths."""
    # Quarters: the width of the widest cell is still a float.
    width = np.where(point, 0.0, upper / 4 - lower / 4)
    reached = np.cumsum(width)
    begins = np.flatnonzero(np.append(True, origin[1:] != origin[:-1]))
    start = (reached - width)[begins][origin]
    whole = np.bincount(origin, width, len(left))[origin]
    # What a cell of no width has left is at its end, which is its beginning.
    share = np.where(whole > 0.0, (reached - start) / np.where(whole > 0.0, whole, 1.0), 0.0)
    share[np.append(begins[1:], len(origin)) - 1] = 1.0
    ends = (np.cumsum(left) - left)[origin] + np.floor(np.clip(share, 0.0, 1.0) * left[origin] + 0.5).astype(np.int64)
    counts: Integers = np.diff(ends, prepend=0)
    counts[point] += mass
    return counts
