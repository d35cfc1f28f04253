"""Every name that a module defines is used: by another module, by its own, or by a test."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("reference_impl", "conformance", "differential", "reports", "tools", "harnesses", "benchmarks")
ALL = (*PRODUCT, "tests", "ticdc_conformance_door", "examples")

CALLED_FROM_OUTSIDE = {
    "tools/docs_site.py": {"on_page_markdown", "on_post_build"},  # by mkdocs
    "tools/mutation/matrix_slice.py": {"test_mutants_of_avro", "test_mutants_of_canal_json"}
    | {"test_mutants_of_debezium", "test_mutants_of_open_protocol"},  # by pytest
}
RULES = "Rule"  # an object of this class adds itself to the rules of its consumer


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Every Python file with its path."""
    below = [path for folder in ALL for path in sorted((ROOT / folder).rglob("*.py")) if "templates" not in path.parts]
    paths = [*sorted(ROOT.glob("*.py")), *below]
    for path in paths:
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def names(statement: ast.stmt) -> list[str]:
    """What a statement at the top of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    made = getattr(statement, "value", None)
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == RULES:
        return []
    return [target.id for target in targets if isinstance(target, ast.Name)]


class Uses(NamedTuple):
    """What a statement at the top of a module uses."""

    reads: Counter[str]
    """How often it reads each name."""
    elsewhere: set[tuple[str, str]]
    """(module, name) of every import, and ("", name) of every attribute and every text that is one word."""


def uses(statement: ast.stmt) -> Uses:
    found = Uses(Counter(), set())
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.reads[node.id] += 1
        elif isinstance(node, ast.Attribute):
            found.elsewhere.add(("", node.attr))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.elsewhere.add(("", node.value))
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.elsewhere.update((node.module, alias.name) for alias in node.names)
    return found


def test_no_module_defines_a_name_that_nobody_uses() -> None:
    by_statement = {path: [(s, uses(s)) for s in tree.body if names(s) != ["__all__"]] for path, tree in trees()}
    elsewhere = {name for statements in by_statement.values() for _, used in statements for name in used.elsewhere}
    unused = []
    for path, statements in by_statement.items():
        here: Counter[str] = Counter()
        for _, used in statements:
            here.update(used.reads)
        for statement, used in statements if path.startswith(PRODUCT) else ():
            for name in names(statement):
                is_read = here[name] > used.reads[name] or {(module(path), name), ("", name)} & elsewhere
                if not (name.startswith("__") or is_read or name in CALLED_FROM_OUTSIDE.get(path, ())):
                    unused.append(f"{path}: {name}")
    assert unused == []
