"""What is known of findings: a report is named by its thread, and was searched for."""

from __future__ import annotations

import re

import pytest

from tools.findings_status import KNOWN, OF_TICDC, SEARCHED, open_text, status_of

_THREAD = re.compile(r"[\w.-]+/[\w.-]+#\d+")
_TEXTS = [*(known for *_, known in KNOWN), *OF_TICDC.values()]


@pytest.mark.parametrize("text", [text for text in _TEXTS if text.startswith("reported")])
def test_a_report_names_its_thread_as_owner_repository_and_number(text: str) -> None:
    assert _THREAD.search(text)


def test_what_is_known_is_of_one_finding_each() -> None:
    keys = [one[:3] for one in KNOWN]
    assert len(keys) == len(set(keys))


def test_an_open_finding_says_whether_it_was_searched_for() -> None:
    key = next(key for key in sorted(SEARCHED) if not status_of(*key))
    assert open_text(*key) == "open: public threads were searched, and none reports it"
    assert open_text("nobody", "another value", "int") == "open: no report of it is known to the suite"
