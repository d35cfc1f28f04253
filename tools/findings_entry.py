"""A finding of docs/findings: its entry on a page, its row in the table, and the text of an issue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

from conformance import __version__
from reports.texts import counted, printable
from reports.vocabulary import HARM_TEXTS, HARMS

__all__ = ["Finding", "cell", "entry", "order", "row"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding. `page` is its file, `who` the program with the fault, `versions` those that show it.

    `command` shows it, as words; `shows` is what its output says of it. `evidence` are labelled lines: what was
    expected, got, and the bytes of the record. `notes` are lines that only some findings have.
    """

    id: str
    page: str
    who: str
    title: str
    harm: str
    versions: str
    cases: int
    rule: str
    status: str
    command: Sequence[str]
    shows: str
    sql: Sequence[str]
    evidence: Sequence[tuple[str, str]]
    notes: Sequence[str] = ()

    @property
    def line(self) -> str:
        """The command line."""
        return " ".join(map(quote, self.command))


def order(one: Finding) -> tuple[object, ...]:
    """The sort key: the worst harm first, then the most cases."""
    return HARMS.index(one.harm), -one.cases, one.title, one.id


def cell(text: str) -> str:
    """A text in a line of Markdown."""
    return printable(text).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def row(one: Finding) -> tuple[str, ...]:
    """The cells of a finding in the table; the status without its reason."""
    title = f"[{cell(one.title)}](findings/{one.page}.md#{one.id})"
    return one.who, title, f"{one.cases:,}", cell(one.status.partition(":")[0])


def entry(one: Finding, number: int) -> Iterator[str]:
    """The entry of a page."""
    yield f'## <a id="{one.id}"></a>{number}. {cell(one.title)}\n'
    yield f"* **harm** {one.harm}: {HARM_TEXTS[one.harm]}"
    yield f"* **versions** {cell(one.versions)}; {counted(one.cases, 'case', 'cases')}"
    yield f"* **rule** {cell(one.rule)}"
    yield from (f"* {cell(line)}" for line in one.notes)
    yield f"* **status** {cell(one.status)}"
    yield f"* **shown by** `{one.line}`\n"
    yield from _issue(one)
    yield ""


def _issue(one: Finding) -> Iterator[str]:
    """The text for an issue, with all that a maintainer needs."""
    yield "````markdown"
    yield f"{one.who}: {printable(one.title)}"
    yield ""
    yield f"Versions: {printable(one.versions)}. Harm: {one.harm} ({HARM_TEXTS[one.harm]})."
    yield f"Rule: {printable(one.rule)}"
    yield ""
    yield from ("```sql", *(line.replace("```", "'''") for line in one.sql), "```")
    yield ""
    width = max(len(label) for label, _ in one.evidence)
    yield from ("```text", *(f"{label:<{width}}  {text.replace('```', chr(39) * 3)}" for label, text in one.evidence))
    yield "```"
    yield ""
    yield f"Found by ticdc-conformance {__version__}: `{one.line}`"
    yield "````"
