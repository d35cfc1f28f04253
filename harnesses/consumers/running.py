"""Runs a consumer on messages, and returns its answers in the form of recorded ones."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.consumers.answers import Answer
from conformance.consumers.model import Message
from conformance.transport.guard import guard
from conformance.transport.leftovers import MARK, end_group, sweep
from harnesses.providers.service import ServiceError, tail

__all__ = ["RunningConsumer", "recorded_form", "running_consumer"]

SECONDS = 300
"""The seconds that a consumer may take for all of its messages."""
_TO_END = 10


@dataclass(slots=True)
class RunningConsumer:
    """A consumer behind its harness, which is configured again when protocol or options change."""

    name: str
    log: Path
    registry: str
    _process: subprocess.Popen[bytes]
    _number: int = 0
    _configured: tuple[str, dict[str, str]] | None = None

    def answers(self, messages: Iterable[tuple[str, str, Message]]) -> Iterator[Answer]:
        """The answer to a message of a variant and place.

        Raises `ServiceError` if the harness breaks.
        """
        for variant, place, message in messages:
            outcome, rows = self._one(message, place)
            yield Answer(self.name, variant, message, outcome, rows, "", place)

    def _one(self, message: Message, place: str) -> tuple[str, Sequence[Any]]:
        form = (message.protocol, dict(message.options))
        if self._configured != form:
            at = {"registry_url": self.registry, "timezone": "UTC"}
            answer = self._answer_to(op="configure", protocol=message.protocol, options=form[1], **at)
            self._check(answer, "ok" in answer, place)
            self._configured = form
        record = {"key": _encoded(message.key), "value": _encoded(message.value)}
        answer = self._answer_to(op="decode", case=place, records=[record], tables=[dict(message.table)])
        if "ok" in answer:
            rows = [(kind, row) for kind, row in answer["ok"]["raw"][0]]
            return ("rows" if rows else "skipped"), rows
        self._check(answer, "rejected" in answer, place)
        return "error", []

    def _check(self, answer: Mapping[str, Any], is_right: bool, place: str) -> None:
        if not is_right:
            raise ServiceError(f"{self.name} at {place}: {json.dumps(answer)[:1000]}")

    def _answer_to(self, **request: Any) -> dict[str, Any]:
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

    It ends with us, and at the latest after `SECONDS`.
    """
    watch = guard()
    mark = watch.next_mark()
    own = {**os.environ, **(environment or {}), MARK: mark}
    with log.open("ab") as out:
        process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=out, env=own, start_new_session=True
        )
    watch.watch(process.pid)
    limit = threading.Timer(SECONDS, end_group, [process.pid])
    limit.daemon = True
    limit.start()
    try:
        yield RunningConsumer(name, log, registry, process)
    finally:
        limit.cancel()
        assert process.stdin is not None
        try:
            process.stdin.close()
            process.wait(_TO_END)
        except (OSError, subprocess.TimeoutExpired):
            end_group(process.pid)
        process.wait()
        end_group(process.pid)
        sweep(mark)
        watch.forget(process.pid)


def recorded_form(answer: Answer) -> dict[str, Any]:
    """An answer as a line of a file that `consumers check` reads."""
    message = answer.message
    given: dict[str, Any] = {"protocol": message.protocol, "why": answer.place}
    given |= {"key": _encoded(message.key), "value": _encoded(message.value)}
    given |= {"table": dict(message.table), "options": dict(message.options)}
    given |= {"schema": message.schema} if message.schema is not None else {}
    given |= {"key_schema": message.key_schema} if message.key_schema is not None else {}
    line: dict[str, Any] = {"consumer": answer.consumer, "variant": answer.variant, "input": given}
    line["outcome"] = answer.outcome
    return line | ({"rows": [[kind, dict(row)] for kind, row in answer.rows]} if answer.rows else {})


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()
