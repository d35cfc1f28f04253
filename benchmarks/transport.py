"""The cost of the transport: `ask` against a bare write and read of the same frames to the same echo child.

`measure` returns the figures; as a program this module prints one line. There is no verdict.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter

import orjson

from conformance.transport import Limits
from conformance.transport.persistent import PersistentSession
from conformance.transport.process import ProcessConnection

LIMIT = 3.0
ROUNDS = 21
REQUESTS = 500

# A child that answers every encode request with the same record; of a request it reads only the id and the `op`.
ECHO = r"""
import os
HELLO = (b'"ok":{"harness":1,"name":"echo","version":"0","language":"python","protocols":{"canal-json":{}}}}\n')
RECORD = b'"ok":{"records":[{"key":null,"value":"' + b"QUJD" * 110 + b'","partition":0}]}}\n'
EMPTY = b'"ok":{}}\n'
while line := os.read(0, 1 << 16):
    head = line[: line.index(b",") + 1]
    rest = RECORD if b'"op":"encode"' in line else HELLO if b'"op":"hello"' in line else EMPTY
    os.write(1, head + rest)
    if b'"op":"bye"' in line:
        break
"""

TABLE = {
    "schema": "test",
    "name": "t",
    "columns": [
        {"name": "id", "type": "int", "nullable": False},
        {"name": "v", "type": "varchar(64)", "nullable": True},
    ],
    "primary_key": ["id"],
    "unique_keys": [],
    "indexes": [],
    "clustered": True,
}
EVENT = {
    "kind": "row",
    "op": "insert",
    "schema": "test",
    "table": "t",
    "commit_ts": "447984084414103554",
    "before": None,
    "after": {"id": "1", "v": "some text of a usual length"},
}
REQUEST = {"case": "0123456789abcdef", "tables": [TABLE], "events": [EVENT]}


class BareChild(ProcessConnection):
    """The child of the measured session; `round_trips` talks to it by bare writes and reads."""

    def round_trips(self, frame: bytes, count: int) -> float:
        """Seconds for `count` bare round trips."""
        to, back = self._write_fd, self._read_fd
        for fd in (to, back):
            os.set_blocking(fd, True)
        start = perf_counter()
        for _ in range(count):
            os.write(to, frame)
            os.read(back, 1 << 16)
        seconds = perf_counter() - start
        for fd in (to, back):
            os.set_blocking(fd, False)
        return seconds


def measure() -> dict[str, float]:
    """`ask_us` and `bare_us`, the medians over rounds in microseconds a request, and `ratio`, the median of ratios.

    Parent and child share one processor if the system allows it: there the bare round trip is cheapest, and
    independent of the scheduler.
    """
    with one_processor():
        child = BareChild((sys.executable, "-S", "-c", ECHO))
        frame = orjson.dumps({"id": 1000, "op": "encode", **REQUEST}) + b"\n"
        answered, bare = [], []
        with PersistentSession(lambda: child, Limits(answer=30.0)) as session:
            session.start()
            session.configure({"protocol": "canal-json"})
            session.ask("reset")
            for _ in range(ROUNDS):
                bare.append(child.round_trips(frame, REQUESTS))
                start = perf_counter()
                for _ in range(REQUESTS):
                    session.ask("encode", **REQUEST)
                answered.append(perf_counter() - start)
    ratio = median(a / b for a, b in zip(answered, bare, strict=True))
    scale = 1e6 / REQUESTS
    return {"ask_us": median(answered) * scale, "bare_us": median(bare) * scale, "ratio": ratio}


@contextmanager
def one_processor() -> Iterator[None]:
    """Keep this process and the children it starts on one processor."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


if __name__ == "__main__":
    print(f"transport overhead  {measure()['ratio']:.1f} x bare round trip (limit {LIMIT:g})")
