"""``python -m tests.benchmark.leave_out``: constants chosen on all datasets but one, judged on the one left out."""

from __future__ import annotations

import argparse
import sys
import time
from ast import literal_eval
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from airflow_dq.learn.history.history import History
from airflow_dq.program import SynthesisOptions
from tests.benchmark.leave_out import source
from tests.benchmark.leave_out.choice import WORST, leave_one_out, pooled
from tests.benchmark.leave_out.incident import Told, judge
from tests.benchmark.leave_out.source import Incident
from tests.benchmark.program.dataset import Dataset
from tests.benchmark.program.outcome import Outcome
from tests.benchmark.program.setting import PLAIN, Setting
from tests.benchmark.program.trial import run
from tests.benchmark.simulated import profiled
from tests.benchmark.simulated.table import HELD_OUT, TUNING


@dataclass
class Measured:
    """One setting and what it came to."""

    setting: Setting
    counts: dict[str, Outcome] = field(default_factory=dict)
    """By dataset."""
    told: Told = field(default_factory=Told)
    """Of all incidents."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each value on each dataset and print the tables; 1 when a choice does not carry over."""
    given = _parser().parse_args(arguments)
    start = time.time()
    options = replace(PLAIN, history=given.history, min_history=min(given.history, PLAIN.min_history))
    measured: list[Measured] = []
    choices = {
        parameter: {value: measured_of(setting_of(parameter, value, options), measured) for value in values.split(";")}
        for parameter, values in given.parameter
    }
    for dataset in _datasets(given):
        several = [(one.setting, one.counts.setdefault(dataset.name, Outcome())) for one in measured]
        run(dataset, several, given.points, given.history)
        print(f"{dataset.name}: {time.time() - start:.0f} s", file=sys.stderr, flush=True)
    for incident in _incidents(given):
        # Under its table's name: who leaves that out has not seen its incidents either.
        past = History.of(incident.history)
        for one in measured:
            with one.setting.applied():
                judge(incident, past, one.setting.options, one.counts.setdefault(incident.dataset, Outcome()), one.told)
        print(f"{incident.dataset} {incident.key}: {time.time() - start:.0f} s", file=sys.stderr, flush=True)
    holds = [_print(parameter, values, given.recall) for parameter, values in choices.items()]
    print(f"{time.time() - start:.0f} s.")
    return 0 if all(holds) else 1


def _parser() -> argparse.ArgumentParser:
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.leave_out", description=__doc__)
    order.add_argument(
        "--parameter",
        nargs=2,
        action="append",
        required=True,
        metavar=("NAME", "VALUES"),
        help="what varies, again for each: a field of SynthesisOptions, or MODULE:NAME of a constant where it is used "
        "(several with +); and its values, as Python writes them, with semicolons",
    )
    order.add_argument("--corpus", type=Path, help="folder of real datasets")
    order.add_argument("--incidents", type=Path, help="folder of documented incidents in them")
    order.add_argument("--grade", default="batch-level", help="of the incidents, or all (default %(default)s)")
    order.add_argument("--simulated", type=int, default=0, help="simulated tables (default %(default)s)")
    order.add_argument("--held-out", action="store_true", help="of the seeds that are not looked at while tuning")
    order.add_argument("--days", type=int, default=75, help="partitions of a simulated table (default %(default)s)")
    order.add_argument("--columns", type=int, default=8, help="columns of a dataset (default %(default)s)")
    order.add_argument("--points", type=int, default=8, help="partitions judged of each; 0: incidents only")
    order.add_argument("--history", type=int, default=30, help="partitions before them (default %(default)s)")
    order.add_argument("--recall", type=float, help="choose the fewest false alarms at this recall (default: best F1)")
    order.add_argument("--cache", type=Path, default=profiled.CACHE, help="folder of profiles (default %(default)s)")
    return order


def _datasets(given: argparse.Namespace) -> Iterator[Dataset]:
    if not given.points:
        return
    if given.corpus is not None:
        yield from source.real(given.corpus, given.columns, given.cache)
    seeds = (HELD_OUT if given.held_out else TUNING)[: given.simulated]
    yield from source.simulated(seeds, given.days, given.columns, given.cache)


def _incidents(given: argparse.Namespace) -> Iterator[Incident]:
    if given.incidents is not None:
        yield from source.incidents(given.incidents, given.corpus, given.cache, given.grade)


def setting_of(parameter: str, value: str, options: SynthesisOptions) -> Setting:
    """The package with one value of the parameter.

    :raises ValueError: when there is no such parameter
    """
    parsed: Any = literal_eval(value)
    if parameter in {one.name for one in fields(SynthesisOptions)}:
        return Setting(value, replace(options, **{parameter: parsed}))
    changes = []
    for place in parameter.split("+"):
        module, _, name = place.partition(":")
        owner = import_module(module) if name else None
        if not hasattr(owner, name):
            raise ValueError(f"{place!r} is neither a field of SynthesisOptions nor MODULE:NAME of a constant.")
        if getattr(owner, name) != parsed:
            changes.append((owner, name, parsed))
    return Setting(value, options, tuple(changes))


def measured_of(setting: Setting, known: list[Measured]) -> Measured:
    """Where a setting is counted: the package as it is, which every parameter has among its values, only once."""
    for one in known:
        if replace(one.setting, label=setting.label) == setting:
            return one
    known.append(Measured(setting))
    return known[-1]


def _print(parameter: str, values: dict[str, Measured], recall: float | None) -> bool:
    """The figures of each value, and of the choices of all datasets and of all but one.

    :return: whether the left-out false alarms are not far above those of the choice on its own data
    """
    print(f"## {parameter}\n")
    print("| value | column FPR | tables alarmed | recall | F1 | incidents |\n|---|---|---|---|---|---|")
    for value, one in values.items():
        print(f"| {value} | {_line(pooled(one.counts.values()))} | {one.told} |")
    names = next(iter(values.values())).counts
    counts = {name: {value: one.counts[name] for value, one in values.items()} for name in names}
    chosen, left = leave_one_out(counts, list(values), recall)
    inside, outside = pooled(one.own for one in left), pooled(one.here for one in left)
    print(f"| all choose {chosen} | {_line(inside)} | |\n| left out | {_line(outside)} | |")
    for one in left:
        if one.value != chosen:
            print(f"| without {one.dataset}: {one.value} | {_line(one.here)} (with {chosen}: {_line(one.own)}) | |")
    print()
    return outside.false_alarms <= WORST * inside.false_alarms


def _line(one: Outcome) -> str:
    return f"{one.false_alarms:.4f} | {one.false_partitions:.3f} | {one.recall():.3f} | {one.f1():.3f}"


if __name__ == "__main__":
    sys.exit(main())
