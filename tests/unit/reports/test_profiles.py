"""Upstream's dialects have no profile: no report says one of a run that judges them alone."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from benchmarks.reports import rendered
from conformance.catalogue.register import load_register
from conformance.engine.events import run_event
from reference_impl.protocols import DIALECTS
from reports import RENDERERS
from reports.terminal import TerminalRenderer
from tests.unit.reports.run_events import END, IUT, RUN, case, finding, plan, verdict, words

OF_UPSTREAM = {"canal": {"requirements": 3, "digest": "0123", "has_profiles": False}}
BOTH = {**OF_UPSTREAM, "canal-json": {"requirements": 3, "digest": "4567"}}


def report(kind: str, registers: dict[str, Any]) -> str:
    failed = verdict("a", "fail", finding())
    events = (RUN | {"registers": registers}, IUT | {"profile": "newarch"}, plan(1), case("a"), failed, END)
    text = rendered(partial(TerminalRenderer, width=300) if kind == "terminal" else RENDERERS[kind], events)
    return words(text) if kind == "html" else text


@pytest.mark.parametrize("kind", ["html", "terminal", "markdown"])
def test_a_report_names_the_profile_only_where_a_dialect_of_ticdcs_is_judged(kind: str) -> None:
    assert "newarch" not in report(kind, OF_UPSTREAM)
    assert "newarch" in report(kind, BOTH)
    assert "newarch" in report(kind, {"canal-json": BOTH["canal-json"]})


def test_the_record_of_a_run_says_which_dialects_have_no_profile() -> None:
    registers = {name: load_register(name) for name in DIALECTS}
    event = run_event((), registers, "data", "must", "", "")
    without = {name for name, one in event["registers"].items() if one.get("has_profiles") is False}
    assert without == {name for name, one in DIALECTS.items() if not one.of_ticdc}
