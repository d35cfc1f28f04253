"""Fetches artefacts by Maven into the user's cache, and compiles our Java programs against them."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from harnesses.providers.service import Unavailable, cached

__all__ = ["artefact", "compiled", "jars", "java"]

_SHOWN = 800  # characters of output in an error
_RELEASE = "17"
_SECONDS = 600


def java(program: str = "java") -> str:
    """The path of a program of the JDK. Raises `Unavailable` without it."""
    found = shutil.which(program)
    if found is None:
        raise Unavailable(f"Java ({program}) is missing")
    return found


def jars(pom: Path, name: str, properties: Mapping[str, str] | None = None) -> Path:
    """The folder of the jars that a pom names, fetched once; `name` distinguishes poms and versions in the cache.

    Raises `Unavailable` without Maven or its repository.
    """

    def fetch(draft: Path) -> None:
        _maven(
            f"the jars of {pom.parent.name}/{pom.name}",
            "-f",
            str(pom),
            *(f"-D{name}={value}" for name, value in (properties or {}).items()),
            "dependency:copy-dependencies",
            "-DincludeScope=runtime",
            f"-DoutputDirectory={draft}",
        )

    return cached(name, fetch)


def artefact(coordinates: str, name: str) -> Path:
    """The folder `name` with an unpacked release archive (`group:artefact:version:tar.gz:classifier`).

    Raises `Unavailable` as `jars` does.
    """

    def fetch(draft: Path) -> None:
        draft.mkdir(parents=True)
        options = (f"-Dartifact={coordinates}", f"-DoutputDirectory={draft}", "-Dmdep.stripVersion")
        _maven(coordinates, "dependency:copy", *options)
        [archive] = draft.iterdir()
        with tarfile.open(archive) as opened:
            opened.extractall(draft, filter="data")
        archive.unlink()

    return cached(name, fetch)


def compiled(sources: Sequence[Path], classpath: Path, name: str) -> Path:
    """The folder of the classes of our sources, compiled once for each version of their text and of the jars.

    Raises `Unavailable` without a compiler, or if the sources do not compile with the jars.
    """
    digest = hashlib.sha256(str(classpath.name).encode())
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")

    def compile_(draft: Path) -> None:
        draft.mkdir(parents=True)
        flags = ["-nowarn", "-proc:none", "--release", _RELEASE, "-encoding", "UTF-8", "-d", str(draft)]
        command = [java("javac"), *flags, "-cp", f"{classpath}/*", *map(str, sources)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(f"{name} does not compile: {done.stderr.strip()[:_SHOWN]}")

    return cached(f"{name}-classes-{digest.hexdigest()[:16]}", compile_)


def _maven(what: str, *args: str) -> None:
    program = shutil.which("mvn")
    if program is None:
        raise Unavailable(f"Maven (mvn) is missing; it would fetch {what}")
    try:
        done = subprocess.run(
            [program, "-q", "-B", "-ntp", *args],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"Maven does not fetch {what} within {_SECONDS} s") from None
    if done.returncode:
        raise Unavailable(f"Maven cannot fetch {what}: {(done.stdout + done.stderr).strip()[-_SHOWN:]}")
