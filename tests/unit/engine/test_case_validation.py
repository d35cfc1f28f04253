"""A saved case that was changed by hand is put only where it still makes sense; else the person is told, status 4."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.cases.saved import case_to_json, load_case
from conformance.cli.main import main
from conformance.engine.case_validation import check_case
from conformance.errors import UsageError
from reference_impl.profiles import NEWARCH
from tests.every_case import heads, made

Edit = Callable[[dict[str, Any]], Any]

WRONG: tuple[Any, ...] = (None, True, -1, 1.5, 10**30, "x", "", [], {}, [None], {"x": 1}, "\ud800")


def small(role: str) -> Case:
    """A case of few members."""
    of_role = (c for c in map(made, heads("canal-json")) if c.role == role and c.expected is None)
    return next(c for c in of_role if len(c.tables) == len(c.events) == 1 and len(c.tables[0].columns) < 4)


def places(tree: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place of a tree, of a list the first part alone."""
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree[:1]) if isinstance(tree, list) else ()
    return [found for name, part in parts for found in ((*at, name), *places(part, (*at, name)))]


def edited(plain: dict[str, Any], at: tuple[str | int, ...], *value: Any) -> dict[str, Any]:
    """A copy with another value at a place, or without the place."""
    copy = deepcopy(plain)
    parent: Any = copy
    for step in at[:-1]:
        parent = parent[step]
    if value:
        parent[at[-1]] = value[0]
    else:
        del parent[at[-1]]
    return copy


def put(path: Path, plain: Any) -> None:
    """Read it and see whether it stands. Raises `UsageError` alone, whatever it is."""
    path.write_text(plain if isinstance(plain, str) else json.dumps(plain), encoding="utf-8")
    check_case(load_case(path), NEWARCH)


@pytest.mark.parametrize("role", ["encode", "decode"])
def test_no_edit_of_a_saved_case_does_worse_than_a_usage_error(tmp_path: Path, role: str) -> None:
    plain = json.loads(json.dumps(case_to_json(small(role))))
    put(tmp_path / "a.json", plain)
    refused = 0
    for number, at in enumerate(places(plain)):
        change = (WRONG[number // 2 % len(WRONG)],) if number % 2 else ()
        try:
            put(tmp_path / "a.json", edited(plain, at, *change))
        except UsageError as e:
            refused += str(tmp_path) in str(e)
    assert refused > len(places(plain)) // 2


@pytest.mark.parametrize(
    ("role", "edit", "words"),
    [
        ("encode", lambda plain: plain["options"].update(zz="1"), "cannot be run"),
        (
            "encode",
            lambda plain: plain.update(protocol="debezium", options={"content-compatible": "true"}),
            "cannot be run",
        ),
        ("encode", lambda plain: plain.update(timezone="Mars/Olympus"), "cannot be run"),
        ("encode", lambda plain: plain["events"][0].update(commit_ts=None), "cannot be run|not a saved case"),
        ("decode", lambda plain: plain["events"].clear(), "cannot be run|contradicts itself"),
        ("decode", lambda plain: plain["events"].append(plain["events"][0]), "contradicts itself: the right answer"),
        ("encode", lambda plain: plain.update(requirements=["CJ-801"]), "no answer to it can break CJ-801"),
    ],
)
def test_replay_of_a_case_that_makes_no_sense_ends_with_status_4(tmp_path, capsys, role, edit, words) -> None:
    plain = json.loads(json.dumps(case_to_json(small(role))))
    edit(plain)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    assert main(["replay", str(path), "--iut", "cmd:false"]) == 4
    said = capsys.readouterr().err
    assert any(word in said for word in words.split("|")), said
    assert "Traceback" not in said
