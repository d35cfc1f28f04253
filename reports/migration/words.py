"""What every report of a move says in the same words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from reports.texts import counted, cut

__all__ = [
    "SECTIONS",
    "SEVERITIES",
    "place_text",
    "places_text",
    "removal_text",
    "seen_text",
    "sentence",
    "title",
    "verdict_text",
]

Json: TypeAlias = Mapping[str, Any]

SEVERITIES = ("blocker", "silent", "cosmetic")
_PLURALS = {"blocker": ("blocker", "blockers"), "silent": ("silent change", "silent changes"),
            "cosmetic": ("cosmetic difference", "cosmetic differences")}  # fmt: skip
SECTIONS: Mapping[str, str] = {
    "blocker": "Blockers",
    "silent": "Silent changes",
    "cosmetic": "Cosmetic",
    "columns": "Column by column",
    "configuration": "Configuration",
    "placement": "Placement",
    "left": "Not assessed",
}
_SHOWN = 3
_LONGEST = 160


def title(record: Json) -> str:
    """From where to where, and who reads."""
    return f"{record['from']} → {record['to']}, read by {record['consumer'] or 'the documents'}"


def sentence(record: Json) -> str:
    """The outcome: what there is of each severity."""
    parts = [counted(record["counts"][name], *_PLURALS[name]) for name in SEVERITIES]
    left = len(record["not_assessed"])
    return f"{parts[0]}, {parts[1]}, {parts[2]}; {counted(left, 'matter', 'matters')} not assessed"


def place_text(place: Json) -> str:
    """`schema.table.column`."""
    return ".".join(part for part in (place["schema"], place["table"], place["column"]) if part)


def places_text(places: Sequence[Json], most: int = _SHOWN) -> str:
    """The first of the places, and how many more there are."""
    texts = [place_text(one) for one in places[:most]]
    return ", ".join(texts) + (f" and {len(places) - most:,} more" if len(places) > most else "")


def seen_text(shown: Json | None) -> str:
    """What the reader has of a row, in one line; "" where nothing is shown."""
    if shown is None:
        return ""
    rows = "; ".join(
        f"{one['change']} {', '.join(f'{name} = {_value(value)}' for name, value in one['row'].items())}".strip()
        for one in shown["rows"]
    )
    if shown["outcome"] == "read" or not rows:
        return cut(rows or shown["outcome"], _LONGEST)
    return cut(f"{shown['outcome']} (before that: {rows})", _LONGEST)


def _value(value: str | None) -> str:
    return "NULL" if value is None else value


def removal_text(one: Json) -> str:
    """What removes a finding, what remains, and what it breaks."""
    tried = " (tried on the model)" if one["tried"] else ""
    but = f"; but {one['but']}" if one["but"] else ""
    brings = one["brings"]
    more = f" and {len(brings) - _SHOWN:,} more" if len(brings) > _SHOWN else ""
    here = f"; here it brings: {'; '.join(brings[:_SHOWN])}{more}" if brings else ""
    here = here or ("; here it brings nothing else" if one["tried"] else "")
    return f"{one['what']}{tried}{but}; what it breaks: {one['breaks']}{here}"


def verdict_text(column: Json) -> str:
    """What befalls a column, and whether all of its values were looked at."""
    partly = column["assessed"] == "partly"
    return f"{column['verdict']}, in part" if partly else str(column["verdict"])
