"""Questions with right and wrong queries: what is drawn of them, what the makers call right, files that are broken."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import build
from kgask.corpus import judged_queries
from kgask.corpus.examples import PathExample
from kgask.corpus.judged import SHARES, JudgedMix, JudgedQuery, JudgedQuestion, read, without_doubles, write
from kgask.corpus.judged_paths import path_questions
from kgask.corpus.pack_operators import PackQuestion
from kgask.corpus.small_graphs import ASKED, WORDED, recipes
from kgask.errors import UsageError
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run
from kgask.sets import everyday
from kgask.sets.everyday import EverydayQuestion
from kgask.train.calibrate_asked import everyday_questions

RIGHT, WRONG, PERHAPS = (JudgedQuery(str(right), "x" if right else "y", right) for right in (True, False, None))

LONGEST = "best(and(class(<class-river>), follow(<Q15|Africa>, ^<P30>)), value(<P2043|length>), most 1)"


@pytest.fixture(scope="module")
def family(family_path: Path) -> Iterator[Pack]:
    with Pack.open(family_path) as pack:
        yield pack


def test_lines_come_back_and_broken_ones_are_named(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    questions = [JudgedQuestion("who?", "near", (RIGHT, WRONG, PERHAPS)), JudgedQuestion("é", "wikisql", (WRONG,))]
    assert write(path, questions) == 2 and list(read(path)) == questions
    path.write_text(path.read_text() + '{"text": "x"}\n')
    with pytest.raises(UsageError, match=r"q\.jsonl:3"):
        list(read(path))


def test_what_is_shown_has_wrong_queries_alone_now_and_then() -> None:
    others = tuple(JudgedQuery(f"wrong {at}", "y", False) for at in range(6))
    one = JudgedQuestion("who?", "near", (RIGHT, *others))
    drawn = [one.shown(random.Random(at)).queries for at in range(300)]
    assert {len(shown) for shown in drawn} == set(range(1, 8))
    share = sum(any(query.right for query in shown) for shown in drawn) / len(drawn)
    assert 0.6 < share < 0.88


def test_now_and_then_a_condition_that_nothing_honours_makes_all_wrong() -> None:
    one = JudgedQuestion("Which countries border Germany?", "near", (RIGHT, WRONG, PERHAPS))
    drawn = [one.conditioned(random.Random(at)) for at in range(1000)]
    changed = [question for question in drawn if question.text != one.text]
    conditioned = [question for question in changed if not any(query.right for query in question.queries)]
    assert 50 < len(conditioned) < 110 and 20 < len(changed) - len(conditioned) < 70
    assert {query.right for question in conditioned for query in question.queries} == {False}
    assert any("countries border Germany?" in question.text for question in conditioned)  # before the noun
    assert any(question.text.startswith(one.text[:-1]) for question in conditioned)  # at the end
    none = JudgedQuestion("Which countries border Germany?", "near", (WRONG,))
    assert all(none.conditioned(random.Random(at)).queries == none.queries for at in range(100))


def test_wrong_queries_that_come_to_what_is_right_are_left_out() -> None:
    same = JudgedQuery("another way", RIGHT.outcome, False)
    assert without_doubles([RIGHT, WRONG, same, PERHAPS]) == (RIGHT, WRONG, PERHAPS)


def test_sources_are_drawn_by_their_shares_and_unknown_ones_refused() -> None:
    mix = JudgedMix(JudgedQuestion(name, name, (RIGHT,)) for name in ("composed", "worded"))
    drawn = [one.source for one in mix.draw(1000, random.Random(1))]
    share = SHARES["composed"] / (SHARES["composed"] + SHARES["worded"])
    assert abs(drawn.count("composed") / 1000 - share) < 0.04
    with pytest.raises(UsageError, match="unknown source 'x'"):
        JudgedMix([JudgedQuestion("x", "x", (RIGHT,))])
    with pytest.raises(UsageError, match="none are given"):
        JudgedMix([])


def test_paths_stand_among_others_of_their_topic(family: Pack) -> None:
    keys = [relation.key for relation in family.relations()]
    examples = [PathExample("what about [MASK]?", ((key, False),), "test") for key in keys]
    found = list(path_questions(family, examples, 60, random.Random(2)))
    assert len(found) == 60
    for one in found:
        right = [query for query in one.queries if query.right]
        assert len(right) <= 1 and all(query.outcome != right[0].outcome for query in one.queries[1:] if right)
    assert {bool([query for query in one.queries if query.right]) for one in found} == {True, False}


def test_changes_of_a_query_come_to_something_else(demo_pipeline: Pipeline) -> None:
    pack = demo_pipeline.pack
    gold = run(parse("best(follow(<Q15|Africa>, ^<P30>), value(<P2046|area>), most 1)", pack), pack)
    question = PackQuestion("which African country is the largest?", "superlative", "x", gold)
    (made,) = judged_queries.composed(demo_pipeline, [question], random.Random(3))
    right = {query.outcome for query in made.queries if query.right}
    assert right == {"country: Algeria"}
    assert all(query.outcome not in right for query in made.queries if query.right is False)
    assert sum(query.right is False for query in made.queries) >= 2


def test_questions_worded_for_a_pack_are_judged_by_their_golds(demo_pipeline: Pipeline) -> None:
    asked = [
        EverydayQuestion("longest river of Africa?", "superlative", (LONGEST,)),
        EverydayQuestion("Africa's favourite dish?", "none", ()),
    ]
    known, unknown = judged_queries.everyday(demo_pipeline, asked, random.Random(3), "worded")
    assert {query.outcome for query in known.queries if query.right} == {"river: Nile"}
    assert known.source == "worded" and not any(query.right for query in unknown.queries)


@pytest.fixture(scope="module")
def demo_pipeline() -> Iterator[Pipeline]:
    from kgask.config import shipped_root
    from kgask.plan.rigel_onnx import RigelPlanner

    with Pack.open(shipped_root("pack") / "demo") as pack:
        planner = RigelPlanner.load(shipped_root("model") / "rigel")
        yield Pipeline(pack, planner, None)


@pytest.mark.slow
def test_every_gold_of_the_small_graphs_runs(tmp_path: Path) -> None:
    """Of every fourth graph; with KGASK_EVERY_GRAPH=1 of each (a minute and a half)."""
    step = 1 if os.environ.get("KGASK_EVERY_GRAPH") else 4
    for of, n_graphs, n_questions in ((ASKED, 140, 6078), (WORDED, 924, 46054)):
        graphs = list(recipes(of, tmp_path / of))
        asked = [[one for one in everyday.load(file) if len(one.golds) < 2] for _, file in graphs]
        assert (len(graphs), sum(map(len, asked))) == (n_graphs, n_questions)
        assert 0.75 * n_questions < sum(bool(one.golds) for some in asked for one in some) < 0.85 * n_questions
        for (recipe, _), questions in [*zip(graphs, asked, strict=True)][::step]:
            build(recipe, tell=lambda line: None)
            with Pack.open(recipe.target) as pack:
                assert len(everyday_questions(pack, questions)) == len(questions)
