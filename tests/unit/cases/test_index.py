"""The index of cases says what the cases say, or is not used."""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

import orjson
import pytest

from conformance.cases import index
from conformance.cases.index import (
    RECORDED,
    case_of,
    computed_cases,
    head_of,
    indexed_cases,
    indexed_recordings,
    is_current,
    read_index,
)
from conformance.cases.index_rows import FILES, IndexedCases, rows_of
from conformance.cases.model import IndexedCase, Place
from conformance.cases.recorded import producer_case
from conformance.catalogue import sealed
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from conformance.catalogue.vectors import read_vectors
from conformance.cli import known_cases
from conformance.cli.main import main
from conformance.oracle.judges import judge_of
from reference_impl.profiles import NEWARCH, PROFILES, profile_of_release
from reference_impl.protocols import DIALECTS, UPSTREAM
from tests.amounts import ordinarily
from tests.every_case import every_placed_case, one_in
from tools import case_index

_EVERY = ordinarily(193, 97)
_EVERY_OTHER = ordinarily(613, 97)
"""One in `_EVERY` cases of newarch is compared, and one in `_EVERY_OTHER` of other profiles, which mostly repeat it."""


def needs_a_current_index() -> None:
    if not is_current():
        pytest.skip("the index is out of date, which another test says")


def test_the_index_is_current() -> None:
    assert is_current(), "after a change of cases, oracle, reference or fixtures: python tools/case_index.py"


@pytest.mark.parametrize("protocol", DIALECTS)
def test_the_index_holds_exactly_the_cases_in_their_order(protocol: str) -> None:
    needs_a_current_index()
    of_newarch: set[str] = set()
    for name in (NEWARCH.name,) if protocol in UPSTREAM else PROFILES:
        known, placed = read_index(protocol, name), every_placed_case(protocol, name)
        keys = [f"{one.case.role} {one.case.id}" for one in placed]
        assert list(known.keys) == keys
        of_newarch = of_newarch or set(keys)
        for number, (key, one) in enumerate(zip(keys, placed, strict=True)):
            # Most cases of the other profiles are those of newarch.
            if name == NEWARCH.name or key not in of_newarch or number % ordinarily(9, 1) == 0:
                assert replace(known[number], evaluated=None) == head_of(one.case, one.place)


@pytest.mark.parametrize("protocol", DIALECTS)
def test_what_a_right_answer_evaluates_is_what_the_judge_says(protocol: str) -> None:
    needs_a_current_index()
    for name in (NEWARCH.name,) if protocol in UPSTREAM else PROFILES:
        judge = judge_of(protocol, load_register(protocol), PROFILES[name])
        for head in one_in(_EVERY if name == NEWARCH.name else _EVERY_OTHER, read_index(protocol, name)):
            assert head.perfect == judge.perfect(case_of(head, PROFILES[name])), head.id


@pytest.mark.parametrize("protocol", DIALECTS)
def test_a_case_made_alone_is_the_case_made_with_all_others(protocol: str) -> None:
    cases = every_placed_case(protocol, NEWARCH.name)
    assert len(cases) > 1000
    assert len({(placed.case.role, placed.case.id) for placed in cases}) == len(cases)
    for placed in one_in(_EVERY, cases, lambda placed: placed.case):
        assert case_of(head_of(placed.case, placed.place), NEWARCH) == placed.case


def test_what_is_written_is_read_again() -> None:
    some = {name: list(computed_cases("canal-json", profile)[::50]) for name, profile in PROFILES.items()}
    some["newarch"][1] = replace(some["newarch"][1], evaluated="CJ-001 CJ-002")
    contexts, evaluated, rows = rows_of("canal-json", some)
    files = {"contexts": contexts.items(), "evaluated": evaluated.items(), "cases": rows}
    content = {name: b"".join(orjson.dumps(line) + b"\n" for line in lines) for name, lines in files.items()}
    for at, (name, cases) in enumerate(some.items()):
        assert list(IndexedCases("canal-json", at, name, content)) == cases
    assert some["newarch"][1].perfect == frozenset({"CJ-001", "CJ-002"})


def test_an_index_of_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written(monkeypatch, tmp_path, sources="of others")
    monkeypatch.setattr(index, "IndexedCases", lambda *_: pytest.fail("an index that is out of date was read"))
    assert indexed_cases("avro", NEWARCH) is computed_cases("avro", NEWARCH)


def written(monkeypatch: pytest.MonkeyPatch, folder: Path, sources: str = "") -> list[IndexedCase]:
    """A small index of Avro in `folder`, current unless other sources are named. Returns its cases of newarch."""
    for known in (index._is_of_these_sources, index._current_cases, index.read_index, index._narrowed):
        known.cache_clear()
        monkeypatch.setattr(index, known.__name__, cache(known.__wrapped__))
    monkeypatch.setattr(sealed, "seal_of", sealed.seal_of.__wrapped__)
    monkeypatch.setattr(index, "seal_of", sealed.seal_of)
    for module in (index, sealed):
        monkeypatch.setattr(module, "index_folder", lambda: folder)
    monkeypatch.setattr(index, "sources_digest", lambda: "of these")
    some = {name: list(computed_cases("avro", profile)[::50]) for name, profile in PROFILES.items()}
    ids = list(load_register("avro").requirements)
    for cases in some.values():
        cases[:] = [replace(case, evaluated=" ".join(sorted(ids))) for case in cases]
    case_index.write(case_index.files_of("avro", some), sources or "of these", folder)
    return some["newarch"]


def cut(content: bytes) -> bytes:
    return b"".join(content.splitlines(keepends=True)[:12])


def test_an_index_as_it_was_written_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cases = written(monkeypatch, tmp_path)
    assert is_current("avro")
    assert list(indexed_cases("avro", NEWARCH)) == cases
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("avro/cases.jsonl", cut),
        ("avro/cases.jsonl", lambda content: content.replace(b"encode", b"decode", 1)),
        ("avro/evaluated.jsonl", lambda content: content.replace(b"AV-0", b"AV-1", 1)),
        ("avro/contexts.jsonl", lambda _: None),
        ("digest", lambda content: content[:100]),
        ("digest", lambda _: b"[]"),
        ("digest", lambda _: b"0" * 64),
        ("digest", lambda _: None),
        ("digest", lambda content: json.dumps(json.loads(content) | {"cases": {"avro": 12}}).encode()),
        ("digest", lambda content: json.dumps(json.loads(content) | {"files": {}}).encode()),
    ],
)
def test_an_index_of_which_anything_is_changed_is_not_used(file, change, monkeypatch, tmp_path) -> None:
    written(monkeypatch, tmp_path)
    before = (tmp_path / file).read_bytes()
    after = change(before)
    assert after != before
    (tmp_path / file).unlink()
    if after is not None:
        (tmp_path / file).write_bytes(after)
    assert not is_current("avro")
    assert indexed_cases("avro", NEWARCH) is computed_cases("avro", NEWARCH)


@pytest.mark.parametrize("line", ["{", '["decode"]', '["decode","a","golden",0,[],{},"nothing",[null,"",""]]'])
def test_an_index_with_a_line_that_cannot_be_read_is_not_sealed(line: str, monkeypatch, tmp_path: Path) -> None:
    written(monkeypatch, tmp_path)
    files = {f"avro/{n}.jsonl": (tmp_path / "avro" / f"{n}.jsonl").read_bytes() for n in FILES}
    files["avro/cases.jsonl"] += line.replace("null,", '"",').encode() + b"\n"
    seal = (tmp_path / "digest").read_bytes()
    with pytest.raises((ValueError, LookupError)):
        case_index.write(files, "of these", tmp_path)
    assert (tmp_path / "digest").read_bytes() == seal
    assert is_current("avro")


def test_what_selects_a_case_is_said_of_it_before_it_is_made() -> None:
    needs_a_current_index()
    for protocol in ("avro", "canal"):
        cases = read_index(protocol, NEWARCH.name)
        for entry, case, key in one_in(_EVERY, zip(cases.entries, cases, cases.keys, strict=True), lambda row: row[1]):
            for name in ("id", "protocol", "role", "requirements", "axes", "options", "opaque_id", "replay_id"):
                assert getattr(entry, name) == getattr(case, name)
            assert (entry.anchor, entry.found_by, entry.evaluated) == (str(case.anchor), case.found_by, case.evaluated)
            assert key == f"{case.role} {case.id}"
        assert list(cases.roles) == [case.role for case in cases]


@pytest.mark.parametrize(("name", "profile"), [("ticdc-newarch", "newarch"), ("ticdc-classic", "classic")])
def test_the_index_holds_the_cases_of_the_shipped_vectors(name: str, profile: str) -> None:
    needs_a_current_index()
    folder = fixtures_root() / "recorded" / name
    known, vectors = indexed_recordings(folder, PROFILES[profile]), read_vectors(folder, checked=False)[0]
    assert known is not None
    assert len(known) == len(vectors) > 900
    for number in range(0, len(vectors), _EVERY):
        case = producer_case(vectors[number], PROFILES[profile])
        assert replace(known[number], evaluated=None) == head_of(case, Place(RECORDED, number))
        judge = judge_of(case.protocol, load_register(case.protocol), PROFILES[profile])
        assert known[number].perfect == judge.perfect(case)


def test_recordings_of_others_and_under_another_profile_are_read_from_their_files(tmp_path: Path) -> None:
    assert indexed_recordings(tmp_path, NEWARCH) is None
    folder = fixtures_root() / "recorded" / "ticdc-newarch"
    assert indexed_recordings(folder, PROFILES["classic"]) is None
    assert indexed_recordings(folder, profile_of_release("v6.5.0")) is None


def test_a_compiled_register_says_what_its_file_says() -> None:
    for path in sorted((fixtures_root() / "register").rglob("*.toml")):
        assert sealed.read_toml(path) == tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("change", ["source", "compiled", "seal", "nothing"])
def test_a_compiled_file_is_read_only_while_it_is_that_of_its_source(change: str, monkeypatch, tmp_path: Path) -> None:
    source = tmp_path / "register" / "toy.toml"
    source.parent.mkdir()
    source.write_text("rule = 1\n", encoding="utf-8")
    monkeypatch.setattr(sealed, "fixtures_root", lambda: tmp_path)
    monkeypatch.setattr(sealed, "seal_of", sealed.seal_of.__wrapped__)
    compiled = sealed.compiled(source)
    assert compiled is not None
    name, content = compiled
    marked = content.replace(b":1}", b":2}")  # so that it shows which of them was read
    assert marked != content
    case_index.write({name: marked}, "of these", tmp_path / "index")
    if change == "source":
        source.write_text("rule = 1 \n", encoding="utf-8")
    elif change == "compiled":
        (tmp_path / "index" / name).write_bytes(marked + b" ")
    elif change == "seal":
        (tmp_path / "index" / "digest").unlink()
    assert sealed.read_toml(source) == {"rule": 2 if change == "nothing" else 1}


def test_a_file_with_a_date_is_not_compiled_for_json_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sealed, "fixtures_root", lambda: tmp_path)
    (tmp_path / "a.toml").write_text("day = 2027-01-01\n", encoding="utf-8")
    assert sealed.compiled(tmp_path / "a.toml") is None


def test_only_the_protocols_that_are_read_are_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written(monkeypatch, tmp_path)
    assert is_current("avro")
    assert not is_current("canal-json")
    assert not is_current()


def test_an_evaluated_id_that_the_register_does_not_have_is_found_while_writing() -> None:
    content = b'["a","AV-001 XX-999"]\n["b","AV-001"]\n'
    assert case_index.unknown_ids(content, {"AV-001"}) == ["XX-999"]


def test_the_digest_is_written_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names: list[str] = []
    replaced = Path.replace

    def noted(self: Path, target: Path) -> Path:
        names.append(target.name)
        return replaced(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    written(monkeypatch, tmp_path)
    assert names == ["contexts.jsonl", "evaluated.jsonl", "cases.jsonl", "digest"]


def test_a_release_is_planned_from_the_cases_themselves_and_selected_by_the_index(monkeypatch, tmp_path: Path) -> None:
    profile, register = profile_of_release("v6.5.0"), load_register("avro")
    written(monkeypatch, tmp_path)
    cases, themselves = indexed_cases("avro", profile), computed_cases("avro", profile)
    assert [replace(case, evaluated=None, is_exact=True) for case in cases] == list(themselves)
    assert all(case.perfect is None for case in cases), "a release may expect another answer"
    selected = [case for case in cases if case.found_by]
    assert len(selected) > 20
    assert selected[0].found_by == {r.id for r in register.requirements.values() if r.applies(profile)}


@pytest.mark.parametrize("changed", ["fixtures", "reference_impl", "conformance/oracle"])
def test_every_source_counts_in_the_digest(changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("reference_impl", "conformance/cases", "conformance/catalogue", "conformance/oracle", "fixtures"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "some.py").write_text("1", encoding="utf-8")
    monkeypatch.setattr(index, "__file__", str(tmp_path / "conformance" / "cases" / "index.py"))
    monkeypatch.setattr(index, "fixtures_root", lambda: tmp_path / "fixtures")
    before = index.sources_digest()
    (tmp_path / "fixtures" / "index").mkdir()
    (tmp_path / "fixtures" / "index" / "digest").write_text("x", encoding="utf-8")
    assert index.sources_digest() == before
    (tmp_path / changed / "some.py").write_text("2", encoding="utf-8")
    assert index.sources_digest() != before


def test_who_plans_without_the_index_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    known_cases._warn_unless.cache_clear()
    written(monkeypatch, tmp_path, sources="of others")
    assert main(["list", "cases", "--protocol", "avro", "-k", "avro/smoke*"]) == 0
    assert capsys.readouterr().err.count("python tools/case_index.py") == 1
    known_cases._warn_unless.cache_clear()


def test_without_the_index_the_id_of_a_requirement_selects_what_was_written_for_it_and_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    merely_evaluated = next(
        r.id
        for r in load_register("canal-json").requirements.values()
        if r.id == "CJ-340" and not any(r.id in c.requirements for c in computed_cases("canal-json", NEWARCH))
    )
    written(monkeypatch, tmp_path, sources="of others")
    for command in (["list", "cases"], ["run", "--iut", "cmd:false"]):
        assert main([*command, "--protocol", "canal-json", "-k", merely_evaluated]) == 5
        told = " ".join(capsys.readouterr().out.split())
        assert "CJ-340 stands for the cases that were written for it" in told
        assert "python tools/case_index.py" in told
        assert "did you mean" not in told
        assert "no case matches" not in told
        assert "together with --level" not in told
    assert main(["list", "cases", "--protocol", "canal-json", "-k", "avro/nothing and not CJ-388"]) == 5
    told = capsys.readouterr().out
    assert "CJ-388 stands for the cases that were written for it" in told
    assert "no case matches 'avro/nothing'" in told


def test_nothing_is_started_for_a_selection_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, trace = tmp_path / "harness.py", tmp_path / "started"
    program.write_text(f"open({str(trace)!r}, 'w')", encoding="utf-8")
    arguments = ["run", "--iut", f"cmd:{sys.executable} {program}", "--protocol", "avro"]
    assert main([*arguments, "-k", "zzzz"]) == 5
    assert not trace.exists()
    assert main([*arguments, "-k", "avro/smoke*"]) == 6
    assert trace.exists()
