"""Which tests a mutant of our own code is put to: of a statement that runs on import, those that use its names."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tools.mutation.probes import COLLECTION, Reach, instrumented
from tools.mutation.reach import file_probe, plan, users_probe
from tools.mutation.users import Names, names_used
from tools.mutation.worker import Replaced, install

CODES = """
from enum import Enum

LIMIT = 5
CODES = {"a": LIMIT, **{name: 1 for name in ("b", "c")}}
TABLE, OTHER = {}, {}
ROWS = {}
ROWS["x"] = 2
CODES.other = 3

class Kind(Enum):
    ONE = 1

@wrapped(7)
def code_of(name, default=8):
    first = 9
    return CODES[name]

lengths = [lambda text: len(text) + 10]
"""
FILES = {
    "product/codes.py": CODES,
    "product/encoder.py": "from product.codes import CODES as numbers, Kind\nMORE = {**numbers}\nONE = 1\n",
    "product/decoder.py": "from product import codes\nMORE = codes.LIMIT\nLESS = 0\n",
    "product/alone.py": "LIMIT = 6\nCODES = LIMIT\n",
}


@pytest.mark.parametrize(
    ("line", "here", "in_encoder", "in_decoder"),
    [
        ("LIMIT = 5", "LIMIT CODES", "LIMIT CODES numbers MORE", "LIMIT CODES MORE"),
        ("TABLE, OTHER = ", "TABLE OTHER", "TABLE OTHER", "TABLE OTHER"),
        ('ROWS["x"] = 2', "ROWS", "ROWS", "ROWS"),
        ("CODES.other = 3", "CODES", "CODES numbers MORE", "CODES"),
        ("ONE = 1", "ONE", "ONE", "ONE"),
        ("class Kind(Enum)", "Kind", "Kind", "Kind"),
        ("@wrapped(7)", "code_of", "code_of", "code_of"),
        ("default=8", "code_of", "code_of", "code_of"),
        ("lambda text", "lengths", "lengths", "lengths"),
        ("first = 9", "", "", ""),
        ("return CODES", "", "", ""),
    ],
)
def test_a_name_is_followed_through_statements_on_import_and_into_the_files_that_import_from_its_module(
    line: str, here: str, in_encoder: str, in_decoder: str
) -> None:
    number = next(n for n, text in enumerate(CODES.splitlines(), 1) if line in text)
    found = Names({file: ast.parse(text) for file, text in FILES.items()}).that_depend_on("product/codes.py", number)
    expected = {"codes": here, "encoder": in_encoder, "decoder": in_decoder}
    assert found == {f"product/{name}.py": {*names.split()} for name, names in expected.items() if names}


@pytest.mark.parametrize(
    ("line", "names"), [("ONE = 1", {"Kind"}), ("class Kind(Enum)", set()), ("LIMIT = 5", set()), ("first = 9", set())]
)
def test_a_field_stands_in_the_body_of_its_class(line: str, names: set[str]) -> None:
    number = next(n for n, text in enumerate(CODES.splitlines(), 1) if line in text)
    assert Names({"product/codes.py": ast.parse(CODES)}).classes_around("product/codes.py", number) == names


@pytest.mark.parametrize(
    ("function", "names"),
    [
        ("def f(): return A.b", {"f", "A", "b"}),
        ("def f(x: Hint = C) -> Hint: return x", {"f", "C", "x"}),
        ("lambda x: x + D", {"x", "D"}),
        ("lambda: f(key=1, **E)", {"f", "key", "E"}),
    ],
)
def test_a_function_uses_the_names_in_it_and_its_own_without_those_of_annotations(function, names) -> None:
    node = ast.parse(function).body[0]
    found = names_used(node.value if isinstance(node, ast.Expr) else node)  # type: ignore[arg-type]
    assert found == names


def test_a_probe_at_the_beginning_of_a_function_notes_every_call() -> None:
    text = "LIMIT = 5\ndef user():\n    'Doc.'\n    return LIMIT\ndef other(): return 0\nshort = lambda: LIMIT\n"
    tree = instrumented(text, {"place": (1, 8, 1, 9)}, lambda function: sorted({"LIMIT"} & names_used(function)))
    reached: list[str] = []
    space = {"__reached__": reached.append}
    exec(compile(tree, "file", "exec"), space)  # type: ignore[arg-type]
    assert reached == ["place"]
    assert [space[name]() for name in ("other", "user", "short")] == [0, 5, 5]  # type: ignore[operator]
    assert reached == ["place", "LIMIT", "LIMIT"]
    assert space["user"].__doc__ == "Doc."


def test_what_reaches_a_place_or_uses_its_names_comes_before_what_comes_into_its_file_and_the_cheapest_first() -> None:
    source = "reference_impl/avro/x.py"
    hits = {
        "m": {COLLECTION, "test_direct"},
        users_probe("m"): {"test_slow_user", "test_user"},
        file_probe(source): {"test_touching", "test_user"},
    }
    cost = {
        COLLECTION: 0.1,
        "test_direct": 1,
        "test_slow_user": 5,
        "test_user": 0.5,
        "test_touching": 0.2,
        "test_far": 0,
    }
    steps = plan("m", source, {"tests/t.py": Reach(hits, cost)}, 60)
    assert [step.functions for step in steps] == [
        ("test_user", "test_direct"),
        ("test_mutants_of_avro",),
        ("test_slow_user",),
        ("test_touching",),
        ("test_far",),
    ]


def test_a_module_that_is_already_imported_is_never_taken_for_replaced(tmp_path: Path) -> None:
    unchanged = Replaced(tmp_path, {"ast.py": compile("", "ast.py", "exec")})
    with pytest.raises(RuntimeError, match="imported before it could be replaced: ast"):
        install(unchanged)
    assert unchanged not in sys.meta_path
