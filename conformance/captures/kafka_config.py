"""Reads the file of client properties that Kafka's own tools take: unchanged for Spark, translated for librdkafka.

Messages name a line and a property, never a value: values may be passwords.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from conformance.errors import UsageError

__all__ = ["KafkaConfig", "read_config"]

# Properties of a group's position, or that the suite sets itself: the source decides them.
_NOT_USED = frozenset(
    {
        *("bootstrap.servers", "group.id", "group.instance.id", "group.protocol", "auto.offset.reset"),
        *("enable.auto.commit", "auto.commit.interval.ms", "key.deserializer", "value.deserializer"),
        *("interceptor.classes", "exclude.internal.topics", "allow.auto.create.topics", "max.poll.records"),
        *("partition.assignment.strategy", "max.poll.interval.ms", "session.timeout.ms", "heartbeat.interval.ms"),
    }
)
_SAME = (
    *("security.protocol", "client.id", "client.rack", "client.dns.lookup", "isolation.level", "check.crcs"),
    *("metadata.max.age.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms", "retry.backoff.ms"),
    *("retry.backoff.max.ms", "connections.max.idle.ms", "fetch.min.bytes", "fetch.max.bytes"),
    *("max.partition.fetch.bytes", "ssl.key.password", "ssl.keystore.password"),
    *("sasl.mechanism", "sasl.kerberos.service.name", "sasl.oauthbearer.token.endpoint.url"),
)
_RENAMED = {
    "request.timeout.ms": "socket.timeout.ms",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "socket.connection.setup.timeout.ms": "socket.connection.setup.timeout.ms",
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
    """Properties as in `file`, with the line of each; `hidden` removes the secrets among them from a text."""

    file: str = ""
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    lines: Mapping[str, int] = field(default_factory=dict, repr=False)

    def for_java(self) -> dict[str, str]:
        """The properties for Kafka's own client, as in Spark."""
        used = {name: value for name, value in self.properties.items() if name not in _NOT_USED}
        return {"isolation.level": "read_committed"} | used

    def for_librdkafka(self) -> dict[str, str]:
        """The properties for librdkafka. Raises `UsageError`, naming the line, for one without an equivalent."""
        found = {"isolation.level": "read_committed"}
        for name, value in self.properties.items():
            if name in _NOT_USED or name in _WITH_ANOTHER:
                continue
            if name in _SAME:
                found[name] = value
            elif name in _RENAMED:
                found[_RENAMED[name]] = value
            elif name in _WAYS:
                found |= _WAYS[name](self, value)
            else:
                raise self.wrong(name, "the local reader (librdkafka) has nothing alike")
        return found

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
        """The error for a property."""
        return UsageError(f"{self.file}, line {self.lines.get(name, 0)}: {name}: {why}")


def _truststore(config: KafkaConfig, value: str) -> dict[str, str]:
    kind = config.properties.get("ssl.truststore.type", "JKS").upper()
    if kind != "PEM":
        raise config.wrong(
            "ssl.truststore.location",
            f"a truststore of type {kind} cannot be read by the local reader (librdkafka): write its certificates as "
            "PEM (keytool -exportcert -rfc) and set ssl.truststore.type=PEM, which Kafka's own tools take, too",
        )
    return {"ssl.ca.location": value}


def _keystore(config: KafkaConfig, value: str) -> dict[str, str]:
    kind = config.properties.get("ssl.keystore.type", "JKS").upper()
    if kind == "PEM":
        return {"ssl.certificate.location": value, "ssl.key.location": value}
    if kind == "PKCS12":
        return {"ssl.keystore.location": value}
    raise config.wrong(
        "ssl.keystore.location",
        f"a keystore of type {kind} cannot be read by the local reader (librdkafka): PEM and PKCS12 can, "
        "named by ssl.keystore.type",
    )


def _jaas(config: KafkaConfig, value: str) -> dict[str, str]:
    name = "sasl.jaas.config"
    found = _JAAS.fullmatch(value)
    if found is None:
        raise config.wrong(name, 'it looks like MODULE required username="…" password="…";, semicolon and all')
    known = _JAAS_OPTIONS.get(found[1])
    if known is None:
        raise config.wrong(name, f"of login modules there are {', '.join(_JAAS_OPTIONS)}")
    translated = {"sasl.oauthbearer.method": "oidc"} if found[1] == "OAuthBearerLoginModule" else {}
    for option, quoted, bare in _JAAS_OPTION.findall(found[2]):
        if option in known:
            translated[known[option]] = _unquoted(quoted) or bare
        elif option not in _JAAS_FLAGS:
            raise config.wrong(name, f"the option {option!r} of {found[1]} is not known; of it {', '.join(known)} are")
    return translated


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


_Way: TypeAlias = Callable[[KafkaConfig, str], dict[str, str]]
_WAYS: Mapping[str, _Way] = {
    "ssl.truststore.location": _truststore,
    "ssl.keystore.location": _keystore,
    # An empty name is Java's way to skip the check of the server's name.
    "ssl.endpoint.identification.algorithm": lambda _, value: {
        "ssl.endpoint.identification.algorithm": value or "none"
    },
    "sasl.jaas.config": _jaas,
    # Java's own client needs a class for what librdkafka does by itself.
    "sasl.login.callback.handler.class": lambda config, value: _handler(config, value),
}


def _handler(config: KafkaConfig, value: str) -> dict[str, str]:
    if value.rpartition(".")[2] == "OAuthBearerLoginCallbackHandler":
        return {}
    raise config.wrong("sasl.login.callback.handler.class", "a class of one's own cannot be used by the local reader")


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
    try:
        text = file.read_bytes().decode("latin-1")  # as Java reads it
    except OSError as e:
        raise UsageError(f"{option} {file}: cannot be read: {e.strerror or e}") from None
    properties, lines = dict[str, str](), dict[str, int]()
    for number, line in _logical(text):
        found = _NAME.match(line)
        assert found is not None
        name = _unescaped(found[1])
        properties[name], lines[name] = _unescaped(line[found.end() :]), number
    return KafkaConfig(str(file), properties, lines)


def _logical(text: str) -> list[tuple[int, str]]:
    """Lines that hold a property, joined with those that a backslash continues; each with its number."""
    found: list[tuple[int, str]] = []
    pending, begun = "", 0
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = raw.lstrip(" \t\f")
        if not begun and (not line or line[0] in "#!"):
            continue
        begun = begun or number
        if (len(line) - len(line.rstrip("\\"))) % 2:
            pending += line[:-1]
            continue
        found.append((begun, pending + line))
        pending, begun = "", 0
    return [*found, (begun, pending)] if pending else found


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _CONTROLS.get(m[2], m[2]), text)
