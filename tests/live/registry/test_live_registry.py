"""A real registry, Apicurio with the interface of Confluent's, as it stands and behind TLS, certificates and a token.

`tox run -e live-registry` runs this. What asks who we are stands before Apicurio: it passes on what it lets in.
"""

from __future__ import annotations

import http.client
import json
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

from conformance.cli.main import main
from conformance.registry import HttpRegistry
from conformance.registry.client import Exchange, HttpConnection
from harnesses.providers import Registry
from reference_impl.errors import Rejected

TOKEN = "s3cr3t-of-the-tests"
ONE = '{"type":"record","name":"t","fields":[{"name":"id","type":"long"}]}'
DEMANDING = '{"type":"record","name":"t","fields":[{"name":"id","type":"long"},{"name":"r","type":"string"}]}'


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`ca.pem`, and `server.pem` and `client.pem` that it vouches for, each with its key."""
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *key, "-days", "2", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n", encoding="utf-8")
    for name in ("server", "client"):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
        openssl("x509", "-req", "-in", f"{name}.csr", *signed, "-out", f"{name}.crt")
        both = (folder / f"{name}.crt").read_text() + (folder / f"{name}.key").read_text()
        (folder / f"{name}.pem").write_text(both, encoding="utf-8")
    return folder


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that is not let in."""


@contextmanager
def front(registry: Registry, certificates: Path) -> Iterator[str]:
    """The URL of a front of the registry that takes TLS alone, and who has a certificate and the token."""
    behind = urlsplit(registry.url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.pass_on()

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - the names are the server's

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                self.say(401, b'{"error_code":401,"message":"Unauthorized"}')
                return
            assert behind.hostname
            with closing(http.client.HTTPConnection(behind.hostname, behind.port, timeout=20)) as connection:
                kept = {n: v for n, v in self.headers.items() if n in ("Content-Type", "Accept")}
                connection.request(self.command, self.path, body, kept)
                answer = connection.getresponse()
                self.say(answer.status, answer.read())

        def say(self, status: int, text: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificates / "ca.pem")
    server = _Quiet(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"https://127.0.0.1:{server.server_address[1]}{behind.path}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def guarded(schema_registry: Registry, certificates: Path) -> Iterator[str]:
    with front(schema_registry, certificates) as url:
        yield url


@pytest.fixture
def config(certificates: Path, tmp_path: Path) -> Path:
    file = tmp_path / "registry.properties"
    file.write_text(
        f"bearer.auth.credentials.source=STATIC_TOKEN\nbearer.auth.token={TOKEN}\n"
        f"ssl.truststore.type=PEM\nssl.truststore.location={certificates}/ca.pem\n"
        f"ssl.keystore.type=PEM\nssl.keystore.location={certificates}/client.pem\n",
        encoding="utf-8",
    )
    return file


def test_a_real_registry_registers_refuses_and_lists_as_the_suites_own(schema_registry: Registry) -> None:
    with closing(HttpRegistry(schema_registry.url)) as registry:
        registry.check()
        first = registry.register("plain-value", ONE)
        assert registry.register("plain-value", ONE) == first
        assert json.loads(registry.schema(first)) == json.loads(ONE)
        with pytest.raises(Rejected, match="registering under 'plain-value' is refused: status 409"):
            registry.register("plain-value", DEMANDING)
        with pytest.raises(Rejected, match="has no schema 99999") as unknown:
            registry.schema(99_999)
        assert str(unknown.value.reason) == "schema"
        assert (first, "plain-value") in [(one.id, one.subject) for one in registry.listed()]
    ask: Exchange = HttpConnection(schema_registry.url)
    assert ask("DELETE", "/subjects/plain-value", None)[0] == 200


def test_a_real_registry_takes_a_doubled_member_as_the_suites_own_does(schema_registry: Registry) -> None:
    doubled = '{"type":"record","name":"t","name":"t","fields":[{"name":"id","type":"long"}]}'
    with closing(HttpRegistry(schema_registry.url)) as registry:
        assert registry.schema(registry.register("doubled-value", doubled)) == doubled


@pytest.fixture
def lenient(schema_registry: Registry) -> Iterator[None]:
    """A registry that takes any schema after any other: cases alter tables as they like."""
    ask = HttpConnection(schema_registry.url)
    for level in ("NONE", "BACKWARD"):
        assert ask("PUT", "/config", json.dumps({"compatibility": level}).encode())[0] == 200
        if level == "NONE":
            yield


def judged(url: str, harness: str, record: Path, *more: str) -> tuple[int, dict[str, int]]:
    """The status of a run of Avro with a real registry, and how many cases have each verdict."""
    asked = ["--protocol", "avro", "--shard", "1/48", "-n", "1", "--timeout", "60", "--gate", "data", "-q"]
    status = main(["run", "--iut", harness, "--registry-url", url, *asked, "--report", f"jsonl={record}", *more])
    verdicts = [e["verdict"] for e in map(json.loads, record.open(encoding="utf-8")) if e["event"] == "verdict"]
    return status, {name: verdicts.count(name) for name in set(verdicts)}


def test_the_reference_is_judged_with_a_real_registry_and_leaves_nothing_there(
    schema_registry: Registry, lenient: None, tmp_path: Path
) -> None:
    harness = f"cmd:{sys.executable} -m ticdc_conformance serve-reference --protocol avro"
    status, verdicts = judged(schema_registry.url, harness, tmp_path / "run.jsonl")
    assert (status, {*verdicts} - {"pass", "excluded", "warn"}) == (0, set()), verdicts
    assert verdicts["pass"] > verdicts.get("excluded", 0)
    status, listed = HttpConnection(schema_registry.url)("GET", "/subjects", None)
    assert (status, [s for s in json.loads(listed) if s.startswith("ticdc-conformance-")]) == (200, [])


def test_the_same_behind_tls_a_certificate_and_a_token(
    guarded: str, lenient: None, config: Path, schema_registry: Registry, tmp_path: Path
) -> None:
    harness = f"cmd:{sys.executable} -m ticdc_conformance serve-reference --protocol avro --registry-config {config}"
    found = judged(guarded, harness, tmp_path / "guarded.jsonl", "--registry-config", str(config))
    plain = f"cmd:{sys.executable} -m ticdc_conformance serve-reference --protocol avro"
    assert found == judged(schema_registry.url, plain, tmp_path / "plain.jsonl")


def refused(capsys: pytest.CaptureFixture[str], url: str, *more: str) -> str:
    """The one line that a person reads where a registry cannot be used."""
    asked = ["run", "--protocol", "avro", "--iut", "cmd:true", "--registry-url", url, *more]
    assert main(asked) == 4
    told = capsys.readouterr()
    assert len(told.err.splitlines()) == 1, told.err
    assert TOKEN not in told.err
    return told.err


def without(config: Path, words: str) -> str:
    """The file without the lines that have these words."""
    lines = config.read_text(encoding="utf-8").splitlines()
    config.write_text("\n".join(line for line in lines if words not in line), encoding="utf-8")
    return str(config)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("bearer.auth", "does not let us in: status 401"),
        ("truststore", "certificate verify failed"),
        ("keystore", "cannot be reached"),
    ],
)
def test_what_is_missing_is_one_message_before_anything_is_judged(
    words: str, told: str, guarded: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in refused(capsys, guarded, "--registry-config", without(config, words))


def test_a_wrong_token_is_one_message_that_does_not_tell_it(
    guarded: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(config.read_text(encoding="utf-8").replace(TOKEN, "another-secret"), encoding="utf-8")
    told = refused(capsys, guarded, "--registry-config", str(config))
    assert "does not let us in: status 401" in told
    assert "another-secret" not in told
