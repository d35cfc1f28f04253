"""The fast path for a row message that looks like the last valid one of its table.

It accepts only messages that the slow path accepts, and gives the same events; it leaves every other message to the
slow path. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from reference_impl.canal_json.message import MAX_MS, MEMBERS, ROW_OPS, Message
from reference_impl.canal_json.rows import RowPlan
from reference_impl.model import RowChange

__all__ = ["QuickRows"]

_PLAIN = frozenset(MEMBERS)
_EXTENDED = _PLAIN | {"_tidb"}
_ONLY_COMMIT_TS = frozenset({"commitTs"})
_INTEGER = frozenset({int})


@dataclass(frozen=True, slots=True)
class _Known:
    pk_names: list[str] | None
    plan: RowPlan


def _times(numbers: Iterable[Any]) -> bool:
    return all(type(number) is int and 0 <= number <= MAX_MS for number in numbers)


class QuickRows:
    """Plans of tables whose rows were read. With `extension` a message must have `_tidb`."""

    def __init__(self, *, extension: bool) -> None:
        self._extension = extension
        self._known: dict[tuple[str, str, int], _Known] = {}

    def forget(self) -> None:
        """Forget every table."""
        self._known.clear()

    def learn(self, message: Message, plan: RowPlan) -> None:
        """Remember the plan of a row message that the slow path has read."""
        key = (message.database, message.table, len(plan.fields))
        self._known[key] = _Known(message.pk_names, plan)

    def row(self, tree: Any) -> RowChange | None:
        """The event of a row message, or None if the slow path must read it. It may modify `tree`."""
        if type(tree) is not dict:
            return None
        commit_ts: int | None = None
        if tree.keys() == _EXTENDED:
            tidb = tree["_tidb"]
            if type(tidb) is not dict or tidb.keys() != _ONLY_COMMIT_TS:
                return None
            commit_ts = tidb["commitTs"]
            if type(commit_ts) is not int or commit_ts < 0:
                return None
        elif self._extension or tree.keys() != _PLAIN:
            return None
        database, table, codes = tree["database"], tree["table"], tree["sqlType"]
        if type(database) is not str or type(table) is not str or type(codes) is not dict:
            return None
        known = self._known.get((database, table, len(codes)))
        if (
            known is None
            or tree["mysqlType"] != known.plan.mysql_type
            or codes != known.plan.sql_type
            or not _INTEGER.issuperset(map(type, codes.values()))
            or tree["pkNames"] != known.pk_names
            or tree["isDdl"] is not False
            or tree["sql"] != ""
            or not _times((tree["id"], tree["es"], tree["ts"]))
        ):
            return None
        return self._change(tree, known.plan, commit_ts)

    def _change(self, tree: dict[str, Any], plan: RowPlan, commit_ts: int | None) -> RowChange | None:
        data, old, message_type = tree["data"], tree["old"], tree["type"]
        op = ROW_OPS.get(message_type) if type(message_type) is str else None
        if op is None or type(data) is not list or len(data) != 1:
            return None
        row, before = data[0], None
        if type(row) is not dict or row.keys() != plan.sql_type.keys() or not plan.read_quickly(row):
            return None
        if op == "update":
            if type(old) is not list or len(old) != 1:
                return None
            before = old[0]
            if type(before) is not dict or not before.keys() <= row.keys():
                return None
            if not plan.read_quickly(before, partial=len(before) < len(row)):
                return None
        elif old is not None:
            return None
        if op == "delete":
            return RowChange(op, tree["database"], tree["table"], commit_ts, row, None)
        return RowChange(op, tree["database"], tree["table"], commit_ts, before, row)
