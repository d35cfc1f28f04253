"""Recognizes the dialect of records whose dialect is not known, or was named wrongly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import islice
from typing import Any

from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Record
from reference_impl.options import parse
from reference_impl.protocols import AVRO, CODECS, DIALECTS, UPSTREAM, Dialect

__all__ = ["likely_dialect", "likely_options"]

_LOOKED_AT = 5
_LARGEST = 1 << 16  # bytes of such a message
_FRAME = 5  # the bytes before a datum: 0, and the id of its schema


def likely_dialect(records: Iterable[Record]) -> str:
    """The dialect that can read most of the first records, or "".

    The decoders of upstream's dialects come first: those of TiCDC read some of upstream's messages too.
    """
    tried = list(islice((r for r in records if 0 < len(r.value or b"") <= _LARGEST), _LOOKED_AT))
    for name in (*UPSTREAM, *CODECS):
        if any(_are_most(reads, tried) for reads in _readings(DIALECTS[name], tried)):
            return name
    is_framed = [(r.value or b"").startswith(b"\0") and len(r.value or b"") > _FRAME for r in tried]
    return AVRO.name if _are_most(is_framed, tried) else ""


def likely_options(dialect: Dialect) -> Iterator[dict[str, str]]:
    """No options, and each option that is a switch turned."""
    yield {}
    switches = [f for f in fields(dialect.options) if isinstance(f.default, bool)]
    yield from ({f.metadata["name"]: "false" if f.default else "true"} for f in switches)


def _are_most(reads: Sequence[bool], tried: Sequence[Record]) -> bool:
    return 2 * sum(reads) > len(tried)


def _readings(dialect: Dialect, records: Sequence[Record]) -> Iterator[list[bool]]:
    """Whether each record can be read: by default, and with each option that is a switch turned."""
    for options in likely_options(dialect):
        try:
            decoder = dialect.decoder(parse(dialect.options, options))
        except (Rejected, Unsupported):  # an option that needs another one
            continue
        yield [_is_read(decoder, record) for record in records]


def _is_read(decoder: Any, record: Record) -> bool:
    try:
        return bool(decoder.decode([record]))
    except (Rejected, Unsupported):
        return False
