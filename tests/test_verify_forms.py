"""Claims that say once what is so of two, what something has, which way they compare; verdicts over small tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from forked_cli import kgask
from piped import piped

from kgask import open as open_pack
from kgask.answer.pipeline import Pipeline
from kgask.link.naming import names_in
from kgask.link.shared_words import with_shared_words
from kgask.methods.events import unmeasured
from kgask.methods.signs import is_downward
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.query.text import parse
from kgask.types import Seed
from kgask.verify.described import goes_beyond, is_number_of_name, takes_preposition
from kgask.verify.ellipsis import is_and_has, of_one
from kgask.verify.exactness import as_stated
from kgask.verify.form import said
from kgask.verify.honoured import names_a_kind, unhonoured
from kgask.verify.openly import openly
from kgask.verify.split import may_be_one, sub_claims
from kgask.verify.verifier import Verifier

NAMES = [*"Poe Ada Rome Paris Chad Kenya Peru Emma Alps Loire Rhône".split(), "Gold Cup", "Big Bowl"]
BOATS = """boat:ID,type,length m,built in,builder,skipper,twin,top pace
Kittiwake,sloop,8.4,1974,Hobart Yard,Meg Sorrel,Tern,9.5
Ondine,ketch,12.1,1938,Larsen Works,Piet Aalders,,7.0
Puffball,dinghy,3.2,2015,Sorrel Works,Asha Rao,,4.1
Black Joan,cutter,10.7,1912,Larsen Works,Tom Brill,,6.6
Tern,sloop,8.5,1988,Hobart Yard,Ines Dahl,Kittiwake,9.1
Teal,dinghy,3.6,1999,Hobart Yard,Olga Wen,Puffball,4.4
Old Moses,barge,18.3,1896,,Paul Egk,,3.0
"""


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        ("Poe was born, and also died, in Rome", ["Poe was born in Rome", "Poe died in Rome"]),
        ("Poe both directed and acted in Emma", ["Poe directed Emma", "Poe acted in Emma"]),
        ("Poe was born and raised in Rome", ["Poe was born in Rome", "Poe was raised in Rome"]),
        ("Poe lived and died in Rome", ["Poe lived in Rome", "Poe died in Rome"]),
        ("Not only Chad but also Peru borders Kenya", ["Chad borders Kenya", "Peru borders Kenya"]),
        ("Chad borders Kenya, and so does Peru", ["Chad borders Kenya", "Peru borders Kenya"]),
        ("Poe died in Rome, as did Ada", ["Poe died in Rome", "Ada died in Rome"]),
        ("Chad borders Kenya, but Peru doesn't", ["Chad borders Kenya", "it is not true that Peru borders Kenya"]),
        ("Chad borders Kenya but not Peru", ["Chad borders Kenya", "it is not true that Chad borders Peru"]),
        ("Chad borders Kenya and Rome, but not Peru",
         ["Chad borders Kenya", "Chad borders Rome", "it is not true that Chad borders Peru"]),
        ("Chad borders Kenya and Rome but does not border Peru",
         ["Chad borders Kenya", "Chad borders Rome", "Chad does not border Peru"]),
        ("Poe was not born in Rome but in Paris",
         ["it is not true that Poe was born in Rome", "Poe was born in Paris"]),
        ("Poe won the Gold Cup in 1938 and the Big Bowl in 1950",
         ["Poe won the Gold Cup in 1938", "Poe won the Big Bowl in 1950"]),
        ("The Rhône rises in the Alps and the Loire in Peru",
         ["The Rhône rises in the Alps", "the Loire rises in Peru"]),
        ("Poe won the prize in physics as well as the one in history",
         ["Poe won the prize in physics", "Poe won the prize in history"]),
        ("Emma was written by Poe in 1847", ["Emma was written in 1847", "Emma was written by Poe"]),
        ("Both Chad and Peru are countries in Africa", ["Chad is a country in Africa", "Peru is a country in Africa"]),
        ("There is a river in Chad and Peru", ["There is a river in Chad and Peru"]),
        ("Poe is not only a poet", ["Poe is not only a poet"]),
        ("Rome is the seat of Peru and a port", ["Rome is the seat of Peru", "Rome is a port"]),
        ("Poe is the son of a smith and a singer", ["Poe is the son of a smith and a singer"]),
        ("Ada is the aunt of Chad and the poet Poe", ["Ada is the aunt of Chad and the poet Poe"]),
        ("Ada was mayor in 1908, 1911 and 1920",
         ["Ada was mayor in 1908", "Ada was mayor in 1911", "Ada was mayor in 1920"]),
        ("Ada hails from Rome and keeps bees", ["Ada hails from Rome", "Ada keeps bees"]),
        ("Chad has lakes and rivers of salt", ["Chad has lakes and rivers of salt"]),
        ("Ada comes from Rome, where she taught", ["Ada comes from Rome", "Ada taught in Rome"]),
        ("While Poe is a smith, Ada was born in Rome", ["Poe is a smith", "Ada was born in Rome"]),
        ("The Loire rises in Peru and comes out in Chad", ["The Loire rises in Peru", "The Loire comes out in Chad"]),
        ("Poe and Ada are both Romans", ["Poe is a Roman", "Ada is a Roman"]),
    ],
)  # fmt: skip
def test_what_is_said_once_for_two(claim: str, parts: list[str]) -> None:
    assert sub_claims(claim, NAMES) == parts


def test_what_is_divided_may_be_one_query_too() -> None:
    assert is_and_has("Emma is a novel by Poe", NAMES) == ["Emma is a novel", "Emma is by Poe"]
    assert is_and_has("Poe is a friend with Ada", ["Poe"]) == [] == is_and_has("Poe is a Roman by birth", ["Poe"])
    assert may_be_one("Emma is a novel by Poe", NAMES, has_statements=False)
    assert not may_be_one("Emma was written by Poe in 1847", NAMES, has_statements=False)
    assert may_be_one("Emma was written by Poe in 1847", NAMES, has_statements=True)


def test_of_several_said_of_one() -> None:
    assert of_one("are both made of steel") == "is made of steel"
    assert of_one("are old cities in Peru") == "is an old city in Peru"


@pytest.mark.parametrize(
    ("claim", "text", "denies"),
    [
        ("Whoever wrote Emma died in Rome", "the person who wrote Emma died in Rome", False),
        ("Chad has a land border with another country", "Chad has a border with any country", False),
        ("Chad and Peru share no common border", "Chad and Peru share a border", True),
        ("Among the Roman poets there is one who drowned", "there is a Roman poet who drowned", False),
        ("Ada was born in Rome, of all places", "Ada was born in Rome", False),
        ("Ada won no prizes", "Ada won any prizes", True),
        ("Ada won no more than three prizes", "Ada won no more than three prizes", False),
    ],
)
def test_what_is_said_in_more_words(claim: str, text: str, denies: bool) -> None:
    found = said(claim, NAMES)
    assert (found.text, found.denies) == (text, denies)


def test_somebody_is_nobody_in_particular() -> None:
    assert said("Nobody discovered Emma", ["Emma"]) == said("Emma was not discovered", ["Emma"])


@pytest.mark.parametrize(
    ("claim", "called", "is_so"),
    [
        ("Lemon is less acidic than milk", "pH", True),
        ("Lemon is less acidic than milk", "price", False),
        ("Tern is faster than Teal", "lap time", True),
        ("Tern is faster than Teal", "top speed", False),
        ("Tern takes more time than Teal", "lap time", False),
    ],
)
def test_scales_on_which_less_is_more(claim: str, called: str, is_so: bool) -> None:
    assert is_downward(claim, called) is is_so


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boats")
    (folder / "boats.csv").write_text(BOATS, encoding="utf-8")
    made = kgask("pack", "build", str(folder / "boats.csv"), "-o", str(folder / "pack"))
    assert made.returncode == 0, made.stderr
    return folder / "pack"


CLAIMS = {
    "Teal has a twin.": "supported",
    "Puffball has a twin.": "not enough information",  # only Teal is said to have it
    "Teal has a builder.": "supported",
    "Teal has no skipper.": "refuted",
    "Old Moses has a builder.": "not enough information",
    "Black Joan was built before Kittiwake.": "supported",
    "Kittiwake was built before Black Joan.": "refuted",
    "Tern was built after Kittiwake.": "supported",
    "Kittiwake was built in 1974 by Larsen Works.": "refuted",
    "Kittiwake was built in 1974 by Hobart Yard.": "supported",
}


@pytest.mark.slow
def test_verdicts_over_a_table(boats: Path) -> None:
    done = kgask("verify", "--claims", "-", "--json", "-p", str(boats), stdin="\n".join(CLAIMS) + "\n")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["claim"]: one["verdict"] for one in found} == CLAIMS


WORLD = {
    "Marie Curie died after Doris Lessing.": "refuted",
    "Kofi Annan was born before Nelson Mandela.": "refuted",
    "Doris Lessing died before Kofi Annan.": "supported",
    "Lake Baikal has tributaries.": "supported",
    "Nobody discovered helium.": "refuted",
    "Marie Curie had a wife.": "not enough information",
    "Mali and Senegal border Mauritania, and so does Niger.": "refuted",
    "Kofi Annan was not born in Bern but in Kumasi.": "supported",
}


def test_verdicts_over_the_demo_pack(opened: Callable[..., Pipeline]) -> None:
    *found, airport = Verifier(opened("demo", None)).verify_many([*WORLD, "Kathmandu has an airport."])
    assert {one.claim: one.verdict for one in found} == WORLD
    assert airport.verdict != "refuted"  # it is none, but has one


def test_whose_child_somebody_is_says_nothing_of_her_children(tmp_path: Path) -> None:
    piped("Leslie Stephen | child | Virginia Woolf\nJulia Jackson | child | Virginia Woolf").write(tmp_path / "kin")
    claims = ["Virginia Woolf did not have any children.", "Virginia Woolf had no children.",
              "Leslie Stephen had no children."]  # fmt: skip
    with open_pack(tmp_path / "kin") as graph:
        verdicts = [one.verdict for one in graph.verify_many(claims)]
    assert verdicts == ["not enough information", "not enough information", "refuted"]


def test_that_somebody_is_younger_is_not_read_without_a_comparison(family_path: Path) -> None:
    with Pack.open(family_path) as pack:
        taught = parse("holds(<Cora Reed>, <teacher>, <Dan Reed>)", pack)
    assert unhonoured("_ is younger than _", taught) == "younger than"
    assert unhonoured("_ has a child other than _", taught) is None


def test_the_most_is_not_read_without_an_order(boats: Path) -> None:
    with Pack.open(boats) as pack:
        plain, longest = (
            parse(text, pack)
            for text in (
                "holds(<Teal>, <builder>, <Larsen Works>)",
                "some(and(best(class(<dinghy>), value(<length m>), most 1), <Teal>))",
            )
        )
        assert isinstance(plain, TruthNode) and isinstance(longest, TruthNode)
        assert (
            unhonoured("_ is the slowest dinghy", plain) == "slowest"
            and unhonoured("_ is the slowest", longest) is None
        )
        assert unhonoured("_ is in the west, at least", plain) is None
        assert unhonoured("_ has the highest seat", plain, {"highest", "seat"}) is None
        assert unhonoured("_ is longer than any other", plain) == "longer than"
        assert unhonoured("_ is longer than any other", longest) is None
        assert unhonoured("any dinghy is longer than _", longest) == "longer than", "no dinghy is: it is the longest"
        assert unhonoured("any dinghy has more length than _", longest) == "more length than"
        assert unhonoured("_ is the longest of all", longest) is None and unhonoured("all of _", longest) == "all"


def test_what_is_counted_is_not_measured(boats: Path) -> None:
    with Pack.open(boats) as pack:
        built, counted = (
            parse(text, pack)
            for text in ("holds(follow(<Larsen Works>, ^<builder>), <skipper>, <Paul Egk>)",
                         "compare(count(follow(<Larsen Works>, ^<builder>)) = 7)")
        )  # fmt: skip
        assert isinstance(built, TruthNode) and isinstance(counted, TruthNode)
        assert (
            unhonoured("_ sold 70 anchors", built) == "anchors" and unhonoured("_ built seven boats", counted) is None
        )
        assert unhonoured("_ took seven years", counted) == "years"


def test_some_of_a_kind_are_not_what_is_named(boats: Path) -> None:
    with Pack.open(boats) as pack:
        query = parse("compare(values(<Larsen Works>, <length m>) > values(<Teal>, <length m>))", pack)
        assert isinstance(query, TruthNode)
        assert names_a_kind(query, "Some _ ketch is longer than _") and not names_a_kind(query, "_ is longer than _")


OF_OTHERS = {
    "Joel and Ethan Coen directed Fargo.": "supported",
    "Some South American country is larger than Russia.": "refuted",
    "Some Asian country is larger than Brazil.": "supported",
    "Chad and Peru share a border.": "refuted",
    "Chad and Sudan share a border.": "supported",
    "Neon and xenon are noble gases.": "supported",
    "Iron is a solid and a noble gas.": "refuted",
    "Cuba has no borders.": "supported",
    "The Elbe is the cleanest river in Germany.": "not enough information",
}


@pytest.mark.slow
def test_verdicts_on_other_forms(opened: Callable[..., Pipeline]) -> None:
    found = Verifier(opened("demo", None)).verify_many([*OF_OTHERS])
    assert {one.claim: one.verdict for one in found} == OF_OTHERS


def test_names_beside_names_and_phrases(opened: Callable[..., Pipeline]) -> None:
    pipeline = opened("demo", None)
    assert names_in(pipeline.linker, "Neon and xenon are gases") == ["Neon", "xenon"]
    assert "The man" not in names_in(pipeline.linker, "The man who wrote Emma died")
    both = with_shared_words("Jacob and Wilhelm Grimm wrote it", pipeline.pack)
    assert both == "Jacob Grimm and Wilhelm Grimm wrote it"
    assert with_shared_words("Chad and Peru Lima", pipeline.pack) == "Chad and Peru Lima"


# --- superlatives, and what a query goes by ---


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("Kenya is Africa's largest country", ("Which is Africa's largest country?", "Kenya")),
        ("The largest country in Africa is Kenya", ("Which is the largest country in Africa?", "Kenya")),
        ("In Africa, Kenya is the largest country", ("In Africa, which is the largest country?", "Kenya")),
        ("Kenya has more lakes than any other country", ("Which country has more lakes than any other?", "Kenya")),
        ("Kenya is only the second-largest", ("Which is the second-largest?", "Kenya")),
        ("Kenya is one of the largest countries", None),
        ("Kenya is larger than Uganda", None),
        ("The largest lake lies in Kenya", None),
    ],
)
def test_the_most_of_its_kind_as_an_open_question(claim: str, asked: tuple[str, str] | None) -> None:
    found = openly(claim, ["Kenya", "Africa", "Uganda"])
    assert (found and (found.question, found.name)) == asked


def test_what_something_is_the_most_of_is_what_a_relation_is_called() -> None:
    size = {"elevation", "high"}
    assert [unmeasured(f"it is the {word} city", size) for word in ("windiest", "highest", "largest")] == [
        "windiest", None, None,
    ]  # fmt: skip
    assert unmeasured("the most crowded city", size) == "crowded"
    assert unmeasured("the most populous city", {"population"}) is None
    assert unmeasured("the most inhabitants", size) is None


GOES_BEYOND = [
    ("Poe lives in Boston", "holds(follow(<nobel-6>, <P26>), <P19>, <Q90>)", True),
    ("Poe's wife was born in Paris", "holds(follow(<nobel-6>, <P26>), <P19>, <Q90>)", False),
    ("Poe was born in Poland", "holds(follow(<nobel-6>, <P19>), <P17>, <Q36>)", False),  # where that lies
    ("the author of Emma dislikes that one", "holds(<gutenberg-158>, <P50>, follow(<gutenberg-768>, <P50>))", False),
    ("the author of Emma dislikes the author of Wuthering Heights",
     "holds(<gutenberg-158>, <P50>, follow(<gutenberg-768>, <P50>))", True),
    ("Rome is the next stop after Paris", "holds(follow(<nobel-6>, <P40>), <P40>, <Q90>)", True),
    ("Rome is the child of the child of Poe", "holds(follow(<nobel-6>, <P40>), <P40>, <Q90>)", False),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "query", "is_so"), GOES_BEYOND)
def test_a_query_that_goes_by_what_nobody_described_is_no_reading(
    opened: Callable[..., Pipeline], claim: str, query: str, is_so: bool
) -> None:
    demo = opened("demo", None).pack
    parsed = parse(query, demo)
    assert isinstance(parsed, TruthNode) and goes_beyond(parsed, claim, demo) is is_so


def test_numbers_and_prepositions_of_names() -> None:
    late = nodes.Compare(nodes.Count(nodes.Entities((1,))), ">", nodes.Number(709))
    assert is_number_of_name(late, "sailing 709 was late", "_ was late")
    assert not is_number_of_name(late, "sailing 1 has 709 passengers", "_ has 709 passengers")
    one = nodes.Some(nodes.Entities((7,)))
    assert takes_preposition(one, "lakes in Africa", [Seed(7, (6, 15), 1.0)])
    assert not takes_preposition(one, "In Africa is a book", [Seed(7, (0, 9), 1.0)])


@pytest.mark.parametrize(
    ("claim", "sign"),
    [
        ("it tops 9,000 m", ">"),
        ("it does even reach 9,000 m", ">="),
        ("it is 9,000 m high", "="),
        ("over 9,000 m", ">"),
    ],
)
def test_a_number_is_compared_as_the_word_before_it_says(claim: str, sign: str) -> None:
    count, number = nodes.Count(nodes.Entities((1,))), nodes.Number(9000)
    assert as_stated(nodes.Compare(count, "=", number), claim) == nodes.Compare(count, sign, number)  # type: ignore[arg-type]
