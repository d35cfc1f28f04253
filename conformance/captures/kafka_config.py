"""Reads the file of client properties that Kafka's own tools take: unchanged for Spark, translated for librdkafka.

Messages name a line and a property, never a value: values may be passwords.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from conformance.errors import UsageError, file_errors

__all__ = ["KafkaConfig", "read_config"]

# Ignored properties: those of consumer groups, and those that the suite sets itself.
_NOT_USED = frozenset(
    {
        *("bootstrap.servers", "group.id", "group.instance.id", "group.protocol", "auto.offset.reset"),
        *("enable.auto.commit", "auto.commit.interval.ms", "key.deserializer", "value.deserializer"),
        *("interceptor.classes", "exclude.internal.topics", "allow.auto.create.topics", "max.poll.records"),
        *("partition.assignment.strategy", "max.poll.interval.ms", "session.timeout.ms", "heartbeat.interval.ms"),
    }
)
# Properties of Java's client with the same name in librdkafka.
_SAME = (
    *("security.protocol", "client.id", "client.rack", "client.dns.lookup", "isolation.level", "check.crcs"),
    *("metadata.max.age.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms", "retry.backoff.ms"),
    *("retry.backoff.max.ms", "connections.max.idle.ms", "fetch.min.bytes", "fetch.max.bytes"),
    *("max.partition.fetch.bytes", "ssl.key.password", "ssl.keystore.password"),
    *("sasl.mechanism", "sasl.kerberos.service.name", "sasl.oauthbearer.token.endpoint.url"),
    "socket.connection.setup.timeout.ms",
)
_RENAMED = {
    "request.timeout.ms": "socket.timeout.ms",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
}
# Properties that only qualify another one, and are read with it.
_WITH_ANOTHER = frozenset({"ssl.truststore.type", "ssl.keystore.type"})
_JAAS_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "PlainLoginModule": {"username": "sasl.username", "password": "sasl.password"},
    "ScramLoginModule": {"username": "sasl.username", "password": "sasl.password"},
    "Krb5LoginModule": {
        "keyTab": "sasl.kerberos.keytab",
        "principal": "sasl.kerberos.principal",
        "serviceName": "sasl.kerberos.service.name",
    },
    "OAuthBearerLoginModule": {
        "clientId": "sasl.oauthbearer.client.id",
        "clientSecret": "sasl.oauthbearer.client.secret",
        "scope": "sasl.oauthbearer.scope",
    },
}
_JAAS_FLAGS = frozenset({"useKeyTab", "storeKey", "useTicketCache", "doNotPrompt", "refreshKrb5Config"})
_JAAS = re.compile(
    r"\s*(?:[\w$.]+\.)?(\w+)\s+\w+((?:\s+[\w.]+\s*=\s*(?:\"(?:[^\"\\]|\\.)*\"|[^\s\";]+))*)\s*;\s*", re.S
)
_JAAS_OPTION = re.compile(r"([\w.]+)\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s\";]+))")
_SECRET = re.compile(r"password|secret|jaas|\.key$|token(?!\.endpoint)|credential", re.I)


@dataclass(frozen=True, slots=True)
class KafkaConfig:
    """The properties in a file. Values may be secrets: `hidden` removes them from a text."""

    file: str = ""
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    lines: Mapping[str, int] = field(default_factory=dict, repr=False)
    """The line number of each property, from 1."""

    def for_java(self) -> dict[str, str]:
        """The properties for Kafka's own client, as in Spark."""
        used = {name: value for name, value in self.properties.items() if name not in _NOT_USED}
        return {"isolation.level": "read_committed"} | used

    def for_librdkafka(self) -> dict[str, str]:
        """The properties for librdkafka. Raises `UsageError`, naming the line, for a property without an equivalent."""
        translated = {"isolation.level": "read_committed"}
        for name, value in self.properties.items():
            if name in _NOT_USED or name in _WITH_ANOTHER:
                continue
            if name in _SAME:
                translated[name] = value
            elif name in _RENAMED:
                translated[_RENAMED[name]] = value
            elif name in _TRANSLATIONS:
                translated |= _TRANSLATIONS[name](self, value)
            else:
                raise self.wrong(name, "the local reader (librdkafka) has no such property")
        return translated

    def hidden(self, text: str) -> str:
        """A text without the secrets of the file."""
        secrets = [value for name, value in self.properties.items() if _SECRET.search(name)]
        for secret in list(secrets):
            for option, quoted, bare in _JAAS_OPTION.findall(secret):
                secrets += [quoted, _unquoted(quoted), bare] if _SECRET.search(option) else []
        for secret in sorted({one.strip() for one in secrets if one.strip()}, key=len, reverse=True):
            text = text.replace(secret, "[hidden]")
        return text

    def wrong(self, name: str, why: str) -> UsageError:
        """The error for a property, naming its line."""
        return UsageError(f"{self.file}, line {self.lines.get(name, 0)}: {name}: {why}")


def _truststore(config: KafkaConfig, value: str) -> dict[str, str]:
    store_type = config.properties.get("ssl.truststore.type", "JKS").upper()
    if store_type != "PEM":
        raise config.wrong(
            "ssl.truststore.location",
            f"a truststore of type {store_type} cannot be read by the local reader (librdkafka): write its "
            "certificates as PEM (keytool -exportcert -rfc) and set ssl.truststore.type=PEM, which Kafka's own tools "
            "accept too",
        )
    return {"ssl.ca.location": value}


def _keystore(config: KafkaConfig, value: str) -> dict[str, str]:
    store_type = config.properties.get("ssl.keystore.type", "JKS").upper()
    if store_type == "PEM":
        return {"ssl.certificate.location": value, "ssl.key.location": value}
    if store_type == "PKCS12":
        return {"ssl.keystore.location": value}
    raise config.wrong(
        "ssl.keystore.location",
        f"a keystore of type {store_type} cannot be read by the local reader (librdkafka): use PEM or PKCS12, and name "
        "it in ssl.keystore.type",
    )


def _jaas(config: KafkaConfig, value: str) -> dict[str, str]:
    name = "sasl.jaas.config"
    match = _JAAS.fullmatch(value)
    if match is None:
        raise config.wrong(name, 'it looks like MODULE required username="…" password="…"; with the semicolon')
    module, options = match.groups()
    known = _JAAS_OPTIONS.get(module)
    if known is None:
        raise config.wrong(name, f"known login modules are {', '.join(_JAAS_OPTIONS)}")
    translated = {"sasl.oauthbearer.method": "oidc"} if module == "OAuthBearerLoginModule" else {}
    for option, quoted, bare in _JAAS_OPTION.findall(options):
        if option in known:
            translated[known[option]] = _unquoted(quoted) or bare
        elif option not in _JAAS_FLAGS:
            raise config.wrong(name, f"unknown option {option!r} of {module}; known ones are {', '.join(known)}")
    return translated


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _handler(config: KafkaConfig, value: str) -> dict[str, str]:
    if value.rpartition(".")[2] == "OAuthBearerLoginCallbackHandler":
        return {}
    raise config.wrong("sasl.login.callback.handler.class", "the local reader cannot use a Java class of yours")


_Translation: TypeAlias = Callable[[KafkaConfig, str], dict[str, str]]
_TRANSLATIONS: Mapping[str, _Translation] = {
    "ssl.truststore.location": _truststore,
    "ssl.keystore.location": _keystore,
    # An empty name is Java's way to skip the check of the server's name.
    "ssl.endpoint.identification.algorithm": lambda _, value: {
        "ssl.endpoint.identification.algorithm": value or "none"
    },
    "sasl.jaas.config": _jaas,
    # Java's own client needs a class for what librdkafka does by itself.
    "sasl.login.callback.handler.class": _handler,
}


# -- the form of the file ----------------------------------------------------------------------------------------------

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.S)
_NAME = re.compile(r"((?:[^\\=:\s]|\\.)*)[ \t\f]*[=: \t\f]?[ \t\f]*", re.S)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_config(file: Path | None, option: str = "--kafka-config") -> KafkaConfig:
    """The properties of a file in Java's form; empty without a file. Raises `UsageError` for one that cannot be read.

    `option` is the command-line option with the file.
    """
    if file is None:
        return KafkaConfig()
    with file_errors(f"{option} {file}: cannot be read"):
        text = file.read_bytes().decode("latin-1")  # as Java reads it
    properties, lines = dict[str, str](), dict[str, int]()
    for number, line in _logical_lines(text):
        match = _NAME.match(line)
        assert match is not None
        name = _unescaped(match[1])
        properties[name], lines[name] = _unescaped(line[match.end() :]), number
    return KafkaConfig(str(file), properties, lines)


def _logical_lines(text: str) -> list[tuple[int, str]]:
    """The lines with a property, each with its number; lines that a backslash continues are joined."""
    logical: list[tuple[int, str]] = []
    pending, begun = "", 0
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = raw.lstrip(" \t\f")
        if not begun and (not line or line[0] in "#!"):
            continue
        begun = begun or number
        if (len(line) - len(line.rstrip("\\"))) % 2:
            pending += line[:-1]
            continue
        logical.append((begun, pending + line))
        pending, begun = "", 0
    return [*logical, (begun, pending)] if pending else logical


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _CONTROLS.get(m[2], m[2]), text)
