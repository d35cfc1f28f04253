"""Starts and ends our own JVM on this machine, in a process group of its own.

Ctrl-C in a terminal, and the end of a job, send a signal to a whole process group. Our JVM is in another group, so that
this process decides when the JVM ends: after an interruption, or at the latest with this process, which holds the other
end of its standard input.
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

__all__ = ["end_java", "has_java", "java_ended", "quieten", "signal_handlers_kept", "sigterm_like_ctrl_c", "start_java"]

_STARTS_WITHIN_S, _ENDS_WITHIN_S = 10.0, 10.0


def start_java(configured: Mapping[str, str]) -> None:
    """Start the JVM for the next session with the same configuration, unless there is one.

    Another thread starts it, since PySpark would lose track of a JVM whose start is interrupted.
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
        except Exception as e:  # noqa: BLE001 - raised again in the waiting thread
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
    """Keep the unused accumulator server from printing a traceback when the JVM ends."""
    server = getattr(getattr(spark, "_sc", None), "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda request, address: None


def has_java() -> bool:
    """Whether this process started a JVM; with Spark Connect it has none."""
    return _process() is not None


def end_java() -> None:
    """End our own JVM, if there is one, by a signal, since it may be too busy for requests."""
    _end(_process())


def java_ended() -> bool:
    """Whether there is a JVM of our own that has ended, or ends within some seconds."""
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
def signal_handlers_kept() -> Iterator[None]:
    """Restore the handlers of Ctrl-C and SIGTERM at the end: PySpark's would send requests to a busy JVM."""
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
def sigterm_like_ctrl_c() -> Iterator[None]:
    """Make SIGTERM raise KeyboardInterrupt, unless it has a handler, and silence what py4j logs.

    py4j raises errors and also logs them, with tracebacks, to loggers of its own and to the root logger.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    root_log, log_of_py4j = logging.getLogger(), logging.getLogger("py4j")
    propagates, nowhere = log_of_py4j.propagate, logging.NullHandler()
    with signal_handlers_kept():
        if current_thread() is main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, interrupt)
        root_log.addFilter(_is_not_of_py4j)
        log_of_py4j.propagate = False  # the filter does not see what its loggers pass on
        log_of_py4j.addHandler(nowhere)
        try:
            yield
        finally:
            log_of_py4j.removeHandler(nowhere)
            log_of_py4j.propagate = propagates
            root_log.removeFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts
