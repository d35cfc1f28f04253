"""The page of runs side by side, made from the record of `index.json` alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.frame import Frame
from reports.frame.filters import anchor
from reports.renderer import NO_OPTIONS, ReportOptions
from reports.texts import counted, sentence
from reports.vocabulary import DATA, HARM_TEXTS, HARMS

__all__ = ["index_page"]

_TEMPLATE = "index.html"
_DATE, _TIME = 10, 19
"""Characters of a date, and of a date with its time."""

Json = dict[str, Any]


def index_page(record: Mapping[str, Any], options: ReportOptions = NO_OPTIONS) -> str:
    """The page. Raises `TemplateProblem` where a template of the user's is wrong."""
    return Frame(__package__, options.templates).render(_TEMPLATE, _view(record))


def _view(record: Mapping[str, Any]) -> Json:
    columns = [_column(column, record["columns"]) for column in record["columns"]]
    rules = {
        (one["protocol"], one["id"]): _anchor("rule", one["protocol"], one["id"]) for one in record["requirements"]
    }
    tables = list(_tables(record))
    history = [_series(series, columns, rules) for series in record["history"]]
    sections = [("columns", "Implementations"), *((table["id"], table["protocol"]) for table in tables)]
    sections += [("history", "Over time")] if history else []
    sections += [("causes", "Causes"), ("rules", "Rules")] if record["requirements"] else [("causes", "Causes")]
    suites = sorted({column["suite"] for column in columns if column["suite"]})
    return {
        "title": "Side by side",
        "verdict": _verdict(columns),
        "notes": [f"Compare {one['label']} with care: {'; '.join(one['notes'])}" for one in columns if one["notes"]],
        "facts": [
            ("runs", counted(len({column["run"] for column in columns}), "run", "runs")),
            ("suite", ", ".join(suites) or "unknown"),
            ("counted", "broken requirements, not passes: a MUST, or a SHOULD by which data is lost or changed"),
        ],
        "sections": sections,
        "filter": {"example": "decimal", "only": "only groups in which something is broken"},
        "footer": "Made by ticdc-conformance report index. The same data: index.json; a badge of each column: badges/",
        "harms": HARMS,
        "harm_texts": HARM_TEXTS,
        "columns": columns,
        "tables": tables,
        "history": history,
        "blocks": {column["id"]: list(_blocks(column, record, rules)) for column in columns},
        "requirements": [{**one, "anchor": rules[one["protocol"], one["id"]]} for one in record["requirements"]],
    }


def _anchor(*parts: str) -> str:
    return anchor(*parts)[:200]


def _verdict(columns: Sequence[Json]) -> Json:
    broken = sum(any(column["harms"].values()) for column in columns)
    data = sum(any(column["harms"][harm] for harm in DATA) for column in columns)
    unproved = sum(column["outcome"] not in ("green", "red", "stale") for column in columns)
    every = counted(len(columns), "column", "columns")
    parts = []
    if data:
        parts.append(f"{data:,} of {every} {'loses or changes' if data == 1 else 'lose or change'} data")
    if others := broken - data:
        parts.append(f"{others:,} of {every} {'breaks' if others == 1 else 'break'} other rules alone")
    if not broken:
        parts.append("nothing is broken in what was judged")
    if unproved:
        parts.append(f"{counted(unproved, 'column proves', 'columns prove')} nothing, or not everything")
    colour = "bad" if broken else "idle" if unproved or not columns else "good"
    return {"sentence": sentence("; ".join(parts)), "colour": colour}


def _column(column: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> Json:
    """The column with `label`, which distinguishes it for people: the name, then further differences."""
    parts = [column["implementation"], column["version"]]
    alike = [other for other in columns if all(other[m] == column[m] for m in ("implementation", "version"))]
    if any(other["profile"] != column["profile"] for other in alike):
        parts.append(column["profile"])
        alike = [other for other in alike if other["profile"] == column["profile"]]
    if len(alike) > 1:
        dates = {other["started"] for other in alike}
        is_dated = len(dates) == len(alike)
        parts.append(column["started"][:_TIME].replace("T", " ") if is_dated else f"({column['run']})")
    return {**column, "label": " ".join(filter(None, parts)), "date": column["started"][:_DATE]}


# -- tables ----------------------------------------------------------------------------


def _tables(record: Mapping[str, Any]) -> Iterator[Json]:
    """A table for each protocol."""
    protocols: dict[str, list[Json]] = {}
    for row in record["rows"]:
        protocols.setdefault(row["protocol"], []).append(row)
    for protocol, rows in protocols.items():
        yield {
            "id": _anchor("protocol", protocol),
            "protocol": protocol,
            "rows": [_row(row) for row in rows],
        }


def _row(row: Mapping[str, Any]) -> Json:
    cells = {
        column: {**cell, "target": _target(column, row), "more": _more(cell), "colour": _colour(cell)}
        for column, cell in row["cells"].items()
    }
    found = dict.fromkeys(one for cell in cells.values() for one in (*cell["broken"], *cell["advisory"]))
    return {
        **row,
        "id": _anchor("row", row["protocol"], row["group"]),
        "tags": " ".join((row["protocol"], *found)),
        "cells": cells,
        "is_trouble": any(cell["failures"] for cell in cells.values()),
    }


def _target(column: str, row: Mapping[str, Any]) -> str:
    return _anchor("in", column, row["protocol"], row["group"])


def _more(cell: Mapping[str, Any]) -> str:
    """Further remarks on a cell, in words."""
    parts = [f"{len(cell['advisory'])} advisory"] if cell["advisory"] else []
    if cell["word"] in ("failures", "clean"):
        parts += [f"{n} {word}" for word, n in cell.get("unjudged", {}).items()]
    return ", ".join(parts)


def _colour(cell: Mapping[str, Any]) -> str:
    if cell["failures"]:
        return "bad" if cell["harm"] in DATA else "idle"
    return "good" if cell["word"] == "clean" else "none"


# -- over time ----------------------------------------------------------------------------


def _series(series: Mapping[str, Any], columns: Sequence[Json], rules: Mapping[tuple[str, str], str]) -> Json:
    by_id = {column["id"]: column for column in columns}
    versions = _named([by_id[column_id] for column_id in series["columns"]])
    names = {column["id"]: column["shown"] for column in versions}
    requirements = [
        {
            **one,
            "anchor": _anchor("since", series["columns"][0], one["protocol"], one["id"]),
            "rule": rules.get((one["protocol"], one["id"]), ""),
            "when": "; ".join(_span(span, names) for span in one["spans"]),
        }
        for one in series["requirements"]
    ]
    return {**series, "versions": versions, "requirements": requirements}


def _named(versions: Sequence[Json]) -> list[Json]:
    """The columns with `shown`, the name of each among the versions of one implementation."""
    names = [str(column["version"] or column["date"] or column["id"]) for column in versions]
    names = names if len(set(names)) == len(names) else [column["label"] for column in versions]
    return [{**column, "shown": name} for column, name in zip(versions, names, strict=True)]


def _span(span: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """`since 2.1`, `until 2.0, met in 2.1`, `in all`."""
    since, until = (names[span[end]] if span[end] else "" for end in ("since", "until"))
    met = f", met in {names[span['met_in']]}" if span["met_in"] else ""
    if since and until:
        return f"in {since} alone{met}" if since == until else f"since {since}, until {until}{met}"
    return f"since {since}" if since else f"until {until}{met}" if until else "in all"


# -- causes ----------------------------------------------------------------------------


def _blocks(column: Json, record: Mapping[str, Any], rules: Mapping[tuple[str, str], str]) -> Iterator[Json]:
    """The broken requirements of a column, a block for each cell, with the links of the cells."""
    for row in record["rows"]:
        cell = row["cells"][column["id"]]
        if not cell["failures"] and not cell["advisory"]:
            continue
        causes = [
            {**cause, "anchor": _anchor(column["id"], cause["id"])}
            for cause in record["causes"][column["id"]]
            if (cause["protocol"], cause["group"]) == (row["protocol"], row["group"])
        ]
        linked = {
            word: [(identity, rules.get((row["protocol"], identity), "")) for identity in cell[word]]
            for word in ("broken", "advisory")
        }
        place = {"id": _target(column["id"], row), "protocol": row["protocol"], "group": row["group"]}
        yield place | {"causes": causes} | linked
