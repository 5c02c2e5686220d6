"""Tables as their owners keep them: shortened labels, units in the names of columns, values that are missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.answer.readings import answers_in_words
from kgask.build.recipe import Recipe, build
from kgask.methods.differences import of_age
from kgask.methods.missing import is_of_another
from kgask.methods.mixed import mixes_relations
from kgask.methods.taken_away import takes_other_away
from kgask.pack.store import Pack
from kgask.query.own_units import read_query
from kgask.query.text import parse, to_text
from kgask.retrieve.run import run

HARBOUR = """subject,relation,object
MV Heron,kind,ship
MV Otter,kind,ship
MV Teal,kind,ship
Ann Brook,kind,pilot
Ole Dahl,kind,pilot
MV Heron,LOA_m,189.9
MV Otter,LOA_m,92
MV Teal,LOA_m,121.5
MV Heron,built,2009
MV Heron,refitted,2021
MV Otter,built,2012
MV Otter,refitted,2018
MV Heron,wt_kg,5000
MV Heron,flag,Malta
MV Otter,flag,Malta
MV Teal,flag,Norway
MV Heron,cargo,grain
MV Otter,cargo,timber
MV Teal,cargo,grain
Ann Brook,dob,1971-04-02
Ann Brook,bpl,Bergen
Ann Brook,spouse,Ole Dahl
Ole Dahl,bpl,Oslo
Ann Brook,brought in,MV Heron
Ole Dahl,brought in,MV Teal
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    folder = tmp_path_factory.mktemp("harbour")
    (folder / "harbour.csv").write_text(HARBOUR, encoding="utf-8")
    sources = (str(folder / "harbour.csv"),)
    build(Recipe(sources=sources, target=folder / "pack", header=True, recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as pipeline:
        yield pipeline


def ids(pack: Pack, text: str) -> list[str]:
    return sorted(pack.labels(run(read_query(text, pack), pack).certain.tolist()))


def test_a_unit_that_a_columns_name_says_is_that_of_its_numbers(harbour: Pipeline) -> None:
    pack = harbour.pack
    (length,) = pack.literals(run(parse("follow(<MV Heron>, <LOA_m>)", pack), pack).certain.tolist())
    assert length is not None and (length.text, length.unit) == ("189.9", "m")
    longer = "where(class(<ship>), value(<LOA_m>) > {})"
    assert ids(pack, longer.format("0.1[km]")) == ["MV Heron", "MV Teal"]
    assert ids(pack, longer.format("100")) == ["MV Heron", "MV Teal"], "a number without a unit is in the column's"
    assert "100[m]" in to_text(read_query(longer.format("100"), pack), pack)


def test_people_ask_in_other_units_than_the_column_has(harbour: Pipeline) -> None:
    found = harbour.ask("ships longer than 0.1 km")
    assert found.abstained or {one.label for one in found.entities} == {"MV Heron", "MV Teal"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [("when was Ann Brook born?", "1971-04-02"), ("Where was Ann Brook born?", "Bergen")],
)
def test_shortened_labels_are_read_as_what_they_are_short_for(harbour: Pipeline, question: str, answer: str) -> None:
    assert harbour.ask(question).text == answer


def test_what_is_missing_is_not_told_of_somebody_else(harbour: Pipeline) -> None:
    """Of Ole Dahl no birthday is known, of his wife one is."""
    assert harbour.ask("when was Ole Dahl born?").abstained
    pack, text = harbour.pack, "follow(follow(<Ole Dahl>, ^<spouse>), <dob>)"
    (of_wife,) = run(parse(text, pack), pack).certain.tolist()
    assert pack.labels([of_wife]) == ["1971-04-02"]
    ole = pack.find_key("Ole Dahl")
    assert ole is not None
    query, spans = parse(text, pack), {ole: (9, 17)}
    assert is_of_another(query, "when was Ole Dahl born?", spans, pack)
    assert not is_of_another(query, "when was the wife of Ole Dahl born?", {ole: (21, 29)}, pack)
    flag = parse("follow(follow(<Ole Dahl>, <brought in>), <flag>)", pack)
    assert not is_of_another(query, "when was Ole Dahl's father-in-law born?", spans, pack)
    assert not is_of_another(flag, "flag Ole Dahl", {ole: (5, 13)}, pack), "a ship is no pilot"


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which Malta ships do not carry grain?", True),
        ("Which ships do not carry grain but fly the flag of Malta?", True),
        ("ships with grain that are not from Malta", False),
        ("grain ships that Malta does not flag", False),
    ],
)
def test_what_is_denied_is_taken_away(harbour: Pipeline, question: str, right: bool) -> None:
    pack = harbour.pack
    text = "minus(follow(<Malta>, ^<flag>), follow(<grain>, ^<cargo>))"
    spans = {}
    for name in ("Malta", "grain"):
        key = pack.find_key(name)
        assert key is not None
        at = question.index(name)
        spans[key] = (at, at + len(name))
    assert takes_other_away(parse(text, pack), question, spans, pack) is not right
    assert takes_other_away(parse(text, pack), question, {}, pack) is not right, "by their labels"


def test_a_judge_is_told_what_sort_of_thing_a_query_comes_to(harbour: Pipeline) -> None:
    pack = harbour.pack
    found = run(parse("follow(<grain>, ^<cargo>)", pack), pack)
    assert answers_in_words(found, (), pack) == "ship: MV Heron and MV Teal"
    assert answers_in_words(None, found.certain, pack) == "ship: MV Heron and MV Teal"
    assert answers_in_words(run(parse("count(class(<ship>))", pack), pack), (), pack) == "3"
    assert answers_in_words(run(parse("follow(<MV Heron>, <flag>)", pack), pack), (), pack) == "Malta"


OTHER = "(values(<MV Heron>, <built>){}values(<MV Otter>, <refitted>))"
SAME = "(values(<MV Heron>, <built>){}values(<MV Otter>, <built>))"


@pytest.mark.parametrize(
    ("question", "text", "right"),
    [
        ("Was MV Heron in use before MV Otter?", "compare" + OTHER.format(" < "), False),
        ("Was MV Heron built before MV Otter was refitted?", "compare" + OTHER.format(" < "), True),
        ("Was MV Heron in use before MV Otter?", "compare" + SAME.format(" < "), True),
        ("How many years after MV Heron did MV Otter come into use?", "age" + OTHER.format(", "), False),
    ],
)
def test_two_things_are_compared_by_the_same(harbour: Pipeline, question: str, text: str, right: bool) -> None:
    pack, spans = harbour.pack, {}
    for name in ("MV Heron", "MV Otter"):
        key = pack.find_key(name)
        assert key is not None
        spans[key] = (question.index(name), question.index(name) + len(name))
    assert mixes_relations(parse(text, pack), question, spans, pack) is not right


def test_what_is_older_was_built_first(harbour: Pipeline) -> None:
    pack = harbour.pack
    text = "compare(values(<MV Heron>, <built>) {} values(<MV Otter>, <built>))"
    for question, sign in (("is MV Heron older than MV Otter?", "<"), ("is MV Heron newer than MV Otter?", ">")):
        for read in "<>":
            assert of_age(parse(text.format(read), pack), question, pack) == parse(text.format(sign), pack)
    oldest = parse("best(class(<ship>), value(<built>), most 1)", pack)
    assert to_text(of_age(oldest, "the oldest ship", pack), pack).endswith("least 1)")
    assert of_age(oldest, "the youngest ship", pack) == oldest
