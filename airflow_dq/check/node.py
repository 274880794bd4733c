"""YAML read as nodes, which know their lines, so that every mistake is told with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

from airflow_dq.check.model import closest
from airflow_dq.exceptions import ConfigurationError

Node = Any
"""A node of PyYAML, whose types know less of it than it says: ``id``, ``value``, ``start_mark``."""
_T = TypeVar("_T")


def read_nodes(text: str, name: str, read: Callable[[Node | None, Any], _T]) -> _T:
    """What is made of the text's nodes.

    :param name: what the text is called in messages
    :param read: takes the whole document (None: it is empty) and the loader that makes values of nodes
    :raises ConfigurationError: when it is no YAML
    """
    # Only here: a DAG whose checks are written in Python need not load it.
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        return read(loader.get_single_node(), loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f":{mark.line + 1}"
        raise ConfigurationError(f"{name}{line}: this is no YAML: {error.problem or error.context}.") from None
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{name}: this is no YAML: {error}.") from None
    finally:
        loader.dispose()


class NodeReader:
    """Makes something of the nodes of one file."""

    def __init__(self, name: str, loader: Any) -> None:
        self._name = name
        self._loader = loader

    def _items(
        self, node: Node, allowed: tuple[str, ...], what: str, *, others: bool = False
    ) -> Iterator[tuple[str, Node]]:
        """The keys of a mapping, each once and known.

        :param others: whether there may be others, which are not looked at
        """
        if node.id != "mapping":
            raise self._error(node, f"{what} is no mapping; give {', '.join(allowed)}")
        seen: set[str] = set()
        for key, part in node.value:
            name = str(key.value)
            if name not in allowed:
                if others:
                    continue
                raise self._error(key, f"{what} takes no {name!r}; {closest(name, allowed)}")
            if name in seen:
                raise self._error(key, f"{name!r} is given twice")
            seen.add(name)
            yield name, part

    def _value(self, node: Node) -> Any:
        return self._loader.construct_object(node, deep=True)

    def _text(self, node: Node, key: str, value: Any) -> str:
        return value if isinstance(value, str) else self._refuse(node, key, value, "a text (in quotes, if need be)")

    def _refuse(self, node: Node, key: str, value: Any, wanted: str) -> NoReturn:
        raise self._error(node, f"{key} is {value!r}; give {wanted}")

    def _place(self, node: Node) -> str:
        return f"{self._name}:{node.start_mark.line + 1}"

    def _error(self, node: Node, what: str) -> ConfigurationError:
        return ConfigurationError(f"{self._place(node)}: {what}.")
