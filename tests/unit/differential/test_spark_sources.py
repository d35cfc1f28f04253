"""What the Spark part may say: nothing that Spark Connect does not have."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from differential.spark import shipping

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted((ROOT / "differential" / "spark").glob("*.py"))
CLASSIC = {"sparkContext", "SparkContext", "rdd", "RDD", "sc", "_sc", "_jsc", "_jvm", "_jdf", "_jsparkSession"}


def names(path: Path) -> set[str]:
    """Every name, attribute and imported name of a module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.update(node.name.split("."))
    return found


@pytest.mark.parametrize("path", MODULES, ids=[path.stem for path in MODULES])
def test_only_progress_and_the_gateway_know_the_classic_context(path: Path) -> None:
    assert bool(names(path) & CLASSIC) == (path.stem in ("gateway", "progress"))


def test_a_worker_without_a_package_is_one_sentence() -> None:
    failure = "Traceback (most recent call last):\n  File x\nModuleNotFoundError: No module named 'orjson'\n"
    assert shipping.missing_package("java.io.IOException: no space") is None
    assert shipping.missing_package(failure) == (
        "its workers have no Python package 'orjson': they need cramjam, fastavro, numpy, orjson, "
        "pyarrow and tzdata, as this machine has them"
    )
