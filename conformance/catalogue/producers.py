"""The recorded upstream producers: their names, and the dialect options of their configuration.

The meta data of a recording have the configuration, a setting a line. `options` of a producer says which of these
settings are options of its dialect, and which have an unknown effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.protocols import CANAL, CONNECTOR

__all__ = ["PRODUCERS", "SHIPPED", "STATEMENT_FILTERS", "Producer"]


@dataclass(frozen=True, slots=True)
class Producer:
    """A producer of an upstream dialect."""

    name_part: str  # by which the meta data of recordings name it, in lower case
    folders: Sequence[str]  # of its shipped recordings, below `fixtures/recorded`
    # (meta data, configuration) → (options of the dialect, lines of the configuration with unknown effect)
    options: Callable[[Mapping[str, Any], Mapping[str, str]], tuple[dict[str, str], tuple[str, ...]]]
    one_topic: bool = False  # all tables share a topic; otherwise the topics of a session have a common first part


_JAVA_WITH_SHORTEST_DOUBLES = 19
"""The first version of Java that prints the shortest text of a double: the option `jdk` knows one older, one newer."""
# Settings with a known effect that is not an option of a dialect. These change no record that is there:
_NO_EFFECT = frozenset({"database.jdbc.driver", "max"})
# These become the facts of the session, `catalogue.recordings.Facts`:
_FACTS = frozenset({"end", "topic.prefix", "column.exclude.list"})
# With these Canal leaves out the messages of statements, which is a fact as well:
STATEMENT_FILTERS = ("canal.instance.filter.query.ddl", "filter.query.ddl")
_CONNECTOR_OPTIONS = (
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
        "jdk": "25" if java and int(java[1]) >= _JAVA_WITH_SHORTEST_DOUBLES else "17",
        "server": str(meta.get("server", "mysql")),
    }
    options |= {name: config[name] for name in ("tsdb", "gtid") if name in config}
    return options, _unknown(config, {"tsdb", "gtid", *STATEMENT_FILTERS})


def _connector(meta: Mapping[str, Any], config: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    options = {"version": _version(meta), "server": str(meta.get("server", "mysql"))}
    options |= {name: config[name] for name in _CONNECTOR_OPTIONS if name in config}
    schemas = "converter.schemas.enable"
    if schemas in config:
        options["schemas.enable"] = config[schemas]
    return options, _unknown(config, {*_CONNECTOR_OPTIONS, schemas})


def _unknown(config: Mapping[str, str], known: set[str]) -> tuple[str, ...]:
    """The settings with an unknown effect; `known` are the names of those that only this producer has."""
    return tuple(f"{name}={value}" for name, value in config.items() if name not in known | _NO_EFFECT | _FACTS)


PRODUCERS: Mapping[str, Producer] = {
    CANAL.name: Producer("alibaba canal", (CANAL.name,), _canal, one_topic=True),
    CONNECTOR.name: Producer("debezium", ("debezium24", "debezium36"), _connector),
}
"""By dialect. A recording belongs to its producer's dialect, not to a dialect that builds on it."""
SHIPPED = tuple(folder for producer in PRODUCERS.values() for folder in producer.folders)
"""The folders of all producers."""
