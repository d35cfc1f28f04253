"""docs/findings.md and docs/findings: every entry is whole, and every row of the table leads to one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tools import findings
from tools.findings_tried import output_of

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((DOCS / "findings").glob("*.md"))}
TABLE = (DOCS / "findings.md").read_text(encoding="utf-8")
ENTRIES = {
    (page, found[1]): found[0]
    for page, text in PAGES.items()
    for found in re.finditer(r'^## <a id="([^"]+)">.*?(?=^## |\Z)', text, re.MULTILINE | re.DOTALL)
}
STATUSES = ("open", "by design", "reported", "fixed in")


def _command(text: str) -> list[str]:
    found = re.search(r"^\* \*\*shown by\*\* `(.+)`$", text, re.MULTILINE)
    assert found is not None
    return shlex.split(found[1])


def test_every_row_of_the_table_leads_to_an_entry_and_every_entry_has_a_row() -> None:
    led = re.findall(r"\]\(findings/(\w+)\.md#([^)]+)\)", TABLE)
    assert sorted(led) == sorted(ENTRIES)
    assert len(ENTRIES) >= 15
    assert {"ticdc", "canal", "debezium"} <= {page for page, _ in ENTRIES}


@pytest.mark.parametrize(("page", "name"), sorted(ENTRIES))
def test_an_entry_has_harm_versions_rule_status_command_sql_bytes_and_a_text_to_copy(page: str, name: str) -> None:
    text = ENTRIES[page, name]
    for label in ("harm", "versions", "rule", "status", "shown by"):
        assert f"\n* **{label}** " in text
    status = re.search(r"^\* \*\*status\*\* (.+)$", text, re.MULTILINE)
    assert status is not None
    assert status[1].startswith(STATUSES)
    assert _command(text)[0] == "ticdc-conformance"
    block = text[text.index("````markdown") :]
    assert "```sql" in block
    assert re.search(r"^(bytes|value|record) ", block, re.MULTILINE)
    assert " ".join(map(shlex.quote, _command(text))) in block


@pytest.mark.parametrize("page", ["canal", "ticdc"])
def test_the_first_command_of_a_page_runs(page: str) -> None:
    """A sample: `tox run -e findings` runs all, and holds what they print against the finding."""
    name = next(name for of, name in ENTRIES if of == page)
    status, said = output_of(_command(ENTRIES[page, name]))
    assert status in (0, 1)
    assert said


def test_a_text_that_no_finding_has_is_no_success(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(findings, "_found", lambda: iter(()))
    monkeypatch.setattr("sys.argv", ["findings", "--check", "--only", "nothing-like-it"])
    assert findings.main() == 1
    assert "nothing-like-it" in capsys.readouterr().err
