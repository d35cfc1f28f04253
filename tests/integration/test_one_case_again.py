"""`replay` takes what one case needs, and a release that nobody knows yet is named as such."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from conformance.cases.golden import golden_cases
from conformance.cases.saved import save_case
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from conformance.cli.arguments import release_note
from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main
from reference_impl.profiles import NEWARCH, NEWEST_KNOWN
from reference_impl.protocols import CODECS

CASE = "avro/invalid/encode-014-insert-without-after"
OF_CANAL_JSON = "canal-json/golden/06-delete-event/since-v5-4-0"
OF_BOTH_ROLES = "avro/golden/01-key-schema/key-of-two-columns"


@pytest.mark.parametrize(
    "option", ["--shard", "--sessions", "--against", "--quiet", "--select", "--level", "--baseline"]
)
def test_replay_does_not_offer_what_chooses_among_many_cases(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    assert f"{option} " in capsys.readouterr().out.replace("\n", " ")
    with pytest.raises(SystemExit) as ended:
        main(["replay", "--help"])
    assert (ended.value.code, f"{option} " in capsys.readouterr().out) == (0, False)


def test_a_selection_in_the_configuration_does_not_hide_the_case_from_replay(tmp_path: Path, capsys) -> None:
    config = tmp_path / "some.toml"
    config.write_text('select = "truncate"\nshard = "1/4"\nlevel = "must"\ngate = "must"\n', encoding="utf-8")
    given = ["replay", CASE, "--iut", REFERENCE, "--config", str(config)]
    assert main(given) == 0
    assert "pass 1" in capsys.readouterr().out


def test_a_release_newer_than_all_known_ones_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", CASE, "--iut", REFERENCE, "--ticdc-version", "9.9.9"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "9.9.9" in line] == [f"ticdc-conformance: {release_note('9.9.9')}"]
    assert "newer than v8.5.7" in release_note("v9.9.9")


def test_a_known_release_needs_no_note() -> None:
    assert (release_note("8.5.7"), release_note("v6.5.0"), release_note(None)) == ("", "", "")


def test_no_requirement_begins_with_a_release_that_is_called_unknown() -> None:
    known = [r.since for protocol in CODECS for r in load_register(protocol).requirements.values() if r.since]
    assert known
    assert max(known) <= NEWEST_KNOWN


def test_an_id_of_both_roles_is_answered_with_the_replay_ids_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", OF_BOTH_ROLES, "--iut", REFERENCE]) == 4
    said = capsys.readouterr().err
    assert "-encode or " in said or "-decode or " in said


@pytest.mark.parametrize("role", ["encode", "decode"])
def test_of_an_id_of_both_roles_the_option_chooses_one(role: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", OF_BOTH_ROLES, "--iut", REFERENCE, "--role", role]) == 0
    assert f"{OF_BOTH_ROLES.partition('/')[0]} {role} " in capsys.readouterr().out


def test_a_case_of_the_other_role_than_asked_for_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", CASE, "--iut", REFERENCE, "--role", "decode"]) == 4
    assert f"--role decode: the case {CASE} is of role encode" in capsys.readouterr().err


def test_one_case_alone_has_the_limits_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deaf = f"cmd:{shlex.join([sys.executable, str(Path(__file__).parent / 'miniatures' / 'deaf.py')])}"
    given = [OF_CANAL_JSON, "--role", "encode", "--iut", deaf, "--timeout", "0.3"]
    assert main(["replay", *given]) == 1
    assert "(request 4) within 0.3 s" in capsys.readouterr().out
    assert main(["report-bug", *given, "-o", str(tmp_path / "bug")]) == 0
    assert "(request 4) within 0.3 s" in (tmp_path / "bug" / "run.jsonl").read_text(encoding="utf-8")


def test_replay_saves_the_lines_that_it_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", CASE, "--iut", REFERENCE, "-v", "--dump-stdin", str(tmp_path)]) == 0
    shown = [line.removeprefix("> ") for line in capsys.readouterr().out.splitlines() if line.startswith("> ")]
    [file] = tmp_path.iterdir()
    assert file.read_text(encoding="utf-8").splitlines() == shown


def test_a_saved_case_is_not_for_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recordings = fixtures_root() / "recorded" / "ticdc-newarch"
    path = tmp_path / "case.json"
    save_case(golden_cases("canal-json", NEWARCH)[0], path, "")
    assert main(["replay", str(path), "--iut", f"recorded:{recordings}"]) == 4
    assert "a recording answers no saved case" in capsys.readouterr().err
