"""Parses the SPEC of a side: `DIALECT[?option=value&…]:SOURCE`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

from conformance.errors import UsageError
from differential.sides import DIALECT_TRAITS, Side, codec_of
from differential.sources.topics import Reading
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Table
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.zones import zone_of

__all__ = ["SETTINGS", "Spec", "compared", "parse_spec", "side_of"]

SETTINGS = ("timezone", "cluster_id", "topic")
"""Names among a SPEC's options that configure the side itself."""


_OFFSET = re.compile("(?<=[?&]timezone=)(?:[+-]|%2[BD])[0-9]{2}(?::|%3A)[0-9]{2}(?=[&:])", re.IGNORECASE)
"""A zone such as `+05:30` or `%2B05:30`: its colon does not end the options, and its plus sign is no blank."""


@dataclass(frozen=True, slots=True)
class Spec:
    """The parts of a SPEC: dialect, options, and source; `reading` has the offsets of topics."""

    dialect: str
    source: str
    options: Mapping[str, str] = field(default_factory=dict)
    reading: Reading | None = None


def _unknown(what: str, given: str, known: Iterable[str]) -> UsageError:
    known = sorted(known)
    near = get_close_matches(given, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return UsageError(f"unknown {what} {given!r}{hint} There are {', '.join(known)}")


def parse_spec(text: str) -> Spec:
    """Parse a SPEC. Raises `UsageError` if a part is missing, unknown or repeated."""
    head, colon, source = _OFFSET.sub(lambda found: quote(unquote(found[0])), text, count=1).partition(":")
    dialect, _, query = head.partition("?")
    if not colon or not source:
        raise UsageError(f"{text!r} is not DIALECT[?option=value&…]:SOURCE, such as canal-json:captures/left.jsonl")
    name, at, release = dialect.partition("@")
    if at and name in DIALECT_TRAITS:
        is_of_ticdc = DIALECT_TRAITS[name].is_of_ticdc
        fitting = f"{name} and --ticdc-version {release}" if is_of_ticdc else f"{name}?version={release}"
        raise UsageError(f"{text!r}: a dialect has no release here; write {fitting}")
    if dialect not in DIALECT_TRAITS:
        raise _unknown("dialect", dialect, DIALECT_TRAITS)
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        raise UsageError(f"{text!r} has an option without a value; options are option=value, joined by &") from None
    options = dict(pairs)
    if len(options) != len(pairs):
        raise UsageError(f"{text!r} has an option twice")
    return Spec(dialect, source, options)


def side_of(name: str, spec: Spec, tables: Iterable[Table], profile: Profile = NEWARCH) -> Side:
    """The side of a SPEC. Raises `UsageError` for options that its dialect does not take."""
    given: dict[str, Any] = {k: v for k, v in spec.options.items() if k in SETTINGS}
    settings = replace(Settings(), **given)
    options = {k: v for k, v in spec.options.items() if k not in SETTINGS}
    try:
        parse(codec_of(spec.dialect).options, options)
    except (Rejected, Unsupported) as e:
        raise UsageError(f"{name}: {spec.dialect}: {e}") from None
    try:
        zone_of(settings.timezone)
    except Rejected as e:
        raise UsageError(f"{name}: timezone: {e.message}") from None
    return Side(name, spec.dialect, options, profile, settings, tuple(tables))


def compared(side: Side) -> Side:
    """The side. Raises `UsageError` if its options drop columns from rows, which can only be generated."""
    option, whole = side.traits.whole_row_option
    if option and (given := side.every_option()[option]) != whole:
        raise UsageError(
            f"{side.name}: {option}={given}: rows lack columns, perhaps those of the key, so that "
            f"they cannot be compared (DV-34); only {option}={whole} can be compared"
        )
    return side
