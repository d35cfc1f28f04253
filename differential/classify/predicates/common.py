"""Predicates that more than one pair of dialects needs."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

import orjson

from differential.classify.predicates.kinds import ColumnTest, KeyStepTest, StepTest, ValueTest
from differential.decode.canonical import has_each_once, load
from differential.model import Cell, Change, transaction_in
from reference_impl import exact_json
from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected
from reference_impl.keys import handle_key
from reference_impl.model import Column, Table

__all__ = ["COLUMNS", "KEY_STEPS", "STEPS", "VALUES", "double_of", "nodes_of", "rounded_tree_of", "tree_of"]


# JSON: several predicates look at the same value one after the other

# A text without a match holds only 64-bit integers.
_MAYBE_INEXACT = re.compile(r"[0-9][.eE]|[0-9]{19}|-0")


@lru_cache(maxsize=16)
def _tree(text: str) -> Any:
    if _MAYBE_INEXACT.search(text) is None:
        try:
            tree = orjson.loads(text)
            if has_each_once(text, orjson.dumps(tree).decode()):
                return tree
        except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # the latter for text that is nested too deep
            pass
    try:
        tree = exact_json.loads(text)
    except Rejected:
        return None
    return None if any(isinstance(node, exact_json.Object) and node.doubled for node in nodes_of(tree)) else tree


def double_of(node: Any) -> float | None:
    """The double nearest to a JSON number.

    None if it is too large for a double, or rounds to 0.
    """
    if isinstance(node, bool) or not isinstance(node, int | Decimal):
        return None
    try:
        found = float(node)
    except OverflowError:
        return None
    return found if math.isfinite(found) and bool(found) == bool(node) else None


def tree_of(cell: Cell) -> Any:
    """The value of a cell of a JSON column, with exact numbers; callers must not modify it.

    None if it is malformed JSON, or has a duplicate member.
    """
    return _tree(cell) if isinstance(cell, str) else None


# The exact reader refuses what orjson reads: an exponent of 19 digits, and nesting for which the stack is too short.
_EXPONENT = re.compile(r"[0-9][eE]")
_ALWAYS_READ = 64  # levels


def rounded_tree_of(cell: Cell) -> Any:
    """As `tree_of`, but faster: numbers may be rounded, and of duplicate members the last may count."""
    if isinstance(cell, str) and _EXPONENT.search(cell) is None and cell.count("[") + cell.count("{") < _ALWAYS_READ:
        try:
            return orjson.loads(cell)
        except orjson.JSONDecodeError:
            pass
    return tree_of(cell)


def nodes_of(tree: Any) -> Sequence[Any]:
    """A JSON value and all values inside it."""
    nodes = [tree]
    for node in nodes:  # the list grows meanwhile
        if isinstance(node, dict):
            nodes += node.values()
        elif isinstance(node, list):
            nodes += node
    return nodes


# Columns that one side lacks


def _is_virtual(table: Table, column: Column, in_ticdc: Collection[str]) -> bool:
    return column.generated == "virtual"


def _only_key(table: Table, column: Column, in_ticdc: Collection[str]) -> bool:
    """Whether TiCDC's row has only the columns of the handle key."""
    return bool(in_ticdc) and {*in_ticdc} == {*handle_key(table)}


COLUMNS: Mapping[str, ColumnTest] = {
    "virtual generated column": _is_virtual,
    "not of the handle key": _only_key,
}


# Values that both sides have


def _is_integral(column_type: ColumnType, cell: Cell) -> bool:
    return isinstance(cell, str) and "." not in cell and cell.lstrip("-").isdigit() and len(cell.lstrip("-")) < 8


def _needs_exponent(column_type: ColumnType, cell: Cell) -> bool:
    """Java writes an exponent from 10**7 on and below 10**-3."""
    if not isinstance(cell, str):
        return False
    whole, _, fraction = cell.lstrip("-").partition(".")
    if whole != "0":
        return len(whole) > 7
    return fraction[:3] == "000" and fraction.strip("0") != ""


def _ends_in_zero_bytes(column_type: ColumnType, cell: Cell) -> bool:
    return isinstance(cell, dict) and base64.b64decode(cell.get("base64", "")).endswith(b"\0")


def _is_zero(column_type: ColumnType, cell: Cell) -> bool:
    return cell == "0"


def _is_null(column_type: ColumnType, cell: Cell) -> bool:
    return cell is None


VALUES: Mapping[str, ValueTest] = {
    "integral float": _is_integral,
    "float with an exponent in Java": _needs_exponent,
    "ends in zero bytes": _ends_in_zero_bytes,
    "zero": _is_zero,
    "NULL": _is_null,
}


# Other steps


def _of_one_transaction(changes: Sequence[Change]) -> bool:
    """Whether changes have one transaction name, or without any name one time."""
    names = {transaction_in(change.instant) for change in changes}
    if names != {""}:
        return len(names) == 1
    return len({change.instant for change in changes}) == 1 and changes[0].instant != ""


def _moved(upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
    """Half of a key change in one upstream message, a message of its own in TiCDC."""
    return len(upstream) == len(ticdc) == 1 and upstream[0].moved and not ticdc[0].moved


_SPLIT = (["delete", "insert"], ["delete", "upsert"])


def _split_by_key(table: Table, upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
    """Upstream's updates that changed a key column, sent by TiCDC as a delete and an insert.

    Or, in the key group of one half, one moved change against one message of TiCDC. Avro's delete has no commit time
    stamp, and its insert may be an upsert.
    """
    if [c.op for c in ticdc] not in _SPLIT or ticdc[0].commit_ts not in (None, ticdc[1].commit_ts):
        return _moved(upstream, ticdc)
    if {c.op for c in upstream} != {"update"} or (len(upstream) > 1 and not _of_one_transaction(upstream)):
        return False
    names = {*table.primary_key, *(name for key in table.unique_keys for name in key.columns)}
    before, after = (load(image) if image else {} for image in (upstream[0].before, upstream[-1].after))
    return any(before.get(name) != after.get(name) for name in names)


def _vanished(upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
    """Upstream's steps that leave a row as it was; TiCDC has no message."""
    return not ticdc and len(upstream) > 1 and _of_one_transaction(upstream)


def _replaced(upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
    """Upstream's delete and insert in a transaction, an update in TiCDC."""
    ops = [[change.op for change in changes] for changes in (upstream, ticdc)]
    return ops == [["delete", "insert"], ["update"]] and _of_one_transaction(upstream)


def _last_alone(upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
    """Upstream's several changes in a transaction, one in TiCDC, or none if the row is unchanged."""
    if _replaced(upstream, ticdc):
        return False
    return _collapsed(upstream, ticdc) or _vanished(upstream, ticdc)


def _collapsed(upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
    """Upstream's several changes in a transaction, one in TiCDC."""
    return len(ticdc) == 1 < len(upstream) and _of_one_transaction(upstream)


def _snapshot(upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
    """A row read by upstream's snapshot, an insert in TiCDC."""
    return len(upstream) == len(ticdc) == 1 and (upstream[0].op, ticdc[0].op) == ("read", "insert")


STEPS: Mapping[str, StepTest] = {
    "delete and insert of a transaction as update": _replaced,
    "changes of a transaction as the last of them": _last_alone,
    "read as insert": _snapshot,
}

KEY_STEPS: Mapping[str, KeyStepTest] = {"change of a key as delete and insert": _split_by_key}
