"""Crashes of a search are told apart by how they ended, and by nothing that differs from case to case."""

from __future__ import annotations

from itertools import count

import pytest

from conformance.cases.model import Case
from conformance.engine.outcomes import Outcome
from conformance.engine.verdicts import Verdict
from conformance.search import marks
from conformance.search.marks import failure_marks
from conformance.search.search import Search
from reference_impl.profiles import NEWARCH
from tests.amounts import ordinarily
from tests.unit.search.test_search import SMALL


def crash(message: str = "", stderr: str = "") -> Outcome:
    return Outcome(Verdict.CRASH, message=message, stderr=stderr)


ENDED = "it ended with exit status {} during encode (request 17)"


@pytest.mark.parametrize(
    ("outcome", "mark"),
    [
        (crash(), "crash@encode"),
        (crash(ENDED.format(3)), "crash@encode: exit status 3"),
        (crash("it was killed by SIGSEGV during encode (request 5)"), "crash@encode: killed by SIGSEGV"),
        (
            crash("it closed its output but kept running during encode"),
            "crash@encode: it closed its output but kept running",
        ),
        (
            crash(ENDED.format(1), "Traceback …\n  File x\nValueError: bad literal '12' at 0x7f00\n\n"),
            "crash@encode: exit status 1: ValueError: bad literal '…' at N",
        ),
        (
            crash(
                ENDED.format(2), "noise\npanic: index out of range [5]\n\ngoroutine 1 [running]:\n/a/main.go:12 +0x1d\n"
            ),
            "crash@encode: exit status 2: panic: index out of range [N]",
        ),
        (crash("the harness itself broke: KeyError('c')"), "crash@encode: the harness itself broke: KeyError('…')"),
    ],
)
def test_a_crash_is_known_by_its_end_and_its_last_words(outcome: Outcome, mark: str) -> None:
    assert failure_marks(outcome, "encode") == (mark,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("E: at 0x7f12, row 5", "E: at 0x99, row 61"),
        ("E: value 'a b'", "E: value 'c'"),
        ("E: /tmp/x1/m.py, line 3", "E: /home/y/m.py, line 9"),
    ],
)
def test_what_changes_from_case_to_case_does_not_tell_crashes_apart(one: str, other: str) -> None:
    assert failure_marks(crash(stderr=one), "decode") == failure_marks(crash(stderr=other), "decode")


@pytest.mark.parametrize(
    ("one", "other"), [("E: a", "E: b"), ("KeyError: 1", "IndexError: 1"), ("m.py, line", "n.py, line")]
)
def test_other_words_and_another_status_are_another_crash(one: str, other: str) -> None:
    assert failure_marks(crash(stderr=one), "decode") != failure_marks(crash(stderr=other), "decode")
    assert failure_marks(crash(ENDED.format(1), one), "decode") != failure_marks(crash(ENDED.format(2), one), "decode")


def test_a_time_out_has_the_mark_that_it_has_in_a_run() -> None:
    assert failure_marks(Outcome(Verdict.TIMEOUT, stderr="x"), "encode") == ("timeout@encode",)


def test_a_search_keeps_one_of_each_crash_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = ordinarily(4, marks.MOST_CRASHES)
    monkeypatch.setattr(marks, "MOST_CRASHES", bound)

    def asking(kinds: int) -> Search:
        numbers = count()
        words = [chr(ord("a") + kind) * 3 for kind in range(kinds)]
        told: dict[str, str] = {}

        def ask(case: Case) -> Outcome:
            word = told.setdefault(case.id, words[next(numbers) % kinds])
            return crash(ENDED.format(1), word)

        return Search(ask, "canal-json", "encode", NEWARCH, 1, 60, scope=SMALL)

    two = [found.mark for found in asking(2).run()]
    assert sorted(two) == ["crash@encode: exit status 1: aaa", "crash@encode: exit status 1: bbb"]
    many = [found.mark for found in asking(bound + 4).run()]
    assert len(set(many)) == len(many) == bound
