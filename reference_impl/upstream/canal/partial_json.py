"""Updates of JSON that the binlog logs as differences, which Canal prints as function calls.  [DV-52]"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import TypeAlias

from reference_impl.stored_json import Node
from reference_impl.upstream.canal.json_text import stored_text

__all__ = ["partial_text"]

_Change: TypeAlias = tuple[str, str, Node]  # function, path, value


def _path_step(name: str) -> str:
    return f".{name}" if name.isidentifier() and name.isascii() else f".{json.dumps(name, ensure_ascii=False)}"


def _changes(path: str, before: Node, after: Node) -> Iterator[_Change]:
    if type(before) is type(after) and before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in after.items():
            if name in before:
                yield from _changes(path + _path_step(name), before[name], value)
        yield from (
            ("JSON_INSERT", path + _path_step(name), value) for name, value in after.items() if name not in before
        )
        yield from (("JSON_REMOVE", path + _path_step(name), None) for name in before if name not in after)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _changes(f"{path}[{index}]", old, new)
    else:
        yield "JSON_REPLACE", path, after


def partial_text(column: str, before: Node, after: Node, java: int) -> str:
    """The text of an updated JSON column: nested calls around its name, the first change innermost.

    >>> partial_text("j", {"a": 1}, {"a": 2}, 17)
    "JSON_REPLACE(j, '$.a', 2)"
    """
    text = column
    for function, changes in groupby(_changes("$", before, after), key=lambda change: change[0]):
        arguments = [text]
        for _, path, value in changes:
            arguments.append(f"'{path}'")
            if function != "JSON_REMOVE":
                arguments.append(stored_text(value, java))
        text = f"{function}({', '.join(arguments)})"
    return text
