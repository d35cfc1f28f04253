"""Places made by hand, for what a predicate says of one by itself: a change of a table of two columns, `id` and `c`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.oracle import ORACLES
from conformance.oracle.rules import Delivery, Place
from reference_impl.profiles import NEWARCH, Profile
from tests.unit.oracle.judging import asked, options_of, row_event

Column = Mapping[str, Any]
Row = tuple[str, bool, Place]
"""A predicate, perhaps with an argument, whether it holds, and where."""


def place(
    protocol: str,
    path: str,
    expected: Any = None,
    got: Any = None,
    *,
    column: str | Column = "int",
    values: tuple[Any, Any] = (None, None),
    op: str = "update",
    event: Mapping[str, Any] | None = None,
    tree: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    keys: Mapping[str, Any] | None = None,
    profile: Profile = NEWARCH,
    **case: Any,
) -> Place:
    """The place at a path, whose last step is a column of the table or not; `values` are those of `c`.

    `column` is its type, or its members; `keys` are members of the table, `case` such of the case.
    """
    members = {"type": column} if isinstance(column, str) else column
    columns = [{"name": "id", "type": "int", "nullable": False}, {"name": "c", "nullable": True, **members}]
    table = {"schema": "test", "name": "t", "primary_key": ["id"], "columns": columns, **(keys or {})}
    before, after = values
    change = event or row_event(op, base={"id": "1", "c": after if op == "insert" else before}, c=after)
    if op == "delete" and event is None:
        change = row_event(op, base={"id": "1", "c": before})
    made = asked(protocol, "encode", change, table=table, **case)
    [root, *_] = steps = tuple(int(step) if step.isdecimal() else step for step in path.split("."))
    [version], options = made.tables, options_of(made)
    return Place(
        role="decode" if root == "event" else "encode",
        path=steps,
        expected=expected,
        got=got,
        expected_tree=tree or {},
        case=made,
        options=options,
        profile=profile,
        delivery=Delivery(made.events[0], version, None),
        column=version.column(str(steps[-1])),
        got_tree=given or {},
    )


def holds(predicate: str, at: Place) -> bool:
    """Whether the predicate holds; an argument of its own, or its requirement, stands behind `=`."""
    predicates = ORACLES[at.case.protocol].predicates
    name, _, argument = predicate.partition("=")
    if name in predicates.plain:
        return predicates.plain[name](at)
    return {**predicates.of_requirement, **predicates.of_argument}[name](argument)(at)


def rows(predicate: str, yes: Iterable[Place] = (), no: Iterable[Place] = ()) -> list[Row]:
    """The places where a predicate holds, and those where it does not."""
    return [*((predicate, True, at) for at in yes), *((predicate, False, at) for at in no)]
