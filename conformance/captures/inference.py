"""Infers from records the options of the changefeed that wrote them, and the id of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from conformance.captures.dialects import DIALECTS, compression_of
from conformance.captures.model import Captured
from conformance.oracle import ORACLES
from conformance.oracle.rules import NO_SCHEMAS, Schemas
from reference_impl import options as option_strings
from reference_impl.model import Record
from reference_impl.protocols import CODECS

__all__ = ["Inferred", "infer", "with_first_records"]

_FIRST = 1000
_COMPRESSION = "large-message-handle-compression"


@dataclass(frozen=True, slots=True)
class Inferred:
    """The options of a changefeed, and the id of its cluster if the messages name it."""

    options: Mapping[str, str]
    cluster_id: str | None = None


def infer(
    protocol: str, records: Iterable[Record], given: Mapping[str, str], schemas: Schemas = NO_SCHEMAS
) -> Inferred:
    """The options that `records` show, overridden by those `given`; `schemas` are those of the registry.

    An option that the records do not show keeps its default. Raises `Rejected` or `Unsupported` for given options
    that the protocol refuses or does not know.
    """
    dialect, oracle, codec = DIALECTS[protocol], ORACLES[protocol], CODECS[protocol]
    parsed = option_strings.parse(codec.options, given)
    options: dict[str, str] = {}
    cluster_id = None
    for record in records:
        if dialect.body is not None and _COMPRESSION not in options:
            kind = compression_of(dialect.body(record))
            if kind != "none":
                options[_COMPRESSION] = kind
                parsed = option_strings.parse(codec.options, {_COMPRESSION: kind} | dict(given))
        hints: dict[str, str] = {}
        try:
            reading = oracle.read(record, parsed, schemas)
            for message in reading.messages:
                hints |= dialect.hints(message.tree)
                cluster_id = cluster_id or dialect.cluster(message.tree)
        except Exception:  # noqa: BLE001 - judging reports the error in the record, which proves no option
            continue
        options |= hints
    return Inferred(options | dict(given), cluster_id)


def with_first_records(captured: Iterable[Captured]) -> tuple[list[Record], Iterator[Captured]]:
    """The records among the first thousand lines, from which options are inferred; and all lines."""
    lines = iter(captured)
    first = list(islice(lines, _FIRST))
    return [line.record for line in first if line.record is not None], chain(first, lines)
