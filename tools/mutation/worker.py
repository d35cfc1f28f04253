"""Test files run in a forked process, where chosen modules of ours are replaced on import."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

__all__ = ["Replaced", "forked", "install", "run_tests", "warm"]

MEMORY = 3 << 30  # bytes of address space: a mutant that grows without end must not exhaust the machine
OUTSIDE = (
    *("hypothesis", "jsonschema", "fastavro", "orjson", "rich.console", "cramjam"),
    *("avro.schema", "xml.etree.ElementTree"),
)
"""Third-party and slow modules that the tests import."""


def warm(cache: Path) -> None:
    """Import third-party modules before forking; `cache` is the folder for compiled modules."""
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(cache)
    for name in OUTSIDE:
        importlib.import_module(name)


class Replaced(importlib.abc.MetaPathFinder):
    """Imports the named files from given code: path → code."""

    def __init__(self, root: Path, codes: Mapping[str, CodeType]) -> None:
        self._root = root
        self._codes = {self._module_of(path): (path, code) for path, code in codes.items()}

    @property
    def modules(self) -> Set[str]:
        """The names of the modules that it replaces."""
        return self._codes.keys()

    @staticmethod
    def _module_of(path: str) -> str:
        return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module's own place, with other code."""
        if fullname not in self._codes:
            return None
        file, code = self._codes[fullname]
        loader = _Loader(fullname, str(self._root / file))
        loader.code = code
        return importlib.util.spec_from_file_location(fullname, self._root / file, loader=loader)


class _Loader(importlib.machinery.SourceFileLoader):
    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code


def forked(job: Callable[[], Any], cpu_seconds: float) -> tuple[str, Any]:
    """What `job` answers, in a process of its own: ("done", answer), or ("timeout", None), ("broken", exit status).

    A job may take `cpu_seconds` of processor time and, for what waits for ever, ten times as long in all.
    """
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        answer = Path(folder, "answer")
        if (pid := os.fork()) == 0:
            _work(job, answer, cpu_seconds)
        deadline = time.monotonic() + 10 * cpu_seconds
        while (status := _exit_of(pid)) is None:
            if time.monotonic() > deadline:
                os.killpg(pid, signal.SIGKILL)
            time.sleep(0.02)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)  # processes left behind by a test
        if answer.exists():
            return "done", json.loads(answer.read_text(encoding="utf-8"))
        if -status in (signal.SIGXCPU, signal.SIGKILL):
            return "timeout", None
        return "broken", status


def _exit_of(pid: int) -> int | None:
    done, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


def _work(job: Callable[[], Any], answer: Path, cpu_seconds: float) -> None:
    """The child's whole life; it never returns."""
    status = 1
    try:
        os.setpgid(0, 0)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        limit = max(1, int(cpu_seconds))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(answer.parent / "hypothesis")
        part = answer.with_suffix(".part")
        part.write_text(json.dumps(job()), encoding="utf-8")
        part.rename(answer)
        status = 0
    finally:
        os._exit(status)


def run_tests(root: Path, file: str, functions: Sequence[str], plugin: object) -> int:
    """Run functions of a test file until the first failure, or without `functions` the whole file to its end.

    Return pytest's status.
    """
    os.chdir(root)
    names = [f"{file}::{function}" for function in functions] or [file]
    stop = ["-x"] if functions else []
    plain = [
        *stop,
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:ticdc-conformance",
        "--hypothesis-seed=0",
    ]
    return int(pytest.main([*plain, *names], plugins=[plugin]))


def install(finder: Replaced) -> None:
    """Put a finder before all others.

    Raises `RuntimeError` if one of its modules is already imported: every test would run the unchanged code.
    """
    if early := sorted(finder.modules & sys.modules.keys()):
        raise RuntimeError(f"imported before it could be replaced: {', '.join(early)}")
    sys.meta_path.insert(0, finder)
