"""The producers: their releases, our program that runs each, and its settings for options of the dialect."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harnesses.providers.databases import Database
from harnesses.providers.maven import compiled, jars
from harnesses.providers.service import Unavailable
from reference_impl.protocols import CANAL, CONNECTOR

__all__ = ["PROGRAMS", "Program", "command_of", "java_of", "needs_new_driver"]

HERE = Path(__file__).resolve().parent
_JAVA = HERE / "java"
_JVM = ("-Xmx600m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_OTHER_BINDINGS = ("slf4j-reload4j", "slf4j-log4j12")
_JVMS = Path("/usr/lib/jvm")


@dataclass(frozen=True, slots=True)
class Program:
    """A release of a producer."""

    id: str
    # The name of the producer in recordings and for people.
    words: str
    # The dialect that it writes.
    protocol: str
    version: str
    # The file of its pom, and the property there for its version.
    pom: str
    variable: str
    # The main class and the source files of our program.
    main: str
    sources: Sequence[str]
    # Its Maven coordinates without the version, for the metadata of recordings.
    coordinates: Sequence[str]
    # Makes the settings of our program from the server and from requested settings.
    settings: Callable[[Program, Database, Mapping[str, str]], dict[str, str]]
    # Option of the dialect → the setting for it; "" if the release, the Java or the server decides it.
    properties: Mapping[str, str]
    # Whether its topics begin with a configured name and its times are in UTC.
    is_prefixed: bool = False
    # Settings of every recording.
    recorded: Mapping[str, str] = field(default_factory=dict)

    @property
    def artefacts(self) -> list[str]:
        """The Maven coordinates of the program, `group:artefact:version` each."""
        return [f"{name}:{self.version}" for name in self.coordinates]


def java_of(release: int) -> str | None:
    """The path of an installed `java` of a release; None if there is none."""
    found = shutil.which("java")
    homes = [Path(found).resolve().parent.parent] if found else []
    homes += sorted(_JVMS.iterdir()) if _JVMS.is_dir() else []
    for home in homes:
        about, program = home / "release", home / "bin" / "java"
        if about.is_file() and program.is_file():
            version = re.search(r'^JAVA_VERSION="(\d+)', about.read_text(encoding="utf-8"), re.MULTILINE)
            if version and int(version[1]) == release:
                return str(program)
    return None


def command_of(program: Program, settings: Mapping[str, str], *, zone: str, release: int) -> list[str]:
    """The command that runs a producer; jars are fetched and classes compiled once.

    `zone` is the time zone of the JVM, `release` its Java. Raises `Unavailable`.
    """
    java = java_of(release)
    if java is None:
        raise Unavailable(f"there is no Java {release} to run {program.words} {program.version}")
    name = f"{program.words.split()[-1]}-{program.version}"
    folder = jars(HERE / program.pom, name, {program.variable: program.version})
    classes = compiled([_JAVA / name for name in program.sources], folder, program.main)
    archives = [str(jar) for jar in sorted(folder.glob("*.jar")) if not jar.name.startswith(_OTHER_BINDINGS)]
    logging = [f"-Dlogback.configurationFile={_JAVA / 'logback.xml'}", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
    path = ":".join([str(classes), *archives])
    arguments = [f"{name}={value}" for name, value in settings.items()]
    return [java, *_JVM, *logging, f"-Duser.timezone={zone}", "-cp", path, program.main, *arguments]


# -- settings ----------------------------------------------------------------------------------------------------------


def canal_settings(program: Program, server: Database, requested: Mapping[str, str]) -> dict[str, str]:
    """Settings of Canal, which begins at the end of a server's binary log.

    `requested` may hold `tsdb`, `gtid` and `topic`.
    """
    query = "show binary log status" if server.kind == "mysql" else "show master status"
    file, position, *more = server.run(query).rstrip("\n").split("\t")
    settings = {
        "port": str(server.port),
        "user": server.user,
        "password": server.password,
        "journal": file,
        "position": position,
        "tsdb": "true",
        **requested,
    }
    if settings.get("gtid") == "true" and len(more) > 2:
        settings["gtidset"] = more[2].replace("\\n", "").strip()
    return settings


_CONNECTOR: Mapping[str, str] = {
    "name": "live",
    "topic.prefix": "dbz",
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "127.0.0.1",
    "database.server.id": "85744",
    "database.connectionTimeZone": "UTC",
    "include.schema.changes": "true",
    "offset.storage": "org.apache.kafka.connect.storage.MemoryOffsetBackingStore",
    "schema.history.internal": "io.debezium.relational.history.MemorySchemaHistory",
    "poll.interval.ms": "20",
    "errors.max.retries": "0",
}


def connector_settings(program: Program, server: Database, requested: Mapping[str, str]) -> dict[str, str]:
    """The properties of the connector for a server; `requested` are properties by Debezium's names."""
    settings = {
        **_CONNECTOR,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": server.password,
    }
    if needs_new_driver(program, server.kind):
        settings["database.jdbc.driver"] = "NewServerDriver"
    return {**settings, **requested}


def needs_new_driver(program: Program, server: str) -> bool:
    """Whether a connector sends a statement that this kind of server no longer supports."""
    return program.version.startswith("2.") and server == "mysql"


# -- the programs ----------------------------------------------------------------------------------------------------

_PROPERTIES = {
    "version": "",
    "decimal.handling.mode": "decimal.handling.mode",
    "time.precision.mode": "time.precision.mode",
    "bigint.unsigned.handling.mode": "bigint.unsigned.handling.mode",
    "binary.handling.mode": "binary.handling.mode",
    "schemas.enable": "converter.schemas.enable",
    "tombstones.on.delete": "tombstones.on.delete",
    "include.schema.changes": "include.schema.changes",
    "skipped.operations": "skipped.operations",
}


def _canal(version: str) -> Program:
    return Program(
        id=CANAL.name,
        words="alibaba canal",
        protocol=CANAL.name,
        version=version,
        pom="canal.xml",
        variable="canal.version",
        main="LiveCanal",
        sources=("LiveCanal.java", "Output.java"),
        coordinates=("com.alibaba.otter:canal.server", "com.alibaba.otter:connector.kafka"),
        settings=canal_settings,
        properties={"tsdb": "tsdb", "gtid": "gtid", "binlog_row_image": "", "jdk": ""},
    )


def _debezium(version: str) -> Program:
    names = ("debezium-api", "debezium-embedded", "debezium-connector-mysql")
    return Program(
        id="debezium" + "".join(version.split(".")[:2]),
        words="debezium",
        protocol=CONNECTOR.name,
        version=version,
        pom="debezium.xml",
        variable="debezium.version",
        main="LiveDebezium",
        sources=("LiveDebezium.java", "NewServerDriver.java", "Output.java"),
        coordinates=tuple(f"io.debezium:{name}" for name in names),
        settings=connector_settings,
        properties=_PROPERTIES,
        is_prefixed=True,
        recorded={"database.include.list": "cap,cap_other"},
    )


_RELEASES = (_canal("1.1.7"), _debezium("2.4.0.Final"), _debezium("3.0.7.Final"), _debezium("3.6.1.Final"))
PROGRAMS: Mapping[str, Program] = {program.id: program for program in _RELEASES}
"""Id, which is the name of the folder of the recordings → the release."""
