"""The state of a schema registry: subjects, their versions, the ids of schemas, and the compatibility levels.

It uses no socket, clock or lock; `api` answers requests with it. A schema is a text that is kept unchanged; equal texts
have one id, whatever their subjects.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.errors import SuiteError
from conformance.registry.avro_schema import InvalidSchema, Node, parse_schema
from conformance.registry.compatibility import Level, incompatibilities
from reference_impl.registry import RegisteredSchema

__all__ = ["LATEST", "Refused", "Store", "Version"]

LATEST = "latest"
_LARGEST = 2**31 - 1
_MOST_DIGITS = len(str(_LARGEST))


class Refused(Exception):
    """A request that the registry refuses: the HTTP status of the answer, and the error's code and message in it."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(slots=True)
class Version:
    """A schema under a subject. A softly deleted one is not listed, but its id can still be looked up."""

    subject: str
    number: int
    id: int
    schema: str
    deleted: bool = False


class Store:
    """A registry's state. The codes in parentheses are those of `Refused`, which the method raises.

    New ids follow the largest one.
    """

    def __init__(self) -> None:
        self.begin(())

    def begin(self, schemas: Iterable[RegisteredSchema], level: Level = Level.NONE) -> None:
        """Replace everything by these schemas under their ids; they need not be Avro.

        `level` is for subjects without a level of their own.

        Raises `SuiteError` for one id with two texts.
        """
        self._level = level
        self._levels: dict[str, Level] = {}
        self._versions: dict[str, list[Version]] = {}
        self._ids: dict[str, int] = {}
        self._last_id = 0
        texts: dict[int, str] = {}
        for given in schemas:
            if texts.setdefault(given.id, given.schema) != given.schema:
                raise SuiteError(f"the id {given.id} is given to two schemas")
            self._ids.setdefault(given.schema, given.id)
            self._last_id = max(self._last_id, given.id)
            self._add(given.subject, given.id, given.schema)

    def _add(self, subject: str, schema_id: int, schema: str) -> None:
        versions = self._versions.setdefault(subject, [])
        versions.append(Version(subject, max((v.number for v in versions), default=0) + 1, schema_id, schema))

    # -- schemas ---------------------------------------------------------------------------------------------------

    def register(self, subject: str, schema: str) -> int:
        """The id of a schema under a subject; registers it as a new version if the subject lacks it.

        Refuses what is not Avro (422, 42201) and what the subject's level forbids (409).
        """
        node = _parsed(schema)
        current = [v for v in self._versions.get(subject, ()) if not v.deleted]
        for version in current:
            if version.schema == schema:
                return version.id
        if found := _conflicts(self.level(subject), node, current):
            raise Refused(409, 409, f"incompatible with an earlier schema of subject {subject!r}: {'; '.join(found)}")
        schema_id = self._ids.get(schema)
        if schema_id is None:
            self._last_id += 1
            schema_id = self._ids[schema] = self._last_id
        self._add(subject, schema_id, schema)
        return schema_id

    def look_up(self, subject: str, schema: str) -> Version:
        """The version of a subject that has this schema (40401, 40403)."""
        _parsed(schema)
        for version in self._listed(subject):
            if version.schema == schema:
                return version
        raise Refused(404, 40403, "Schema not found")

    def schema(self, schema_id: int) -> str:
        """The schema with an id (40403)."""
        return self.uses(schema_id, deleted=True)[0].schema

    def uses(self, schema_id: int, *, deleted: bool = False) -> list[Version]:
        """The versions with an id; with softly deleted ones if requested (40403)."""
        found = [v for versions in self._versions.values() for v in versions if v.id == schema_id]
        if not found:
            raise Refused(404, 40403, f"Schema {schema_id} not found")
        return [v for v in found if deleted or not v.deleted]

    # -- subjects --------------------------------------------------------------------------------------------------

    def subjects(self, *, deleted: bool = False) -> list[str]:
        """The subjects, sorted; with softly deleted ones if requested."""
        return sorted(s for s, versions in self._versions.items() if deleted or any(not v.deleted for v in versions))

    def versions(self, subject: str, *, deleted: bool = False) -> list[int]:
        """The numbers of a subject's versions, ascending (40401)."""
        return [v.number for v in self._listed(subject, deleted=deleted)]

    def version(self, subject: str, which: str, *, deleted: bool = False) -> Version:
        """A version by its number or `latest` (40401, 40402; 42202 for anything else).

        With `deleted`, a number also finds a softly deleted version; `latest` never does.
        """
        number = _number(which)
        listed = self._listed(subject, deleted=deleted)
        for version in reversed(listed):
            if version.number == number or (number is None and not version.deleted):
                return version
        raise Refused(404, 40402, f"Version {which} not found.")

    def delete_subject(self, subject: str, *, permanent: bool = False) -> list[int]:
        """The numbers of the versions deleted: softly at first, `permanent` afterwards (40401, 40404, 40405)."""
        if not permanent and self._versions.get(subject) and subject not in self.subjects():
            raise Refused(404, 40404, f"Subject '{subject}' was soft deleted. Set permanent=true to delete it for good")
        listed = self._listed(subject, deleted=permanent)
        if permanent and any(not v.deleted for v in listed):
            raise Refused(404, 40405, f"Subject '{subject}' was not deleted first before being permanently deleted")
        numbers = [v.number for v in listed]
        self._levels.pop(subject, None)
        if permanent:
            del self._versions[subject]
        for version in listed:
            version.deleted = True
        return numbers

    def delete_version(self, subject: str, which: str, *, permanent: bool = False) -> int:
        """The number of the version deleted: softly at first, `permanent` afterwards (40401, 40402, 40406, 40407)."""
        version = self.version(subject, which, deleted=True)
        known = f"Subject '{subject}' Version {version.number}"
        if permanent and not version.deleted:
            raise Refused(404, 40407, f"{known} was not deleted first before being permanently deleted")
        if not permanent and version.deleted:
            raise Refused(404, 40406, f"{known} was soft deleted. Set permanent=true to delete it for good")
        version.deleted = True
        if permanent:
            self._versions[subject].remove(version)
            if not self._versions[subject]:
                del self._versions[subject]
        return version.number

    def _listed(self, subject: str, *, deleted: bool = False) -> list[Version]:
        found = [v for v in self._versions.get(subject, ()) if deleted or not v.deleted]
        if not found:
            raise Refused(404, 40401, f"Subject '{subject}' not found.")
        return found

    # -- compatibility ---------------------------------------------------------------------------------------------

    def level(self, subject: str = "") -> Level:
        """The level for a subject's next schema; without a subject, the default level."""
        return self._levels.get(subject, self._level)

    def own_level(self, subject: str) -> Level:
        """The level of a subject (40408 without one)."""
        if subject not in self._levels:
            raise Refused(404, 40408, f"Subject '{subject}' does not have subject-level compatibility configured")
        return self._levels[subject]

    def set_level(self, level: str, subject: str = "") -> Level:
        """Set the level of a subject, or the default (42203 for an unknown level)."""
        if level not in Level.__members__:
            raise Refused(422, 42203, f"Invalid compatibility level. Valid values are {', '.join(Level)}")
        if subject:
            self._levels[subject] = Level(level)
        else:
            self._level = Level(level)
        return Level(level)

    def drop_level(self, subject: str = "") -> Level:
        """Remove a level; returns it (40408). Without a subject, NONE becomes the default."""
        if subject:
            level = self.own_level(subject)
            del self._levels[subject]
            return level
        level, self._level = self._level, Level.NONE
        return level

    def conflicts(self, subject: str, schema: str, which: str | None = None) -> list[str]:
        """Why the subject's level forbids a schema after the version `which`, or without it after all versions.

        Empty if the level allows the schema.

        Raises `Refused` as `version` does, and for a schema that is not Avro.
        """
        node = _parsed(schema)
        older = self._listed(subject) if which is None else [self.version(subject, which)]
        return _conflicts(self.level(subject), node, older)


def _parsed(schema: str) -> Node:
    try:
        return parse_schema(schema)
    except InvalidSchema as e:
        raise Refused(422, 42201, f"Invalid schema: {e}") from None


def _conflicts(level: Level, new: Node, older: Iterable[Version]) -> list[str]:
    if level is Level.NONE:
        return []
    nodes = []
    for version in older:
        try:
            nodes.append(parse_schema(version.schema))
        except InvalidSchema as e:
            return [f"version {version.number} is not a schema: {e}"]
    return incompatibilities(level, new, nodes)


def _number(which: str) -> int | None:
    """A version's number, None for the latest."""
    if which in (LATEST, "-1"):
        return None
    digits = which.lstrip("0") if which.isascii() and which.isdigit() else ""
    if 0 < len(digits) <= _MOST_DIGITS and int(digits) <= _LARGEST:
        return int(digits)
    allowed = f'Allowed values are between [1, 2^31-1] and the string "{LATEST}"'
    raise Refused(422, 42202, f"The specified version '{which}' is not a valid version id. {allowed}")
