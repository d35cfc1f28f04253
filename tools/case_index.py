"""`python tools/case_index.py [--check]`: write the index of cases, or say whether it is what would be written.

Status 1 too, and nothing written, where an answer evaluates a requirement that its register does not have.
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

from conformance.cases.index import computed_cases, index_folder, rows_of, seal, sources_digest
from conformance.cases.model import IndexedCase
from conformance.cases.parts import placed_cases
from conformance.catalogue.register import load_register
from conformance.oracle.umpires import judge_of
from conformance.processes import processes
from reference_impl.profiles import NEWARCH, PROFILES
from reference_impl.protocols import DIALECTS, UPSTREAM


def indexed(protocol: str, profile_name: str, every: int = 1) -> list[IndexedCase]:
    """The cases of a protocol under a profile, with what the perfect answer evaluates; of `every` n-th case alone."""
    profile = PROFILES[profile_name]
    judge = judge_of(protocol, load_register(protocol), profile)
    pairs = list(zip(computed_cases(protocol, profile), placed_cases(protocol, profile), strict=True))[::every]
    return [replace(head, evaluated=_text(judge.perfect(placed.case))) for head, placed in pairs]


def _text(requirements: frozenset[str] | None) -> str | None:
    return None if requirements is None else " ".join(sorted(requirements))


def profiles_of(protocol: str) -> list[str]:
    """The profiles that the index tells apart: to an upstream dialect all are one."""
    return [NEWARCH.name] if protocol in UPSTREAM else list(PROFILES)


def files_of(protocol: str, by_profile: dict[str, list[IndexedCase]]) -> dict[str, bytes]:
    """Path below the index → content."""
    contexts, evaluated, rows = rows_of(protocol, by_profile)
    return {
        f"{protocol}/contexts.jsonl": _lines(sorted(contexts.items())),
        f"{protocol}/evaluated.jsonl": _lines(sorted(evaluated.items())),
        f"{protocol}/cases.jsonl": _lines(rows),
    }


def unknown_ids(content: bytes, known: Collection[str]) -> list[str]:
    """The ids in the lines of `evaluated.jsonl` that a register does not have."""
    ids = {i for line in content.splitlines() for i in orjson.loads(line)[1].split()}
    return sorted(ids - set(known))


def write(files: Mapping[str, bytes], sources: str, root: Path) -> None:
    """Write an index. `digest` comes last: until then what is half written counts as out of date."""
    for path, content in [*files.items(), ("digest", seal(sources, files))]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        unfinished = root / f"{path}.{os.getpid()}.tmp"
        unfinished.write_bytes(content)
        unfinished.replace(root / path)


def _lines(rows: list[Any]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def main() -> int:
    """Write or check. Returns 1 where `--check` finds another index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where the index is another")
    parser.add_argument("-n", type=int, default=2, metavar="N", help="processes (2)")
    args = parser.parse_args()
    digest = sources_digest()
    files: dict[str, bytes] = {}
    with processes(args.n) as pool:
        jobs = {(p, name): pool.submit(indexed, p, name) for p in DIALECTS for name in profiles_of(p)}
        for protocol in DIALECTS:
            by_profile = {name: jobs[protocol, name].result() for name in profiles_of(protocol)}
            files |= files_of(protocol, by_profile)
            if unknown := unknown_ids(files[f"{protocol}/evaluated.jsonl"], load_register(protocol).requirements):
                print(f"{protocol}: not in the register, and evaluated: {', '.join(unknown)}", file=sys.stderr)
                return 1
            print(f"{protocol}: {len(by_profile[NEWARCH.name])} cases", file=sys.stderr)
    if sources_digest() != digest:
        print("the sources have changed meanwhile: start again", file=sys.stderr)
        return 1
    root = index_folder()
    if args.check:
        wanted = files | {"digest": seal(digest, files)}
        wrong = [path for path, content in wanted.items() if not _is(root / path, content)]
        print("\n".join(f"{path} is another: python tools/case_index.py" for path in wrong) or "the index is current")
        return int(bool(wrong))
    write(files, digest, root)
    return 0


def _is(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


if __name__ == "__main__":
    sys.exit(main())
