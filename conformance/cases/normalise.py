"""Named normalisation steps that turn an example in a document into records.

Documents show messages with comments, elisions and trailing commas, as log lines, or in part. Each step removes one of
these forms and nothing else; the fixture of an example names its steps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reference_impl import exact_json
from reference_impl.model import Record, Table

__all__ = [
    "fill_placeholders",
    "merge",
    "records_of",
    "reorder",
    "reorder_at",
    "reorder_schema",
    "substitute",
    "to_text",
]

_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*')
_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|\s+')
_STRING_OR_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')
_ELISION = re.compile(r"^[ \t]*\.\.\.[ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_LOG_LINE = re.compile(r'(?:\d+\. )?\[partition=(\d+)\] \[key="(.*?)"\] \[value=(?:"(.*)")?\]')


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or ""


_TEXT_STEPS: Mapping[str, Callable[[str], str]] = {
    "strip-comments": lambda text: _STRING_OR_COMMENT.sub(_keep_string, text),
    "strip-elisions": lambda text: _ELISION.sub("", text),
    "strip-trailing-commas": lambda text: _STRING_OR_COMMA.sub(_keep_string, text),
    "compact": lambda text: _STRING_OR_SPACE.sub(_keep_string, text),
}


def to_text(shown: str, steps: Sequence[str]) -> str:
    """The shown text after those of `steps` that change text."""
    for step in steps:
        if step in _TEXT_STEPS:
            shown = _TEXT_STEPS[step](shown)
    return shown


def substitute(template: str, values: Mapping[str, str]) -> str:
    """The template with every `@name@` replaced. Raises KeyError for an unknown name."""
    return re.sub(r"@([a-z_]+)@", lambda match: values[match[1]], template)


def fill_placeholders(text: str, values: Mapping[str, Sequence[str]]) -> str:
    """The text with each `{{Name}}` replaced by the next value of that name.

    Raises KeyError for an unknown name, ValueError for a wrong number of values.
    """
    rest = {name: list(unused) for name, unused in values.items()}

    def next_value(match: re.Match[str]) -> str:
        if not rest[match[1]]:
            raise ValueError(f"{match[0]} stands more often than it has values")
        return rest[match[1]].pop(0)

    filled = _PLACEHOLDER.sub(next_value, text)
    if left := [name for name, unused in rest.items() if unused]:
        raise ValueError(f"{{{{{left[0]}}}}} stands less often than it has values")
    return filled


def merge(filling: Any, shown: Any) -> Any:
    """`shown`, completed by the members of `filling`, in objects and equally long arrays at every depth."""
    if isinstance(filling, dict) and isinstance(shown, dict):
        merged = {name: merge(value, shown[name]) if name in shown else value for name, value in filling.items()}
        return merged | {name: value for name, value in shown.items() if name not in filling}
    if isinstance(filling, list) and isinstance(shown, list) and len(filling) == len(shown):
        return [merge(f, s) for f, s in zip(filling, shown, strict=True)]
    return shown


def reorder(tree: Any, order: Sequence[str], table: Table | None) -> Any:
    """The tree with its members in `order`, and columns in the objects below in the order of the table."""
    places = {name: i for i, name in enumerate(order)}
    columns = {column.name: i for i, column in enumerate(table.columns)} if table else {}

    def inner(part: Any) -> Any:
        if isinstance(part, list):
            return [inner(p) for p in part]
        if not isinstance(part, dict):
            return part
        return {name: inner(part[name]) for name in sorted(part, key=lambda n: columns.get(n, -1))}

    return {name: inner(tree[name]) for name in sorted(tree, key=lambda n: places.get(n, len(places)))}


def reorder_at(tree: Any, orders: Mapping[str, Sequence[str]], place: str = "") -> Any:
    """The objects at the paths in `orders` with their members in that order, the rest unchanged.

    A path is `value.schema.fields[0]`, or with `[]` for every element that is not named by its number.
    """
    if isinstance(tree, list):
        parts = []
        for number, part in enumerate(tree):
            path = f"{place}[{number}]"
            if not any(name.startswith(path) for name in orders):
                path = f"{place}[]"
            parts.append(reorder_at(part, orders, path))
        return parts
    if not isinstance(tree, dict):
        return tree
    order = orders.get(place, ())
    names = sorted(tree, key=lambda name: order.index(name) if name in order else len(order))
    return {name: reorder_at(tree[name], orders, f"{place}.{name}".lstrip(".")) for name in names}


_SCHEMA_ORDER = ("default", "type", "name", "namespace", "connect.parameters", "logicalType", "precision", "scale")
_FIELD_ORDER = ("default", "name", "type")


def reorder_schema(tree: Any) -> Any:
    """An Avro schema with the member order of today's producers.  [AV-025 … AV-027]"""
    if isinstance(tree, list):
        return [reorder_schema(part) for part in tree]
    if not isinstance(tree, dict):
        return tree
    is_type = isinstance(tree.get("type"), str) and ("fields" in tree or "connect.parameters" in tree)
    order = _SCHEMA_ORDER if is_type else _FIELD_ORDER
    return {
        name: reorder_schema(tree[name])
        for name in sorted(tree, key=lambda n: order.index(n) if n in order else len(order))
    }


def _framed(parts: Sequence[bytes], version: bytes = b"") -> bytes:
    return version + b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def _batch(pairs: Sequence[tuple[str, str]], partition: int | None = None) -> Record:
    """An Open Protocol record of these pairs of key and value.  [OP-001 … OP-005]"""
    version = (1).to_bytes(8, "big")
    keys, values = ([pair[i].encode() for pair in pairs] for i in (0, 1))
    return Record(_framed(keys, version), _framed(values), partition)


def _log_line(line: str) -> tuple[int, tuple[str, str]]:
    match = _LOG_LINE.fullmatch(line.strip())
    if not match:
        raise ValueError(f"{line!r} is not a log line")
    key, value = json.loads(f'"{match[2]}"'), json.loads(f'"{match[3] or ""}"')
    return int(match[1]), (key, value)


def _json_record(members: Mapping[str, Any]) -> Record:
    key, value = (exact_json.dumps(members[side]).encode() for side in ("key", "value"))
    return Record(key, value, int(members["partition"]) if "partition" in members else None)


def records_of(text: str, steps: Sequence[str]) -> tuple[Record, ...]:
    """The records of a complete text: one value, or several by `log-lines`, `pairs`, `records` or `lines`."""
    if "log-lines" in steps:
        lines = [_log_line(line) for line in text.splitlines() if line.strip()]
        if "batch" in steps:
            return (_batch([pair for _, pair in lines]),)
        return tuple(_batch([pair], None if "no-partition" in steps else partition) for partition, pair in lines)
    if "pairs" in steps:
        pair = exact_json.loads(text)
        value = "" if pair["value"] is None else exact_json.dumps(pair["value"])
        return (_batch([(exact_json.dumps(pair["key"]), value)]),)
    if "records" in steps:
        tree = exact_json.loads(text)
        return tuple(map(_json_record, tree if isinstance(tree, list) else [tree]))
    if "lines" in steps:
        return tuple(Record(None, line.encode()) for line in text.splitlines() if line)
    return (Record(None, text.encode()),)
