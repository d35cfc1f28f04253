"""The position of a message in the stream: `id`, `es`, `ts`, `gtid`.  [CJ-668, CJ-902, CJ-904]"""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, RowChange
from reference_impl.settings import Settings
from reference_impl.tso import physical_ms, required_tso
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.options import Options

__all__ = ["Position", "Positions", "member"]

_MOST_DIGITS = 19  # as a number of 64 bits
_SECOND = 1000  # a binlog counts whole seconds


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a message."""

    head: str  # the members from `es` to `id`, as JSON text
    ts: int  # milliseconds since 1970


def member(event: RowChange | DdlEvent, name: str) -> str | None:
    """A member of the event's `source`, None if it is missing.

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
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise Rejected("type", f"source.{name} is {text!r}, not a number of at most {_MOST_DIGITS} digits")
    return int(text)


class Positions:
    """The positions of events: from their `source`, or derived from other members.

    Without a member of `source`, `id` is the number of the batch, from 1; `es` is the whole second of `commit_ts`; `ts`
    is the wall clock of the settings, else `es`; `gtid` is empty, as always without the option `gtid`.
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

        Raises `Rejected`: class `semantics` for an event without a time, `type` for a text that is not a number.
        """
        es = _digits(event, "es")
        if es is None:
            es = physical_ms(required_tso(event.commit_ts, "commit_ts of an event without source.es"))
            es -= es % _SECOND
        ts = _digits(event, "ts")
        if ts is None:
            ts = es if self._settings.now_ms is None else self._settings.now_ms
        batch = _digits(event, "id")
        gtid = member(event, "gtid") if self._options.gtid else None
        return Position(f'"es":{es},"gtid":{literal(gtid or "")},"id":{self._batch if batch is None else batch}', ts)
