"""Makes the mutants of a source file: place, operator, old text and new text.

A mutant is identified by its change, never by a line number: the file, the function or class around it, the
operator, and the lines before and after. Not changed are annotations, imports, `__all__`, docstrings, f-strings,
assertions for the type checker, `strict` of `zip`, the arguments of `dataclass`, and the prose that a `raise` says to
people.
"""

from __future__ import annotations

import ast
import difflib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider, WhitespaceInclusivePositionProvider
from mutmut.mutation import mutators

__all__ = ["OPERATORS", "Mutant", "Place", "drawn", "mutants_of", "places_of"]

Change = Callable[[Any], Iterable[cst.CSTNode]]


def negated_condition(node: cst.If | cst.While | cst.CompIf) -> Iterable[cst.CSTNode]:
    """`if a` → `if not (a)`."""
    test = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    yield node.with_changes(test=cst.UnaryOperation(cst.Not(), test))


def lost_row(node: cst.Tuple | cst.List | cst.Set | cst.Dict) -> Iterable[cst.CSTNode]:
    """A display of three rows or more without one of them."""
    if len(node.elements) < 3:
        return
    for i in range(len(node.elements)):
        yield node.with_changes(elements=[*node.elements[:i], *node.elements[i + 1 :]])


def nothing_returned(node: cst.Return) -> Iterable[cst.CSTNode]:
    """`return a` → `return None`."""
    if node.value is not None and not (isinstance(node.value, cst.Name) and node.value.value == "None"):
        yield node.with_changes(value=cst.Name("None"), whitespace_after_return=cst.SimpleWhitespace(" "))


OPERATORS: tuple[tuple[str, type[cst.CSTNode] | tuple[type[cst.CSTNode], ...], Change], ...] = (
    ("number", cst.BaseNumber, mutators.operator_number),
    ("string", cst.SimpleString, mutators.operator_string),
    ("truth", cst.Name, mutators.operator_name),
    ("assignment", (cst.Assign, cst.AnnAssign), mutators.operator_assignment),
    ("augmented", cst.AugAssign, mutators.operator_augmented_assignment),
    ("lost not", cst.UnaryOperation, mutators.operator_remove_unary_ops),
    ("argument", cst.Call, mutators.operator_arg_removal),
    ("method", cst.Call, mutators.operator_symmetric_string_methods_swap),
    ("split", cst.Call, mutators.operator_unsymmetrical_string_methods_swap),
    ("lambda", cst.Lambda, mutators.operator_lambda),
    ("keyword", cst.CSTNode, mutators.operator_keywords),
    ("operator", cst.CSTNode, mutators.operator_swap_op),
    ("arm", cst.IfExp, mutators.operator_if_exp),
    ("condition", (cst.If, cst.While, cst.CompIf), negated_condition),
    ("row", (cst.Tuple, cst.List, cst.Set, cst.Dict), lost_row),
    ("return", cst.Return, nothing_returned),
)
CHANGES = {name: change for name, _, change in OPERATORS}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of one place. `was` and `now` are the lines that differ, stripped.

    `nth` numbers the mutants that are alike in all other members.
    """

    file: str
    scope: str
    operator: str
    was: str
    now: str
    nth: int = 0


@dataclass(frozen=True)
class Place:
    """A node of a file that an operator changes in its `nth` way."""

    source: Source
    scope: str
    operator: str
    node: cst.CSTNode
    way: int

    @cached_property
    def text(self) -> str:
        """The whole file, changed."""
        changed = list(CHANGES[self.operator](self.node))[self.way]
        if isinstance(self.node, (cst.If, cst.While)):
            return self.source.replaced(self.node.test, changed.test)  # type: ignore[attr-defined]
        return self.source.replaced(self.node, changed)

    @cached_property
    def lines(self) -> tuple[str, str]:
        """The lines that differ, before and after."""
        before, after = [], []
        for line in difflib.ndiff(*_apart(self.source.text.splitlines(), self.text.splitlines())):
            if line.startswith("- "):
                before.append(line[2:].strip())
            elif line.startswith("+ "):
                after.append(line[2:].strip())
        return "\n".join(before), "\n".join(after)

    @cached_property
    def block(self) -> frozenset[str]:
        """The lines that the node stands in, stripped."""
        at = self.source.positions[self.node]
        return frozenset(line.strip() for line in self.source.text.splitlines()[at.start.line - 1 : at.end.line])

    @property
    def range(self) -> CodeRange:
        """The position of the node; of a statement with a body, that of its condition."""
        node = self.node.test if isinstance(self.node, (cst.If, cst.While)) else self.node
        return self.source.positions[node]


def _apart(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Two texts without the lines that both begin and end with."""
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    pairs = enumerate(zip(reversed(one[start:]), reversed(other[start:]), strict=False))
    end = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)) - start)
    return one[start : len(one) - end], other[start : len(other) - end]


class Source:
    """A file of ours, parsed. `path` is relative to the root."""

    def __init__(self, root: Path, path: str) -> None:
        self.path = path
        self.text = (root / path).read_text(encoding="utf-8")
        wrapper = MetadataWrapper(cst.parse_module(self.text), unsafe_skip_copy=True)
        self.module = wrapper.module
        self.positions = wrapper.resolve(PositionProvider)
        self._spans = wrapper.resolve(WhitespaceInclusivePositionProvider)
        self._starts = [0]
        for line in self.text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def replaced(self, node: cst.CSTNode, by: cst.CSTNode) -> str:
        """The text with a node replaced."""
        span = self._spans[node]
        start, end = (self._starts[at.line - 1] + at.column for at in (span.start, span.end))
        was, now = (self.module.code_for_node(n) for n in (node, by))
        for indent in ("", *(" " * n for n in range(4, 24, 4))):  # generated as if it stood at the margin
            if _indented(was, indent) == self.text[start:end]:
                return self.text[:start] + _indented(now, indent) + self.text[end:]
        return cst.ensure_type(self.module.deep_replace(node, by), cst.Module).code


def _indented(text: str, indent: str) -> str:
    return re.sub(r"\n(?=[^\n])", "\n" + indent, text)


class _Walk(cst.CSTVisitor):
    """Collects the places, in the order of the file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.scopes: list[str] = []
        self.raising = 0
        self.found: list[Place] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _is_left_alone(node):
            return False
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self.scopes.append(node.name.value)
        self.raising += isinstance(node, cst.Raise)
        if self.raising and _is_prose(node):
            return False
        for operator, kinds, change in OPERATORS:
            if isinstance(node, kinds):
                for way, changed in enumerate(change(node)):
                    if not (self.raising and operator == "argument" and _loses_prose(node, changed)):
                        self.found.append(Place(self.source, ".".join(self.scopes), operator, node, way))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self.raising -= isinstance(original_node, cst.Raise)
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)):
            self.scopes.pop()


def _is_left_alone(node: cst.CSTNode) -> bool:
    if isinstance(node, (cst.Annotation, cst.Import, cst.ImportFrom, cst.Assert, cst.FormattedString)):
        return True
    if isinstance(node, cst.Decorator):
        called = node.decorator.func if isinstance(node.decorator, cst.Call) else node.decorator
        return isinstance(called, cst.Name) and called.value == "dataclass"
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value in ("cast", "TypeVar", "NewType")
    if isinstance(node, cst.Arg):
        return node.keyword is not None and node.keyword.value == "strict"  # of zip: an assertion
    if isinstance(node, cst.Assign):
        target = node.targets[0].target
        return isinstance(target, cst.Name) and target.value == "__all__"
    if isinstance(node, cst.AnnAssign):
        kind = node.annotation.annotation
        return isinstance(kind, cst.Name) and kind.value == "TypeAlias"
    return isinstance(node, cst.Expr) and isinstance(node.value, (cst.SimpleString, cst.ConcatenatedString))


def _is_prose(node: cst.CSTNode) -> bool:
    return isinstance(node, (cst.FormattedString, cst.ConcatenatedString)) or (
        isinstance(node, cst.SimpleString) and " " in node.value
    )


def _loses_prose(node: cst.CSTNode, changed: cst.CSTNode) -> bool:
    assert isinstance(node, cst.Call)
    assert isinstance(changed, cst.Call)
    kept = {id(argument.value) for argument in changed.args}
    return any(_is_prose(argument.value) and id(argument.value) not in kept for argument in node.args)


def places_of(root: Path, path: str) -> list[Place]:
    """Every place of a file that an operator changes, in the order of the file, each with each of its ways."""
    source = Source(root, path)
    walk = _Walk(source)
    MetadataWrapper(source.module, unsafe_skip_copy=True).visit(walk)
    return walk.found


def _compiles(place: Place) -> bool:
    try:
        ast.parse(place.text)
    except SyntaxError:
        return False
    return True


def mutants_of(places: Iterable[Place]) -> Iterator[tuple[Mutant, Place]]:
    """The mutants of places, each with its place; mutants that are otherwise equal are numbered.

    Changes without effect or with invalid syntax are dropped.
    """
    seen: Counter[Mutant] = Counter()
    for place in places:
        was, now = place.lines
        if was == now or not _compiles(place):
            continue
        plain = Mutant(place.source.path, place.scope, place.operator, was, now)
        yield Mutant(plain.file, plain.scope, plain.operator, was, now, seen[plain]), place
        seen[plain] += 1


def drawn(places: Sequence[Place], count: int, seed: str, without: frozenset[Mutant]) -> list[Mutant]:
    """`count` mutants of these places: operators take turns, each with a random place."""
    rng = random.Random(seed)
    by_operator: dict[str, list[Place]] = {}
    for place in places:
        by_operator.setdefault(place.operator, []).append(place)
    for rows in by_operator.values():
        rng.shuffle(rows)
    turns = [by_operator[name] for name, *_ in OPERATORS if name in by_operator]
    rng.shuffle(turns)
    chosen: list[Mutant] = []
    while len(chosen) < count and any(turns):
        for rows in turns:
            while rows and len(chosen) < count:
                mutant = _mutant_at(rows.pop(), places)
                if mutant is not None and mutant not in without and mutant not in chosen:
                    chosen.append(mutant)
                    break
    return chosen


def _mutant_at(place: Place, places: Iterable[Place]) -> Mutant | None:
    """The mutant of one place, numbered among all `places`; None if it has no effect or invalid syntax."""
    line = place.lines[0].partition("\n")[0]
    about = place.source, place.scope, place.operator
    alike = (p for p in places if (p.source, p.scope, p.operator) == about and line in p.block)
    return next((mutant for mutant, found in mutants_of(alike) if found is place), None)
