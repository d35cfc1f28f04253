"""A real Kafka of one node on 127.0.0.1, from released jars: for live tests, and by hand.

    python harnesses/kafka/broker.py [--port PORT] [--folder DIR]

It serves two listeners: one for anybody, and one with TLS that asks for a user and password (SASL/PLAIN).
Maven and Java are needed. The jars are kept in the user's cache folder; everything else goes with the broker.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = "4.3.0"
USER, PASSWORD = "reader", "let me; in"
_SECONDS = 60

_SERVER = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{guarded},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{guarded}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
inter.broker.listener.name=PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule \
required user_{user}="{password}";
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


class Unavailable(Exception):
    """A broker cannot be had here, and why."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Addresses of a running broker: `open` takes anybody, `guarded` takes `USER` with `PASSWORD` over TLS.

    `certificate` is the file of the certificate that it shows, as PEM.
    """

    open: str
    guarded: str
    certificate: Path


def jars(pom: str = "pom.xml", name: str = f"kafka-{VERSION}") -> Path:
    """The folder of the jars that a pom names, fetched once. Raises `Unavailable` without Maven or its repository."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ticdc-conformance"
    folder = cache / name
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise Unavailable("Maven (mvn) is not there to fetch jars")
    draft = folder.with_name(f"{folder.name}.{os.getpid()}")
    command = [maven, "-q", "-B", "-f", str(HERE / pom), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    done = subprocess.run([*command, f"-DoutputDirectory={draft}"], capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        raise Unavailable(f"Maven cannot fetch the jars of {pom}: {(done.stdout + done.stderr).strip()[-500:]}")
    draft.replace(folder)
    return folder


def connector() -> Path:
    """The folder of the jars that Spark reads topics with. Raises as `jars` does."""
    return jars("spark.xml", "spark-kafka")


@contextmanager
def broker(folder: Path, port: int = 0) -> Iterator[Broker]:
    """A broker with its data below `folder`, stopped at the end. Raises `Unavailable`."""
    java = shutil.which("java")
    if java is None:
        raise Unavailable("Java is not there to run Kafka")
    classes = f"{jars()}/*"
    ports = dict(zip(("port", "guarded", "controller"), _free(port, 0, 0), strict=True))
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "server.properties"
    settings.write_text(_SERVER.format(folder=folder, user=USER, password=PASSWORD, **ports), encoding="utf-8")
    certificate = _certificate(Path(java).resolve().with_name("keytool"), folder)
    with (folder / "broker.log").open("wb") as log:
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        format_ = [java, *_JVM, "-cp", classes, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings)]
        subprocess.run(format_, stdout=log, stderr=log, check=True)
        command = [java, *_JVM, "-cp", classes, "kafka.Kafka", str(settings)]
        with subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL) as process:
            try:
                _wait(process, ports["port"], folder / "broker.log")
                yield Broker(f"127.0.0.1:{ports['port']}", f"127.0.0.1:{ports['guarded']}", certificate)
            finally:
                process.terminate()
                try:
                    process.wait(_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()


def _certificate(keytool: Path, folder: Path) -> Path:
    """A key and certificate of 127.0.0.1 for the broker; the file of the latter."""
    certificate = folder / "broker.pem"
    of = [str(keytool), "-alias", "broker", "-keystore", str(folder / "broker.p12"), "-storepass", PASSWORD]
    pair = ["-genkeypair", "-keyalg", "RSA", "-storetype", "PKCS12", "-dname", "CN=broker", "-ext", "SAN=IP:127.0.0.1"]
    for command in (pair, ["-exportcert", "-rfc", "-file", str(certificate)]):
        try:
            subprocess.run([*of, *command], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as e:
            raise Unavailable(f"keytool makes no certificate: {getattr(e, 'stdout', '') or e}") from None
    return certificate


def _free(*wanted: int) -> list[int]:
    """Ports that nobody listens on: those wanted, any for 0."""
    with ExitStack() as held:
        try:
            sockets = [held.enter_context(socket.create_server(("127.0.0.1", port))) for port in wanted]
        except OSError as e:
            raise Unavailable(f"of the ports {wanted} one is taken: {e}") from None
        return [one.getsockname()[1] for one in sockets]


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + _SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise Unavailable(f"the broker does not start: {log.read_text(encoding='utf-8', errors='replace')[-1000:]}")


def main() -> None:
    """Run a broker until it is interrupted or told to end."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where its data is (a folder that goes with it)")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch, broker(args.folder or Path(scratch), args.port) as found:
        print(f"open: {found.open}")
        print(f"SASL_SSL: {found.guarded}, user {USER}, password {PASSWORD!r}, {found.certificate}", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
