"""Finds the functions that use a constant, a table or a default: what a statement defines that runs on import.

Only an import reaches such a statement, so a probe there does not show which tests use it; its names do. A name is
followed into the files that import from its module, and through the other statements on import that mention it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tools.mutation.probes import Function, children

__all__ = ["Names", "names_used"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)


class Names:
    """The names of some files, given as path → module."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._trees = trees
        self._dependencies = {file: [*_dependencies(tree)] for file, tree in trees.items()}
        self._importers: dict[str, list[str]] = {}
        for file, tree in trees.items():
            for module in sorted(_imported(tree)):
                self._importers.setdefault(module, []).append(file)

    def classes_around(self, file: str, line: int) -> set[str]:
        """The names of the classes in whose bodies a statement on import stands."""
        classes = [s for s in _on_import(self._trees[file]) if isinstance(s, ast.ClassDef)]
        around = {s.name for s in classes if s.lineno < line <= (s.end_lineno or 0)}
        return around if _defined_at(self._trees[file], line) else set()

    def that_depend_on(self, file: str, line: int) -> dict[str, set[str]]:
        """File → the names there that depend on the statement at a line; nothing for one in the body of a function."""
        found: dict[str, set[str]] = {}
        waiting = [(file, name) for name in sorted(_defined_at(self._trees[file], line))]
        while waiting:
            where, name = waiting.pop()
            for other in (where, *self._importers.get(_module_of(where), ())):
                if name not in found.setdefault(other, set()):
                    found[other].add(name)
                    defined = [names for mentioned, names in self._dependencies[other] if name in mentioned]
                    waiting += [(other, n) for n in sorted(set().union(*defined))]
        return found


def names_used(function: Function) -> set[str]:
    """The names that a function or lambda mentions, and its own."""
    inside = {name for node in _walk(function, blocks=True) for name in _names_in(node)}
    return inside | {function.name} if not isinstance(function, ast.Lambda) else inside


def _defined_at(tree: ast.Module, line: int) -> set[str]:
    """The names that the innermost statement around a line defines, if it runs on import."""
    around = [s for s in ast.walk(tree) if isinstance(s, ast.stmt) and _first_line(s) <= line <= (s.end_lineno or 0)]
    innermost = max(around, key=_first_line)
    return _defined(innermost) if innermost in [*_on_import(tree)] else set()


def _first_line(statement: ast.stmt) -> int:
    return min((d.lineno for d in getattr(statement, "decorator_list", ())), default=statement.lineno)


def _on_import(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements outside of functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        if isinstance(child, _BLOCKS) and not isinstance(child, _FUNCTIONS):
            yield from _on_import(child)


def _walk(node: ast.AST, *, blocks: bool) -> Iterator[ast.AST]:
    """A node and all below it, without annotations, and with or without the statements inside."""
    yield node
    for _, _, child in children(node):
        if blocks or not isinstance(child, _BLOCKS):
            yield from _walk(child, blocks=blocks)


def _names_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield node.name
    elif isinstance(node, ast.keyword) and node.arg:
        yield node.arg


def _mentioned(statement: ast.stmt) -> set[str]:
    return {name for node in _walk(statement, blocks=False) for name in _names_in(node)}


def _defined(statement: ast.stmt) -> set[str]:
    """What a statement other than an import defines: `a` of `a = …`, of `a.b = …` and of `a[b] = …`."""
    if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
        return {statement.name}
    found: set[str] = set()
    for target in [*getattr(statement, "targets", ()), getattr(statement, "target", statement)]:
        for part in getattr(target, "elts", [target]):
            while isinstance(part, (ast.Attribute, ast.Subscript)):
                part = part.value
            found |= {*_names_in(part)}
    return found


def _dependencies(tree: ast.Module) -> Iterator[tuple[set[str], set[str]]]:
    """For each statement on import: what it mentions, and what it defines by it."""
    for statement in _on_import(tree):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from (({alias.name}, {alias.asname or alias.name}) for alias in statement.names)
        else:
            yield _mentioned(statement), _defined(statement)


def _imported(tree: ast.Module) -> set[str]:
    """The modules that a file imports or imports from, anywhere."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _module_of(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
