"""Kafka's file of client properties: how it is read, what librdkafka calls it, and that secrets stay there."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.captures.kafka_config import KafkaConfig, read_config
from conformance.errors import UsageError

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="a;b\\"c";'


def given(tmp_path: Path, text: str) -> KafkaConfig:
    file = tmp_path / "client.properties"
    file.write_bytes(text.encode("latin-1"))
    return read_config(file)


def test_a_file_is_read_as_java_reads_it(tmp_path: Path) -> None:
    text = "# one\n! two\n\n a = b \nc:d\\\n   e\\\\\nf\tg\nh\ni\\=\\u0041=\\t\u00e9\r\nj=\\\n"
    found = given(tmp_path, text)
    assert found.properties == {"a": "b ", "c": "de\\", "f": "g", "h": "", "i=A": "\t\u00e9", "j": ""}
    assert [found.lines[name] for name in ("a", "c", "f", "i=A", "j")] == [4, 5, 7, 9, 10]


def test_without_a_file_transactions_are_respected_all_the_same() -> None:
    config = read_config(None)
    assert config.for_java() == config.for_librdkafka() == {"isolation.level": "read_committed"}


@pytest.mark.parametrize(
    ("properties", "translated"),
    [
        ({"security.protocol": "SASL_SSL"}, {"security.protocol": "SASL_SSL"}),
        ({"isolation.level": "read_uncommitted"}, {"isolation.level": "read_uncommitted"}),
        ({"request.timeout.ms": "9"}, {"socket.timeout.ms": "9"}),
        ({"sasl.jaas.config": PLAIN}, {"sasl.username": "me", "sasl.password": 'a;b"c'}),
        (
            {"sasl.jaas.config": " x.ScramLoginModule required\n username=me\n password=p ;\n"},
            {"sasl.username": "me", "sasl.password": "p"},
        ),
        (
            {
                "sasl.jaas.config": 'a.Krb5LoginModule required useKeyTab=true keyTab="/k" principal="me@X";',
                "sasl.kerberos.service.name": "kafka",
            },
            {"sasl.kerberos.keytab": "/k", "sasl.kerberos.principal": "me@X", "sasl.kerberos.service.name": "kafka"},
        ),
        (
            {
                "sasl.jaas.config": 'a.OAuthBearerLoginModule required clientId="i" clientSecret="s" scope="r";',
                "sasl.oauthbearer.token.endpoint.url": "https://login",
                "sasl.login.callback.handler.class": "a.b.OAuthBearerLoginCallbackHandler",
            },
            {
                "sasl.oauthbearer.method": "oidc",
                "sasl.oauthbearer.client.id": "i",
                "sasl.oauthbearer.client.secret": "s",
                "sasl.oauthbearer.scope": "r",
                "sasl.oauthbearer.token.endpoint.url": "https://login",
            },
        ),
        ({"ssl.truststore.type": "PEM", "ssl.truststore.location": "/ca.pem"}, {"ssl.ca.location": "/ca.pem"}),
        ({"ssl.truststore.certificates": "-----BEGIN"}, {"ssl.ca.pem": "-----BEGIN"}),
        (
            {"ssl.keystore.type": "pem", "ssl.keystore.location": "/me.pem", "ssl.key.password": "p"},
            {"ssl.certificate.location": "/me.pem", "ssl.key.location": "/me.pem", "ssl.key.password": "p"},
        ),
        (
            {"ssl.keystore.type": "PKCS12", "ssl.keystore.location": "/me.p12", "ssl.keystore.password": "p"},
            {"ssl.keystore.location": "/me.p12", "ssl.keystore.password": "p"},
        ),
        ({"ssl.endpoint.identification.algorithm": ""}, {"ssl.endpoint.identification.algorithm": "none"}),
        ({"group.id": "g", "bootstrap.servers": "x:1", "auto.offset.reset": "latest"}, {}),
    ],
)
def test_librdkafka_has_other_names_for_the_same(properties: dict[str, str], translated: dict[str, str]) -> None:
    assert KafkaConfig("f", properties).for_librdkafka() == {"isolation.level": "read_committed"} | translated


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ssl.truststore.location=/ca.jks", "PEM"),
        ("ssl.keystore.location=/me.jks", "PKCS12"),
        ("ssl.cipher.suites=TLS_X", "no such property"),
        ("sasl.jaas.config=a.PlainLoginModule required password=hush", "semicolon"),
        ("sasl.jaas.config=a.OtherModule required password=hush;", "PlainLoginModule"),
        ("sasl.jaas.config=a.PlainLoginModule required pass=hush;", "'pass'"),
        ("sasl.login.callback.handler.class=org.acme.Handler", "a Java class of yours"),
    ],
)
def test_a_property_that_librdkafka_lacks_is_one_message_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    config = given(tmp_path, f"security.protocol=SSL\n{line}\n")
    with pytest.raises(UsageError) as raised:
        config.for_librdkafka()
    assert f"client.properties, line 2: {line.partition('=')[0]}: " in str(raised.value)
    assert why in str(raised.value)
    assert "hush" not in str(raised.value)
    assert line.partition("=")[0] in config.for_java(), "Kafka's own client may know it"


def test_secrets_are_taken_out_of_a_text_and_out_of_what_is_shown_of_a_file() -> None:
    config = KafkaConfig("f", {"sasl.jaas.config": PLAIN, "ssl.key.password": "pq", "client.id": "me"})
    assert config.hidden(f"me: {PLAIN}, pq, a;b") == "me: [hidden], [hidden], a;b"
    assert config.hidden('login a;b\\"c of me') == config.hidden('login a;b"c of me') == "login [hidden] of me"
    assert "pq" not in repr(config)


def test_a_file_that_is_not_there_is_one_message() -> None:
    with pytest.raises(UsageError, match=r"--kafka-config .*nowhere: cannot be read [(]No such file"):
        read_config(Path("nowhere"))
