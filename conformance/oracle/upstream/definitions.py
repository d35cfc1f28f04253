"""Records of statements that define something: what such a record should be, as far as its own text decides that.

The text is the record's, unless the script has one that it is nearly. What nothing decides is uncertain: names in a
list of several tables, what became of a table that was there before, the row that was last counted.  [CJ-640, DBZ-350]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

from conformance.cases.upstream.dialects import DIALECTS
from conformance.cases.upstream.lenient import payload_of, tree_of
from conformance.catalogue.recordings import Recording
from conformance.catalogue.statements import statements
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.reading import RecordKind
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record
from reference_impl.options import parse
from reference_impl.protocols import Dialect
from reference_impl.settings import Settings

__all__ = ["Definitions"]

_NEARLY = 0.95
"""How much of a text must be as in the script, so that it is the script's with a fault and not the server's own."""

_TYPED = re.compile(
    r"\s*(?:create\s+(?:table|(?:unique\s+)?index|database|schema)|drop\s+(?:table|index|database|schema)|truncate"
    r"|rename\s+table)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\s*create\s+table\s+(?:if\s+not\s+exists\s+)?[^\s(]+\s*\(", re.IGNORECASE)
_SELECT = re.compile(r"\bselect\b|\blike\b", re.IGNORECASE)
_UNKNOWN = "nothing is known of what becomes of the statement"


class Definitions:
    """The statements of a recording, in order. Raises `Rejected` for options that the dialect does not take."""

    def __init__(self, recording: Recording, codec: Dialect, options: Mapping[str, str], sql: str | None) -> None:
        self._dialect = DIALECTS[recording.protocol]
        self._is_connector = not self._dialect.packs_rows
        self._in_snapshot = recording.facts.snapshot
        self._topic = recording.facts.topic
        settings = Settings(timezone=recording.facts.timezone, topic=self._dialect.topic.replace("{name}", self._topic))
        chosen = parse(codec.options, options)
        self._encoder = codec.encoder(chosen, settings=settings)
        self._has_statements = recording.facts.statements and getattr(chosen, "include_schema_changes", True)
        self._read = ORACLES[recording.protocol].summary
        kept = (statements(sql, comments=c) for c in (True, False)) if sql is not None else ()
        self._script = dict.fromkeys(text for texts in kept for text in texts)

    def expected(self, record: Record) -> tuple[Record | None, frozenset[str], str]:
        """What should stand in the place of a record, what of it is uncertain, and why it cannot be judged if so.

        Nothing should, where the producer's configuration leaves statements out.
        """
        tree = payload_of(tree_of(record.value))
        text = self._text(str(tree.get("ddl" if self._is_connector else "sql")))
        schema, table = (tree.get(name) or "" for name in ("database", "table"))
        if self._is_connector:
            schema, table = tree.get("databaseName") or "", ""
        source = {**self._dialect.nowhere, **self._dialect.position(record).source}
        try:
            written = self._encoder.encode([DdlEvent(str(schema), str(table), text, source=source)]).records
        except (Rejected, Unsupported) as e:
            return None, frozenset(), f"{_UNKNOWN}: {e}"
        written = tuple(one for one in written if self._read(one).kind is RecordKind.DDL)
        if self._is_unasked(tree):
            return None, frozenset(), ""
        if len(written) != 1:
            return None, frozenset(), _UNKNOWN
        return written[0], self._uncertain(text, tree), ""

    def _is_unasked(self, tree: Any) -> bool:
        """Whether the producer's configuration leaves a record out. Canal has another filter for its QUERY messages."""
        return not self._has_statements and (self._is_connector or tree.get("type") != "QUERY")

    def _text(self, written: str) -> str:
        if written in self._script:
            return written
        near = max(self._script, key=lambda text: _alike(text, written), default=written)
        is_other = "".join(near.split()) != "".join(written.split())  # blanks are the client's
        return near if is_other and _alike(near, written) >= _NEARLY else written

    def _uncertain(self, text: str, tree: Any) -> frozenset[str]:
        if not self._is_connector:
            # A statement that the parser gave up on has no names, and no type of its own.
            return frozenset() if _TYPED.match(text) and tree.get("table") else frozenset({"ddl.type"})
        found = {"ddl.source.row", "ddl.source.table"}
        if not _WHOLE.match(text) or _SELECT.search(text):
            found.add("ddl.tableChanges")
        if self._in_snapshot or tree.get("source", {}).get("snapshot") != "false":
            found |= {"ddl.source", "ddl.tableChanges"}
        return frozenset(found)


def _alike(one: str, other: str) -> float:
    """How much two texts have in common; 0 where their lengths alone exclude a match."""
    if abs(len(one) - len(other)) > (1 - _NEARLY) * max(len(one), len(other)):
        return 0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
