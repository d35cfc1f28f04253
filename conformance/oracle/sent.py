"""A sent message, as the rules on streams see it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from reference_impl.model import Event, RowChange, Watermark
from reference_impl.values import to_wire
from reference_impl.wire import event_to_json

__all__ = ["Sent", "SentKind", "TableId", "sent_of"]

TableId: TypeAlias = tuple[str, str]


class SentKind(StrEnum):
    """The kind of a sent message."""

    ROW = "row"
    DDL = "ddl"
    WATERMARK = "watermark"


@dataclass(frozen=True, slots=True)
class Sent:
    """One message in a stream."""

    kind: SentKind
    partition: int | None  # None where the capture does not know it
    commit_ts: int | None  # None if the format lacks it
    identity: bytes  # a hash of the meaning: equal for a message that is sent again
    table: TableId = ("", "")
    key: Hashable | None = None  # names and values that identify the row in its table; None if they are unknown
    topic: str | None = None
    where: object = None  # anything that the caller wants to have in a `StreamFault`
    offset: int | None = None  # 0 says that the lane is seen from its start


def _identity(event: Event) -> bytes:
    text = json.dumps(event_to_json(event), sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _key_of(event: RowChange, columns: Iterable[str]) -> Hashable | None:
    row = event.after if event.after is not None else event.before
    names = tuple(columns)
    if row is None or not names or any(name not in row for name in names):
        return None
    return tuple((name, json.dumps(to_wire(row[name]), sort_keys=True)) for name in names)


def sent_of(
    event: Event,
    partition: int | None,
    *,
    key: Iterable[str] = (),
    topic: str | None = None,
    offset: int | None = None,
    where: Any = None,
) -> Sent:
    """An event as a message of a stream; `key` are the columns that identify rows of its table."""
    table = ("", "") if isinstance(event, Watermark) else (event.schema, event.table)
    row_key = _key_of(event, key) if isinstance(event, RowChange) else None
    return Sent(_kind_of(event), partition, event.commit_ts, _identity(event), table, row_key, topic, where, offset)


def _kind_of(event: Event) -> SentKind:
    if isinstance(event, Watermark):
        return SentKind.WATERMARK
    return SentKind.ROW if isinstance(event, RowChange) else SentKind.DDL
