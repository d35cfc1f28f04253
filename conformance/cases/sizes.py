"""Inputs about sizes: limits and the sizes around them, large messages, compression, batches.

Most have the options `visible`, under which messages have time stamps and there are watermarks. For a limit to the
byte, the reference encoder gives the length of the message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.cases.inputs import (
    NOW,
    Input,
    column,
    commit_times,
    ddl,
    history,
    insert,
    numbered,
    table,
    timed,
    with_sql,
)
from conformance.catalogue.corpora import OptionSpace
from reference_impl.errors import RejectionClass
from reference_impl.large_messages import RECORD_OVERHEAD
from reference_impl.model import Event, Key, Row, Table, Watermark
from reference_impl.options import parse
from reference_impl.protocols import CODECS

__all__ = ["batch_inputs", "compression_inputs", "length_inputs", "size_inputs"]

_HANDLING = "large-message-handle-option"
_COMPRESSION = "large-message-handle-compression"
_DEFAULT_BATCH_SIZE = 16

_BIG = numbered(column("v", "longtext"), column("b", "blob"), name="big")
_COMPOSITE = table(
    "big2",
    (column("v", "longtext"), column("k", "varchar(10)", nullable=False), column("n", "int", nullable=False)),
    ("n", "k"),
)
_UNIQUE = with_sql(replace(_COMPOSITE, name="big4", primary_key=(), unique_keys=(Key("u", ("k", "n")),)))
_KEYLESS = table("big3", (column("a", "int"), column("v", "longtext")), ())
_SMALL = numbered(column("v", "varchar(40)"), name="rows")


def _noise(count: int, seed: str) -> str:
    """`count` hexadecimal digits that hardly compress."""
    digits, number = "", 0
    while len(digits) < count:
        digits += hashlib.sha256(f"{seed} {number}".encode()).hexdigest()
        number += 1
    return digits[:count]


_BIG_ROW: Row = {"id": "1", "v": _noise(3000, "v"), "b": bytes(range(256))}
_LIFE = history(_BIG, [_BIG_ROW, {**_BIG_ROW, "v": _noise(3000, "w")}, {**_BIG_ROW, "v": "small", "b": None}, None])


def _length(space: OptionSpace, options: Mapping[str, str], tables: Sequence[Table], events: Sequence[Event]) -> int:
    """The length, as limits count it, of the single record that the reference writes for the events."""
    codec = CODECS[space.protocol]
    [record] = codec.encoder(parse(codec.options, options), settings=NOW).encode(events, tables).records
    return len(record.key or b"") + len(record.value or b"") + RECORD_OVERHEAD


def _limited(options: Mapping[str, str], limit: int) -> dict[str, str]:
    return {**options, "max-message-bytes": str(limit)}


def _other_values(space: OptionSpace, option: str) -> Sequence[str]:
    """The values of an option without the default; empty if the protocol lacks the option."""
    return space.values.get(option, ())[1:]


def _refused(name: str, table_: Table, events: tuple[Event, ...], options: Mapping[str, str], *ids: str) -> Input:
    """An input that an encoder must refuse as too large, by the requirements `ids`."""
    return Input(
        name,
        (table_,),
        events,
        options,
        role="encode",
        refused=frozenset({RejectionClass.RANGE}),
        requirements=ids,
        axes={"size": "refused"},
    )


def size_inputs(space: OptionSpace) -> Iterator[Input]:
    """Messages at the limit and beyond it, with their replacements; without a limit they are sent as they are."""
    single = _LIFE[:1]
    if not space.limited:
        yield Input("size/no limit", (_BIG,), _LIFE, _limited(space.visible, 100), axes={"size": "no limit"})
        return
    exact = _length(space, space.visible, (_BIG,), single)
    yield Input(
        "size/at the limit",
        (_BIG,),
        single,
        _limited(space.visible, exact),
        requirements=space.at_limit,
        axes={"size": "at the limit"},
    )
    yield _refused("size/one byte more", _BIG, single, _limited(space.visible, exact - 1), *space.too_large)
    yield from _compressible(space)
    for handling in _other_values(space, _HANDLING):
        options = space.with_needs({_HANDLING: handling})
        axes = {"size": handling}
        exact = _length(space, options, (_BIG,), single)
        yield Input(f"size/{handling}/at the limit", (_BIG,), single, _limited(options, exact), axes=axes)
        yield Input(f"size/{handling}/one byte more", (_BIG,), single, _limited(options, exact - 1), axes=axes)
        yield from _large_rows(space, handling, axes)
        if ids := space.too_large_still.get(handling):
            yield _refused(f"size/{handling}/handle key too large", _BIG, single, _limited(options, 100), *ids)
    if space.no_handle:
        options = space.with_needs({_HANDLING: "handle-key-only"})
        yield Input(
            "size/handle-key-only/no handle key",
            (_KEYLESS,),
            timed([insert(_KEYLESS, {"a": "1", "v": _noise(3000, "v")})]),
            _limited(options, 1000),
            role="encode",
            refused=frozenset({RejectionClass.SEMANTICS}),
            requirements=space.no_handle,
            axes={"size": "no handle key"},
        )


_LIMIT = 1000


def _compressible(space: OptionSpace) -> Iterator[Input]:
    """Rows that exceed the limit only uncompressed, under every way to handle large messages.

    Every compressor makes them much smaller than the limit.
    """
    rows = history(_BIG, [{"id": "1", "v": "x" * 3000, "b": None}, None])
    for compression in _other_values(space, _COMPRESSION):
        for handling in space.values.get(_HANDLING, ()):
            options = {**space.visible, **space.with_needs({_HANDLING: handling})}
            options = _limited({**options, _COMPRESSION: compression}, _LIMIT)
            yield Input(f"size/{handling}/compressible+{compression}", (_BIG,), rows, options, axes={"size": handling})


def _large_rows(space: OptionSpace, handling: str, axes: Mapping[str, str]) -> Iterator[Input]:
    """Rows that are too large, under one way to handle them, alone and with each other value of every option."""
    base = {_HANDLING: handling}
    others = [
        (option, value) for option in space.values for value in _other_values(space, option) if option != _HANDLING
    ]
    for option, value in [("", ""), *others]:
        options = space.with_needs({**base, option: value} if option else base)
        suffix = f"+{option}={value}" if option else ""
        yield Input(f"size/{handling}/rows{suffix}", (_BIG,), _LIFE, _limited(options, _LIMIT), axes=axes)
    options = _limited(space.with_needs(base), _LIMIT)
    composite: Row = {"v": _noise(3000, "c"), "k": "key", "n": "7"}
    states = [composite, {**composite, "v": None}, {**composite, "n": "8"}, None]
    yield Input(f"size/{handling}/composite key", (_COMPOSITE,), history(_COMPOSITE, states), options, axes=axes)
    yield Input(f"size/{handling}/unique key", (_UNIQUE,), history(_UNIQUE, states), options, axes=axes)
    small: list[Row] = [
        {**_BIG_ROW, "id": str(i), "v": "small" if i != 2 else _BIG_ROW["v"], "b": b""} for i in (1, 2, 3)
    ]
    rows = timed(insert(_BIG, row) for row in small)
    yield Input(f"size/{handling}/one large among small", (_BIG,), rows, options, axes=axes)
    if handling == "claim-check":
        for uri in ("file:///claims", "s3://bucket/some/prefix/"):
            stored = {**options, "claim-check-storage-uri": uri}
            yield Input(f"size/{handling}/at {uri}", (_BIG,), _LIFE[:2], stored, axes=axes)
        if not any("claim-check-raw-value" in refusal.options for refusal in space.refused):
            raw = {**options, "claim-check-raw-value": "true"}
            yield Input(f"size/{handling}/raw value", (_BIG,), _LIFE, raw, axes=axes)
            for compression in _other_values(space, _COMPRESSION):
                name = f"size/{handling}/raw value+{_COMPRESSION}={compression}"
                yield Input(name, (_BIG,), _LIFE, {**raw, _COMPRESSION: compression}, axes=axes)


def compression_inputs(space: OptionSpace) -> Iterator[Input]:
    """Every compression over rows, statements, watermarks, and values that are empty or do not compress."""
    last = commit_times(1, 10)[0]
    query = "ALTER TABLE `rows` COMMENT = 'x'"
    statement = ddl(_SMALL, query, "modify table comment", commit_ts=last, table_after=_SMALL)
    tiny: Row = {"id": "1", "v": None}
    flat: Row = {"id": "1", "v": "x" * 20000, "b": bytes(5000)}
    blocks: Row = {"id": "1", "v": _noise(70000, "blocks") + "x" * 70000, "b": None}
    for compression in _other_values(space, _COMPRESSION):
        options = {**space.visible, _COMPRESSION: compression}
        axes = {"compression": compression}
        yield Input(f"compression/{compression}/rows", (_BIG,), _LIFE, options, axes=axes)
        yield Input(f"compression/{compression}/tiny", (_SMALL,), history(_SMALL, [tiny, None]), options, axes=axes)
        yield Input(f"compression/{compression}/flat", (_BIG,), history(_BIG, [flat, None]), options, axes=axes)
        # Longer than 64 KiB, the size of a block of both compressions.
        yield Input(f"compression/{compression}/blocks", (_BIG,), history(_BIG, [blocks]), options, axes=axes)
        yield Input(f"compression/{compression}/statement", (_SMALL,), (statement,), options, axes=axes)
        yield Input(f"compression/{compression}/watermark", (), (Watermark(last),), options, axes=axes)


_LONG = numbered(column("v", "longtext"), column("b", "longblob"), name="big")
_LENGTHS = (2**16 - 1, 2**16, 2**20 + 1)


def length_inputs() -> Iterator[Input]:
    """Texts of 2^16-1 and 2^16 characters and of more than a mebibyte; only the last character is not ASCII.

    A BLOB is as long, but of 2^17 bytes at most.
    """
    for length in _LENGTHS:
        row: Row = {"id": "1", "v": "x" * (length - 1) + "é", "b": (bytes(range(256)) * 512)[:length]}
        yield Input(f"size/{length} characters", (_LONG,), history(_LONG, [row]), axes={"size": "long"})


def _inserts(count: int) -> tuple[Event, ...]:
    return timed(insert(_SMALL, {"id": str(i), "v": f"row {i:03d}"}) for i in range(101, 101 + count))


# (rows, max-batch-size)
_BATCHES = (
    *((n, _DEFAULT_BATCH_SIZE) for n in (1, 2, 3, 15, 16, 17, 33)),
    *((n, 1) for n in (1, 3)),
    *((n, 2) for n in (2, 3, 5)),
    *((n, 3) for n in (3, 7)),
    (40, 1000),
)


def batch_inputs(space: OptionSpace) -> Iterator[Input]:
    """Streams of about as many rows as a batch takes, and batches that their bytes fill."""
    has_batch_size = "max-batch-size" in space.values
    for count, size in _BATCHES:
        is_default = size == _DEFAULT_BATCH_SIZE
        if has_batch_size or is_default:
            options = {} if is_default else {"max-batch-size": str(size)}
            axes = {"batch": f"{count} of {size}"}
            yield Input(f"batch/{count} rows of {size}", (_SMALL,), _inserts(count), options, axes=axes)
    if not has_batch_size:
        return
    two = _length(space, {}, (_SMALL,), _inserts(2))
    for name, limit in (("at the limit", two), ("one byte more", two - 1)):
        options = _limited({}, limit)
        yield Input(f"batch/two rows {name}", (_SMALL,), _inserts(5), options, axes={"batch": name})
    other = table("s", _SMALL.columns)
    mixed = timed(insert(t, {"id": str(i), "v": "x"}) for i in range(1, 4) for t in (other, _SMALL))
    yield Input("batch/two tables", (other, _SMALL), mixed, axes={"batch": "two tables"})
    yield Input("batch/two tables of 3", (other, _SMALL), mixed, {"max-batch-size": "3"}, axes={"batch": "two tables"})
    last = commit_times(1, 10)[0]
    parted = (*_inserts(3), Watermark(last), insert(_SMALL, {"id": "9", "v": None}, last + 1))
    yield Input("batch/a watermark between", (_SMALL,), parted, axes={"batch": "watermark"})
