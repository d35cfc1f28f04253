"""The position of a message in the stream: `id`, `es`, `ts`, `gtid`.  [CJ-668, CJ-902, CJ-904]"""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, RowChange
from reference_impl.settings import Settings
from reference_impl.tso import given_tso, physical_ms
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.options import Options

__all__ = ["Position", "Positions", "member"]

_SECOND = 1000  # a binlog counts whole seconds


@dataclass(frozen=True, slots=True)
class Position:
    """`head` is the members from `es` to `id`, `ts` the time of the message in milliseconds."""

    head: str
    ts: int


def member(event: RowChange | DdlEvent, name: str) -> str | None:
    """A member of the event's `source`, None without one.

    Raises `Rejected` (class `schema`) if it is not a text.
    """
    value = (event.source or {}).get(name)
    if value is None or isinstance(value, str):
        return value
    raise Rejected("schema", f"source.{name} is not a text")


def _digits(event: RowChange | DdlEvent, name: str) -> int | None:
    text = member(event, name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()):
        raise Rejected("type", f"source.{name} is {text!r}, not a number")
    return int(text)


class Positions:
    """The positions of events: from their `source`, or derived from other members.

    `id` is the number of the batch, from 1; `es` the whole second of `commit_ts`; `ts` the wall clock of the settings,
    else `es`; `gtid` is empty, and is whatever the source says where Canal does not ask for it.
    """

    def __init__(self, options: Options, settings: Settings) -> None:
        self._options = options
        self._settings = settings
        self._batch = 0

    def next_batch(self) -> None:
        """Begin another batch."""
        self._batch += 1

    def of(self, event: RowChange | DdlEvent) -> Position:
        """The position of an event.

        Raises `Rejected`: `semantics` without a time, `type` for other than a number.
        """
        es = _digits(event, "es")
        if es is None:
            es = physical_ms(given_tso(event.commit_ts, "commit_ts of an event without source.es"))
            es -= es % _SECOND
        ts = _digits(event, "ts")
        if ts is None:
            ts = es if self._settings.now_ms is None else self._settings.now_ms
        batch = _digits(event, "id")
        gtid = member(event, "gtid") if self._options.gtid else None
        return Position(f'"es":{es},"gtid":{literal(gtid or "")},"id":{self._batch if batch is None else batch}', ts)
