"""SVG is built as a tree, never by joining strings, so that data from a table cannot become markup."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from markupsafe import Markup

from airflow_dq.report.words import clean


def element(tag: str, *children: ET.Element | str, **attributes: str | float) -> ET.Element:
    """An element whose children are elements or, for one with text alone, a string.

    Attribute names are written with underscores for hyphens, ``class_`` for ``class``; numbers are rounded
    to a hundredth, which is finer than a screen shows.
    """
    node = ET.Element(tag)
    for name, value in attributes.items():
        text = clean(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
        node.set(name.rstrip("_").replace("_", "-"), text)
    for child in children:
        if isinstance(child, str):
            node.text = (node.text or "") + clean(child)
        else:
            node.append(child)
    return node


def inline(drawing: ET.Element) -> Markup:
    """The drawing as part of an HTML page, which a template prints without escaping it once more."""
    return Markup(ET.tostring(drawing, encoding="unicode", method="html"))


def document(drawing: ET.Element) -> str:
    """The drawing as a stand-alone SVG document."""
    drawing.set("xmlns", "http://www.w3.org/2000/svg")
    return ET.tostring(drawing, encoding="unicode", method="xml")
