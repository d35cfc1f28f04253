"""A sample of mutants: drawn by a seed, the same number from every package, and kept in a file.

A row that no longer applies, because its lines are gone, is said to be so and counts for nothing. `equivalent` is the
reason why no test can kill a mutant.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tools.mutation.mutants import Mutant, Place, drawn, mutants_of, places_of

__all__ = ["FOLDER", "PACKAGES", "Row", "draw", "load", "names", "origin", "refill", "resolved", "write"]

FOLDER = Path(__file__).parent / "samples"

PACKAGES = tuple(
    f"{top}{protocol}"
    for top, protocols in (
        ("reference_impl", ("", "/avro", "/canal_json", "/debezium_json", "/open_protocol")),
        ("conformance/oracle", ("", "/avro", "/canal_json", "/debezium", "/open_protocol")),
    )
    for protocol in protocols
)
"""The folders, each without those below it, that give the same number of mutants."""


@dataclass(frozen=True, slots=True)
class Row:
    """A mutant of the sample, and the reason if it is marked as equivalent."""

    id: str
    mutant: Mutant
    equivalent: str = ""

    @property
    def package(self) -> str:
        """The folder it is from."""
        return self.mutant.file.rpartition("/")[0]


def names() -> list[str]:
    """The names of all samples."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> list[Row]:
    """The rows of a sample, in its order."""
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    keys = [f.name for f in fields(Mutant)]
    return [
        Row(row["id"], Mutant(**{key: row[key] for key in keys if key in row}), row.get("equivalent", ""))
        for row in data["mutant"]
    ]


def origin(name: str) -> str:
    """The command that drew a sample."""
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def draw(root: Path, name: str, seed: int, each: int, without: Sequence[str]) -> list[Row]:
    """A new sample: `each` mutants of every package, none that another sample has, none from the files of `without`."""
    taken = frozenset(row.mutant for other in names() if other != name for row in load(other))
    rows: list[Row] = []
    for package in PACKAGES:
        short = package.replace("conformance/", "").replace("reference_impl", "reference").replace("/", "-")
        found = drawn(_places(root, package, without), each, f"{seed} {package}", taken)
        rows += [Row(f"{short}-{n:02}", mutant) for n, mutant in enumerate(found, 1)]
    command = " ".join(["--draw", name, "--seed", str(seed), "--each", str(each), *(f"--without {f}" for f in without)])
    write(name, f"Drawn by: python -m tools.mutation {command}", rows)
    return rows


def _places(root: Path, package: str, without: Sequence[str]) -> list[Place]:
    files = sorted(path.relative_to(root).as_posix() for path in (root / package).glob("*.py"))
    return [place for file in files if file not in without for place in places_of(root, file)]


def refill(root: Path, name: str, seed: int) -> list[Row]:
    """The rows whose mutant was no longer there, each with another one of its package, under its id.

    None is drawn from the files that the sample was drawn without. Raises `ValueError` where a package has too few.
    """
    without = re.findall(r"--without ([^\s;]+)", origin(name))
    taken = frozenset(row.mutant for other in names() for row in load(other))
    rows = load(name)
    there = resolved(root, {row.id: row.mutant for row in rows})
    drawn_anew: dict[str, Row] = {}
    for package in PACKAGES:
        gone = [row.id for row in rows if row.package == package and row.id not in there]
        found = drawn(_places(root, package, without), len(gone), f"{seed} {package}", taken)
        drawn_anew.update((id_, Row(id_, mutant)) for id_, mutant in zip(gone, found, strict=True))
    head = f"{origin(name)}; {len(drawn_anew)} that were gone by --refill {name} --seed {seed}"
    write(name, head, [drawn_anew.get(row.id, row) for row in rows])
    return list(drawn_anew.values())


def write(name: str, head: str, rows: Sequence[Row]) -> None:
    """Write a sample."""
    FOLDER.mkdir(exist_ok=True)
    text = "\n\n".join([f"# {head}", *("\n".join(_toml(row)) for row in rows)])
    (FOLDER / f"{name}.toml").write_text(text + "\n", encoding="utf-8")


def _toml(row: Row) -> Iterator[str]:
    yield "[[mutant]]"
    values = {"id": row.id} | {f.name: getattr(row.mutant, f.name) for f in fields(Mutant)}
    for key, value in values.items():
        if value or key in ("was", "now", "scope"):
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
    if row.equivalent:
        yield f"equivalent = {json.dumps(row.equivalent, ensure_ascii=False)}"


def resolved(root: Path, mutants: Mapping[str, Mutant]) -> dict[str, Place]:
    """The places of the mutants that still apply, under the names given."""
    found: dict[str, Place] = {}
    for file in sorted({mutant.file for mutant in mutants.values()}):
        here = {mutant: name for name, mutant in mutants.items() if mutant.file == file}
        about = {(m.scope, m.operator, m.was.partition("\n")[0]) for m in here}
        places = places_of(root, file) if (root / file).exists() else []
        for mutant, place in mutants_of(
            p for p in places if any((p.scope, p.operator, line) in about for line in p.block)
        ):
            if mutant in here:
                found[here[mutant]] = place
    return found
