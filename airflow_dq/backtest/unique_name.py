"""Is a column of this table, name and type unique?  Learned from the schemas of open-source projects.

Where data cannot say (few partitions, or an estimate of the number of values alone), a name can: ``order_id`` is a key
more often than ``amount`` (Schelter et al., VLDB 2018, section 4.2).  ``tests/benchmark/unique_name`` trains the
weights.
"""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

SIZE = 2**14
"""Weights; twice as many have the same AUC in cross validation."""
LONGEST = 5
"""Characters of the longest n-gram, as in the paper."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def probability(table: str, column: str, kind: str) -> float:
    """How likely a column is unique by its name.

    :param table: name of the table or dataset
    :param kind: ``numeric``, ``string``, ``boolean``, ``timestamp`` or another kind of column
    """
    weights, intercept = _weights()
    return 1.0 / (1.0 + math.exp(-float(weights[features(table, column, kind)].sum()) - intercept))


def features(table: str, column: str, kind: str) -> NDArray[np.int64]:
    """Places of the weights that count: of n-grams of the column, of words of the table, and of the kind."""
    return np.unique(np.fromiter((zlib.crc32(one.encode()) % SIZE for one in _features(table, column, kind)), np.int64))


def _features(table: str, column: str, kind: str) -> Iterator[str]:
    name, of = "_".join(_words(column)), _words(table)
    yield f"kind:{kind}"
    yield f"name:{name}"
    yield f"kind:{kind} name:{name}"
    bounded = f"^{name}$"
    for length in range(1, LONGEST + 1):
        yield from (f"gram:{bounded[place : place + length]}" for place in range(len(bounded) - length + 1))
    yield from (f"table:{word}" for word in of)
    # "order_id" of "orders" is what "id" is; of "lines" it is not.
    singular = {word.removesuffix("s") for word in of} | {"_".join(of).removesuffix("s")}
    own = [word for word in _words(column) if word.removesuffix("s") not in singular]
    if len(own) < len(_words(column)):
        yield f"own:{'_'.join(own)}"


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


@cache
def _weights() -> tuple[NDArray[np.float64], float]:
    found = json.loads(files(__package__).joinpath("unique_name.json").read_text(encoding="ascii"))
    weights = np.frombuffer(base64.b64decode(found["weights"]), np.int8).astype(np.float64)
    return weights * float(found["scale"]), float(found["intercept"])
