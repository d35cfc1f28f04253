"""The other addresses: tcp, exec and py."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from miniature import FOLDER, PATIENT, blamed, command, miniature, run_case, started

from conformance.errors import UsageError
from conformance.transport import HarnessLost, Limits, StdinDump, open_session
from tests.in_process import InProcessSession


@pytest.fixture
def port() -> Iterator[int]:
    with subprocess.Popen(shlex.split(command("tcp_echo")), stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.kill()


def test_a_connection_that_ends_is_a_crash_and_a_restart_a_new_connection(port: int) -> None:
    with open_session(f"tcp:127.0.0.1:{port}", limits=PATIENT) as session:
        session.start()
        session.configure({"protocol": "canal-json"})
        assert "it closed the connection during encode" in str(blamed(session, "bad"))
        assert run_case(session, "good") == "ok"
        assert session.restarts == 1


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("127.0.0.1:1", r"to 127\.0\.0\.1 port 1: Connection refused"),
        *((f"{host}:1", "to ") for host in ("a..b", "a" * 70 + ".org", "a\0b")),
    ],
)
def test_where_nobody_listens_and_a_text_that_names_no_host_are_lost(place: str, why: str) -> None:
    with (
        open_session(f"tcp:{place}", limits=PATIENT) as session,
        pytest.raises(HarnessLost, match=f"no connection {why}"),
    ):
        session.start()


@pytest.mark.parametrize("scheme", ["cmd", "exec"])
def test_a_program_that_is_not_there_is_lost(scheme: str) -> None:
    with (
        open_session(f"{scheme}:./no-such-harness --flag") as session,
        pytest.raises(HarnessLost, match=r"'\./no-such-harness' cannot be started: No such file or directory"),
    ):
        session.start()


def test_exec_starts_a_process_per_case_with_the_whole_life_cycle() -> None:
    with started("once", scheme="exec") as session:
        assert [run_case(session, case) for case in ("a", "b", "bad", "c")] == ["ok", "ok", "Crashed", "ok"]


def test_exec_gives_up_after_as_many_faults_in_a_row_as_there_may_be_restarts() -> None:
    with started("once", scheme="exec", limits=Limits(start=20, answer=20, restarts=1)) as session:
        assert [run_case(session, "bad") for _ in range(3)] == ["Crashed", "Crashed", "HarnessLost"]


def test_exec_that_dies_before_hello_is_lost() -> None:
    with miniature("dead", scheme="exec") as session, pytest.raises(HarnessLost, match="it did not start"):
        session.start()


def test_exec_dumps_a_file_a_process(tmp_path: Path) -> None:
    with started("once", scheme="exec", trace=StdinDump(tmp_path)) as session:
        run_case(session, "a")
    last = (tmp_path / "stdin-0003.jsonl").read_text()
    assert [f'"op":"{op}"' in line for op, line in zip(_LIFE, last.splitlines(), strict=True)] == [True] * 5


_LIFE = ["hello", "configure", "reset", "encode", "bye"]


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


@pytest.mark.usefixtures("hosted")
def test_a_hosted_callable_answers_and_its_prints_go_to_stderr() -> None:
    with open_session("py:hosted:make", limits=PATIENT) as session:
        session.start()
        session.configure({"protocol": "canal-json"})
        assert run_case(session, "good") == "ok"
        assert "printed by the hosted code" in session.stderr()
        assert "written to descriptor 1" in session.stderr()


@pytest.mark.usefixtures("hosted")
def test_an_exception_of_hosted_code_is_an_error_answer_and_needs_no_restart() -> None:
    with open_session("py:hosted:make", limits=PATIENT) as session:
        session.start()
        session.configure({"protocol": "canal-json"})
        assert blamed(session, "bad") == "ValueError: no such column"
        assert "Traceback" in session.stderr()
        assert session.restarts == 0


@pytest.mark.usefixtures("hosted")
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("py:no_such_module:make", "there is no module 'no_such_module' here"),
        ("py:hosted:no_such", "the module 'hosted' has no attribute 'no_such'"),
        ("py:hosted:__name__", "hosted:__name__ is not callable"),
        ("py:os:getcwd", "os:getcwd() returned no callable"),
    ],
)
def test_a_name_that_cannot_be_hosted_is_one_clear_line(address: str, message: str) -> None:
    with open_session(address, limits=PATIENT) as session, pytest.raises(HarnessLost) as caught:
        session.start()
    assert caught.value.stderr.startswith(f"nothing to host: {message}")
    assert "Traceback" not in caught.value.stderr


@pytest.mark.usefixtures("hosted")
def test_a_folder_that_shadows_the_suite_does_not_shadow_its_host(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "conformance").mkdir()
    (tmp_path / "conformance" / "__init__.py").write_text("raise RuntimeError\n")
    (tmp_path / "mine.py").write_text(
        "HELLO = dict(harness=1, name='m', version='0', language='python', protocols={})\n"
        "def make():\n    return lambda request: {'id': request['id'], 'ok': HELLO}\n"
    )
    monkeypatch.chdir(tmp_path)
    with open_session("py:mine:make", limits=PATIENT) as session:
        assert session.start()["name"] == "m"


def test_recorded_has_no_session() -> None:
    with pytest.raises(UsageError, match="no program to talk to"):
        open_session("recorded:some/folder")


sys.path.append(str(FOLDER))


def in_process(answer: Any) -> InProcessSession:
    session = InProcessSession(lambda: answer, Limits(answer=0))
    session.start()
    session.configure({"protocol": "canal-json"})
    return session


def well(request: dict[str, Any]) -> dict[str, Any]:
    import echo

    return {"id": request["id"], "ok": echo.result(request)}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (lambda request: {"id": request["id"] + 1, "ok": {"records": []}}, "ProtocolError"),
        (lambda request: {"id": request["id"], "ok": {"records": [{}]}}, "ProtocolError"),
        (lambda request: [], "ProtocolError"),
        (lambda request: {"id": request["id"], "error": {1, 2}}, "TypeError: Type is not JSON serializable: set"),
        (lambda request: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
    ],
)
def test_a_callable_that_fails_is_blamed_like_any_program(answer: Any, outcome: str) -> None:
    def bad(request: dict[str, Any]) -> Any:
        return answer(request) if request.get("case") == "bad" else well(request)

    with in_process(bad) as session:
        assert run_case(session, "bad") == outcome
        assert run_case(session, "good") == "ok"
