"""Records of runs whose texts are meant to break out of a report: markup, commands, controls, formulae, megabytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from conformance.engine import run_suite
from tests.toy import PROTOCOL, Toy, case, config, run, target

Json = dict[str, Any]

TEXTS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></failure><!--",
    "--> <b>",
    "| a | b |\n|---|---|",
    "```\n# heading\n```",
    "`` ` ```` `",
    "\n::error::owned",
    "%0A::stop-commands::x",
    "##[error]owned",
    "=cmd|' /C calc'!A0",
    "@everyone #1 GH-2 https://evil.example www.evil.example a@evil.example",
    "\x1b[31mred\x1b]0;title\x07",
    "\x00\x01\x08\x0b\x1f\x7f\x85\x9b",
    "\u202egnp.exe\u202c\u2066\u200f\u061c",
    "\u2028\u2029\ufeff\u200b\ufffe\uffff\U000e0041",
    "</details></summary><!-- ",
    "&lt;b&gt; &#64;x $x$ $$y$$ ~~z~~ [a](javascript:x) ![i](http://x)",
    "\\",
    "1. - # > +",
    "",
)
MEGABYTE = "é|`<]]>\n" * 140_000

hostile_texts = st.one_of(
    st.sampled_from(TEXTS),
    st.text(max_size=60),
    st.lists(st.sampled_from(TEXTS), min_size=2, max_size=4).map("".join),
)
"""Texts of the corpus, others of any characters but surrogates, and several in one."""

# Words of closed lists, which no implementation can choose.
_CLOSED = frozenset(
    ("event", "verdict", "level", "harm", "role", "standing", "policy", "colour", "gate", "kind", "anchor", "profile")
)

WORDS = {
    "a": "T-1",
    "b": "T-1",
    "c": "crash",
    "d": "ok",
    "e": "T-2",
    "f": "T-5/lost T-3",
    "g": "unsupported",
    "h": "ours",
}


def record() -> list[Json]:
    """A run in which everything happens, of two implementations of which one does not start."""
    cases = [case(name) for name in WORDS]
    events: list[Json] = []
    run_suite(config(target(Toy(WORDS), cases), target(Toy(dead=True), cases)), [events.append])
    return events


def poisoned(events: Sequence[Mapping[str, Any]], text: str) -> list[Json]:
    """The events with the text before every text that somebody outside could choose."""
    return [{name: _poison(name, value, text) for name, value in event.items()} for event in events]


def _poison(name: str, value: Any, text: str) -> Any:
    if isinstance(value, str):
        return value if name in _CLOSED else text + value
    if isinstance(value, dict):
        return {inner: _poison(inner, part, text) for inner, part in value.items()}
    if isinstance(value, list):
        return [_poison(name, part, text) for part in value]
    return value


__all__ = ["MEGABYTE", "PROTOCOL", "TEXTS", "hostile_texts", "poisoned", "record", "run"]
