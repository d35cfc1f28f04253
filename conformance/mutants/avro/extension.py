"""Encoders that get the fields of a value that are no columns wrong.  [AV-003a, AV-030, AV-116 … AV-122]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.avro.edits import encoder, type_of
from conformance.mutants.avro.forgery import BEFORE, Forgery, Part, Tree
from conformance.mutants.model import Mutant
from reference_impl.avro.extension import CHECKSUM, COMMIT_TIME, COMMIT_TS, OP

__all__ = ["MUTANTS"]

_NAMES = (OP, COMMIT_TS, COMMIT_TIME)
_TYPES = {OP: "string", COMMIT_TS: "long", COMMIT_TIME: "long"}

# -- the fields --------------------------------------------------------------------------------------------------------


def _extension(edit: Callable[[Tree], Any], *names: str) -> Forgery:
    """The fields of the extension of these names are edited, of all where none is named."""

    def each(schema: Tree, part: Part) -> None:
        for field in schema["fields"]:
            if field["name"] in (names or _NAMES):
                edit(field)

    return Forgery(each)


def _typed(name: str, kind: str, default: Any) -> Forgery:
    def edit(field: Tree) -> None:
        field["type"] = kind
        if "default" in field:
            field["default"] = default

    return _extension(edit, name)


def _without(*names: str) -> Forgery:
    def edit(schema: Tree, part: Part) -> None:
        schema["fields"] = [field for field in schema["fields"] if field["name"] not in names]

    return Forgery(edit)


def _more(schema: Tree, name: str, kind: str, default: Any) -> None:
    if all(field["name"] != name for field in schema["fields"]):
        schema["fields"].append({"default": default, "name": name, "type": kind})


def _always(schema: Tree, part: Part) -> None:
    if part.side == "value":
        for name, kind in _TYPES.items():
            _more(schema, name, kind, "" if kind == "string" else 0)


def _first(schema: Tree, part: Part) -> None:
    schema["fields"].sort(key=lambda field: field["name"] not in _NAMES)


def _times_exchanged(schema: Tree, part: Part) -> None:
    order = {COMMIT_TIME: 1, COMMIT_TS: 2}
    schema["fields"].sort(key=lambda field: order.get(field["name"], 0))


def _in_key(schema: Tree, part: Part) -> None:
    if part.side == "key":
        _more(schema, OP, "string", "")


def _with_checksum(schema: Tree, part: Part) -> None:
    if OP in {field["name"] for field in schema["fields"]}:
        _more(schema, CHECKSUM, "string", "")


def _with_start_ts(schema: Tree, part: Part) -> None:
    names = [field["name"] for field in schema["fields"]]
    if OP in names:
        at = names.index(BEFORE if BEFORE in names else OP)
        schema["fields"].insert(at, {"default": 0, "name": "_tidb_start_ts", "type": "long"})


_FIELDS = (
    encoder("extension-never", "AV-116c", "a value has no extension", _without(*_NAMES)),
    encoder("extension-always", "AV-116c", "a value has the extension though it is off", Forgery(_always)),
    encoder("extension-without-time", "AV-116c", "a value has no physical time", _without(COMMIT_TIME)),
    encoder("extension-before-columns", "AV-116d", "the extension stands before the columns", Forgery(_first)),
    encoder("extension-times-exchanged", "AV-116d", "the physical time stands first", Forgery(_times_exchanged)),
    encoder("extension-in-key", "AV-030", "a key has a field of the extension", Forgery(_in_key)),
    encoder("extension-with-checksum", "AV-116e", "a value has a checksum nobody asked for", Forgery(_with_checksum)),
    encoder("extension-with-start-ts", "AV-116e", "a value has its start time stamp", Forgery(_with_start_ts)),
    encoder("op-of-bytes", "AV-116a", "`_tidb_op` is Avro's bytes", _typed(OP, "bytes", ""), "AV-116"),
    encoder(
        "commit-ts-of-string",
        "AV-117a",
        "the commit time stamp is Avro's string",
        _typed(COMMIT_TS, "string", ""),
        "AV-117b",
    ),
    encoder(
        "commit-time-of-string",
        "AV-118a",
        "the physical time is Avro's string",
        _typed(COMMIT_TIME, "string", ""),
        "AV-118b",
    ),
)

# -- their values ------------------------------------------------------------------------------------------------------


def _values(name: str, change: Callable[[Any], Any]) -> Forgery:
    def edit(datum: Tree, part: Part) -> None:
        if name in datum:
            datum[name] = change(datum[name])

    return Forgery(datum=edit)


_DATA = (
    encoder(
        "commit-ts-through-a-double",
        "AV-117",
        "the commit time stamp is rounded",
        _values(COMMIT_TS, lambda ts: min(int(float(ts)), 2**63 - 1)),
    ),
)

# -- the row before ----------------------------------------------------------------------------------------------------


def _before_anyway(schema: Tree, part: Part) -> None:
    names = {field["name"] for field in schema["fields"]}
    if part.side != "value" or BEFORE in names:
        return
    columns = [field for field in schema["fields"] if field["name"] not in _NAMES]
    record = {"type": "record", "name": f"{schema['name']}_before", "namespace": schema["namespace"], "fields": columns}
    schema["fields"].insert(len(columns), {"default": None, "name": BEFORE, "type": ["null", record]})


def _before(edit: Callable[[Tree], Any]) -> Forgery:
    """The record of the row before is edited."""

    def each(schema: Tree, part: Part) -> None:
        for field in schema["fields"]:
            if field["name"] == BEFORE:
                edit(type_of(field))

    return Forgery(each)


def _before_data(change: Callable[[Tree], Any]) -> Forgery:
    """The row before is what `change` makes of the datum."""

    def edit(datum: Tree, part: Part) -> None:
        if BEFORE in datum:
            datum[BEFORE] = change(datum)

    return Forgery(datum=edit)


_BEFORE = (
    encoder(
        "row-before-anyway", "AV-003a", "a value has the row before though nobody asked for it", Forgery(_before_anyway)
    ),
    encoder("row-before-left-out", "AV-120", "a value lacks the row before", _without(BEFORE)),
    encoder("row-before-null", "AV-121", "the row before is null", _before_data(lambda datum: None), "AV-121a"),
)

MUTANTS: tuple[Mutant, ...] = (*_FIELDS, *_DATA, *_BEFORE)
