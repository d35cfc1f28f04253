"""Each misbehaviour is blamed on the one case in flight, by its kind, and the case after it runs."""

from __future__ import annotations

import signal

import pytest
from miniature import IMPATIENT, PATIENT, SHORT, blamed, miniature, run_case, started

from conformance.transport import Crashed, HarnessLost, Limits, ProtocolError, TimedOut
from conformance.transport.session import lost_at_start

CASES = [
    # miniature, its arguments, limits, kind of blame, a piece of the message
    ("dies_in_the_middle", [], PATIENT, Crashed, "ended with exit status 3 during encode (request "),
    ("dies_in_the_middle", [str(int(signal.SIGSEGV))], PATIENT, Crashed, "was killed by SIGSEGV during encode"),
    ("half_a_line", [], PATIENT, Crashed, """in the middle of a line: '{"id": """),
    ("closes_stdout", [], PATIENT, Crashed, "closed its output but kept running"),
    ("leaves_a_child", [], IMPATIENT, Crashed, "ended with exit status 4"),
    ("silent", [], IMPATIENT, TimedOut, f"no answer to encode (request 5) within {SHORT} s"),
    ("slow_drip", [], IMPATIENT, TimedOut, "of a line there came: ' "),
    ("garbage_line", [], PATIENT, ProtocolError, "line 5 of its output: not JSON"),
    ("noise_at_once", [], PATIENT, ProtocolError, "output when no request is in flight: 'flushed 1 record'"),
    ("noise_later", [], PATIENT, ProtocolError, "line 5 of its output: not JSON"),
    ("wrong_id", [], PATIENT, ProtocolError, "an answer to request 1005, which was not asked"),
    ("no_id", [], PATIENT, ProtocolError, "no integer 'id'"),
    ("second_answer", [], PATIENT, ProtocolError, "line 6 of its output: a second answer to request 5"),
    ("late_second_answer", [], PATIENT, ProtocolError, "line 5 of its output: a second answer to request 4"),
    ("giant_line", ["5000"], Limits(start=20, answer=20, line=4000), ProtocolError, "line 5 of its output: it is too"),
    ("not_an_object", [], PATIENT, ProtocolError, "not a JSON object: '[1, 2]'"),
    ("two_ids", [], PATIENT, ProtocolError, "the member 'id' stands twice in one object"),
    ("empty_answer", [], PATIENT, ProtocolError, "this one has none"),
    ("beyond_the_topic", [], PATIENT, ProtocolError, "ok.records[0].partition is 1: they count from 0"),
    ("two_outcomes", [], PATIENT, ProtocolError, "this one has ok and unsupported"),
]


@pytest.mark.parametrize(
    ("name", "arguments", "limits", "kind", "message"), CASES, ids=[f"{case[0]}-{case[3].__name__}" for case in CASES]
)
def test_a_misbehaviour_is_blamed_on_the_case_in_flight_and_the_next_case_runs(name, arguments, limits, kind, message):
    with started(name, *arguments, limits=limits) as session:
        assert run_case(session, "good") == "ok"
        # request ids: hello 1, configure 2, reset 3 and encode 4 of the case above; the line numbers likewise
        fault = blamed_without_reset(session)
        assert isinstance(fault, kind)
        assert message in str(fault)
        assert run_case(session, "good again") == "ok"
        assert session.restarts == 1


def blamed_without_reset(session):  # type: ignore[no-untyped-def]
    try:
        session.ask("encode", case="bad", tables=[], events=[])
    except (Crashed, TimedOut, ProtocolError) as e:
        return e
    return None


def test_a_message_shows_the_first_200_characters_of_the_line() -> None:
    with started("garbage_line") as session:
        line = "Traceback (most recent call last): " + "x" * 165
        assert str(blamed(session, "bad")).endswith(f"'{line}'…")


def test_a_program_that_stops_reading_is_timed_out() -> None:
    with started("deaf", limits=IMPATIENT) as session:
        session.ask("reset")
        with pytest.raises(TimedOut, match="it did not read encode"):
            session.ask("encode", case="x" * 1_000_000)


def test_a_flood_on_stderr_blocks_nobody_and_its_end_is_kept() -> None:
    with started("stderr_flood") as session:
        assert run_case(session, "bad") == "ok"
        assert session.stderr().endswith("the last word\n")
        assert len(session.stderr()) < 20_000


def test_stderr_is_that_of_the_case_to_blame() -> None:
    with started("talks_on_stderr") as session:
        assert run_case(session, "good") == "ok"
        fault = blamed(session, "bad")
        assert isinstance(fault, Crashed)
        assert "working on bad" in fault.stderr
        assert "working on good" not in fault.stderr


def test_the_exit_status_and_the_signal_are_told() -> None:
    with started("dies_in_the_middle") as session:
        assert blamed(session, "bad").status == 3  # type: ignore[union-attr]
    with started("dies_in_the_middle", str(int(signal.SIGKILL))) as session:
        assert blamed(session, "bad").status == -signal.SIGKILL  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "dead",
            [],
            "it did not start: it ended with exit status 1 during hello (request 1); its stderr says: no lic",
        ),
        ("dies_before_hello", [], "it did not start: it was killed by SIGKILL during hello"),
        ("silent", ["at once"], "it did not start: no answer to hello (request 1) within 0.3 s"),
        ("banner", [], "it did not start: line 1 of its output: not JSON"),
    ],
)
def test_one_that_does_not_answer_hello_is_lost(name: str, arguments: list[str], message: str) -> None:
    start = SHORT if name == "silent" else 20
    with miniature(name, *arguments, limits=Limits(start=start)) as session, pytest.raises(HarnessLost) as caught:
        session.start()
    assert message in str(caught.value)
    assert name != "dead" or caught.value.stderr == "no licence found\n"


@pytest.mark.parametrize(
    ("stderr", "named"),
    [
        ("Traceback (most recent call last):\n  raise Error\nValueError: no port\n", "ValueError: no port"),
        (
            "/h.js:1\nx = ;\n    ^\n\nSyntaxError: Unexpected\n    at wrap (a:1)\n\nNode.js v20.20.2\n",
            "SyntaxError: Unexpected",
        ),
        ("panic: no port\n\ngoroutine 1 [running]:\nmain.main()\n\t/h.go:3 +0x1d\nexit status 2\n", "panic: no port"),
        (
            'Exception in thread "main" a.B: c\n\tat H.main(H.java)\nCaused by: d.E: an error\n\t... 3 more\n',
            "Caused by: d.E: an error",
        ),
        ("no licence found\n\n", "no licence found"),
    ],
)
def test_one_that_does_not_start_is_told_with_the_line_that_names_the_error(stderr: str, named: str) -> None:
    assert (
        str(lost_at_start(Crashed("it ended", stderr=stderr)))
        == f"it did not start: it ended; its stderr says: {named}"
    )
