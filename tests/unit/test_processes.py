"""Processes on a leash: they do not hear signals to their group, what they start does, and they end when let go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection

import pytest

from conformance.processes import Leash, processes

_DEFAULTS = "import signal; print([signal.getsignal(n) == h for n, h in ((2, signal.default_int_handler), (15, 0))])"


def _hear(leash: Leash, pipe: Connection) -> None:
    """Live through the signals of a group, tell what a child makes of them, and wait for ever."""
    leash.tie()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.raise_signal(number)
    pipe.send(subprocess.run([sys.executable, "-S", "-c", _DEFAULTS], capture_output=True, check=True).stdout)
    pipe.recv()


def test_a_process_on_a_leash_hears_no_signal_that_its_children_would_not_hear_either() -> None:
    leash = Leash()
    ours, theirs = Pipe()
    process = Process(target=_hear, args=(leash, theirs))
    process.start()
    assert ours.recv() == b"[True, True]\n"
    leash.let_go()
    process.join(60)
    assert process.exitcode == 1


def _wait(leash: Leash, pipe: Connection) -> None:
    """Say that the process is on its leash, and wait for ever."""
    leash.tie()
    pipe.send("tied")
    pipe.recv()


def test_a_process_ends_with_its_own_leash_while_another_leash_is_held() -> None:
    leashes, started = (Leash(), Leash()), []
    try:
        for leash in leashes:
            ours, theirs = Pipe()
            started.append(Process(target=_wait, args=(leash, theirs)))
            started[-1].start()
            assert ours.recv() == "tied"
        leashes[0].let_go()
        started[0].join(10)
        assert [process.exitcode for process in started] == [1, None]
    finally:
        for process in started:
            process.kill()
            process.join(60)


def test_a_pool_gives_its_results_and_ends() -> None:
    with processes(2) as pool:
        assert list(pool.map(abs, [-1, 2, -3])) == [1, 2, 3]
        assert os.getpid() not in pool.map(_own, range(4))


def _own(_: int) -> int:
    return os.getpid()


def _cut_short() -> None:
    """Cancel the work of a pool, then leave it by an error."""
    with processes(2) as pool:
        work = [pool.submit(time.sleep, 0.3) for _ in range(12)]
        time.sleep(0.1)
        for one in work:
            one.cancel()
        raise KeyError


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_cancelled_work_is_no_failure_of_the_pool_that_ends() -> None:
    for _ in range(6):
        with pytest.raises(KeyError):
            _cut_short()
