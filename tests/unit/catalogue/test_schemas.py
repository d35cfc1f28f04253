"""Every file below `fixtures` keeps to a published schema, and every schema can refuse."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.catalogue.documents import read_documents
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import read_register
from conformance.cli.settings import SETTINGS, Setting, read_settings_file
from conformance.errors import SuiteError, UsageError

FIXTURES = fixtures_root()

# Pattern of a path below the fixtures → schema; the first that matches. Corpora are one object of all their files.
SCHEMAS = {
    "MANIFEST.json": "manifest",
    "register/documents.toml": "documents",
    "register/withdrawn.toml": "withdrawn",
    "register/*.toml": "register",
    "defects/*.toml": "defects",
    "disagreements/*.toml": "disagreements",
    "divergences/*.toml": "divergences",
    "history.toml": "history",
    "anchors.json": "anchors",
    "faults.json": "faults",
    "pinned_faults.json": "faults",
    "harms.json": "harms",
    "killing_cases.json": "killing-cases",
    "sets/*.json": "requirement-set",
    "golden/*/*.toml": "golden",
    "invalid/*/*.json": "invalid",
    **{f"recorded/{f}/meta.toml": "recordings" for f in ("canal", "consumers", "debezium*", "workload")},
    "recorded/*/meta.toml": "producer",
    "recorded/baseline.toml": "baseline",
}
# What is held against a schema elsewhere, or is one; tests/unit/cases/test_index.py holds the index of cases.
ELSEWHERE = ("corpora/*.toml", "index/*", "recorded/*/*.jsonl.xz", "schemas/*.schema.json")


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((FIXTURES / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")))


def schema_of(path: str) -> str | None:
    return next((schema for pattern, schema in SCHEMAS.items() if fnmatchcase(path, pattern)), None)


@cache
def load(path: str) -> Any:
    text = (FIXTURES / path).read_text(encoding="utf-8")
    return json.loads(text) if path.endswith(".json") else tomllib.loads(text)


def files() -> list[str]:
    found = (p.relative_to(FIXTURES).as_posix() for p in FIXTURES.rglob("*") if p.is_file())
    return sorted(p for p in found if not any(fnmatchcase(p, pattern) for pattern in ELSEWHERE))


def test_every_file_has_a_schema() -> None:
    assert [path for path in files() if schema_of(path) is None] == []


@pytest.mark.parametrize("schema", sorted(set(SCHEMAS.values())))
def test_every_file_keeps_to_its_schema(schema: str) -> None:
    paths = [path for path in files() if schema_of(path) == schema]
    wrong = {p: [f"{e.json_path}: {e.message}" for e in validator(schema).iter_errors(load(p))] for p in paths}
    assert paths
    assert {path: errors for path, errors in wrong.items() if errors} == {}


@pytest.mark.parametrize("path", sorted(p.name for p in (FIXTURES / "schemas").glob("*.json")))
def test_every_schema_is_one_and_is_called_by_the_name_of_its_file(path: str) -> None:
    schema = load(f"schemas/{path}")
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].rpartition("/")[2] == path


Damage = Callable[[Any], object]

CJ, OP, DOCUMENTS = (f"register/{name}.toml" for name in ("canal-json", "open-protocol", "documents"))
DISAGREE, DIVERGE = "disagreements/canal-json.toml", "divergences/canal.toml"


def a_must(register: Any) -> Any:
    return next(r for r in register["requirement"] if r["level"] == "must")


# A file, and what is done to it so that it is none any more.
DAMAGES: dict[str, tuple[str, Damage]] = {
    "a requirement without an id": (CJ, lambda d: d["requirement"][0].pop("id")),
    "a requirement of no level": (CJ, lambda d: d["requirement"][0].update(level="shall")),
    "a requirement of a profile that is none": (OP, lambda d: d["requirement"][0].update(profiles=["old"])),
    "an untestable requirement without a reason": (
        CJ,
        lambda d: next(r for r in d["requirement"] if "reason" in r).pop("reason"),
    ),
    "a MUST without a place": (CJ, lambda d: a_must(d).pop("source")),
    "a MUST that only recordings show": (CJ, lambda d: a_must(d).update(source={"recorded": ["x"]})),
    "a hash that is none": (OP, lambda d: a_must(d)["source"].update(sha256="abc")),
    "a release that is none": (CJ, lambda d: d["requirement"][0].update(since="5.4")),
    "a document whose paragraphs are unknown": (DOCUMENTS, lambda d: d["document"][0].update(unit="page")),
    "a document without a file": (DOCUMENTS, lambda d: d["document"][0].pop("file")),
    "a defect of the documents": ("defects/open-protocol.toml", lambda d: d["defect"][0].update(profiles=["doc"])),
    "a defect of no requirement": ("defects/open-protocol.toml", lambda d: d["defect"][0].pop("requirement")),
    "a disagreement without a decision": (DISAGREE, lambda d: d["disagreement"][0].pop("decision")),
    "a disagreement of the document at no place": (DISAGREE, lambda d: d["disagreement"][0].pop("place")),
    "evidence anywhere": (
        "disagreements/open-protocol.toml",
        lambda d: next(e for e in d["disagreement"] if "recorded" in e)["recorded"][0].pop("at"),
    ),
    "a divergence that a document tells at no place": (
        DIVERGE,
        lambda d: next(e for e in d["divergence"] if e["documented"]).pop("place"),
    ),
    "a divergence of values without a near miss": (
        DIVERGE,
        lambda d: next(e for e in d["divergence"] if e["met"] == "text").pop("near_miss"),
    ),
    "a divergence that nothing meets and nobody says why": (
        DIVERGE,
        lambda d: next(e for e in d["divergence"] if e["met"] == "outside").pop("note"),
    ),
    "a historical defect with neither mutants nor a reason": ("history.toml", lambda d: d["defect"][0].pop("mutants")),
    "a reference to a project that is unknown": (
        "history.toml",
        lambda d: d["defect"][0].update(references=["elsewhere 1"]),
    ),
    "a file without a licence": ("MANIFEST.json", lambda d: d["files"][CJ].pop("licence")),
    "an absolute path": ("MANIFEST.json", lambda d: d["files"].update({"/x": d["files"][CJ]})),
    "another version of the manifest": ("MANIFEST.json", lambda d: d.update(manifest=2)),
    "a producer without a version": ("recorded/ticdc-classic/meta.toml", lambda d: d.pop("version")),
    "a folder of recordings without a licence": ("recorded/canal/meta.toml", lambda d: d.pop("licence")),
    "recordings that nobody counted": ("recorded/ticdc-newarch/meta.toml", lambda d: d["file"][0].update(vectors=0)),
}


@pytest.mark.parametrize(("path", "damage"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_does_not_validate(path: str, damage: Damage) -> None:
    damaged = copy.deepcopy(load(path))
    damage(damaged)
    schema = schema_of(path)
    assert schema is not None
    assert not validator(schema).is_valid(damaged)


# -- the configuration ---------------------------------------------------------------------------------------------

KINDS: dict[str, tuple[list[Any], list[Any]]] = {
    "text": (["x"], [True, ["x"], {"x": "y"}]),
    "list": (["x", ["x", "y"], []], [True, {"x": "y"}, [["x"]]]),
    "flag": ([True, False], ["maybe", [True]]),
    "count": ([1, 8], [0, -1, "many", True]),
    "seconds": ([1, 2.5], [0, -1, "soon", True]),
}


def toml(value: Any) -> str:
    """A TOML value of this plain data."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def is_read(folder: Path, name: str, value: Any) -> bool:
    file = folder / "ticdc-conformance.toml"
    file.write_text(f"{name} = {toml(value)}\n", encoding="utf-8")
    try:
        read_settings_file(file)
    except UsageError:
        return False
    return True


def test_the_configuration_schema_names_every_setting_and_nothing_else() -> None:
    assert list(validator("configuration").schema["properties"]) == [s.name for s in SETTINGS]


@pytest.mark.parametrize("setting", SETTINGS, ids=[s.name for s in SETTINGS])
def test_the_configuration_schema_takes_and_refuses_what_the_reader_does(setting: Setting, tmp_path: Path) -> None:
    taken, refused = KINDS[setting.kind]
    if setting.choices:
        taken, refused = [*setting.choices], [*refused, "none of them"]
    schema = validator("configuration")
    for value in taken:
        assert (schema.is_valid({setting.name: value}), is_read(tmp_path, setting.name, value)) == (True, True), value
    for value in refused:
        assert (schema.is_valid({setting.name: value}), is_read(tmp_path, setting.name, value)) == (False, False), value


# -- files that cannot be read are our fault ----------------------------------------------------------------------

REQUIREMENT = '[[requirement]]\nid = "X-001"\nlevel = "may"\nrole = "encode"\ngroup = "G"\nrule = "R"\n'
DOCUMENT = '[[document]]\nid = "d"\ntitle = "D"\nfile = "d.txt"\nurl = "https://d.example"\nunit = "line"\n'


def _register(path: Path) -> object:
    return read_register("toy", path)


GOOD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "register": (_register, REQUIREMENT),
    "documents": (read_documents, DOCUMENT),
}
BAD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no TOML": (_register, "requirement"),
    "not UTF-8": (_register, '# \udcff\n[[requirement]]\nid = "X-001"'),
    "no requirement": (_register, ""),
    "requirements that are no tables": (_register, "requirement = [1]"),
    "a requirement without a rule": (_register, REQUIREMENT.replace("rule", "rul")),
    "a member that nobody knows": (_register, REQUIREMENT + 'rational = "…"\n'),
    "a level that is none": (_register, REQUIREMENT.replace('"may"', '"shall"')),
    "a role that is none": (_register, REQUIREMENT.replace('"encode"', '"write"')),
    "a rule that is no text": (_register, REQUIREMENT.replace('"R"', "7")),
    "a profile that is none": (_register, REQUIREMENT + 'profiles = ["old"]\n'),
    "profiles that are no list": (_register, REQUIREMENT + 'profiles = "doc"\n'),
    "a release that is none": (_register, REQUIREMENT + 'since = "new"\n'),
    "a source that is none": (_register, REQUIREMENT + 'source = "here"\n'),
    "a flag that is none": (_register, REQUIREMENT + 'testable = "no"\n'),
    "an id twice": (_register, REQUIREMENT + REQUIREMENT),
    "documents: no TOML": (read_documents, "[["),
    "documents: nothing": (read_documents, ""),
    "documents: no tables": (read_documents, 'document = ["d"]'),
    "documents: no title": (read_documents, DOCUMENT.replace("title", "name")),
    "documents: a unit that is none": (read_documents, DOCUMENT.replace('"line"', '"page"')),
    "documents: headings that are no list": (read_documents, DOCUMENT + 'headings = "H"\n'),
    "documents: an id twice": (read_documents, DOCUMENT + DOCUMENT),
}


@pytest.mark.parametrize(("read", "text"), GOOD.values(), ids=GOOD)
def test_the_text_that_is_damaged_below_can_be_read(read: Callable[[Path], Any], text: str, tmp_path: Path) -> None:
    (tmp_path / "data.toml").write_text(text, encoding="utf-8")
    assert read(tmp_path / "data.toml")


@pytest.mark.parametrize(("read", "text"), BAD.values(), ids=BAD)
def test_a_malformed_file_is_the_suites_fault_and_is_named(read: Callable[[Path], Any], text: str, tmp_path) -> None:
    (tmp_path / "data.toml").write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(SuiteError, match=r"data\.toml"):
        read(tmp_path / "data.toml")


def test_a_file_that_is_not_there_is_the_suites_fault_and_is_named(tmp_path: Path) -> None:
    for read in (_register, read_documents):
        with pytest.raises(SuiteError, match=r"none\.toml"):
            read(tmp_path / "none.toml")
