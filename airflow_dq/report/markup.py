"""Markup is built as a tree, never by joining strings, so that data from a table cannot become markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

# Characters that no XML document may contain, and lone surrogates, which no file can.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """The text with every character that markup cannot carry replaced by U+FFFD."""
    return _ILLEGAL.sub("\ufffd", text)


def element(tag: str, *children: ET.Element | str | None, **attributes: str | float | None) -> ET.Element:
    """An element with text and element children in order; None children and attributes are left out.

    Attribute names are written with underscores for hyphens, ``class_`` for ``class``; numbers are rounded
    to a hundredth, which is finer than a screen shows.
    """
    node = ET.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            text = clean(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
            node.set(name.rstrip("_").replace("_", "-"), text)
    for child in children:
        if isinstance(child, str):
            _append_text(node, clean(child))
        elif child is not None:
            node.append(child)
    return node


def _append_text(node: ET.Element, text: str) -> None:
    if len(node):
        node[-1].tail = (node[-1].tail or "") + text
    else:
        node.text = (node.text or "") + text


def to_html(node: ET.Element) -> str:
    """The element as HTML text."""
    return ET.tostring(node, encoding="unicode", method="html")


def to_svg(node: ET.Element) -> str:
    """The element as a stand-alone SVG document."""
    node.set("xmlns", "http://www.w3.org/2000/svg")
    return ET.tostring(node, encoding="unicode", method="xml")
