"""Avro data that are read a field at a time are what fastavro reads, and in the form in which TiCDC writes them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from differential.decode.quick.avro_columns import Messages, Records
from reference_impl.avro import binary

PRIMITIVES = ("int", "long", "float", "double", "string", "bytes")
CODINGS = {
    "plain": [(kind, kind) for kind in PRIMITIVES],
    "null first": [(kind, ["null", kind]) for kind in PRIMITIVES],
    "null last": [(kind, [kind, "null"]) for kind in PRIMITIVES],
}
WITHIN = "within"


def coding_of(name: str) -> binary.RecordCoding:
    """A record of all types, with a record of the same within it, before its last field."""
    fields = CODINGS[name]
    return binary.record("outer", [*fields[:-1], (WITHIN, ["null", binary.record("inner", fields)]), fields[-1]])


def datum_of(name: str, draw: random.Random) -> dict[str, Any]:
    """A drawn datum with the names of branches."""

    def value(kind: str) -> Any:
        size = draw.choice((0, 1, 6, 7, 13, 14, 31, 63))
        number = draw.choice((-1, 1)) * draw.getrandbits(min(size, 31) if kind == "int" else size)
        text = draw.choice(("", "a", "é", "\0", "汉字", "😀")) * draw.choice((1, 3, 70))
        return {"int": number, "long": number, "string": text, "bytes": text.encode("utf-16")}.get(
            kind, draw.choice((0.0, -0.0, 1.5, 2.0**100, float("inf")))
        )

    def fields() -> dict[str, Any]:
        return {
            kind: value(kind) if coding == kind else ("null", None) if draw.random() < 0.3 else (kind, value(kind))
            for kind, coding in CODINGS[name]
        }

    within = ("null", None) if draw.random() < 0.3 else ("inner", fields())
    return fields() | {WITHIN: within}


def read(coding: binary.RecordCoding, bodies: list[bytes]) -> list[dict[str, Any] | None]:
    """The data of messages; None if the reader is not sure."""
    messages = Messages(bodies)
    found = Records(coding, messages, messages.begins, messages.ends)
    there, within = found.within[WITHIN]
    return [
        {name: column[number] for name, column in found.fields.items()}
        | {WITHIN: {name: column[number] for name, column in within.items()} if there[number] else None}
        if sure
        else None
        for number, sure in enumerate(found.sure.tolist())
    ]


@pytest.mark.parametrize("name", CODINGS)
def test_data_as_ticdc_writes_them_are_read_as_fastavro_reads_them(name: str) -> None:
    draw, ready = random.Random(7), binary.prepared(coding_of(name))
    bodies = [binary.write(ready, datum_of(name, draw)) for _ in range(200)]
    assert repr(read(coding_of(name), bodies)) == repr([in_order(binary.read(ready, body)) for body in bodies])


@pytest.mark.parametrize("name", CODINGS)
def test_broken_data_are_read_only_where_they_are_what_ticdc_writes(name: str) -> None:
    draw, ready = random.Random(8), binary.prepared(coding_of(name))
    bodies = [broken(binary.write(ready, datum_of(name, draw)), draw) for _ in range(3000)]
    sure = 0
    for body, datum in zip(bodies, read(coding_of(name), bodies), strict=True):
        if datum is not None:
            sure += 1
            assert repr(datum) == repr(in_order(binary.read(ready, body)))
            assert body == binary.write(ready, binary.read(ready, body))
    assert 0 < sure < len(bodies)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x80",
        b"\x80\x00",
        b"\x02\x00",
        b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02",
        b"\xff" * 9 + b"\x03",
        b"\xff" * 11,
    ],
)
def test_a_number_that_is_cut_off_too_long_or_not_in_its_shortest_form_is_not_sure(body: bytes) -> None:
    messages = Messages([body, b"\x02"])
    found = Records(binary.record("one", [("long", "long")]), messages, messages.begins, messages.ends)
    assert found.sure.tolist() == [False, True]


def test_the_smallest_and_the_largest_numbers_are_read() -> None:
    bodies = [b"\xff" * 9 + b"\x01", b"\xfe" + b"\xff" * 8 + b"\x01"]
    messages = Messages(bodies)
    found = Records(binary.record("one", [("long", "long")]), messages, messages.begins, messages.ends)
    assert (found.fields["long"], found.sure.all()) == ([-(2**63), 2**63 - 1], True)


def in_order(datum: dict[str, Any]) -> dict[str, Any]:
    """The datum with the record within it last."""
    return {name: value for name, value in datum.items() if name != WITHIN} | {WITHIN: datum[WITHIN]}


def broken(body: bytes, draw: random.Random) -> bytes:
    """The bytes with a bit changed, or a byte left out or put in, at a drawn place; or as they are."""
    place, how = draw.randrange(len(body)), draw.randrange(4)
    if how == 0:
        return body[:place] + bytes([body[place] ^ 1 << draw.randrange(8)]) + body[place + 1 :]
    if how == 1:
        return body[:place] + body[place + 1 :]
    if how == 2:
        return body[:place] + bytes([draw.randrange(256)]) + body[place:]
    return body
