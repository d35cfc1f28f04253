"""The fast path to the parts of a row message: a schema is recognised by its bytes.

It only splits a message into its parts, and only a message that the slow path would split in the same way; all checks
of the parts are those of the slow path. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from reference_impl.debezium_json.documents import Document
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


def _split(value: bytes) -> tuple[bytes, bytes] | None:
    """The payload of a value and the text after it, None if the payload is not the first member."""
    if not value.startswith(_PAYLOAD):
        return None
    cut = value.find(_SCHEMA)
    if cut < 0:
        cut = len(value) - len(_END)
    return value[len(_PAYLOAD) : cut], value[cut:]


class QuickPlans:
    """Plans of row messages, by the bytes after the payload and the table."""

    def __init__(self) -> None:
        self._plans: dict[tuple[bytes, str, str], RowPlan] = {}

    def forget(self) -> None:
        """Forget every plan."""
        self._plans.clear()

    def learn(self, value: bytes, document: Document, table: tuple[str, str], plan: RowPlan) -> None:
        """Remember the plan of a value that was read by the slow path, if the fast path can split the value."""
        parts = _split(value)
        if parts is None or loads_quickly(parts[0]) is None:
            return
        if len(self._plans) >= _MOST_PLANS:
            self.forget()
        end = parts[1]
        schema = loads_quickly(b"{" + end[1:]) if document.schema is not None else None
        if end == _END if document.schema is None else schema == {"schema": document.schema}:
            self._plans[end, *table] = plan

    def find(self, value: bytes, key: bytes | None) -> Parts | None:
        """The payloads of value and key, and the plan for the rows.

        None if the slow path must read them.
        """
        parts = _split(value)
        payload = None if parts is None else loads_quickly(parts[0])
        source = payload.get("source") if isinstance(payload, dict) else None
        if parts is None or not isinstance(payload, dict) or not isinstance(source, dict):
            return None
        schema, table = source.get("db"), source.get("table")
        if not isinstance(schema, str) or not isinstance(table, str):
            return None
        plan = self._plans.get((parts[1], schema, table))
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
