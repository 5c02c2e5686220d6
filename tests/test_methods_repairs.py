"""What is made of a query that was written almost right: unsaid relations, namesakes, steps that come to nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kgask.build.writer import PackBuilder
from kgask.config import shipped_root
from kgask.link.spans import CandidateSpan
from kgask.methods.accounted import HEARD, LeftOut
from kgask.methods.bridge import Bridge
from kgask.methods.class_words import ClassWords
from kgask.methods.operators import OperatorReader
from kgask.methods.query_features import FEATURES, features
from kgask.methods.query_readings import Reading, Understood, is_void
from kgask.methods.relation_facts import RelationFacts
from kgask.methods.sense import PackSense
from kgask.pack.store import Pack
from kgask.plan.on_pack import PackPlanner
from kgask.plan.query_onnx import KINDS, Written
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.query import nodes
from kgask.query.postfix import Stack, allowed
from kgask.query.text import parse, to_text
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner

SHOP = """
Red Hats | kind | band
Blue Shoes | kind | band
One | kind | album
Two | kind | album
Green | kind | album
a | kind | track
b | kind | track
c | kind | track
rock | kind | style
jazz | kind | style
One | by | Red Hats
Two | by | Red Hats
Green | by | Blue Shoes
a | on | One
b | on | Two
c | on | Green
a | style | rock
b | style | jazz
c | style | rock
Red Hats | from | Oslo
Oslo | kind | town
Blue Shoes | from | Oslo
One | released in | Oslo
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    folder = tmp_path_factory.mktemp("shop") / "pack"
    builder = PackBuilder()
    for line in SHOP.strip().splitlines():
        subject, relation, obj = line.split(" | ")
        builder.add(subject, "instance of" if relation == "kind" else relation, obj)
    builder.write(folder)
    with Pack.open(folder) as pack:
        yield pack


def query(text: str, pack: Pack) -> nodes.Query:
    return parse(text, pack)


@pytest.mark.parametrize(
    ("written", "kind", "found"),
    [
        # "styles of Red Hats": over their albums and the tracks on these
        ("follow(<Red Hats>, ^<by>)", "style", ["jazz", "rock"]),
        ("count(follow(<Red Hats>, ^<by>))", "track", "2"),
        # what albums are from Oslo is said in two ways that differ
        ("follow(<Oslo>, ^<instance of>)", "album", None),
    ],
)
def test_the_shortest_way_to_a_class_that_is_named(shop: Pack, written: str, kind: str, found: object) -> None:
    runner = Runner(shop, Budget())
    bridge = Bridge(RelationFacts(shop))
    made = [*bridge.queries(query(written, shop), [query(f"class(<{kind}>)", shop)], runner)]
    if found is None:
        assert not made
        return
    result = runner.result(made[0])
    if result.members is not None:
        assert sorted(shop.labels(result.certain.tolist())) == found
    else:
        assert f"{result.quantity.low:g}" == found


def test_of_two_class_words_the_one_that_is_not_led_to_stays_idle(shop: Pack) -> None:
    runner, made = Runner(shop, Budget()), query("follow(<Red Hats>, ^<by>)", shop)
    kinds = [query(f"class(<{kind}>)", shop) for kind in ("style", "town")]
    spans = [CandidateSpan(at, at + 1, "class", nodes=(kind,), scores=(1.0,)) for at, kind in enumerate(kinds)]
    written = Written(made, (1, "END"), (0.0, 0.0), np.zeros(1, np.float32), ())
    reading = Reading(written, spans, LeftOut((), HEARD), (), (0, 1), (), runner.result(made), 0.0)
    planner = PackPlanner.of(RigelPlanner.load(shipped_root("model") / "rigel"), shop)
    found = [*OperatorReader(shop, planner)._bridged(reading, runner)]
    assert [sorted(shop.labels(one.outcome.members.certain.tolist())) for one in found] == [["jazz", "rock"], ["Oslo"]]
    assert [one.idle for one in found] == [(1,), (0,)]


def test_an_exception_that_excepts_nothing_is_led_to_the_class(shop: Pack) -> None:
    runner = Runner(shop, Budget())
    made = [
        *Bridge(RelationFacts(shop)).queries(
            query("minus(class(<style>), follow(<Blue Shoes>, ^<by>))", shop), [], runner
        )
    ]
    assert [shop.labels(runner.result(one).certain.tolist()) for one in made] == [["jazz"]]


def test_members_of_a_class_are_counted_where_it_is_what_is_counted(shop: Pack) -> None:
    runner = Runner(shop, Budget())
    written = query("best(class(<band>), size(<from>), most 1)", shop)
    made = [*Bridge(RelationFacts(shop)).queries(written, [query("class(<album>)", shop)], runner)]
    assert "best(class(<band>), size(^<by>), most 1)" in [to_text(one, shop) for one in made]
    assert shop.labels(runner.result(made[-1]).certain.tolist()) == ["Red Hats"]


@pytest.mark.parametrize(
    ("written", "kind", "narrowed"),
    [
        ("follow(<Oslo>, ^<from>)", "band", "follow(<Oslo>, ^<from>)"),  # all of them are
        ("or(follow(<Oslo>, ^<from>), follow(<Oslo>, ^<released in>))", "album", "and(class(<album>), or("),
        ("follow(<Oslo>, ^<from>)", "track", None),  # none is
    ],
)
def test_a_class_narrows_the_set_that_holds_others_too(
    shop: Pack, written: str, kind: str, narrowed: str | None
) -> None:
    found = ClassWords(RelationFacts(shop)).narrowed(
        query(written, shop), query(f"class(<{kind}>)", shop), True, True, Runner(shop, Budget())
    )
    assert found is None if narrowed is None else to_text(found, shop).startswith(narrowed)


def sense(pack: Pack, spans: list[CandidateSpan]) -> PackSense:
    return PackSense(RelationFacts(pack), spans, Runner(pack, Budget()), lambda at, _: spans[at].nodes[0])


def stack(pack: Pack, spans: list[CandidateSpan], *steps: object) -> Stack:
    found = Stack(lambda at, _: spans[at].nodes[0])
    for step in steps:
        if isinstance(step, str):
            found = found.operator(step)
        elif isinstance(step, tuple):
            found = found.span(step[0], spans[step[0]].kind)
        else:
            found = found.relation(step, pack.n_relations)
    return found


def test_steps_that_mean_nothing_are_not_offered(shop: Pack) -> None:
    labels = shop.relation_labels()
    style = shop.find_key("style")
    named = nodes.Entities((shop.find_key("Red Hats"),))
    spans = [
        CandidateSpan(0, 4, "class", nodes=(nodes.Class(shop.find_key("track")),), scores=(1.0,)),
        CandidateSpan(5, 9, "entity", nodes=(named,)),
        CandidateSpan(9, 12, "number", nodes=(nodes.Number(2.0),)),
        CandidateSpan(9, 12, "class", nodes=(nodes.Class(style),), scores=(1.0,)),
        CandidateSpan(13, 14, "entity", nodes=(nodes.Entities((shop.find_key("Blue Shoes"),)),)),
    ]
    look = sense(shop, spans)
    by_size = stack(shop, spans, (0,), "BY", labels.index("style"), "SIZE")
    compared = by_size.span(3, "class")  # with a whole class
    assert look.operators(compared, allowed(compared.kinds).operators).isdisjoint({"GT", "LT", "GE", "LE"})
    joined = stack(shop, spans, (0,), (1,))  # a class or one that is named
    assert "OR" not in look.operators(joined, allowed(joined.kinds).operators)
    two = stack(shop, spans, (1,), (4,), "OR", "BY", labels.index("from"), "SIZE").span(2, "number")
    assert "MOST" not in look.operators(two, allowed(two.kinds).operators)  # "the larger of the two" is one
    several = by_size.span(2, "number")
    assert "MOST" in look.operators(several, allowed(several.kinds).operators)


def test_a_rank_says_a_place_in_a_qualifier_but_not_the_last() -> None:
    picked = {0: nodes.Entities((1,)), 1: nodes.Number(2.0), 2: nodes.Number(-1.0)}
    begun = Stack(lambda at, _: picked[at]).span(0, "entity").relation(3, 9).operator("QUAL").relation(4, 9)
    second = begun.span(1, "rank").operator("IN").node
    assert second == nodes.Qualified(nodes.Follow(nodes.Entities((1,)), 3), 4, "in", nodes.Number(2.0))
    with pytest.raises(Exception, match="last"):
        begun.span(2, "rank").operator("IN")


def test_features_are_doubts_and_say_what_was_left_out(shop: Pack) -> None:
    runner = Runner(shop, Budget())
    made = query("follow(<Red Hats>, ^<by>)", shop)
    written = Written(made, (("span", 0), 1, "AND", "END"), (-0.1, -0.7, -0.2, 0.0), np.zeros(1, np.float32), ())
    reading = Reading(
        written, (), LeftOut(("loud",), HEARD), ("most",), (0,), (), runner.result(made), -1.0, is_bridged=True
    )
    understood = Understood((reading,), np.zeros(len(KINDS), np.float32), none=0.1)
    found = features(understood, path_confidence=0.5)
    assert set(found) == set(FEATURES)
    assert (found["relation"], found["operator"], found["pointer"]) == (-0.7, -0.2, -0.1)
    assert (found["unread"], found["unmet"], found["idle"], found["bridged"]) == (-1.0, -1.0, -1.0, -1.0)
    assert all(value <= 0 for name, value in found.items() if name != "steps")


@pytest.mark.parametrize(
    ("written", "named", "found"),
    [
        ("class(<track>)", "rock", ["a", "c"]),
        ("count(class(<track>))", "jazz", "1"),
        ("follow(<Red Hats>, ^<by>)", "jazz", None),  # no album has to do with a style at once
    ],
)
def test_a_name_that_a_query_leaves_out_narrows_it(shop: Pack, written: str, named: str, found: object) -> None:
    runner = Runner(shop, Budget())
    name = nodes.Entities((shop.find_key(named),))
    made = Bridge(RelationFacts(shop)).attached(query(written, shop), name, runner)
    if found is None:
        assert made is None
    elif isinstance(found, str):
        assert f"{runner.result(made).quantity.low:g}" == found
    else:
        assert sorted(shop.labels(runner.result(made).certain.tolist())) == found


def test_of_the_one_thing_that_a_relation_leads_to_nobody_asks_the_largest(shop: Pack) -> None:
    named = [nodes.Entities((shop.find_key(name),)) for name in ("One", "Oslo")]
    spans = [CandidateSpan(0, 3, "entity", nodes=(one,)) for one in named]
    look, labels = sense(shop, spans), shop.relation_labels()
    by = stack(shop, spans, (0,), labels.index("by"))  # an album is by one band
    assert look.operators(by, allowed(by.kinds).operators).isdisjoint({"BY", "COUNT"})
    bands = stack(shop, spans, (1,), labels.index("from") + shop.n_relations)
    assert {"BY", "COUNT"} <= look.operators(bands, allowed(bands.kinds).operators)


def test_the_first_of_two_is_not_known_where_one_is_not(shop: Pack) -> None:
    runner = Runner(shop, Budget())
    names = "entities(<Red Hats>, <Blue Shoes>)"
    assert not is_void(runner.result(query(f"best({names}, size(^<by>), most 1)", shop)))
    assert is_void(runner.result(query(f"best({names}, value(<released in>), most 1)", shop)))
