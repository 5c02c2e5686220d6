"""Linking on the family pack: exact, alias, typo, possessive, ambiguity, the chosen entity."""

from __future__ import annotations

import math

import pytest

from kgask.errors import ModelError
from kgask.link.features import FEATURES, HAND, LinkModel
from kgask.link.linker import Linker
from kgask.link.marks import read_marks
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


# --- features and their weights -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("who is the child of Cora Reed?", 1.0),
        ("who is the child of Cora Hill?", 0.93),  # an alias
        ("who is the child of Cora Reed Smith?", 2 / 3 * 0.3),  # two of three name words, and a name that goes on
    ],
)
def test_the_scores_by_hand_are_products_of_powers(linker: Linker, text: str, score: float) -> None:
    """Similarity squared, alias 0.93, coverage, wholeness, a common word 0.35, degree up to a quarter."""
    assert linker.link(Question(text))[0].seeds[0].score == pytest.approx(score)


def test_names_that_need_no_mending_are_left_alone(linker: Linker) -> None:
    assert linker.link_tolerantly(Question("Does Cora Reed have more children than Eve Reed?")) == []
    found = linker.link_tolerantly(Question("Is the mother of Cora Reed the teacher of Evee Reeed?"))
    assert {(m.text, m.seeds[0].name, m.seeds[0].match) for m in found if m.whole} >= {
        ("Cora Reed", "Cora Reed", "label"),
        ("Evee Reeed", "Eve Reed", "typo"),
    }


def test_a_short_word_in_lower_case_is_no_misspelt_name(family: Pack) -> None:
    linker = Linker(family, QUESTION_WORDS)
    assert any(hit.name == "Evie" for hit in family.fuzzy("evi"))
    assert linker.link_tolerantly(Question("what is evi")) == []
    assert linker.link_tolerantly(Question("what is Evi"))[0].seeds[0].name == "Evie"


def test_a_typo_costs_its_similarity_twice(linker: Linker) -> None:
    seed = linker.link_tolerantly(Question("who is the teacher of Cora Read?"))[0].seeds[0]
    named = dict(zip(FEATURES, seed.features, strict=True))
    assert named["typo"] == 1.0
    assert seed.score == pytest.approx(math.exp(2 * named["similarity"] + named["coverage"]), rel=1e-6)


def test_every_feature_has_its_place(linker: Linker) -> None:
    mentions = linker.link(Question("who is the child of cora reed"))
    features = dict(zip(FEATURES, mentions[0].seeds[0].features, strict=True))
    assert features["spelling"] == 0.0  # the pack writes Cora Reed
    assert features["words"] == pytest.approx(math.log(2))
    assert features["degree"] == pytest.approx(math.log1p(7))  # triples of Cora, in and out
    assert (features["alias"], features["common"], features["nested"]) == (0.0, 0.0, 0.0)
    assert dict(zip(FEATURES, linker.link(Question("Cora Reed"))[0].seeds[0].features, strict=True))["spelling"] == 1.0


def _weighed(family: Pack, **weights: float) -> Linker:
    return Linker(family, QUESTION_WORDS, LinkModel.of(weights))


def test_trained_weights_give_chances_against_nothing(family: Pack) -> None:
    question = Question("is Cora Reed the teacher of Eve Reed or of George Hill")
    found = _weighed(family, bias=0.5, degree=0.4, rho=0.0).link(question)
    seeds = [mention.seeds[0] for mention in found]
    logits = [0.5 + 0.4 * seed.features[FEATURES.index("degree")] for seed in seeds]
    assert seeds[0].score == pytest.approx(1 / (1 + math.exp(-logits[0])))
    for seed, logit in zip(seeds, logits, strict=True):
        assert 0.0 < seed.score <= 1.0
        assert seed.score / seeds[0].score == pytest.approx(math.exp(logit - logits[0]))


def test_a_candidate_below_the_threshold_is_not_looked_at(family: Pack) -> None:
    question = Question("who is the child of Cora Reed Smith?")
    chance = 1 / (1 + math.exp(-(1.0 + 2.0 * math.log(0.3))))  # wholeness 0.3
    assert _weighed(family, bias=1.0, wholeness=2.0, rho=chance - 0.01).link(question)
    assert _weighed(family, bias=1.0, wholeness=2.0, rho=chance + 0.01).link(question) == []


def test_a_card_without_a_linker_section_keeps_the_weights_set_by_hand() -> None:
    assert LinkModel.of(None) is HAND


def test_a_card_that_weighs_the_unknown_is_refused() -> None:
    with pytest.raises(ModelError, match="'sitelinks'"):
        LinkModel.of({"bias": 1.0, "sitelinks": 2.0})


# --- marked mentions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "text", "marked"),
    [
        ("who wrote [Lady Susan]?", "who wrote Lady Susan?", ["Lady Susan"]),
        ("is [ Cora Reed ] kin of [George Hill]", "is Cora Reed kin of George Hill", ["Cora Reed", "George Hill"]),
        ("what is [[REC]]?", "what is [REC]?", ["REC"]),
        ("no [] mark ] here [", "no [] mark ] here [", []),
    ],
)
def test_brackets_mark_and_are_no_part_of_the_text(asked: str, text: str, marked: list[str]) -> None:
    question = read_marks(asked)
    assert (question.text, question.asked) == (text, asked)
    assert [question.text[start:end] for start, end in question.marks] == marked


def test_only_marked_names_are_mentions_and_they_are_whole(linker: Linker) -> None:
    found = linker.link(read_marks("is Eve Reed a child of [Cora Reed] Smith or of [Dan Reed]?"))
    assert sorted(mention.text for mention in found) == ["Cora Reed", "Dan Reed"]
    assert all(mention.whole for mention in found)
    assert [mention.seeds[0].score for mention in found] == [pytest.approx(1.0)] * 2


def test_where_no_mark_is_a_name_the_rest_is_linked(linker: Linker) -> None:
    assert [m.text for m in linker.link(read_marks("who is the [wife] of Dan Reed?"))] == ["Dan Reed"]


def test_a_typo_inside_a_mark_is_found_and_only_there(linker: Linker) -> None:
    found = linker.link_tolerantly(read_marks("does Eve Reeed know [Cora Read]?"))
    assert [mention.seeds[0].name for mention in found] == ["Cora Reed"]


def test_an_article_before_a_pronoun_is_a_name() -> None:
    text = "which countries border the us?"
    assert "the us" in [span.norm for span in spans(text, split_words(text, QUESTION_WORDS))]
    text = "what did they tell us about the end?"
    assert not {"us", "tell us"} & {span.norm for span in spans(text, split_words(text, QUESTION_WORDS))}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the Evie-Cora Reed quarrel", ["Cora Reed", "Evie"]),
        ("an Evie-sized coat", ["Evie"]),
        ("a non-Evie coat", []),
        ("any ex-Evie people", []),
    ],
)
def test_names_that_a_hyphen_joins(linker: Linker, text: str, found: list[str]) -> None:
    assert sorted(mention.text for mention in linker.link(Question(text))) == found
