"""Every name that a module defines is used: by another module, by its own, or by a test."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
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


def texts() -> Iterator[tuple[str, str]]:
    """Every Python file with its path."""
    below = [path for folder in ALL for path in sorted((ROOT / folder).rglob("*.py")) if "templates" not in path.parts]
    for path in [*sorted(ROOT.glob("*.py")), *below]:
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


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


def unused(texts: Mapping[str, str]) -> list[str]:
    """The names that modules of the product define, and nobody uses; files that none of them names are not parsed."""
    product = {path: statements(text) for path, text in texts.items() if path.startswith(PRODUCT)}
    elsewhere = {name for found in product.values() for _, used in found for name in used.elsewhere}
    candidates = []
    for path, found in product.items():
        here: Counter[str] = Counter()
        for _, used in found:
            here.update(used.reads)
        for defined, used in found:
            for name in defined:
                is_read = here[name] > used.reads[name] or {(module(path), name), ("", name)} & elsewhere
                if not (name.startswith("__") or is_read or name in CALLED_FROM_OUTSIDE.get(path, ())):
                    candidates.append((path, name))
    named = re.compile(rf"\b(?:{'|'.join(re.escape(name) for _, name in candidates)})\b") if candidates else None
    others = [text for path, text in texts.items() if path not in product and named and named.search(text)]
    elsewhere |= {name for text in others for _, used in statements(text) for name in used.elsewhere}
    return [f"{path}: {name}" for path, name in candidates if not {(module(path), name), ("", name)} & elsewhere]


def statements(text: str) -> list[tuple[list[str], Uses]]:
    """What each statement at the top of a module but `__all__` defines and uses; no tree outlives its module."""
    return [(names(one), uses(one)) for one in ast.parse(text).body if names(one) != ["__all__"]]


def test_no_module_defines_a_name_that_nobody_uses() -> None:
    assert unused(dict(texts())) == []


def test_a_name_that_is_used_nowhere_is_found_and_one_that_a_test_uses_is_not() -> None:
    texts = {"reports/a.py": "def one(): ...\ndef two(): ...\ndef three(): return three()\n", "tests/b.py": "# one\n"}
    assert unused(texts) == ["reports/a.py: one", "reports/a.py: two", "reports/a.py: three"]
    used = {"tests/b.py": "from reports.a import one\n", "tests/c.py": "import reports.a as a\na.two()\n"}
    assert unused(texts | used) == ["reports/a.py: three"]
