"""Who is what of whom, whose it is, and where it lies: what a text says the other way round is another claim."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgask.config import shipped_root
from kgask.methods.roles import is_the_other_way
from kgask.methods.signs import is_other_way, put_right
from kgask.methods.whose import passes_over_owned
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.types import EntityId, Seed

CURIE, WARSAW, CAMERON, TITANIC = "nobel-6", "Q270", "Q42574", "Q44578"
COPPOLA, SOFIA, JAPAN, TOKYO = "Q56094", "Q193628", "Q17", "Q1490"
NAMES = {
    CURIE: "Marie Curie", WARSAW: "Warsaw", CAMERON: "James Cameron", TITANIC: "Titanic", SOFIA: "Sofia Coppola",
    COPPOLA: "Francis Ford Coppola", JAPAN: "Japan", TOKYO: "Tokyo", "Q29": "Spain", "Q419": "Peru", "Q142": "France",
    "Q38": "Italy", "nobel-5": "Pierre Curie", "Q20": "Norway", "Q46": "Europe",
}  # fmt: skip


@pytest.fixture(scope="module")
def demo() -> Iterator[Pack]:
    with Pack.open(shipped_root("pack") / "demo") as pack:
        yield pack


def spans(text: str, pack: Pack) -> dict[EntityId, tuple[int, int]]:
    found = {pack.find_key(key): (text.find(name), name) for key, name in NAMES.items()}
    return {key: (at, at + len(name)) for key, (at, name) in found.items() if key is not None and at >= 0}


@pytest.mark.parametrize(
    ("subject", "relation", "obj", "said", "other"),
    [
        (TITANIC, "P57", CAMERON, "James Cameron directed Titanic", "Titanic directed James Cameron"),
        (TITANIC, "P57", CAMERON, "Titanic was directed by James Cameron", "James Cameron was directed by Titanic"),
        (JAPAN, "P36", TOKYO, "Is Tokyo the capital of Japan?", "Is Japan the capital of Tokyo?"),
        (JAPAN, "P36", TOKYO, "Japan's capital is Tokyo", "Tokyo's capital is Japan"),
        (COPPOLA, "P40", SOFIA, "Sofia Coppola is Francis Ford Coppola's daughter",
         "Sofia Coppola is the mother of Francis Ford Coppola"),
        (COPPOLA, "P40", SOFIA, "Was Francis Ford Coppola the father of Sofia Coppola?",
         "Was Francis Ford Coppola the son of Sofia Coppola?"),
        (CURIE, "P19", WARSAW, "Was Marie Curie born in Warsaw?", "Was Warsaw born in Marie Curie?"),
        ("Q419", "kgask:independent-from", "Q29", "Peru became independent from Spain",
         "Spain became independent from Peru"),
        ("Q20", "P30", "Q46", "Norway lies in Europe", "Does Europe lie in Norway?"),
    ],
)  # fmt: skip
def test_which_way_it_is_said(demo: Pack, subject: str, relation: str, obj: str, said: str, other: str) -> None:
    n_read = 0
    for query in (f"holds(<{subject}>, <{relation}>, <{obj}>)", f"holds(<{obj}>, ^<{relation}>, <{subject}>)"):
        n_read += not is_the_other_way(parse(query, demo), said, spans(said, demo), demo)
        assert is_the_other_way(parse(query, demo), other, spans(other, demo), demo), query
    assert n_read == 2


def test_what_goes_both_ways_has_no_other_way(demo: Pack) -> None:
    for query in ("holds(<Q142>, <P47>, <Q38>)", "holds(<Q38>, <P47>, <Q142>)"):
        text = "Italy is a neighbour of France"
        assert not is_the_other_way(parse(query, demo), text, spans(text, demo), demo)


def test_what_one_is_of_the_other_is_no_third_of_both(demo: Pack) -> None:
    query = parse(f"some(and(follow(<{COPPOLA}>, <P40>), follow(<{SOFIA}>, <P40>)))", demo)
    for text, is_other in (
        ("Sofia Coppola is the daughter of Francis Ford Coppola", True),
        ("Do Sofia Coppola and Francis Ford Coppola have a child?", False),
    ):
        assert is_the_other_way(query, text, spans(text, demo), demo) is is_other


def test_what_lies_in_a_place_is_not_the_place(demo: Pack) -> None:
    query, text = parse("holds(follow(<Q20>, ^<P17>), <P30>, <Q46>)", demo), "Does Norway lie in Europe?"
    assert is_the_other_way(query, text, spans(text, demo), demo)


@pytest.mark.parametrize(
    ("text", "query", "is_passed_over"),
    [
        ("Where did Marie Curie's dog die?", f"follow(<{CURIE}>, <P20>)", True),
        ("Where was the uncle of Marie Curie born?", f"follow(<{CURIE}>, <P19>)", True),
        ("The boss of Marie Curie was born in Warsaw", f"holds(<{CURIE}>, <P19>, <{WARSAW}>)", True),
        ("Where was Marie Curie's killer born?", f"follow(follow(<{CURIE}>, <P19>), <P17>)", True),
        ("Where did Marie Curie's husband die?", f"follow(follow(<{CURIE}>, <P26>), <P20>)", False),
        ("When was the city of Warsaw founded?", f"follow(<{WARSAW}>, <P571>)", False),
        ("Marie Curie died after her husband", f"compare(values(<{CURIE}>, <P570>) > values(<{CURIE}>, <P569>))", True),
        (
            "Did Marie Curie die after her husband?",
            f"compare(values(<{CURIE}>, <P570>) > values(follow(<{CURIE}>, <P26>), <P570>))",
            False,
        ),
        ("Whose dog barked at Marie Curie?", f"follow(<{CURIE}>, <P26>)", True),
        ("Whose wife discovered what Marie Curie did?", f"follow(<{CURIE}>, <P26>)", False),
        ("What is Marie Curie's birthplace?", f"follow(<{CURIE}>, <P19>)", False),
        ("Which of Francis Ford Coppola's movies were made in Italy?", f"follow(<{COPPOLA}>, ^<P57>)", False),
    ],
)
def test_what_hers_did_she_did_not(demo: Pack, text: str, query: str, is_passed_over: bool) -> None:
    assert passes_over_owned(parse(query, demo), text, spans(text, demo), demo) is is_passed_over


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("Marie Curie died before her husband", True),
        ("Marie Curie died after her husband", False),
        ("Marie Curie's husband died before her", False),
        ("The husband of Marie Curie died after her", True),
    ],
)
def test_of_her_husband_and_her_it_is_told_who_is_meant_first(demo: Pack, text: str, is_other: bool) -> None:
    wife, husband = f"values(<{CURIE}>, <P570>)", f"values(follow(<{CURIE}>, <P26>), <P570>)"
    seeds = [Seed(entity, place, 1.0, text[slice(*place)], "", "label") for entity, place in spans(text, demo).items()]
    assert is_other_way(parse(f"compare({wife} > {husband})", demo), text, seeds, demo) is is_other
    assert is_other_way(parse(f"compare({husband} < {wife})", demo), text, seeds, demo) is is_other
    for query, other in (
        (f"compare({wife} > {husband})", f"compare({wife} < {husband})"),
        (f"compare({husband} < {wife})", f"compare({husband} > {wife})"),
    ):
        turned = put_right(parse(query, demo), text, seeds, demo)
        assert turned == parse(other if is_other else query, demo)
