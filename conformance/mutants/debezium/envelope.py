"""Encoders that get the payload of rows wrong: its members, `source`, the images.  [DBZ-040 … DBZ-046]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Edit,
    Message,
    change,
    drop,
    encoder,
    every,
    images,
    insert,
    put,
    rows,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.tso import physical_ms

__all__ = ["MUTANTS"]

# -- source ------------------------------------------------------------------------------------------------------------

_SOURCE = "value.payload.source"
_MEMBERS = (
    *("version", "connector", "name", "ts_ms", "snapshot", "db", "table", "server_id", "gtid", "file", "pos", "row"),
    *("thread", "query", "commit_ts", "cluster_id"),
)

# (requirement, member, name, what it is, made of the right value)
_WRONG: tuple[tuple[str, str, str, str, Callable[[Any], Any]], ...] = (
    ("DBZ-041a", "version", "newer", "that of another connector", lambda v: "2.5.0.Final"),
    ("DBZ-041a", "version", "of-ticdc", "that of TiCDC", lambda v: "v8.5.4"),
    ("DBZ-041b", "connector", "mysql", "mysql", lambda v: "mysql"),
    ("DBZ-041b", "connector", "lower-case", "in lower case", lambda v: v.lower()),
    ("DBZ-041c", "name", "empty", "empty", lambda v: ""),
    ("DBZ-041c", "name", "prefixed", "a prefix for topics", lambda v: f"{v}-server"),
    ("DBZ-041d", "ts_ms", "seconds", "in seconds", lambda v: v // 1000),
    ("DBZ-041d", "ts_ms", "text", "a text", str),
    ("DBZ-041e", "snapshot", "boolean", "a boolean", lambda v: False),
    ("DBZ-041e", "snapshot", "null", "null", lambda v: None),
    ("DBZ-041h", "server-id", "one", "1", lambda v: 1),
    ("DBZ-041h", "server-id", "null", "null", lambda v: None),
    ("DBZ-041i", "gtid", "empty", "an empty text", lambda v: ""),
    ("DBZ-041j", "file", "null", "null", lambda v: None),
    ("DBZ-041j", "file", "binlog", "the name of a file", lambda v: "mysql-bin.000003"),
    ("DBZ-041k", "pos", "null", "null", lambda v: None),
    ("DBZ-041k", "pos", "text", "a text", str),
    ("DBZ-041l", "row", "one", "1", lambda v: 1),
    ("DBZ-041m", "thread", "null", "null", lambda v: None),
    ("DBZ-041n", "query", "empty", "an empty text", lambda v: ""),
    ("DBZ-041p", "cluster-id", "null", "null", lambda v: None),
    ("DBZ-041p", "cluster-id", "upper-case", "in upper case", lambda v: v.upper()),
)

# As above, of rows alone.
_WRONG_OF_ROWS: tuple[tuple[str, str, str, str, Callable[[Any], Any]], ...] = (
    ("DBZ-041f", "db", "lower-case", "in lower case", lambda v: v.lower()),
    ("DBZ-041f", "db", "quoted", "in back quotes", lambda v: f"`{v}`"),
    ("DBZ-041g", "table", "lower-case", "in lower case", lambda v: v.lower()),
    ("DBZ-041g", "table", "quoted", "in back quotes", lambda v: f"`{v}`"),
    ("DBZ-041o", "commit-ts", "physical", "without its logical part", lambda v: v >> 18 << 18),
    ("DBZ-041o", "commit-ts", "double", "from a 64-bit float", lambda v: int(float(v))),
    ("DBZ-041o", "commit-ts", "ms", "in milliseconds", physical_ms),
    ("DBZ-041o", "commit-ts", "text", "a text", str),
)


def _swapped(message: Message, context: Context) -> None:
    source = message.source
    source["db"], source["table"] = source["table"], source["db"]


def _qualified(message: Message, context: Context) -> None:
    message.source["table"] = ".".join(message.table)


def _time_of_now(message: Message, context: Context) -> None:
    message.source["ts_ms"] = message.payload["ts_ms"]


def _commit_by_extension(name: str) -> Edit:
    def edit(message: Message, context: Context) -> None:
        if context.options.get("enable-tidb-extension") != "true":
            message.source.pop(name)

    return edit


def _source() -> Iterator[Mutant]:
    for member in _MEMBERS:
        name = member.replace("_", "-")
        yield encoder(
            f"source-without-{name}", "DBZ-041", f"source.{member} is left out", every(drop(f"{_SOURCE}.{member}"))
        )
    for member in ("commit_ts", "cluster_id"):
        yield encoder(
            f"source-{member.replace('_', '-')}-by-extension",
            "DBZ-041",
            f"source.{member} is left out without the extension",
            every(_commit_by_extension(member)),
        )
    for among, wrong in ((every, _WRONG), (rows, _WRONG_OF_ROWS)):
        for requirement, name, fault, what, make in wrong:
            member = name.replace("-", "_")
            edit = change(f"{_SOURCE}.{member}", make)
            yield encoder(f"source-{name}-{fault}", requirement, f"source.{member} is {what}", among(edit))
    yield encoder("source-ts-ms-now", "DBZ-041d", "source.ts_ms is the time of writing", every(_time_of_now))
    yield encoder("source-names-swapped", "DBZ-041f", "schema and table change places", rows(_swapped), "DBZ-041g")
    yield encoder("source-table-qualified", "DBZ-041g", "the table with its schema before it", rows(_qualified))
    yield encoder("source-sequence", "DBZ-041q", "source has a sequence", every(insert(f"{_SOURCE}.sequence", None)))


# -- members -----------------------------------------------------------------------------------------------------------


def _reordered(*names: str) -> Edit:
    """Members stand at the end, in that order."""

    def edit(message: Message, context: Context) -> None:
        for name in names:
            if name in message.payload:
                message.payload[name] = message.payload.pop(name)

    return edit


def _members() -> Iterator[Mutant]:
    yield encoder("payload-without-source", "DBZ-041", "the payload has no source", every(drop(_SOURCE)))
    yield encoder("payload-source-null", "DBZ-041", "source is null", every(put(_SOURCE, None)))
    yield encoder("ts-ms-left-out", "DBZ-042", "ts_ms is left out", every(drop("value.payload.ts_ms")))
    yield encoder(
        "ts-ms-seconds", "DBZ-042", "ts_ms is in seconds", every(change("value.payload.ts_ms", lambda v: v // 1000))
    )
    yield encoder(
        "ts-ms-nanoseconds",
        "DBZ-042",
        "ts_ms is in nanoseconds",
        every(change("value.payload.ts_ms", lambda v: v * 10**6)),
    )
    yield encoder("ts-ms-text", "DBZ-042", "ts_ms is a text", every(change("value.payload.ts_ms", str)))
    yield encoder(
        "transaction-left-out", "DBZ-042a", "transaction is left out", rows(drop("value.payload.transaction"))
    )
    yield encoder(
        "transaction-empty", "DBZ-042a", "transaction is an empty object", rows(put("value.payload.transaction", {}))
    )
    for name, op, wrong in (("insert", "c", "r"), ("insert", "c", "i"), ("update", "u", "c"), ("delete", "d", "u")):
        yield encoder(
            f"op-of-{name}-{wrong}", "DBZ-042b", f"op of {name}s is {wrong}", rows(put("value.payload.op", wrong), op)
        )
    yield encoder("op-left-out", "DBZ-042b", "op is left out", rows(drop("value.payload.op")))
    yield encoder(
        "source-last", "DBZ-042c", "source stands behind the images", rows(_reordered("source", "op", "ts_ms"))
    )
    yield encoder(
        "source-schema-sorted",
        "DBZ-051h",
        "the fields of `source` are described in the order of their names",
        every(_sorted("value.schema.fields.source.fields")),
    )
    yield encoder(
        "transaction-schema-sorted",
        "DBZ-051h",
        "the fields of `transaction` are described in the order of their names",
        every(_sorted("value.schema.fields.transaction.fields")),
    )


def _sorted(path: str) -> Edit:
    def edit(message: Message, context: Context) -> None:
        fields = message.find(path)
        if fields is not None:
            fields.sort(key=lambda field: str(field["field"]))

    return edit


# -- images ------------------------------------------------------------------------------------------------------------


def _exchanged(message: Message, context: Context) -> None:
    payload = message.payload
    if "before" in payload:
        payload["before"], payload["after"] = payload["after"], payload["before"]


def _before_lost(message: Message, context: Context) -> None:
    if "before" in message.payload:
        message.payload["before"] = None


def _new_before(message: Message, context: Context) -> None:
    if "before" in message.payload:
        message.payload["before"] = message.payload["after"]


def _old_after(message: Message, context: Context) -> None:
    message.payload["after"] = message.payload.get("before", message.payload["after"])


def _last_lost(message: Message, context: Context) -> None:
    for image in images(message, "before after"):
        if len(image) > 1:
            image.popitem()


def _without_nulls(message: Message, context: Context) -> None:
    for image in images(message, "before after"):
        for name in [name for name, value in image.items() if value is None]:
            del image[name]


def _changed_alone(side: str) -> Edit:
    """One image of an update has the columns alone whose value changes."""

    def edit(message: Message, context: Context) -> None:
        payload = message.payload
        if "before" in payload:
            before, after = payload["before"], payload["after"]
            payload[side] = {
                n: v for n, v in payload[side].items() if before.get(n) != after.get(n) or n in message.key
            }

    return edit


def _sorted_columns(message: Message, context: Context) -> None:
    for side in ("before", "after"):
        if isinstance(message.payload.get(side), dict):
            message.payload[side] = dict(sorted(message.payload[side].items(), reverse=True))


def _with_virtual(message: Message, context: Context) -> None:
    for table in context.request["tables"]:
        if (table["schema"], table["name"]) == message.table:
            for column in (c for c in table["columns"] if c.get("generated") == "virtual"):
                for image in images(message, "before after"):
                    image[column["name"]] = None


def _without_stored(message: Message, context: Context) -> None:
    for table in context.request["tables"]:
        if (table["schema"], table["name"]) == message.table:
            for column in (c for c in table["columns"] if c.get("generated") == "stored"):
                for image in images(message, "before after"):
                    image.pop(column["name"], None)


def _lower_case(message: Message, context: Context) -> None:
    for side in ("before", "after"):
        if isinstance(message.payload.get(side), dict):
            message.payload[side] = {name.lower(): value for name, value in message.payload[side].items()}


# Where an image is that of another row, each rule of a value may speak of what is another there.
_ANY_VALUE = (
    *("DBZ-100a", "DBZ-101a", "DBZ-102a", "DBZ-103a", "DBZ-104a", "DBZ-104c", "DBZ-105a"),
    *("DBZ-106a", "DBZ-107a", "DBZ-108a", "DBZ-109a", "DBZ-110a", "DBZ-111a", "DBZ-112a"),
    *("DBZ-113a", "DBZ-114a", "DBZ-115a", "DBZ-116a", "DBZ-117a", "DBZ-118a", "DBZ-119a", "DBZ-119b", "DBZ-120a"),
    *("DBZ-122a", "DBZ-123a", "DBZ-124a", "DBZ-125a", "DBZ-134", "DBZ-135", "DBZ-136", "DBZ-160a"),
    *("DBZ-162", "DBZ-162a", "DBZ-162b", "DBZ-162c", "DBZ-162d", "DBZ-162e", "DBZ-162f", "DBZ-162g", "DBZ-163"),
)


def _images() -> Iterator[Mutant]:
    before, after = "value.payload.before", "value.payload.after"
    yield encoder(
        "insert-before-empty", "DBZ-043", "`before` of inserts is an empty object", rows(put(before, {}), "c")
    )
    yield encoder("insert-before-left-out", "DBZ-043", "`before` of inserts is left out", rows(drop(before), "c"))
    yield encoder(
        "insert-before-row",
        "DBZ-043",
        "`before` of inserts is the row",
        rows(lambda m, context: m.payload.update(before=m.payload["after"]), "c"),
    )
    yield encoder("delete-after-empty", "DBZ-043a", "`after` of deletes is an empty object", rows(put(after, {}), "d"))
    yield encoder("delete-after-left-out", "DBZ-043a", "`after` of deletes is left out", rows(drop(after), "d"))
    yield encoder(
        "delete-after-row",
        "DBZ-043a",
        "`after` of deletes is the row",
        rows(lambda m, context: m.payload.update(after=m.payload["before"]), "d"),
    )
    yield encoder("update-before-null", "DBZ-043b", "`before` of updates is null", rows(_before_lost, "u"))
    yield encoder(
        "update-before-new", "DBZ-043b", "`before` of updates is the new row", rows(_new_before, "u"), *_ANY_VALUE
    )
    yield encoder("delete-before-null", "DBZ-043b", "`before` of deletes is null", rows(put(before, None), "d"))
    yield encoder(
        "update-images-exchanged", "DBZ-043b", "the images of updates change places", rows(_exchanged, "u"), "DBZ-043c"
    )
    yield encoder("insert-after-null", "DBZ-043c", "`after` of inserts is null", rows(put(after, None), "c"))
    yield encoder(
        "update-after-old",
        "DBZ-043c",
        "`after` of updates is the old row",
        rows(_old_after, "u"),
        *(*_ANY_VALUE, "DBZ-160"),
    )
    yield encoder("delete-before-first", "DBZ-043d", "`before` of deletes stands first", rows(_reordered("after"), "d"))
    yield encoder("virtual-columns", "DBZ-045", "virtual generated columns are in the images", rows(_with_virtual))
    yield encoder(
        "stored-columns-lost",
        "DBZ-045",
        "stored generated columns are not in the images",
        rows(_without_stored),
        "DBZ-045a",
        "DBZ-046",
    )
    yield encoder("column-lost", "DBZ-045a", "the last column is missing", rows(_last_lost), "DBZ-045", "DBZ-046")
    yield encoder(
        "null-left-out", "DBZ-045a", "columns that are NULL are left out", rows(_without_nulls), "DBZ-045", "DBZ-046"
    )
    yield encoder("columns-lower-case", "DBZ-045a", "columns in lower case", rows(_lower_case), "DBZ-040a", "DBZ-046")
    yield encoder("columns-sorted", "DBZ-045b", "columns are not in the order of the table", rows(_sorted_columns))
    yield encoder(
        "unchanged-left-out",
        "DBZ-046",
        "`before` of updates has the changed columns alone",
        rows(_changed_alone("before"), "u"),
        "DBZ-045a",
        "DBZ-045",
    )
    yield encoder(
        "unchanged-left-out-after",
        "DBZ-046",
        "`after` of updates has the changed columns alone",
        rows(_changed_alone("after"), "u"),
        "DBZ-045a",
        "DBZ-045",
    )


MUTANTS: tuple[Mutant, ...] = (*_source(), *_members(), *_images())
