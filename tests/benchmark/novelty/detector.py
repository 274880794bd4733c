"""What is compared: ours and the published one through the package, the paper's other six from PyOD or scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airflow_dq.novelty import NoveltyOptions, detect_novelty
from airflow_dq.novelty.average_knn import CONTAMINATION, NEIGHBOURS, scaled_by_history, statistics
from airflow_dq.profile.model import Profile

Judge = Callable[[Sequence[Profile], Profile], bool]
"""Whether a partition is novel, by the profiles that it follows."""
OWN = ("calibrated", "average-knn")
OTHERS = ("kNN", "one-class SVM", "isolation forest", "HBOS", "ABOD", "FBLOF")
_WHERE = "Make an environment of its own: uv venv ENV && uv pip install --python ENV -e . pyod scikit-learn matplotlib"


class MissingLibraryError(RuntimeError):
    """A library that only a detector of the paper needs is not installed."""


def judge(name: str) -> Judge:
    """The detector of this name.

    :raises MissingLibraryError: when its library is not installed
    """
    if name in OWN:
        options = NoveltyOptions(method=name)  # type: ignore[arg-type]
        return lambda history, profile: detect_novelty(history, profile, options).novel
    return partial(_by_vector, _others(name))


def _by_vector(make: Callable[[], Any], history: Sequence[Profile], profile: Profile) -> bool:
    """The published statistics, scaled as published, judged by another detector, which learns its own threshold."""
    _, rows = statistics((*history, profile), NoveltyOptions())
    scaled: NDArray[np.float64] = scaled_by_history(rows)
    model = make()
    model.fit(scaled[:-1])
    answer = model.predict(scaled[-1:])[0]
    # PyOD says 1, scikit-learn -1.
    return bool(answer == (1 if type(model).__module__.startswith("pyod") else -1))


def _others(name: str) -> Callable[[], Any]:
    try:
        if name == "one-class SVM":
            from sklearn.svm import OneClassSVM

            return partial(OneClassSVM, nu=CONTAMINATION, gamma="scale")
        from pyod.models.abod import ABOD
        from pyod.models.feature_bagging import FeatureBagging
        from pyod.models.hbos import HBOS
        from pyod.models.iforest import IForest
        from pyod.models.knn import KNN
    except ImportError as error:
        raise MissingLibraryError(f"{name} needs PyOD and scikit-learn: {error}. {_WHERE}") from None
    made: dict[str, Callable[[], Any]] = {
        "kNN": partial(KNN, n_neighbors=NEIGHBOURS, contamination=CONTAMINATION),
        "isolation forest": partial(IForest, contamination=CONTAMINATION, random_state=0),
        "HBOS": partial(HBOS, contamination=CONTAMINATION),
        "ABOD": partial(ABOD, contamination=CONTAMINATION),
        "FBLOF": partial(FeatureBagging, contamination=CONTAMINATION, random_state=0),
    }
    return made[name]
