"""`python tools/case_index.py [--check]`: write `fixtures/index`, or check that it is up to date.

The folder holds the index of cases (also of the shipped vectors) and the compiled form of the larger TOML files.
Nothing is written, and the status is 1, where an answer evaluates a requirement that its register does not have.
Most of the time goes into judging the perfect answer of every case under every profile.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.cases.index import RECORDED, computed_cases, head_of, seal, sources_digest
from conformance.cases.index_rows import FILES, IndexedCases, rows_of
from conformance.cases.model import IndexedCase, Place
from conformance.cases.parts import placed_cases
from conformance.cases.recorded import producer_case
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from conformance.catalogue.sealed import compiled, index_folder
from conformance.catalogue.vectors import Producer, load_producers, read_vectors
from conformance.oracle.judges import judge_of
from conformance.processes import processes
from reference_impl.profiles import NEWARCH, PROFILES
from reference_impl.protocols import CODECS, DIALECTS, UPSTREAM

_COMPILED = ("register", "corpora", "defects", "disagreements", "divergences", "history.toml")
"""Files below the fixtures, and folders of files, that many commands read."""


def indexed(protocol: str, profile_name: str) -> list[IndexedCase]:
    """The cases of a protocol under a profile, with the requirements that a perfect answer evaluates."""
    profile = PROFILES[profile_name]
    judge = judge_of(protocol, load_register(protocol), profile)
    pairs = zip(computed_cases(protocol, profile), placed_cases(protocol, profile), strict=True)
    return [replace(head, evaluated=_text(judge.perfect(placed.case))) for head, placed in pairs]


def recordings(producer: Producer) -> list[IndexedCase]:
    """The cases made of a shipped folder of vectors, which judge its producer."""
    profile = PROFILES[producer.profile]
    cases = [producer_case(vector, profile) for vector in read_vectors(producer.folder, checked=False)[0]]
    judges = {p: judge_of(p, load_register(p), profile) for p in {case.protocol for case in cases}}
    return [
        replace(head_of(case, Place(RECORDED, number)), evaluated=_text(judges[case.protocol].perfect(case)))
        for number, case in enumerate(cases)
    ]


def toml_files() -> dict[str, bytes]:
    """Path below the index → the compiled form of a TOML file."""
    root = fixtures_root()
    found: dict[str, bytes] = {}
    for name in _COMPILED:
        for path in [root / name] if "." in name else (root / name).rglob("*.toml"):
            if (entry := compiled(path)) is not None:
                found.update([entry])
    return dict(sorted(found.items()))


def _text(requirements: frozenset[str] | None) -> str | None:
    return None if requirements is None else " ".join(sorted(requirements))


def profiles_of(protocol: str) -> list[str]:
    """The profiles in the index; an upstream dialect has a single one."""
    return [NEWARCH.name] if protocol in UPSTREAM else list(PROFILES)


def files_of(protocol: str, by_profile: dict[str, list[IndexedCase]], folder: str = "") -> dict[str, bytes]:
    """Path below the index → content; in the protocol's folder unless it has another one."""
    contexts, evaluated, rows = rows_of(protocol, by_profile)
    folder = folder or protocol
    return {
        f"{folder}/contexts.jsonl": _lines(sorted(contexts.items())),
        f"{folder}/evaluated.jsonl": _lines(sorted(evaluated.items())),
        f"{folder}/cases.jsonl": _lines(rows),
    }


def unknown_ids(content: bytes, known: Collection[str]) -> list[str]:
    """The ids in `evaluated.jsonl` that no register has."""
    ids = {i for line in content.splitlines() for i in orjson.loads(line)[1].split()}
    return sorted(ids - set(known))


def write(files: Mapping[str, bytes], sources: str, root: Path) -> None:
    """Write an index. `digest` is written last: an incomplete index counts as out of date.

    Raises ValueError, LookupError or TypeError, and writes nothing, where a line cannot be read again.
    """
    for path in files:
        if path.endswith("/cases.jsonl"):
            folder = path.rpartition("/")[0]
            content = {name: files[f"{folder}/{name}.jsonl"] for name in FILES}
            protocol = folder if folder in DIALECTS else ""
            for number in range(len(PROFILES) if folder in CODECS else 1):  # each profile
                IndexedCases(protocol, number, "", content).whole()
    for path, content in [*files.items(), ("digest", seal(sources, files))]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        unfinished = root / f"{path}.{os.getpid()}.tmp"
        unfinished.write_bytes(content)
        unfinished.replace(root / path)


def _existing(root: Path) -> list[str]:
    """The existing files, by their paths below the index."""
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def _lines(rows: list[Any]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def main() -> int:
    """Write or check. Returns 1 if `--check` finds an outdated index, or if none could be made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where the index is outdated")
    parser.add_argument("-n", type=int, default=2, metavar="N", help="processes (2)")
    args = parser.parse_args()
    digest = sources_digest()
    files: dict[str, bytes] = {}
    with processes(args.n) as pool:
        jobs = {(p, name): pool.submit(indexed, p, name) for p in DIALECTS for name in profiles_of(p)}
        recorded = {one: pool.submit(recordings, one) for one in load_producers().values()}
        for protocol in DIALECTS:
            by_profile = {name: jobs[protocol, name].result() for name in profiles_of(protocol)}
            files |= files_of(protocol, by_profile)
            if unknown := unknown_ids(files[f"{protocol}/evaluated.jsonl"], load_register(protocol).requirements):
                print(f"{protocol}: not in the register, and evaluated: {', '.join(unknown)}", file=sys.stderr)
                return 1
            print(f"{protocol}: {len(by_profile[NEWARCH.name])} cases", file=sys.stderr)
        for one, job in recorded.items():
            files |= files_of("", {one.profile: job.result()}, f"recorded/{one.id}/{one.profile}")
    files |= toml_files()
    if sources_digest() != digest:
        print("the sources have changed meanwhile: start again", file=sys.stderr)
        return 1
    root = index_folder()
    if args.check:
        expected = files | {"digest": seal(digest, files)}
        wrong = [path for path, content in expected.items() if not _holds(root / path, content)]
        wrong += [path for path in _existing(root) if path not in expected]
        print("\n".join(f"{path} is outdated: python tools/case_index.py" for path in wrong) or "the index is current")
        return int(bool(wrong))
    write(files, digest, root)
    for path in set(_existing(root)) - {*files, "digest"}:
        (root / path).unlink()
    return 0


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


if __name__ == "__main__":
    sys.exit(main())
