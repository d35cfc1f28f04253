"""Chooses the tests to run for a mutant, and their order, by what they reach."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.mutation.probes import COLLECTION, PROBE, Function, Range, Reach, Watcher, instrumented
from tools.mutation.users import Names, names_used
from tools.mutation.worker import Replaced, forked, install, run_tests

if TYPE_CHECKING:
    from tools.mutation.mutants import Place

__all__ = ["LONGEST", "MATRIX", "Step", "measure", "plan", "test_files"]

PARTS = ("open_protocol", "debezium_json", "avro", "canal_json", "codecs", "oracle", "cases")
"""The folders of tests/unit whose tests are run; they cover what the others run of reference and oracle."""

STREAMS = "tests/unit/captures/test_streams.py"
MATRIX = "tools/mutation/matrix_slice.py"
"""Assumed, without measuring, to reach all code of its protocol: it runs everything, and often."""

MATRIX_COST = {"avro": 4.0, "canal_json": 4.0, "debezium": 11.0, "open_protocol": 4.0}  # CPU seconds

EXPENSIVE = 4.0  # CPU seconds from which a function is a step of its own
LONGEST = 1500.0  # CPU seconds that a test file may take


@dataclass(frozen=True, slots=True)
class Step:
    """Functions of a test file that are run together, and what they cost, in CPU seconds."""

    file: str
    functions: tuple[str, ...]
    cost: float


def test_files(root: Path) -> list[str]:
    """Every file whose tests may kill."""
    found = [path for part in PARTS for path in sorted((root / "tests" / "unit" / part).glob("test_*.py"))]
    return [*(path.relative_to(root).as_posix() for path in found), STREAMS]


def file_probe(file: str) -> str:
    """The name of the probe at the beginning of every function of a file."""
    return f"whole {file}"


def users_probe(name: str) -> str:
    """The name of the probe at the beginning of every function that uses what a place defines on import."""
    return f"users {name}"


def measure(root: Path, places: Mapping[str, Place], sample: str, kept: Path) -> Iterator[tuple[str, Reach]]:
    """Run every test file with probes at the places, and at what uses them, and say what it reaches.

    What `kept` has is not run again, as long as the test file, the text `sample` and the probes are the same.
    """
    tests = test_files(root)
    used = _uses(root, places)
    probed = {file: names for file, names in used.items() if file not in tests}
    identity = sample + json.dumps(probed, default=sorted, sort_keys=True)
    ranges: dict[str, dict[str, Range]] = {}
    for name, place in places.items():
        start, end = place.range.start, place.range.end
        ranges.setdefault(place.source.path, {})[name] = start.line, start.column, end.line, end.column
    codes = {
        file: compile(_instrumented(root, file, ranges.get(file, {}), probed.get(file, {})), str(root / file), "exec")
        for file in sorted(ranges.keys() | probed.keys())
    }
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for file in tests:
        key = hashlib.sha256((root / file).read_bytes() + identity.encode()).hexdigest()
        if known.get(file, {}).get("key") != key:
            ending, answer = forked(partial(_watched, root, file, codes), LONGEST)
            if ending != "done":
                raise RuntimeError(f"{file}: {ending} {answer}")
            known[file] = {"key": key, **answer}
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(known), encoding="utf-8")
        reach = Reach.of_json(known[file])
        for probe, functions in _tests_that_use(root, file, used.get(file, {})).items():
            reach.hits.setdefault(probe, set()).update(functions)
        yield file, reach


def _uses(root: Path, places: Mapping[str, Place]) -> dict[str, dict[str, set[str]]]:
    """File → place → the names there that depend on the place, of the product and of the tests.

    A test that names a class is taken to use the defaults of its fields.
    """
    tests = test_files(root)
    files = [path for top in ("reference_impl", "conformance") for path in sorted((root / top).rglob("*.py"))]
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in files}
    texts |= {file: (root / file).read_text(encoding="utf-8") for file in tests}
    names = Names({file: ast.parse(text) for file, text in texts.items()})
    found: dict[str, dict[str, set[str]]] = {}
    for name, place in places.items():
        at = place.source.path, place.range.start.line
        for file, depending in names.that_depend_on(*at).items():
            found.setdefault(file, {})[name] = depending | (names.classes_around(*at) if file in tests else set())
    return found


def _instrumented(root: Path, file: str, ranges: Mapping[str, Range], used: Mapping[str, set[str]]) -> ast.Module:
    def starts(function: Function) -> list[str]:
        inside = names_used(function)
        return [file_probe(file), *(users_probe(name) for name, names in used.items() if not names.isdisjoint(inside))]

    return instrumented((root / file).read_text(encoding="utf-8"), ranges, starts)


def _tests_that_use(root: Path, file: str, used: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Probe → the tests of a file that mention a name themselves."""
    found: dict[str, set[str]] = {}
    for node in ast.parse((root / file).read_text(encoding="utf-8")).body if used else ():
        if isinstance(node, ast.FunctionDef):
            inside = names_used(node)
            for name in [name for name, names in used.items() if not names.isdisjoint(inside)]:
                found.setdefault(users_probe(name), set()).add(node.name)
    return found


def _watched(root: Path, file: str, codes: Mapping[str, Any]) -> dict[str, Any]:
    import builtins

    watcher = Watcher()
    setattr(builtins, PROBE, watcher.reached)
    install(Replaced(root, codes))
    run_tests(root, file, (), watcher)
    return watcher.reach.as_json()


def plan(name: str, file: str, reaches: Mapping[str, Reach], budget: float) -> list[Step]:
    """The steps for a mutant, from the test files that reach its place, within `budget` CPU seconds.

    First the functions that reach it, or that use a name which it defines on import. Then those that enter its file: a
    cache may hold what an earlier function reached. Then, if an import reaches it, all others. The cheapest come first,
    and among the others the files of its protocol.
    """
    direct: list[Step] = []
    touching: list[Step] = []
    others: list[Step] = []
    for test_file, reach in reaches.items():
        if name not in reach.hits:
            continue
        left = set(reach.cost) - set(reach.failed) - {COLLECTION}
        hit = (reach.hits[name] | reach.hits.get(users_probe(name), set())) & left
        touched = (reach.hits.get(file_probe(file), set()) & left) - hit
        direct += _steps(test_file, reach, hit)
        touching += _steps(test_file, reach, touched)
        if COLLECTION in reach.hits[name]:
            others += _steps(test_file, reach, left - hit - touched)
    direct += [
        Step(MATRIX, (f"test_mutants_of_{protocol}",), cost)
        for protocol, cost in MATRIX_COST.items()
        if protocol in file or not any(other in file for other in MATRIX_COST)
    ]
    steps = [*_cheapest(direct), *_cheapest(touching), *sorted(others, key=lambda s: (_is_far(s.file, file), s.cost))]
    chosen: list[Step] = []
    spent = 0.0
    for step in steps:
        if not chosen or spent + step.cost <= budget:
            chosen.append(step)
            spent += step.cost
    return chosen


def _steps(file: str, reach: Reach, functions: set[str]) -> Iterator[Step]:
    collecting = reach.cost.get(COLLECTION, 0.0)
    cheap = sorted((f for f in functions if reach.cost[f] < EXPENSIVE), key=lambda f: reach.cost[f])
    if cheap:
        yield Step(file, tuple(cheap), collecting + sum(reach.cost[f] for f in cheap))
    for function in functions - set(cheap):
        yield Step(file, (function,), collecting + reach.cost[function])


def _cheapest(steps: Sequence[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: (step.cost, step.file))


_WORDS = {"avro": ("avro",), "canal_json": ("canal",), "debezium": ("debezium", "dbz"), "open_protocol": ("open",)}


def _is_far(test_file: str, file: str) -> bool:
    """Whether a test file is for another protocol than a source file."""
    words = next((w for protocol, w in _WORDS.items() if protocol in file), ("",))
    return not any(word in test_file for word in words)
