"""Finds the tests that reach a place, by a probe at each place and one run of the tests.

A probe notes the test function that runs, or that a test file is being collected, and costs next to nothing; so one run
of the tests at their usual speed shows which functions can kill each mutant, and what they cost.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

__all__ = ["COLLECTION", "PROBE", "Function", "Range", "Reach", "Watcher", "children", "instrumented"]

PROBE = "__reached__"
COLLECTION = ""
"""Stands for a test function while the file is collected."""

Range = tuple[int, int, int, int]
"""Line and column, from and to; lines from 1, columns from 0, in characters."""

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_NEVER = (ast.Starred, ast.Slice, ast.JoinedStr, ast.FormattedValue)


def instrumented(text: str, ranges: Mapping[str, Range], starts: Callable[[Function], Iterable[str]]) -> ast.Module:
    """A module with a probe at each range (name → range), and with the probes of `starts` at each function's start."""
    tree = ast.parse(text)
    lines = text.splitlines()
    for name, (line, column, to_line, to_column) in ranges.items():
        start = line, len(lines[line - 1][:column].encode())
        end = to_line, len(lines[to_line - 1][:to_column].encode())
        _put(tree, start, end, name)
    for function in [node for node in ast.walk(tree) if isinstance(node, Function)]:
        probes = [_probe(name) for name in starts(function)]
        if isinstance(function, ast.Lambda):
            function.body = ast.BoolOp(ast.Or(), [*probes, function.body]) if probes else function.body
        else:
            at = 0 if ast.get_docstring(function) is None else 1
            function.body[at:at] = [ast.Expr(probe) for probe in probes]
    return ast.fix_missing_locations(tree)


def _probe(name: str) -> ast.expr:
    return ast.Call(ast.Name(PROBE, ast.Load()), [ast.Constant(name)], [])


def _put(tree: ast.Module, start: tuple[int, int], end: tuple[int, int], name: str) -> None:
    """A probe around the innermost expression that covers a range, or before the innermost statement."""
    node: ast.AST = tree
    put: Callable[[], None] | None = None
    while True:
        for field_name, index, child in children(node):
            if not _covers(child, start, end):
                continue
            if isinstance(child, ast.stmt):
                put = _before(getattr(node, field_name), child, name)
            elif isinstance(child, ast.expr) and _is_read(child) and not isinstance(node, ast.JoinedStr):
                put = _around(node, field_name, index, child, name)
            node = child
            break
        else:
            break
    if put is None:
        raise ValueError(f"{name}: nothing covers {start} to {end}")
    put()


def children(node: ast.AST) -> Iterable[tuple[str, int | None, ast.AST]]:
    """The children of a node without annotations: the field, the index in a list or None, the child."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        if isinstance(value, list):
            yield from ((name, i, item) for i, item in enumerate(value) if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST):
            yield name, None, value


def _covers(node: ast.AST, start: tuple[int, int], end: tuple[int, int]) -> bool:
    if isinstance(node, (ast.comprehension, ast.arguments, ast.withitem)):
        return any(_covers(child, start, end) for _, _, child in children(node))
    if not hasattr(node, "lineno"):
        return False
    node_end = (node.end_lineno or 0, node.end_col_offset or 0)  # type: ignore[attr-defined]
    return (node.lineno, node.col_offset) <= start and end <= node_end  # type: ignore[attr-defined]


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(node, _NEVER)


def _before(body: list[ast.stmt], statement: ast.stmt, name: str) -> Callable[[], None]:
    return lambda: body.insert(body.index(statement), ast.Expr(_probe(name)))


def _around(node: ast.AST, field_name: str, index: int | None, child: ast.expr, name: str) -> Callable[[], None]:
    def put() -> None:
        wrapped = ast.BoolOp(ast.Or(), [_probe(name), child])
        if index is None:
            setattr(node, field_name, wrapped)
        else:
            getattr(node, field_name)[index] = wrapped

    return put


@dataclass
class Reach:
    """The places that the tests of a file reach."""

    hits: dict[str, set[str]] = field(default_factory=dict)  # probe → functions
    cost: dict[str, float] = field(default_factory=dict)  # function → CPU seconds
    failed: list[str] = field(default_factory=list)  # functions that fail without a mutant

    def as_json(self) -> dict[str, Any]:
        """For a file."""
        return {"hits": {k: sorted(v) for k, v in sorted(self.hits.items())}, "cost": self.cost, "failed": self.failed}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Reach:
        """From a file."""
        return cls({k: set(v) for k, v in data["hits"].items()}, dict(data["cost"]), list(data["failed"]))


class Watcher:
    """A plug-in of pytest that records which function reaches which probe, and its cost."""

    def __init__(self) -> None:
        self.reach = Reach()
        self._now = COLLECTION
        self._since = time.process_time()

    def reached(self, name: str) -> None:
        """Note that the running function reaches a place; every probe calls this."""
        self.reach.hits.setdefault(name, set()).add(self._now)

    def _turn(self, to: str) -> None:
        now = time.process_time()
        self.reach.cost[self._now] = self.reach.cost.get(self._now, 0.0) + now - self._since
        self._now, self._since = to, now

    @pytest.hookimpl
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self._turn(nodeid.partition("::")[2].partition("[")[0])

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test went wrong without any mutant."""
        if report.failed:
            self.reach.failed.append(self._now)

    @pytest.hookimpl
    def pytest_sessionfinish(self) -> None:
        """The last test ends."""
        self._turn(COLLECTION)
