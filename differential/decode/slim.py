"""The slim record: a decoded message, as it is sent to where the sides are compared.

Row changes have their images in `payload`; every other kind of message (unreadable, odd, a statement) has its text
there, so that nothing is lost.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Annotated, Any, NamedTuple, get_type_hints

import orjson

from conformance.errors import our_fault
from differential.decode.changes import ChangeReader, place_of
from differential.decode.contents import Content, Oddity, Statement
from differential.model import PARTLY, UNKNOWN, Change, Failed, Place, Unreadable
from reference_impl.model import Record

__all__ = [
    "COLUMNS",
    "ORDERING",
    "Kind",
    "Slim",
    "change_of",
    "contents_of",
    "counts_of",
    "counts_row",
    "failure_in",
    "identifying_image",
    "images_of",
    "key_seed",
    "oddity_in",
    "partition_of",
    "partition_row",
    "payload_part",
    "slim_rows",
    "statement_in",
    "unreadable_in",
]


class Slim(NamedTuple):
    """A slim record; each field has the type of its column.

    `model.Change` explains those of a change.
    """

    group: Annotated[int, "int64"]  # a hash of schema, table and key
    schema: Annotated[str, "string"]
    table: Annotated[str, "string"]
    key: Annotated[bytes, "binary"]
    side: Annotated[int, "int8"]  # 0 for left, 1 for right, 2 for third
    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    offset: Annotated[int, "int64"]
    step: Annotated[int, "int32"]  # the number of the record in its message
    kind: Annotated[int, "int8"]  # a `Kind`
    op: Annotated[str, "string"]
    moved: Annotated[bool, "bool"]
    commit_ts: Annotated[str | None, "string"]  # in digits
    instant: Annotated[str, "string"]
    payload: Annotated[bytes | None, "binary"]  # the images of a change (`images_of`), or the text of another record

    @property
    def place(self) -> tuple[str, int, int]:
        """Topic, partition and offset of its message."""
        return self[5:8]

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key of rows: key group, side, place of the message, and step in the message."""
        return self[:9]


COLUMNS = tuple((name, kind.__metadata__[0]) for name, kind in get_type_hints(Slim, include_extras=True).items())
"""Name and type of each column."""

ORDERING = Slim._fields[:9]
"""The columns by which rows are sorted: those of `Slim.order`."""


class Kind(IntEnum):
    """The kinds of slim records."""

    CHANGE = 0
    UNREADABLE = 1
    ODDITY = 2
    STATEMENT = 3
    COUNTS = 4  # of messages, by kind or by partition
    SUITE_ERROR = 5
    CHECKS = 6  # many check records, see `checks.records`


# A payload is the images before and after the change, a line each; an unknown image is partial without any part.
_NO_ROW = b"-"
_MESSAGES = "messages of a partition"


def payload_part(image: bytes | None) -> bytes:
    """An image as a line of a payload."""
    return _NO_ROW if image is None else image or PARTLY


def _image(line: bytes) -> bytes | None:
    return None if line == _NO_ROW else UNKNOWN if line == PARTLY else line


def images_of(payload: bytes) -> tuple[bytes | None, bytes | None]:
    """The images before and after the change in a payload."""
    before, _, after = payload.partition(b"\n")
    return _image(before), _image(after)


def identifying_image(before: bytes | None, after: bytes | None) -> bytes:
    """The image that identifies a change: the row after it, or of a delete the row before it.

    Empty if the message lacks the image; partial if the message has a part of it.
    """
    shown = before if after is None else after
    return (shown or b"").removeprefix(PARTLY)


def key_seed(schema: str, table: str) -> int:
    """The seed of the hash of a table's keys."""
    return binascii.crc32(f"{schema}\0{table}\0".encode())


def _group(schema: str, table: str, key: bytes) -> int:
    """The key group of a key: the same number in every process and on every machine."""
    return binascii.crc32(key, key_seed(schema, table))


def contents_of(reader: ChangeReader, record: Record) -> Sequence[Content | Failed]:
    """The contents of a message. A failure of our own code costs this message only."""
    try:
        return list(reader.read(record))
    except Exception as e:  # noqa: BLE001 - any exception here is a fault of the suite
        return [Failed(place_of(record), our_fault(e))]


def slim_rows(reader: ChangeReader, side: int, record: Record) -> Iterator[Slim]:
    """The slim records of a message; `side` is 0 for left, 1 for right, 2 for third."""
    for step, read in enumerate(contents_of(reader, record)):
        place = read.place
        where = (side, place.topic, place.partition, place.offset, step)
        if isinstance(read, Change):
            group = _group(read.schema, read.table, read.key)
            payload = payload_part(read.before) + b"\n" + payload_part(read.after)
            change = (Kind.CHANGE, read.op, read.moved, _digits(read.commit_ts), read.instant, payload)
            yield Slim._make((group, read.schema, read.table, read.key, *where, *change))
        else:
            kind, schema, table, text = _text_record(read)
            group = _group(schema, table, b"")
            yield Slim(group, schema, table, b"", *where, kind, "", False, None, "", text)


def _digits(commit_ts: int | None) -> str | None:
    return None if commit_ts is None else str(commit_ts)


def counts_row(side: int, counts: Mapping[str, int]) -> Slim:
    """A row with the counts of everything but row changes in a part of a side's messages."""
    return Slim(0, "", "", b"", side, "", 0, 0, 0, Kind.COUNTS, "", False, None, "", orjson.dumps(counts))


def partition_row(side: int, topic: str, partition: int, messages: int) -> Slim:
    """A row with the number of messages of a partition in a part of a side."""
    text = orjson.dumps({_MESSAGES: messages})
    return Slim(0, "", "", b"", side, topic, partition, 0, 0, Kind.COUNTS, _MESSAGES, False, None, "", text)


def partition_of(row: Slim) -> tuple[tuple[int, str, int], int] | None:
    """Side, topic, partition and number of messages in a slim record of kind `COUNTS`."""
    return ((row.side, row.topic, row.partition), counts_of(row)[_MESSAGES]) if row.op == _MESSAGES else None


class UnreadableTexts(NamedTuple):
    """The payload of a slim record of kind `UNREADABLE`; see `model.Unreadable`."""

    refusal: str
    why: str
    value: str | None  # at most the first 4096 bytes
    key: str
    column: str


class OddityTexts(NamedTuple):
    """The payload of a slim record of kind `ODDITY`; see `contents.Oddity`."""

    path: str  # joined by dots
    expected: str | None
    got: str | None


class StatementTexts(NamedTuple):
    """The payload of a slim record of kind `STATEMENT`; see `contents.Statement`."""

    query: str
    kind: str | None
    commit_ts: str | None  # in digits
    time: str
    changes: str
    odd: str


def _text_record(read: Unreadable | Oddity | Statement | Failed) -> tuple[Kind, str, str, bytes]:
    """Kind, schema, table and payload of a slim record of anything but a change."""
    if isinstance(read, Failed):
        return Kind.SUITE_ERROR, "", "", orjson.dumps([read.why])
    if isinstance(read, Unreadable):
        value = None if read.value is None else read.value[:4096].decode("utf-8", "backslashreplace")
        unreadable = UnreadableTexts(read.refusal, read.why, value, read.key, read.column)
        return Kind.UNREADABLE, read.schema, read.table, orjson.dumps([*unreadable])
    if isinstance(read, Oddity):
        oddity = OddityTexts(".".join(read.path), read.expected, read.got)
        return Kind.ODDITY, read.schema, read.table, orjson.dumps([*oddity])
    statement = StatementTexts(read.query, read.kind, _digits(read.commit_ts), read.time, read.changes, read.odd)
    return Kind.STATEMENT, read.schema, read.table, orjson.dumps([*statement])


def change_of(row: Slim) -> Change:
    """The change that a slim record of kind `CHANGE` holds."""
    assert row.payload is not None
    before, after = images_of(row.payload)
    commit_ts = None if row.commit_ts is None else int(row.commit_ts)
    return Change(
        row.schema, row.table, row.key, row.op, before, after, Place(*row.place), commit_ts, row.instant, row.moved
    )


def counts_of(row: Slim) -> dict[str, int]:
    """The counts that a slim record of kind `COUNTS` holds."""
    assert row.payload is not None
    counts: dict[str, int] = orjson.loads(row.payload)
    return counts


def unreadable_in(row: Slim) -> UnreadableTexts:
    """The texts of a slim record of kind `UNREADABLE`."""
    return UnreadableTexts(*orjson.loads(row.payload or b""))


def oddity_in(row: Slim) -> OddityTexts:
    """The texts of a slim record of kind `ODDITY`."""
    return OddityTexts(*orjson.loads(row.payload or b""))


def statement_in(row: Slim) -> StatementTexts:
    """The texts of a slim record of kind `STATEMENT`."""
    return StatementTexts(*orjson.loads(row.payload or b""))


def failure_in(row: Slim) -> str:
    """The message of a slim record of kind `SUITE_ERROR`."""
    [message] = orjson.loads(row.payload or b"")
    return str(message)
