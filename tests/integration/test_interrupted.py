"""Ctrl-C and SIGTERM end every command with status 2 and a valid report; of a command that is killed nothing survives.

The commands are processes, and so are the harnesses: they tell who they are over a named pipe, then hang or go on.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread

import pytest

from conformance.cases.golden import golden_cases
from conformance.cases.saved import save_case
from conformance.cli.configuring import REFERENCE
from conformance.processes import processes
from conformance.signals import interruptible
from reference_impl.profiles import NEWARCH
from tests.amounts import ordinarily

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system has no pidfd")

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60
"""Seconds after which a test fails instead of waiting on."""

# Answers nothing that is work; `stubborn` does not go by itself either, and has a child in a session of its own.
_HARNESS = """
import json, os, signal, subprocess, sys

def tell(*processes):
    with open(sys.argv[1], "w") as pipe:
        print(*processes, file=pipe)

others = []
if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hangs = [sys.executable, "-S", "-c", "import signal; signal.pause()"]
    others.append(subprocess.Popen(hangs, start_new_session=True, stdin=subprocess.DEVNULL).pid)
for line in sys.stdin:
    request = json.loads(line)
    ok = {"harness": 1, "name": "hangs", "version": "0", "language": "python"}
    ok["protocols"] = {"canal-json": {}}
    if request["op"] in ("encode", "decode"):
        tell(os.getpid(), *others)
        if "stubborn" in sys.argv:
            while True:
                signal.pause()
        if "hangs" in sys.argv:
            continue
    print(json.dumps({"id": request["id"], "ok": ok if request["op"] == "hello" else {}}), flush=True)
"""


class Command:
    """A command of the suite in a process of its own, and processes that it has started."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        argv = [sys.executable, "-m", "ticdc_conformance", *arguments]
        self.out = folder / "out.txt"
        with self.out.open("wb") as out:
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            self.process = subprocess.Popen(
                argv, cwd=folder, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, env=environment
            )
        self.known: list[int] = []

    def told(self, pipe: Path) -> None:
        """Wait until a harness tells its process and those that it has started."""
        with self.watched(), os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)) as file:
            assert select.select([file], [], [], PATIENCE)[0], self.said()
            self.note(file.read().split())

    def has_children(self, number: int) -> None:
        """Wait until the process has so many children."""
        with self.watched():
            of = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
            while len(of.read_text(encoding="ascii").split()) < number:
                self.still_runs()
            self.note(of.read_text(encoding="ascii").split())

    def reads(self, file: Path) -> None:
        """Wait until the process has a file open."""
        with self.watched():
            of = Path(f"/proc/{self.process.pid}/fd")
            while not any(self._leads_to(link, file) for link in of.iterdir()):
                self.still_runs()

    def still_runs(self) -> None:
        """Leave the processor to the command for a moment; it must not have ended."""
        time.sleep(0.01)
        assert self.process.poll() is None, self.said()

    @staticmethod
    def _leads_to(link: Path, file: Path) -> bool:
        """Whether a link is to the file; one that is gone by now is not."""
        with contextlib.suppress(FileNotFoundError):
            return os.readlink(link) == str(file)
        return False

    def note(self, processes: Sequence[str]) -> None:
        """Watch processes: handles stay, whatever becomes of their numbers."""
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                self.known.append(os.pidfd_open(int(process)))
        assert self.known

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Nothing is left running where a test goes wrong."""
        try:
            yield
        except BaseException:
            self.process.kill()
            raise

    def ended(self) -> int:
        """The exit status, once all is over: of the processes that it had started, none is left."""
        with self.watched():
            status = self.process.wait(PATIENCE)
        for handle in self.known:
            with os.fdopen(handle) as process:
                assert select.select([process], [], [], 10)[0], "a process was left"
        assert "Traceback" not in self.said()
        return status

    def said(self) -> str:
        """What it has printed so far."""
        return self.out.read_text(encoding="utf-8")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """The named pipe of harnesses."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def address(pipe: Path, manner: str) -> str:
    """A harness that hangs at its first work."""
    file = pipe.parent / "harness.py"
    file.write_text(_HARNESS, encoding="utf-8")
    return "cmd:" + shlex.join([sys.executable, str(file), str(pipe), manner])


def record(path: Path) -> list[dict[str, object]]:
    """The events of a run record, every line of which is one."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


BOTH = [signal.SIGINT, signal.SIGTERM]
"""One handler takes them: where a test does not try both, others of the same command or of the next do."""
COMMANDS = ["run", "run in processes", "replay", "fuzz", "doctor", "matrix"]


def arguments_of(command: str, pipe: Path, manner: str) -> list[str]:
    """The arguments with which a command has a harness work."""
    iut = ["--iut", address(pipe, manner)]
    if command == "doctor":
        return ["doctor", *iut, "--timeout", "600"]
    if command == "matrix":
        readers = ["--encoder", "reference", "--consumer", "flink@1.20.4"]
        return ["matrix", "--encoder", iut[1], *readers, "--protocol", "canal-json", "-k", "golden", "--timeout", "600"]
    long = ["--timeout", "600", "--report", "jsonl=record.jsonl"]
    if command == "replay":
        save_case(next(c for c in golden_cases("canal-json", NEWARCH) if c.role == "encode"), pipe.parent / "case.json")
        return ["replay", "case.json", *iut, *long]
    more = ["--examples", "50"] if command == "fuzz" else ["-k", "golden", "-n", "2" if "processes" in command else "1"]
    return [command.split()[0], *iut, "--protocol", "canal-json", "--role", "encode", *more, *long]


# A second after the first signal a command is cut, at the next signal at once: one handler takes both signals.
ONE, TWO = [signal.SIGTERM], [signal.SIGINT, signal.SIGTERM]
EACH_ALONE = [(command, [number]) for command in COMMANDS for number in BOTH]


@pytest.mark.parametrize(
    ("command", "signals"), [*((command, TWO) for command in COMMANDS), ("run", ONE), *ordinarily([], EACH_ALONE)]
)
def test_a_signal_ends_a_command_that_waits_for_an_answer(command, signals, tmp_path, pipe) -> None:
    started = Command(tmp_path, *arguments_of(command, pipe, "hangs"))
    started.told(pipe)
    for number in signals:
        started.process.send_signal(number)
    assert started.ended() == 2, started.said()
    if command.startswith(("run", "replay")):
        events = record(tmp_path / "record.jsonl")
        assert events[-1]["event"] == "end"
        assert events[-1]["exit"] == 2
        assert [e["event"] for e in events].count("plan") == 1
    assert not (tmp_path / ".hypothesis").exists()


@pytest.mark.parametrize("number", BOTH)
def test_a_signal_after_the_command_ends_the_process_with_status_2_and_without_a_traceback(number) -> None:
    code = "import signal, sys, ticdc_conformance\nticdc_conformance.main()\n"
    command = [sys.executable, "-c", f"{code}signal.raise_signal({number:d})", "list", "protocols"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stderr) == (2, b"ticdc-conformance: interrupted\n")
    without_reader, into_it = os.pipe()
    os.close(without_reader)
    with open(into_it, "wb") as pipe:
        assert subprocess.run(command, cwd=ROOT, stderr=pipe, timeout=PATIENCE, check=False).returncode == 2


def test_an_interrupted_command_still_cleans_up() -> None:
    code = (
        "import os, tempfile, ticdc_conformance\nfrom conformance.cli import main\n"
        "folder = tempfile.TemporaryDirectory()\nos.write(1, folder.name.encode())\n"
        "main.main = lambda: 2\nticdc_conformance.main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stderr) == (2, b"")
    assert not Path(ended.stdout.decode()).exists()


# One guard ends the harnesses of all commands; a run in processes has a session in each.
KILLED = ordinarily(["run in processes", "doctor"], COMMANDS)


@pytest.mark.parametrize(
    ("command", "number"), [*((command, signal.SIGKILL) for command in KILLED), ("run", signal.SIGTERM)]
)
def test_of_a_command_that_ends_no_harness_survives_nor_what_it_has_started(command, number, tmp_path, pipe) -> None:
    started = Command(tmp_path, *arguments_of(command, pipe, "stubborn"))
    started.told(pipe)
    started.process.send_signal(number)
    assert started.ended() == (2 if number is signal.SIGTERM else -number), started.said()


GENERATE = ["generate", "--preset", "hot", "--dialect", "canal-json", "--changes", "3000000", "--seed", "1"]
GENERATE += ["--out", "made", "--format", "jsonl", "-n", "2"]
WORKING = {
    # command → (arguments, processes that it has when it works)
    "generate": (GENERATE, 2),
    "mutants": (["mutants", "--cases", "1", "-n", "2", "--report", "json=matrix.json"], 2),
}


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("generate", signal.SIGTERM),
        ("generate", signal.SIGKILL),
        ("mutants", signal.SIGINT),
        ("mutants", signal.SIGKILL),
        *ordinarily([], [("generate", signal.SIGINT), ("mutants", signal.SIGTERM)]),
    ],
)
def test_no_process_of_a_command_outlives_it(command: str, number: signal.Signals, tmp_path: Path) -> None:
    arguments, processes = WORKING[command]
    started = Command(tmp_path, *arguments)
    started.has_children(processes)
    started.process.send_signal(number)
    assert started.ended() == (-number if number is signal.SIGKILL else 2), started.said()


@pytest.mark.parametrize("number", BOTH)
def test_a_run_in_processes_hears_a_signal_to_the_whole_group_once(number, tmp_path, pipe) -> None:
    started = Command(tmp_path, *arguments_of("run in processes", pipe, "hangs"))
    started.told(pipe)
    os.killpg(started.process.pid, number)
    assert started.ended() == 2, started.said()
    assert record(tmp_path / "record.jsonl")[-1]["exit"] == 2


@pytest.mark.parametrize("number", ordinarily([signal.SIGINT], BOTH))
def test_a_signal_to_the_whole_group_is_no_fault_of_its_processes(number: signal.Signals, tmp_path: Path) -> None:
    arguments, processes = WORKING["mutants"]
    started = Command(tmp_path, *arguments)
    started.has_children(processes)
    os.killpg(started.process.pid, number)
    assert started.ended() == 2, started.said()
    assert json.loads((tmp_path / "matrix.json").read_text(encoding="utf-8"))["message"] == "interrupted"


def test_a_search_ends_with_ctrl_c_and_leaves_nothing_beside(tmp_path: Path) -> None:
    started = Command(
        tmp_path, "fuzz", "--iut", REFERENCE, "--protocol", "canal-json", "--role", "encode", "--examples", "1000000"
    )
    started.has_children(2)  # the harness, and the guard
    started.process.send_signal(signal.SIGINT)
    assert started.ended() == 2, started.said()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found", "out.txt"]


@pytest.mark.parametrize("number", ordinarily([signal.SIGTERM], BOTH))
def test_a_capture_is_judged_as_far_as_it_was_read(number: signal.Signals, tmp_path: Path) -> None:
    record = b'{"key": null, "value": "e30=", "partition": 0, "offset": 0}\n'
    capture = tmp_path / "capture.jsonl"
    capture.write_bytes(record * 400_000)
    arguments = ["--protocol", "canal-json", "--records", str(capture), "--input-format", "jsonl"]
    started = Command(tmp_path, "check-capture", *arguments, "--report", "jsonl=record.jsonl")
    started.reads(capture)
    started.process.send_signal(number)
    assert started.ended() == 2, started.said()
    events = [json.loads(line) for line in (tmp_path / "record.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (events[-1]["event"], events[-1]["exit"], events[-1]["interrupted"]) == ("end", 2, True)


def test_the_reference_as_a_harness_ends_with_a_signal(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "ticdc_conformance", "serve-reference"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    served = subprocess.Popen(
        argv, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    with served:
        assert served.stdin is not None
        assert served.stdout is not None
        served.stdin.write(b'{"id": 1, "op": "hello", "harness": 1, "suite": "0"}\n')
        served.stdin.flush()
        assert json.loads(served.stdout.readline())["id"] == 1
        served.terminate()
        assert served.wait(PATIENCE) == 2


def test_a_signal_while_a_pool_starts_leaves_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Thread.start

    def signalled(thread: Thread) -> None:
        signal.raise_signal(signal.SIGTERM)
        start(thread)

    monkeypatch.setattr("concurrent.futures.process._ExecutorManagerThread.start", signalled)
    with pytest.raises(KeyboardInterrupt), interruptible(), processes(1) as pool:
        pool.submit(abs, -1)
