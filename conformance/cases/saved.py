"""A case as a file: the input alone; the oracle makes the expectation when it is run again.

The form is `fixtures/schemas/saved-case.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

from conformance.cases.model import Case, Expectation, ExpectedAnswer, ExpectedOneOf, ExpectedRejection
from conformance.cases.requests import case_request, configure_request
from conformance.catalogue.fixtures import fixtures_root
from conformance.errors import UsageError
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.registry import RegisteredSchema
from reference_impl.settings import Settings
from reference_impl.wire import (
    claim_from_json,
    claim_to_json,
    event_to_json,
    events_from_json,
    record_from_json,
    table_from_json,
    table_to_json,
)

__all__ = ["case_from_json", "case_to_json", "load_case", "save_case"]


def case_to_json(case: Case, note: str = "") -> dict[str, Any]:
    """A case as plain data; `note` is for people."""
    plain: dict[str, Any] = {
        "case": case.id,
        "role": case.role,
        **configure_request(case),
        "tables": [table_to_json(t) for t in case.tables],
        "events": [event_to_json(e) for e in case.events],
        "sql": list(case.sql),
    }
    plain.pop("registry_url", None)
    if case.role == "decode":
        plain["records"] = case_request(case)["records"]
        plain["claims"] = [claim_to_json(c) for c in case.claims]
        plain["tables_are_sent"] = case.send_tables
        plain["style"] = case.style
    if case.schemas:
        plain["schemas"] = [{"id": s.id, "subject": s.subject, "schema": s.schema} for s in case.schemas]
    if case.registry_fault:
        plain["registry_fault"] = case.registry_fault
    if isinstance(case.expected, ExpectedRejection):
        plain["refused"] = sorted(case.expected.classes)
        if case.expected.twin is not None:
            plain["twin"] = case_to_json(case.expected.twin)
    elif isinstance(case.expected, ExpectedAnswer):
        plain["any_answer"] = True
    elif isinstance(case.expected, ExpectedOneOf):
        plain["without"] = [sorted(positions) for positions in case.expected.without]
        plain["refused"] = sorted(case.expected.classes)
    if case.requirements and case.expected is not None:
        plain["requirements"] = list(case.requirements)
    if case.axes:
        plain["axes"] = dict(case.axes)
    return plain | ({"note": note} if note else {})


def _expectation(given: Mapping[str, Any]) -> Expectation | None:
    if given.get("any_answer", False):
        return ExpectedAnswer()
    refused = frozenset(map(RejectionClass, given.get("refused", ())))
    if "without" in given:
        return ExpectedOneOf(tuple(map(frozenset, given["without"])), refused)
    twin = case_from_json(given["twin"]) if "twin" in given else None
    return ExpectedRejection(refused, twin) if refused else None


def case_from_json(given: Mapping[str, Any]) -> Case:
    """The saved case. Raises `Rejected`, KeyError, TypeError or ValueError for malformed data."""
    tables = tuple(table_from_json(t) for t in given["tables"])
    now_ms = given.get("now_ms")
    settings = Settings(
        timezone=given["timezone"],
        cluster_id=given["cluster_id"],
        topic=given["topic"],
        partitions=given["partitions"],
        now_ms=None if now_ms is None else int(now_ms),
    )
    return Case(
        id=given["case"],
        protocol=given["protocol"],
        role=given["role"],
        tables=tables,
        events=tuple(events_from_json(given["events"], tables)),
        records=tuple(record_from_json(r) for r in given.get("records", ())),
        claims=tuple(claim_from_json(c) for c in given.get("claims", ())),
        schemas=tuple(RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in given.get("schemas", ())),
        registry_fault=given.get("registry_fault", ""),
        style=given.get("style", ""),
        options=dict(given["options"]),
        settings=settings,
        sql=tuple(given["sql"]),
        expected=_expectation(given),
        requirements=tuple(given.get("requirements", ())),
        axes=dict(given.get("axes", {})),
        send_tables=given.get("tables_are_sent", True),
        source="saved",
    )


def save_case(case: Case, path: Path, note: str = "") -> None:
    """Write the case into a file. Raises OSError."""
    text = json.dumps(case_to_json(case, note), ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


@cache
def _validator() -> Draft202012Validator:
    text = (fixtures_root() / "schemas" / "saved-case.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def _path_prefix(error: ValidationError) -> str:
    return f"at {'.'.join(map(str, error.absolute_path))}: " if error.absolute_path else ""


def load_case(path: Path) -> Case:
    """The case in a file. Raises `UsageError` for a malformed file."""
    try:
        given = json.loads(path.read_bytes())
        json.dumps(given, ensure_ascii=False).encode()  # half of a surrogate pair is no text
        if (wrong := best_match(_validator().iter_errors(given))) is not None:
            raise UsageError(f"{path}: not a saved case: {_path_prefix(wrong)}{wrong.message}")
        return replace(case_from_json(given), saved_in=str(path))
    except OSError as e:
        raise UsageError(f"{path}: cannot be read ({e.strerror or e})") from None
    except Rejected as e:
        raise UsageError(f"{path}: not a saved case: {e.message}") from None
    except KeyError as e:
        raise UsageError(f"{path}: not a saved case: it has no member {e.args[0]!r}") from None
    except RecursionError:
        raise UsageError(f"{path}: not a saved case: it is nested too deeply") from None
    except (TypeError, ValueError, AttributeError) as e:
        raise UsageError(f"{path}: not a saved case: {e}") from None
