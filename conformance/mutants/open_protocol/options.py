"""Encoders that handle options or batches wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Pair, Wrap, encoder, pairs
from conformance.mutants.open_protocol.records import pairs_of, record_of, records, table_of
from conformance.mutants.wrappers import Context, edit_request, with_options

__all__ = ["MUTANTS"]

Json = dict[str, Any]


def _option(name: str, change: Callable[[str | None], str | None]) -> Wrap:
    """Changes the value of an option; None stands for an option that is not set."""

    def edit(request: Json) -> None:
        if request.get("op") == "configure":
            options = dict(request.get("options") or {})
            value = change(options.pop(name, None))
            request["options"] = options if value is None else {**options, name: value}

    return edit_request(edit)


def _more(by: int) -> Callable[[str | None], str | None]:
    return lambda value: str(max(int(value) + by, 1)) if value and value.isdigit() and int(value) else value


def _each(edit: Callable[[Json, Context], Iterator[Json]]) -> Wrap:
    return records(lambda sent, context: [one for record in sent for one in edit(record, context)])


def _into_one(sent: list[Json], context: Context) -> list[Json]:
    """Join consecutive records of a partition to one message."""
    groups = [list(group) for _, group in groupby(sent, key=lambda record: record.get("partition"))]
    return [record_of([pair for record in group for pair in pairs_of(record)], group[0]) for group in groups]


def _by_table(record: Json, context: Context) -> Iterator[Json]:
    for _, group in groupby(pairs_of(record), key=table_of):
        yield record_of(list(group), record)


def _tables_in_turn(events: list[Pair], context: Context) -> list[Pair]:
    return sorted(events, key=table_of)


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "limit-without-overhead",
        "OP-150",
        "the 36 bytes of a record are not counted",
        _option("max-message-bytes", _more(36)),
    ),
    encoder(
        "limit-one-byte-lower",
        "OP-150",
        "a message as long as the limit counts as too long",
        _option("max-message-bytes", _more(-1)),
    ),
    encoder(
        "batch-size-not-heard",
        "OP-152",
        "max-batch-size is ignored",
        with_options(max_batch_size=None),
    ),
    encoder(
        "batch-one-row-short",
        "OP-152",
        "a message has at most one row less than max-batch-size",
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
        records(_into_one),
    ),
)
