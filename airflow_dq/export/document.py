"""YAML as people read it: keys in the order in which they are given, one value a line."""

from __future__ import annotations

from typing import Any


def yaml_text(document: Any) -> str:
    """The document; nothing in it is an alias, and no line is folded."""
    import yaml

    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    return yaml.dump(document, Dumper=Plain, sort_keys=False, allow_unicode=True, width=10**9)
