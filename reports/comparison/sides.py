"""The input of a comparison for its page: the sides, how far each was read, and offsets of topics."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from reports.comparison.verdict import method

__all__ = ["facts_of", "sides_of"]

Json: TypeAlias = Mapping[str, Any]


def facts_of(summary: Json) -> Iterator[tuple[str, str]]:
    """The facts of the comparison: labels and texts."""
    for side in summary["sides"]:
        options = [f"{name}={value}" for name, value in side["options"].items()]
        yield side["name"], ", ".join((side["dialect"], *options, side["source"]))
    made = summary.get("made", {})
    for label in ("suite", "profile", "date"):
        if made.get(label):
            yield label, made[label]
    if made.get("registers"):
        yield "registers", ", ".join(f"{protocol} {digest[:12]}" for protocol, digest in made["registers"].items())
    yield "made by", method(summary).removeprefix("made by ")
    gate = summary["gate"]
    share = f", up to {100 * gate['max_share']:.4g} % of the changes" if gate["max_share"] else ""
    ignored = f"; ignored: {', '.join(gate['ignore'])}" if gate["ignore"] else ""
    yield "red is", f"{gate['fail_on']}{share}{ignored}"
    if made.get("command"):
        yield "command", shlex.join(made["command"])


def sides_of(summary: Json) -> Iterator[dict[str, Any]]:
    """Each side with its numbers, its progress in a live comparison, and the offsets of its topics."""
    for side in summary["sides"]:
        yield {
            **side,
            "others": ", ".join(f"{count:,} {what}" for what, count in side["others"].items()),
            "going_on": summary.get("live", {}).get("sides", {}).get(side["name"]),
            "topics": list(_topics(side["offsets"])) if "offsets" in side else [],
            "without": side["offsets"]["without_a_message"] if "offsets" in side else 0,
        }


def _topics(offsets: Json) -> Iterator[tuple[str, str]]:
    """A row for each topic, of which there may be one for each table."""
    begin, end = offsets["begin"], offsets["end"]
    for topic, first in begin.items():
        yield topic, "; ".join(f"{number}: {first[number]}, {end[topic][number]}" for number in first)
