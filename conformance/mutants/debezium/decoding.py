"""Decoders that get messages wrong, refuse what is right, or let pass what is not.  [DBZ-016a, DBZ-451 … DBZ-451y]"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator

from conformance.mutants.debezium.edits import Tree, Wrap, decoder, has_default, read_kinds, read_rows, refuses
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import (
    Context,
    accepts,
    edit_request,
    unread_up_to_watermarks,
)
from reference_impl.column_types import TEXT

__all__ = ["MUTANTS"]

# -- what a message is -------------------------------------------------------------------------------------------------


def _op(given: str, wrong: str) -> Wrap:
    return read_rows(lambda event, context: event.update(op=wrong) if event["op"] == given else None)


def _row_time(change: Callable[[int], int], *kinds: str) -> Wrap:
    def edit(event: Tree, context: Context) -> None:
        if "commit_ts" in event:
            event["commit_ts"] = str(change(int(event["commit_ts"])))

    return read_kinds(edit, *kinds)


def _names(change: Callable[[str], str]) -> Wrap:
    return read_rows(lambda event, context: event.update(schema=change(event["schema"]), table=change(event["table"])))


def _columns(change: Callable[[str], str]) -> Wrap:
    def edit(event: Tree, context: Context) -> None:
        for image in ("before", "after"):
            if event.get(image):
                event[image] = {change(name): value for name, value in event[image].items()}

    return read_rows(edit)


def _as_ddl(event: Tree, context: Context) -> list[Tree]:
    return [{"kind": "ddl", "schema": "", "table": "", "query": "", "commit_ts": event["commit_ts"]}]


def _as_row(event: Tree, context: Context) -> list[Tree]:
    return [{**event, "kind": "row", "op": "insert", "after": {}}]


_ANY_TIME = ("row", "ddl", "watermark")


def _meanings() -> Iterator[Mutant]:
    yield decoder("read-update-as-insert", "DBZ-451a", "updates are inserts", _op("update", "insert"))
    yield decoder("read-ddl-as-row", "DBZ-451b", "DDL messages are rows", read_kinds(_as_row, "ddl"))
    yield decoder(
        "read-ddl-as-drop",
        "DBZ-451b",
        "the action of every statement is that a table is dropped",
        read_kinds(lambda event, context: event.update(action="drop table"), "ddl"),
    )
    yield decoder(
        "read-ddl-as-create",
        "DBZ-451b",
        "the code of every action is the one of CREATE TABLE",
        read_kinds(lambda event, context: event.update(action_code=3), "ddl"),
    )
    yield decoder("read-watermark-as-ddl", "DBZ-451c", "watermarks are DDL events", read_kinds(_as_ddl, "watermark"))
    yield decoder(
        "read-without-watermarks",
        "DBZ-453",
        "watermarks are passed over",
        read_kinds(lambda e, c: [], "watermark"),
    )
    yield decoder(
        "read-time-double",
        "DBZ-451d",
        "commit_ts is from a 64-bit float",
        _row_time(lambda ts: int(float(ts)), *_ANY_TIME),
    )
    yield decoder(
        "read-columns-lower-case", "DBZ-451e", "columns in lower case", _columns(str.lower), "DBZ-451y", "DBZ-451u"
    )
    yield decoder("read-names-lower-case", "DBZ-451f", "schema and table in lower case", _names(str.lower))


# -- decoders that refuse, or read another message ---------------------------------------------------------------------


def _without_schema(request: Tree) -> None:
    """Of a record without tables only the payloads are seen."""
    if request["op"] == "decode" and "tables" not in request:
        for record in request["records"]:
            for side in ("key", "value"):
                text = base64.b64decode(record[side] or "")
                if b',"schema":{' in text and text.startswith(b'{"payload":'):
                    record[side] = base64.b64encode(text.partition(b',"schema":{')[0] + b"}").decode()


_SCHEMA_FIRST = re.compile(rb'^\s*\{\s*"schema"')
_OP_FIRST = re.compile(rb'"(?:op|before|after)"\s*:.*"source"\s*:\s*\{', re.DOTALL)


def _is_reordered(key: bytes, value: bytes) -> bool:
    payload = value.partition(b'"schema"')[0]
    return _SCHEMA_FIRST.search(value) is not None or _OP_FIRST.search(payload) is not None


_MEMBERS = frozenset(
    {"payload", "schema", "source", "op", "ts_ms", "transaction", "before", "after"}
    | {"databaseName", "schemaName", "ddl", "tableChanges"}
    | {"version", "connector", "name", "snapshot", "db", "table", "server_id", "gtid", "file", "pos", "row", "thread"}
    | {"query", "commit_ts", "cluster_id", "start_ts"}
)


def _has_unknown(key: bytes, value: bytes) -> bool:
    try:
        outermost, tree = json.loads(key), json.loads(value)
        return not {*outermost, *tree, *tree["payload"], *tree["payload"]["source"]} <= _MEMBERS
    except (ValueError, KeyError, TypeError):
        return False


def _refusing() -> Iterator[Mutant]:
    yield decoder(
        "read-unknown-members-refused",
        "DBZ-454",
        "members that are not known are refused",
        refuses("schema", _has_unknown),
    )
    yield decoder(
        "read-up-to-the-watermark-lost",
        "DBZ-455",
        "rows at a watermark before them are left out",
        unread_up_to_watermarks,
    )
    yield decoder("read-in-order", "DBZ-451v", "members in another order are refused", refuses("schema", _is_reordered))
    yield decoder(
        "read-with-schema-alone",
        "DBZ-451w",
        "messages without schema are refused",
        refuses("schema", lambda key, value: b'"schema":' not in value),
        *("DBZ-016a", "DBZ-451b", "DBZ-451c", "DBZ-451d"),
    )
    yield decoder(
        "read-types-unknown",
        "DBZ-451x",
        "schemas are not looked at where there are no tables",
        edit_request(_without_schema),
        *(f"DBZ-451{letter}" for letter in "ilmnr"),
    )


# -- decoders that let pass --------------------------------------------------------------------------------------------

# The requirements of values, by their letter.
_LETTERS = (
    ("g", "integers", "integers"),
    ("h", "bigint-unsigned", "BIGINT UNSIGNED"),
    ("i", "bits", "BIT"),
    ("j", "floats", "floats"),
    ("k", "decimals", "DECIMAL"),
    ("l", "dates", "dates"),
    ("m", "timestamps", "TIMESTAMP"),
    ("n", "times", "TIME"),
    ("o", "years", "YEAR"),
    ("p", "texts", "texts"),
    ("q", "bytes", "bytes"),
    ("r", "labels", "ENUM and SET"),
    ("s", "json", "JSON"),
    ("t", "vectors", "VECTOR"),
)

# (name, what is let pass, class, words in the refusal, requirement)
_LENIENT: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    ("no-bytes", "a key or value of no bytes is", "framing", (), "DBZ-451"),
    ("no-object", "a document that is no object is", "schema", ("is not an object",), "DBZ-451"),
    ("wrong-kinds", "members of any JSON kind are", "schema", ("not a", "wrong JSON kind"), "DBZ-451"),
    ("doubled", "doubled members are", "schema", ("doubled",), "DBZ-451"),
    ("wrong-types", "a description of no column is", "type", ("is null", "the parameter"), "DBZ-451"),
    ("contradictions", "contradictions are", "semantics", (), "DBZ-451"),
    ("unknown-op", "an unknown op is", "type", ("op is",), "DBZ-451a"),
    ("times-of-any-kind", "a commit_ts of any JSON kind is", "schema", (), "DBZ-451d"),
    ("times", "times beyond 64 bits are", "range", ("commit_ts is",), "DBZ-451d"),
    ("no-image", "images that are not there are", "schema", (), "DBZ-451e"),
    ("other-images", "images that do not fit the operation are", "semantics", (), "DBZ-451e"),
    ("no-names", "rows without schema or table are", "schema", (), "DBZ-451f"),
    ("unknown-types", "types that no column has are", "type", ("schema type", "column type"), "DBZ-451x"),
    *(
        (f"unfit-{name}", f"{what} of another form are", "type", (), f"DBZ-451{letter}")
        for letter, name, what in _LETTERS
        if letter != "h"
    ),
)


def _lenient() -> Iterator[Mutant]:
    for name, what, reason, words, requirement in _LENIENT:
        yield decoder(f"read-{name}", requirement, f"{what} let pass", accepts(reason, *words))


# -- NULL, and what nobody sent ----------------------------------------------------------------------------------------


def _empty_texts(event: Tree, context: Context) -> None:
    for image in filter(None, (event.get("before"), event.get("after"))):
        for name, value in image.items():
            column = context.column(event["schema"], event["table"], name)
            if value == "" and column is not None and column.type.family in TEXT:
                image[name] = None


def _defaults(event: Tree, context: Context) -> None:
    for image in filter(None, (event.get("before"), event.get("after"))):
        for name, value in image.items():
            column = context.column(event["schema"], event["table"], name)
            if value is None and column is not None and column.type.family in TEXT and not has_default(column):
                image[name] = "NULL"


def _every_column(event: Tree, context: Context) -> None:
    for table in context.request.get("tables") or ():
        if (table["schema"], table["name"]) == (event["schema"], event["table"]):
            for image in ("before", "after"):
                if event.get(image):
                    event[image] = {**dict.fromkeys(c["name"] for c in table["columns"]), **event[image]}


def _nothing_invented() -> Iterator[Mutant]:
    yield decoder(
        "read-null-as-word", "DBZ-451u", "NULL in texts becomes the word NULL", read_rows(_defaults), "DBZ-451e"
    )
    yield decoder("read-empty-as-null", "DBZ-451u", "an empty text becomes NULL", read_rows(_empty_texts), "DBZ-451p")
    yield decoder(
        "read-columns-invented", "DBZ-451y", "columns that a message does not have are NULL", read_rows(_every_column)
    )
    yield decoder(
        "read-start-invented",
        "DBZ-451y",
        "rows without a start time stamp have one",
        read_rows(lambda event, context: None if "start_ts" in event else event.update(start_ts="5")),
    )
    yield decoder(
        "read-action-invented",
        "DBZ-451y",
        "watermarks have a schema",
        read_kinds(lambda event, context: event.update(schema="test"), "watermark"),
    )


MUTANTS: tuple[Mutant, ...] = (*_meanings(), *_refusing(), *_lenient(), *_nothing_invented())
