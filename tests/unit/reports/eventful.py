"""A record of a run in which everything happens, and texts to put into it that are meant to break out of a report."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.engine import run_suite
from tests.toy import Toy, case, config, target
from tests.unit.reports.hostile import TEXTS

__all__ = ["hostile_texts", "record"]

hostile_texts = st.one_of(
    st.sampled_from(list(TEXTS.values())),
    st.text(max_size=60),
    st.lists(st.sampled_from(list(TEXTS.values())), min_size=2, max_size=4).map("".join),
)
"""Texts of the corpus, others of any characters, and several in one."""

_WORDS = {"a": "T-1", "b": "T-1", "c": "crash", "d": "ok", "e": "T-2", "f": "T-5/lost T-3", "g": "unsupported"}
_WORDS |= {"h": "ours"}


def record() -> list[dict[str, Any]]:
    """Two implementations, of which one does not start."""
    cases = [case(name) for name in _WORDS]
    events: list[dict[str, Any]] = []
    run_suite(config(target(Toy(_WORDS), cases), target(Toy(dead=True), cases)), [events.append])
    return events
