"""One finding of docs/findings.md that rows show: what went in, what is read, and the text of an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from conformance import __version__
from conformance.cases.model import Case
from conformance.cases.sql import script
from conformance.compatibility.cells import Trouble
from conformance.errors import SuiteError
from reference_impl.model import RowChange
from reports.texts import cut, printable

__all__ = ["Shown", "asked", "cell", "span_of"]

_LONGEST = 200
_MOST_SQL = 6
_VALUE = re.compile(rb'\s*("(?:[^"\\]|\\.)*"|[^,}\]]*)', re.DOTALL)
_MOST_HEX = 40


def cell(text: str) -> str:
    """A text in a line of Markdown."""
    return printable(text).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding. `who` is what has the fault, `versions` those that show it; `told` are lines that only some have."""

    id: str
    title: str
    harm: str
    who: str
    versions: str
    rule: str
    status: str
    command: str
    case: Case
    trouble: Trouble
    cases: int
    told: Sequence[str] = ()

    def lines(self, number: int) -> Iterator[str]:
        """The entry of the page."""
        yield f'### <a id="{self.id}"></a>{number}. {cell(self.title)}\n'
        seen = "1 case" if self.cases == 1 else f"{self.cases:,} cases"
        yield f"* **harm** {self.harm}; **versions** {cell(self.versions)}; {seen}"
        yield f"* **rule** {cell(self.rule)}"
        for line in self.told:
            yield f"* {cell(line)}"
        yield f"* **status** {cell(self.status)}"
        yield f"* **shown by** `{self.command}`\n"
        yield from self._evidence()
        yield "<details><summary>Text of an issue</summary>\n"
        yield from self._issue()
        yield "\n</details>\n"

    def _evidence(self) -> Iterator[str]:
        yield from ("```sql", *self._sql(), "```\n")
        yield "```"
        yield f"went in   {_value(self.trouble.went_in)}"
        yield f"read      {_value(self.trouble.read)}"
        yield from self._bytes()
        yield "```\n"

    def _issue(self) -> Iterator[str]:
        yield "````text"
        yield f"{self.who}: {printable(self.title)}"
        yield ""
        yield f"Versions: {self.versions}. Harm: {self.harm}."
        yield ""
        yield from self._sql()
        yield ""
        yield f"went in   {_value(self.trouble.went_in)}"
        yield f"read      {_value(self.trouble.read)}"
        yield from self._bytes()
        yield ""
        yield f"Found by ticdc-conformance {__version__}: {self.command}"
        yield "````"

    def _sql(self) -> Iterator[str]:
        """The smallest statements: the table and the row, cut to its key and the column in question."""
        lines = _smallest(self.case, self.trouble.column) or list(self.case.sql)
        yield from (cut(f"{printable(line)};", _LONGEST) for line in lines[:_MOST_SQL])

    def _bytes(self) -> Iterator[str]:
        """Where the record has the column: as text, and in hexadecimal digits."""
        for record in self.case.records if self.trouble.column else ():
            value = record.value or b""
            if (span := span_of(value, self.trouble.column)) is not None:
                part = value[span[0] : span[2]]
                dots = "…" if len(part) > _MOST_HEX else ""
                yield f"record    {cut(printable(part.decode('utf-8', 'replace')), _LONGEST)}"
                yield f"bytes     {part[:_MOST_HEX].hex(' ')}{dots}"
                return


def span_of(value: bytes, column: str) -> tuple[int, int, int] | None:
    """Where a message has a column first: where its name begins, where its value begins, and where that ends.

    Schemas stand before or behind a row, and say names in another way.
    """
    needle = f'"{column}":'.encode()
    at = value.find(needle)
    if at < 0:
        return None
    found = _VALUE.match(value, at + len(needle))
    return None if found is None else (at, found.start(1), found.end(1))


def _value(text: str | None) -> str:
    return "NULL" if text is None else cut(printable(text), _LONGEST) or "(empty)"


def _smallest(case: Case, column: str) -> list[str]:
    """Statements that make the row, with its key and one column more; none where they cannot be told."""
    rows = [event for event in case.events if isinstance(event, RowChange)]
    if not column or not rows:
        return []
    event = rows[0]
    table = next((t for t in case.tables if t.id == (event.schema, event.table)), None)
    if table is None:
        return []
    kept = [one for one in table.columns if one.name in (*table.primary_key, column)]
    names = {one.name for one in kept}
    small = replace(table, columns=tuple(kept), unique_keys=(), indexes=(), create_sql=None)
    image = (event.before if event.op == "delete" else event.after) or {}
    change = replace(event, op="insert", before=None, after={n: v for n, v in image.items() if n in names})
    try:
        lines = script([small], [change], case.settings.timezone)
    except (SuiteError, KeyError, TypeError):
        return []
    return [line for line in lines if not line.startswith(("SET time_zone", "CREATE DATABASE"))]


def asked(*words: str) -> str:
    """A command as a line."""
    return " ".join(quote(word) for word in words)
