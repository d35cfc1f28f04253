"""A real schema registry on 127.0.0.1: Apicurio's server with Confluent's interface."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from harnesses.providers.containers import contained, use_containers
from harnesses.providers.maven import artefact, java
from harnesses.providers.service import Unavailable, free_ports, running

__all__ = ["VERSION", "Registry", "registry"]

VERSION = "2.6.13.Final"  # the last line that runs on Java 17
_ARCHIVE = f"io.apicurio:apicurio-registry-app:{VERSION}:tar.gz:all"
_IMAGE = f"apicurio/apicurio-registry-mem:{VERSION}"
_PATH = "/apis/ccompat/v7"
_JVM = ("-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_ANSWER_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Registry:
    """A running registry: its address for clients, and its log."""

    url: str
    log: Path


@contextmanager
def registry(folder: Path) -> Iterator[Registry]:
    """An empty registry with BACKWARD compatibility, stopped at the end. Raises `Unavailable`."""
    port, management = free_ports(0, 0)
    folder.mkdir(parents=True, exist_ok=True)
    log, url = folder / "registry.log", f"http://127.0.0.1:{port}{_PATH}"
    listen = {"quarkus.http.host": "127.0.0.1", "quarkus.http.port": str(port)}
    listen |= {"quarkus.management.host": "127.0.0.1", "quarkus.management.port": str(management)}

    def ready() -> bool:
        return _response(f"{url}/subjects") is not None

    if use_containers():
        names = {name.upper().replace(".", "_"): value for name, value in listen.items()}
        with contained(_IMAGE, [], log, ready, name="Apicurio", environment=names):
            yield _set_up(url, log)
        return
    app = artefact(_ARCHIVE, f"apicurio-{VERSION}")
    runners = [app / "quarkus-run.jar", *sorted(app.glob("*-runner.jar"))]
    jar = next((file for file in runners if file.is_file()), None)
    if jar is None:
        raise Unavailable(f"{_ARCHIVE} has no program that starts the registry")
    command = [java(), *_JVM, *(f"-D{name}={value}" for name, value in listen.items()), "-jar", str(jar)]
    with running(command, log, ready, name="Apicurio", cwd=app):
        yield _set_up(url, log)


def _set_up(url: str, log: Path) -> Registry:
    # Apicurio's default is NONE, with which it never refuses a schema; Confluent's default is BACKWARD.
    if _response(f"{url}/config", {"compatibility": "BACKWARD"}) is None:
        raise Unavailable(f"Apicurio does not take a compatibility level ({log})")
    return Registry(url, log)


def _response(url: str, body: object = None) -> object:
    """The JSON of the registry's response to a GET, or with a body to a PUT; None for an error."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, headers, method="GET" if data is None else "PUT")
    try:
        with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as answer:
            content: object = json.load(answer)
            return content
    except (OSError, HTTPException, ValueError):
        return None
