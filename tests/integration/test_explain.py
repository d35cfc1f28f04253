"""`explain`: what is said of each kind of thing that has a name."""

from __future__ import annotations

import pytest

from conformance.cli.main import main

DV_02 = (
    *("divergence/DV-02  canal -> canal-json, schema, documented", "TiCDC Canal-JSON 和 Canal 官方实现对比", "CJ-355"),
    "removed by  content-compatible=true of canal-json (but widths and escapes remain (DV-12, DV-104))",
    *("canal-json: content-compatible=false", "breaks    readers that match `mysqlType` by the base word"),
    *("reader      take lengths and precisions from the database", "c VARCHAR(20)", "canal/mysql97/57"),
)
DV_OP_12 = ("disagreement/DV-OP-12", "classic", "decision", "OP-032a", "size/claim-check/")
LOST = "canal-json/column-lost"
AS_IT_IS_JUDGED = f"run --iut 'cmd:ticdc-conformance serve-reference --mutant {LOST}' --protocol canal-json"
EXPLAINED = {
    # A case with its records taken apart, and what formats carry apart from how they carry it.
    "open-protocol/golden/01-event-formats/row-key": ('"scm":"test"', "version 1"),
    "carry": ("\n  schema, table, operation: always\n",),
    # A requirement with its mutants and what they stand for, one of two dialects, and one that names a disagreement.
    "CJ-501": ("canal-json/old-null: ", "canal-json/old-one-less: ", "history/CJ-06: "),
    "CJ-881": ("canal-json, decode", "canal, decode", "canal/doubled-members-of-little-use"),
    "DBZ-825": ("disagreement/DBZ-825",),
    # A historical defect with its references and mutants, and one without mutants.
    "history/CJ-01": ("history/CJ-01", "tidb 21053", "canal-json/watermark-always", "CJ-050"),
    "history/AV-22": ("not expressible",),
    # A mutant with the defects that it stands for, and with how to see it judged.
    "canal-json/watermark-always": ("history/CJ-01",),
    LOST: ("dies for    CJ-030a  MUST", AS_IT_IS_JUDGED, f"mutants -k {LOST}"),
    # A disagreement and a divergence, by their ids and by an alias; and one that nothing removes.
    **dict.fromkeys(("DV-OP-12", "disagreement/DV-OP-12"), DV_OP_12),
    "disagreement/DBZ-825": ("debezium/doubled-binary-default",),
    **dict.fromkeys(("DV-02", "divergence/DV-02", "UN-3.1-3"), DV_02),
    "DV-40": ("  removed by  none exists\n",),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_what_has_a_name_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    text = capsys.readouterr().out
    assert [words for words in EXPLAINED[name] if words not in text] == []
