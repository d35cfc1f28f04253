"""The fast path of the decoder: row messages whose schema has the bytes of an earlier message's schema.

For these the plan of the earlier message is used again; only their payload is read, and checked as on the slow path.
Every message that the two paths might split differently is left to the slow path. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from reference_impl.connect_json import Document
from reference_impl.debezium_json.plans import RowPlan
from reference_impl.exact_json import Tree, loads_quickly

__all__ = ["QuickPlans"]

_PAYLOAD = b'{"payload":'
# In JSON text these bytes are always a member, since quotes inside strings are escaped.
_SCHEMA = b',"schema":{'
_END = b"}"

# The largest number of cached plans; the cache is emptied when it is full.
_MOST_PLANS = 1024

Parts: TypeAlias = tuple[Mapping[str, Tree], Mapping[str, Tree] | None, RowPlan]
"""The payload of a value, the payload of its key (None without a key), and the plan for the rows."""


def _split(value: bytes) -> tuple[Tree, bytes]:
    """The payload of a value, and the bytes after it; the payload is None if the slow path must read the value."""
    if not value.startswith(_PAYLOAD):
        return None, b""
    cut = value.find(_SCHEMA)
    if cut < 0:
        cut = len(value) - len(_END)
    return loads_quickly(value[len(_PAYLOAD) : cut]), value[cut:]


class QuickPlans:
    """The plans of earlier row messages, by the bytes after the payload, and by schema and name of the table."""

    def __init__(self) -> None:
        self._plans: dict[tuple[bytes, str, str], RowPlan] = {}

    def forget(self) -> None:
        """Forget every plan."""
        self._plans.clear()

    def learn(self, value: bytes, document: Document, table: tuple[str, str], plan: RowPlan) -> None:
        """Remember the plan of a value that the slow path has read, if the fast path can split the value."""
        payload, end = _split(value)
        if payload is None:
            return
        if len(self._plans) >= _MOST_PLANS:
            self.forget()
        if document.schema is None:
            is_whole_end = end == _END
        else:
            is_whole_end = loads_quickly(b"{" + end[1:]) == {"schema": document.schema}
        if is_whole_end:
            self._plans[end, *table] = plan

    def find(self, value: bytes, key: bytes | None) -> Parts | None:
        """The parts of a message, None if the slow path must read it."""
        payload, end = _split(value)
        source = payload.get("source") if isinstance(payload, dict) else None
        if not isinstance(payload, dict) or not isinstance(source, dict):
            return None
        schema, table = source.get("db"), source.get("table")
        if not isinstance(schema, str) or not isinstance(table, str):
            return None
        plan = self._plans.get((end, schema, table))
        if plan is None:
            return None
        if key is None:
            return payload, None, plan
        document = loads_quickly(key)
        if not isinstance(document, dict):
            return None
        key_payload = document.get("payload")
        if not isinstance(key_payload, dict) or not isinstance(document.get("schema", {}), dict):
            return None
        return payload, key_payload, plan
