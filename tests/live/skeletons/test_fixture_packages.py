"""The packages of fixtures in use: npm installs one, Go builds with one; the skeleton in Java reads the jar."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.fixture_packages import packages

ROOT = Path(__file__).resolve().parents[3]
VECTORS = "vectors/ticdc-newarch/canal-json.jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of `npm` and `go`."""
    target = tmp_path_factory.mktemp("packages")
    for kind, files in packages(ROOT / "fixtures").items():
        for name, data in files.items():
            (target / kind / name).parent.mkdir(parents=True, exist_ok=True)
            (target / kind / name).write_bytes(data)
    return target


def said(program: str, *arguments: str, folder: Path) -> str:
    """What a program prints; a skip where it is not there."""
    if shutil.which(program) is None:
        pytest.skip(f"the packages were not used: {program} not found on PATH")
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def vectors(folder: Path) -> int:
    return len((folder / "go" / VECTORS).read_bytes().splitlines())


def test_node_reads_vectors_of_the_package_that_npm_installed(folder: Path, tmp_path: Path) -> None:
    [package] = (folder / "npm").iterdir()
    (tmp_path / "package.json").write_text(json.dumps({"name": "mine", "private": True}), encoding="utf-8")
    said("npm", "install", "--offline", "--no-audit", "--no-fund", str(package), folder=tmp_path)
    code = (
        "import { readFileSync } from 'node:fs'; import { fileURLToPath } from 'node:url';"
        f"const path = fileURLToPath(import.meta.resolve('ticdc-conformance-fixtures/{VECTORS}'));"
        "console.log(readFileSync(path, 'utf8').trim().split('\\n').map(JSON.parse).length);"
    )
    (tmp_path / "read.mjs").write_text(code, encoding="utf-8")
    assert said("node", "read.mjs", folder=tmp_path) == f"{vectors(folder)}\n"


def test_go_reads_vectors_of_the_module(folder: Path, tmp_path: Path) -> None:
    module = "ticdc-conformance/fixtures"
    (tmp_path / "go.mod").write_text(
        f"module mine\n\ngo 1.21\n\nrequire {module} v0.0.0\n\nreplace {module} => {folder / 'go'}\n", encoding="utf-8"
    )
    (tmp_path / "main.go").write_text(
        f'package main\n\nimport (\n\t"bytes"\n\t"fmt"\n\n\t"{module}"\n)\n\nfunc main() {{\n'
        f'\tdata, _ := fixtures.Files.ReadFile("{VECTORS}")\n\tfmt.Println(bytes.Count(data, []byte("\\n")))\n}}\n',
        encoding="utf-8",
    )
    assert said("go", "run", ".", folder=tmp_path) == f"{vectors(folder)}\n"
