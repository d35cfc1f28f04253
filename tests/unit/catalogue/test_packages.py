"""The fixtures as packages: the same files in each, as the manifest lists them, and the same bytes every time."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from conformance.catalogue.manifest import MANIFEST
from conformance.catalogue.packages import TOPS, go_module, maven_repository, npm_package, packed_fixtures
from conformance.catalogue.vectors import read_vectors
from tools import fixture_packages
from tools.fixture_packages import LICENCES, main, packages

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "fixtures"
CANAL = "vectors/ticdc-newarch/canal-json.jsonl"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return packed_fixtures(FIXTURES)


def in_jar(repository: dict[str, bytes]) -> dict[str, bytes]:
    [jar] = [data for name, data in repository.items() if name.endswith(".jar")]
    with zipfile.ZipFile(io.BytesIO(jar)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def in_tar(package: dict[str, bytes]) -> dict[str, bytes]:
    [data] = package.values()
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]


def test_every_file_but_the_manifest_is_listed_with_its_hash(files: dict[str, bytes]) -> None:
    listed = json.loads(files[MANIFEST])["files"]
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != MANIFEST}
    assert {name: entry["sha256"] for name, entry in listed.items()} == hashes


def test_every_folder_is_there_and_nothing_that_is_for_the_suite_alone(files: dict[str, bytes]) -> None:
    assert {name.partition("/")[0] for name in files} == {*TOPS, MANIFEST}


def test_the_files_are_those_of_the_fixtures(files: dict[str, bytes]) -> None:
    plain = {name: data for name, data in files.items() if name != MANIFEST and not name.startswith("vectors/")}
    assert {name for name, data in plain.items() if (FIXTURES / name).read_bytes() != data} == set()
    there = {p.relative_to(FIXTURES).as_posix() for top in TOPS for p in (FIXTURES / top).rglob("*.*") if p.is_file()}
    assert plain.keys() == {name for name in there if "__pycache__" not in name}


def test_the_vectors_are_those_recorded_as_plain_lines(files: dict[str, bytes], tmp_path: Path) -> None:
    recorded = FIXTURES / "recorded" / "ticdc-newarch" / "canal-json.jsonl.xz"
    assert files[CANAL] == lzma.decompress(recorded.read_bytes())
    (tmp_path / "canal-json.jsonl").write_bytes(files[CANAL])
    vectors, problems = read_vectors(tmp_path)
    assert (len(vectors) > 100, problems) == (True, [])


def test_vectors_keep_licence_and_provenance_of_their_recording(files: dict[str, bytes]) -> None:
    listed = json.loads(files[MANIFEST])["files"]
    assert "pingcap/ticdc" in listed[CANAL]["provenance"]


def test_the_same_files_are_in_the_jar_the_npm_package_and_the_module(files: dict[str, bytes]) -> None:
    jar, tgz, module = in_jar(maven_repository(files, "1.2")), in_tar(npm_package(files, "1.2")), go_module(files)
    inside = {name.removeprefix("ticdc-conformance/"): data for name, data in jar.items() if "META-INF" not in name}
    assert inside == files
    packed = {name.removeprefix("package/"): data for name, data in tgz.items()}
    assert json.loads(packed.pop("package.json"))["version"] == "1.2"
    assert packed == files
    assert {name: module[name] for name in files} == files
    assert module.keys() - files.keys() == {"go.mod", "fixtures.go"}


def test_the_jar_lies_where_maven_looks_for_it(files: dict[str, bytes]) -> None:
    folder = "ticdc-conformance/ticdc-conformance-fixtures/1.2/ticdc-conformance-fixtures-1.2"
    assert maven_repository(files, "1.2").keys() == {f"{folder}.jar", f"{folder}.pom"}


def test_the_module_embeds_every_folder(files: dict[str, bytes]) -> None:
    [line] = [line for line in go_module(files)["fixtures.go"].decode().splitlines() if line.startswith("//go:embed ")]
    assert set(line.split()[1:]) == {*TOPS, MANIFEST}


def test_packages_have_the_same_bytes_every_time(files: dict[str, bytes]) -> None:
    few = {name: files[name] for name in (CANAL, MANIFEST)}
    assert maven_repository(few, "1") == maven_repository(few, "1")
    assert npm_package(few, "1") == npm_package(few, "1")


def test_the_packages_have_licence_and_notice(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixture_packages, "packed_fixtures", lambda _: {CANAL: files[CANAL], MANIFEST: files[MANIFEST]})
    assert set(LICENCES) <= packages(FIXTURES)["go"].keys()


def test_a_folder_in_use_is_not_written_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    assert main([str(tmp_path)]) == 4
    assert str(tmp_path) in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
