"""The layout is the architecture: which package may import which."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from reference_impl.protocols import CANAL, CODECS, CONNECTOR, DIALECTS, UPSTREAM

ROOT = Path(__file__).resolve().parents[2]

_SIDES = (
    *("reference_impl", "conformance.errors", "differential.sides", "differential.unread", "differential.window"),
    "differential.row_values",
)
_MET = (*_SIDES, "differential.model", "differential.counts")

# Longest prefix wins. Each package may import itself and what stands here; the standard library is always allowed.
ALLOWED: dict[str, tuple[str, ...]] = {
    "reference_impl": (),
    "conformance.errors": (),
    "conformance.nearest": (),
    "conformance.signals": (),
    "conformance.processes": (),
    "conformance.catalogue": ("reference_impl", "conformance.errors"),
    "conformance.ddl": ("reference_impl", "conformance.errors"),
    "conformance.cases": ("reference_impl", "conformance.errors", "conformance.catalogue"),
    "conformance.oracle": ("reference_impl", "conformance.errors", "conformance.catalogue", "conformance.cases"),
    "conformance.captures": (
        "reference_impl",
        "conformance.errors",
        "conformance.catalogue",
        "conformance.cases",
        "conformance.oracle",
    ),
    "conformance.skeletons": ("conformance.errors", "conformance.__version__", "conformance.catalogue"),
    "conformance.drift": ("reference_impl", "conformance.catalogue"),
    "conformance.transport": ("conformance.errors", "conformance.__version__", "conformance.signals"),
    "conformance.registry": ("reference_impl", "conformance.errors"),
    "conformance.embedded": (
        "reference_impl",
        "conformance.errors",
        "conformance.cases",
        "conformance.reference_harness",
        "conformance.registry",
    ),
    "conformance.reference_harness": ("reference_impl", "conformance.__version__", "conformance.registry"),
    "conformance.engine": (
        "reference_impl",
        "conformance.consumers",
        "conformance.__version__",
        "conformance.errors",
        "conformance.nearest",
        "conformance.signals",
        "conformance.catalogue",
        "conformance.cases",
        "conformance.oracle",
        "conformance.transport",
        "conformance.registry",
        "conformance.embedded",
        "conformance.processes",
        "conformance.reference_harness",
    ),
    "conformance.mutants": (
        "conformance.sweep",
        "reference_impl",
        "conformance.errors",
        "conformance.processes",
        "conformance.catalogue",
        "conformance.cases",
        "conformance.oracle",
        "conformance.registry",
        "conformance.embedded",
        "conformance.reference_harness",
    ),
    "conformance.sweep": (
        "reference_impl",
        "conformance.errors",
        "conformance.catalogue",
        "conformance.cases",
        "conformance.oracle",
        "conformance.embedded",
        "conformance.transport",
    ),
    "conformance.consumers": ("reference_impl", "conformance.errors", "conformance.catalogue"),
    "conformance.compatibility": (
        "reference_impl",
        "conformance.__version__",
        "conformance.errors",
        "conformance.catalogue",
        "conformance.cases",
        "conformance.oracle.upstream",
        "conformance.engine",
        "conformance.consumers",
    ),
    "conformance.migration": (
        "reference_impl",
        "conformance.errors",
        "conformance.catalogue",
        "conformance.cases",
        "conformance.consumers",
        "differential",
    ),
    "conformance.search": (
        "reference_impl",
        "conformance.errors",
        "conformance.catalogue",
        "conformance.cases",
        "conformance.engine",
        "conformance.registry",
    ),
    "differential": (
        "reference_impl",
        "conformance.errors",
        "conformance.processes",
        "conformance.catalogue",
        "conformance.ddl",
    ),
    "differential.model": ("reference_impl",),
    "differential.row_values": ("reference_impl",),
    "differential.faults": (),
    "differential.registries": ("reference_impl",),
    "differential.decode": (*_SIDES, "differential.model", "differential.registries"),
    "differential.classify": (*_SIDES, "conformance.catalogue", "differential.model", "differential.decode.canonical"),
    "differential.checks": (*_MET, "differential.decode"),
    "differential.align": (*_MET, "differential.decode", "differential.classify.naming", "differential.checks"),
    "differential.statements": (
        *_MET,
        "conformance.catalogue",
        "differential.decode",
        "differential.classify.naming",
        "differential.align",
        "differential.checks",
    ),
    "differential.type_names": (
        *_MET,
        "conformance.catalogue",
        "differential.decode",
        "differential.classify",
        "differential.align",
    ),
    "differential.result": (
        *_MET,
        "conformance.catalogue",
        "differential.decode",
        "differential.checks",
        "differential.align",
        "differential.statements",
        "differential.type_names",
    ),
    "differential.live": (
        *_MET,
        "differential.rows",
        "differential.record_batches",
        "differential.batches",
        "differential.checks",
        "differential.decode",
        "differential.align",
        "differential.result",
    ),
    "differential.generate": (
        *_SIDES,
        "conformance.processes",
        "conformance.catalogue",
        "conformance.ddl",
        "differential.faults",
    ),
    "differential.record_batches": ("reference_impl", "conformance.errors"),
    "differential.prints": (
        *_MET,
        "differential.record_batches",
        "differential.batches",
        "differential.decode",
        "differential.classify.naming",
        "differential.align",
        "differential.checks",
    ),
    "differential.sources": (*_SIDES, "conformance.captures", "differential.record_batches"),
    "differential.spark": ("reference_impl", "conformance.errors", "differential", "conformance.captures"),
    "reports": (),
}
OURS = ("reference_impl", "conformance", "differential", "reports")
# What the pure core may use of other people's: codecs of bytes, no input or output.
PURE_LIBRARIES = {"orjson", "cramjam", "fastavro", "zoneinfo"}
IMPURE_MODULES = {"socket", "subprocess", "threading", "time", "os", "pathlib", "random", "asyncio", "select", "io"}
PURE_PARTS = {"io.BytesIO"}  # bytes in memory that look like a file, which is what fastavro reads and writes


def modules() -> list[tuple[str, Path]]:
    found = []
    for package in OURS:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "_fixtures" in path.parts:
                continue
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found.append((name.removesuffix(".__init__"), path))
    return found


IMPORT = re.compile(r"^[ \t]*(?:from +(\S+) +import +(\([^)]*\)|[^\n]*)|import +([^\n]*))", re.MULTILINE)
"""A line that imports; to parse all modules would take ten times as long."""


@cache
def imports(name: str, path: Path) -> frozenset[str]:
    """Full names of what a module imports, at the top or inside a function; type-checking imports count too."""
    found: set[str] = set()
    for module, members, alone in IMPORT.findall(re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8"))):
        assert not module.startswith("."), f"{name}: relative import"
        words = [one.split()[0] for one in (members or alone).strip("() \n").split(",") if one.strip()]
        found |= {f"{module}.{word}" if module else word for word in words}
    return frozenset(found)


def test_what_a_module_imports_is_what_the_parser_of_python_finds(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    below = "def k():\n    from l import (  # (m)\n        n,\n        o as p,\n    )\n"
    text = f"import a, b.c as d  # e\nfrom f.g import h as i, j\n{below}"
    path.write_text(text, encoding="utf-8")
    assert imports("some", path) == {"a", "b.c", "f.g.h", "f.g.j", "l.n", "l.o"}
    for name, module in MODULES[::40]:
        assert imports(name, module) == parsed_imports(module), name


def parsed_imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def home_of(name: str) -> str | None:
    return max((p for p in ALLOWED if within(name, p)), key=len, default=None)


MODULES = modules()


@pytest.mark.parametrize("home", ALLOWED)
def test_arrows_point_inward(home: str) -> None:
    allowed = (home, *ALLOWED[home])
    wrong = {
        (name, i)
        for name, path in MODULES
        if home_of(name) == home
        for i in imports(name, path)
        if i.split(".")[0] in OURS and not any(within(i, a) for a in allowed)
    }
    assert wrong == set(), f"{home} may import {ALLOWED[home]}"


def test_every_module_has_a_place_in_the_architecture() -> None:
    outermost = ("conformance", "conformance.pytest_plugin", "conformance.pytest_run")
    placeless = [name for name, _ in MODULES if home_of(name) is None and not within(name, "conformance.cli")]
    assert sorted(placeless) == sorted(outermost), "give the others one in ALLOWED"


def test_the_reference_implementation_is_pure() -> None:
    impure = {
        (name, i)
        for name, path in MODULES
        if within(name, "reference_impl")
        for i in imports(name, path) - PURE_PARTS
        if i.split(".")[0] in IMPURE_MODULES
    }
    assert impure == set(), "bytes in, values out, nothing else"


PROTOCOL_PACKAGES = sorted(
    ".".join(path.parent.relative_to(ROOT / "reference_impl").parts)
    for path in (ROOT / "reference_impl").rglob("encoder.py")
)


@pytest.mark.parametrize("protocol", PROTOCOL_PACKAGES)
def test_every_protocol_package_offers_the_same_four_names(protocol: str) -> None:
    package = __import__(f"reference_impl.{protocol}", fromlist=["*"])
    assert {"Encoder", "Decoder", "encode", "decode"} <= set(package.__all__)


def test_no_modules_of_the_differential_import_one_another_in_a_circle() -> None:
    names = {name for name, _ in MODULES if within(name, "differential")}
    known = {
        name: {
            max((n for n in names if within(i, n)), key=len) for i in imports(name, path) if within(i, "differential")
        }
        for name, path in MODULES
        if name in names
    }

    def reached(name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            new = known[waiting.pop()] - found
            found |= new
            waiting += new
        return found

    assert [name for name in sorted(names) if name in reached(name)] == []


def test_a_dialect_imports_what_it_builds_on_and_no_other() -> None:
    parents = {(d.module, parent.module) for d in DIALECTS.values() for parent in d.lineage}
    crossing = {
        (name, i)
        for name, path in MODULES
        for i in imports(name, path)
        for a, b in permutations((f"reference_impl.{package}" for package in PROTOCOL_PACKAGES), 2)
        if within(name, a) and within(i, b) and (a, b) not in parents
    }
    assert not crossing


def test_the_row_of_a_dialect_is_made_of_its_own_and_of_what_it_builds_on() -> None:
    rows = {CANAL: "canal", CONNECTOR: "connector"}
    crossing = {
        (name, i)
        for name, path in MODULES
        for i in imports(name, path)
        for a, b in permutations(rows, 2)
        for home in ("conformance.cases.upstream", "conformance.oracle.upstream")
        if within(name, f"{home}.{rows[a]}") and within(i, f"{home}.{rows[b]}") and b not in a.lineage
    }
    assert not crossing


@pytest.mark.parametrize("package", ["conformance.engine", "conformance.transport", "reports"])
def test_the_engine_knows_no_protocol_by_name(package: str) -> None:
    named = [
        name
        for name, path in MODULES
        if within(name, package) and any(f'"{protocol}"' in path.read_text(encoding="utf-8") for protocol in CODECS)
    ]
    assert not named


def test_an_upstream_dialect_is_named_in_the_table_of_dialects_alone() -> None:
    harnesses = [(f"harnesses.{path.stem}", path) for path in sorted((ROOT / "harnesses").rglob("*.py"))]
    named = {
        name
        for name, path in [*MODULES, *harnesses]
        if any(f'"{dialect}"' in path.read_text(encoding="utf-8") for dialect in UPSTREAM)
    }
    assert named == {"reference_impl.protocols"}
