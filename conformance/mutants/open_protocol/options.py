"""Encoders that handle options, batches, or rows too large for a message wrongly."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from zlib import crc32

from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.open_protocol.edits import (
    encoder,
    images,
    location,
    pairs,
    pairs_of,
    record_of,
    rows,
    table_of,
)
from conformance.mutants.wrappers import (
    Context,
    Json,
    all_of,
    edit_answer,
    edit_option,
    edit_records,
    ignores,
    shifts,
)

__all__ = ["MUTANTS"]

# -- batches -----------------------------------------------------------------------------------------------------------


def _into_one(sent: list[Json], context: Context) -> list[Json]:
    """Join consecutive records of a partition to one message."""
    groups = [list(group) for _, group in groupby(sent, key=lambda record: record.get("partition"))]
    return [record_of([pair for record in group for pair in pairs_of(record)], group[0]) for group in groups]


def _by_table(sent: list[Json], context: Context) -> list[Json]:
    """Divide every message where the table changes."""
    return [record_of(list(group), record) for record in sent for _, group in groupby(pairs_of(record), key=table_of)]


# -- rows too large ----------------------------------------------------------------------------------------------------


def _last_handle_column_lost(key: Json, value: Json, context: Context) -> None:
    """Remove the last column of each image of a reduced row, which its key marks by `ohk` ("only handle key")."""
    if "ohk" in key:
        for image in images(value):
            if len(image) > 1:
                image.popitem()


def _claim_locations(change: Callable[[str], str]) -> Wrap:
    """Changes the locations of claim-check files, in messages and in storage."""

    def in_storage(ok: Json, context: Context) -> None:
        for claim in ok.get("claims", ()):
            claim["location"] = change(claim["location"])

    return all_of(location(change), edit_answer("encode", in_storage))


MUTANTS: tuple[Mutant, ...] = (
    encoder("limit-without-overhead", "OP-150", "the 36 bytes of a record are not counted")(
        shifts("max-message-bytes", 36)
    ),
    encoder("limit-one-byte-lower", "OP-150", "a message as long as the limit counts as too long")(
        shifts("max-message-bytes", -1)
    ),
    encoder("batch-size-not-heard", "OP-152", "max-batch-size is ignored")(ignores("max-batch-size")),
    encoder("batch-one-row-short", "OP-152", "a message has at most one row less than max-batch-size")(
        shifts("max-batch-size", -1)
    ),
    encoder("batch-of-1-by-default", "OP-154", "without options a message has one row")(
        edit_option("max-batch-size", lambda size: size or "1")
    ),
    encoder("batch-without-limit-by-default", "OP-154", "without options a message has any number of rows")(
        edit_option("max-batch-size", lambda size: size or "4096")
    ),
    encoder("raw-claims-accepted", "CF-025", "claim-check-raw-value is accepted")(ignores("claim-check-raw-value")),
    encoder("a-message-for-each-table", "OP-155", "rows of two tables never share a message")(edit_records(_by_table)),
    encoder("tables-in-turn", "OP-155", "rows of a message are sorted by table")(
        pairs(lambda message, context: sorted(message, key=table_of))
    ),
    encoder("everything-in-one-message", "OP-008", "DDL and resolved events share a message with rows")(
        edit_records(_into_one)
    ),
    encoder("reduced-row-without-whole-handle", "OP-160", "a reduced row lacks a column of its handle key")(
        rows(_last_handle_column_lost)
    ),
    encoder("claim-named-by-number", "OP-171", "claim-check files are named by a number")(
        _claim_locations(lambda place: f"{place.rpartition('/')[0]}/{crc32(place.encode())}.json")
    ),
    encoder("claim-without-extension", "OP-171", "names of claim-check files lack .json")(
        _claim_locations(lambda place: place.removesuffix(".json"))
    ),
)
