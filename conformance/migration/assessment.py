"""The assessment of a move as data: findings, results of columns, and what was not assessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from conformance.catalogue.harm import Harm
from conformance.migration.samples import Where

__all__ = ["Assessment", "ColumnResult", "Finding", "NotAssessed", "Removal", "Severity", "Shown"]


class Severity(StrEnum):
    """What a finding does to the reader, the worst first."""

    BLOCKER = "blocker"
    """Messages are refused, the job fails, or rows are lost."""
    SILENT = "silent"
    """The reader gets other data than before, without an error."""
    COSMETIC = "cosmetic"
    """The table is the same: only bytes, members around the row or the steps to the table differ."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A way to remove a finding."""

    what: str
    """The option to set, or the change to make."""
    breaks: str
    """What it breaks."""
    but: str = ""
    """What remains of the finding, or ""."""
    tried: bool = False
    """Whether the model was run with it, and the finding was gone."""
    brings: tuple[str, ...] = ()
    """Its new effects on these tables, if it was tried."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the reader gets on one side of the move: the outcome of the message, and the rows or the value's text."""

    outcome: str
    rows: tuple[tuple[str, Mapping[str, str | None]], ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One effect of the move on the reader, with its cause, its columns and its evidence."""

    severity: Severity
    harm: Harm
    title: str
    places: tuple[Where, ...]
    """The columns concerned; the column "" stands for whole rows."""
    divergences: tuple[str, ...] = ()
    """The ids of the divergences that cause it; empty if no divergence has a name for it."""
    rule: tuple[str, str] | None = None
    """(id, text) of the rule of the consumer's model."""
    before: Shown | None = None
    after: Shown | None = None
    upstream_does: str = ""
    ticdc_does: str = ""
    removals: tuple[Removal, ...] = ()
    reader: str = ""
    """What the reader can do about it."""
    sql: tuple[str, ...] = ()
    """Statements that show the effect."""
    document: Mapping[str, str] | None = None
    """The place in a document that describes it."""
    evidence: tuple[tuple[str, str], ...] = ()
    """(kind of evidence, text), the strongest first; the kinds are run live, recorded, model, reading."""

    @property
    def id(self) -> str:
        """The first divergence, or else the consumer's rule, or else the title."""
        if self.divergences:
            return self.divergences[0]
        return self.rule[0] if self.rule else self.title


@dataclass(frozen=True, slots=True)
class ColumnResult:
    """The result for one column."""

    where: Where
    type: str
    verdict: str
    """Its worst severity, `same`, or `not assessed`."""
    findings: tuple[int, ...] = ()
    """The numbers of its findings, from 1 on."""
    assessed: str = "wholly"
    """`wholly`, `partly` if some of its values are left open, or `not`."""


@dataclass(frozen=True, slots=True)
class NotAssessed:
    """Something that the assessment leaves out, and why."""

    what: str
    why: str
    places: tuple[Where, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """The effects of a move on a reader of these tables."""

    origin: str
    target: str
    consumer: str
    findings: tuple[Finding, ...]
    columns: tuple[ColumnResult, ...]
    placement: tuple[Mapping[str, Any], ...]
    """Keys, partitions, topics and order before the move and after it: an entry an aspect."""
    configuration: tuple[Mapping[str, str], ...]
    """Files and commands before the move and after it."""
    not_assessed: tuple[NotAssessed, ...]
    named: frozenset[tuple[str, str, str]] = frozenset()
    """(table, column, divergence) of every difference that a divergence explains."""
    unnamed: frozenset[tuple[str, str, str]] = frozenset()
    """(table, column, class) of every other difference."""
    tried: Mapping[str, int] = field(default_factory=dict)
    """The numbers of tables, columns, changes and messages of the trial."""

    def count(self, severity: Severity) -> int:
        """The number of findings of a severity."""
        return sum(one.severity is severity for one in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The document that `migrate --report json=PATH` writes."""
        return {
            "migration": 1,
            "from": self.origin,
            "to": self.target,
            "consumer": self.consumer or None,
            "counts": {str(severity): self.count(severity) for severity in Severity},
            "tried": dict(self.tried),
            "findings": [_finding(number, one) for number, one in enumerate(self.findings, 1)],
            "columns": [
                {
                    **_place(one.where),
                    "type": one.type,
                    "verdict": one.verdict,
                    "assessed": one.assessed,
                    "findings": list(one.findings),
                }
                for one in self.columns
            ],
            "placement": [dict(one) for one in self.placement],
            "configuration": [dict(one) for one in self.configuration],
            "not_assessed": [
                {"what": one.what, "why": one.why, "places": [*map(_place, one.places)]} for one in self.not_assessed
            ],
        }


def _place(where: Where) -> dict[str, str]:
    return dict(zip(("schema", "table", "column"), where, strict=True))


def _shown(one: Shown | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {"outcome": one.outcome, "rows": [{"change": kind, "row": dict(row)} for kind, row in one.rows]}


def _finding(number: int, one: Finding) -> dict[str, Any]:
    return {
        "number": number,
        "severity": str(one.severity),
        "harm": str(one.harm),
        "title": one.title,
        "divergences": list(one.divergences),
        "rule": None if one.rule is None else dict(zip(("id", "text"), one.rule, strict=True)),
        "places": [*map(_place, one.places)],
        "was": _shown(one.before),
        "now": _shown(one.after),
        "upstream_does": one.upstream_does,
        "ticdc_does": one.ticdc_does,
        "removals": [
            {"what": way.what, "but": way.but, "breaks": way.breaks, "tried": way.tried, "brings": list(way.brings)}
            for way in one.removals
        ],
        "reader": one.reader,
        "sql": list(one.sql),
        "document": None if one.document is None else dict(one.document),
        "evidence": [dict(zip(("step", "what"), pair, strict=True)) for pair in one.evidence],
    }
