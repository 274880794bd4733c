"""One Jinja2 environment for every page: whatever a template prints is escaped, and a name it does not get is an error.

A page is a template in ``templates/`` and a module in ``pages/`` that makes its view: frozen data and sentences.
``templates/layout`` holds what pages have in common, ``templates/macros`` what appears on several of them.
"""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from airflow_dq.report import style, svg, words

FILTERS = {
    "counted": words.count,
    "distance": words.distance_words,
    "iso": words.iso_timestamp,
    "number": "{:,}".format,
    "share": words.share,
    "spaced": words.spaced,
    "svg": svg.inline,
    "timestamp": words.timestamp_words,
}
"""What a template may apply to a value with ``|``, beside Jinja's own filters."""


def render(template: str, **view: object) -> str:
    """A page.

    :param template: name of a file in ``templates/``
    :param view: what the template shows
    :raises jinja2.UndefinedError: when the template asks for what the view does not have
    """
    return environment().get_template(template).render(view)


@cache
def environment() -> Environment:
    """The environment; each template is read and compiled once."""
    made = Environment(
        # Finds the folder in the repository, in an installed wheel and in a zip file.
        loader=PackageLoader("airflow_dq.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        finalize=_shown,
    )
    made.filters.update(FILTERS)
    made.globals["css"] = _style_sheets
    return made


def _shown(value: object) -> object:
    """What is printed for a value: nothing for None, and no character that HTML cannot carry."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return "" if value is None else value
    return words.clean(value)


def _style_sheets(*names: str) -> Markup:
    # Our own files; a browser would not undo an escape inside of <style>.
    return Markup(style.css(*names))
