"""Sums up a comparison by divergence: one row for each divergence between two sides.

A row counts the differences that the divergence explains, its values in other spellings, and its messages that are not
compared. Unexplained differences have a row for each class. `explanations` has the text of each divergence once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from conformance.catalogue.divergences import Divergence, find_divergence
from conformance.catalogue.documents import heading_text, load_documents
from differential.model import Class, Status
from differential.result.harms import ORDER, harm_of, harm_of_cell

__all__ = ["EXAMPLES", "explanation", "explanations", "met_divergences"]

Json: TypeAlias = Mapping[str, Any]

EXAMPLES = 3

_UNEXPLAINED: Mapping[str, str] = {
    Class.MISSING: "changes that only {left} has",
    Class.EXTRA: "changes that only {right} has",
    Class.DUPLICATE: "changes that come twice",
    Class.REORDERED: "changes of a row in another order",
    Class.VALUE: "other values",
    Class.TYPE: "values of another kind",
    Class.SHAPE: "the same row by other steps or in other words",
    Class.METADATA: "other commit time stamps",
    Class.UNDECODABLE: "messages that cannot be read",
}


@dataclass(slots=True)
class _Row:
    status: str
    harm: str
    kind: str  # the class of unexplained differences
    count: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    tables: dict[str, None] = field(default_factory=dict)
    columns: dict[str, None] = field(default_factory=dict)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, at: Json, examples: Iterable[Json]) -> None:
        """Count the differences at a place."""
        self.count += at["count"]
        names = [at[name] for name in ("schema", "table", "column") if at.get(name)]
        if at.get("table"):
            self.tables[".".join(names[:2])] = None
            if at["column"]:
                self.columns[".".join(names)] = None
        where = {name: at.get(name, "") for name in ("schema", "table", "column")}
        for example in examples:
            if len(self.examples) < EXAMPLES:
                self.examples.append({**where, **_EXAMPLE, **example})


_EXAMPLE: Json = {"key": "", "left": None, "right": None, "left_value": None, "right_value": None, "value": None}


def met_divergences(
    names: tuple[str, str],
    dialects: Collection[str],
    cells: Sequence[Json],
    written: Sequence[Json],
    not_compared: Sequence[Json],
    ignored: Collection[str],
) -> list[dict[str, Any]]:
    """The rows of a pair of sides: unexplained ones first, then by harm, then by frequency.

    `names` are the names of the sides, `dialects` their dialects, whose options may be a remedy; `cells`, `written` and
    `not_compared` come from the pair's summary. Differences of the classes `ignored` are also counted in the member
    `ignored`.
    """
    rows: dict[tuple[str, str, str, bool], _Row] = {}

    def row(name: str | None, status: str, harm: str, kind: str, *, is_of_column: bool = False) -> _Row:
        # Of the messages that cannot be read, some are at a column and some are not: one count would be of both places.
        key = (name, "", "", False) if name else ("", kind, harm, is_of_column)
        return rows.setdefault(key, _Row(status, harm, kind))

    for cell in cells:
        harm = harm_of_cell(cell["class"], cell["column"], cell["divergence"])
        row_ = row(cell["divergence"], cell["status"], harm, cell["class"], is_of_column=bool(cell["column"]))
        row_.add(cell, cell["examples"])
        row_.classes[cell["class"]] += cell["count"]
    for one in written:
        row(one["divergence"], one["status"], _harm(one), "").add(one, one["examples"])
    for one in not_compared:
        if one["divergence"]:
            row(one["divergence"], one["status"], _harm(one), "").add(one, ())
    found = [_row_json(key[0], row_, names, dialects, ignored) for key, row_ in rows.items()]
    return sorted(found, key=_order)


def _harm(one: Json) -> str:
    return harm_of(one["divergence"]) or ""


def _row_json(
    name: str, row: _Row, names: tuple[str, str], dialects: Collection[str], ignored: Collection[str]
) -> dict[str, Any]:
    known = find_divergence(name) if name else None
    left, right = names
    return {
        "divergence": name or None,
        "title": known.title if known else _UNEXPLAINED[row.kind].format(left=left, right=right),
        "harm": row.harm,
        "status": row.status,
        "remedy": known.remedy(dialects) if known else None,
        "count": row.count,
        "classes": dict(sorted(row.classes.items())),
        "ignored": sum(count for kind, count in row.classes.items() if kind in ignored),
        "tables": sorted(row.tables),
        "columns": sorted(row.columns),
        "examples": row.examples,
    }


def _order(row: Json) -> tuple[Any, ...]:
    return (
        row["status"] != Status.UNEXPLAINED,
        ORDER[row["harm"]],
        -row["count"],
        row["divergence"] or "",
        row["title"],
    )


def explanations(pairs: Iterable[Json]) -> list[dict[str, Any]]:
    """The explanations of all divergences of the pairs, sorted by id, with remedies."""
    met: dict[str, set[str]] = {}
    for pair in pairs:
        names = {row["divergence"] for row in pair["divergences"] if row["divergence"]}
        names |= {name for one in pair["type_names"]["differ"] for name in one["divergences"]}
        for name in names:
            met.setdefault(name, set()).update(pair["dialects"])
    return [explanation(known, dialects) for name, dialects in sorted(met.items()) if (known := find_divergence(name))]


def explanation(one: Divergence, dialects: Collection[str]) -> dict[str, Any]:
    """The texts about a divergence that a page shows, with its remedies for sides of these dialects."""
    return {
        "id": one.id,
        "title": one.title,
        "harm": str(one.harm),
        "upstream": one.upstream,
        "upstream_does": one.upstream_does,
        "ticdc": one.ticdc,
        "ticdc_does": one.ticdc_does,
        "remedies": [
            {"what": remedy.what, "but": remedy.but, "breaks": remedy.breaks} for remedy in one.remedies_for(dialects)
        ],
        "reader": one.reader,
        "place": _place(one.place),
        "note": one.note,
    }


def _place(place: tuple[str, str] | None) -> dict[str, str] | None:
    if place is None:
        return None
    document = load_documents()[place[0]]
    return {"document": document.title, "heading": heading_text(*place), "url": document.url}
