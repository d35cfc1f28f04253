"""The assessment of a move as data: findings, columns, places, and what was not assessed."""

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
    """Messages are refused, the job fails, or rows are not there."""
    SILENT = "silent"
    """The reader has something else than before, and nothing says so."""
    COSMETIC = "cosmetic"
    """The table is the same: only bytes, members around the row or the steps to the table differ."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What removes a finding: the option or change, what remains of the finding, and what the option breaks.

    `tried`: the model was run with it, and the finding was gone; `brings` lists the new effects in these tables.
    """

    what: str
    breaks: str
    but: str = ""
    tried: bool = False
    brings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What the reader has on one side: the outcome of the message, and the rows or the text of the value."""

    outcome: str
    rows: tuple[tuple[str, Mapping[str, str | None]], ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One effect of the move on the reader, with its cause, its columns and its evidence.

    `divergences` are the causes that have names; `rule` is what the consumer does, with the evidence for it. `places`
    are (schema, table, column), with the column "" for whole rows; `columns_of` are their types. `evidence` is a list
    of (step of the ladder, what), the strongest first: run live, recorded, model, reading.
    """

    severity: Severity
    harm: Harm
    title: str
    divergences: tuple[str, ...]
    rule: tuple[str, str] | None
    places: tuple[Where, ...]
    before: Shown | None
    after: Shown | None
    upstream_does: str = ""
    ticdc_does: str = ""
    removals: tuple[Removal, ...] = ()
    reader: str = ""
    sql: tuple[str, ...] = ()
    document: Mapping[str, str] | None = None
    evidence: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        """The first divergence, or the consumer's rule, or the title."""
        return (self.divergences or (self.rule[0] if self.rule else self.title,))[0]


@dataclass(frozen=True, slots=True)
class ColumnResult:
    """The result for one column: its worst severity, and the numbers of its findings, from 1 on.

    `assessed` is `wholly`, `partly` where some of its values are left open, or `not`.
    """

    where: Where
    type: str
    verdict: str
    findings: tuple[int, ...] = ()
    assessed: str = "wholly"


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
    configuration: tuple[Mapping[str, str], ...]
    not_assessed: tuple[NotAssessed, ...]
    named: frozenset[tuple[str, str, str]] = frozenset()
    unnamed: frozenset[tuple[str, str, str]] = frozenset()
    consumer_effects: frozenset[tuple[str, str, str]] = frozenset()
    tried: Mapping[str, int] = field(default_factory=dict)

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
            "counts": {str(one): self.count(one) for one in Severity},
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
            {
                "what": of.what,
                "but": of.but,
                "breaks": of.breaks,
                "tried": of.tried,
                "brings": list(of.brings),
            }
            for of in one.removals
        ],
        "reader": one.reader,
        "sql": list(one.sql),
        "document": None if one.document is None else dict(one.document),
        "evidence": [dict(zip(("step", "what"), pair, strict=True)) for pair in one.evidence],
    }
