"""Runs a consumer on messages, and returns its answers in the form of recorded ones."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.consumers.answers import Answer
from conformance.consumers.model import Message
from conformance.transport.leftovers import end_group
from harnesses.providers.service import ServiceError, close_stdin, guarded, tail

__all__ = ["RunningConsumer", "recorded_form", "running_consumer"]

SECONDS = 300
"""The seconds that a consumer may take for all of its messages."""
_TO_END = 10  # seconds that it may take to end


@dataclass(slots=True)
class RunningConsumer:
    """A consumer behind its harness, which is configured again when protocol or options change."""

    name: str
    log: Path
    # The URL of its schema registry.
    registry: str
    _process: subprocess.Popen[bytes]
    # The id of the last request.
    _number: int = 0
    # The protocol and options of the last `configure`.
    _configured: tuple[str, dict[str, str]] | None = None

    def answers(self, messages: Iterable[tuple[str, str, Message]]) -> Iterator[Answer]:
        """The answer to each message; a message comes with its variant and the name of its place.

        Raises `ServiceError` if the harness breaks.
        """
        for variant, place, message in messages:
            outcome, rows = self._decode(message, place)
            yield Answer(self.name, variant, message, outcome, rows, "", place)

    def _decode(self, message: Message, place: str) -> tuple[str, Sequence[Any]]:
        """The outcome of a message (`rows`, `skipped` or `error`), and its rows."""
        options = dict(message.options)
        if self._configured != (message.protocol, options):
            answer = self._request(
                op="configure", protocol=message.protocol, options=options, registry_url=self.registry, timezone="UTC"
            )
            self._check(answer, "ok" in answer, place)
            self._configured = (message.protocol, options)
        record = {"key": _encoded(message.key), "value": _encoded(message.value)}
        answer = self._request(op="decode", case=place, records=[record], tables=[dict(message.table)])
        if "ok" in answer:
            rows = [(kind, row) for kind, row in answer["ok"]["raw"][0]]
            return ("rows" if rows else "skipped"), rows
        self._check(answer, "rejected" in answer, place)
        return "error", []

    def _check(self, answer: Mapping[str, Any], is_right: bool, place: str) -> None:
        if not is_right:
            raise ServiceError(f"{self.name} at {place}: {json.dumps(answer)[:1000]}")

    def _request(self, **request: Any) -> dict[str, Any]:
        self._number += 1
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"id": self._number, **request}).encode() + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise ServiceError(f"{self.name} ended, or took more than {SECONDS} s ({self.log}): {tail(self.log)}")
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") != self._number:
            raise ServiceError(f"{self.name} answers {answer.get('id')} to {self._number}")
        return answer


@contextmanager
def running_consumer(
    name: str, command: Sequence[str], log: Path, registry: str, environment: Mapping[str, str] | None = None
) -> Iterator[RunningConsumer]:
    """The consumer `name`, run by the command of its harness.

    It ends with the block or with this process, and at the latest after `SECONDS`.
    """
    with log.open("ab") as out:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": out}
        with guarded(command, close_stdin, _TO_END, environment, **pipes) as process:
            limit = threading.Timer(SECONDS, end_group, [process.pid])
            limit.daemon = True
            limit.start()
            try:
                yield RunningConsumer(name, log, registry, process)
            finally:
                limit.cancel()


def recorded_form(answer: Answer) -> dict[str, Any]:
    """An answer as a line of a file that `consumers check` reads."""
    message = answer.message
    of_input: dict[str, Any] = {
        "protocol": message.protocol,
        "why": answer.place,
        "key": _encoded(message.key),
        "value": _encoded(message.value),
        "table": dict(message.table),
        "options": dict(message.options),
    }
    if message.schema is not None:
        of_input["schema"] = message.schema
    if message.key_schema is not None:
        of_input["key_schema"] = message.key_schema
    line = {"consumer": answer.consumer, "variant": answer.variant, "input": of_input, "outcome": answer.outcome}
    if answer.rows:
        line["rows"] = [[kind, dict(row)] for kind, row in answer.rows]
    return line


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()
