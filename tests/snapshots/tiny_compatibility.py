"""A tiny table of encoders by readers in which every word stands once, and a large one."""

from __future__ import annotations

from typing import Any

__all__ = ["TABLE", "many_cells"]

_WORDS = ("silently wrong", "rejected", "lossy", "lossless", "not tried")


def _cause(verdict: str, type_: str, effect: str, rule: str = "", cases: int = 1) -> dict[str, Any]:
    example = {
        "case": f"toy/{type_ or 'rows'}",
        "column": "v" if type_ else "",
        "options": {"mode": "a"},
        "went_in": None,
        "read": None,
    }
    example |= {"went_in": "x\u200b", "read": None} if type_ else {}
    sql = ["CREATE TABLE `test`.`t` (`id` int, `v` blob)", "INSERT INTO `test`.`t` VALUES (1, 'x\u200b')"]
    return {
        "verdict": verdict,
        "type": type_,
        "effect": effect,
        "rule": rule,
        "cases": cases,
        "examples": [example | {"sql": sql if type_ else []}],
    }


def _cell(reader: str, verdict: str, causes: list[dict[str, Any]], **counts: int) -> dict[str, Any]:
    told = {word: counts[word.replace(" ", "_")] for word in _WORDS if word.replace(" ", "_") in counts}
    kind = "decoder" if "@" not in reader else "model"
    return {
        "encoder": "toy 1.0",
        "reader": reader,
        "rests_on": kind,
        "protocol": "toy",
        "verdict": verdict,
        "reason": "" if causes or verdict == "lossless" else "the reader has no format for the protocol",
        "cases": sum(told.values()),
        "counts": told,
        "types": [{"type": one["type"], "verdict": one["verdict"], "cases": 1} for one in causes if one["type"]],
        "causes": causes,
        "command": f"ticdc-conformance matrix --encoder cmd:./toy --protocol toy --consumer {reader}",
    }


_WRONG = _cell(
    "flink@2.3.0",
    "silently wrong",
    [
        _cause("silently wrong", "enum", "another value", cases=2),
        _cause("silently wrong", "int", "NULL for a value, as the message of T-1 says"),
        _cause("rejected", "time", "A text that does not fit its declared type fails the job.", "flink.value"),
        _cause("not tried", "", "the encoder refuses the case"),
    ],
    silently_wrong=3,
    rejected=1,
    lossless=1_200,
    not_tried=1,
)
TABLE: dict[str, Any] = {
    "compatibility": 1,
    "suite": "1.2.3",
    "command": ["ticdc-conformance", "matrix", "--encoder", "cmd:./toy"],
    "encoders": [
        {"name": "toy", "version": "1.0", "profile": "newarch", "note": ""},
        {"name": "absent", "version": "", "profile": "", "note": "it does not start"},
    ],
    "readers": ["flink@2.3.0", "paimon@1.3.1", "seatunnel@2.3.8", "connect@3.9.1", "toy decoder"],
    "cells": [
        _WRONG,
        _cell("paimon@1.3.1", "rejected", [_cause("rejected", "", "The job fails.", "paimon.value")], rejected=1),
        _cell("seatunnel@2.3.8", "lossy", [_cause("lossy", "double", "digits are lost")], lossy=1, lossless=2),
        _cell("connect@3.9.1", "not tried", [], not_tried=3),
        _cell("toy decoder", "lossless", [], lossless=3),
    ],
}


def many_cells() -> dict[str, Any]:
    """A table of 20 encoders by 10 readers, each cell with 40 causes."""
    causes = [_cause(_WORDS[n % 3], f"type {n}", "another value", cases=n + 1) for n in range(40)]
    readers = [f"reader-{n}@1" for n in range(10)]
    cells = [
        {**_cell(reader, "silently wrong", causes, silently_wrong=820), "encoder": f"encoder {n}"}
        for n in range(20)
        for reader in readers
    ]
    return TABLE | {"readers": readers, "cells": cells}
