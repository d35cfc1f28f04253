"""A case as a file: the input alone; the oracle makes the expectation when it is run again.

The form is `fixtures/schemas/saved-case.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.cases.model import Case, Expectation, ExpectedAnswer, ExpectedOneOf, ExpectedRejection
from conformance.cases.requests import case_request, configure_request
from conformance.catalogue.published_schemas import problem_of
from conformance.catalogue.register import load_register
from conformance.errors import UsageError, file_errors
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
    """A case as JSON; `note` is for people."""
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


def _expectation(data: Mapping[str, Any]) -> Expectation | None:
    if data.get("any_answer", False):
        return ExpectedAnswer()
    refused = frozenset(map(RejectionClass, data.get("refused", ())))
    if "without" in data:
        return ExpectedOneOf(tuple(map(frozenset, data["without"])), refused)
    twin = case_from_json(data["twin"]) if "twin" in data else None
    return ExpectedRejection(refused, twin) if refused else None


def case_from_json(data: Mapping[str, Any]) -> Case:
    """The saved case. Raises `Rejected`, KeyError, TypeError or ValueError for malformed data."""
    tables = tuple(table_from_json(t) for t in data["tables"])
    now_ms = data.get("now_ms")
    settings = Settings(
        timezone=data["timezone"],
        cluster_id=data["cluster_id"],
        topic=data["topic"],
        partitions=data["partitions"],
        now_ms=None if now_ms is None else int(now_ms),
    )
    return Case(
        id=data["case"],
        protocol=data["protocol"],
        role=data["role"],
        tables=tables,
        events=tuple(events_from_json(data["events"], tables)),
        records=tuple(record_from_json(r) for r in data.get("records", ())),
        claims=tuple(claim_from_json(c) for c in data.get("claims", ())),
        schemas=tuple(RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in data.get("schemas", ())),
        registry_fault=data.get("registry_fault", ""),
        style=data.get("style", ""),
        options=dict(data["options"]),
        settings=settings,
        sql=tuple(data["sql"]),
        expected=_expectation(data),
        requirements=tuple(data.get("requirements", ())),
        axes=dict(data.get("axes", {})),
        send_tables=data.get("tables_are_sent", True),
        source="saved",
    )


def save_case(case: Case, path: Path, note: str = "") -> None:
    """Write the case into a file. Raises OSError."""
    text = json.dumps(case_to_json(case, note), ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def load_case(path: Path) -> Case:
    """The case in a file. Raises `UsageError` for a malformed file."""
    with file_errors(f"{path}: cannot be read"):
        text = path.read_bytes()
    try:
        data = json.loads(text)
        if wrong := problem_of(data, "saved-case"):
            raise UsageError(f"{path}: not a saved case: {wrong}")
        case = case_from_json(data)
        known = load_register(case.protocol).requirements
        if unknown := [name for name in case.requirements if name not in known]:
            raise UsageError(f"{path}: not a saved case: {case.protocol} has no requirement {unknown[0]!r}")
        return replace(case, saved_in=str(path))
    except Rejected as e:
        raise UsageError(f"{path}: not a saved case: {e.message}") from None
    except KeyError as e:
        raise UsageError(f"{path}: not a saved case: it has no member {e.args[0]!r}") from None
    except RecursionError:
        raise UsageError(f"{path}: not a saved case: it is nested too deeply") from None
    except (TypeError, ValueError, AttributeError) as e:
        raise UsageError(f"{path}: not a saved case: {e}") from None
