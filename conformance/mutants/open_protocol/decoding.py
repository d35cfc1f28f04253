"""Decoders that misread messages, events or rows, or are too lenient or too strict."""

from __future__ import annotations

import base64
from collections.abc import Callable

from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.open_protocol.edits import decoder, refuses
from conformance.mutants.wrappers import IMAGES_EXCHANGED, Context, Json, accepts, edit_answer, edit_request, read_rows

__all__ = ["MUTANTS"]

# -- messages ----------------------------------------------------------------------------------------------------------

_WORD = 8
"""Bytes of a number in a frame."""


def _narrowed(data: bytes, at: int, bits: int) -> bytes:
    """The data in which each length from an offset on is cut to its lowest `bits`."""
    while at + _WORD <= len(data):
        length = int.from_bytes(data[at : at + _WORD], "big") & (1 << bits) - 1
        data = data[:at] + length.to_bytes(_WORD, "big") + data[at + _WORD :]
        at += _WORD + length
    return data


def _in_fewer_bits(edit: Callable[[bytes, bytes], tuple[bytes, bytes]]) -> Wrap:
    """A decoder that reads 64-bit numbers in the key and value of every record with fewer bits."""

    def each(request: Json) -> None:
        for record in request.get("records", ()) if request.get("op") == "decode" else ():
            if record.get("key") is not None and record.get("value") is not None:
                sides = edit(*(base64.b64decode(record[side]) for side in ("key", "value")))
                record.update(zip(("key", "value"), (base64.b64encode(s).decode() for s in sides), strict=True))

    return edit_request(each)


def _last_lost(ok: Json, context: Context) -> None:
    if len(ok["events"]) > len(context.request["records"]):
        ok["events"].pop()


# -- members of events -------------------------------------------------------------------------------------------------

_KNOWN_IN_A_KEY = frozenset({"ts", "scm", "tbl", "t", "rid", "ptn", "ohk", "ccl"})


def _refuses_columns(reason: str, is_meant: Callable[[Json], bool]) -> Wrap:
    """A decoder that refuses events with a matching column in an image."""
    return refuses(
        reason,
        lambda key, value: any(
            isinstance(column, dict) and is_meant(column)
            for image in "upd"
            for column in (value.get(image) or {}).values()
        ),
    )


MUTANTS: tuple[Mutant, ...] = (
    decoder("lengths-read-in-32-bits", "OP-004", "lengths are read in 32 bits")(
        _in_fewer_bits(lambda key, value: (_narrowed(key, _WORD, 32), _narrowed(value, 0, 32)))
    ),
    decoder("versions-read-in-8-bits", "OP-005", "only the last byte of the version is read")(
        _in_fewer_bits(lambda key, value: (bytes(_WORD - 1) + key[_WORD - 1 :] if len(key) >= _WORD else key, value))
    ),
    decoder("last-event-of-a-message-unread", "OP-257", "the last event of a message of several is not read")(
        edit_answer("decode", _last_lost)
    ),
    decoder("short-keys-read", "OP-002", "a key that is cut is read up to its end")(
        accepts("framing", "key:", "short key", "no key")
    ),
    decoder("cut-values-read", "OP-003", "a value that is cut or too long is read as far as it is valid")(
        accepts("framing", "value")
    ),
    decoder("nameless-tables-refused", "OP-024a", "DDL events without a table are refused")(
        refuses("schema", lambda key, value: key["t"] == 2 and not key.get("tbl"))
    ),
    decoder("doubled-ohk-refused", "OP-032", "a key with `ohk` twice is refused")(
        refuses("schema", lambda key, value: bool(getattr(key, "doubled", ())))
    ),
    decoder("unknown-members-refused", "OP-245", "unknown members are refused")(
        refuses("schema", lambda key, value: not set(key) <= _KNOWN_IN_A_KEY)
    ),
    decoder("columns-without-flags-refused", "OP-044b", "a column without `f` is refused")(
        _refuses_columns("schema", lambda column: "f" not in column)
    ),
    decoder("code-14-refused", "OP-105", "the type code 14 is refused")(
        _refuses_columns("type", lambda column: column.get("t") == 14)
    ),
    decoder("code-253-refused", "OP-116", "the type code 253 is refused")(
        _refuses_columns("type", lambda column: column.get("t") == 253)
    ),
    decoder("year-without-flag-refused", "OP-240", "a YEAR without flags is refused")(
        _refuses_columns("type", lambda column: column.get("t") == 13 and "f" not in column)
    ),
    decoder("images-swapped-when-read", "OP-040", "the images of an update are exchanged")(IMAGES_EXCHANGED),
    decoder("previous-image-unread", "OP-042", "`p` is not read")(
        read_rows(lambda event, context: event.update(before=None) if event["op"] == "update" else None)
    ),
)
