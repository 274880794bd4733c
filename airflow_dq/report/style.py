"""The style sheets and the script of the pages, kept as files beside this module."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

_MANY = 10
"""From this number on there is no room for it in an icon."""


@cache
def css(*names: str) -> str:
    """The named style sheets (``theme``, ``chart``, ``page``, ...) one after the other."""
    folder = files("airflow_dq.report")
    return "\n".join(folder.joinpath(f"{name}.css").read_text(encoding="utf-8") for name in names)


@cache
def script() -> str:
    """The script of the review pages."""
    return files("airflow_dq.report").joinpath("review.js").read_text(encoding="utf-8")


def review_css() -> str:
    """The one style sheet of the review pages."""
    return css("theme", "chart", "page", "backtest", "review")


@cache
def version() -> str:
    """Changes with the content of the review pages' style sheet and script."""
    return hashlib.blake2b((review_css() + script()).encode(), digest_size=6).hexdigest()


@cache
def icon(dark: bool, waiting: int = 0) -> str:
    """The icon in Airflow's navigation, for a light or a dark page.

    :param waiting: how many partitions wait for a person: a red mark with the number, for the entry's name is fixed
    """
    text = files("airflow_dq.report").joinpath("icon.svg").read_text(encoding="utf-8")
    text = text.replace("currentColor", "#e8eaef" if dark else "#1d2330")
    if not waiting:
        return text
    number = str(waiting) if waiting < _MANY else f"{_MANY - 1}+"
    mark = (
        '<circle cx="17" cy="7" r="7" fill="#dc2626" stroke="none"/>'
        '<text x="17" y="10.6" fill="#fff" stroke="none" font-family="sans-serif" '
        f'font-size="{10 if waiting < _MANY else 8}" font-weight="700" text-anchor="middle">{number}</text>'
    )
    return text.replace("</svg>", f"{mark}</svg>")
