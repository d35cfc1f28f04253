"""The records that a capture should have, by the reference: a case for an encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from conformance.cases.model import Case, ExpectedRecords
from reference_impl import options as option_strings
from reference_impl.model import Event, Table
from reference_impl.profiles import Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings

__all__ = ["written_case"]


def written_case(
    protocol: str,
    events: Sequence[Event],
    tables: Sequence[Table],
    options: Mapping[str, str],
    profile: Profile,
    settings: Settings,
) -> tuple[Case, ExpectedRecords]:
    """The events as a case, and its expectation: what the reference writes.

    Raises `Rejected` and `Unsupported` for events that the protocol cannot express.
    """
    registry, codec = MemoryRegistry(), CODECS[protocol]
    parsed = option_strings.parse(codec.options, options)
    encoder = codec.encoder(parsed, profile, settings=replace(settings, registry=registry))
    encoded = encoder.encode(events, tables)
    expected = ExpectedRecords(encoded.records, encoded.claims, tuple(registry.requests))
    case = Case(
        id=f"{protocol}/capture",
        protocol=protocol,
        role="encode",
        tables=tuple(tables),
        events=tuple(events),
        options=options,
        settings=settings,
        expected=expected,
    )
    return case, expected
