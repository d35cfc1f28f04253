"""A registry is reached by login, token and certificates, as Confluent's clients are told to; secrets stay unseen."""

from __future__ import annotations

import base64
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from conformance.cli.main import main
from conformance.cli.registry_access import registry_access
from conformance.errors import UsageError
from conformance.registry import open_registry
from conformance.registry.access import ANONYMOUS, Access, access_of
from conformance.registry.api import Api
from conformance.registry.client import HttpConnection
from reference_impl.errors import Rejected

LOGIN = {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": "me:let me; in"}
TOKEN = {"bearer.auth.credentials.source": "STATIC_TOKEN", "bearer.auth.token": "s3cr3t"}
BASIC = "Basic " + base64.b64encode(b"me:let me; in").decode()


# -- properties ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("properties", "headers"),
    [
        ({}, {}),
        (LOGIN, {"Authorization": BASIC}),
        (TOKEN, {"Authorization": "Bearer s3cr3t"}),
        ({f"schema.registry.{name}": value for name, value in TOKEN.items()}, {"Authorization": "Bearer s3cr3t"}),
        (
            {**TOKEN, "bearer.auth.logical.cluster": "lsrc-1", "bearer.auth.identity.pool.id": "pool-1"},
            {"Authorization": "Bearer s3cr3t", "target-sr-cluster": "lsrc-1", "Confluent-Identity-Pool-Id": "pool-1"},
        ),
    ],
)
def test_a_login_and_a_token_become_headers(properties: Mapping[str, str], headers: Mapping[str, str]) -> None:
    assert access_of(properties).headers == headers


def test_of_a_file_that_is_kafkas_too_properties_with_the_prefix_count() -> None:
    of_kafka = {"bootstrap.servers": "b:9092", "sasl.mechanism": "PLAIN", "ssl.truststore.type": "PEM"}
    both = {**of_kafka, "ssl.truststore.location": "kafka.pem", "schema.registry.ssl.truststore.location": "mine.pem"}
    assert access_of(both).authority_file == "mine.pem"
    assert access_of(of_kafka) == ANONYMOUS


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        ({**LOGIN, **TOKEN}, "bearer.auth.token: there is a login, too"),
        ({"basic.auth.user.info": "nobody"}, "basic.auth.user.info: it looks like user:password"),
        ({"basic.auth.credentials.source": "SASL_INHERIT"}, "basic.auth.credentials.source: only USER_INFO and URL"),
        ({"bearer.auth.credentials.source": "OAUTHBEARER"}, "bearer.auth.credentials.source: only STATIC_TOKEN"),
        ({"bearer.auth.tokn": "x"}, "bearer.auth.tokn: not known; there are basic.auth."),
        ({"schema.registry.ssl.cipher.suites": "x"}, "schema.registry.ssl.cipher.suites: not known"),
        ({"ssl.truststore.location": "a.jks"}, "ssl.truststore.location: a truststore must be PEM"),
        ({"ssl.keystore.location": "a.p12", "ssl.keystore.type": "PKCS12"}, "ssl.keystore.type: only PEM"),
        ({"bearer.auth.token": "a\nb"}, "the header Authorization has characters that no header can have"),
    ],
)
def test_what_cannot_be_used_is_named_without_its_value(properties: Mapping[str, str], told: str) -> None:
    with pytest.raises(ValueError) as raised:
        access_of(properties)
    assert told in str(raised.value)
    assert "s3cr3t" not in str(raised.value)


def test_no_secret_is_in_the_text_of_an_access() -> None:
    shown = repr(access_of({**TOKEN, "ssl.key.password": "pa55"}))
    assert "s3cr3t" not in shown
    assert "pa55" not in shown


def test_a_mistake_in_the_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "registry.properties"
    file.write_text("# mine\nschema.registry.bearer.auth.credentials.source=SASL\n", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"--registry-config {file}, line 2: bearer.auth.credentials.source: only"):
        registry_access(str(file))


def test_a_file_that_is_not_there_is_told_by_its_option(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--registry-config .*none: cannot be read"):
        registry_access(str(tmp_path / "none"))


def test_a_login_stands_in_one_place_and_certificates_need_https() -> None:
    with pytest.raises(ValueError, match="a login in the URL, and another"):
        HttpConnection("http://you:secret@127.0.0.1:1", access=access_of(LOGIN))
    with pytest.raises(ValueError, match="certificates are for https"):
        HttpConnection("http://127.0.0.1:1", access=Access(authority_file="ca.pem"))


# -- a registry that asks who we are -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority (`ca.pem`), and a certificate and key of a server and of a client, which it signed."""
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority")
    for name in ("server", "client"):
        openssl("req", *new[:-2], "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n", encoding="utf-8")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
        openssl("x509", "-req", "-in", f"{name}.csr", *signed, "-out", f"{name}.pem")
        both = (folder / f"{name}.pem").read_text() + (folder / f"{name}.key").read_text()
        (folder / f"{name}-both.pem").write_text(both, encoding="utf-8")
    return folder


class Quiet(ThreadingHTTPServer):
    """Says nothing of a client that is not let in."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing."""


@contextmanager
def guarded(context: ssl.SSLContext | None = None, authorization: str = "") -> Iterator[str]:
    """The suite's registry at a URL, behind TLS where there is a context, and behind a login where one is asked for."""
    api = Api()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer()

        def do_POST(self) -> None:
            self.answer()

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
            status, text = 401, b'{"error_code":401,"message":"Unauthorized"}'
            if not authorization or self.headers.get("Authorization") == authorization:
                reply = api.answer(self.command, self.path, body)
                status, text = reply.status, reply.body
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = Quiet(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}).start()
    try:
        yield f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def tls(certificates: Path, *, mutual: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    if mutual:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(certificates / "ca.pem")
    return context


def registered(url: str, access: Access) -> int:
    registry = open_registry(url, access)
    assert registry is not None
    with closing(registry):
        return registry.register("t-value", '"int"')


@pytest.mark.parametrize(("properties", "expected"), [(LOGIN, BASIC), (TOKEN, "Bearer s3cr3t")])
def test_a_registry_behind_a_login_or_a_token_is_reached_with_it_alone(properties, expected) -> None:
    with guarded(authorization=expected) as url:
        assert registered(url, access_of(properties)) == 1
        with pytest.raises(Rejected, match="does not let us in: status 401, Unauthorized"):
            open_registry(url)
        with pytest.raises(Rejected, match="does not let us in"):
            open_registry(url, access_of({"bearer.auth.token": "another"}))


def test_an_authority_of_ones_own_vouches_for_a_registry(certificates: Path) -> None:
    authority = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(certificates / "ca.pem")}
    text = {"ssl.truststore.certificates": (certificates / "ca.pem").read_text()}
    with guarded(tls(certificates)) as url:
        assert registered(url, access_of(authority)) == 1
        assert registered(url, access_of(text)) == 1
        with pytest.raises(Rejected, match="certificate verify failed"):
            open_registry(url)


def test_a_certificate_of_another_host_is_refused_unless_names_are_not_looked_at(certificates: Path) -> None:
    authority = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(certificates / "ca.pem")}
    with guarded(tls(certificates)) as url:
        elsewhere = url.replace("127.0.0.1", "localhost")
        with pytest.raises(Rejected, match=r"[Hh]ostname mismatch"):
            open_registry(elsewhere, access_of(authority))
        assert registered(elsewhere, access_of({**authority, "ssl.endpoint.identification.algorithm": ""})) == 1


def test_a_registry_that_asks_for_a_certificate_is_reached_with_one_that_it_knows(certificates: Path) -> None:
    authority = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(certificates / "ca.pem")}
    own = {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(certificates / "client-both.pem")}
    with guarded(tls(certificates, mutual=True)) as url:
        assert registered(url, access_of(authority | own)) == 1
        with pytest.raises(Rejected, match="the schema registry cannot be reached"):
            open_registry(url, access_of(authority))


def test_a_file_that_is_no_certificate_is_one_message_before_anything_is_run(tmp_path, certificates, capsys) -> None:
    (tmp_path / "empty.pem").write_text("", encoding="utf-8")
    file = tmp_path / "registry.properties"
    file.write_text(f"ssl.keystore.type=PEM\nssl.keystore.location={tmp_path}/empty.pem\n", encoding="utf-8")
    asked = ["run", "--protocol", "avro", "--iut", "cmd:true", "--registry-url", "https://127.0.0.1:9"]
    assert main([*asked, "--registry-config", str(file)]) == 4
    assert f"{file}, line 2: ssl.keystore.location: a certificate and its key" in capsys.readouterr().err
