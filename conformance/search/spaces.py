"""The search space of a protocol: the options to draw, the cases of an input, and inputs that the reference refuses.

For TiCDC's protocols it comes from the corpora; for an upstream dialect from its cases, the same under all profiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby

from conformance.cases import corpora
from conformance.cases.inputs import Input
from conformance.cases.model import Case
from conformance.cases.upstream.corpora import input_cases as upstream_cases
from conformance.cases.upstream.dialects import DIALECTS as UPSTREAM_CASES
from conformance.catalogue.corpora import OptionSpace, load_option_space
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Event, RowChange
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH, PROFILES
from reference_impl.protocols import DIALECTS, UPSTREAM
from reference_impl.registry import MemoryRegistry

__all__ = ["input_cases", "is_refused", "option_space"]


@cache
def option_space(protocol: str) -> OptionSpace:
    """The options of a protocol. An upstream dialect has no size limits, and no option that requires another."""
    if protocol not in UPSTREAM:
        return load_option_space(protocol)
    return OptionSpace(
        protocol=protocol,
        values=UPSTREAM_CASES[protocol].option_sets.known_values,
        visible={},
        together=(),
        sweeps=(),
        refused=(),
        at_limit=(),
        too_large=(),
        too_large_still={},
        no_handle=(),
        limited=False,
    )


def input_cases(protocol: str, given: Input) -> Iterator[Case]:
    """The cases of an input, without those that the reference refuses."""
    if protocol in UPSTREAM:
        return upstream_cases(protocol, _packed(given))
    return corpora.input_cases(protocol, given)


def _packed(given: Input) -> Input:
    """The input, in which consecutive rows of one transaction, table and operation share a rows event."""
    events: list[Event] = []
    for number, (_, group) in enumerate(groupby(given.events, _group)):
        rows = list(group)
        source = {"rows_event": str(number)} if len(rows) > 1 else None
        events += (replace(row, source=source) if source and isinstance(row, RowChange) else row for row in rows)
    return replace(given, events=tuple(events))


def _group(event: Event) -> object:
    """Equal for events that may share a rows event."""
    if isinstance(event, RowChange):
        return event.schema, event.table, event.op, event.commit_ts
    return id(event)


def is_refused(protocol: str, given: Input) -> bool:
    """Whether the reference refuses an input, for example a delete of a row without a key."""
    codec = DIALECTS[protocol]
    settings = replace(given.settings, registry=MemoryRegistry())
    try:
        for profile in [NEWARCH] if protocol in UPSTREAM else PROFILES.values():
            encoder = codec.encoder(parse(codec.options, given.options), profile, settings=settings)
            encoder.encode(given.events, given.tables)
    except (Rejected, Unsupported):
        return True
    return False
