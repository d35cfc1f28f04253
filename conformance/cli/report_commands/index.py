"""`report index RUN… -o DIR`: runs side by side as a page and as JSON, and a badge for each implementation."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from conformance.cli.arguments import add_shared
from conformance.cli.output_folder import make_folder
from conformance.cli.reporting import checked_options, template_errors
from conformance.cli.saved_runs import read_saved, status_of_shown
from conformance.errors import UsageError, file_errors
from reports.badge import badge_text
from reports.index import IndexBuilder, index_page
from reports.renderer import ReportOptions
from reports.texts import counted

__all__ = ["register"]

_PAGE, _RECORD, _BADGES = "index.html", "index.json", "badges"


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="a folder of --out, or a run record")
    parser.add_argument(
        "-o", "--out", metavar="DIR", type=Path, required=True, help=f"folder for {_PAGE}, {_RECORD} and {_BADGES}/"
    )
    add_shared(parser, "--template")
    parser.set_defaults(handle=_index)


def _index(args: argparse.Namespace) -> int:
    options = _checked(args)
    builder, status = IndexBuilder(), 0
    for path in args.runs:
        # One run after another: each may be large, and little of it is kept.
        run = read_saved(path, empty=True)
        builder.add(str(path), run.events)
        status = max(status, status_of_shown(run))
    record = builder.record()
    with template_errors(options):
        page = index_page(record, options)
    make_folder(args.out)
    files = {_PAGE: page, _RECORD: json.dumps(record, ensure_ascii=False, indent=1) + "\n"}
    files |= {f"{_BADGES}/{column['id']}.json": badge_text(column["badge"]) for column in record["columns"]}
    with file_errors(f"-o {args.out}: cannot be written"):
        (args.out / _BADGES).mkdir(exist_ok=True)
        for name, text in files.items():
            (args.out / name).write_text(text, encoding="utf-8", newline="\n")
    columns = counted(len(record["columns"]), "column", "columns")
    print(f"{columns} of {counted(len(args.runs), 'run', 'runs')}: {args.out / _PAGE}")
    return status


def _checked(args: argparse.Namespace) -> ReportOptions:
    """The options of the page. Raises `UsageError` for a wrong template, and for a run that is given twice."""
    seen: set[Path] = set()
    for path in args.runs:
        place = path.resolve()
        if place in seen:
            raise UsageError(f"report index: {path} is given twice")
        seen.add(place)
    return checked_options(args, "reports.index")
