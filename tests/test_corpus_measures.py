"""What is measured, and the words people compare by: read from the shipped file, and drawn in questions."""

from __future__ import annotations

import random
import re

import pytest

from kgask.corpus import measures
from kgask.corpus.measures import load_measures
from kgask.corpus.operator_files import SLOT, Entry, load_templates
from kgask.corpus.operator_slots import UnfitError
from kgask.corpus.operators import OperatorComposer
from kgask.corpus.query_examples import QueryExample, check
from kgask.corpus.wordings import load_wordings
from kgask.errors import BuildError
from kgask.link.values import value_spans


def entry(key: str, letter: str) -> Entry:
    return next(e for e in load_measures() if e.key == key and letter in e.letters)


def drawn(name: str, n: int, seed: int = 1) -> list[QueryExample]:
    """Questions of one template."""
    template = next(t for t in load_templates() if t.name == name)
    drawing = OperatorComposer(load_wordings(), {}, random.Random(seed))
    found: list[QueryExample] = []
    while len(found) < n:
        try:
            found.append(drawing.draw_from(template))
        except UnfitError:
            continue
    return found


def test_there_are_many_measures_and_each_says_whose_and_in_which_bounds() -> None:
    found = load_measures()
    assert len({e.key for e in found}) >= 90
    for e in found:
        low, high = (float(bound) for bound in e.forms["values"][0].split())
        assert low < high and e.letters and e.forms["texts"] and e.forms["noun"]
        assert not [t for texts in e.forms.values() for t in texts if "  " in t or t != t.strip()]


@pytest.mark.parametrize(
    ("key", "letter", "form", "text"),
    [
        ("P2046", "C", "most", "largest"),
        ("P2046", "C", "askmore", "is {x} larger than {y}"),
        ("P1082", "C", "hasmost", "most inhabitants"),
        ("P1082", "C", "above", "with more than {v:bare} inhabitants"),
        ("P1082", "C", "isaboveone", "has a population over {v}"),
        ("P2043", "V", "above", "longer than {v}"),
        ("P2043", "V", "exactly", "exactly {v:unit} long"),
        ("P2067", "E", "vmost", "weighs the most"),
        ("P569", "P", "less", "older"),
        ("P569", "P", "happened", "was born"),
        ("P569", "P", "before", "born before {d}"),
        ("P570", "P", "askhappened", "did {x} die"),
        ("P576", "C", "tohappen", "to be dissolved"),
        ("kgask:loudness", "X", "least", "most silent"),
    ],
)
def test_few_words_make_the_forms_of_a_measure(key: str, letter: str, form: str, text: str) -> None:
    assert text in entry(key, letter).forms[form]


def test_who_is_said_of_people_only() -> None:
    assert "who have a later birth date than" in entry("P569", "P").forms["postmore"]
    assert "that have a larger population than" in entry("P1082", "C").forms["postmore"]


def test_an_adjective_of_several_measures_means_the_one_that_comes_first() -> None:
    assert "b" in entry("kgask:floor-space", "b").forms["shadowed"]  # halls are rather large by their seats
    assert "shadowed" not in entry("P2046", "C").forms


def test_a_date_that_is_late_is_new_and_one_that_is_early_is_first() -> None:
    for e in load_measures():
        if e.literal == "date":
            assert not {"newest", "latest", "youngest"} & set(e.forms.get("least", ()))
            assert not {"oldest", "earliest"} & set(e.forms.get("most", ()))


@pytest.mark.parametrize("line", ["adj large", "value 9 3 : m", "noun size : high", "about it", "of C"])
def test_a_slip_in_the_file_is_named_by_its_line(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [("measures.txt:1", "[P1 number] size"), ("measures.txt:2", line)]
    monkeypatch.setattr(measures, "lines_of", lambda _: iter(lines))
    with pytest.raises(BuildError, match=r"measures\.txt:2: "):
        load_measures()


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("most-of-class", ("BY", "MOST", "END")),
        ("nth-least", ("BY", "LEAST", "END")),
        ("top", ("BY", "MOST", "END")),
        ("is-less", ("LT", "END")),
        ("branch-below", ("BY", "LT", "END")),
        ("links-most", ("BY", "SIZE", "MOST", "END")),
        ("count-above-in", ("BY", "GT", "COUNT", "END")),
        ("age-at-death", ("AGE", "END")),
        ("difference", ("DIFF", "END")),
        ("value-in-year", ("QUAL", "IN", "END")),
        ("played-by", ("QUAL", "IN", "END")),
        ("won-when", ("OF", "END")),
        ("none-class", ("BY", "NONE")),
    ],
)
def test_templates_draw_queries_with_their_operators(name: str, steps: tuple[str, ...]) -> None:
    for example in drawn(name, 20):
        check(example)
        # without types there is no class to be one of
        assert tuple(s for s in example.steps if isinstance(s, str) and s not in ("THING", "AND")) == steps


def test_what_is_measured_is_called_by_what_has_the_measure() -> None:
    rivers = {"river", "canal", "stream", "tributary", "road", "motorway", "bridge", "tunnel", "wall", "street"}
    said = [example for example in drawn("most-of-class", 3000) if ("P4511", False) in example.steps]
    assert said
    assert not [example.text for example in said if rivers - {"tunnel"} & set(re.findall(r"\w+", example.text))]


def test_numbers_and_dates_end_where_a_linker_ends_them() -> None:
    n = missed = 0
    for example in drawn("above", 200) + drawn("dated-in", 200):
        found = {(span.start, span.end) for span in value_spans(example.text)}
        spans = [(o.start, o.end) for o in example.operands if o.kind in ("number", "date")]
        n, missed = n + len(spans), missed + sum(span not in found for span in spans)
    assert missed <= 0.03 * n


def test_each_wording_stands_once_in_its_template() -> None:
    for template in load_templates():
        texts = [line.text for line in template.lines if not SLOT.fullmatch(line.text)]
        assert len(texts) == len(set(texts)), template.name
