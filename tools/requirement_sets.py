"""Freezes the requirements of a version, and lists the changes from one version to another.

python tools/requirement_sets.py                  writes fixtures/sets/VERSION.json of the version that is being made
python tools/requirement_sets.py --check          status 1 unless that file says what the registers say
python tools/requirement_sets.py OLD NEW          prints what an upgrade changes, as Markdown

The set of a version that the changelog does not call unreleased stays as it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance import __version__  # noqa: E402
from conformance.catalogue.register import load_register  # noqa: E402
from conformance.engine.sets import (  # noqa: E402
    Change,
    RequirementSet,
    changes,
    current_set,
    load_set,
    set_text,
    set_versions,
    sets_folder,
)
from conformance.errors import UsageError  # noqa: E402
from reference_impl.protocols import DIALECTS  # noqa: E402
from tools.page_text import TITLES, cell, page, table  # noqa: E402

_UNRELEASED = f"## {__version__} (unreleased)"


def problem(folder: Path, changelog: str) -> str:
    """Why the set of this version cannot be written; empty if it can, or if it is up to date."""
    path = folder / f"{__version__}.json"
    if not path.exists() or path.read_text(encoding="utf-8") == set_text(current_set()):
        return ""
    if _UNRELEASED in changelog.splitlines():
        return ""
    return f"{path.name} is of a version that was released: give the suite a new version in pyproject.toml first"


def upgrade_lines(before: RequirementSet, after: RequirementSet) -> Iterator[str]:
    """The changes of an upgrade, a table a dialect; one sentence if there are none."""
    found = list(changes(before, after))
    if not found:
        yield "The requirements are the same ones at the same levels: no verdict changes because of them."
        yield ""
    for protocol in dict.fromkeys(change.protocol for change in found):
        yield f"**{TITLES.get(protocol, protocol)}**"
        yield ""
        rows = (change for change in found if change.protocol == protocol)
        yield from table(("requirement", before.version, after.version, "verdicts", "rule"), map(_row, rows))


def _row(change: Change) -> Sequence[object]:
    rule = load_register(change.protocol).find(change.id) if change.protocol in DIALECTS else None
    was, now = (str(one) if one else "–" for one in (change.before, change.after))
    return change.id, was, now, _effect(change), cell(rule.rule if rule else "")


def _effect(change: Change) -> str:
    """The effect of a change on an unchanged implementation."""
    was = change.before if change.before and change.before.testable else None
    now = change.after if change.after and change.after.testable else None
    if now is None:
        return "findings of it go" if was else "none: no harness can show it"
    if was is None:
        return "only shown: it is a MAY" if now.level == "may" else f"may change: a broken {now.level.upper()} is new"
    return f"may change: {was.level.upper()} became {now.level.upper()}"


def upgrading_page() -> str:
    """`upgrading.md`: every step from one version to the next, the newest first."""

    def lines() -> Iterator[str]:
        yield "Which requirements are new, gone, or of another level from one version of the suite to the next: where"
        yield "they are judged, verdicts may change though the implementation is the same. Corrections of cases and of"
        yield "the oracle are marked **verdict** in the [changelog](../CHANGELOG.md)."
        yield ""
        yield "`--suite-version VERSION` scores by the requirements of an older version:"
        yield "[what stays the same](policy.md#requirement-sets) says how."
        yield ""
        steps = list(pairwise(map(load_set, set_versions())))
        if not steps:
            yield f"{__version__} is the first version."
        for before, after in reversed(steps):
            yield f"## From {before.version} to {after.version}"
            yield ""
            yield from upgrade_lines(before, after)

    return page("From version to version", lines())


def main(arguments: Sequence[str] | None = None, folder: Path | None = None) -> int:
    """Write, check, or print. Returns 0 on success."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", metavar="VERSION")
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    args = parser.parse_args(arguments)
    here, text = folder or sets_folder(), set_text(current_set())
    path = here / f"{__version__}.json"
    if args.versions:
        if len(args.versions) != 2:
            parser.error("give two versions: OLD NEW")
        try:
            before, after = (load_set(version, here) for version in args.versions)
        except UsageError as e:
            parser.error(str(e).removeprefix("--suite-version "))
        print("\n".join(upgrade_lines(before, after)).rstrip())
        return 0
    if args.check:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return 0
        print(f"{path.name} is not what the registers say: python tools/requirement_sets.py")
        return 1
    if why := problem(here, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")):
        print(why)
        return 1
    here.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
