"""Names that a question gives in part: found where they are clear, told where they are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgask.build.recipe import Recipe, build
from kgask.link.features import HAND
from kgask.link.linker import MAX_SEEDS, Linker
from kgask.link.marks import read_marks
from kgask.link.parts import FAR_AHEAD, SMALL, WELL_KNOWN
from kgask.pack.store import Pack
from kgask.types import Mention, Question

WORDS = frozenset(
    "who what is was the of born when where which how does did boss in for whom to mother old work server president "
    "composed grace".split()
)
PEOPLE = """
Alice Novak\tmanages\tBob Chen
Alice Novak\tmanages\tGrace Kim
Bob Chen\tmanages\tMia van der Berg
Grace Kim\tworks on\tP-101
Tom Chen\tworks on\tBRCA1
Mia van der Berg\tworks on\tsrv-web-01
srv-web-01\tos\tDebian 12
srv-db-01\tos\tDebian 11
srv-web-01\tkind\tserver
Max Born\tborn in\tBath
Bath\tin\tSomerset
Requiem\tcomposer\tAmadeus Strand
Strand Road\tin\tBath
Strand\tauthor\tTom Chen
Amadeus Strand\tborn in\t"1756"^^date
The Diary of Anne Frank\tauthor\tTom Chen
Louise Brown Hart\tborn in\tBath
"""
ALIASES = "Max Born\tBorn\nAlice Novak\tThe Boss\n"
WORKS = "".join(f"Work {number}\tcomposer\tAmadeus Strand\n" for number in range(25))


def _pack(folder: Path, triples: str, aliases: str = "") -> Iterator[Pack]:
    (folder / "triples.tsv").write_text(triples.lstrip(), encoding="utf-8")
    (folder / "aliases.tsv").write_text(aliases, encoding="utf-8")
    texts = (("aliases", str(folder / "aliases.tsv")),) if aliases else ()
    recipe = Recipe(
        sources=(str(folder / "triples.tsv"),),
        target=folder / "pack",
        texts=texts,
        licences=("CC0-1.0",),
        source_notes=("made up",),
    )
    build(recipe, tell=print)
    with Pack.open(folder / "pack") as pack:
        yield pack


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    yield from _pack(tmp_path_factory.mktemp("people"), PEOPLE + WORKS, ALIASES)


@pytest.fixture
def linker(people: Pack) -> Linker:
    return Linker(people, WORDS, HAND)


def _named(mentions: list[Mention]) -> dict[str, tuple[str, str]]:
    """What is said, and its best seed's name and match."""
    return {mention.text: (mention.seeds[0].name, mention.seeds[0].match) for mention in mentions}


@pytest.mark.parametrize(
    ("text", "said", "name"),
    [
        ("Who manages Bob?", "Bob", "Bob Chen"),
        ("who manages bob", "bob", "Bob Chen"),  # "manages" is a relation, no part of the name
        ("Who is Alice's boss?", "Alice", "Alice Novak"),
        ("Is Dr. Novak in?", "Novak", "Alice Novak"),
        ("What does Grace work on?", "Grace", "Grace Kim"),  # a common word, but capitalised
        ("Where is Mia Berg?", "Mia Berg", "Mia van der Berg"),
        ("Where does van der Berg work?", "Berg", "Mia van der Berg"),
        ("What os has web-01?", "web-01", "srv-web-01"),
        ("WHO MANAGES BOB?", "BOB", "Bob Chen"),
        ("Who Manages Bob?", "Bob", "Bob Chen"),
        ("Who manages [bob]?", "bob", "Bob Chen"),
        ("When was Louise born?", "Louise", "Louise Brown Hart"),
    ],
)
def test_a_part_that_one_entity_has_is_found(linker: Linker, text: str, said: str, name: str) -> None:
    question = read_marks(text)
    assert _named(linker.link(question)).get(said) == (name, "part")
    assert linker.unclear(question) == []


@pytest.mark.parametrize(
    "text", ["Who works on P-101?", "who works on p-101", "What is BRCA1?", "srv-web-01", "SRV WEB 01"]
)
def test_codes_are_names(linker: Linker, text: str) -> None:
    (mention,) = linker.link(Question(text))
    assert (mention.seeds[0].match, mention.seeds[0].name.lower()) == ("label", mention.text.lower().replace(" ", "-"))


def test_a_part_scores_less_than_the_name(linker: Linker) -> None:
    part = linker.link(Question("Who manages Bob?"))[0].seeds[0]
    name = linker.link(Question("Who manages Bob Chen?"))[0].seeds[0]
    assert (part.entity, name.match) == (name.entity, "label")
    assert 0 < part.score < name.score


def test_a_shared_part_may_mean_each_of_them(linker: Linker, people: Pack) -> None:
    question = Question("Who manages Chen?")
    (linked,) = linker.link(question)
    assert linked.is_shared and {seed.name for seed in linked.seeds} == {"Bob Chen", "Tom Chen"}
    assert linker.link_tolerantly(question) == []  # a word of names is no typo of another
    (unclear,) = linker.unclear(question)
    assert (unclear.text, unclear.span, unclear.n_same) == ("Chen", (12, 16), 2)
    assert {seed.name for seed in unclear.seeds} == {"Bob Chen", "Tom Chen"}
    assert {seed.match for seed in unclear.seeds} == {"part"}


def test_class_words_in_lower_case_are_no_part(linker: Linker) -> None:
    (unclear,) = linker.unclear(Question("which debian servers"))
    assert (unclear.text, unclear.n_same) == ("debian", 2)


def test_a_common_word_is_nobodys_surname(linker: Linker) -> None:
    assert _named(linker.link(Question("Who was born in Bath?"))) == {"Bath": ("Bath", "label")}
    assert "Born" in _named(linker.link(Question("Where was Born?")))  # unless it is written as a name


@pytest.mark.parametrize(
    "text",
    [
        "Who is Bob Smith?",  # another Bob
        "Who is Jane Chen?",
        "who is jane chen",
        "Who is the Duke of Novak?",  # one name, which is not known
        "Who is Anne?",  # inside a title only
        "Who is 12?",
        "who is boss",
    ],
)
def test_what_is_no_part_of_a_name(linker: Linker, text: str) -> None:
    assert [mention for mention in linker.link(Question(text)) if mention.seeds[0].match == "part"] == []
    assert linker.unclear(Question(text)) == []


def test_who_is_called_just_so_comes_first_and_the_far_better_known_besides(linker: Linker) -> None:
    (mention,) = linker.link(Question("When was Strand born?"))
    assert [(seed.name, seed.match) for seed in mention.seeds] == [("Strand", "label"), ("Amadeus Strand", "part")]
    assert mention.seeds[0].score > mention.seeds[1].score
    assert _named(linker.link(Question("Who wrote the Requiem?"))) == {"Requiem": ("Requiem", "label")}


def test_one_far_better_known_is_meant(tmp_path: Path) -> None:
    many = "".join(f"Book {number}\tauthor\tJohn Marlow\n" for number in range(max(WELL_KNOWN, 2 * FAR_AHEAD)))
    for pack in _pack(tmp_path, f"{many}Peter Marlow\tchild\tAda Marlow\nPeter Marlow\tborn in\tYork\n"):
        linker = Linker(pack, WORDS)
        assert _named(linker.link(Question("When was Marlow born?"))) == {"Marlow": ("John Marlow", "part")}
        assert linker.unclear(Question("When was Marlow born?")) == []


def test_in_a_large_pack_a_word_in_lower_case_is_part_of_well_known_names_only(tmp_path: Path) -> None:
    others = "".join(f"Thing {number}\tnear\tThing {number + 1}\n" for number in range(SMALL))
    known = "".join(f"Book {number}\tauthor\tJohn Marlow\n" for number in range(12))
    for pack in _pack(tmp_path, f"{others}{known}Volcano Park\tnear\tThing 1\n"):
        linker = Linker(pack, WORDS)
        assert _named(linker.link(Question("when was marlow born"))) == {"marlow": ("John Marlow", "part")}
        assert linker.link(Question("where is the volcano")) == []
        assert linker.unclear(Question("where is the volcano")) == []
        assert _named(linker.link(Question("where is the Volcano"))) == {"Volcano": ("Volcano Park", "part")}
        crowd = linker.unclear(Question("where is Thing"))
        assert [len(mention.seeds) for mention in crowd] == [MAX_SEEDS]


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("Which African city is old?", "African", "Africa"),
        ("which african city is old?", "african", "Africa"),
        ("Which South American city is old?", "South American", "South America"),
        ("Which Dutch city is old?", "Dutch", "Netherlands"),
        ("Is it Brazilian?", "Brazilian", "Brazil"),
    ],
)
def test_an_adjective_speaks_of_its_place(tmp_path: Path, text: str, said: str, place: str) -> None:
    names = ("Africa", "South America", "Netherlands", "Brazil", "African Americans", "Dutch", "Afrika")
    triples = "".join(f"{name} city {at}\tin\t{name}\n" for name in names for at in range(6))
    for pack in _pack(tmp_path, triples):
        linker = Linker(pack, WORDS | {"city", "african"})
        seeds = next(mention.seeds for mention in linker.link(Question(text)) if mention.text == said)
        assert (place, "alias") in [(seed.name, seed.match) for seed in seeds]
        if said == "Dutch":  # what is called just so comes first
            assert [seed.name for seed in seeds] == ["Dutch", "Netherlands"]


def test_a_place_may_be_said_by_its_name_and_by_its_adjective(tmp_path: Path) -> None:
    triples = "".join(f"Brazil city {at}\tin\tBrazil\n" for at in range(6))
    for pack in _pack(tmp_path, triples):
        linker = Linker(pack, WORDS | {"city"})
        found = linker.link(Question("Which city is in Brazil but not Brazilian, by Brazil's law?"))
        assert sorted((mention.text, mention.seeds[0].name) for mention in found) == [
            ("Brazil", "Brazil"),
            ("Brazilian", "Brazil"),
        ]  # and a name that is said twice is one


def test_a_name_that_writes_the_word_in_the_same_case_is_meant(tmp_path: Path) -> None:
    known = "".join(f"Film {number}\tcast member\tDonnie Yen\n" for number in range(30))
    for pack in _pack(tmp_path, f"{known}Japan\tcurrency\tJapanese yen\nCommonwealth of Rain\tin\tJapan\n"):
        linker = Linker(pack, WORDS)
        assert _named(linker.link(Question("what uses the yen"))) == {"yen": ("Japanese yen", "part")}
        assert _named(linker.link(Question("Who is Yen?"))) == {"Yen": ("Donnie Yen", "part")}
        assert linker.link(Question("What is the Commonwealth?")) == []


def test_what_is_heavier_than_something_is_no_name(linker: Linker) -> None:
    with_than = linker.link(Question("Is Bath huger than Somerset?"))
    assert all(mention.whole for mention in with_than)
    assert {mention.text for mention in with_than} == {"Bath", "Somerset"}


MURDER = """
Dr Amias Thorne\tmurdered\tSir Gideon Quillon
Sir Gideon Quillon\tmarried to\tLady Honoria Quillon
vial of digitalis\tbelongs to\tDr Amias Thorne
Order of Merit\tbelongs to\tSir Gideon Quillon
"""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Who killed Sir Gideon?", {"Sir Gideon Quillon"}),
        ("When was Dr. Thorne born?", {"Dr Amias Thorne"}),
        ("Where was Thorne born?", {"Dr Amias Thorne"}),
        ("Who is the mother of Lady Honoria?", {"Lady Honoria Quillon"}),
        ("Whose is the vial?", {"vial of digitalis"}),
        ("Whose is the order?", set()),  # which is no vial: "Order" begins a name
    ],
)
def test_titles_are_no_part_of_a_name(tmp_path: Path, text: str, named: set[str]) -> None:
    for pack in _pack(tmp_path, MURDER):
        found = Linker(pack, WORDS, HAND).link(read_marks(text))
        assert {seed.name for one in found for seed in one.seeds} == named
        assert all(one.whole for one in found)
