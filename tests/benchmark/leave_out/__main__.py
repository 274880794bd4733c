"""``python -m tests.benchmark.leave_out``: a parameter chosen on all datasets but one, judged on the one left out."""

from __future__ import annotations

import argparse
import sys
import time
from ast import literal_eval
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from airflow_dq.learn.history.history import History
from airflow_dq.profile import Profile
from airflow_dq.program import SynthesisOptions, evaluate, synthesize
from tests.benchmark.leave_out import source
from tests.benchmark.leave_out.choice import WORST, Counts, leave_one_out, pooled
from tests.benchmark.leave_out.source import Incident
from tests.benchmark.program.dataset import Dataset
from tests.benchmark.program.outcome import Outcome
from tests.benchmark.program.setting import PLAIN, Setting
from tests.benchmark.program.trial import run
from tests.benchmark.simulated import profiled
from tests.benchmark.simulated.table import HELD_OUT, TUNING


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each value on each dataset and print the tables; 1 when the choice does not carry over."""
    given = _parser().parse_args(arguments)
    start = time.time()
    options = replace(PLAIN, history=given.history, min_history=min(given.history, PLAIN.min_history))
    settings = [_setting(given.parameter, value, options) for value in given.values.split(";")]
    values = [one.label for one in settings]
    counts: dict[str, dict[str, Outcome]] = {}
    for dataset in _datasets(given):
        outcomes = {one.label: Outcome() for one in settings}
        run(dataset, [(one, outcomes[one.label]) for one in settings], given.points, given.history)
        if any(one.columns for one in outcomes.values()):
            counts[dataset.name] = outcomes
        print(f"{dataset.name}: {time.time() - start:.0f} s", file=sys.stderr, flush=True)
    holds = True
    if counts:
        holds = _print(counts, values, given.recall)
    if given.incidents is not None:
        print("## Incidents\n")
        found = list(source.incidents(given.incidents, given.corpus, given.cache, given.grade))
        for one in settings:
            print(_incidents(found, one))
    print(f"\n{time.time() - start:.0f} s.")
    return 0 if holds else 1


def _parser() -> argparse.ArgumentParser:
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.leave_out", description=__doc__)
    order.add_argument(
        "--parameter",
        required=True,
        help="what varies: a field of SynthesisOptions, or MODULE:NAME of a constant where it is used; several with +",
    )
    order.add_argument("--values", required=True, help="candidate values, as Python writes them, with semicolons")
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


def _setting(parameter: str, value: str, options: SynthesisOptions) -> Setting:
    """The package with one value of the parameter.

    :raises ValueError: when there is no such parameter
    """
    parsed: Any = literal_eval(value)
    if parameter in {field.name for field in fields(SynthesisOptions)}:
        return Setting(value, replace(options, **{parameter: parsed}))
    changes = []
    for place in parameter.split("+"):
        module, _, name = place.partition(":")
        owner = import_module(module) if name else None
        if not hasattr(owner, name):
            raise ValueError(f"{place!r} is neither a field of SynthesisOptions nor MODULE:NAME of a constant.")
        changes.append((owner, name, parsed))
    return Setting(value, options, tuple(changes))


def _print(counts: Counts, values: Sequence[str], recall: float | None) -> bool:
    """The figures of each value, of each dataset, and of the choice.

    :return: whether the left-out false alarms are not far above those of the choice on its own data
    """
    print("| value | column FPR | tables alarmed | recall | F1 |\n|---|---|---|---|---|")
    for value in values:
        print(f"| {value} | {_line(pooled(found[value] for found in counts.values()))} |")
    chosen, left = leave_one_out(counts, values, recall)
    print(
        "\n| left out | chosen by the others | column FPR | tables alarmed | recall | F1 |\n|---|---|---|---|---|---|"
    )
    for one in left:
        print(f"| {one.dataset} | {one.value} | {_line(one.here)} |")
    inside, outside = pooled(one.own for one in left), pooled(one.here for one in left)
    print("\n| | column FPR | tables alarmed | recall | F1 |\n|---|---|---|---|---|")
    print(f"| in-sample ({chosen}) | {_line(inside)} |\n| left out | {_line(outside)} |\n")
    picked = Counter(one.value for one in left)
    print("Chosen: " + ", ".join(f"{value} ({count} times)" for value, count in picked.most_common()) + ".\n")
    return outside.false_alarms <= WORST * inside.false_alarms or outside.column_alarms == inside.column_alarms


def _line(one: Outcome) -> str:
    return f"{one.false_alarms:.4f} | {one.false_partitions:.3f} | {one.recall():.3f} | {one.f1():.3f}"


def _incidents(found: Sequence[Incident], setting: Setting) -> str:
    """The four counts, over all incidents and by dataset: the whole table is judged."""
    counts: dict[str, Counter[str]] = {}
    with setting.applied():
        for one in found:
            history = History.of(one.history)
            program = synthesize(history, replace(setting.options, scope="partition"))
            bad, fixed = (_alarms(program, version, history) for version in (one.bad, one.fixed))
            right = bool(bad & (one.columns | {""}) or bad - fixed)
            count = counts.setdefault(one.dataset, Counter())
            count.update(bad=1, caught=bool(bad), right=bool(bad) and right)
            count.update(fixed=one.fixed is not None, flagged=bool(fixed))
    total = sum(counts.values(), Counter[str]())
    return "\n".join(_incident(name, count, setting) for name, count in [*sorted(counts.items()), ("all", total)])


def _incident(name: str, count: Counter[str], setting: Setting) -> str:
    caught = f"{count['caught']} of {count['bad']} caught, {count['right']} for the right reason"
    return f"- {setting.label}, {name}: {caught}; {count['flagged']} of {count['fixed']} corrected versions flagged"


def _alarms(program: Any, version: Profile | str | None, history: History) -> set[str]:
    """The columns that alarm; ``(table)`` for the table, the empty text for what every check notices."""
    if version is None:
        return set()
    if isinstance(version, str):
        return {""}
    findings = evaluate(program, version, history).findings
    return {name for one in findings for name in (one.scope.columns or ("(table)",))}


if __name__ == "__main__":
    sys.exit(main())
