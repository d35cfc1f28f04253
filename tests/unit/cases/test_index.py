"""The index of cases says what the cases say, or is not used."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import orjson
import pytest

from conformance.cases import index
from conformance.cases.catalogue import all_cases
from conformance.cases.index import case_of, computed_cases, indexed_cases, is_current, read_index
from conformance.cases.model import IndexedCase
from conformance.catalogue.register import load_register
from conformance.cli import known_cases
from conformance.cli.main import main
from conformance.oracle.umpires import judge_of
from reference_impl.profiles import NEWARCH, PROFILES, profile_of_release
from reference_impl.protocols import DIALECTS, UPSTREAM
from tools import case_index

_EVERY = 97


def needs_a_current_index() -> None:
    if not is_current():
        pytest.skip("the index is out of date, which another test says")


def test_the_index_is_current() -> None:
    assert is_current(), "after a change of cases, oracle, reference or fixtures: python tools/case_index.py"


@pytest.mark.parametrize("protocol", DIALECTS)
def test_the_index_holds_exactly_the_cases_in_their_order(protocol: str) -> None:
    needs_a_current_index()
    for name in (NEWARCH.name,) if protocol in UPSTREAM else PROFILES:
        found = [replace(case, evaluated=None) for case in read_index(protocol, name)]
        assert found == list(computed_cases(protocol, PROFILES[name]))


@pytest.mark.parametrize("protocol", DIALECTS)
def test_what_a_right_answer_evaluates_is_what_the_judge_says(protocol: str) -> None:
    needs_a_current_index()
    for n, name in enumerate((NEWARCH.name,) if protocol in UPSTREAM else PROFILES):
        judge = judge_of(protocol, load_register(protocol), PROFILES[name])
        for head in read_index(protocol, name)[n * 31 :: _EVERY]:
            assert head.perfect == judge.perfect(case_of(head, PROFILES[name])), head.id


@pytest.mark.parametrize("protocol", DIALECTS)
def test_a_case_made_alone_is_the_case_made_with_all_others(protocol: str) -> None:
    heads, cases = computed_cases(protocol, NEWARCH), all_cases(protocol, NEWARCH)
    assert len(heads) == len(cases) > 1000
    assert len({(case.role, case.id) for case in cases}) == len(cases)
    for head, case in list(zip(heads, cases, strict=True))[::_EVERY]:
        assert case_of(head, NEWARCH) == case


def test_what_is_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = {name: list(computed_cases("canal-json", profile)[::50]) for name, profile in PROFILES.items()}
    some["newarch"][1] = replace(some["newarch"][1], evaluated="CJ-001 CJ-002")
    contexts, evaluated, rows = index.rows_of("canal-json", some)
    (tmp_path / "canal-json").mkdir()
    files = {"contexts": contexts.items(), "evaluated": evaluated.items(), "cases": rows}
    for name, lines in files.items():
        content = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        (tmp_path / "canal-json" / f"{name}.jsonl").write_bytes(content)
    monkeypatch.setattr(index, "index_folder", lambda: tmp_path)
    for name, cases in some.items():
        assert list(index._read("canal-json", name)) == cases
    assert some["newarch"][1].perfect == frozenset({"CJ-001", "CJ-002"})


def test_an_index_of_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written(monkeypatch, tmp_path, sources="of others")
    monkeypatch.setattr(index, "read_index", lambda *_: pytest.fail("an index that is out of date was read"))
    assert indexed_cases("avro", NEWARCH) is computed_cases("avro", NEWARCH)


def written(monkeypatch: pytest.MonkeyPatch, folder: Path, sources: str = "") -> list[IndexedCase]:
    """A small index of Avro in `folder`, current unless other sources are named. Returns its cases of newarch."""
    for known in (index._sealed, index._if_current, index.read_index, index._narrowed):
        known.cache_clear()
        monkeypatch.setattr(index, known.__name__, cache(known.__wrapped__))
    monkeypatch.setattr(index, "index_folder", lambda: folder)
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
def test_an_index_of_which_anything_is_changed_is_not_used(
    file: str, change: Callable[[bytes], bytes | None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
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
def test_an_index_with_a_line_that_cannot_be_read_is_not_used(
    line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written(monkeypatch, tmp_path)
    files = {f"avro/{n}.jsonl": (tmp_path / "avro" / f"{n}.jsonl").read_bytes() for n in index.FILES}
    files["avro/cases.jsonl"] += line.replace("null,", '"",').encode() + b"\n"
    case_index.write(files, "of these", tmp_path)
    assert not is_current("avro")
    assert indexed_cases("avro", NEWARCH) is computed_cases("avro", NEWARCH)


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


def test_a_release_is_planned_from_the_cases_themselves_and_selected_by_the_index(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    profile, register = profile_of_release("v6.5.0"), load_register("avro")
    written(monkeypatch, tmp_path)
    cases, themselves = indexed_cases("avro", profile), computed_cases("avro", profile)
    assert [replace(case, evaluated=None, settles=True) for case in cases] == list(themselves)
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


def test_who_plans_without_the_index_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
