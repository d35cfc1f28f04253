"""The command line of the mutation score; see the package."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.mutation import page, sample
from tools.mutation.mutants import Place
from tools.mutation.outcomes import Outcome, Result, failures, tally
from tools.mutation.probes import Reach
from tools.mutation.reach import LONGEST, MATRIX, Step, measure, plan
from tools.mutation.sample import Row
from tools.mutation.worker import Replaced, forked, install, run_tests, warm

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "out" / "mutation"
BUDGET = 60.0  # CPU seconds of tests for one mutant
SLACK = 20.0  # CPU seconds beside the tests' own: imports, collection
HANGS = 3  # a mutant may take this many times the normal time


class Killer:
    """A plug-in of pytest that records the first failure."""

    def __init__(self) -> None:
        self.first = ""

    def _note(self, report: Any) -> None:
        if report.failed and not self.first:
            self.first = report.nodeid

    pytest_runtest_logreport = _note
    pytest_collectreport = _note


def try_steps(place: Place, steps: Sequence[Step]) -> dict[str, str]:
    """Run the tests of each step on the mutant until one fails, and return it as `killer`; empty if none fails.

    Call it in a process of its own.
    """
    install(Replaced(ROOT, {place.source.path: compile(place.text, str(ROOT / place.source.path), "exec")}))
    for step in steps:
        killer = Killer()
        if run_tests(ROOT, step.file, step.functions, killer) != 0:
            return {"killer": killer.first or step.file}
    return {}


def result_of(row: Row, place: Place, steps: Sequence[Step]) -> Result:
    """The result of a mutant."""
    cost = sum(step.cost for step in steps)
    ending, answer = forked(lambda: try_steps(place, steps), HANGS * cost + SLACK)
    if ending != "done":
        return Result(row, Outcome.TIMEOUT if ending == "timeout" else Outcome.KILLED, ending)
    if answer:
        return Result(row, Outcome.KILLED, answer["killer"])
    return Result(row, Outcome.SURVIVED, f"{cost:.0f} s of tests")


def killer_first(steps: list[Step], killer: str) -> list[Step]:
    """The steps, with the test first that killed the mutant last time."""
    file, _, test = killer.partition("::")
    step = next((s for s in steps if s.file == file and test.partition("[")[0] in s.functions), None)
    return [Step(file, (test.partition("[")[0],), step.cost), *steps] if step else steps


def _find_killers() -> None:
    """Write the cases that kill our mutants. It imports what mutants change, so it needs a process of its own."""
    from tools.mutation import matrix_slice

    matrix_slice.KILLERS.parent.mkdir(parents=True, exist_ok=True)
    matrix_slice.KILLERS.write_text(json.dumps(matrix_slice.killers()), encoding="utf-8")


def _failing_matrix_test() -> str:
    """The test of the kill matrix that fails without a change, or "". It needs a process of its own."""
    killer = Killer()
    return killer.first or MATRIX if run_tests(ROOT, MATRIX, (), killer) != 0 else ""


def run_apart(job: Callable[[], Any], what: str) -> Any:
    """The result of a job in a process of its own. Raises RuntimeError, naming `what`, if it has none."""
    ending, answer = forked(job, LONGEST)
    if ending != "done":
        raise RuntimeError(f"{what}: {ending} {answer}")
    return answer


def judge(name: str, only: str, again: bool, budget: float) -> list[Result]:
    """The results of a sample's mutants, each printed as soon as it is known."""
    rows = {n: sample.load(n) for n in sample.names()}
    places = sample.resolved(ROOT, {f"{n}/{row.id}": row.mutant for n in rows for row in rows[n]})
    identity = json.dumps([asdict(row.mutant) for n in sorted(rows) for row in rows[n]])
    if not (OUT / "killers.json").exists():
        run_apart(_find_killers, "the cases that kill our mutants")
    if failed := run_apart(_failing_matrix_test, "the kill matrix without a change"):
        raise RuntimeError(f"{failed} fails without a mutant, and would kill every one")
    reaches: dict[str, Reach] = {}
    for file, reach in measure(ROOT, places, identity, OUT / "reach.json"):
        reaches[file] = reach
        for function in dict.fromkeys(reach.failed):
            print(f"not used, for it fails without a mutant: {file}::{function}", flush=True)
    kept = OUT / f"{name}.json"
    last: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    results = []
    for row in rows[name]:
        if only not in row.id or (again and last.get(row.id, {}).get("outcome") in (Outcome.KILLED, Outcome.TIMEOUT)):
            continue
        place = places.get(f"{name}/{row.id}")
        if place is None:
            result = Result(row, Outcome.GONE)
        else:
            steps = plan(f"{name}/{row.id}", place.source.path, reaches, budget)
            result = result_of(row, place, killer_first(steps, last.get(row.id, {}).get("by", "")))
        results.append(result)
        last[row.id] = {"outcome": result.outcome, "by": result.by}
        kept.write_text(json.dumps(last, indent=1), encoding="utf-8")
        print(f"{row.id:32} {result.outcome:10} {result.by}", flush=True)
        if result.outcome is Outcome.SURVIVED and place is not None:
            print(page.difference(place), flush=True)
    return results


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0 if the score is reached and nothing is stale."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description="The mutation score of our own code.")
    parser.add_argument("--sample", default="fixed", choices=sample.names(), help="which sample (default: fixed)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutants whose id contains TEXT")
    parser.add_argument("--again", action="store_true", help="only those that were not killed the last time")
    parser.add_argument("--budget", type=float, default=BUDGET, help="CPU seconds of tests for a mutant")
    parser.add_argument("--report", action="store_true", help="write docs/mutation.md from what was measured")
    parser.add_argument("--draw", metavar="NAME", help="draw a new sample instead")
    parser.add_argument("--refill", metavar="NAME", help="draw others instead for those of a sample that are gone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=30, help="mutants of every package")
    parser.add_argument("--without", action="append", default=[], metavar="FILE", help="draw none from this file")
    options = parser.parse_args(argv)
    if options.draw or options.refill:
        if options.draw:
            drawn = sample.draw(ROOT, options.draw, options.seed, options.each, options.without)
        else:
            drawn = sample.refill(ROOT, options.refill, options.seed)
        for row in drawn:
            print(row.id, row.mutant.file, row.mutant.scope, row.mutant.operator)
        return 0
    if options.report:
        (ROOT / "docs" / "mutation.md").write_text(page.page(OUT), encoding="utf-8")
        return 0
    warm(OUT / "compiled")
    results = judge(options.sample, options.only, options.again, options.budget)
    print("\n".join(tally(results)))
    found = failures(results) if not (options.only or options.again) else []
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
