"""Opens a Spark session: local by default, or any master or Spark Connect by address.

Workers on other machines get our code with the session. Spark's own messages go to a log; errors show its last cause.
"""

from __future__ import annotations

import atexit
import os
import re
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from conformance.errors import UsageError, missing_extra
from differential.spark.gateway import (
    end_java,
    has_java,
    java_ended,
    quieten,
    signal_handlers_kept,
    sigterm_like_ctrl_c,
    start_java,
)
from differential.spark.java import java_home
from differential.spark.shipping import missing_package, ship

__all__ = ["in_one_line", "is_here", "is_one_machine", "session"]

_NAME = "ticdc-conformance"
_CONNECT, _CONNECT_PORT = "sc://", 15002
_ANSWERS_WITHIN_S = 10.0
_LOCAL = re.compile(r"local(\[.*\])?")
_CLUSTER_HERE = re.compile(r"local-cluster\[.*\]")

_SAYS = re.compile(r"^[\d/]+ [\d:]+ (ERROR|WARN|INFO) \w+: ")  # the prefix of a line of the log
_CAUSE = re.compile(
    r".*No such file or directory|Exception in thread|Caused by: |Application has been killed"
    r"|[\w.$]+(Exception|Error): "
)
_THROWN = re.compile(
    r"^(Exception in thread \"\w+\" |Caused by: |: )?([\w$]+\.)+[\w$]+: "
)  # the class, with its package

_ALWAYS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "8192",
    "spark.sql.adaptive.enabled": "false",  # the parts are chosen once, by the hash of the key
    "spark.sql.parquet.compression.codec": "zstd",
}
_LONGEST_FOLDER_OF_SOCKETS = 56  # bytes: systems take 103, and Spark's names need 43 and some reserve
_CLASSIC = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
_HERE = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.files.maxPartitionBytes": str(24 * 2**20),
    "spark.driver.memory": "2g",
    # The workers do the work; the JVM's part is too short for a second compiler and parallel collectors.
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.shuffle.compress": "false",  # blocks are compressed already
}


def is_one_machine(master: str) -> bool:
    """Whether the workers belong to one JVM on this machine, and so have its files and our code."""
    return _LOCAL.fullmatch(master) is not None


def is_here(master: str) -> bool:
    """Whether the workers are on this machine, also as processes of a local cluster."""
    return is_one_machine(master) or _CLUSTER_HERE.fullmatch(master) is not None


@contextmanager
def session(master: str = "local[*]", more: Mapping[str, str] | None = None, log: Path | None = None) -> Iterator[Any]:
    """A session of our own, stopped at the end; `log` is a file for Spark's messages.

    SIGTERM interrupts like Ctrl-C, and neither leaves a JVM behind. Raises `UsageError` without PySpark, or if Spark
    does not start.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise missing_extra("--runner spark needs PySpark", "spark") from None
    builder: Any = SparkSession.builder.appName(_NAME)
    if master.startswith(_CONNECT):
        _require_connect(master)
        builder, configured = builder.remote(master), dict(_ALWAYS)
    else:
        _set_environment(master)
        configured = _ALWAYS | _CLASSIC | {"spark.master": master, "spark.app.name": _NAME}
    with ExitStack() as opened:
        opened.enter_context(sigterm_like_ctrl_c())
        scratch = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        if is_here(master):
            configured |= _HERE | _socket_configuration()
        configured |= dict(more or {})
        for name, value in configured.items():
            builder = builder.config(name, value)
        log_file = opened.enter_context((log or scratch / "log").open("w+b"))
        opened.push(_interrupted)
        try:
            with _errors_into(log_file), signal_handlers_kept():
                if not master.startswith(_CONNECT):
                    start_java(configured)
                spark = builder.getOrCreate()
            opened.push(partial(_stop, spark))
            quieten(spark)
            if not is_one_machine(master):
                ship(spark, scratch)
        except Exception as e:  # noqa: BLE001 - the user gets one message, whatever the gateway raises
            raise UsageError(f"--master {master}: Spark does not start: {_cause(e, log_file)}") from None
        yield spark


@cache
def _socket_configuration() -> dict[str, str]:
    """The configuration of Unix sockets between workers and JVM.

    With TCP every task waits 40 ms for an acknowledgement.

    The folder of the sockets exists until this process ends, since the JVM keeps the first one that it gets. Systems
    limit the length of its name; Spark supports this from 4.1 on.
    """
    folder = tempfile.TemporaryDirectory()
    if len(os.fsencode(folder.name)) > _LONGEST_FOLDER_OF_SOCKETS:
        folder.cleanup()
        return {}
    atexit.register(folder.cleanup)
    name = "spark.python.unix.domain.socket"
    return {f"{name}.enabled": "true", f"{name}.dir": folder.name}


def _interrupted(kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
    """End a JVM that may be busy, or may not have a session yet."""
    if isinstance(error, KeyboardInterrupt):
        end_java()


def _stop(spark: Any, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
    """Stop a session, unless its JVM has ended or is about to end."""
    if isinstance(error, KeyboardInterrupt) and has_java():
        return
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            spark.stop()
    except Exception:
        if not java_ended():
            raise
        return
    if warned and not java_ended():  # no warning that a JVM which has ended cannot be stopped
        for one in warned:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _require_connect(master: str) -> None:
    """Raise `UsageError` if no Spark Connect listens at an address.

    PySpark would retry for minutes.
    """
    if not all(map(find_spec, ("grpc", "grpc_status", "zstandard"))):
        raise UsageError("Spark Connect needs more of PySpark: install pyspark[connect]")
    try:
        address = urlsplit(master)
        socket.create_connection((address.hostname or "", address.port or _CONNECT_PORT), _ANSWERS_WITHIN_S).close()
    except (OSError, ValueError) as e:
        raise UsageError(f"--master {master}: Spark does not start: {e}") from None


@contextmanager
def _errors_into(file: IO[bytes]) -> Iterator[None]:
    """A context in which a starting JVM writes its standard error to a file."""
    sys.stderr.flush()
    ours = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(ours, 2)
        os.close(ours)


def _cause(error: Exception, log_file: IO[bytes]) -> str:
    """Why Spark did not start: the last message of the JVM, if it never became reachable."""
    if not re.search("gateway|SparkContext", str(error), re.IGNORECASE):
        return in_one_line(error)
    log_file.seek(0)
    lines = [_SAYS.sub("", line.strip()) for line in log_file.read().decode("utf-8", "replace").splitlines()]
    causes = [line for line in lines if _CAUSE.match(line)]
    return _THROWN.sub("", next(iter(causes or [line for line in lines if line][-1:]), in_one_line(error)))


def in_one_line(error: Exception) -> str:
    """An error in one line: the last line of a worker's traceback, or the JVM's last cause."""
    text = str(error)
    if missing := missing_package(text):
        return missing
    lines = [line for line in text.splitlines() if line.strip()]
    begins = next((n for n, line in enumerate(lines) if line.startswith("Traceback")), None)
    if begins is not None:
        ended = (line for line in lines[begins + 1 :] if not line[0].isspace())
        return next(ended, lines[begins])
    if lines and lines[0].startswith("An error occurred while calling"):
        lines = [line for line in lines if line.startswith((": ", "Caused by: "))][-1:] or lines
    return _THROWN.sub("", lines[0]) if lines else type(error).__name__


def _set_environment(master: str) -> None:
    """Set the environment of a JVM on this machine and of its Python workers."""
    home = java_home()
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if not is_here(master):
        return
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if is_one_machine(master):
        ours = str(Path(__file__).resolve().parents[2])
        others = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part and part != ours]
        os.environ["PYTHONPATH"] = os.pathsep.join([ours, *others])
