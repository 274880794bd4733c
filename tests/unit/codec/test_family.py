"""Open families: fields of an abstract class, on toy classes that no list knows."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import pytest

from airflow_dq.codec import from_builtins, from_json, polymorphic, to_builtins, to_json
from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import MetricValue


class Shape(ABC):
    """What fields are annotated with."""

    family: ClassVar[str]

    @abstractmethod
    def area(self) -> float:
        """Something abstract."""


class Unit(StrEnum):
    METRE = "m"
    FOOT = "ft"


@dataclass(frozen=True, slots=True)
class Measure:
    length: float
    unit: Unit = Unit.METRE


@dataclass(frozen=True, slots=True)
class Square(Shape):
    family: ClassVar[str] = "square"
    side: Measure
    sides: tuple[Measure, ...] = ()

    def area(self) -> float:
        return self.side.length**2


@dataclass(frozen=True, slots=True)
class Circle(Shape):
    family: ClassVar[str] = "circle"
    radius: float
    observed: MetricValue | None = None

    def __post_init__(self) -> None:
        if self.radius < 0:
            raise ConfigurationError(f"Circle(radius={self.radius}) is impossible: give 0 or more.")

    def area(self) -> float:
        return math.pi * self.radius**2


@dataclass(frozen=True, slots=True)
class Group(Shape):
    family: ClassVar[str] = "group"
    members: tuple[Shape, ...]
    best: Shape | None = None

    def area(self) -> float:
        return sum(one.area() for one in self.members)


@dataclass(frozen=True, slots=True)
class Drawing:
    format: ClassVar[str] = "drawing/2"
    shapes: tuple[Shape, ...]
    named: Mapping[str, Shape]
    origin: tuple[float, float] = (0.0, 0.0)


def shapes() -> dict[str, type]:
    return {kind.family: kind for kind in Shape.__subclasses__() if "family" in vars(kind)}


polymorphic(Shape, shapes)

SQUARE = Square(Measure(2.0, Unit.FOOT), (Measure(1.0),))
CIRCLE = Circle(1.0, Reason.NO_VALUES)
DRAWING = Drawing((SQUARE, CIRCLE, Group((CIRCLE, Group((SQUARE,), SQUARE)))), {"a.b": CIRCLE}, (1.0, 2.0))


def test_each_value_says_its_family() -> None:
    written = to_builtins(DRAWING)
    assert written["format"] == "drawing/2"
    assert [one["family"] for one in written["shapes"]] == ["square", "circle", "group"]
    assert written["shapes"][0]["side"] == {"length": 2.0, "unit": "ft"}
    assert written["named"]["a.b"] == {"family": "circle", "radius": 1.0, "observed": {"reason": "no values"}}


def test_families_survive_nested_in_each_other() -> None:
    assert from_json(Drawing, to_json(DRAWING)) == DRAWING
    assert from_builtins(Drawing, json.loads(to_json(DRAWING))) == DRAWING


def test_a_value_of_the_base_class_survives_alone() -> None:
    assert from_builtins(Shape, {"family": "circle", "radius": 1, "observed": 2}) == Circle(1.0, 2.0)  # type: ignore[type-abstract]


def test_a_class_that_came_later_is_found() -> None:
    @dataclass(frozen=True, slots=True)
    class Dot(Shape):
        family: ClassVar[str] = "dot"

        def area(self) -> float:
            return 0.0

    drawing = Drawing((Dot(),), {})
    assert to_builtins(drawing)["shapes"] == [{"family": "dot"}]
    assert from_json(Drawing, to_json(drawing)) == drawing


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"family": "hexagon"},
            r"Drawing\.shapes\[2\]\.members\[1\]\.members\[0\]\.family: 'hexagon' is not one of",
        ),
        ({"family": ["square"]}, r"\.members\[0\]\.family: \['square'\] is not one of"),
        ({"side": {"length": "x", "unit": "m"}}, r"\.members\[0\]\.side\.length: 'x' is not a finite number"),
        ({"side": {"length": math.nan, "unit": "m"}}, r"\.members\[0\]\.side\.length: nan is not a finite number"),
        ({"side": {"length": 1, "unit": "inch"}}, r"\.members\[0\]\.side\.unit: 'inch' is not one of m, ft"),
        ({"color": 1}, r"\.members\[0\]: Object contains unknown field `color`"),
    ],
)
def test_a_mistake_deep_inside_is_named(change: dict[str, Any], message: str) -> None:
    written = to_builtins(DRAWING)
    written["shapes"][2]["members"][1]["members"][0].update(change)
    with pytest.raises(CodecError, match=message):
        from_builtins(Drawing, written)


def test_what_a_model_refuses_is_named() -> None:
    written = to_builtins(DRAWING)
    written["named"]["a.b"]["radius"] = -1.0
    for read in (lambda: from_builtins(Drawing, written), lambda: from_json(Drawing, json.dumps(written))):
        with pytest.raises(CodecError, match=r"Drawing\.named\['a\.b'\]: Circle\(radius=-1\.0\) is impossible"):
            read()


def test_a_value_of_no_family_is_not_written() -> None:
    with pytest.raises(CodecError, match=r"Drawing\.shapes\[0\]: 5 is of no known family"):
        to_builtins(Drawing((5,), {}))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["null", "[]", "1", '{"format": "drawing/1"}', '{"shapes": [], "named": {}}'])
def test_another_document_is_refused(text: str) -> None:
    with pytest.raises(CodecError, match="Drawing"):
        from_json(Drawing, text)
