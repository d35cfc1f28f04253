"""How Canal's flat message prints what Java or the server stores: floats, escaped strings, JSON, JSON by difference.

The expectations are those of the rules and of what Canal 1.1.7 was recorded to write.
"""

from __future__ import annotations

import pytest

from reference_impl.errors import Rejected
from reference_impl.java_numbers import double_text, float_text
from reference_impl.stored_json import Opaque, stored_tree
from reference_impl.upstream.canal.json_text import literal, stored_text
from reference_impl.upstream.canal.partial_json import partial_text

# Bits are what Java 17 and Java 25 were seen to print.  [TV-401 … TV-416]
FLOATS = [
    (64, 1.0, "1.0", "1.0"),
    (64, 1e7, "1.0E7", "1.0E7"),
    (64, 9999999.0, "9999999.0", "9999999.0"),
    (64, 12345678.0, "1.2345678E7", "1.2345678E7"),
    (64, 0.001, "0.001", "0.001"),
    (64, 0.0001, "1.0E-4", "1.0E-4"),
    (64, 1e21, "1.0E21", "1.0E21"),
    (64, 0.0, "0.0", "0.0"),
    (64, -0.0, "-0.0", "-0.0"),
    (64, 2e23, "1.9999999999999998E23", "2.0E23"),
    (64, 5e-324, "4.9E-324", "4.9E-324"),
    (64, 1.7976931348623157e308, "1.7976931348623157E308", "1.7976931348623157E308"),
    (32, 123.46, "123.46", "123.46"),
    (32, 2020.0202, "2020.0201", "2020.0201"),
    (32, -2.7182818284, "-2.7182817", "-2.7182817"),
    (32, 3.4028235e38, "3.4028235E38", "3.4028235E38"),
    (32, 1e-45, "1.4E-45", "1.4E-45"),
    (32, 1.17549435e-38, "1.17549435E-38", "1.1754944E-38"),
]


@pytest.mark.parametrize(("bits", "value", "java_17", "java_25"), FLOATS)
def test_a_float_has_the_digits_of_the_java_below(bits: int, value: float, java_17: str, java_25: str) -> None:
    text = float_text if bits == 32 else double_text
    assert (text(value, 17), text(value, 25)) == (java_17, java_25)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a<b>&c\"\\/'", '"a<b>&c\\"\\\\/\'"'),
        (
            "\0\x01\x07\x08\t\n\x0b\x0c\r\x1b\x1f\x7f",
            '"\\u0000\\u0001\\u0007\\b\\t\\n\\u000b\\f\\r\\u001b\\u001f\x7f"',
        ),
        ("\x80\x9f\xa0\xff\u2028\u2029😀", '"\x80\x9f\xa0\xff\u2028\u2029😀"'),
        ("\ud800", '"?"'),
    ],
)
def test_a_string_is_escaped_as_fastjson_does(text: str, written: str) -> None:
    assert literal(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[1, 1.0, 1e7, 1e-4, 18446744073709551615, 18446744073709551616]",
         "[1, 1.0, 1.0E7, 1.0E-4, 18446744073709551615, 1.8446744073709552E19]"),
        ('{"k": "b\\b f\\f n\\n d\\u007f \\u00a0 <>& é"}', '{"k": "b\\u0008 f\\u000c n\\n d\\u007f \\u00a0 <>& é"}'),
        ('{"k": "cut \\u0000 here", "l": []}', '{"k": "cut ", "l": []}'),
        ('{"a\\"b": {}}', '{"a"b": {}}'),
        ('{"a": 1, "a": 2}', '{"a": 2}'),
        ('{"$opaque": ["T", ["date", "2024-02-29"]]}', '"2024-02-29 00:00:00.000000"'),
        ('{"$opaque": ["T", ["datetime", "2024-02-29 12:34:56.789"]]}', '"2024-02-29 12:34:56.789000"'),
        ('{"$opaque": ["T", ["time", "12:34:56.5"]]}', '"12:34:56.500000"'),
        ('{"$opaque": ["T", ["dec", "1.50"]]}', "1.50"),
        ('{"$opaque": ["T", ["bin", "b\'\\\\x05\'"]]}', '"\\u0005"'),
    ],
)  # fmt: skip
def test_a_json_value_is_printed_from_what_the_database_stores(text: str, written: str) -> None:
    assert stored_text(stored_tree(text), 17) == written


def test_a_scalar_without_a_form_in_json_is_written_by_kind() -> None:
    assert stored_tree('[{"$opaque": ["T", ["dec", "0.1"]]}]') == [Opaque("dec", "0.1")]
    for wrong in ('["T", ["colour", "red"]]', '["T"]', '["T", ["bin", "nonsense"]]', "1"):
        with pytest.raises(Rejected) as caught:
            stored_tree(f'{{"$opaque": {wrong}}}')
        assert caught.value.reason == "type"


def test_json_by_difference_is_the_calls_that_make_it() -> None:
    before, after = stored_tree('{"k": "v", "e7": 1e7}'), stored_tree('{"k": "v", "e7": 1}')
    assert partial_text("j", before, after, 17) == "JSON_REPLACE(j, '$.e7', 1)"
    after = stored_tree('{"k": ["w"], "n n": 1.5}')
    assert (
        partial_text("j", before, after, 17)
        == "JSON_REMOVE(JSON_INSERT(JSON_REPLACE(j, '$.k', [\"w\"]), '$.\"n n\"', 1.5), '$.e7')"
    )
