"""The JVM of our own on this machine, which no signal but ours reaches.

Ctrl-C in a terminal, and the end of a job, are signals to a whole group of processes. What they end is for us to say:
the JVM is in a group of its own, is ended by us where we are interrupted, and goes when its standard input does, at the
latest with us.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Any

__all__ = ["end_java", "handlers_kept", "has_java", "java_ended", "quieten", "start_java", "stopping_alike"]

_STARTS_WITHIN_S, _ENDS_WITHIN_S = 10.0, 10.0

# py4j raises what goes wrong and logs it as well, here and by the root: without a handler, as tracebacks for a person.
logging.getLogger("py4j").addHandler(logging.NullHandler())


def start_java(configured: Mapping[str, str]) -> None:
    """Start the JVM of the session that is made next with the same configuration; none where there is one.

    It is started by another thread, as PySpark forgets a JVM that is interrupted on the way: that would stay.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    conf = SparkConf(loadDefaults=False).setAll(list(configured.items()))
    untyped: Any = launch_gateway
    launched: Future[Any] = Future()

    def launch() -> None:
        try:
            launched.set_result(untyped(conf, {"start_new_session": True}))
        except Exception as e:  # noqa: BLE001 - whatever it is, it is raised in the thread that waits
            launched.set_exception(e)

    Thread(target=launch, name="launch", daemon=True).start()
    try:
        gateway = launched.result()
    except KeyboardInterrupt:
        with suppress(Exception):
            _end(launched.result(_STARTS_WITHIN_S).proc)
        raise
    SparkContext._ensure_initialized(gateway=gateway)


def quieten(spark: Any) -> None:
    """Let a session's server of accumulators, which nothing here uses, not say with a traceback that the JVM ended."""
    server = getattr(getattr(spark, "_sc", None), "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda request, address: None


def has_java() -> bool:
    """Whether a JVM of our own was started; Spark Connect has none."""
    return _process() is not None


def end_java() -> None:
    """End the JVM of our own, if there is one, by a signal: it may be too busy to listen to anything else."""
    _end(_process())


def java_ended() -> bool:
    """Whether there was a JVM of our own, and it has ended, or does so within some seconds."""
    process = _process()
    if process is None:
        return False
    try:
        process.wait(_ENDS_WITHIN_S)
    except TimeoutExpired:
        return False
    return True


def _process() -> Popen[bytes] | None:
    from pyspark import SparkContext

    return getattr(SparkContext._gateway, "proc", None)


def _end(process: Popen[bytes] | None) -> None:
    if process is None:
        return
    process.terminate()
    try:
        process.wait(_ENDS_WITHIN_S)
    except TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def handlers_kept() -> Iterator[None]:
    """What Ctrl-C and SIGTERM do stays, or is again, what it was. PySpark would talk to a JVM that is busy."""
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def stopping_alike() -> Iterator[None]:
    """SIGTERM is a KeyboardInterrupt as Ctrl-C is, where nobody has said otherwise; py4j does not tell of either."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    said = logging.getLogger()
    with handlers_kept():
        if current_thread() is main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, stop)
        said.addFilter(_is_not_of_py4j)
        try:
            yield
        finally:
            said.removeFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts
