"""What the wording of a question rules out, whatever planner and judge make of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kgask.build.recipe import Recipe, build
from kgask.config import shipped_root
from kgask.link.spans import CandidateSpan
from kgask.methods.accounted import RelationWords
from kgask.methods.class_words import is_of_other_kind, is_of_other_role
from kgask.methods.counted import measures_other
from kgask.methods.cues import denies
from kgask.methods.lives import passes_over_lives, swaps_lives
from kgask.methods.mixed import mixes_relations
from kgask.methods.pointless import is_pointless
from kgask.methods.protocol import Hypothesis
from kgask.methods.wording import rules_out
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Comparison
from kgask.query.text import parse
from kgask.retrieve.run import run

DISHES, MINUTES = nodes.Class(1), nodes.ValueOf((1,))


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("dishes of 40 min or less", "<=", "<"),
        ("Those of 40 or more, what are they?", ">=", ">"),
        ("longer than 40 min", ">", ">="),
        ("which take at least 40", ">=", ">"),
        ("no more than 40, please", "<=", "<"),
        ("those over 40", ">", ">="),
        ("which are not over 40", "<=", "<"),
        ("aged 40 and over", ">=", ">"),
        ("bigger than forty of them, with more than four towns", ">", ">="),
        ("built since 1940", ">=", ">"),
    ],
)
def test_a_limit_that_counts_itself_is_no_other(question: str, right: Comparison, wrong: Comparison) -> None:
    limited = {sign: nodes.Where(DISHES, MINUTES, sign, nodes.Number(40.0)) for sign in (right, wrong)}
    assert not rules_out(limited[right], question) and rules_out(limited[wrong], question)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("first played no later than 1940", "<=", ">="),
        ("those from 1940 on", ">=", "="),
        ("built since 1940", ">=", "<="),
        ("in use in 1940 or earlier", "<=", ">"),
        ("at the latest 1940", "<=", "="),
    ],
)
def test_a_limit_is_not_the_other_one(question: str, right: Comparison, wrong: Comparison) -> None:
    limited = {sign: nodes.Where(DISHES, MINUTES, sign, nodes.Date("1940")) for sign in (right, wrong)}
    assert not rules_out(limited[right], question) and rules_out(limited[wrong], question)
    born = nodes.Where(DISHES, MINUTES, "<=", nodes.Date("1985"))
    assert not rules_out(born, "who is at least 40?")  # and was born before


@pytest.mark.parametrize("question", ["How many dishes can stand the cold?", "Which of our dishes have been washed?"])
def test_what_some_do_not_all_of_a_kind_do(question: str) -> None:
    assert rules_out(DISHES, question) and rules_out(nodes.Count(DISHES), question)
    assert not rules_out(DISHES, "Which dishes can you tell me of?") and not rules_out(
        DISHES, "Which dishes are listed?"
    )


def test_of_the_two_one_is_more() -> None:
    question = "which of the two soups takes longer?"
    both, one = (nodes.Best(DISHES, MINUTES, True, 1, last) for last in (2, 1))
    limited = nodes.Where(DISHES, MINUTES, ">", nodes.Number(2.0))
    assert rules_out(both, question) and rules_out(limited, question) and not rules_out(one, question)


def test_reigned_over_two_or_more_is_not_more_than_two() -> None:
    more, two = (nodes.Where(DISHES, MINUTES, sign, nodes.Number(2.0)) for sign in (">", ">="))
    question = "Who reigned over two or more realms?"
    assert rules_out(more, question) and not rules_out(two, question)


@pytest.mark.parametrize(
    ("question", "n"), [("Who was Nora's father's father's father?", 3), ("the mother of the mother of Nora", 2)]
)
def test_each_step_that_is_said_is_taken(question: str, n: int) -> None:
    found: nodes.SetNode = nodes.Entities((3,))
    for taken in range(1, 4):
        found = nodes.Follow(found, 1)
        assert rules_out(found, question) is (taken < n)


@pytest.mark.parametrize("question", ["more or less 40 min", "which aren't over 40", "older than 40 but at most 50"])
def test_where_the_wording_leaves_it_open_nothing_is_ruled_out(question: str) -> None:
    for sign in ("<", "<=", ">", ">="):
        assert not rules_out(nodes.Where(DISHES, MINUTES, sign, nodes.Number(40.0)), question)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Rank the dogs by weight, heaviest on top: who is number two?", (2, 2), (1, 2)),
        ("the second largest lake", (2, 2), (1, 2)),
        ("the two largest lakes", (1, 2), (2, 2)),
        ("top 3 lakes by depth", (1, 3), (3, 3)),
        ("the second and third largest lakes", (2, 3), None),
    ],
)
def test_one_place_is_not_the_first_few(question: str, right: tuple[int, int], wrong: tuple[int, int] | None) -> None:
    assert not rules_out(nodes.Best(DISHES, MINUTES, True, *right), question)
    assert wrong is None or rules_out(nodes.Best(DISHES, MINUTES, True, *wrong), question)


def test_nothing_is_taken_away_that_no_word_denies() -> None:
    cousins = nodes.Minus(nodes.Follow(nodes.Follow(nodes.Entities((3,)), 1), 2), nodes.Follow(nodes.Entities((3,)), 4))
    assert not rules_out(cousins, "Who are her cousins?")
    without = nodes.Minus(DISHES, nodes.Follow(nodes.Entities((3,)), 1))
    assert rules_out(without, "who comes in week 29 and has the room with the plum trees?")
    assert not rules_out(without, "who comes in week 29 but has another room?")
    assert not rules_out(nodes.Minus(DISHES, nodes.Entities((3,))), "her co-stars")


@pytest.fixture(scope="module")
def plants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    """A table of power plants, whose medals have a kind of their own."""
    folder = tmp_path_factory.mktemp("plants")
    (folder / "plants.csv").write_text(
        "subject,relation,object\nDunlow,kind,plant\nTarn,kind,plant\nDunlow,capacity,58 MW\nTarn,capacity,9 MW\n"
        "Dunlow,height_m,40\nTarn,height_m,12\nDunlow,won,Gold 2020\nGold 2020,kind,medal\nTarn,won,Silver 2021\n"
        "Silver 2021,kind,medal\nDunlow,phone,555-0177\nDunlow,run by,Ann\n"
        "Tarn,run by,Bob\nDunlow,lead_days,3\nTarn,lead_days,9\n"
        "Dunlow,run_by_date,2001-05-06\nTarn,run_by_date,2003-05-06\nDunlow,staffed,yes\nTarn,staffed,no\n"
        "Dunlow,ash_kg,300\nTarn,ash_kg,200\n"
    )
    build(Recipe((str(folder / "plants.csv"),), folder / "plants", recognise=True), tell=lambda line: None)
    with Pack.open(folder / "plants") as pack:
        yield pack


def test_who_counts_people_is_told_no_metres(plants: Pack) -> None:
    query = parse("values(<Dunlow>, <height_m>)", plants)
    found = run(query, plants)
    one = Hypothesis(1.0, found.certain, frozenset(), lambda entities: [], lambda: query, found)
    assert measures_other(one, "How many people work at Dunlow?", plants)
    assert measures_other(one, "how many kilos does Dunlow weigh?", plants)
    assert not measures_other(one, "How many metres high is Dunlow?", plants)
    assert not measures_other(one, "How high is Dunlow?", plants)
    assert measures_other(one, "What is the height of Dunlow per inhabitant?", plants)


@pytest.mark.parametrize(
    ("query", "question", "is_other"),
    [
        ("follow(<Dunlow>, <run by>)", "How heavy is Dunlow?", True),
        ("follow(<Dunlow>, <phone>)", "How long is Dunlow?", False),  # which has digits
        ("follow(<Dunlow>, <run by>)", "Who runs how heavy a plant?", False),
        ("values(<Dunlow>, <ash_kg>)", "How heavy is Dunlow?", True),
        ("values(<Dunlow>, <ash_kg>)", "How much ash does Dunlow give?", False),
        ("values(<Dunlow>, <capacity>)", "For which year is the capacity of Dunlow known?", True),
        ("values(<Dunlow>, <capacity>)", "Which capacity does Dunlow have?", False),
        ("count(follow(<Dunlow>, ^<phone>))", "How many lines has Dunlow?", False),
        ("count(or(class(<plant>), class(<medal>)))", "How many races are there?", True),
        ("count(or(class(<plant>), class(<medal>)))", "How many plants and medals are there?", False),
        ("count(class(<plant>))", "How many stations are there?", False),
    ],
)
def test_what_is_found_is_of_the_sort_that_is_asked_for(
    plants: Pack, query: str, question: str, is_other: bool
) -> None:
    parsed = parse(query, plants)
    found = run(parsed, plants)
    one = Hypothesis(1.0, found.certain, frozenset(), lambda entities: [], lambda: parsed, found)
    assert measures_other(one, question, plants) is is_other


def test_the_fastest_takes_least(plants: Pack) -> None:
    for order, question in (("most", "Which plant delivers fastest?"), ("least", "Which is the slowest plant?")):
        query = parse(f"best(class(<plant>), value(<lead_days>), {order} 1)", plants)
        found = run(query, plants)
        one = Hypothesis(1.0, found.certain, frozenset(), lambda entities: [], lambda query=query: query, found)
        assert measures_other(one, question, plants) and not measures_other(one, "Which has most lead days?", plants)


def test_a_total_is_not_told_one_by_one(plants: Pack) -> None:
    query = parse("values(class(<plant>), <height_m>)", plants)
    found = run(query, plants)
    ends = run(parse("follow(class(<plant>), <height_m>)", plants), plants).certain
    one = Hypothesis(1.0, ends, frozenset(), lambda entities: [], lambda: query, found)
    assert measures_other(one, "What is the total height of the plants?", plants)
    assert not measures_other(one, "What are the heights of the plants?", plants)


def test_which_of_the_two_needs_two() -> None:
    borders, both = nodes.Follow(nodes.Entities((3,)), 1), nodes.And(nodes.Entities((5, 6)), nodes.Follow(DISHES, 1))
    assert rules_out(borders, "which of the two borders Ethiopia?")
    assert not rules_out(both, "Which of the two borders Ethiopia, Kenya or Uganda?")
    assert not rules_out(borders, "who is the owner of the two oldest ships?")
    assert not rules_out(borders, "what is the average length of the two objects from C104?")
    assert not rules_out(borders, "who made it?")


def test_what_one_leads_to_is_not_put_together_with_what_leads_to_the_other(plants: Pack) -> None:
    same, other = (f"or(follow(<Dunlow>, <won>), follow(<Tarn>, {way}<won>))" for way in ("", "^"))
    assert mixes_relations(parse(other, plants), "What did Dunlow or Tarn win?", {}, plants)
    assert not mixes_relations(parse(same, plants), "What did Dunlow or Tarn win?", {}, plants)


def test_a_table_that_says_what_all_are_answers_with_what_is_asked_for(plants: Pack) -> None:
    kind = parse("class(<plant>)", plants)
    text = "Which plants won in 2020?"
    spans = [CandidateSpan(6, 12, "class", nodes=(kind,), scores=(0.9,))]
    medals, won = parse("follow(<Dunlow>, <won>)", plants), parse("follow(<Gold 2020>, ^<won>)", plants)
    assert is_of_other_kind(text, spans, medals, run(medals, plants).certain, plants)
    assert is_of_other_kind("How many plants won?", [], medals, np.empty(0, np.int64), plants) is False
    assert not is_of_other_kind(text, spans, won, run(won, plants).certain, plants)


@pytest.mark.parametrize(
    ("question", "query", "is_passed_over"),
    [
        ("Which country was Frédéric Chopin born in?", "follow(<Q1268>, <P27>)", True),
        ("Where was Frédéric Chopin buried?", "follow(<Q1268>, <P119>)", False),
        ("Where was Frédéric Chopin buried?", "follow(<Q1268>, <P20>)", True),
        ("When was Frédéric Chopin born?", "values(<Q1268>, <P569>)", False),
        ("How old was Frédéric Chopin when he died?", "age(values(<Q1268>, <P569>), values(<Q1268>, <P570>))", False),
        ("Which country was Frédéric Chopin a citizen of?", "follow(<Q1268>, <P27>)", False),
    ],
)
def test_where_she_was_born_no_other_relation_says(question: str, query: str, is_passed_over: bool) -> None:
    with Pack.open(shipped_root("pack") / "demo") as pack:
        spans = {pack.find_key("Q1268") or 0: (question.index("Frédéric"), question.index("Chopin") + 6)}
        assert passes_over_lives(parse(query, pack), question, spans, pack) is is_passed_over


@pytest.mark.parametrize(
    ("question", "of_dickens", "of_wilde", "is_swapped"),
    [
        ("Did Charles Dickens die before Oscar Wilde was born?", "P569", "P570", True),
        ("Did Charles Dickens die before Oscar Wilde was born?", "P569", "P569", True),
        ("Did Charles Dickens die before Oscar Wilde was born?", "P570", "P569", False),
        ("Was Charles Dickens's death before Oscar Wilde's birth?", "P570", "P569", False),
        ("Was Charles Dickens born before Oscar Wilde?", "P569", "P569", False),
        ("Who died first, Charles Dickens or Oscar Wilde?", "P570", "P570", False),
    ],
)
def test_whose_death_is_said_is_not_compared_by_birth(
    question: str, of_dickens: str, of_wilde: str, is_swapped: bool
) -> None:
    with Pack.open(shipped_root("pack") / "demo") as pack:
        query = parse(f"compare(values(<Q5686>, <{of_dickens}>) < values(<Q30875>, <{of_wilde}>))", pack)
        names = {"Q5686": "Charles Dickens", "Q30875": "Oscar Wilde"}
        places = {pack.find_key(key): question.index(name) for key, name in names.items()}
        spans = {key or 0: (at, at + len("Oscar Wilde")) for key, at in places.items()}
        assert swaps_lives(query, question, spans, pack) is is_swapped


@pytest.mark.parametrize(
    ("query", "question", "pointless"),
    [
        ("holds(<Dunlow>, <won>, <Tarn>)", "Did Dunlow ever beat Tarn?", True),
        ("holds(<Dunlow>, <won>, <Silver 2021>)", "Has Dunlow won Silver 2021?", False),
        ("holds(<Dunlow>, <run by>, <Tarn>)", "Is Dunlow run by Tarn?", True),  # of whom it says nothing else
        ("holds(<Tarn>, <run by>, <Ann>)", "Is Tarn run by Ann?", False),
        ("best(entities(<Dunlow>, <plant>), value(<height_m>), most 1)", "Which is higher, Dunlow or the plant?", True),
        ("best(entities(<Dunlow>, <Tarn>), value(<height_m>), most 1)", "Which is higher, Dunlow or Tarn?", False),
        ("count(entities(<Dunlow>, <Tarn>))", "How many people do Dunlow and Tarn have?", True),
        ("where(class(<plant>), value(<height_m>) > 50000[m])", "plants higher than 50 thousand", True),
        ("where(class(<plant>), size(<won>) > 50000)", "plants that won more than 50 thousand", True),
        ("where(class(<plant>), value(<height_m>) > 39[m])", "plants higher than 39", False),
        ("holds(<Gold 2020>, ^<won>, <Gold 2020>)", "Has a Gold 2020 been won?", True),
        ("some(and(<Ann>, follow(<Ann>, ^<run by>)))", "Does Ann run anything?", True),
        ("some(and(<Ann>, follow(<Gold 2020>, ^<won>)))", "Did Ann win Gold 2020?", True),  # who is no subject
        ("sum(values(entities(<Dunlow>, <Ann>), <height_m>))", "the total height of Dunlow and Ann", True),
        ("sum(values(entities(<Dunlow>, <Tarn>), <height_m>))", "the total height of Dunlow and Tarn", False),
        ("best(having(<run by>), value(<run_by_date>), least 1)", "Which was run first?", True),
        ("best(having(<height_m>), value(<run_by_date>), least 1)", "Which was run first?", False),
        ("or(follow(<Ann>, <won>), follow(<Dunlow>, <won>))", "What did Dunlow win, that Ann ran?", False),
        ("or(follow(<Ann>, ^<won>), follow(<Dunlow>, <won>))", "What did Dunlow win", True),
        ("follow(<Dunlow>, <staffed>)", "Who staffed Dunlow?", True),  # it is, says a flag
        ("or(follow(<Gold 2020>, <won>), follow(<Dunlow>, <won>))", "What did Dunlow or Gold 2020 win?", True),
        ("some(entities(<Dunlow>, <Tarn>))", "Is there any Dunlow in Tarn?", True),
        ("minus(class(<plant>), follow(<Dunlow>, <won>))", "Which plants are not Dunlow's?", True),
        ("minus(class(<plant>), follow(<Gold 2020>, ^<won>))", "Which plants did not win Gold 2020?", False),
        ("or(class(<plant>), follow(<Gold 2020>, ^<won>))", "plants or winners of Gold 2020", True),
        ("or(class(<plant>), class(<medal>))", "plants and medals", False),
        ("minus(class(<plant>), class(<medal>))", "Which plants are no medals?", True),
        ("minus(class(<plant>), follow(<Ann>, <won>))", "Which plants did Ann not win?", False),
        ('minus(class(<plant>), follow(<"12"^^number[m]>, <won>))', "Which plants are not 12 m?", True),
        ("minus(class(<plant>), <Gold 2020>)", "Which plants are not Gold 2020?", True),
        ("minus(class(<plant>), <Dunlow>)", "Which plants are there besides Dunlow?", False),
        ("minus(follow(<Ann>, ^<run by>), follow(<Bob>, ^<run by>))", "What does Ann run that Bob does not?", False),
        ("follow(<Dunlow>, <phone>)", "Who has rung Dunlow?", True),
        ("follow(<Dunlow>, <phone>)", "What is the number of Dunlow?", False),
        ("follow(<Dunlow>, <phone>)", "By whom is Dunlow rung?", True),
        ("follow(<Dunlow>, <phone>)", "What is the number of the man who runs Dunlow?", False),
    ],
)
def test_what_nobody_asks_is_no_answer(plants: Pack, query: str, question: str, pointless: bool) -> None:
    parsed = parse(query, plants)
    found = run(parsed, plants)
    one = Hypothesis(1.0, found.certain, frozenset(), lambda entities: [], lambda: parsed, found)
    assert is_pointless(one, parsed, question, plants) is pointless


def test_who_asks_what_a_relation_leads_to_is_told_no_other_things(plants: Pack) -> None:
    words, won, text = RelationWords(plants), "follow(<Dunlow>, <won>)", "Which wons has Dunlow?"
    plant, medals, counted = parse("class(<plant>)", plants), parse(won, plants), parse("count(class(<plant>))", plants)
    (relation,) = words.called("wons")
    found, none = run(plant, plants).certain, np.empty(0, np.int64)
    assert is_of_other_role(text, plant, (), found, words)
    assert is_of_other_role("How many wons are there?", counted, (), none, words)
    assert not is_of_other_role(text, medals, (relation,), run(medals, plants).certain, words)
    assert not is_of_other_role("Which plants are there?", plant, (), found, words)


@pytest.mark.parametrize(
    ("question", "query", "is_pointless_no"),
    [
        ("Did Ernest Hemingway die in Idaho?", "holds(<Q23434>, <P20>, <eq-282949527555>)", True),  # in Ketchum
        ("Was Albert Einstein born in Berlin?", "holds(<Q937>, <P19>, <Q64>)", False),  # in Ulm
        ("Was Albert Einstein born in France?", "holds(<Q937>, <P19>, <Q142>)", False),  # Ulm is in Germany
        ("Was Marie Curie born in Poland?", "holds(<nobel-6>, <P19>, <Q36>)", True),  # where Warsaw is
        ("Is Portugal in Africa?", "holds(<Q45>, <kgask:subregion>, <Q15>)", False),  # which is in Europe
    ],
)
def test_a_town_may_lie_where_no_is_said(question: str, query: str, is_pointless_no: bool) -> None:
    with Pack.open(shipped_root("pack") / "demo") as pack:
        parsed = parse(query, pack)
        found = run(parsed, pack)
        one = Hypothesis(1.0, np.empty(0, np.int64), frozenset(), lambda entities: [], lambda: parsed, found)
        assert found.truth is False and is_pointless(one, parsed, question, pack) is is_pointless_no


def test_to_leave_out_is_to_deny() -> None:
    assert denies("everything he gave, leaving out the Brandt") and not denies("everything he gave")


@pytest.mark.parametrize("node", ["or", "and", "minus"])
def test_of_names_side_by_side_the_same_is_asked(plants: Pack, node: str) -> None:
    one, other = plants.find_key("Dunlow"), plants.find_key("Tarn")
    assert one is not None and other is not None
    mixed = parse(f"{node}(follow(<Dunlow>, <won>), and(class(<plant>), follow(<Tarn>, ^<kind>)))", plants)
    same = parse(f"{node}(follow(<Dunlow>, <won>), follow(<Tarn>, <won>))", plants)
    for text, is_mixed in (("What did Dunlow but not Tarn win?", True), ("what Dunlow won, beside Tarn", False)):
        spans = {
            key: (at, at + len(name)) for key, name in ((one, "Dunlow"), (other, "Tarn")) if (at := text.index(name))
        }
        assert mixes_relations(mixed, text, spans, plants) is is_mixed
        assert not mixes_relations(same, text, spans, plants)


def test_where_one_is_enough_not_all_are_asked_for() -> None:
    one, other = (nodes.Follow(nodes.Entities((entity,)), 1) for entity in (3, 4))
    assert rules_out(nodes.And(one, other), "Who knows at least one of the two, Latin and Esperanto?")
    assert not rules_out(nodes.Or(one, other), "Who knows at least one of the two, Latin and Esperanto?")
    assert not rules_out(nodes.And(one, DISHES), "Which dishes have at least one of these?")
    assert not rules_out(nodes.And(one, other), "Who knows Latin and Esperanto?")


def test_any_that_is_more_is_not_whether_it_is_the_most() -> None:
    most = nodes.Some(nodes.And(nodes.Best(nodes.Class(1), nodes.ValueOf((2,)), True), nodes.Entities((3,))))
    assert rules_out(most, "is there any river longer than the Nile?")
    assert not rules_out(most, "Is the Nile the longest river?")
