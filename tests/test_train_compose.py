"""Composed training questions: their paths, kinds, type hints, and wrong masks. No torch needed."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from kgask.corpus import wordings as wordings_module
from kgask.corpus.compose import Composer
from kgask.corpus.compose_constraints import wrong_mask
from kgask.corpus.examples import MASK, PathExample
from kgask.corpus.frames import Frames, expand, many, plural, singular
from kgask.corpus.voices import agreeing
from kgask.corpus.wordings import load_wordings
from kgask.errors import BuildError

NAMES = ["Tom Hanks", "Jane Austen", "Peru"]


@pytest.fixture(scope="module")
def composer() -> Composer:
    return Composer(load_wordings(), {}, random.Random(5), NAMES)


def test_every_relation_says_what_it_links_and_has_a_voice_each_way() -> None:
    for key, wording in load_wordings().items():
        assert wording.domain and wording.range and wording.texts, key
        assert wording.questions["+"] and wording.questions["-"], key
        for table in (wording.questions, wording.phrases):
            assert all(text.count("{x}") == 1 for texts in table.values() for text in texts), key


def test_no_wording_leads_two_ways_within_a_relation_that_is_not_its_own_inverse() -> None:
    symmetric = {
        "P26", "P47", "P155", "P156", "P190", "P451", "P461", "P530", "P1038", "P1365", "P1366", "P3373",
        "kgask:friend", "kgask:colleague",
    }  # fmt: skip
    for key, wording in load_wordings().items():
        both = set(wording.questions["+"]) & set(wording.questions["-"])
        assert key in symmetric or not both, (key, both)


def test_frames_say_a_verb_in_every_voice() -> None:
    frames = Frames()
    for line in ("=e film > director", "=v direct directed directed"):
        frames.add(line)
    questions, phrases = expand(frames, "F", "")
    assert {"who directed {x}", "{x} was directed by whom", "by whom was {x} directed"} <= set(questions["+"])
    assert {"which films did {x} direct", "what films were directed by {x}"} <= set(questions["-"])
    assert {"the director who directed {x}", "the director by whom {x} was directed"} <= set(phrases["+"])
    assert {"films directed by {x}", "films that {x} directed"} <= set(phrases["-"])
    with pytest.raises(ValueError, match="=z"):
        frames.add("=z direct directed")


@pytest.mark.parametrize(
    ("one", "several"), [("city", "cities"), ("film", "films"), ("person", "people"), ("box", "boxes")]
)
def test_plurals(one: str, several: str) -> None:
    assert plural(one) == several
    assert many(several) == several
    if one != "box":
        assert singular(several) == one


def test_verbs_agree_with_a_plural_phrase() -> None:
    assert agreeing("where was {x} born", "people who acted in [MASK]") == "where were {x} born"
    assert agreeing("where was {x} born", "the author of [MASK]") == "where was {x} born"
    assert agreeing("{x} is based where", "companies in [MASK]") == "{x} are based where"


def test_a_broken_line_is_named(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wordings.txt").write_text("[P1 P>P] friend\n+q who knows {x}\n*q no such line\n", encoding="utf-8")
    monkeypatch.setattr(wordings_module.resources, "files", lambda _: tmp_path)
    with pytest.raises(BuildError, match="wordings.txt:3"):
        load_wordings()


def test_paths_go_where_domains_and_ranges_meet(composer: Composer) -> None:
    for _ in range(300):
        legs = composer.draw_path(3)
        assert all(first.end == then.start for first, then in pairwise(legs))
        for leg in legs:
            start, end = composer.ends(leg.step)
            assert leg.start in start and leg.end in end


def test_a_pair_differs_by_its_last_hop(composer: Composer) -> None:
    for _ in range(50):
        whole, inner = composer.draw_pair(2)
        assert whole.path[:-1] == inner.path


def test_dates_and_numbers_are_told_by_the_last_step(composer: Composer) -> None:
    drawn = [composer.draw(hops) for hops in (1, 2, 3) for _ in range(400)]
    wordings = composer.wordings
    for example in drawn:
        key, inverse = example.path[-1]
        assert example.answer_type == ("entity" if inverse else wordings[key].literal or "entity")
    assert {"entity", "date", "number"} <= {example.answer_type for example in drawn}


def _kinds(composer: Composer, n: int) -> list[PathExample]:
    kinds = (composer.constrained, composer.decorated, composer.yes_no, composer.counting, composer.superlative)
    return [draw() for draw in kinds for _ in range(n)]


def test_every_kind_masks_once_and_knows_its_path(composer: Composer) -> None:
    for example in _kinds(composer, 150):
        assert example.text.count(MASK) == 1, example
        assert "{x}" not in example.text, example
        assert 1 <= len(example.path) <= 3
        assert all(key in composer.wordings for key, _ in example.path)


def test_kinds_say_what_they_are(composer: Composer) -> None:
    drawn = _kinds(composer, 200)
    by_source = {source: [e for e in drawn if e.source == source] for source in {e.source for e in drawn}}
    assert all(e.constrained for e in by_source["constrained"])
    assert not any(e.constrained for source, examples in by_source.items() if source != "constrained" for e in examples)
    assert {e.answer_type for e in by_source["yesno"]} == {"yesno"}
    assert {e.answer_type for e in by_source["count"]} == {"number"}
    assert {e.answer_type for e in by_source["superlative"]} == {"entity"}
    second_names = [e for e in by_source["constrained"] if any(name.lower() in e.text for name in NAMES)]
    assert second_names, "real names stand beside the topic"
    named = [(e.text, name.lower()) for e in second_names for name in NAMES if name.lower() in e.text]
    first = [text.index(MASK) < text.index(name) for text, name in named]
    assert True in first and False in first, "either name may be the masked one"


def test_the_same_seed_draws_the_same_kinds() -> None:
    def drawn() -> list[PathExample]:
        return _kinds(Composer(load_wordings(), {}, random.Random(11), NAMES), 20)

    assert drawn() == drawn()


def test_a_wrong_mask_is_never_the_topic() -> None:
    rng = random.Random(0)
    text = "Where was the author of War and Peace born?"
    wrong = {wrong_mask(text, "War and Peace", rng) for _ in range(200)}
    assert f"where was the author of {MASK} born?" not in wrong
    assert f"where was the author of {MASK} and peace born?" in wrong
    assert f"where was the {MASK} of war and peace born?" in wrong
    assert all(masked.count(MASK) == 1 for masked in wrong)
    assert wrong_mask("Emma", "Emma", rng) is None
    assert wrong_mask("who is Ann", "Bob", rng) is None
