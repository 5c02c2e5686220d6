from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kgask.pack.literals import literal_key, literal_label, parse_literal, parse_typed
from kgask.pack.records import Literal


@pytest.mark.parametrize(
    ("field", "text", "label", "year"),
    [
        ('"1811"^^date', "1811", "1811", 1811),
        ('"1811-10-30"^^date', "1811-10-30", "1811-10-30", 1811),
        ('"1811-10"^^date', "1811-10", "1811-10", 1811),
        ('"1817-07-18T00:00:00Z"^^date', "1817-07-18", "1817-07-18", 1817),
        ('"1969-07-20T20:17:40Z"^^date', "1969-07-20T20:17:40Z", "1969-07-20T20:17:40Z", 1969),
        ('"44 BC"^^date', "-0043", "44 BCE", -43),
        ('"-0043-03-15"^^date', "-0043-03-15", "15 March 44 BCE", -43),
        ('"0000"^^date', "0000", "1 BCE", 0),
        ('"AD 800"^^date', "0800", "800", 800),
        ('"+1811-00-00T00:00:00Z"^^date', "1811", "1811", 1811),
        ('"2000-02-29"^^date', "2000-02-29", "2000-02-29", 2000),
    ],
)
def test_dates(field: str, text: str, label: str, year: int) -> None:
    literal = parse_typed(field)
    assert literal is not None
    assert (literal.kind, literal.text, literal_label(literal)) == ("date", text, label)
    assert literal.value is not None and literal.value // 1 == year


def test_numbers_have_units_and_values() -> None:
    literal = parse_typed('"357588"^^number[km²]')
    assert literal == Literal("number", "357588", 357588.0, "km²")
    assert literal_label(literal) == "357588 km²"
    assert parse_typed('"-1.5e3"^^number') == Literal("number", "-1.5e3", -1500.0)


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ('"1990-02-30"^^date', "no such date"),
        ('"1900-02-29"^^date', "no such date"),
        ('"1990-13"^^date', "no such date"),
        ('"hotel"^^date', "not a date"),
        ('"AD 5 BC"^^date', "not a date"),
        ('"357,588"^^number', "not a number"),
        ('"1e999"^^number', "out of range"),
        ('"nan"^^number', "not a number"),
        ('"٣"^^number', "not a number"),
        ('"5"^^date[km]', "no unit"),
        ('"x"^^colour', "unknown literal type"),
        ('""^^string', "empty string"),
    ],
)
def test_what_is_no_literal_says_why(field: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_typed(field)


@pytest.mark.parametrize("field", ['"Heroes"', "1811", '"1811"', 'a "1811"^^date', ""])
def test_fields_that_are_keys(field: str) -> None:
    assert parse_typed(field) is None


@pytest.mark.slow
@given(
    st.sampled_from(["number", "date", "string"]),
    st.text() | st.dates().map(str) | st.integers().map(str) | st.floats(allow_nan=False).map(repr),
    st.text(),
)
def test_keys_read_back_to_the_same_literal(kind: str, text: str, unit: str) -> None:
    try:
        literal = parse_literal(kind, text, unit if kind == "number" else "")  # type: ignore[arg-type]
    except ValueError:
        assume(False)
    assert parse_typed(literal_key(literal)) == literal


@given(st.dates(), st.dates())
def test_values_order_dates(one: object, other: object) -> None:
    values = [parse_literal("date", str(day)).value for day in (one, other)]
    assert (one < other) == (values[0] < values[1])  # type: ignore[operator]
