"""``python -m tests.benchmark.unique_name NAME=FOLDER ...``: train the weights that tell unique columns by their names.

Each FOLDER holds the installed files of one package (``pip install --target FOLDER --no-deps PACKAGE``).  Cross
validation is grouped by package: a name is never judged by other tables of the same authors.
"""

from __future__ import annotations

import argparse
import base64
import email.parser
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit, log_expit
from scipy.stats import rankdata

from airflow_dq.backtest.unique_name import SIZE, features
from tests.benchmark.unique_name.schema import Named, columns_of

FOLDS = 5
STRENGTH = 3.0
"""Of the penalty (squared weights); of 0.1, 0.3, 1, 3 and 10 the one with the largest grouped AUC without ``id``."""
Floats = NDArray[np.float64]


def main(given: Sequence[str] | None = None) -> None:
    """Extract, cross-validate, train on all, write the weights."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark.unique_name", description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="NAME=FOLDER", help="packages under a permissive licence")
    parser.add_argument("--strength", type=float, nargs="+", default=[STRENGTH], help="penalties to compare")
    parser.add_argument("--out", type=Path, help="the file of weights to write")
    arguments = parser.parse_args(given)
    packages = [(name, folder) for name, _, folder in (one.partition("=") for one in arguments.packages)]
    named = extract(packages)
    matrix, labels = matrix_of(named), np.array([one.unique for one in named])
    groups = np.array([one.source for one in named])
    plain = np.array([one.column.lower() != "id" for one in named])
    print(f"{len(named)} columns of {len(set(groups))} packages, {labels.mean():.1%} unique, {plain.sum()} but id")
    best: dict[float, tuple[float, float]] = {}
    for strength in arguments.strength:
        scores = cross_validated(matrix, labels, groups, strength)
        best[strength] = auc(scores, labels), auc(scores[plain], labels[plain])
        likely = (scores > 0) & plain
        print(
            f"strength {strength:g}: AUC {best[strength][0]:.3f}, without id {best[strength][1]:.3f}; of the names but "
            f"id with a probability above 0.5 {labels[likely].mean():.0%} are unique ({likely.sum()})"
        )
    if arguments.out is not None:
        strength = max(best, key=lambda one: best[one][1])
        weights = train(matrix, labels, strength)
        write(arguments.out, weights, named, provenance(packages, named), best[strength])


def extract(packages: Sequence[tuple[str, str]]) -> list[Named]:
    """Every column once: a table that several migrations touch has it as it was first."""
    found: dict[tuple[str, str, str], Named] = {}
    for name, folder in packages:
        for one in columns_of(Path(folder), name):
            key = (one.source, one.table.lower(), one.column.lower())
            # One that was made unique later is unique.
            if key not in found or one.unique:
                found[key] = one
    return list(found.values())


def matrix_of(named: Sequence[Named]) -> csr_matrix:
    """The features of each column, by row."""
    rows = [features(one.table, one.column, one.kind) for one in named]
    places = np.concatenate(rows)
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return csr_matrix((np.ones(len(places)), places, ends), shape=(len(rows), SIZE))


def train(matrix: csr_matrix, labels: NDArray[np.bool_], strength: float) -> Floats:
    """Logistic regression: the weights, and the intercept behind them."""
    signs = np.where(labels, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (matrix @ weights[:-1] + weights[-1])
        pull = -signs * expit(-margins)
        gradient = np.append(matrix.T @ pull + strength * weights[:-1], pull.sum())
        return float(-log_expit(margins).sum() + 0.5 * strength * np.sum(weights[:-1] ** 2)), gradient

    found = minimize(loss, np.zeros(SIZE + 1), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(found.x)


def cross_validated(matrix: csr_matrix, labels: NDArray[np.bool_], groups: NDArray[np.str_], strength: float) -> Floats:
    """The score of each column by weights that no column of its package had a part in."""
    sizes = {name: int((groups == name).sum()) for name in set(groups.tolist())}
    folds: list[list[str]] = [[] for _ in range(min(FOLDS, len(sizes)))]
    for name in sorted(sizes, key=lambda one: (-sizes[one], one)):
        min(folds, key=lambda fold: sum(sizes[one] for one in fold)).append(name)
    scores = np.zeros(len(labels))
    for fold in folds:
        out = np.isin(groups, fold)
        weights = train(matrix[~out], labels[~out], strength)
        scores[out] = matrix[out] @ weights[:-1] + weights[-1]
    return scores


def auc(scores: Floats, labels: NDArray[np.bool_]) -> float:
    """The chance that a unique column has a larger score than one that is not."""
    ranks, unique = rankdata(scores), int(labels.sum())
    return float((ranks[labels].sum() - unique * (unique + 1) / 2) / (unique * (len(labels) - unique)))


def provenance(packages: Sequence[tuple[str, str]], named: Sequence[Named]) -> dict[str, str]:
    """Version, licence and number of columns of each package; several may share a folder."""
    found = {}
    for name, folder in packages:
        said = []
        for path in sorted(Path(folder).glob("*.dist-info/METADATA")):
            head = email.parser.Parser().parsestr(path.read_text(encoding="utf-8"), headersonly=True)
            words = [one.rpartition(":: ")[2] for one in head.get_all("Classifier", []) if one.startswith("License ::")]
            # Some packages put all of a licence's text there.
            licence = head["License-Expression"] or ", ".join(words) or head["License"]
            said.append(f"{head['Name']} {head['Version']} ({licence.strip().splitlines()[0].strip()})")
        found[name] = f"{'; '.join(said)}: {sum(one.source == name for one in named)} columns"
    return found


def write(
    path: Path, weights: Floats, named: Sequence[Named], sources: dict[str, str], measured: tuple[float, float]
) -> None:
    """The weights in eight bits each, with where they come from."""
    scale = float(np.abs(weights[:-1]).max()) / 127
    packed = np.rint(weights[:-1] / scale).astype(np.int8)
    document = {
        "about": "logistic regression on hashed character n-grams of table and column names; no schema is in here",
        "sources": sources,
        "columns": len(named),
        "unique": round(float(np.mean([one.unique for one in named])), 4),
        "auc": round(measured[0], 3),
        "auc_without_id": round(measured[1], 3),
        "scale": scale,
        "intercept": float(weights[-1]),
        "weights": base64.b64encode(packed.tobytes()).decode("ascii"),
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
