"""A dataset's partitions as one strip of marks, oldest first: the week at a glance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element

from airflow_dq.report.markup import element
from airflow_dq.report.review.badge import alerts_words, tone, words
from airflow_dq.store.summary import PartitionSummary

Where = Callable[[PartitionSummary], str | None]
"""The address of a partition's page; None where the reader may not see it, or there is none."""


def strip(partitions: Sequence[PartitionSummary], where: Where, here: str | None = None) -> Element:
    """The strip, with the first and the last key below it.

    :param partitions: oldest first
    :param here: key of the partition that the page is about
    """
    marks = (
        element(
            "li",
            _mark(partition, where(partition)),
            class_="here" if partition.partition == here else None,
            aria_current="true" if partition.partition == here else None,
        )
        for partition in partitions
    )
    ends = (element("span", partitions[place].partition) for place in ((0, -1) if len(partitions) > 1 else (0,)))
    return element(
        "figure",
        element("ol", *marks, class_="strip", aria_label="Verdicts, oldest first"),
        element("figcaption", *ends, class_="keys") if partitions else None,
    )


def _mark(partition: PartitionSummary, address: str | None) -> Element:
    text = f"{partition.partition}: {words(partition.verdict, partition.severity, partition.decision)}"
    if partition.alert_count:
        text += f", {alerts_words(partition.alert_count)}"
    colour = tone(partition.verdict, partition.severity, partition.decision)
    if partition.decision is not None:
        colour += " decided"
    if address is None:
        return element("span", class_=colour, title=text, role="img", aria_label=text)
    return element("a", class_=colour, title=text, href=address, aria_label=text)


def legend() -> Element:
    """What the colours mean."""
    entries = (
        ("good", "passed"),
        ("bad", "failed"),
        ("warn", "warning"),
        ("wait", "warming up"),
        ("plain", "not judged"),
        ("good decided", "accepted"),
        ("bad decided", "rejected"),
    )
    keys = (element("span", element("i", class_=f"mark {name}"), text) for name, text in entries)
    return element("p", *keys, class_="legend", aria_hidden="true")
