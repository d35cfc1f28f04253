"""A Spark session for a comparison: local by default, any master or Spark Connect by its address.

Off this machine our code is sent along; what Spark itself says goes to a log, of which a person reads the last cause.
"""

from __future__ import annotations

import atexit
import os
import re
import socket
import sys
import tempfile
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
    handlers_kept,
    has_java,
    java_ended,
    quieten,
    start_java,
    stopping_alike,
)
from differential.spark.java import java_home
from differential.spark.shipping import missing_package, ship

__all__ = ["in_one_line", "is_here", "is_one_machine", "session"]

_NAME = "ticdc-conformance"
_CONNECT, _CONNECT_PORT = "sc://", 15002
_ANSWERS_WITHIN_S = 10.0
_LOCAL = re.compile(r"local(\[.*\])?")
_CLUSTER_HERE = re.compile(r"local-cluster\[.*\]")

_SAYS = re.compile(r"^[\d/]+ [\d:]+ (ERROR|WARN|INFO) \w+: ")  # before a line of the log
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
_LONGEST_FOLDER_OF_SOCKETS = 56  # bytes, of the 103 that any system takes; Spark's names have 43, and some spare
_CLASSIC = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
_HERE = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.files.maxPartitionBytes": str(24 * 2**20),
    "spark.driver.memory": "2g",
    # The work is the workers'; what the JVM does is short, and not worth a second compiler and more collectors.
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.shuffle.compress": "false",  # blocks are compressed already
}


def is_one_machine(master: str) -> bool:
    """Whether the workers are threads of one JVM on this machine, which share its files and have our code."""
    return _LOCAL.fullmatch(master) is not None


def is_here(master: str) -> bool:
    """Whether the workers are on this machine, be it as processes of a cluster of their own."""
    return is_one_machine(master) or _CLUSTER_HERE.fullmatch(master) is not None


@contextmanager
def session(master: str = "local[*]", more: Mapping[str, str] | None = None, log: Path | None = None) -> Iterator[Any]:
    """A session of our own, stopped at the end; `log` is a file for what Spark says.

    SIGTERM interrupts as Ctrl-C does, and neither leaves a JVM behind. Raises `UsageError` without Spark, or where it
    does not start.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise missing_extra("--runner spark needs PySpark", "spark") from None
    builder: Any = SparkSession.builder.appName(_NAME)
    if master.startswith(_CONNECT):
        _is_there(master)
        builder, configured = builder.remote(master), dict(_ALWAYS)
    else:
        _surroundings(master)
        configured = _ALWAYS | _CLASSIC | {"spark.master": master, "spark.app.name": _NAME}
    with ExitStack() as opened:
        opened.enter_context(stopping_alike())
        scratch = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        if is_here(master):
            configured |= _HERE | _sockets()
        configured |= dict(more or {})
        for name, value in configured.items():
            builder = builder.config(name, value)
        said = opened.enter_context((log or scratch / "log").open("w+b"))
        opened.push(_interrupted)
        try:
            with _errors_into(said), handlers_kept():
                if not master.startswith(_CONNECT):
                    start_java(configured)
                spark = builder.getOrCreate()
            opened.push(partial(_stop, spark))
            quieten(spark)
            if not is_one_machine(master):
                ship(spark, scratch)
        except Exception as e:  # noqa: BLE001 - whatever the gateway raises, a person reads one message
            raise UsageError(f"--master {master}: Spark does not start: {_cause(e, said)}") from None
        yield spark


@cache
def _sockets() -> dict[str, str]:
    """Let workers talk to the JVM by sockets in a folder: by TCP every task waits 40 ms for an acknowledgement.

    The folder is there until this process ends, as its JVM keeps to the first that it hears of. Systems take short
    names alone; Spark knows of it from 4.1 on.
    """
    folder = tempfile.TemporaryDirectory()
    if len(os.fsencode(folder.name)) > _LONGEST_FOLDER_OF_SOCKETS:
        folder.cleanup()
        return {}
    atexit.register(folder.cleanup)
    name = "spark.python.unix.domain.socket"
    return {f"{name}.enabled": "true", f"{name}.dir": folder.name}


def _interrupted(kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
    """End what may be busy, or not know of a session yet."""
    if isinstance(error, KeyboardInterrupt):
        end_java()


def _stop(spark: Any, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
    """Stop a session, but one whose JVM has ended, or is about to be."""
    if isinstance(error, KeyboardInterrupt) and has_java():
        return
    try:
        spark.stop()
    except Exception:
        if not java_ended():
            raise


def _is_there(master: str) -> None:
    """Raise `UsageError` where nobody listens at an address of Spark Connect, which PySpark would try for minutes."""
    if not all(map(find_spec, ("grpc", "grpc_status", "zstandard"))):
        raise UsageError("Spark Connect needs more of PySpark: install pyspark[connect]")
    try:
        address = urlsplit(master)
        socket.create_connection((address.hostname or "", address.port or _CONNECT_PORT), _ANSWERS_WITHIN_S).close()
    except (OSError, ValueError) as e:
        raise UsageError(f"--master {master}: Spark does not start: {e}") from None


@contextmanager
def _errors_into(file: IO[bytes]) -> Iterator[None]:
    """Let a JVM that starts meanwhile have a file as its standard error."""
    sys.stderr.flush()
    ours = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(ours, 2)
        os.close(ours)


def _cause(error: Exception, said: IO[bytes]) -> str:
    """Why Spark did not start: what the JVM said last, where there never was one to talk to."""
    if not re.search("gateway|SparkContext", str(error), re.IGNORECASE):
        return in_one_line(error)
    said.seek(0)
    lines = [_SAYS.sub("", line.strip()) for line in said.read().decode("utf-8", "replace").splitlines()]
    causes = [line for line in lines if _CAUSE.match(line)]
    return _THROWN.sub("", next(iter(causes or [line for line in lines if line][-1:]), in_one_line(error)))


def in_one_line(error: Exception) -> str:
    """What went wrong: the last line of a worker's traceback, or the last cause that the JVM tells."""
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


def _surroundings(master: str) -> None:
    """What a JVM on this machine and its Python workers find in their environment."""
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
