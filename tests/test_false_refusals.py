"""What rules of wording must not refuse: the answer was found, and a word only seemed to speak against it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import Recipe, build
from kgask.link.spans import segmentations
from kgask.methods.accounted import RelationWords
from kgask.methods.doubts import LOST, left_out_of
from kgask.methods.mixed import mixes_relations
from kgask.query.text import parse
from kgask.retrieve.run import run
from kgask.types import Question

KENNEL = """
dog,breed,owner,flag,vet,coached by,born,allergy,weight_kg
Rose,Collie,Kirsty Rae,Cyprus,Helena Brandt,Agnes Kolbe,2019-05-02,nuts,21
Lad,Collie,Jan Orr,Liberia,Helena Brandt,Tom Hill,2020-02-11,,24
Birk,Beagle,Kirsty Rae,Malta,Ola Nord,Agnes Kolbe,2021-07-30,nuts,14
Moss,Beagle,Jan Orr,Cyprus,Ola Nord,Tom Hill,2018-03-09,fish,12
"""


@pytest.fixture(scope="module")
def kennel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    folder = tmp_path_factory.mktemp("kennel")
    (folder / "dogs.csv").write_text(KENNEL.lstrip())
    build(Recipe((str(folder / "dogs.csv"),), Path(folder / "dogs"), recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "dogs"), reader=None) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Which Collies belong to Kirsty Rae?", "Rose"),
        ("Which dogs have the Cypriot flag (Cyprus)?", "Moss | Rose"),
        ("Which dogs does Mrs Brandt look after as their vet?", "Lad | Rose"),
        ("Agnes Kolbe's pupils", "Birk | Rose"),
    ],
)  # fmt: skip
def test_what_was_found_is_not_refused_for_a_word(kennel: Pipeline, text: str, said: str) -> None:
    answer = kennel.ask(text, min_confidence=0.0)
    assert answer.text == said, answer.reason


def test_what_stands_beside_a_name_is_no_other_name(kennel: Pipeline) -> None:
    """A name that the graph says of the one that a query uses; of another that is used it is left out."""
    pack, linker = kennel.pack, kennel.linker
    query = parse("follow(<Rose>, <owner>)", pack)
    for text, lost in (
        ("Who owns Rose, the Collie?", 0),
        ("Who owns Rose of Collie?", 0),
        ("Who owns Rose, Beagle?", -1),
    ):
        spans = segmentations(text, linker.words(Question(text)), linker.link(Question(text)), pack)[0]
        left = left_out_of(query, run(query, pack).certain, "set", text, spans, RelationWords(pack))
        assert left[LOST] == lost, text


def test_names_that_one_calls_from_and_one_to_are_asked_otherwise(kennel: Pipeline) -> None:
    pack = kennel.pack
    one, other = (
        pack.exact(["kirsty rae"])["kirsty rae"][0].entity,
        pack.exact(["agnes kolbe"])["agnes kolbe"][0].entity,
    )
    query = parse("and(follow(<Kirsty Rae>, ^<owner>), follow(<Agnes Kolbe>, ^<coached by>))", pack)
    text = "from Kirsty Rae to Agnes Kolbe"
    assert not mixes_relations(query, text, {one: (5, 15), other: (19, 30)}, pack)
