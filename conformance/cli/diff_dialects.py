"""What `diff` must know of each protocol: the paths of columns, members that vary from run to run, and harms.

Columns and harms are those of the oracle, so that a difference has the same harm here as in a verdict.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any

from conformance.errors import SuiteError
from conformance.oracle import ORACLES
from conformance.oracle import tree as oracle_tree
from conformance.oracle.harm import harm_of, kind_of_place
from reference_impl.compression import COMPRESSIONS, decompress
from reference_impl.errors import Rejected, TooLarge
from reference_impl.protocols import CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, DIALECTS, Rows
from reports.diff.dialect import Dialect
from reports.diff.trees import MISSING, Doubled, Number

__all__ = ["dialect_of"]

_TIMES = ("ts_ms", "ts_us", "ts_ns")
_POSITION = (*_TIMES, "file", "pos", "row", "gtid", "server_id", "thread")
_VOLATILE: Rows[frozenset[str]] = Rows(
    {
        CANAL_JSON: frozenset({"value.ts"}),  # the time at which the message was made  [CJ-661]
        DEBEZIUM: frozenset({"value.payload.ts_ms"}),  # as above  [DBZ-042]
        # A server writes another binary log, with other positions, in every run.
        CANAL: frozenset({"value.ts", "value.es", "value.id", "value.gtid"}),
        CONNECTOR: frozenset(
            f"{value}{name}"
            for value in ("value.", "value.payload.")
            for name in (*_TIMES, *(f"source.{name}" for name in _POSITION))
        ),
    }
)
"""Members whose values two runs of one build need not share."""

_UNORDERED: Rows[frozenset[str]] = Rows({CANAL_JSON: frozenset({"value.mysqlType"})})
"""Objects whose members have another order in every run: Go writes maps in random order."""

_MOST_DIGITS = 4000
"""Python's `int` refuses more than 4,300 digits."""


@cache
def dialect_of(protocol: str) -> Dialect:
    """What `diff` must know of a protocol or dialect; without columns for an unknown one.

    The columns of an upstream dialect have the paths of the protocol that imitates it.
    """
    dialect = DIALECTS.get(protocol)
    judged_as = dialect and (dialect.imitator or dialect)
    oracle = ORACLES.get(judged_as.name) if judged_as else None
    return Dialect(
        columns_at=oracle.columns_at if oracle else frozenset(),
        volatile=_VOLATILE.get(protocol, frozenset()),
        unordered=_UNORDERED.get(protocol, frozenset()),
        harm=_harm,
        unpack=_unpacked,
    )


def _harm(skeleton: str, kind: str, left: Any, right: Any) -> str:
    """The harm by the oracle's table; "" at a path outside of the table."""
    try:
        kind_of_place(skeleton)
        return str(harm_of(skeleton, oracle_tree.Kind(kind), _plain(left), _plain(right)))
    except SuiteError:
        return ""


def _plain(tree: Any) -> Any:
    """A tree in the oracle's form, as far as harms need it."""
    if tree is MISSING:
        return oracle_tree.MISSING
    if isinstance(tree, Number):
        return int(tree) if tree.lstrip("-").isdecimal() and len(tree) < _MOST_DIGITS else Decimal(0)
    return list(tree) if isinstance(tree, Doubled) else tree


def _unpacked(data: bytes) -> tuple[str, bytes] | None:
    """(kind of compression, text), by the first kind that can read the bytes; None if none can."""
    for kind in COMPRESSIONS:
        try:
            text = decompress(kind, data) if kind != "none" else b""
        except (Rejected, TooLarge):
            continue
        if text:
            return kind, text
    return None
