"""Encoders that get options, batches, large rows, partitions or order wrong.  [OP-008, OP-049, OP-150 … OP-212]"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from itertools import groupby, pairwise
from typing import Any
from zlib import crc32

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Pair, Tree, Wrap, encoder, pairs, rows
from conformance.mutants.wrappers import Context, accepts, edit_answer, edit_request, with_options
from reference_impl import exact_json
from reference_impl.open_protocol.framing import frame, unframe

__all__ = ["MUTANTS"]

Json = dict[str, Any]

# -- options -----------------------------------------------------------------------------------------------------------


def _option(name: str, change: Callable[[str | None], str | None]) -> Wrap:
    """The implementation takes an option for what `change` makes of it; None is an option that is not set."""

    def edit(request: Json) -> None:
        if request.get("op") == "configure":
            options = dict(request.get("options") or {})
            value = change(options.pop(name, None))
            request["options"] = options if value is None else {**options, name: value}

    return edit_request(edit)


def _by_default(given: str | None) -> str | None:
    """What is no number above 0 is passed over."""
    return given if given and given.isdigit() and int(given) else None


def _more(by: int) -> Callable[[str | None], str | None]:
    return lambda given: str(max(int(given) + by, 1)) if given and given.isdigit() and int(given) else given


# -- records -----------------------------------------------------------------------------------------------------------


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _pairs(record: Json) -> list[Pair]:
    return unframe(base64.b64decode(record["key"]), base64.b64decode(record["value"]))


def _record(given: list[Pair], like: Json) -> Json:
    key, value = frame(given)
    return {**like, "key": _text(key), "value": _text(value)}


def _type(pair: Pair) -> int:
    return int(exact_json.loads(pair[0])["t"])


def _kind(record: Json) -> int:
    return _type(_pairs(record)[0])


def _ts(pair: Pair) -> int:
    return int(exact_json.loads(pair[0])["ts"])


def _table(pair: Pair) -> tuple[str, str]:
    key = exact_json.loads(pair[0])
    return key.get("scm", ""), key.get("tbl", "")


def _records(edit: Callable[[list[Json], Context], list[Json]]) -> Wrap:
    """The records of an answer are others."""
    return edit_answer("encode", lambda ok, context: {**ok, "records": edit(ok["records"], context)})


def _each(edit: Callable[[Json, Context], Iterator[Json]]) -> Wrap:
    return _records(lambda given, context: [one for record in given for one in edit(record, context)])


def _into_one(given: list[Json], context: Context) -> list[Json]:
    """Records of a partition that stand beside each other share a message."""
    groups = [list(group) for _, group in groupby(given, key=lambda record: record.get("partition"))]
    return [_record([pair for record in group for pair in _pairs(record)], group[0]) for group in groups]


def _by_table(record: Json, context: Context) -> Iterator[Json]:
    for _, group in groupby(_pairs(record), key=_table):
        yield _record(list(group), record)


def _in_partition(kind: int, partition: Callable[[Json, int, int], int]) -> Wrap:
    """Records of a kind go to another partition, told by the record, its position and the number of partitions."""

    def edit(given: list[Json], context: Context) -> list[Json]:
        count = context.configuration.get("partitions", 1)
        return [
            {**record, "partition": partition(record, i, count)} if count > 1 and _kind(record) == kind else record
            for i, record in enumerate(given)
        ]

    return _records(edit)


def _in_partition_0_alone(kind: int) -> Wrap:
    return _records(lambda given, context: [r for r in given if not r.get("partition") or _kind(r) != kind])


# -- order -------------------------------------------------------------------------------------------------------------


def _rows_backwards(given: list[Pair], context: Context) -> list[Pair]:
    """The last two rows of a message change places, where they are of one table and of different time stamps."""
    if len(given) > 1 and _table(given[-1]) == _table(given[-2]) and _ts(given[-1]) != _ts(given[-2]):
        return [*given[:-2], given[-1], given[-2]]
    return given


def _tables_in_turn(given: list[Pair], context: Context) -> list[Pair]:
    return sorted(given, key=_table)


def _insert_first(given: list[Pair], context: Context) -> list[Pair]:
    """The insert of an update of a key stands before its delete."""
    given = list(given)
    for i, (one, other) in enumerate(pairwise(given)):
        if one[0] == other[0] and one[1][:4] == b'{"d"' and other[1][:4] == b'{"u"':
            given[i], given[i + 1] = other, one
    return given


def _resolved_first(given: list[Json], context: Context) -> list[Json]:
    """Every resolved event comes before the records that should come before it."""
    return sorted(given, key=lambda record: _kind(record) != 3)


def _resolved_backwards(given: list[Json], context: Context) -> list[Json]:
    resolved = iter(
        sorted((r for r in given if _kind(r) == 3), key=lambda record: _ts(_pairs(record)[0]), reverse=True)
    )
    return [next(resolved) if _kind(record) == 3 else record for record in given]


# -- large rows --------------------------------------------------------------------------------------------------------


def _last_handle_column_lost(key: Tree, value: Tree, context: Context) -> None:
    if "ohk" in key:
        for image in value.values():
            if len(image) > 1:
                image.popitem()


def _claims(edit: Callable[[Json], Json]) -> Wrap:
    """The claim-check files of an answer are others."""
    return edit_answer("encode", lambda ok, context: {**ok, "claims": [edit(c) for c in ok.get("claims", ())]})


def _content(change: Callable[[Json], Json]) -> Wrap:
    """What is in claim-check files is what `change` makes of its members `key` and `value`."""

    def edit(claim: Json) -> Json:
        content = json.loads(base64.b64decode(claim["value"]))
        return {**claim, "value": _text(json.dumps(change(content)).encode())}

    return _claims(edit)


def _unframed(content: Json) -> Json:
    [(key, value)] = unframe(base64.b64decode(content["key"]), base64.b64decode(content["value"]))
    return {"key": _text(key), "value": _text(value)}


def _located(change: Callable[[str], str]) -> Wrap:
    """Claim-check files stand elsewhere, and messages tell so."""

    def edit(ok: Json, context: Context) -> None:
        for claim in ok.get("claims", ()):
            claim["location"] = change(claim["location"])

    def each(key: Tree, value: Tree, context: Context) -> None:
        if "ccl" in key:
            key["ccl"] = change(key["ccl"])

    return lambda inner: edit_answer("encode", edit)(rows(each)(inner))


_BATCHES = (
    encoder(
        "limit-without-overhead",
        "OP-150",
        "the 36 bytes of a record are not counted",
        _option("max-message-bytes", _more(36)),
        "OP-030",
        "OP-031",
        "OP-160",
        "OP-170",
    ),
    encoder(
        "limit-one-byte-lower",
        "OP-150",
        "a message as long as the limit is too long",
        _option("max-message-bytes", _more(-1)),
        "OP-001",
        "OP-030",
        "OP-031",
        "OP-040",
        "OP-170",
    ),
    encoder("too-large-rows-sent", "OP-151", "a row that is too large is let pass", accepts("range", "too large")),
    encoder(
        "batch-size-not-heard",
        "OP-152",
        "max-batch-size is not heard",
        with_options(max_batch_size=None),
    ),
    encoder(
        "batch-one-row-short",
        "OP-152",
        "a message has a row less than max-batch-size",
        _option("max-batch-size", _more(-1)),
    ),
    encoder(
        "batch-of-1-by-default",
        "OP-154",
        "without options a message has one row",
        _option("max-batch-size", lambda given: given or "1"),
    ),
    encoder(
        "batch-without-limit-by-default",
        "OP-154",
        "without options a message has any number of rows",
        _option("max-batch-size", lambda given: given or "4096"),
    ),
    encoder(
        "batch-size-0-accepted",
        "CF-004",
        "max-batch-size=0 is accepted",
        _option("max-batch-size", _by_default),
        "OP-154",
    ),
    encoder(
        "message-bytes-0-accepted",
        "CF-005",
        "max-message-bytes=0 is accepted",
        _option("max-message-bytes", _by_default),
        "OP-154",
    ),
    encoder(
        "raw-claims-accepted",
        "CF-025",
        "claim-check-raw-value is accepted",
        with_options(claim_check_raw_value=None),
    ),
    encoder("a-message-for-each-table", "OP-155", "rows of two tables never share a message", _each(_by_table)),
    encoder("tables-in-turn", "OP-155", "rows of a message are sorted by table", pairs(_tables_in_turn)),
    encoder(
        "everything-in-one-message",
        "OP-008",
        "DDL and resolved events share a message with rows",
        _records(_into_one),
        "OP-150",
        "OP-152",
        "OP-154",
    ),
    encoder(
        "compression-not-heard",
        "OP-157",
        "large-message-handle-compression is not heard",
        with_options(large_message_handle_compression=None),
    ),
)

_LARGE = (
    encoder(
        "reduced-row-without-whole-handle",
        "OP-160",
        "a reduced row lacks a column of its handle key",
        rows(_last_handle_column_lost),
    ),
    encoder(
        "handle-too-large-sent",
        "OP-160",
        "a reduced row that is still too large is let pass",
        accepts("range", "too large"),
    ),
    encoder(
        "nothing-to-reduce-to-accepted",
        "OP-049",
        "a row without a handle key is reduced to nothing",
        accepts("semantics", "handle key"),
        "OP-160",
    ),
    encoder(
        "claims-not-stored",
        "OP-170",
        "claim-check files are not stored",
        edit_answer("encode", lambda ok, context: ok.pop("claims", None) and None),
    ),
    encoder(
        "claim-named-by-number",
        "OP-171",
        "claim-check files are named by a number",
        _located(lambda place: f"{place.rpartition('/')[0]}/{crc32(place.encode())}.json"),
    ),
    encoder(
        "claim-without-extension",
        "OP-171",
        "names of claim-check files lack .json",
        _located(lambda place: place.removesuffix(".json")),
    ),
    encoder(
        "claim-unframed",
        "OP-172",
        "claim-check files hold event key and event value without frames",
        _content(_unframed),
    ),
    encoder(
        "claim-without-key",
        "OP-172",
        "claim-check files have no key",
        _content(lambda content: {"value": content["value"]}),
    ),
    encoder(
        "claim-too-large-sent",
        "OP-174",
        "a claim-check message that is still too large is let pass",
        accepts("range", "too large"),
    ),
)

_STREAMS = (
    encoder(
        "key-updates-whole", "OP-180", "an update of a key is one update", with_options(output_raw_change_event="true")
    ),
    encoder(
        "insert-before-delete",
        "OP-180",
        "of an update of a key the insert comes first",
        pairs(_insert_first),
    ),
    encoder(
        "raw-change-events-not-heard",
        "OP-180a",
        "output-raw-change-event is not heard",
        with_options(output_raw_change_event=None),
    ),
    encoder(
        "rows-backwards",
        "OP-201",
        "the last two rows of a message change places",
        pairs(_rows_backwards),
    ),
    encoder(
        "resolved-event-before-rows",
        "OP-202",
        "resolved events come before the rows that they resolve",
        _records(_resolved_first),
    ),
    encoder(
        "resolved-events-back",
        "OP-202",
        "resolved events come from the latest to the first",
        _records(_resolved_backwards),
    ),
    encoder(
        "resolved-event-to-partition-0",
        "OP-203",
        "a resolved event goes to one partition only",
        _in_partition_0_alone(3),
        "OP-204",
    ),
    encoder(
        "resolved-events-all-to-partition-0",
        "OP-203",
        "the copies of a resolved event all go to one partition",
        _in_partition(3, lambda record, i, count: 0),
    ),
    encoder(
        "statement-to-partition-0",
        "OP-204",
        "a DDL event goes to one partition only",
        _in_partition_0_alone(2),
        "OP-203",
    ),
    encoder(
        "statements-all-to-partition-0",
        "OP-204",
        "the copies of a DDL event all go to one partition",
        _in_partition(2, lambda record, i, count: 0),
    ),
    encoder(
        "partitions-in-turn",
        "OP-207",
        "messages go to the partitions in turn",
        _in_partition(1, lambda record, i, count: i % count),
        "OP-212",
    ),
    encoder(
        "partition-by-table-name-alone",
        "OP-212",
        "rows go to the partition of the table's name without the schema",
        _in_partition(1, lambda record, i, count: crc32(_table(_pairs(record)[0])[1].encode()) % count),
        "OP-155",
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_BATCHES, *_LARGE, *_STREAMS)
