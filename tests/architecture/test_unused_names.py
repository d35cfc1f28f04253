"""Every name that a module defines is used: by another module, by its own, or by a test."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("reference_impl", "conformance", "differential", "reports", "tools", "harnesses", "benchmarks")
ALL = (*PRODUCT, "tests", "ticdc_conformance_door", "examples")

CALLED_FROM_OUTSIDE = {
    "tools/docs_site.py": {"on_page_markdown", "on_post_build"},  # by mkdocs
    "tools/mutation/matrix_slice.py": {"test_mutants_of_avro", "test_mutants_of_canal_json"}
    | {"test_mutants_of_debezium", "test_mutants_of_open_protocol"},  # by pytest
}
RULES = "Rule"  # an object of this class adds itself to the rules of its consumer


@cache
def trees() -> dict[str, ast.Module]:
    """Every Python file, by its path."""
    below = [path for folder in ALL for path in sorted((ROOT / folder).rglob("*.py")) if "templates" not in path.parts]
    paths = [*sorted(ROOT.glob("*.py")), *below]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


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


def reads(tree: ast.AST) -> Counter[str]:
    return Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


@cache
def used_elsewhere() -> set[tuple[str, str]]:
    """(module, name) of every import, and ("", name) of every attribute and every text that is one word."""
    found = set()
    for tree in trees().values():
        exported = {id(n) for s in tree.body if names(s) == ["__all__"] for n in ast.walk(s)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {(node.module, alias.name) for alias in node.names}
            elif isinstance(node, ast.Attribute):
                found.add(("", node.attr))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in exported:
                found.add(("", node.value))
    return found


def unused(path: str, tree: ast.Module) -> Iterator[str]:
    elsewhere, here = used_elsewhere(), reads(tree)
    for statement in tree.body:
        for name in names(statement):
            is_read = here[name] > reads(statement)[name] or {(module(path), name), ("", name)} & elsewhere
            if not (name.startswith("__") or is_read or name in CALLED_FROM_OUTSIDE.get(path, ())):
                yield f"{path}: {name}"


def test_no_module_defines_a_name_that_nobody_uses() -> None:
    product = {path: tree for path, tree in trees().items() if path.startswith(PRODUCT)}
    assert [line for path, tree in product.items() for line in unused(path, tree)] == []
