"""What is said of a column whose values break its pattern: how many, which, and what was seen before."""

from __future__ import annotations

import pyarrow as pa

from airflow_dq.explain.exception_cause import cause_of
from airflow_dq.explain.wording import beside, listed, past_words, share_words
from airflow_dq.learn.constraint.base import Finding
from airflow_dq.learn.constraint.pattern import BROKEN, Conforming
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.profile.check.learned import answer_rule
from airflow_dq.states.text_sample import TextSample
from airflow_dq.visible import visible


def exception_words(constraint: Conforming, finding: Finding, partition: PartitionView) -> str:
    """``3.00% of the values (30 of 1,000) do not look like ORD-<digit>{7}: 'X-1' (20), 'X-2' (10); ...``."""
    share = finding.observed if isinstance(finding.observed, float) else 0.0
    measured = answer_rule(constraint.learned, partition.profile)
    values = f"{finding.rows:,} of {measured.denominator:,}" if measured and measured.denominator else f"{finding.rows}"
    shown = f": {listed(finding.examples)}" if finding.examples else ""
    rule = constraint.pattern
    trained = rule.nonconforming if finding.seen == BROKEN else rule.unusual
    before = f"{trained:,} of the {rule.values:,} values that it was learned from did not"
    count = len(constraint.learned.partitions)
    usual = "" if finding.upper is None else f"; expected at most {share_words(finding.upper)}"
    return visible(
        f"{share_words(share)} of the values ({values}) do not look like {finding.expected}{shown}{usual}; {before} "
        f"({past_words(count)})."
    )


def exception_cause(constraint: Conforming, partition: PartitionView) -> str | None:
    """The nearest cause; None where there is none, or where the values are hidden."""
    (name,) = constraint.scope.columns
    measured = answer_rule(constraint.learned, partition.profile)
    if measured is None or not measured.examples or partition.profile.options.hides(name):
        return None
    return cause_of(constraint.pattern, name, measured.examples, _usual(constraint, partition))


def looks_words(constraint: Conforming, partition: PartitionView) -> str | None:
    """``: a new prefix '00', such as '001002', usually like '1002'``; None where no value may be shown."""
    (name,) = constraint.scope.columns
    measured, usual = answer_rule(constraint.learned, partition.profile), _usual(constraint, partition)
    if measured is None or not measured.examples or usual is None or partition.profile.options.hides(name):
        return None
    cause = cause_of(constraint.pattern, name, measured.examples, usual)
    now = measured.examples[0][0]
    shown, was = beside(now, usual)
    said = "" if cause is None else f": {cause}"
    return f"{said}, such as {shown}, usually like {was}"


def _usual(constraint: Conforming, partition: PartitionView) -> str | None:
    """A value of the newest past partition that conforms."""
    (name,), newest = constraint.scope.columns, partition.history.newest
    column = None if newest is None else newest.columns.get(name)
    texts = None if column is None else column.states.get(TextSample.key)
    if not isinstance(texts, TextSample) or not len(texts.values):
        return None
    values: pa.LargeStringArray = texts.values
    conforming = constraint.pattern.conforming(values).to_pylist()
    return next((str(values[place]) for place, right in enumerate(conforming) if right), None)
