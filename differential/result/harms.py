"""The harm of a difference: that of its divergence, or by class and member if it is unexplained.

An unexplained difference has the worst harm of its class.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.catalogue.divergences import find_divergence
from conformance.catalogue.harm import Harm
from differential.model import Class

__all__ = ["ORDER", "harm_of", "harm_of_cell"]

ORDER: Mapping[str, int] = {harm.value: n for n, harm in enumerate(Harm)}
"""The worst harm first."""

_OF_CLASS: Mapping[str, Harm] = {
    Class.MISSING: Harm.LOST,
    Class.EXTRA: Harm.LOST,  # one of the sides lacks it; either may be right
    Class.UNDECODABLE: Harm.LOST,
    Class.DUPLICATE: Harm.CHANGED,
    Class.REORDERED: Harm.CHANGED,
    Class.VALUE: Harm.CHANGED,
    Class.SHAPE: Harm.CHANGED,
    Class.TYPE: Harm.SCHEMA,
    Class.METADATA: Harm.METADATA,
}
# Members of a message that its dialect writes differently; the first pattern that matches counts.
_OF_MEMBER: tuple[tuple[re.Pattern[str], Harm], ...] = tuple(
    (re.compile(pattern), harm)
    for pattern, harm in (
        (r"(?:key|value)\.(?:(?:payload\.)?tableChanges|schema|mysqlType|sqlType|pkNames)(?:[.\[].*)?", Harm.SCHEMA),
        (r"value\.(?:payload\.)?source\.(?:db|table)", Harm.CHANGED),
        (r"value\.(?:payload\.)?(?:source|ts_[mun]s|transaction)(?:[.\[].*)?", Harm.METADATA),
        (r"value\.(?:id|es|ts|gtid|_tidb|commit_ts)(?:[.\[].*)?", Harm.METADATA),
        (r"tombstone", Harm.LOST),
    )
)


def harm_of(divergence: str | None) -> str | None:
    """The harm of a divergence; None for an unexplained difference."""
    known = find_divergence(divergence) if divergence else None
    return None if known is None else str(known.harm)


def harm_of_cell(kind: str, column: str, divergence: str | None) -> str:
    """The harm of differences of a class in a column, or in a member of a message."""
    member = next((harm for pattern, harm in _OF_MEMBER if pattern.fullmatch(column)), None)
    supposed = member if kind == Class.SHAPE and member is not None else _OF_CLASS[kind]
    return harm_of(divergence) or str(supposed)
