"""A comparison that goes on, told to stop with all of its processes: the JVM may be the first to end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from threading import Event
from types import ModuleType, SimpleNamespace

import pytest

from differential.spark import gateway, live

Java = subprocess.Popen[bytes]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_SIGNAL_WITHIN_S", 0.0)
    monkeypatch.setattr(gateway, "_ENDS_WITHIN_S", 0.0)


def put_gateway(monkeypatch: pytest.MonkeyPatch, made: object) -> None:
    """Let PySpark, or what stands for it where there is none, have this gateway."""
    pyspark = ModuleType("pyspark")
    pyspark.SparkContext = SimpleNamespace(_gateway=made)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyspark", pyspark)


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch) -> Iterator[Java]:
    """A process in the place of the JVM; it ends when nothing more can come to its standard input."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        put_gateway(monkeypatch, SimpleNamespace(proc=process))
        yield process


def ended(java: Java) -> None:
    java.communicate()


def stopped(*, told: bool) -> Event:
    event = Event()
    if told:
        event.set()
    return event


def test_what_fails_as_java_ended_after_a_stop_is_no_fault(java: Java) -> None:
    ended(java)
    with live.ending_with_java(stopped(told=True)):
        raise ConnectionRefusedError


@pytest.mark.parametrize(("told", "ends"), [(False, True), (True, False)], ids=["java alone ended", "java is there"])
def test_any_other_failure_is_raised(told: bool, ends: bool, java: Java) -> None:
    if ends:
        ended(java)
    with pytest.raises(ConnectionRefusedError), live.ending_with_java(stopped(told=told)):
        raise ConnectionRefusedError


def test_without_our_own_java_a_failure_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    put_gateway(monkeypatch, None)
    with pytest.raises(ConnectionRefusedError), live.ending_with_java(stopped(told=True)):
        raise ConnectionRefusedError
