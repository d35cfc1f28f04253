"""Where a divergence is seen in what both references write, whatever a comparison calls it.

`is_there` looks at the messages of a reproducer themselves, or at differences whether they have a name or not: the
catalogue's own conditions decide nothing here. So a test can set an option and see whether the divergence is gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from functools import cache
from json.decoder import py_scanstring  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any

from conformance.catalogue.divergences import Divergence, Met, find_divergence
from differential.sides import codec_of
from reference_impl.compression import decompress
from reference_impl.model import Record
from tests.unit.differential.reproducing import Scene, edited
from tests.unit.differential.test_named_divergences import MORE

Options = Mapping[str, Mapping[str, str]]
"""By dialect, options by name."""


class _Decoder(json.JSONDecoder):
    """Reads numbers and texts as they are written, escapes and all."""

    def __init__(self) -> None:
        super().__init__(parse_float=str, parse_int=str)
        self.parse_string = _raw
        self.scan_once = py_make_scanner(self)


def _raw(text: str, begin: int, strict: bool) -> tuple[str, int]:
    _, end = py_scanstring(text, begin, strict)
    return text[begin - 1 : end], end


def _by_field(schema: Any) -> Any:
    """A schema with its fields by their names."""
    if not isinstance(schema, dict):
        return schema
    members = {name: of for name, of in schema.items() if name != "fields"}
    for of in schema.get("fields", ()):
        members[str(of.get("field")).strip('"')] = _by_field(of)
    return members


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, (dict, list)) and value:
        named = value.items() if isinstance(value, dict) else enumerate(value)
        for name, of in named:
            yield from _leaves(of, f"{path}.{name}".removeprefix("."))
    else:
        yield path, value


@cache
def _tree(record: Record) -> Mapping[str, Any]:
    """A message as places and what is written there; read once, since most options leave most messages as they were."""
    if record.value is None:
        return {"tombstone": ""}
    read = _read(record.value)
    wrapped = read.get("payload") if isinstance(read.get("payload"), dict) else None
    payload = read if wrapped is None else wrapped
    tree = dict(_leaves(payload))
    if "schema" in read:
        schema = _by_field(read["schema"])
        tree |= {f"schema.{path}": of for path, of in _leaves(schema)}
        tree["order of schema.after"] = [list(of) for of in read["schema"]["fields"] if of["field"] == '"after"']
    if wrapped is not None:
        tree["payload"] = ""
    tree["headers"] = [name for name, _ in record.headers]
    key = _read(record.key) if record.key else None
    key = key.get("payload", key) if isinstance(key, dict) else key
    tree |= {f"key.{path}": of for path, of in _leaves(key)}
    return {
        **tree,
        "order": list(read) if "source" not in read and len(read) > 1 else [],
        "order of payload": list(payload),
        "order of key": _order(key),
    }


def _read(data: bytes) -> Any:
    return _Decoder().decode(data.decode("utf-8", "replace"))


def _order(of: Any) -> list[str]:
    return list(of) if isinstance(of, dict) else []


def scene_of(entry: Divergence, more: Options | None = None) -> Scene:
    """The reproducer under the first options of the entry, and `more` in place of them."""
    return Scene(replace(entry, when={}), merged(MORE.get(entry.id, {}), _first(entry), more or {}))


def merged(*given: Options) -> dict[str, dict[str, str]]:
    """Options together; the later ones stand in place of the earlier ones."""
    dialects = dict.fromkeys(dialect for options in given for dialect in options)
    return {d: {name: v for options in given for name, v in options.get(d, {}).items()} for d in dialects}


def _first(entry: Divergence) -> Options:
    return {dialect: {name: values[0] for name, values in named.items()} for dialect, named in entry.when.items()}


PLACES: Mapping[str, str] = {
    "DV-03": "_tidb",
    "DV-05": "#",
    "DV-06": "old",
    "DV-10": "pkNames",
    "DV-11": "order",
    "DV-14": "sqlType.c",
    "DV-18": "compressed",
    "DV-19": "data.0.c",
    "DV-34": "data.0.id",
    "DBZ-502": "schema.after.c.type",
    "DBZ-504": "schema.after.c.type",
    "DBZ-520": "order",
    "DBZ-521": "order of payload",
    "DBZ-522": "order of schema.after",
    "DBZ-524": "source.version",
    "DBZ-525": "source.pos",
    "DBZ-527": "source.ts_ms",
    "DBZ-529": "#",
    "DBZ-530": "headers",
    "DBZ-531": "key",
    "DBZ-532": "order of key",
    "DBZ-533": "key",
    "DBZ-534": "key",
    "DBZ-536": "#",
    "DBZ-537": "before",
    "DBZ-538": "schema.name",
    "DBZ-571": "schema.after.c.parameters.allowed",
    "DBZ-709": "schema.after.c",
    "DBZ-700": "source.ts_us",
    "UN-3.2-25": "payload",
}
"""Where a divergence is seen, as far as that is not where its near miss edits a message. `#` are the messages."""

_ROWS = (Met.CELL, Met.ABSENT, Met.STEPS)


def is_there(entry: Divergence, options: Options | None = None, columns: tuple[str, ...] = ()) -> bool:
    """Whether both references differ in what the entry is about, under its options and those in place of them.

    `columns` are those of the table in place of the reproducer's. Raises `Rejected` for options that are refused.
    """
    given = entry
    if columns:
        assert entry.reproducer is not None
        given = replace(entry, reproducer=replace(entry.reproducer, columns=columns))
    return shown_in(scene_of(given, options))


def shown_in(scene: Scene) -> bool:
    """Whether both sides of a scene differ in what its entry is about."""
    entry = scene.entry
    if entry.met in _ROWS:
        found = [d for d in scene.compared().differences if not d.column.startswith(("value.", "key."))]
        return any(bool(d.column) is not (entry.met is Met.STEPS) for d in found)
    if entry.id == "DBZ-528":
        return any(_undeclared(message) for message in trees(scene)["debezium"])
    if entry.id == "DV-42":
        return _numbers(scene, "canal") != _numbers(scene, "canal-json")
    upstream, ticdc = trees(scene).values()
    return any(_differ(upstream, ticdc, place) for place in _places(entry.id))


@cache
def _places(divergence: str) -> frozenset[str]:
    """Where a divergence is seen: the place of the table, else where its near miss edits and both sides differ."""
    if divergence in PLACES:
        return frozenset({PLACES[divergence]})
    entry = find_divergence(divergence)
    assert entry is not None
    first = scene_of(entry)
    places = frozenset(place for place in edited_places(first) if differs(first, place))
    assert places, f"{divergence}: nothing tells where it is seen"
    return places


def _undeclared(message: Mapping[str, Any]) -> bool:
    declares = any(path.startswith("schema.") for path in message)
    return declares and "source.commit_ts" in message and "schema.source.commit_ts.type" not in message


def _numbers(scene: Scene, dialect: str) -> list[Decimal]:
    return [Decimal(message["data.0.c"].strip('"')) for message in trees(scene)[dialect]]


def trees(scene: Scene) -> dict[str, list[Mapping[str, Any]]]:
    """By dialect, its messages as places and texts."""
    found = {}
    for side in scene.sides:
        records = scene.messages[side.dialect]
        if side.compression != "none":
            records = [_plain(record, side.compression) for record in records]
        marks = {"compressed": side.compression} if side.compression != "none" else {}
        found[side.dialect] = [{**_tree(record), **marks} for record in records]
    return found


def _plain(record: Record, kind: str) -> Record:
    key, value = (data and decompress(kind, data) for data in (record.key, record.value))
    return replace(record, key=key, value=value)


def edited_places(scene: Scene) -> set[str]:
    """The places at which the near miss edits a message."""
    near = scene.entry.near_miss
    assert near is not None
    given = scene.messages[near.dialect]
    pairs = zip(given, edited(given, near, near.dialect), strict=True)
    both = [(_tree(a), _tree(b)) for a, b in pairs if a != b]
    found = {path for a, b in both for path in a.keys() | b.keys() if a.get(path, "-") != b.get(path, "-")}
    return {path for path in found if not path.startswith("order")} or found


def differs(scene: Scene, place: str) -> bool:
    """Whether a place is written differently, or is there on one side alone; `#` is the messages themselves."""
    upstream, ticdc = trees(scene).values()
    return _differ(upstream, ticdc, place)


def _differ(upstream: Sequence[Mapping[str, Any]], ticdc: Sequence[Mapping[str, Any]], place: str) -> bool:
    if place == "#":
        return [_kind(m) for m in upstream] != [_kind(m) for m in ticdc]
    return [_at(m, place) for m in upstream] != [_at(m, place) for m in ticdc]


def _kind(message: Mapping[str, Any]) -> Any:
    return message.get("type", message.get("op", "tombstone"))


def _at(message: Mapping[str, Any], place: str) -> Any:
    return {path: of for path, of in message.items() if path == place or path.startswith(f"{place}.")}


def choices(dialect: str) -> Iterator[tuple[str, str]]:
    """Every option of a dialect with every value that it may have; of a number a larger and a smaller one."""
    for of in fields(codec_of(dialect).options):
        values: Sequence[str] = of.metadata["values"]
        values = {("digits",): ("100", "99999999"), ("text",): ("file:///claims",)}.get(tuple(values), values)
        yield from ((of.metadata["name"], value) for value in values)
