"""What a difference without a name may do to a reader: by its class, and by the member where a message is odd.

A divergence says its harm itself. What nothing explains is taken for the worst that its class can be.
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
    Class.EXTRA: Harm.LOST,  # one of the sides lacks it: which of them is right is not known
    Class.UNDECODABLE: Harm.LOST,
    Class.DUPLICATE: Harm.CHANGED,
    Class.REORDERED: Harm.CHANGED,
    Class.VALUE: Harm.CHANGED,
    Class.SHAPE: Harm.CHANGED,
    Class.TYPE: Harm.SCHEMA,
    Class.METADATA: Harm.METADATA,
}
# Members of a message that its dialect writes otherwise; the first that fits.
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
    """What a divergence does to a reader; None for a difference without a name."""
    known = find_divergence(divergence) if divergence else None
    return None if known is None else str(known.harm)


def harm_of_cell(kind: str, column: str, divergence: str | None) -> str:
    """What differences of a class at a column, or at a member of a message, do to a reader."""
    member = next((harm for pattern, harm in _OF_MEMBER if pattern.fullmatch(column)), None)
    supposed = member if kind == Class.SHAPE and member is not None else _OF_CLASS[kind]
    return harm_of(divergence) or str(supposed)
