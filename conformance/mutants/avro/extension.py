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


def _nullable(field: Tree) -> None:
    field["type"] = [field["type"], "null"]


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
    encoder("op-nullable", "AV-116a", "`_tidb_op` may be null", _extension(_nullable, OP)),
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
    encoder("commit-time-nullable", "AV-118a", "the physical time may be null", _extension(_nullable, COMMIT_TIME)),
    encoder(
        "op-without-default", "AV-116b", "`_tidb_op` has no default", _extension(lambda field: field.pop("default"), OP)
    ),
    encoder(
        "commit-ts-without-default",
        "AV-117b",
        "the commit time stamp has no default",
        _extension(lambda field: field.pop("default"), COMMIT_TS),
    ),
    encoder(
        "commit-time-with-default-1",
        "AV-118b",
        "the default of the physical time is not 0",
        _extension(lambda field: field.update(default=1), COMMIT_TIME),
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
        "op-as-word",
        "AV-116",
        "`_tidb_op` is a word",
        _values(OP, lambda op: {"c": "insert", "u": "update"}.get(op, op)),
    ),
    encoder("op-always-c", "AV-116", "`_tidb_op` is c of an update, too", _values(OP, lambda op: op.replace("u", "c"))),
    encoder(
        "commit-ts-through-a-double",
        "AV-117",
        "the commit time stamp is rounded",
        _values(COMMIT_TS, lambda ts: min(int(float(ts)), 2**63 - 1)),
    ),
    encoder(
        "commit-ts-as-time",
        "AV-117",
        "the commit time stamp is its physical part",
        _values(COMMIT_TS, lambda ts: ts >> 18),
    ),
    encoder(
        "commit-time-in-seconds",
        "AV-118",
        "the physical time is in seconds",
        _values(COMMIT_TIME, lambda ms: ms // 1000),
    ),
    encoder(
        "commit-time-whole-seconds",
        "AV-118",
        "the physical time has no fraction of a second",
        _values(COMMIT_TIME, lambda ms: ms // 1000 * 1000),
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


def _row_of_insert(datum: Tree) -> Any:
    columns = {name: value for name, value in datum.items() if name not in (*_NAMES, BEFORE)}
    return columns if datum[OP] == "c" else datum[BEFORE]


def _op_alone_left_out(schema: Tree, part: Part) -> None:
    if [field["name"] for field in schema["fields"][-2:]] == [BEFORE, OP]:
        schema["fields"].pop()


_BEFORE = (
    encoder(
        "row-before-anyway", "AV-003a", "a value has the row before though nobody asked for it", Forgery(_before_anyway)
    ),
    encoder("row-before-left-out", "AV-120", "a value lacks the row before", _without(BEFORE)),
    encoder(
        "row-before-short",
        "AV-120",
        "the row before lacks the last column",
        _before(lambda record: record["fields"].pop()),
    ),
    encoder(
        "row-before-named-old",
        "AV-120a",
        "the record of the row before has old behind its name",
        _before(lambda record: record.update(name=record["name"].replace("_before", "_old"))),
    ),
    encoder("row-before-null", "AV-121", "the row before is null", _before_data(lambda datum: None), "AV-121a"),
    encoder(
        "row-before-of-inserts", "AV-121", "an insert has its own row as the row before", _before_data(_row_of_insert)
    ),
    encoder(
        "deleted-row-once",
        "AV-121a",
        "the row before is null of a delete",
        _before_data(lambda datum: None if datum.get(OP) == "d" else datum[BEFORE]),
    ),
    encoder(
        "deletes-as-updates", "AV-121a", "`_tidb_op` is u of a delete", _values(OP, lambda op: op.replace("d", "u"))
    ),
    encoder(
        "op-needs-the-extension",
        "AV-122",
        "the row before is sent without `_tidb_op` where the extension is off",
        Forgery(_op_alone_left_out),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_FIELDS, *_DATA, *_BEFORE)
