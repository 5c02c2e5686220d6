"""Which way the form of a question means a verb, and who is older by ages and by dates of birth."""

from __future__ import annotations

from pathlib import Path

import pytest
from piped import opened, piped

from kgask.methods.differences import of_age
from kgask.methods.voice import is_object, is_turned
from kgask.query.text import parse, to_text
from kgask.query.words import verbalise

TRIPLES = """
Ann|reports to|Bob
Bob|managed by|Cid
Ann|age|35
Bob|age|41
Ann|years of age|35
Ann|born|Rome
Ann|hired|2015
Bob|hired|2011
"""


@pytest.mark.parametrize(
    ("question", "label", "is_it"),
    [
        ("who reports to Bob?", "reports to", True),
        ("who does Bob report to?", "reports to", False),
        ("Who answers to Bob?", "reports to", True),
        ("Who are Bob's subordinates?", "line manager", True),
        ("Did Ann win against Bob?", "beat", True),
        ("Who lost to Bob?", "beat", False),
        ("was Ann sent to us by Bob?", "sent by", True),
        ("whom did Bob father?", "father", True),
        ("Which pupils does Bob mentor?", "mentor", True),
        ("who did Bob have as a mentor?", "mentor", None),
        ("who manages Bob", "manages", True),
        ("who is Bob managed by", "manages", True),
        ("whom does Bob manage", "manages", False),
        ("who is managed by Bob", "manages", False),
        ("who managed Bob", "managed by", False),
        ("who does Bob manage?", "managed by", True),
        ("what is located in Bob", "located in", True),
        ("which company has Bob been hired by", "hired by", False),
        ("the teams that were beaten by Bob", "beats", False),
        ("whom does Bob manage?", "line manager", True),
        ("who is managed by Bob?", "manager", True),
        ("who manages Bob?", "manager", False),
        ("Who supplies Bob?", "supplier", False),
        ("what does Bob supply?", "supplier", True),
        ("who drove Bob?", "driver", False),
        ("who is Bob's manager?", "manager", None),
        ("what is Bob's number?", "number", None),
        ("who wrote Bob", "wrote", True),
        ("how many teas does Bob sell", "sold at", None),  # he sells them, they are sold there
        ("who is Bob's manager", "manages", None),
        ("films directed by the Bob director", "directed by", None),
        ("films directed by Bob's teacher", "directed by", None),
        ("films directed by Bob in 1990", "directed by", True),
        ("who is Bob's boss", "boss of", None),
        ("who knows who manages and managed Bob", "manages", None),
    ],
)
def test_the_form_of_a_verb_tells_who_does_it(question: str, label: str, is_it: bool | None) -> None:
    at = question.index("Bob")
    assert is_object(question, (at, at + 3), label) is is_it


def test_a_query_that_goes_the_other_way_is_turned(tmp_path: Path) -> None:
    with opened(piped(TRIPLES, ["age", "years of age", "hired"]), tmp_path) as pack:
        bob = pack.exact(["bob"])["bob"][0].entity
        spans = {bob: (15, 18)}
        assert is_turned(parse("follow(<Bob>, <reports to>)", pack), "who reports to Bob?", spans, pack)
        assert not is_turned(parse("follow(<Bob>, ^<reports to>)", pack), "who reports to Bob?", spans, pack)
        assert is_turned(parse("follow(<Bob>, <managed by>)", pack), "who reports to Bob?", spans, pack)
        spans = {pack.exact(["ann"])["ann"][0].entity: (5, 8), bob: (19, 22)}
        for asked in ("does Ann report to Bob?", "does Ann report to Bob or not?"):
            assert not is_turned(parse("holds(<Ann>, <reports to>, <Bob>)", pack), asked, spans, pack)
            assert is_turned(parse("holds(<Bob>, <reports to>, <Ann>)", pack), asked, spans, pack)
            assert is_turned(parse("holds(<Ann>, ^<reports to>, <Bob>)", pack), asked, spans, pack)


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        ("who is the oldest?", "best(having(<age>), value(<age>), least 1)", "most 1"),
        ("who is the oldest?", "best(having(<born>), size(<born>), least 1)", "least 1"),
        ("who is the youngest?", "best(having(<age>), value(<age>), most 2)", "least 2"),
        ("is Ann older than Bob?", "compare(values(<Ann>, <age>) < values(<Bob>, <age>))", "values(<Ann>, <age>) > "),
        ("who is younger than 40?", "where(having(<age>), value(<age>) >= 40)", "<= 40"),
        ("who is not older than 40?", "where(having(<age>), value(<age>) <= 40)", "<= 40"),
        ("who is older than 40 and younger than 50", "where(having(<age>), value(<age>) > 40)", "> 40"),
    ],
)
def test_who_is_older_has_more_years(tmp_path: Path, question: str, before: str, after: str) -> None:
    with opened(piped(TRIPLES, ["age", "years of age", "hired"]), tmp_path) as pack:
        assert after in to_text(of_age(parse(before, pack), question, pack), pack)


def test_a_passive_says_nothing_of_values(tmp_path: Path) -> None:
    with opened(piped(TRIPLES, ["age", "years of age", "hired"]), tmp_path) as pack:
        ann = pack.exact(["ann"])["ann"][0].entity
        query = parse("follow(<Ann>, <hired>)", pack)
        assert not is_turned(query, "when was Ann hired?", {ann: (9, 12)}, pack)


SUED = """
Ann|sued|Bob
Bob|sued|Cid
Dan|coached|Eve
Eve|coached|Fay
Drill|borrowed|Ann
Saw|borrowed|Bob
Drill|price|40
Saw|price|30
"""


@pytest.mark.parametrize(
    ("question", "name", "query", "turned"),
    [
        ("Who sued Bob?", "Bob", "follow(<Bob>, <sued>)", True),
        ("Who sued Bob?", "Bob", "follow(<Bob>, ^<sued>)", False),
        ("Whom did Bob sue?", "Bob", "follow(<Bob>, <sued>)", False),
        ("Who was Eve coached by?", "Eve", "follow(<Eve>, ^<coached>)", False),
        ("Who was coached by Eve?", "Eve", "follow(<Eve>, ^<coached>)", True),
        ("Who borrowed the Drill?", "Drill", "follow(<Drill>, <borrowed>)", False),  # a drill borrows nothing
    ],
)
def test_a_verb_in_the_past_is_what_the_subject_did_where_both_are_of_a_sort(
    tmp_path: Path, question: str, name: str, query: str, turned: bool
) -> None:
    with opened(piped(SUED, set()), tmp_path) as pack:
        at = question.index(name)
        places = {pack.find_key(name): (at, at + len(name))}
        assert is_turned(parse(query, pack), question, places, pack) is turned
        assert verbalise(parse("follow(<Ann>, <sued>)", pack), pack) == "what Ann sued"
        assert verbalise(parse("follow(<Drill>, <borrowed>)", pack), pack) == "the borrowed of Drill"
