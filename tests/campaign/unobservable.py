"""Corruptions that no comparison of the messages can see, each with the reason; by name, and by what they are put into.

`""` stands for every pair, or for either side. A reason is of messages that can be read: others are seen on every side.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["reason_of"]

_NO_BEFORE = "messages of Avro do not tell the row before an update, so that nothing is held against it"
_SILENT = "Avro's side writes no statement, so that nothing is held against those of the other"
_ONE_FAMILY = "what a message calls its statement is compared within a family of dialects alone"

_HALVES = "nothing tells the halves of a split update from an insert and a delete of two rows, in any order"
_PLACE = "where a statement stands among the rows is not compared: a dialect may have a topic for statements"
_DELIVERY = "TiCDC promises to send a message at least once: it is counted, and reported with --delivery exactly-once"
_OTHER_CLOCK = "commit time stamps are compared where both sides have TiDB's; the milliseconds in them stay as they are"
_AT_LEAST_ONCE = frozenset({"canal-json", "open-protocol", "debezium", "avro"})

_REASONS: Mapping[tuple[str, str, str], str] = {
    ("a delete behind the insert of its new key", "", ""): _HALVES,
    ("a statement behind the first row after it", "", ""): _PLACE,
    ("an `old` of the new values", "canal-json beside avro", ""): _NO_BEFORE,
    ("a statement lost", "canal-json beside avro", ""): _SILENT,
    ("a statement of another type", "canal-json beside avro", ""): _SILENT,
    ("a statement about another column", "canal-json beside avro", ""): _SILENT,
    ("two statements exchanged", "canal-json beside avro", ""): _SILENT,
    ("another kind of statement", "canal-json beside avro", ""): _SILENT,
    ("another kind of statement", "canal-json beside open-protocol", ""): _ONE_FAMILY,
}

_BOTH_OF_TIDB = ("canal-json beside open-protocol", "canal-json beside avro", "open-protocol beside open-protocol")


def reason_of(name: str, pair: str, dialect: str) -> str | None:
    """Why a corruption of a side cannot be seen; None if it can."""
    if name in ("a message twice", "a window that was sent again") and dialect in _AT_LEAST_ONCE:
        return _DELIVERY
    if pair == "canal-json beside avro" and name.endswith("in the row before"):
        return _NO_BEFORE
    if name == "commit time stamps through a double" and pair not in _BOTH_OF_TIDB:
        return _OTHER_CLOCK
    keys = ((name, of, side) for of in (pair, "") for side in (dialect, ""))
    return next((_REASONS[key] for key in keys if key in _REASONS), None)
