"""Decoders that get messages or events wrong, or are too lax or too strict.  [OP-001 … OP-034, OP-065, OP-143 …]"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import (
    Tree,
    Wrap,
    decoder,
    pairs_of,
    read_kinds,
    refuses,
)
from conformance.mutants.wrappers import Context, accepts, edit_answer, edit_request, unread_up_to_watermarks

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


def _once(ok: Tree, context: Context) -> None:
    """What was read before is not told again."""
    seen: list[Any] = []
    for event in ok["events"]:
        if event not in seen:
            seen.append(event)
    ok["events"] = seen


def _to_double(event: Tree, context: Context) -> None:
    event["commit_ts"] = str(int(float(event["commit_ts"])))


def _lower_case(event: Tree, context: Context) -> None:
    event.update(schema=event["schema"].lower(), table=event["table"].lower())


def _code(change: Callable[[int], int]) -> Callable[[Tree, Context], None]:
    return lambda event, context: event.update(action_code=change(event["action_code"]))


def _misnamed(applies: Callable[[int], bool]) -> Callable[[Tree, Context], None]:
    return lambda event, context: event.update(action="drop table") if applies(event["action_code"]) else None


_WORD = 8


def _narrowed(data: bytes, at: int, bits: int) -> bytes:
    """The data with each length from a place on cut to its lowest bits."""
    while at + _WORD <= len(data):
        length = int.from_bytes(data[at : at + _WORD], "big") & (1 << bits) - 1
        data = data[:at] + length.to_bytes(_WORD, "big") + data[at + _WORD :]
        at += _WORD + length
    return data


def _in_fewer_bits(edit: Callable[[bytes, bytes], tuple[bytes, bytes]]) -> Wrap:
    """A decoder that reads words of the key and value of every record in fewer bits than they have."""

    def each(request: Tree) -> None:
        for record in request.get("records", ()) if request.get("op") == "decode" else ():
            if record.get("key") is not None and record.get("value") is not None:
                sides = edit(*(base64.b64decode(record[side]) for side in ("key", "value")))
                record.update(zip(("key", "value"), (base64.b64encode(s).decode() for s in sides), strict=True))

    return edit_request(each)


_ALONE = (
    decoder(
        "lengths-read-in-32-bits",
        "OP-004",
        "lengths are read in 32 bits",
        _in_fewer_bits(lambda key, value: (_narrowed(key, _WORD, 32), _narrowed(value, 0, 32))),
    ),
    decoder(
        "versions-read-in-8-bits",
        "OP-005",
        "the last byte of the version alone is read",
        _in_fewer_bits(lambda key, value: (bytes(_WORD - 1) + key[_WORD - 1 :] if len(key) >= _WORD else key, value)),
    ),
    decoder(
        "last-event-of-a-message-unread",
        "OP-257",
        "the last event of a message of several is not read",
        edit_answer("decode", _last_lost),
        "OP-249",
    ),
    decoder(
        "one-event-of-a-mixed-message-read",
        "OP-249",
        "of a message with DDL or resolved events the first is read",
        edit_answer("decode", _one_of_others),
        "OP-257",
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
        "OP-172",
    ),
    decoder(
        "lengths-beyond-63-bits-read",
        "OP-004",
        "a length with its top bit set is passed over",
        accepts("framing", "beyond"),
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
        "OP-083a",
        "OP-205",
        "OP-245",
        "OP-249",
        "OP-259",
    ),
    decoder(
        "keys-without-form-read",
        "OP-020",
        "event keys are not checked",
        accepts("schema", "event key"),
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
        "OP-143a",
    ),
    decoder(
        "resolved-events-as-statements",
        "OP-025",
        "resolved events are told as DDL",
        read_kinds(lambda event, context: event.update(kind="ddl", schema="", table="", query=""), "watermark"),
    ),
    decoder(
        "time-stamps-through-a-double",
        "OP-027",
        "time stamps are read into 53 bits",
        read_kinds(_to_double, "row", "ddl", "watermark"),
    ),
    decoder("names-folded", "OP-034", "names of schemas and tables are folded", read_kinds(_lower_case, "row", "ddl")),
    decoder(
        "doubled-ohk-refused",
        "OP-032",
        "a key with `ohk` twice is refused",
        refuses("schema", lambda key, value: bool(getattr(key, "doubled", ()))),
    ),
    decoder(
        "values-of-any-form-read",
        "OP-040",
        "what is no JSON is passed over",
        accepts("syntax", "not JSON"),
    ),
    decoder(
        "unknown-members-refused",
        "OP-245",
        "members that are not known are refused",
        refuses("schema", lambda key, value: bool(set(key) - _KNOWN_IN_A_KEY)),
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
        "start-invented",
        "OP-258",
        "rows have a start time stamp",
        read_kinds(lambda event, context: event.update(start_ts="5"), "row"),
    ),
    decoder(
        "ddl-codes-of-the-document-read",
        "OP-143a",
        "codes that the document does not list are told as 0",
        read_kinds(_code(lambda code: 0 if 36 < code <= 77 else code), "ddl"),
    ),
    decoder(
        "ddl-actions-beyond-the-document-misnamed",
        "OP-143a",
        "kinds of statement that the document does not list are called DROP TABLE",
        read_kinds(_misnamed(lambda code: code > 36), "ddl"),
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
    ),
    decoder(
        "late-resolved-events-unread",
        "OP-205",
        "a resolved event that is not above every row before it is passed over",
        edit_answer("decode", lambda ok, context: _above_alone(ok)),
    ),
    decoder(
        "up-to-the-resolved-event-unread",
        "OP-259",
        "rows at a resolved event before them are passed over",
        unread_up_to_watermarks,
    ),
    decoder(
        "any-file-for-a-claim",
        "OP-173",
        "a claim-check file of another name is taken",
        accepts("semantics", "has no file"),
        "OP-170",
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


MUTANTS: tuple[Mutant, ...] = (*_ALONE, *_DDL, *_STREAMS)
