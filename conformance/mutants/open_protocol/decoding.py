"""Decoders that get messages, events or images wrong, or are too lax or too strict.  [OP-001 … OP-060, OP-143 …]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import (
    Tree,
    decoder,
    pairs_of,
    read_kinds,
    read_rows,
    refuses,
)
from conformance.mutants.wrappers import Context, accepts, edit_answer

__all__ = ["MUTANTS"]

_KNOWN_IN_A_KEY = frozenset({"ts", "scm", "tbl", "t", "rid", "ptn", "ohk", "ccl"})


def _last_lost(ok: Tree, context: Context) -> None:
    if len(ok["events"]) > len(context.request["records"]):
        ok["events"].pop()


def _one_of_others(ok: Tree, context: Context) -> None:
    """Of a message that holds more than rows the first event is told."""
    events, told = iter(ok["events"]), []
    for record in context.request["records"]:
        given = [next(events) for _ in pairs_of(record) or ()]
        told += given[:1] if any(event["kind"] != "row" for event in given) else given
    ok["events"] = told


def _filled_otherwise(event: Tree, context: Context) -> None:
    """Old values that `p` does not tell are taken to be NULL."""
    if event["op"] == "update" and event["before"] and context.options.get("only-output-updated-columns") == "true":
        for name in event["after"]:
            event["before"].setdefault(name, None)


def _once(ok: Tree, context: Context) -> None:
    """What was read before is not told again."""
    seen: list[Any] = []
    for event in ok["events"]:
        if event not in seen:
            seen.append(event)
    ok["events"] = seen


def _to_double(event: Tree, context: Context) -> None:
    event["commit_ts"] = str(int(float(event["commit_ts"])))


def _to_milliseconds(event: Tree, context: Context) -> None:
    event["commit_ts"] = str(int(event["commit_ts"]) >> 18)


def _lower_case(event: Tree, context: Context) -> None:
    event.update(schema=event["schema"].lower(), table=event["table"].lower())


def _last_column_lost(image: str) -> Callable[[Tree, Context], None]:
    def edit(event: Tree, context: Context) -> None:
        if event[image]:
            event[image].popitem()

    return edit


def _nulls_lost(image: str) -> Callable[[Tree, Context], None]:
    def edit(event: Tree, context: Context) -> None:
        if event[image]:
            event[image] = {name: value for name, value in event[image].items() if value is not None}

    return edit


def _swapped(event: Tree, context: Context) -> None:
    if event["op"] == "update" and (event["before"] or {}).keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


def _on(wanted: str, /, **members: Any) -> Callable[[Tree, Context], None]:
    """Members of the events with that operation are others."""
    return lambda event, context: event.update(members) if event["op"] == wanted else None


def _before_of_deletes_as_after(event: Tree, context: Context) -> None:
    if event["op"] == "delete":
        event.update(before=None, after=event["before"])


def _nulls_as_empty(event: Tree, context: Context) -> None:
    for image in ("before", "after"):
        for name, value in (event[image] or {}).items():
            column = context.column(event["schema"], event["table"], name)
            if value is None and column is not None and column.type.family == "varchar":
                event[image][name] = ""


def _nulls_filled(event: Tree, context: Context) -> None:
    """The old values of an update that were NULL are those of the new image."""
    if event["op"] == "update":
        for name, value in event["before"].items():
            if value is None and event["after"].get(name) is not None:
                event["before"][name] = event["after"][name]


def _filled_with_null(event: Tree, context: Context) -> None:
    """Columns of the table that an image does not have are NULL."""
    tables = [
        t for t in context.request.get("tables", ()) if (t["schema"], t["name"]) == (event["schema"], event["table"])
    ]
    for image in filter(None, (event["before"], event["after"])):
        for column in (c for t in tables for c in t["columns"] if c.get("generated") != "virtual"):
            image.setdefault(column["name"], None)


def _deletes_of_handle(event: Tree, context: Context) -> None:
    if event["op"] == "delete":
        names = [n for t in context.request.get("tables", ()) if t["name"] == event["table"] for n in t["primary_key"]]
        if names:
            event["before"] = {name: value for name, value in event["before"].items() if name in names}


def _code(change: Callable[[int], int]) -> Callable[[Tree, Context], None]:
    return lambda event, context: event.update(action_code=change(event["action_code"]))


def _columns_of(value: Tree) -> list[Tree]:
    return [given for image in "upd" for given in (value.get(image) or {}).values() if isinstance(given, dict)]


_ALONE = (
    decoder(
        "last-event-of-a-message-unread",
        "OP-001",
        "the last event of a message of several is not read",
        edit_answer("decode", _last_lost),
        "OP-249",
        "OP-200",
        "OP-180",
        "OP-180a",
        "OP-203",
        "OP-204",
        "OP-083a",
        "OP-245",
    ),
    decoder(
        "one-event-of-a-mixed-message-read",
        "OP-249",
        "of a message with DDL or resolved events the first is read",
        edit_answer("decode", _one_of_others),
        "OP-001",
    ),
    decoder(
        "short-keys-read",
        "OP-002",
        "a key that is cut is read as far as it goes",
        accepts("framing", "key:", "short key", "no key"),
    ),
    decoder(
        "cut-values-read",
        "OP-003",
        "a value that is cut, or goes on, is read as far as it goes",
        accepts("framing", "value"),
        "OP-006",
        "OP-040",
        "OP-065",
        "OP-004",
        "OP-172",
    ),
    decoder(
        "lengths-beyond-63-bits-read",
        "OP-004",
        "a length with its top bit set is passed over",
        accepts("framing", "beyond"),
    ),
    decoder(
        "any-version-read",
        "OP-005",
        "the version is not looked at",
        accepts("framing", "version"),
        "OP-004",
        "OP-002",
        "OP-172",
    ),
    decoder(
        "surplus-values-read",
        "OP-006",
        "values for which there is no key are passed over",
        accepts("framing", "used up"),
        "OP-003",
    ),
    decoder(
        "resolved-events-with-value-read",
        "OP-007",
        "the value of a resolved event may have bytes",
        accepts("semantics", "resolved event"),
    ),
    decoder(
        "resolved-events-refused",
        "OP-007",
        "an event value of no bytes is refused",
        refuses("framing", lambda key, value: key["t"] == 3),
        "OP-001",
        "OP-025",
        "OP-027",
        "OP-205",
        "OP-203",
        "OP-083a",
        "OP-245",
        "OP-249",
    ),
    decoder("long-names-read", "OP-013", "keys of early drafts are read", accepts("schema", "'t'"), "OP-020"),
    decoder(
        "keys-without-form-read",
        "OP-020",
        "event keys are not checked",
        accepts("schema", "event key"),
        "OP-013",
        "OP-027",
        "OP-028",
        "OP-030",
        "OP-031",
    ),
    decoder("any-event-type-read", "OP-020", "events of unknown types are passed over", accepts("type", "event type")),
    decoder(
        "nameless-tables-refused",
        "OP-024a",
        "DDL events without a table are refused",
        refuses("schema", lambda key, value: key["t"] == 2 and not key.get("tbl")),
        "OP-001",
        "OP-020",
        "OP-143",
    ),
    decoder(
        "resolved-events-as-statements",
        "OP-025",
        "resolved events are told as DDL",
        read_kinds(lambda event, context: event.update(kind="ddl", schema="", table="", query=""), "watermark"),
        "OP-020",
    ),
    decoder(
        "time-stamps-through-a-double",
        "OP-027",
        "time stamps are read into 53 bits",
        read_kinds(_to_double, "row", "ddl", "watermark"),
    ),
    decoder(
        "time-stamps-in-milliseconds",
        "OP-027",
        "time stamps are told as those of a clock",
        read_kinds(_to_milliseconds, "row", "ddl", "watermark"),
    ),
    decoder("names-folded", "OP-034", "names of schemas and tables are folded", read_kinds(_lower_case, "row", "ddl")),
    decoder("ptn-of-any-kind-read", "OP-028", "`ptn` is not checked", accepts("schema", "'ptn'")),
    decoder("ohk-of-any-kind-read", "OP-030", "`ohk` is not checked", accepts("schema", "'ohk'")),
    decoder("ccl-of-any-kind-read", "OP-031", "`ccl` is not checked", accepts("schema", "'ccl'")),
    decoder(
        "doubled-ohk-refused",
        "OP-032",
        "a key with `ohk` twice is refused",
        refuses("schema", lambda key, value: bool(getattr(key, "doubled", ()))),
        "OP-001",
    ),
    decoder(
        "values-of-any-form-read",
        "OP-040",
        "what is no JSON is passed over",
        accepts("syntax", "not JSON"),
        "OP-020",
        "OP-065",
        "OP-172",
        "OP-002",
    ),
    decoder(
        "empty-rows-read",
        "OP-237",
        "a row without an image is passed over",
        accepts("schema", "without a column"),
        "OP-040",
        "OP-041",
    ),
    decoder(
        "unknown-members-refused",
        "OP-245",
        "members that are not known are refused",
        refuses("schema", lambda key, value: bool(set(key) - _KNOWN_IN_A_KEY)),
        "OP-001",
        "OP-013",
    ),
    decoder(
        "order-of-members-matters",
        "OP-083a",
        "an event key must begin with its time stamp",
        refuses("schema", lambda key, value: next(iter(key)) != "ts"),
        "OP-245",
        "OP-001",
    ),
)

_IMAGES = (
    decoder(
        "column-unread",
        "OP-040",
        "the last column of a new image is not read",
        read_rows(_last_column_lost("after")),
        "OP-041",
    ),
    decoder(
        "images-swapped-when-read",
        "OP-040",
        "the images of an update are told the wrong way round",
        read_rows(_swapped),
    ),
    decoder(
        "rows-of-both-kinds-read", "OP-041", "`d` beside `u` or `p` is passed over", accepts("semantics", "with 'd'")
    ),
    decoder(
        "deletes-as-new-image",
        "OP-041",
        "the row of a delete is told as its new image",
        read_rows(_before_of_deletes_as_after),
    ),
    decoder(
        "inserts-with-previous-image",
        "OP-041",
        "the row of an insert is told as its previous image, too",
        read_rows(lambda event, context: event.update(before=event["after"]) if event["op"] == "insert" else None),
        "OP-057",
        "OP-060",
        "OP-243",
        "OP-042",
    ),
    decoder(
        "previous-image-unread", "OP-042", "`p` is not read", read_rows(_on("update", before=None)), "OP-057", "OP-060"
    ),
    decoder(
        "old-nulls-filled",
        "OP-042",
        "columns that were NULL are lost from the previous image",
        read_rows(lambda event, context: _nulls_lost("before")(event, context) if event["op"] == "update" else None),
    ),
    decoder(
        "columns-of-any-form-read",
        "OP-043",
        "columns are not checked",
        accepts("schema", "the column", "is not an object"),
        "OP-020",
        "OP-040",
    ),
    decoder(
        "columns-without-flags-refused",
        "OP-044b",
        "a column without `f` is refused",
        refuses("schema", lambda key, value: any("f" not in given for given in _columns_of(value))),
        "OP-001",
        "OP-106",
        "OP-240",
    ),
    decoder(
        "deletes-of-handle-columns",
        "OP-048",
        "of a delete the primary key alone is told",
        read_rows(_deletes_of_handle),
    ),
    decoder(
        "deletes-filled-with-null",
        "OP-048a",
        "columns that a delete lacks are told as NULL",
        read_rows(lambda event, context: _filled_with_null(event, context) if event["op"] == "delete" else None),
        "OP-244",
        "OP-160",
    ),
    decoder("updates-as-inserts", "OP-051", "updates are told as inserts", read_rows(_on("update", op="insert"))),
    decoder("inserts-as-upserts", "OP-051", "inserts are told as upserts", read_rows(_on("insert", op="upsert"))),
    decoder(
        "updates-without-old-values-as-deletes",
        "OP-243",
        "updates without `p` are told as deletes",
        read_rows(lambda event, context: event.update(op="delete") if event["op"] == "insert" else None),
        "OP-051",
        "OP-057",
    ),
    decoder(
        "reduced-rows-filled-with-null",
        "OP-244",
        "columns that a reduced row lacks are told as NULL",
        read_rows(_filled_with_null),
        "OP-048a",
        "OP-048",
        "OP-042",
        "OP-058",
        "OP-060",
    ),
    decoder(
        "null-as-empty-text-read", "OP-119", "NULL in a VARCHAR is told as an empty string", read_rows(_nulls_as_empty)
    ),
)

_FREE = (
    decoder(
        "update-without-changes-as-delete",
        "OP-057",
        "an update in which no column changed is told as a delete",
        read_rows(
            lambda event, context: (
                event.update(op="delete", before=event["after"], after=None)
                if event["op"] == "update" and not event["before"]
                else None
            )
        ),
        "OP-041",
        "OP-042",
    ),
    decoder(
        "old-values-filled-with-null", "OP-060", "old values that are not told are NULL", read_rows(_filled_otherwise)
    ),
)

_DDL = (
    decoder(
        "statements-of-any-form-read",
        "OP-065",
        "values of DDL events are not checked",
        accepts("schema", "DDL value", "'q'"),
    ),
    decoder(
        "statements-trimmed",
        "OP-066",
        "white space in statements is folded",
        read_kinds(lambda event, context: event.update(query=" ".join(event["query"].split())), "ddl"),
    ),
    decoder(
        "statement-cut",
        "OP-066",
        "statements are cut after 1000 characters",
        read_kinds(lambda event, context: event.update(query=event["query"][:1000]), "ddl"),
    ),
    decoder(
        "ddl-codes-read-from-0",
        "OP-143",
        "codes of statements are counted from 0",
        read_kinds(_code(lambda code: code - 1 if code <= 36 else code), "ddl"),
    ),
    decoder(
        "ddl-codes-of-the-document-read",
        "OP-143a",
        "codes that the document does not list are told as 0",
        read_kinds(_code(lambda code: 0 if 36 < code <= 77 else code), "ddl"),
    ),
    decoder(
        "unknown-ddl-codes-as-0",
        "OP-144",
        "codes that are not known are told as 0",
        read_kinds(_code(lambda code: 0 if code > 77 else code), "ddl"),
    ),
)

_STREAMS = (
    decoder(
        "row-told-once",
        "OP-200",
        "a row that comes again is not told again",
        edit_answer("decode", _once),
        "OP-001",
        "OP-205",
        "OP-203",
        "OP-204",
    ),
    decoder(
        "late-resolved-events-unread",
        "OP-205",
        "a resolved event that is not above every row before it is passed over",
        edit_answer("decode", lambda ok, context: _above_alone(ok)),
        "OP-001",
    ),
    decoder(
        "any-claim-read",
        "OP-170",
        "a claim-check file that is not there is passed over",
        accepts("semantics", "has no file"),
        "OP-173",
    ),
    decoder(
        "claims-of-any-form-read",
        "OP-172",
        "claim-check files are not checked",
        accepts("schema", "claim-check file"),
        "OP-170",
    ),
    decoder(
        "any-file-for-a-claim",
        "OP-173",
        "a claim-check file of another name is taken",
        accepts("semantics", "has no file"),
        "OP-170",
    ),
    decoder(
        "compressed-garbage-read",
        "OP-157",
        "values that cannot be decompressed are passed over",
        accepts("syntax", "lz4", "snappy"),
    ),
)


def _above_alone(ok: Tree) -> None:
    highest, events = -1, []
    for event in ok["events"]:
        if event["kind"] == "watermark" and int(event["commit_ts"]) <= highest:
            continue
        highest = max(highest, int(event["commit_ts"]))
        events.append(event)
    ok["events"] = events


MUTANTS: tuple[Mutant, ...] = (*_ALONE, *_IMAGES, *_FREE, *_DDL, *_STREAMS)
