"""A sample of the fault sweep: nothing survives unexplained, and the page names what is free."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from conformance.cases.model import Role
from conformance.sweep.free_forms import free_form_of
from conformance.sweep.judging import PROTOCOL_ROLES, Sweep
from conformance.sweep.record import sweep_record, unexplained
from tests.amounts import ordinarily

ONE_OF = {"encode": ordinarily(48, 24), "decode": 24}
"""The share of the faults that the ordinary tests judge; those of encoders are many times more."""

PAGE = Path(__file__).resolve().parents[3] / "docs" / "faults.md"

each_pair = pytest.mark.parametrize(("protocol", "role"), PROTOCOL_ROLES)


@cache
def sample(protocol: str, role: Role) -> Sweep:
    return Sweep(protocol, role, ONE_OF[role]).done()


@each_pair
def test_nothing_survives_unexplained_in_a_sample(protocol: str, role: Role) -> None:
    sweep = sample(protocol, role)
    assert len(sweep.results) > 15
    assert unexplained(sweep_record([sweep])) == []


@each_pair
def test_the_page_names_what_is_free_in_a_sample(protocol: str, role: Role) -> None:
    page = PAGE.read_text("utf-8")
    missed = [(fault, judged) for fault, judged in sample(protocol, role).results.items() if judged.missed]
    sources = {source for one in missed for source in free_form_of(protocol, role, *one)}
    assert sorted(source for source in sources if source not in page) == []
