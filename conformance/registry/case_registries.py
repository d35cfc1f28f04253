"""The registry of a case for the engine: its schemas before the request, and the registrations during it.

`ServedRegistry` is the suite's own, behind a URL; `LocalRegistry` is the same without a socket, for an implementation
in the same process; `RealRegistry` is a user's, by its URL. Each serves one implementation and one case at a time.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any, TypeAlias
from urllib.parse import quote

import orjson

from conformance.errors import Inapplicable, SuiteError, UsageError
from conformance.registry.access import ANONYMOUS, Access
from conformance.registry.api import Api
from conformance.registry.client import HttpConnection, RegistryClient, Unreachable, exchange_with
from conformance.registry.compatibility import Level
from conformance.registry.faults import Operation, fault_named
from conformance.registry.server import RegistryServer
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.registry import RegisteredSchema

__all__ = ["CaseRegistry", "LocalRegistry", "RealRegistry", "ServedRegistry", "with_ids"]

PREFIX = "ticdc-conformance-"
"""The beginning of every topic, and so of every subject, that the suite makes in a user's registry."""

_TIMEOUT = 10.0
"""Seconds that a user's registry may take for an answer."""

Registered = list[dict[str, Any]]
"""The schemas that the implementation registered during a case: objects with `id`, `subject` and `schema`."""


class LocalRegistry:
    """The suite's own registry without a socket; `client` behaves like the client of a served one."""

    url: str | None = None
    """The base URL, for `configure`; None if the implementation cannot connect."""

    def __init__(self) -> None:
        self.api = Api()
        self.client = RegistryClient(exchange_with(self.api))

    def begin(self, schemas: Iterable[RegisteredSchema] = (), fault: str = "") -> Mapping[int, int]:
        """Forget the previous case, hold this case's schemas, and behave as `fault` says.

        Returns the registry's id for each id of the case, which is the same here: records must carry it (`with_ids`).
        """
        given = tuple(schemas)
        self.api.begin(given, fault)
        return {schema.id: schema.id for schema in given}

    def registered(self) -> Registered:
        """The registrations since `begin` in the order of the requests, with repetitions and without refusals."""
        return [
            {"id": request.schema_id, "subject": request.subject, "schema": request.schema}
            for request in self.api.log()
            if request.operation is Operation.REGISTER and request.status == 200 and request.schema_id
        ]

    def topic_to_configure(self, expression: str) -> str:
        """The topic expression to configure for that of a case: itself, as the registry serves the suite alone."""
        return expression

    def topic_of_case(self, topic: str) -> str:
        """The case's topic for the topic of an answered record: the topic itself."""
        return topic

    def close(self) -> None:
        """Do nothing."""


class ServedRegistry(LocalRegistry):
    """The suite's own registry on loopback. `slow` is the delay, in seconds, of the fault of that name."""

    def __init__(self, slow: float = 0.5) -> None:
        super().__init__()
        self._server = RegistryServer(self.api, slow)
        self.url = self._server.url

    def close(self) -> None:
        """End the server and every connection."""
        self._server.close()


class RealRegistry:
    """A registry at a URL, perhaps with other people's subjects: it touches only those that begin with `prefix`.

    The prefix begins every topic and has a random part, so that runs do not share subjects. `registered` lacks repeated
    registrations and those of existing schemas, and has the order of the ids. A schema's text is the registry's,
    perhaps with other blanks and members. The registry's compatibility level stays, except under subjects in which a
    case has schemas.
    """

    def __init__(self, url: str, prefix: str | None = None, access: Access = ANONYMOUS) -> None:
        self.url = url
        self.prefix = prefix or f"{PREFIX}{secrets.token_hex(4)}-"
        self._given: set[tuple[str, int]] = set()
        try:
            with ExitStack() as opened:
                self._connection = opened.enter_context(closing(HttpConnection(url, _TIMEOUT, access)))
                RegistryClient(self._connection).check()
                opened.pop_all()  # it stays open
        except ValueError as e:
            raise UsageError(f"--registry-url: {e}") from None
        except Rejected as e:
            raise UsageError(f"--registry-url: {e.message}") from None

    def begin(self, schemas: Iterable[RegisteredSchema] = (), fault: str = "") -> Mapping[int, int]:
        """As `LocalRegistry`, with new ids. Raises `Inapplicable` for a fault, and for schemas that it refuses."""
        chosen = fault_named(fault)
        if chosen.on:
            raise Inapplicable(f"a real schema registry cannot be made to be {fault!r}")
        self._clear()
        given = sorted(schemas, key=lambda s: s.id)
        subjects = {s.subject for s in given}
        # The case's own schemas need not be compatible. Some registries accept a level only after the first schema.
        without_level = {s for s in subjects if not self._set_level(s, Level.NONE, is_new=True)}
        ids = {}
        for schema in given:
            ids[schema.id] = self._register(schema)
            if schema.subject in without_level:
                without_level.remove(schema.subject)
                self._set_level(schema.subject, Level.NONE)
        for subject in subjects:
            self._set_level(subject, chosen.level)
        self._given = {(schema.subject, ids[schema.id]) for schema in given}
        return ids

    def registered(self) -> Registered:
        """As `LocalRegistry`, as far as the registry shows it afterwards: new versions in the order of their ids."""
        versions = [version for subject in self._subjects() for version in self._versions(subject)]
        new = [v for v in versions if (v["subject"], v["id"]) not in self._given]
        return sorted(new, key=lambda v: (v["id"], v["subject"]))

    def topic_to_configure(self, expression: str) -> str:
        """The expression after the prefix."""
        return self.prefix + expression

    def topic_of_case(self, topic: str) -> str:
        """The topic without the prefix."""
        return topic.removeprefix(self.prefix)

    def close(self) -> None:
        """Delete the subjects of this run, and end the connection."""
        try:
            self._clear()
        finally:
            self._connection.close()

    # -- requests --------------------------------------------------------------------------------------------------

    def _clear(self) -> None:
        """Delete the subjects that begin with the prefix, for good where the registry can."""
        for subject in self._subjects(deleted=True):
            path = f"/subjects/{quote(subject, safe='')}"
            self._request("DELETE", path, allowed=(200, 404))
            self._request("DELETE", f"{path}?permanent=true", allowed=None)
            self._request("DELETE", f"/config/{quote(subject, safe='')}", allowed=None)
        self._given = set()

    def _subjects(self, *, deleted: bool = False) -> list[str]:
        listed = self._request("GET", "/subjects?deleted=true" if deleted else "/subjects")
        return [subject for subject in listed if isinstance(subject, str) and subject.startswith(self.prefix)]

    def _versions(self, subject: str) -> Registered:
        path = f"/subjects/{quote(subject, safe='')}/versions"
        versions = [self._request("GET", f"{path}/{number}") for number in self._request("GET", path)]
        subject_of_case = subject.removeprefix(self.prefix)
        return [{"id": version["id"], "subject": subject_of_case, "schema": version["schema"]} for version in versions]

    def _set_level(self, subject: str, level: Level, *, is_new: bool = False) -> bool:
        """Set the level of a subject. Returns False if the registry refuses that for a subject without a schema."""
        path = f"/config/{quote(self.prefix + subject, safe='')}"
        answer = self._request("PUT", path, {"compatibility": level}, (200, 404) if is_new else (200,))
        return not (isinstance(answer, dict) and "error_code" in answer)

    def _register(self, schema: RegisteredSchema) -> int:
        """Register a schema of the case; returns the registry's id. Raises `Inapplicable` if it is refused."""
        try:
            return RegistryClient(self._connection).register(self.prefix + schema.subject, schema.schema)
        except Rejected as e:
            raise Inapplicable(f"the case's schema {schema.id} cannot be put into the registry: {e.message}") from None

    def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, allowed: Sequence[int] | None = (200,)
    ) -> Any:
        """The answer as JSON; None if `allowed` is None, which accepts any status. Raises `SuiteError`."""
        try:
            status, answer = self._connection(method, path, None if body is None else orjson.dumps(body))
            if allowed is None:
                return None
            if status in allowed:
                return orjson.loads(answer)
        except Unreachable as e:
            raise SuiteError(f"the registry of --registry-url: {method} {path}: {e}") from None
        except orjson.JSONDecodeError as e:
            raise SuiteError(
                f"the registry of --registry-url: {method} {path} is not answered with JSON: {e}"
            ) from None
        raise SuiteError(f"the registry of --registry-url: {method} {path} is answered with status {status}")


CaseRegistry: TypeAlias = LocalRegistry | RealRegistry

_HEADER = 5
"""Bytes before the Avro data: a zero, and the schema id in four bytes."""


def with_ids(record: Record, ids: Mapping[int, int]) -> Record:
    """A record with the schema ids of a registry.  [AV-015]"""
    return replace(record, key=_with_id(record.key, ids), value=_with_id(record.value, ids))


def _with_id(data: bytes | None, ids: Mapping[int, int]) -> bytes | None:
    if data is None or len(data) < _HEADER or data[0] != 0:
        return data
    schema_id = int.from_bytes(data[1:_HEADER], "big")
    return b"\0" + ids.get(schema_id, schema_id).to_bytes(_HEADER - 1, "big") + data[_HEADER:]
