"""`tox run -e everything`: every environment of tox.ini, in its order, one after the other, and one table at the end.

    tox run -e everything                   all of them: some hours on two cores
    tox run -e everything -- spark bench    only these

The output of an environment goes to `.tox/everything/NAME.log`; if the environment fails, the end of it is shown, and
the others are run all the same. The exit status is 0 if all passed, 1 if one failed, 4 for an unknown name.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".tox" / "everything"
OWN = "everything"
_SECTION = "testenv:"
_SHOWN = 30  # the last lines of a failed environment

Runner = Callable[[str, Path], int]
"""Runs an environment, writes its output to a file, and returns the exit status."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A finished environment: its exit status, its duration, and the last line that it printed."""

    name: str
    status: int
    seconds: float
    last: str


def environments(tox_ini: Path) -> list[str]:
    """The names of the environments, in the order of the file, without the one that runs them all."""
    parser = ConfigParser(interpolation=None)
    parser.read_string(tox_ini.read_text(encoding="utf-8"))
    names = (section.removeprefix(_SECTION) for section in parser.sections() if section.startswith(_SECTION))
    return [name for name in names if name != OWN]


def run_all(names: Iterable[str], runner: Runner, clock: Callable[[], float] = time.monotonic) -> list[Ended]:
    """Run environments one after the other; `runner` gets a name and the file for its output."""
    LOGS.mkdir(parents=True, exist_ok=True)
    ended = []
    for name in names:
        print(f"{name} …", flush=True)
        log, start = LOGS / f"{name}.log", clock()
        status = runner(name, log)
        lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        # tox ends with lines of its own; the line before them is the environment's last one.
        own_lines = [line for line in lines if not line.startswith(("  ", ".pkg", f"{name}:"))]
        ended.append(Ended(name, status, clock() - start, own_lines[-1] if own_lines else ""))
        if status:
            print("\n".join([*lines[-_SHOWN:], f"{name}: failed; the whole output: {log}"]), flush=True)
    return ended


def table(ended: Sequence[Ended]) -> str:
    """A row for each environment: name, outcome, duration, last line."""
    width = max((len(one.name) for one in ended), default=0)
    rows = [
        f"{one.name:<{width}}  {'passed' if one.status == 0 else f'failed ({one.status})':<11}"
        f"  {int(one.seconds) // 60:>3} min {int(one.seconds) % 60:02} s  {one.last[:80]}".rstrip()
        for one in ended
    ]
    failed = sum(1 for one in ended if one.status)
    return "\n".join([*rows, f"{len(ended)} environments: {len(ended) - failed} passed, {failed} failed"])


def _by_tox(name: str, log: Path) -> int:
    with log.open("wb") as output:
        command = [sys.executable, "-m", "tox", "run", "-e", name]
        return subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False).returncode


def main(requested: Sequence[str], runner: Runner = _by_tox) -> int:
    """Run the named environments, or all of them. Returns the exit status."""
    known = environments(ROOT / "tox.ini")
    if unknown := [name for name in requested if name not in known]:
        print(f"tox.ini has no environment {', '.join(unknown)}; it has {', '.join(known)}", file=sys.stderr)
        return 4
    ended = run_all([name for name in known if not requested or name in requested], runner)
    print(table(ended))
    return 1 if any(one.status for one in ended) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
