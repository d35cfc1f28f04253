"""Claim-check files beside a capture: looked up by name in one folder, bounded, and judged as messages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.captures.check import check_capture
from conformance.captures.claims import ClaimFiles, NotThere, whole_record
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.captures.truth import NO_FILES
from conformance.catalogue.vectors import Vector, load_producers, recorded_vectors
from conformance.cli.main import main
from conformance.errors import UsageError
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from reference_impl.wire import record_to_json
from tests.unit.captures.given import captured

SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[:-20],
    "a list": lambda data: b"[]",
    "deep": lambda data: b"[" * 50_000,
}
PROTOCOLS = ("canal-json", "open-protocol")


def claimed(protocol: str, **options: str) -> Vector:
    """A recording of rows that went into claim-check storage."""
    wanted = {"large-message-handle-option": "claim-check"} | options
    found = recorded_vectors(load_producers()["ticdc-newarch"], protocol)
    return next(v for v in found if v.records and v.claims and wanted.items() <= v.options.items())


def stored(folder: Path, vector: Vector, spoil: Callable[[bytes], bytes] = bytes) -> ClaimFiles:
    for claim in vector.claims:
        (folder / claim.location.rpartition("/")[2]).write_bytes(spoil(claim.content))
    return ClaimFiles(folder)


def judged(vector: Vector, claims: ClaimFiles | None) -> list[CaptureResult]:
    given = captured(vector.records or ())
    results = check_capture("f", vector.protocol, captured=given, options=vector.options, claims=claims)
    return [result for result in results if not result.is_stream]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_message_in_a_claim_check_file_is_judged_instead_of_the_reduced_one(protocol: str, tmp_path: Path) -> None:
    vector = claimed(protocol)
    without, with_files = judged(vector, None), judged(vector, stored(tmp_path, vector))
    reduced = [n for n, one in enumerate(without) if "its whole message is in claim-check storage" in one.not_judged]
    assert reduced
    for n in reduced:
        assert (with_files[n].verdict, with_files[n].findings) == (CaptureVerdict.PASS, ())
        assert len(with_files[n].evaluated) > len(without[n].evaluated)
        assert any("the message in its file was judged" in note for note in with_files[n].not_judged)


def test_without_their_folder_no_requirement_on_files_counts_as_evaluated(tmp_path: Path) -> None:
    vector = claimed("canal-json")

    def result_with(claims: ClaimFiles | None) -> CaptureResult:
        [result] = check_capture(
            "f",
            vector.protocol,
            captured=captured(vector.records or ()),
            tables=vector.tables,
            events=vector.events,
            options=vector.options,
            claims=claims,
        )
        return result

    with_files, without = result_with(stored(tmp_path, vector)), result_with(None)
    assert ("CJ-133" in with_files.evaluated, "CJ-133" in without.evaluated) == (True, False)
    assert (with_files.not_judged, without.not_judged) == ((), (NO_FILES,))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_file_that_is_no_claim_check_is_a_finding_of_the_message_that_names_it(protocol, spoil, tmp_path) -> None:
    vector = claimed(protocol)
    results = judged(vector, stored(tmp_path, vector, spoil))
    assert CaptureVerdict.SUITE_ERROR not in [result.verdict for result in results]
    assert any(result.findings for result in results)


def test_a_file_that_is_not_there_leaves_the_record_not_judged_and_says_so(tmp_path: Path) -> None:
    vector = claimed("canal-json")
    found = [result.problem for result in judged(vector, ClaimFiles(tmp_path)) if result.problem]
    name = vector.claims[0].location.rpartition("/")[2]
    assert f"not judged: claim-check file {name!r} is not in {tmp_path}" in found


REDUCED = Record(b"k", b"v", 1, "t", (("h", b"x"),), 7, 1_700_000_000_000)


@pytest.mark.parametrize(
    ("raw", "content", "key", "value"),
    [
        (True, b"whole", b"k", b"whole"),
        (False, b'{"key":"a2V5","value":"d2hvbGU="}', b"key", b"whole"),
        (False, b'{"key":null,"value":"d2hvbGU="}', None, b"whole"),
    ],
)
def test_the_whole_record_has_all_else_from_the_reduced_one(raw, content, key, value) -> None:
    assert whole_record(REDUCED, Claim("f", content), raw=raw) == replace(REDUCED, key=key, value=value)


@pytest.mark.parametrize(
    ("content", "reason", "words"),
    [
        ('{"key":"é","value":""}', "schema", "`key` is not base64"),
        ('{"key":"","value":"a"}', "schema", "`value` is not base64"),
        ('{"key":1,"value":""}', "schema", "`key` is no text"),
        ('{"key":""}', "schema", "without `key` and `value`"),
        ("[]", "schema", "without `key` and `value`"),
        ('{"key":"","key":"","value":""}', "schema", "doubled member 'key'"),
        ("{", "syntax", "not JSON"),
    ],
)
def test_a_malformed_file_is_rejected_for_what_is_wrong_with_it(content: str, reason: str, words: str) -> None:
    with pytest.raises(Rejected, match=words) as refused:
        whole_record(REDUCED, Claim("f", content.encode()), raw=False)
    assert refused.value.reason == reason


HIDDEN = ("s3://bucket/../secret.json", "file:///etc/passwd", "a/..", "a/.", "", "a/x\0y", "a/b\\..\\..\\c", "C:x")


@pytest.mark.parametrize("location", HIDDEN)
def test_nothing_outside_of_the_folder_is_opened_whatever_a_message_says(location: str, tmp_path: Path) -> None:
    folder = tmp_path / "claims"
    folder.mkdir()
    (tmp_path / "secret.json").write_text("secret", encoding="utf-8")
    with pytest.raises(NotThere):
        ClaimFiles(folder).at(location, 1000)


def test_a_link_is_followed_inside_the_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "claims"
    folder.mkdir()
    (tmp_path / "secret.json").write_text("secret", encoding="utf-8")
    (folder / "real.json").write_bytes(b"here")
    (folder / "inside.json").symlink_to("real.json")
    (folder / "outside.json").symlink_to(tmp_path / "secret.json")
    files = ClaimFiles(folder)
    assert files.at("s3://b/inside.json", 1000).content == b"here"
    with pytest.raises(NotThere, match="is a link that leads out of"):
        files.at("s3://b/outside.json", 1000)


def test_a_file_that_is_too_large_or_no_file_at_all_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "large.json").write_bytes(b"x" * 11)
    os.mkfifo(tmp_path / "pipe.json")
    files = ClaimFiles(tmp_path)
    with pytest.raises(NotThere, match="has 11 bytes, more than 10"):
        files.at("large.json", 10)
    with pytest.raises(NotThere, match="is no file"):
        files.at("pipe.json", 10)


def test_a_protocol_without_claim_checks_and_a_folder_that_is_not_there_are_usage_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such folder"):
        ClaimFiles(tmp_path / "none")
    with pytest.raises(UsageError, match="canal has no claim-check files"):
        list(check_capture("f", "canal", captured=[], claims=ClaimFiles(tmp_path)))


def test_the_command_takes_a_folder_of_claims(tmp_path: Path) -> None:
    vector = claimed("canal-json")
    claims = tmp_path / "claims"
    claims.mkdir()
    stored(claims, vector)
    records = tmp_path / "records.jsonl"
    records.write_text("".join(json.dumps(record_to_json(r)) + "\n" for r in vector.records or ()), encoding="utf-8")
    given = ["check-capture", "--protocol", "canal-json", "--records", str(records), "-q"]
    options = [word for name, value in vector.options.items() for word in ("--option", f"{name}={value}")]
    assert main([*given, *options, "--claims", str(claims)]) == 0
    next(claims.iterdir()).unlink()
    assert main([*given, *options, "--claims", str(claims)]) == 6
