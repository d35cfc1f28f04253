"""A real Kafka of one node on 127.0.0.1: for live tests, and by hand.

    python -m harnesses.providers.brokers [--port PORT] [--folder DIR]

It has two listeners: an open one, and one with TLS that requires a user and password (SASL/PLAIN).
It needs Java for its certificate, and as a process Maven, too. The jars are kept in the user's cache folder; everything
else is deleted with the broker, unless a folder is given.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import tempfile
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from harnesses.providers.containers import contained, use_containers
from harnesses.providers.maven import jars, java
from harnesses.providers.service import Unavailable, free_ports, listens, running, tail

__all__ = ["PASSWORD", "USER", "VERSION", "Broker", "connector", "kafka"]

HERE = Path(__file__).resolve().parent
VERSION = "4.3.0"
USER, PASSWORD = "reader", "let me; in"
_IMAGE = f"apache/kafka:{VERSION}"
_IN_IMAGE = "/opt/kafka/bin"

_SERVER = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{guarded},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{guarded}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
inter.broker.listener.name=PLAINTEXT
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule \
required user_{user}="{password}";
listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule \
required;
ssl.keystore.type=PKCS12
ssl.keystore.location={folder}/broker.p12
ssl.keystore.password={password}
log.dirs={folder}/data
num.network.threads=2
num.io.threads=2
num.recovery.threads.per.data.dir=1
log.cleaner.dedupe.buffer.size=2097152
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
"""
_JVM = (
    "-Xms64m",
    "-Xmx400m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)


@dataclass(frozen=True, slots=True)
class Broker:
    """Addresses of a running broker: `open` accepts anybody, `guarded` needs `USER` and `PASSWORD` over TLS.

    `certificate` is the file of its certificate, in PEM. `process` is that of the broker, None for a container.
    """

    open: str
    guarded: str
    certificate: Path
    process: subprocess.Popen[bytes] | None = None


def connector() -> Path:
    """The folder of the jars of Spark's Kafka source.

    Raises `Unavailable` without Maven or its repository.
    """
    return jars(HERE / "spark.xml", "spark-kafka")


@contextmanager
def kafka(folder: Path, port: int = 0) -> Iterator[Broker]:
    """A broker with its data below `folder`, stopped at the end. Raises `Unavailable`."""
    ports = dict(zip(("port", "guarded", "controller"), free_ports(port, 0, 0), strict=True))
    folder.mkdir(parents=True, exist_ok=True)
    settings, log = folder / "server.properties", folder / "kafka.log"
    settings.write_text(_SERVER.format(folder=folder, user=USER, password=PASSWORD, **ports), encoding="utf-8")
    broker = Broker(f"127.0.0.1:{ports['port']}", f"127.0.0.1:{ports['guarded']}", _certificate(folder))
    cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    ready = listens(ports["port"])
    if use_containers():
        storage = f"{_IN_IMAGE}/kafka-storage.sh format -t {cluster} -c {settings}"
        script = f"{storage} && exec {_IN_IMAGE}/kafka-server-start.sh {settings}"
        with contained(_IMAGE, ["-c", script], log, ready, name="Kafka", entry_point=["bash"], folder=folder):
            yield broker
        return
    program = [java(), *_JVM, "-cp", f"{jars(HERE / 'kafka.xml', f'kafka-{VERSION}')}/*"]
    with log.open("wb") as out:
        formatted = subprocess.run(
            [*program, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings)],
            stdout=out,
            stderr=out,
            check=False,
        )
    if formatted.returncode:
        raise Unavailable(f"Kafka cannot format the folder for its data ({log}): {tail(log)}")
    with running([*program, "kafka.Kafka", str(settings)], log, ready, name="Kafka") as process:
        yield replace(broker, process=process)


def _certificate(folder: Path) -> Path:
    """Make a key and a certificate of 127.0.0.1 for the broker; returns the file of the certificate."""
    certificate = folder / "broker.pem"
    keytool = str(Path(java()).resolve().with_name("keytool"))
    base = [keytool, "-alias", "broker", "-keystore", str(folder / "broker.p12"), "-storepass", PASSWORD]
    pair = ["-genkeypair", "-keyalg", "RSA", "-storetype", "PKCS12", "-dname", "CN=broker", "-ext", "SAN=IP:127.0.0.1"]
    for command in (pair, ["-exportcert", "-rfc", "-file", str(certificate)]):
        try:
            subprocess.run([*base, *command], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as e:
            raise Unavailable(f"keytool cannot make a certificate: {getattr(e, 'stdout', '') or e}") from None
    return certificate


def main() -> None:
    """Run a broker until it is interrupted or terminated."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="a new folder for its data (by default a temporary one)")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch, kafka((args.folder or Path(scratch)).resolve(), args.port) as found:
        print(f"open: {found.open}")
        print(f"SASL_SSL: {found.guarded}, user {USER}, password {PASSWORD!r}, {found.certificate}", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
