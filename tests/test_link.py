"""Linking on the family pack: exact, alias, typo, possessive, ambiguity, the chosen entity."""

from __future__ import annotations

import pytest

from kgask.link.linker import Linker
from kgask.link.mentions import NAME, spans, split_words
from kgask.pack.store import Pack
from kgask.types import Question

QUESTION_WORDS = frozenset("who what is was the of born when child mother father married to teacher hill".split())


@pytest.fixture
def linker(family: Pack) -> Linker:
    return Linker(family, QUESTION_WORDS)


def _best(linker: Linker, family: Pack, text: str) -> str | None:
    mentions = linker.link(Question(text))
    return family.labels([mentions[0].seeds[0].entity])[0] if mentions else None


@pytest.mark.parametrize(
    "text",
    [
        "who is the child of Cora Reed?",
        "who is the child of cora reed",
        "Who is CORA REED's teacher?",
        "cora\u2019s child: who is the child of C\u00f3ra Reed",
        "who taught Cora Hill?",  # an alias
    ],
)
def test_exact_names_in_many_spellings(linker: Linker, family: Pack, text: str) -> None:
    assert _best(linker, family, text) == "Cora Reed"


def test_the_longest_name_wins_over_its_parts(linker: Linker, family: Pack) -> None:
    mention = linker.link(Question("when was Eve Reed born?"))[0]
    assert mention.text == "Eve Reed"
    assert mention.span == (9, 17)


def test_nothing_known_gives_nothing(linker: Linker) -> None:
    assert linker.link(Question("who is the mother of Zebulon Quist?")) == []
    assert linker.link_tolerantly(Question("who is the mother of Zebulon Quist?")) == []


@pytest.mark.parametrize("typo", ["Coras Red", "Cora Read", "Cora Reeed"])
def test_a_typo_is_found_tolerantly_and_says_what_was_read(linker: Linker, typo: str) -> None:
    seed = linker.link_tolerantly(Question(f"who is the teacher of {typo}?"))[0].seeds[0]
    assert (seed.name, seed.match) == ("Cora Reed", "typo")


@pytest.mark.parametrize("name", ["Eve Reed", "eve reed", "Evie"])
def test_the_user_can_choose_the_entity(linker: Linker, family: Pack, name: str) -> None:
    mention = linker.seed_for(name, Question("when was she born?"))
    assert family.labels([mention.seeds[0].entity]) == ["Eve Reed"]
    assert mention.seeds[0].match == "given"
    assert mention.n_same == 1


def test_an_unknown_chosen_entity_gives_no_seed(linker: Linker) -> None:
    assert linker.seed_for("Nobody Known", Question("when?")).seeds == ()


def test_words_that_questions_do_not_use_weigh_as_names() -> None:
    words = split_words("who is the teacher of cora reed", QUESTION_WORDS)
    assert [word.norm for word in words if word.weight == NAME] == ["cora", "reed"]
    full = next(s for s in spans("who is the teacher of cora reed", words) if s.norm == "cora reed")
    part = next(s for s in spans("who is the teacher of cora reed", words) if s.norm == "reed")
    assert full.coverage == pytest.approx(1.0)
    assert part.coverage == pytest.approx(0.5)


@pytest.mark.parametrize("text", ["who is the teacher of Cora Reed Smith?", "who is the child of Old Cora Reed?"])
def test_a_name_that_goes_on_is_torn(linker: Linker, text: str) -> None:
    torn = linker.link(Question(text))[0].seeds[0].score
    whole = linker.link(Question("who is the teacher of Cora Reed?"))[0].seeds[0].score
    assert torn < 0.5 * whole


def test_a_possessive_or_a_comma_ends_a_name(linker: Linker) -> None:
    for text in ("what is Cora Reed's Book about?", "Cora Reed, Teacher of whom?"):
        span = next(s for s in spans(text, split_words(text, QUESTION_WORDS)) if s.norm == "cora reed")
        assert span.wholeness == 1.0


def test_another_surname_is_no_typo(linker: Linker, family: Pack) -> None:
    named = [hit.name for hit in family.fuzzy("cora rider")]
    found = linker.link_tolerantly(Question("who is the teacher of Cora Rider?"))
    assert not any(seed.name == "Cora Reed" for mention in found for seed in mention.seeds), named
