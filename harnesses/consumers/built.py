"""Real consumers, fetched and compiled once into the user's cache: the commands of their harnesses."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harnesses.providers.maven import compiled, jars, java
from harnesses.providers.service import Unavailable

__all__ = ["CONSUMERS", "Built", "command"]

HERE = Path(__file__).resolve().parent
_JVM = ("-Xmx700m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8")


@dataclass(frozen=True, slots=True)
class Built:
    """A consumer of `consumers.toml`."""

    name: str
    """Its name with the version."""
    folder: str
    """The folder of its pom and of our program."""
    main: str
    """The main class of our program."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Properties that replace those of the pom."""
    protocols: Sequence[str] = ()
    """The dialects of its messages."""
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Variant → the consumer's own options, with which it gets all generated inputs."""
    left_out: Sequence[str] = ()
    """Variants of recorded answers that this version does not repeat."""
    answers: str = ""
    """Its name in recorded answers and models, if it differs."""
    part: int = 1
    """It gets only every n-th generated input, for consumers that take long for each."""
    foreign: bool = True
    """Whether it also gets foreign texts (`foreign_messages`)."""
    needs_mysql: bool = False
    """Whether it writes into MySQL."""

    @property
    def known_as(self) -> str:
        """The name of the consumer in recorded answers and models."""
        return self.answers or self.name


def _read() -> dict[str, Built]:
    table = tomllib.loads((HERE / "consumers.toml").read_text(encoding="utf-8"))
    return {one["name"]: Built(**one) for one in table["consumer"]}


CONSUMERS = _read()
"""The consumers that are run live, by name."""


def command(name: str) -> list[str]:
    """The command of a consumer's harness, which is fetched and compiled on first use.

    Raises `Unavailable`, and `KeyError` for an unknown name.
    """
    consumer = CONSUMERS[name]
    folder = HERE / consumer.folder
    versions = "-".join(consumer.properties.values())
    lib = jars(folder / "pom.xml", f"consumer-{consumer.folder}-{versions}", consumer.properties)
    sources = sorted([*(HERE / "common").glob("*.java"), *folder.glob("*.java")])
    if not sources:
        raise Unavailable(f"{name}: there is no program in {folder}")
    classes = compiled(sources, lib, f"consumer-{consumer.folder}")
    options_file = folder / "jvm.options"
    own_options = [f"@{options_file}"] if options_file.exists() else []
    return [java(), *_JVM, *own_options, "-cp", f"{classes}:{lib}/*", consumer.main]
