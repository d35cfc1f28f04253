"""`tox run -e gallery`: write every report of the shipped recordings and the reference to `out/gallery`.

    python -m tools.gallery [FOLDER] [--picture PNG]

`index.html` there says what each file is and what to look for. The same checkout gives the same bytes: times and facts
on the machine are replaced by fixed ones. With `--picture` Chromium takes the picture of the README of a failed run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from conformance import __version__
from reports.comparison import COMPARISON_REPORTS
from reports.frame import Frame

ROOT = Path(__file__).resolve().parent.parent
RECORDED = Path("fixtures", "recorded")
DATE = "2026-01-01T00:00:00+00:00"
"""The fixed time of every run of the gallery, which the clock would change."""
RED = "run-classic-as-newarch"

_RUNS = {
    "run-newarch": ["recorded:ticdc-newarch", "--profile", "newarch"],
    "run-classic": ["recorded:ticdc-classic", "--profile", "classic"],
    RED: ["recorded:ticdc-classic", "--profile", "newarch"],
    "run-canal": ["recorded:canal", "--protocol", "canal"],
    "run-debezium-connector": ["", "--protocol", "debezium-connector"],
}
"""Name → address and options of a run; without an address the reference and all recordings of the protocol."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A file of the gallery: its command, its description, and what to look for."""

    name: str
    arguments: tuple[str, ...]
    what: str
    look: str


def _render(kind: str, run: str, name: str, what: str, look: str) -> Piece:
    return Piece(name, ("report", "render", kind, f"runs/{run}", "-o", name), what, look)


_EXTENSION = "enable-tidb-extension=true"
_GENERATE = {
    "streams-canal": ["--preset", "types", "--dialect", f"canal-json?{_EXTENSION}", "--dialect", "canal"],
    "streams-debezium": ["--preset", "types", "--dialect", f"debezium?{_EXTENSION}", "--dialect", "debezium-connector"],
}


def _compare(folder: str, left: str, right: str, name: str, what: str) -> Piece:
    """A comparison of two streams of a seed."""
    sides = ("--left", f"{left}?{_EXTENSION}:{folder}/{left}", "--right", f"{right}:{folder}/{right}")
    rest = ("--tables", f"{folder}/tables.json", "--out", f"runs/{name}", "--quiet")
    look = "which rows lose or change values, the option that removes each divergence, and what that option breaks"
    return Piece(name, ("compare", *sides, *rest), what, look)


GROUPS: dict[str, list[Piece]] = {
    "Runs": [
        _render("html", RED, f"{RED}.html", "the older generation, judged by the style of the newer one",
                "the verdict in a sentence; the heat map; causes by harm with the smallest input and the replay line"),
        _render("html", "run-newarch", "run-newarch.html", "the newer generation", "what its own style breaks"),
        _render("html", "run-classic", "run-classic.html", "the older generation", "the crash of its encoder"),
        _render("html", "run-canal", "run-canal.html", "Alibaba Canal", "a green run, with its coverage"),
        _render("html", "run-debezium-connector", "run-debezium-connector.html", "Debezium, and the reference",
                "coverage by requirement group"),
    ],
    "Side by side": [
        Piece("diff.html", ("diff", "runs/run-classic", "runs/run-newarch", "--report", "html=diff.html"),
              "the older generation against the newer", "what is newly broken on top, by harm"),
        Piece("side-by-side.html", ("report", "index", *(f"runs/{name}" for name in _RUNS), "--out", "index"),
              "all of the runs", "failures by requirement group, an implementation a column"),
    ],
    "Streams compared": [
        _compare("streams-canal", "canal-json", "canal", "comparison-canal.html", "TiCDC's Canal-JSON and Canal"),
        _compare("streams-debezium", "debezium", "debezium-connector", "comparison-debezium.html",
                 "TiCDC's Debezium JSON and Debezium"),
    ],
    "A move assessed": [
        Piece("migration.html", ("migrate", "--from", "debezium-connector", "--to", "debezium", "--consumer", "flink",
                                 "--report", "html=migration.html"),
              "what breaks for a Flink job when TiCDC replaces Debezium, for every column type",
              "blockers first; the row before and after the move; the option that removes each finding"),
    ],
    "Encoders by readers": [
        Piece("table.html", ("matrix", "--report", "html=table.html"),
              "what consumers make of the records of TiCDC, Canal and Debezium",
              "which cells are silently wrong, and the column types behind them"),
    ],
    "The suite itself": [
        Piece("matrix.html", ("mutants", "-n", "2", "-k", "CJ-30 or CJ-10", "--report", "html=matrix.html"),
              "the kill matrix of some requirements", "which finding killed each mutant"),
    ],
    "For machines": [
        _render("junit", RED, "junit.xml", "JUnit", "one failure text a cause"),
        _render("sarif", RED, "results.sarif", "SARIF 2.1.0", "a result a cause, a rule a requirement"),
        _render("markdown", RED, "summary.md", "Markdown for the page of a job", "the worst causes first"),
        _render("badge", RED, "badge.json", "an endpoint of shields.io", "the words of the badge"),
    ],
}  # fmt: skip
"""Title → pieces of the gallery."""


def main() -> int:
    """Make the gallery; 1 if a command failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="out/gallery", type=Path)
    parser.add_argument("--picture", type=Path, help="also write the picture of the README here")
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    (args.folder / "runs").mkdir(parents=True)
    (args.folder / "fixtures").symlink_to(ROOT / "fixtures")
    failed = list(_make_pieces(args.folder))
    (args.folder / "fixtures").unlink()
    page = Frame("tools").render("gallery.html", _view())
    (args.folder / "index.html").write_text(page, encoding="utf-8")
    if args.picture:
        _picture(args.folder / f"{RED}.html", args.picture)
    for line in failed:
        print(line, file=sys.stderr)
    print(f"{args.folder / 'index.html'}: {sum(map(len, GROUPS.values())) - len(failed)} reports")
    return 1 if failed else 0


def _make_pieces(folder: Path) -> Iterator[str]:
    """Run every command; yields a line for each piece that was not made."""
    for name, (address, *options) in _RUNS.items():
        recorded = address.removeprefix("recorded:")
        iut = ["--iut", f"recorded:{RECORDED / recorded}"] if recorded else []
        _run(folder, "run", *iut, *options, "-q", "--out", f"runs/{name}")
        _set_clock(folder / "runs" / name / "run.jsonl")
    for name, options in _GENERATE.items():
        _run(folder, "generate", *options, "--changes", "2000", "--seed", "1", "--format", "jsonl", "--out", name)
    for piece in chain(*GROUPS.values()):
        output = _run(folder, *piece.arguments)
        if piece.name == "side-by-side.html" and (folder / "index" / "index.html").exists():
            shutil.copy(folder / "index" / "index.html", folder / piece.name)
        if (summary := folder / "runs" / piece.name / "summary.json").exists():
            comparison = json.loads(summary.read_text(encoding="utf-8"))
            comparison["made"] |= {"date": DATE}
            (folder / piece.name).write_text(COMPARISON_REPORTS["html"](comparison), encoding="utf-8")
        if not (folder / piece.name).exists():
            yield f"{piece.name}: {' '.join(piece.arguments)}: {output.strip()[-300:]}"


def _run(folder: Path, *arguments: str) -> str:
    """The output of a command of the suite, whatever its status: a red gate makes a report, too."""
    print("ticdc-conformance", *arguments, file=sys.stderr, flush=True)  # so that a person sees it go on
    command = [sys.executable, str(ROOT / "ticdc_conformance.py"), *arguments]
    env = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _set_clock(record: Path) -> None:
    """Write the record again, without times and machine data."""
    lines = []
    for line in record.read_text(encoding="utf-8").splitlines():
        event: dict[str, Any] = json.loads(line)
        event |= {"started": DATE, "host": ""} if event["event"] == "run" else {}
        event |= {"seconds": 0.0} if "seconds" in event else {}
        lines.append(json.dumps(event, ensure_ascii=False, separators=(",", ":")))
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _view() -> dict[str, Any]:
    groups = [
        {"id": title.lower().replace(" ", "-"), "title": title, "pieces": pieces} for title, pieces in GROUPS.items()
    ]
    return {
        "title": "Gallery of reports",
        "verdict": {
            "sentence": "Every report, of recordings of real producers and of the reference.",
            "colour": "good",
        },
        "notes": [],
        "facts": [("suite", f"ticdc-conformance {__version__}"), ("made by", "tox run -e gallery")],
        "sections": [(group["id"], group["title"]) for group in groups],
        "filter": None,
        "groups": groups,
        "footer": f"ticdc-conformance {__version__}",
    }


def _picture(page: Path, picture: Path) -> None:
    from tests.browser.chromium import chromium

    with chromium() as browser:
        browser.open(page)
        browser.drawn()
        browser.picture(picture)


if __name__ == "__main__":
    sys.exit(main())
