"""A codec's client of a schema registry, over HTTP or by calls of an `Api`; it raises nothing but `Rejected`.

A refused registration, or no answer, is class `semantics`: the input may be right, but cannot be written with this
registry. An unknown id is class `schema`.  [AV-170 … AV-175]
"""

from __future__ import annotations

import base64
import http.client
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias
from urllib.parse import SplitResult, quote, unquote, urlsplit

import orjson

from conformance.registry.access import ANONYMOUS, Access, in_words
from conformance.registry.api import CONTENT_TYPE, Api
from reference_impl.errors import Rejected
from reference_impl.registry import RegisteredSchema

__all__ = [
    "Exchange",
    "HttpConnection",
    "HttpRegistry",
    "RegistryClient",
    "Unreachable",
    "exchange_with",
    "open_registry",
]

Exchange: TypeAlias = Callable[[str, str, bytes | None], tuple[int, bytes]]
"""(method, path, body) → (status, body). Raises `Unreachable`."""

_ACCEPT = f"{CONTENT_TYPE}, application/vnd.schemaregistry+json, application/json"
_LARGEST_ID = 2**31 - 1
_UNAUTHORIZED = (401, 403)


class Unreachable(Exception):
    """The registry gave no answer."""


class HttpConnection:
    """One persistent connection to a base URL, `http` or `https`, optionally with `user:password@` and a path.

    A connection that the other side dropped while it was idle is opened again, once. `timeout` is in seconds, for
    connecting and for every wait; the default is shorter than a harness's time limit for an answer. Raises `ValueError`
    for a malformed URL, and for an access that does not fit it. Not thread-safe.
    """

    def __init__(self, url: str, timeout: float = 4.0, access: Access = ANONYMOUS) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{_shown(url)!r} is not an http or https URL")
        try:
            self._connection = _connection(parts, timeout, access)
        except http.client.InvalidURL as e:
            raise ValueError(str(e)) from None
        self._base = parts.path.rstrip("/")
        self._headers = {"Accept": _ACCEPT, **access.headers}
        if parts.username is not None:
            if "Authorization" in access.headers:
                raise ValueError(
                    "there is a login in the URL, and another in the properties; a request can carry only one of them"
                )
            login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()

    def __call__(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """The status and body of the answer. Raises `Unreachable`."""
        was_open = self._connection.sock is not None
        try:
            try:
                return self._exchange(method, path, body)
            except (ConnectionError, http.client.BadStatusLine):
                if not was_open:
                    raise
                self.close()
                return self._exchange(method, path, body)
        except (OSError, http.client.HTTPException, UnicodeError) as e:  # the last: a host or path that cannot be sent
            self.close()
            raise Unreachable(self._reason(e)) from None

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        headers = self._headers | ({"Content-Type": CONTENT_TYPE} if body is not None else {})
        self._connection.request(method, self._base + path, body, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def _reason(self, error: Exception) -> str:
        """Why there is no answer, in words."""
        if isinstance(error, TimeoutError):
            return "it does not answer in time"
        if isinstance(error, http.client.RemoteDisconnected):
            return "it closed the connection without an answer"
        if isinstance(error, ConnectionRefusedError):
            return f"nothing listens at {self._connection.host} port {self._connection.port}"
        return in_words(error)

    def close(self) -> None:
        """End the connection; the next request opens another."""
        self._connection.close()


def _connection(url: SplitResult, timeout: float, access: Access) -> http.client.HTTPConnection:
    host, port = url.hostname or "", url.port
    if url.scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=access.context())
    if access.identity or access.authority_file or access.authorities:
        raise ValueError("certificates are for https, and the URL is http")
    return http.client.HTTPConnection(host, port, timeout=timeout)


def exchange_with(api: Api) -> Exchange:
    """An exchange with an `Api` in the same process, without a socket and without delays."""

    def exchange(method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        reply = api.answer(method, path, body)
        if reply.closes:
            raise Unreachable("it closed the connection without an answer")
        return reply.status, reply.body

    return exchange


class RegistryClient:
    """A `Registry` over an exchange. It remembers nothing: every call is a request."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def check(self) -> None:
        """Check that it is a registry: `GET /` answers `{}`. Raises `Rejected` (`semantics`).  [AV-170]

        A registry that shows people a page there, as Apicurio does, must list its subjects.
        """
        status, answer = self._request("GET", "/")
        if status in _UNAUTHORIZED:
            raise Rejected("semantics", f"the schema registry does not let us in: {_message(status, answer)}")
        if (status != 200 or answer != {}) and not (isinstance(answer, str) and self._lists_subjects()):
            raise Rejected("semantics", f"the server at this URL is no schema registry: {_message(status, answer)}")

    def _lists_subjects(self) -> bool:
        status, answer = self._request("GET", "/subjects")
        return status == 200 and isinstance(answer, list)

    def register(self, subject: str, schema: str) -> int:
        """The id of a schema text under a subject. Raises `Rejected` (`semantics`) for a refusal.  [AV-155]"""
        body = orjson.dumps({"schema": schema})
        status, answer = self._request("POST", f"/subjects/{quote(subject, safe='')}/versions", body)
        if status != 200:
            raise Rejected("semantics", f"registering under {subject!r} is refused: {_message(status, answer)}")
        schema_id = answer.get("id") if isinstance(answer, dict) else None
        if type(schema_id) is not int or not 0 < schema_id <= _LARGEST_ID:
            raise Rejected("semantics", f"registering under {subject!r} is answered with the illegal id {schema_id!r}")
        return schema_id

    def schema(self, schema_id: int) -> str:
        """The text of an id. Raises `Rejected`: `schema` for an unknown id, else `semantics`.  [AV-175]"""
        status, answer = self._request("GET", f"/schemas/ids/{schema_id}")
        if status == 404:
            raise Rejected("schema", f"the registry has no schema {schema_id}: {_message(status, answer)}")
        text = answer.get("schema") if isinstance(answer, dict) else None
        if status != 200 or not isinstance(text, str):
            raise Rejected("semantics", f"the registry does not return schema {schema_id}: {_message(status, answer)}")
        return text

    def listed(self) -> list[RegisteredSchema]:
        """Every Avro schema under every subject, deleted ones too, by id. Raises `Rejected` (`semantics`).  [AV-175]

        A registry without a list of schemas is asked version by version.
        """
        status, answer = self._request("GET", "/schemas?deleted=true")
        described = answer if status == 200 else list(self._each_version())
        try:
            schemas = [RegisteredSchema(d["id"], d["subject"], d["schema"]) for d in described if _is_avro(d)]
            return sorted(schemas, key=lambda schema: (schema.id, schema.subject))
        except (KeyError, TypeError, AttributeError):
            raise Rejected("semantics", "the registry lists schemas without id, subject or text") from None

    def _each_version(self) -> Iterator[Any]:
        for subject in self._list("/subjects?deleted=true"):
            path = f"/subjects/{quote(str(subject), safe='')}/versions"
            for version in self._list(f"{path}?deleted=true"):
                status, answer = self._request("GET", f"{path}/{version}?deleted=true")
                if status != 200:
                    raise Rejected("semantics", f"version {version} of {subject!r}: {_message(status, answer)}")
                yield answer

    def _list(self, path: str) -> list[Any]:
        status, answer = self._request("GET", path)
        if status != 200 or not isinstance(answer, list):
            raise Rejected("semantics", f"the registry does not answer {path} with a list: {_message(status, answer)}")
        return answer

    def _request(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Any]:
        """The status, and the answer as JSON, or as text where it is not JSON."""
        try:
            status, answer = self._exchange(method, path, body)
        except Unreachable as e:
            raise Rejected("semantics", f"the schema registry cannot be reached: {e}") from None
        try:
            return status, orjson.loads(answer)
        except orjson.JSONDecodeError:
            return status, answer.decode("utf-8", "replace")


class HttpRegistry(RegistryClient):
    """A `Registry` at a URL, over one connection. Raises `Rejected` (`semantics`) for a malformed URL."""

    def __init__(self, url: str, timeout: float = 4.0, access: Access = ANONYMOUS) -> None:
        try:
            self._connection = HttpConnection(url, timeout, access)
        except ValueError as e:
            raise Rejected("semantics", f"registry_url: {e}") from None
        super().__init__(self._connection)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def open_registry(url: str | None, access: Access = ANONYMOUS) -> HttpRegistry | None:
    """The registry at a URL, after a check; None without a URL. Raises `Rejected` (`semantics`)."""
    if url is None:
        return None
    registry = HttpRegistry(url, access=access)
    try:
        registry.check()
    except Rejected:
        registry.close()
        raise
    return registry


def _is_avro(described: Any) -> bool:
    """Whether a description is of an Avro schema, which a registry may leave unsaid."""
    return bool(described.get("schemaType", "AVRO") == "AVRO")


def _shown(url: str) -> str:
    """A URL without its login."""
    return url.rpartition("@")[2]


def _message(status: int, answer: Any) -> str:
    """The registry's message, cut for an error."""
    text = answer.get("message") if isinstance(answer, dict) and "message" in answer else answer
    return f"status {status}, {str(text)[:300]}"
