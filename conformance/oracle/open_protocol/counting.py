"""Conditions on an answer with too few or too many Open Protocol events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.oracle.counts import differ_in_splits, lost_kinds
from conformance.oracle.rules import Condition, Place

__all__ = ["PREDICATES", "lacks_kind"]

_KINDS = {1: "row", 2: "ddl", 3: "watermark"}


def _part(message: Any, part: str) -> Any:
    tree = message.get(part)
    return tree if isinstance(tree, dict) else {}


def _kind_of(message: Any) -> str | None:
    number = _part(message, "key").get("t")
    return _KINDS.get(number) if isinstance(number, int) else None


def lacks_kind(kind: str) -> Condition:
    """Only events of that kind are missing."""
    if kind not in _KINDS.values():
        raise ValueError(kind)
    return lost_kinds(_kind_of, kind)


def _origin(message: Any) -> list[Any]:
    key = _part(message, "key")
    return [key.get(name) for name in ("scm", "tbl", "ts")]


def _is_whole(delete: Any, insert: Any, update: Any) -> bool:
    """Whether a delete and an insert can be the halves of an update.

    Each event may have only its handle key because of its size: the columns that insert and update share are compared.
    """
    old, new, whole = (_part(message, "value") for message in (delete, insert, update))
    if not _origin(delete) == _origin(insert) == _origin(update) or "d" not in old:
        return False
    inserted, updated = (tree["u"] if isinstance(tree.get("u"), dict) else {} for tree in (new, whole))
    common = inserted.keys() & updated.keys()
    return bool(common) and all(inserted[name] == updated[name] for name in common)


def _identity(message: Any) -> Any:
    """The key and value of an event, without the name of a claim-check file, which is random in every run."""
    key = {name: part for name, part in _part(message, "key").items() if name != "ccl"}
    return [key, message.get("value")]


def is_split_otherwise(place: Place) -> bool:
    """The sides differ only in updates of keys, which are two events on one side and one on the other."""
    return differ_in_splits(place, _identity, _is_whole)


_PRIMARY_KEY = 0x08


def _have_same_primary_key(delete: Any, insert: Any) -> bool:
    """Whether both events have the same values in their primary key; True for a table without one."""
    old, new = _part(delete, "value")["d"], _part(insert, "value")["u"]
    key = [name for name, column in old.items() if column["f"] & _PRIMARY_KEY]
    return all(old[name]["v"] == new.get(name, {}).get("v") for name in key)


def keeps_primary_keys(place: Place) -> bool:
    """The sides differ only in updates that keep their primary key: two events on one side, one on the other."""

    def is_whole(delete: Any, insert: Any, update: Any) -> bool:
        return _is_whole(delete, insert, update) and _have_same_primary_key(delete, insert)

    return differ_in_splits(place, _identity, is_whole)


PREDICATES: Sequence[Condition] = (is_split_otherwise, keeps_primary_keys)
