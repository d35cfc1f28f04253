"""Closing a session: bye, a while, terminate, kill. Nothing survives."""

from __future__ import annotations

import io
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from miniature import PATIENT, run_case, started

from conformance.transport import Limits, leftovers, process
from conformance.transport.leftovers import MARK, kill_marked
from conformance.transport.process import ProcessConnection

HASTY = Limits(start=20, answer=20, bye=0.2, terminate=0.2)


@contextmanager
def children(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The process ids of the children that are started meanwhile."""
    started_ids: list[int] = []
    start = ProcessConnection.__init__

    def noting(self: ProcessConnection, *arguments: object, **options: object) -> None:
        start(self, *arguments, **options)  # type: ignore[arg-type]
        started_ids.append(self._process.pid)

    monkeypatch.setattr(ProcessConnection, "__init__", noting)
    yield started_ids


def gone(pid: int) -> bool:
    """Whether a process that is not our child has ended, or ends now that it was killed."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with os.fdopen(handle):
        return bool(select.select([handle], [], [], 10)[0])


needs_pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system has no pidfd")


def test_a_harness_that_goes_by_itself_leaves_no_complaint() -> None:
    assert started("echo").close() is None


def test_closing_twice_is_allowed() -> None:
    session = started("echo")
    session.close()
    assert session.close() is None


@needs_pidfd
def test_one_that_ignores_bye_and_sigterm_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    with children(monkeypatch) as pids:
        complaint = started("ignores_sigterm", limits=HASTY).close()
        assert complaint is not None
        assert re.fullmatch(
            r"it did not exit within [\d.e-]+ s of bye, nor within 0.2 s of SIGTERM, and was killed", complaint
        )
        assert [gone(pid) for pid in pids] == [True]


@needs_pidfd
@pytest.mark.parametrize("name", ["closes_stdout", "silent", "slow_drip"])
def test_nothing_survives_a_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with children(monkeypatch) as pids, started(name, limits=Limits(start=20, answer=0.2)) as session:
        assert run_case(session, "bad") != "ok"
        assert [gone(pid) for pid in pids] == [True]


@needs_pidfd
@pytest.mark.parametrize("case", ["good", "bad"])
def test_the_children_of_a_child_do_not_survive_it(case: str) -> None:
    with started("leaves_a_child", limits=Limits(start=20, answer=0.2, bye=0.2)) as session:
        run_case(session, case)
        grandchild = int(session.hello["version"])
    assert gone(grandchild)


def test_a_case_in_flight_is_not_waited_for_when_we_are_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    session = started("silent", limits=PATIENT)
    session.ask("reset")

    def interrupt(self: object, deadline: float) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProcessConnection, "receive", interrupt)
    with pytest.raises(KeyboardInterrupt), session:
        session.ask("encode", case="bad")
    assert session.close() is None


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="this system cannot look at a child without reaping it")
@pytest.mark.parametrize("name", ["echo", "ignores_sigterm", "dies_in_the_middle"])
def test_a_process_group_is_killed_only_while_its_child_is_not_reaped(name: str, monkeypatch) -> None:
    ended: list[int] = []

    def end_group(group: int, number: int = signal.SIGKILL) -> None:
        os.waitid(os.P_PID, group, os.WEXITED | os.WNOWAIT | os.WNOHANG)  # ChildProcessError: it may be of others
        ended.append(group)
        os.killpg(group, number)

    monkeypatch.setattr(process, "end_group", end_group)
    with children(monkeypatch) as pids:
        session = started(name, limits=HASTY)
        run_case(session, "bad" if name == "dies_in_the_middle" else "good")
        session.close()
        session.close()
    assert set(ended) == set(pids)


def test_a_process_that_names_the_mark_in_another_variable_is_not_swept() -> None:
    marks = {"its own": {MARK: "ab.1"}, "of a child": {MARK: "ab.1.2"}, "another": {"NOTE": f"see {MARK}=ab.1"}}
    argv = [sys.executable, "-S", "-c", "input()"]
    running = {
        name: subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **more})
        for name, more in marks.items()
    }
    try:
        if not os.path.exists("/proc/self/environ"):
            pytest.skip("this system shows no environments")
        kill_marked("ab.1")
        statuses = {name: child.wait(10) for name, child in running.items() if name != "another"}
        assert set(statuses.values()) == {-signal.SIGKILL}
        running["another"].communicate(b"\n", timeout=10)
        assert running["another"].returncode == 0
    finally:
        for child in running.values():
            child.kill()
            child.wait()


def test_a_process_whose_environment_is_not_shown_at_first_is_killed_too(monkeypatch) -> None:
    """It is about to begin a program."""
    if not os.path.exists("/proc/self/environ"):
        pytest.skip("this system shows no environments")
    argv, marked = [sys.executable, "-S", "-c", "input()"], {**os.environ, MARK: "cd.1"}
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=marked) as child:
        hidden = [f"/proc/{child.pid}/environ"]

        def opened(path: str, mode: str) -> io.IOBase:
            if path in hidden:
                hidden.remove(path)
                return io.BytesIO()
            return open(path, mode)

        monkeypatch.setattr(leftovers, "open", opened, raising=False)
        kill_marked("cd.1")
        child.communicate(timeout=10)
    assert child.returncode == -signal.SIGKILL
