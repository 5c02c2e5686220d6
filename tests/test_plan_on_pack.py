"""What decides a plan is the relations that triples have; those of qualifiers alone change nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from films import TRIPLES

from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import Recipe, build
from kgask.build.tsv import check_columns
from kgask.pack.store import Pack

QUESTIONS = ["who directed Harbour Lights?", "which actors are in The Long Wait?", "when did North Road come out?"]


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The films as they are; and with qualifiers whose relations sound like those of the triples."""
    folder, columns = (
        tmp_path_factory.mktemp("films"),
        check_columns("subject,relation,object,qualifier,value,...".split(",")),
    )
    made = []
    for name, more in (
        ("plain", ""),
        ("said", '\tfilm director\tCarl Moss\tactor\tAnn Ray\trelease year\t"2004"^^date'),
    ):
        source = folder / f"{name}.tsv"
        source.write_text("".join(f"{line}{more}\n" for line in TRIPLES.splitlines()), encoding="utf-8")
        build(Recipe(sources=(str(source),), target=folder / name, columns=columns), print)
        made.append(folder / name)
    return made


def test_relations_of_qualifiers_alone_are_not_proposed(packs: list[Path]) -> None:
    plain, said = (Pipeline.open(str(path), reader=None) for path in packs)
    with plain, said:
        assert (plain.pack.n_relations, said.pack.n_relations) == (5, 8)
        assert np.array_equal(plain.pack.out_object, said.pack.out_object)
        for question in QUESTIONS:
            before, after = plain.ask(question), said.ask(question)
            assert before.text is not None
            assert (after.text, after.confidence, after.reason) == (before.text, before.confidence, before.reason)
            assert {t.qualifiers for t in before.support} == {()}
            assert all(dict(t.qualifiers)["actor"] == "Ann Ray" for t in after.support)
            probs = [answer.plan.branches[0].relation_probs for answer in (before, after)]
            used = said.pack.path_relations
            columns = np.concatenate([used, used + said.pack.n_relations])
            assert np.allclose(probs[1][:, columns], probs[0], atol=1e-5)
            assert np.delete(probs[1], columns, axis=1).sum() == 0


def test_every_relation_that_a_triple_of_the_shipped_pack_has_can_be_proposed() -> None:
    with Pipeline.open(reader=None) as pipeline, Pack.open(pipeline.pack.path) as pack:
        assert pack.path_relations.tolist() == np.unique(pack.out_relation).tolist()
        others = set(range(pack.n_relations)) - set(pack.path_relations.tolist())
        assert others <= set(pack.qualifier_relation.tolist())
