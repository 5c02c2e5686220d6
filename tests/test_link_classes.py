"""Class words of questions, and the spans that the planner is given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kgask.build.recipe import Recipe, build
from kgask.link import classes
from kgask.link.classes import class_spans
from kgask.link.linker import Linker
from kgask.link.mentions import split_words
from kgask.link.plural_names import plural_names
from kgask.link.plurals import singulars
from kgask.link.spans import CandidateSpan, candidate_spans, masked, segmentations
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import mask_mention
from kgask.query.nodes import Class, Date, Having, Number, Range
from kgask.query.text import parse
from kgask.types import Question

WORDS = frozenset(
    "who what is was wrote published the of born in which how many are by did that have more than and countries winter "
    "lives".split()
)
WORLD = """
Norland\tinstance of\tcountry
Sudland\tinstance of\tcountry
Iron\tinstance of\tchemical element
Neon\tinstance of\tchemical element
Neon\telement category\tnoble gas
Grey Wolf\tinstance of\tanimal species
Vinterhavn\tinstance of\tcity
Vinterhavn\tcountry\tNorland
Norland\thead of state\tAnna Holm
Anna Holm\toccupation\tphysicist
Anna Holm\tgender\tfemale
Bo Lind\toccupation\tphysicist
Bo Lind\toccupation\tnovelist
Bo Lind\tgender\tmale
Bo Lind\tinstance of\thuman
The Winter\tauthor\tBo Lind
The Winter\tpublication year\t"1984"^^date
The Winter\tgenre\tnovel
1984\tauthor\tAnna Holm
Holm Physics Prize\twinner\tAnna Holm
Norland\tarea\t"1200"^^number[km²]
Norland\tinstance of\tHolm Physics Prize country
Acme\temployee\tBo Lind
Acme\thas member\tAnna Holm
Bo Lind\tmember of\tChoir
Norland\tofficial language\tNorlandic
Acme\tstarred actors\tBo Lind
Norland\tborders\tSudland
Seven\tauthor\tBo Lind
Noble\tauthor\tBo Lind
State\tauthor\tBo Lind
winter\tfollows\tautumn
In Norland\tauthor\tBo Lind
""".lstrip()
ALIASES = "country\tstate\nfemale\tlady\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    folder = tmp_path_factory.mktemp("world")
    yield from _pack(folder, WORLD, ALIASES)


def _pack(folder: Path, triples: str, aliases: str = "") -> Iterator[Pack]:
    (folder / "triples.tsv").write_text(triples, encoding="utf-8")
    (folder / "aliases.tsv").write_text(aliases, encoding="utf-8")
    texts = (("aliases", str(folder / "aliases.tsv")),) if aliases else ()
    target = folder / "pack"
    build(
        Recipe(sources=(str(folder / "triples.tsv"),), target=target, texts=texts, licences=("CC0-1.0",),
               source_notes=("made up",)),
        tell=print,
    )  # fmt: skip
    with Pack.open(target) as pack:
        yield pack


def _classes(pack: Pack, text: str) -> list[tuple[str, object]]:
    """Class words with what they most likely mean."""
    found = class_spans(text, split_words(text, WORDS), pack)
    return [(text[one.start : one.end], one.candidates[0][0]) for one in found]


def _id(pack: Pack, name: str) -> int:
    found = pack.find_key(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "said", "kind"),
    [
        ("Which countries border Norland?", "countries", "country"),
        ("Which country is larger?", "country", "country"),
        ("How many states are there?", "states", "country"),  # an alias
        ("All chemical elements", "chemical elements", "chemical element"),
        ("Which elements are gases?", "elements", "chemical element"),  # the head of one type's name only
        ("Which animal species are there?", "animal species", "animal species"),
        ("Which cities are in Norland?", "cities", "city"),
        ("How many people are there?", "people", "human"),
    ],
)
def test_a_type_is_meant_by_its_names_and_its_head_word(world: Pack, text: str, said: str, kind: str) -> None:
    assert (said, Class(_id(world, kind))) in _classes(world, text)


@pytest.mark.parametrize(
    ("text", "said", "query"),
    [
        ("Which physicists were born here?", "physicists", "follow(<physicist>, ^<occupation>)"),
        ("Which physicist was born here?", "physicist", "follow(<physicist>, ^<occupation>)"),
        ("Which women won?", "women", "follow(<female>, ^<gender>)"),
        ("Name all noble gases.", "noble gases", "follow(<noble gas>, ^<element category>)"),
        ("Which novels did he write?", "novels", "follow(<novel>, ^<genre>)"),
        ("How many authors are there?", "authors", "having(^<author>)"),
        ("Which author is oldest?", "author", "having(^<author>)"),
        ("the employees of Acme", "employees", "having(^<employee>)"),
        ("the members of Acme", "members", "having(^<has member>)"),
        ("the actors of Acme", "actors", "having(^<starred actors>)"),
        ("Which languages are spoken?", "languages", "having(^<official language>)"),
        ("Which heads of state are there?", "heads of state", "having(^<head of state>)"),
    ],
)
def test_what_classifies_and_relations_give_sets_too(world: Pack, text: str, said: str, query: str) -> None:
    found = dict(_classes(world, text))
    assert found.get(said) == parse(query, world)


@pytest.mark.parametrize(
    "text",
    ["Who is the author of The Winter?", "Who borders Sudland?", "areas", "What is the prize?", "xyz", "of the", ""],
)
def test_what_is_no_class_word(world: Pack, text: str) -> None:
    """A relation in the singular, a verb, a relation to numbers, a head that names no type."""
    assert _classes(world, text) == []


def test_members_are_who_has_either_relation(world: Pack) -> None:
    (found,) = class_spans("the members", split_words("the members", WORDS), world)
    assert {node for node, _ in found.candidates} == {
        parse("having(^<has member>)", world),
        parse("having(<member of>)", world),
    }
    assert [score for _, score in found.candidates] == sorted((s for _, s in found.candidates), reverse=True)


def test_a_pack_without_types_has_classes_by_its_relations_only(tmp_path: Path) -> None:
    for pack in _pack(tmp_path, "Emma\tauthor\tJane Austen\n"):
        assert _classes(pack, "Which authors wrote novels?") == [("authors", Having(pack.n_relations))]


def test_the_vocabulary_is_made_once_and_types_come_without_a_scan_of_names(world: Pack) -> None:
    _classes(world, "elements")
    made = classes._vocabulary(world)
    assert classes._vocabulary(world) is made
    types = classes._types(world, made._instance_of)
    subjects = np.repeat(np.arange(world.n_entities), np.diff(world.out_indptr))
    relation = world.relation_labels().index("instance of")
    expected = {int(world.out_object[at]) for at in range(len(subjects)) if world.out_relation[at] == relation}
    assert set(types) == expected


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("countries", "country"), ("cities", "city"), ("wolves", "wolf"), ("women", "woman"), ("languages", "language"),
        ("people", "person"), ("children", "child"), ("boxes", "box"), ("gases", "gas"), ("heroes", "hero"),
        ("movies", "movie"), ("businessmen", "businessman"), ("species", "species"), ("churches", "church"),
        ("houses", "house"), ("wives", "wife"), ("crises", "crisis"), ("films", "film"),
    ],
)  # fmt: skip
def test_a_plural_has_its_singular(plural: str, singular: str) -> None:
    assert singular in singulars(plural)


@pytest.mark.parametrize("word", ["boss", "country", "virus", "analysis", "as", "is", ""])
def test_a_singular_has_none(word: str) -> None:
    assert singulars(word) == ()


# --- spans for the planner ------------------------------------------------------------------------


def _spans(pack: Pack, text: str) -> list[list[CandidateSpan]]:
    linker = Linker(pack, WORDS)
    question = Question(text)
    return segmentations(text, linker.words(question), linker.link(question), pack)


def _read(pack: Pack, text: str) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.kind) for one in _spans(pack, text)[0]]


def test_all_kinds_stand_in_their_order(world: Pack) -> None:
    text = "Which 3 countries by Bo Lind are bigger than 100 km² and the second in 1984?"
    assert _read(world, text) == [
        ("3", "number"), ("countries", "class"), ("Bo Lind", "entity"), ("100 km²", "number"), ("second", "rank"),
        ("1984", "entity"), ("1984", "date"),
    ]  # fmt: skip
    spans = _spans(world, text)[0]
    assert spans[0].nodes == (Number(3),)
    assert spans[1].nodes[0] == Class(_id(world, "country"))
    assert spans[2].seeds[0].entity == _id(world, "Bo Lind")
    assert spans[3].nodes[0] == Number(100, "km²")
    assert spans[4].nodes == (Number(2),)
    assert spans[-1].nodes[0] == Date("1984")


def test_the_longest_name_is_taken_and_what_is_inside_is_not_read_again(world: Pack) -> None:
    assert _read(world, "Who won the Holm Physics Prize?") == [("Holm Physics Prize", "entity")]


def test_a_class_goes_on_where_a_name_ends(world: Pack) -> None:
    assert _read(world, "How many Holm Physics Prize countries are there?") == [
        ("Holm Physics Prize countries", "class")
    ]


def test_a_title_of_digits_is_an_entity_or_a_year_by_what_stands_before(world: Pack) -> None:
    assert _read(world, "Who wrote 1984?") == [("1984", "entity")]
    assert ("1984", "date") in _read(world, "What was published in 1984?")
    other = _spans(world, "What was published in 1984?")[1]
    assert [(one.kind, one.seeds[0].entity) for one in other] == [("entity", _id(world, "1984"))]


def test_a_class_word_that_names_an_entity_is_kept_as_both(world: Pack) -> None:
    text = "Is Bo Lind a physicist?"
    both = [one for one in _spans(world, text)[0] if text[one.start : one.end] == "physicist"]
    assert [(one.kind, one.plain) for one in both] == [("entity", True), ("class", False)]
    assert both[0].seeds[0].entity == _id(world, "physicist")
    assert both[1].nodes == (parse("follow(<physicist>, ^<occupation>)", world),)


def test_a_year_that_is_chosen_may_still_be_what_is_called_so(world: Pack) -> None:
    spans = _spans(world, "What was published in 1984?")[0]
    assert [(one.kind, one.plain) for one in spans] == [("entity", True), ("date", False)]
    assert masked("What was published in 1984?", spans)[0] == "what was published in 1984?"


def test_a_number_in_words_is_no_title(world: Pack) -> None:
    assert _read(world, "Which seven countries?") == [("seven", "number"), ("countries", "class")]


def test_words_of_a_class_or_relation_are_no_names(world: Pack) -> None:
    """Noble and State are titles of this pack, and a state is a country."""
    assert _read(world, "Who likes noble gases?") == [("noble gases", "class")]
    assert _read(world, "Who is the head of state of Norland?") == [("Norland", "entity")]
    assert _read(world, "Noble gases that anybody likes") == [("Noble gases", "class")]
    assert _read(world, "Who likes noble men?")[0] == ("noble", "entity")
    assert _read(world, "Noble of Bo Lind")[0] == ("Noble", "entity")


def test_a_common_word_that_is_a_name_stays_a_word(world: Pack) -> None:
    text = "did Norland have winter"
    spans = _spans(world, text)[0]
    assert [(text[one.start : one.end], one.plain) for one in spans] == [("Norland", False), ("winter", True)]
    assert masked(text, spans)[0] == "did [MASK] have winter"
    alone = _spans(world, "what was winter")
    assert [(len(one), one[0].plain) for one in alone] == [(1, False)]


def test_a_preposition_of_the_question_is_not_taken_into_a_title(world: Pack) -> None:
    assert _read(world, "Who lives in Norland?") == [("Norland", "entity")]
    assert _read(world, "Who wrote In Norland?") == [("In Norland", "entity")]


def test_what_no_value_precludes_is_one_segmentation(world: Pack) -> None:
    assert len(_spans(world, "Who is the author of The Winter?")) == 1
    assert candidate_spans("", [], [], world) == []


def test_the_masked_text_says_where_the_spans_stand(world: Pack) -> None:
    text = "Which Countries border  Norland's neighbour since  between 1900 and 1910 ?"
    spans = _spans(world, text)[0]
    found, places = masked(text, spans)
    assert found == "which countries border [MASK]'s neighbour since between 1900 and 1910 ?"
    assert [found[a:b] for a, b in places] == ["countries", "[MASK]", "between 1900 and 1910"]
    assert spans[2].nodes[0] == Range(Date("1900"), Date("1910"))


@pytest.mark.parametrize(
    "text", ["Who wrote The Winter?", "The Winter's author", "the author of  The Winter", "The Winter"]
)
def test_one_entity_is_masked_as_the_planner_is_used_to(world: Pack, text: str) -> None:
    spans = _spans(world, text)[0]
    assert [one.kind for one in spans] == ["entity"]
    assert masked(text, spans) == (mask_mention(text, spans[0].place), [_place_of_mask(text, spans)])


def _place_of_mask(text: str, spans: list[CandidateSpan]) -> tuple[int, int]:
    at = mask_mention(text, spans[0].place).index("[MASK]")
    return at, at + len("[MASK]")


def test_a_topic_that_stands_nowhere_is_masked_at_the_end(world: Pack) -> None:
    text = "when was it written?"
    span = CandidateSpan(len(text), len(text), "entity")
    assert masked(text, [span])[0] == mask_mention(text, span.place)


def test_two_masks_and_a_word_of_both_kinds(world: Pack) -> None:
    text = "Is BO LIND a physicist, Anna Holm's friend?"
    found, places = masked(text, spans := _spans(world, text)[0])
    assert found == "is [MASK] a physicist, [MASK]'s friend?"
    assert [(one.kind, found[a:b]) for one, (a, b) in zip(spans, places, strict=True)] == [
        ("entity", "[MASK]"), ("entity", "physicist"), ("class", "physicist"), ("entity", "[MASK]"),
    ]  # fmt: skip


def test_a_plural_names_the_one_thing_that_is_called_so(world: Pack) -> None:
    text = "Grey Wolves are physicists"
    found = plural_names(text, split_words(text, frozenset()), world)
    assert [(text[slice(*one.span)], world.labels([one.entity])[0]) for one in found] == [
        ("Grey Wolves", "Grey Wolf"),
        ("physicists", "physicist"),
    ]


def test_what_most_names_of_a_type_end_with_means_the_type(tmp_path: Path) -> None:
    names = ("Harlow Fire", "Sawtooth Fire", "Granite Pass Fire", "Eagle Basin")
    lines = "".join(f"{name}\tinstance of\twildfire\n{name}\tstarted on\t1987-08-19\n" for name in names)
    (tmp_path / "triples.tsv").write_text(lines, encoding="utf-8")
    build(Recipe((str(tmp_path / "triples.tsv"),), tmp_path / "pack"), print)
    text = "which fire started first?"
    with Pack.open(tmp_path / "pack") as pack:
        (found,) = class_spans(text, split_words(text, WORDS), pack)
        assert text[found.start : found.end] == "fire"
        assert found.candidates[0][0] == Class(pack.find_key("wildfire"))
        assert [one.text for one in Linker(pack, WORDS).link(Question(text))] == []
