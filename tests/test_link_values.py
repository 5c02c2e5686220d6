"""Numbers, dates and ranks in questions: what they may mean, and where they stand."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgask.link.units import _SYMBOL_UNITS, _UNITS
from kgask.link.values import Option, value_spans
from kgask.pack.quantities import axis_of
from kgask.query.nodes import Date, Number, Range


def _one(text: str, axes: tuple[str, ...] = ()) -> tuple[str, Option]:
    """The only value of a text: its characters and its likeliest meaning."""
    (span,) = value_spans(text, axes)
    return text[span.start : span.end], span.options[0]


def _years(first: str, last: str) -> Range:
    return Range(Date(first), Date(last))


@pytest.mark.parametrize(
    ("text", "said", "number"),
    [
        ("more than 1,250,000 people", "1,250,000", 1_250_000),
        ("with 1 000 000 inhabitants", "1 000 000", 1_000_000),
        ("over 1.5 million inhabitants", "1.5 million", 1_500_000),
        ("at least ten thousand people", "ten thousand", 10_000),
        ("two hundred and fifty members", "two hundred and fifty", 250),
        ("a dozen eggs", "a dozen", 12),
        ("two dozen eggs", "two dozen", 24),
        ("half a million people", "half a million", 500_000),
        ("two and a half million", "two and a half million", 2_500_000),
        ("a hundred films", "a hundred", 100),
        ("exactly twenty-five films", "twenty-five", 25),
        ("the three densest elements", "three", 3),
        ("the top 10 countries", "10", 10),
        ("more than one child", "one", 1),
        ("has won twice", "twice", 2),
        ("above 6.02e23 atoms", "6.02e23", 6.02e23),
        ("above 2 × 10^5 atoms", "2 × 10^5", 2e5),
        ("below -40.5 now", "-40.5", -40.5),
        ("below minus forty now", "minus forty", -40),
        ("10k people", "10k", 10_000),
        ("with atomic number 79", "79", 79),
        ("more than 1500 people", "1500", 1500),  # an amount, not a year
        ("1500 inhabitants", "1500", 1500),
    ],
)
def test_a_number_without_a_unit(text: str, said: str, number: float) -> None:
    assert _one(text) == (said, Number(number))
    assert value_spans(text)[0].kind == "number"


@pytest.mark.parametrize(
    ("text", "said", "number"),
    [
        ("bigger than 100,000 square kilometres", "100,000 square kilometres", Number(100_000, "km²")),
        ("bigger than 100 km² or so", "100 km²", Number(100, "km²")),
        ("bigger than 3 sq. mi", "3 sq. mi", Number(3, "mi²")),
        ("longer than 6000 km?", "6000 km", Number(6000, "km")),
        ("a 200-metre tower", "200-metre", Number(200, "m")),
        ("100m tall", "100m", Number(100, "m")),
        ("twelve feet tall", "twelve feet", Number(12, "ft")),
        ("heavier than 70 kg", "70 kg", Number(70, "kg")),
        ("under 40 degrees Celsius", "40 degrees Celsius", Number(40, "°C")),
        ("under -40 °C", "-40 °C", Number(-40, "°C")),
        ("above 300 K", "300 K", Number(300, "K")),
        ("denser than 5 g/cm3", "5 g/cm3", Number(5, "g/cm³")),
        ("19 grams per cubic centimetre", "19 grams per cubic centimetre", Number(19, "g/cm³")),
        ("80 kilometres per hour", "80 kilometres per hour", Number(80, "km/h")),
        ("less than 3.5 %", "3.5 %", Number(3.5, "%")),
        ("worth $5 billion", "$5 billion", Number(5e9, "USD")),
        ("worth 5 million US dollars", "5 million US dollars", Number(5e6, "USD")),
        ("with 16GB of memory", "16GB", Number(16, "GB")),
        ("faster than 10 Gbps", "10 Gbps", Number(10, "Gbit/s")),
        ("lasted 3 hours", "3 hours", Number(3, "h")),
        ("older than 50 years", "50 years", Number(50, "year")),
        ("is 50 years old", "50 years old", Number(50)),
        ("a 5-year-old child", "5-year-old", Number(5)),
    ],
)
def test_a_number_with_its_unit_may_also_stand_without(text: str, said: str, number: Number) -> None:
    assert _one(text) == (said, number)
    assert Number(number.number) in value_spans(text)[0].options


def test_a_unit_of_the_pack_is_read_as_the_pack_writes_it() -> None:
    axes = ("date", "", "m²", "million US dollar", "employee")
    assert _one("earning more than 5 billion dollars", axes)[1] == Number(5000, "million US dollar")
    assert _one("with 300 employees", axes) == ("300 employees", Number(300, "employee"))
    assert _one("with 300 employees") == ("300", Number(300))


def test_every_unit_with_a_name_is_one_that_the_library_of_units_knows() -> None:
    own = {"%", "USD", "EUR", "GBP", "JPY", "CNY", "INR", "CHF"}
    units = {*_UNITS.values(), *_SYMBOL_UNITS.values()} - own
    times_km = {unit: f"{unit}·km" for unit in units - {"°C", "°F"}}  # in base units it says "m" where both are known
    assert [unit for unit, product in times_km.items() if axis_of(product) == product] == []
    assert axis_of("°C") == axis_of("°F") == "K"


@pytest.mark.parametrize(
    ("text", "said", "date"),
    [
        ("born on 4 July 1776?", "4 July 1776", Date("1776-07-04")),
        ("the 4th of July, 1776", "4th of July, 1776", Date("1776-07-04")),
        ("on July 4th, 1776", "July 4th, 1776", Date("1776-07-04")),
        ("on Sept. 4 1776", "Sept. 4 1776", Date("1776-09-04")),
        ("on 1776-07-04", "1776-07-04", Date("1776-07-04")),
        ("on 4.7.1776", "4.7.1776", Date("1776-07-04")),
        ("in May 1945", "May 1945", Date("1945-05")),
        ("in 1811", "1811", Date("1811")),
        ("in 44 BC", "44 BC", Date("44 BCE")),
        ("in AD 79", "AD 79", Date("0079")),
        ("before 800", "800", Date("0800")),
        ("in the 1930s", "1930s", _years("1930", "1939")),
        ("in the mid-1930s", "1930s", _years("1930", "1939")),
        ("in the thirties", "thirties", _years("1930", "1939")),
        ("in the '60s", "60s", _years("1960", "1969")),
        ("in the 1800s", "1800s", _years("1800", "1899")),
        ("in the 19th century", "19th century", _years("1801", "1900")),
        ("nineteenth-century novels", "nineteenth-century", _years("1801", "1900")),
        ("the fifth century BC", "fifth century BC", _years("-0499", "-0400")),
        ("the 2nd millennium", "2nd millennium", _years("1001", "2000")),
        ("from 1914 to 1918", "from 1914 to 1918", _years("1914", "1918")),
        ("between 1914 and 1918", "between 1914 and 1918", _years("1914", "1918")),
        ("in 1914-1918", "1914-1918", _years("1914", "1918")),
        ("in 1914–18", "1914–18", _years("1914", "1918")),
        ("between 500 and 400 BC", "between 500 and 400 BC", _years("500 BCE", "400 BCE")),
        ("between May 1940 and June 1944", "between May 1940 and June 1944", _years("1940-05", "1944-06")),
        ("from the 1930s to the 1950s", "from the 1930s to the 1950s", _years("1930", "1959")),
        ("between the 16th and 18th century", "between the 16th and 18th century", _years("1501", "1800")),
    ],
)
def test_a_date(text: str, said: str, date: Date | Range) -> None:
    assert _one(text) == (said, date)
    assert value_spans(text)[0].kind == "date"


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("between 40 and 50", (Number(40), Number(50))),
        ("40 to 50 km", (Number(40, "km"), Number(50, "km"))),
        ("between 40 and 50 square miles", (Number(40, "mi²"), Number(50, "mi²"))),
        ("between $5 and $10", (Number(5, "USD"), Number(10, "USD"))),
        ("between 1 and 2 million", (Number(1e6), Number(2e6))),
        ("between 500,000 and 2 million", (Number(5e5), Number(2e6))),
    ],
)
def test_a_range_of_numbers_is_one_span(text: str, ends: tuple[Number, Number]) -> None:
    assert _one(text) == (text, Range(*ends))


def test_a_number_of_four_digits_is_a_year_before_it_is_a_number() -> None:
    assert value_spans("1811")[0].options == (Date("1811"), Number(1811))
    assert value_spans("4/7/1776")[0].options == (Date("1776-07-04"), Date("1776-04-07"))
    assert value_spans("more than 1500")[0].options == (Number(1500), Date("1500"))


@pytest.mark.parametrize(
    ("text", "said", "rank"),
    [
        ("the first man", "first", 1),
        ("the third largest country", "third", 3),
        ("the 3rd-largest country", "3rd", 3),
        ("the twenty-first king", "twenty-first", 21),
        ("the 44th president", "44th", 44),
        ("the last king", "last", -1),
        ("the second to last king", "second to last", -2),
        ("the penultimate king", "penultimate", -2),
        ("the last but one king", "last but one", -2),
        ("the king last but two", "last but two", -3),
        ("who was the runner-up?", "runner-up", 2),
    ],
)
def test_a_rank(text: str, said: str, rank: int) -> None:
    assert _one(text) == (said, rank)
    assert value_spans(text)[0].kind == "rank"


@pytest.mark.parametrize(
    "text",
    [
        "which server does P-101 use", "Apollo 11", "did Boeing 747 fly", "10.0.0.1", "v2", "at 12:30", "Henry VIII",
        "which one is older", "one of them", "hundreds of films", "who is alive today", "born now", "in the last year",
        "born on July 4", "between Kenya and Uganda", "3/4", "2023-13-45", "Formula One", "", "1e400", "-1e999",
    ],
)  # fmt: skip
def test_what_is_no_value(text: str) -> None:
    assert value_spans(text) == []


def test_several_values_stand_in_their_order() -> None:
    text = "Are 3 of the 1969 films longer than 90 minutes?"
    assert [text[v.start : v.end] for v in value_spans(text)] == ["3", "1969", "90 minutes"]


@given(st.text(st.sampled_from("0123456789 ,.-–/:$%°²'kmtheandfrobwlscyur1MayBC"), max_size=60))
def test_any_text_is_read_without_an_error_and_spans_do_not_overlap(text: str) -> None:
    spans = value_spans(text)
    assert all(0 <= span.start < span.end <= len(text) and span.options for span in spans)
    assert all(a.end <= b.start for a, b in zip(spans, spans[1:], strict=False))


def test_reading_values_does_not_load_the_library_of_units() -> None:
    code = (
        "import sys; from kgask.link.values import value_spans; "
        "assert len(value_spans('between 5 and 10 km, over 40 °C')) == 2; print('pint' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
