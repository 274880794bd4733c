"""What all pages have in common: head, way back, title."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from airflow_dq.report.markup import element, to_html
from airflow_dq.report.review.address import Addresses

Crumb = tuple[str, str]
"""Words and address of a step on the way back."""


def render(
    addresses: Addresses,
    title: str,
    *content: Element | None,
    crumbs: Sequence[Crumb] = (),
    heading: Sequence[Element | str] = (),
    lede: Sequence[Element | str] = (),
) -> str:
    """A whole page.

    :param title: what the browser's tab says, and the page's heading unless ``heading`` is given
    :param content: the parts below the heading
    :param crumbs: the way back, outermost first
    :param lede: the sentence below the heading
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title} · Data quality"),
        element("link", rel="stylesheet", href=addresses.static("review.css")),
        # Not deferred: it sets the theme before anything is painted.
        element("script", src=addresses.static("review.js")),
    )
    body = element(
        "body",
        element("a", "Skip to content", class_="skip", href="#content"),
        element(
            "header",
            _crumbs(crumbs),
            element("h1", *(heading or [title])),
            element("p", *lede, class_="lede") if lede else None,
        ),
        element("main", *content, id="content", tabindex="-1"),
    )
    return "<!DOCTYPE html>\n" + to_html(element("html", head, body, lang="en", class_="review")) + "\n"


def _crumbs(crumbs: Sequence[Crumb]) -> Element | None:
    if not crumbs:
        return None
    steps = (element("li", element("a", words, href=address)) for words, address in crumbs)
    return element("nav", element("ol", *steps), class_="crumbs", aria_label="Breadcrumb")
