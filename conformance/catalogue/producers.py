"""The recorded upstream producers: their names, and the dialect options of their configuration.

The meta data of a recording have the configuration, a line for each option.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.protocols import CANAL, CONNECTOR

__all__ = ["FILTERS", "PRODUCERS", "SHIPPED", "Producer"]


@dataclass(frozen=True, slots=True)
class Producer:
    """A producer: words of its name in meta data, and its shipped recordings, `folders` below `fixtures/recorded`.

    `options` turns meta data and configuration into options of its dialect, and lists unknown lines. `one_topic`: all
    tables share a topic; otherwise the topics of a session begin with one name.
    """

    words: str
    folders: Sequence[str]
    options: Callable[[Mapping[str, Any], Mapping[str, str]], tuple[dict[str, str], tuple[str, ...]]]
    one_topic: bool = False


_ROLLING = 19
"""The first Java that prints the shortest text of a double."""
# Lines of a configuration that change no row record, or that are facts of the session.
_IDLE = frozenset({"database.jdbc.driver", "end", "topic.prefix", "column.exclude.list", "max"})
# Settings with which Canal leaves out the messages of statements.
FILTERS = ("canal.instance.filter.query.ddl", "filter.query.ddl")
_CONNECTOR = (
    "decimal.handling.mode",
    "time.precision.mode",
    "bigint.unsigned.handling.mode",
    "binary.handling.mode",
    "tombstones.on.delete",
    "provide.transaction.metadata",
    "include.schema.changes",
    "skipped.operations",
)


def _version(meta: Mapping[str, Any]) -> str:
    return str(meta["version"]).removesuffix(".Final")


def _canal(meta: Mapping[str, Any], config: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    java = re.search(r'"(\d+)', str(meta.get("java", "")))
    options = {
        "version": _version(meta),
        "jdk": "25" if java and int(java[1]) >= _ROLLING else "17",
        "server": str(meta.get("server", "mysql")),
    }
    options |= {name: config[name] for name in ("tsdb", "gtid") if name in config}
    return options, _unknown(config, {"tsdb", "gtid", *FILTERS})


def _connector(meta: Mapping[str, Any], config: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    options = {"version": _version(meta), "server": str(meta.get("server", "mysql"))}
    options |= {name: config[name] for name in _CONNECTOR if name in config}
    schemas = "converter.schemas.enable"
    if schemas in config:
        options["schemas.enable"] = config[schemas]
    return options, _unknown(config, {*_CONNECTOR, schemas})


def _unknown(config: Mapping[str, str], known: set[str]) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in config.items() if name not in known | _IDLE)


PRODUCERS: Mapping[str, Producer] = {
    CANAL.name: Producer("alibaba canal", (CANAL.name,), _canal, one_topic=True),
    CONNECTOR.name: Producer("debezium", ("debezium24", "debezium36"), _connector),
}
"""By dialect. A recording belongs to its producer's dialect, not to a dialect that builds on it."""
SHIPPED = tuple(folder for producer in PRODUCERS.values() for folder in producer.folders)
"""The folders of all producers."""
