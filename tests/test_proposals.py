"""What the graph proposes that a question may ask: what its names, class words, numbers and ranks have in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from linked import linked_by
from piped import opened, piped

from kgask.build.writer import PackBuilder
from kgask.link.classes import chosen, class_readings
from kgask.link.linker import Linker
from kgask.link.values import value_spans
from kgask.methods.accounted import RelationWords
from kgask.methods.cues import Asked
from kgask.methods.named_relations import NamedRelations
from kgask.methods.proposals import Proposals
from kgask.methods.protocol import Request
from kgask.methods.relation_facts import RelationFacts
from kgask.methods.truth_proposals import TruthProposals
from kgask.pack.literals import parse_literal
from kgask.pack.store import Pack
from kgask.plan.query_onnx import KINDS
from kgask.query.text import to_text
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import Question

STABLE = """
Duchess | foal | Comet
Duchess | foal | Dusk
Thunder | foal | Comet
Comet | height | 148
Dusk | height | 152
Comet | lives at | Oakfield
Dusk | lives at | Hill Farm
Oakfield | owner | Ruth
Comet | type | horse
Dusk | type | horse
Duchess | type | horse
Oakfield | type | yard
"""


@pytest.fixture(scope="module")
def stable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with opened(piped(STABLE, {"height"}), tmp_path_factory.mktemp("stable")) as pack:
        yield pack


def proposed(pack: Pack, text: str, *kinds: str) -> set[str]:
    """Queries in text form, without the labels, for a question that a planner takes for these kinds."""
    facts, linker = RelationFacts(pack), Linker(pack, frozenset("which what how many are of the than is".split()))
    linked = linked_by(pack, linker, text)
    classes = chosen(class_readings(text, linker.words(Question(text)), pack), ())
    probs = np.array([float(kind in kinds) for kind in KINDS])
    covered = [*(one.mention.span for one in linked), *((one.start, one.end) for one in classes)]
    asked = Asked.of(text, probs, value_spans(text), RelationWords(pack).said_by(text, covered))
    found = Proposals(facts).of(linked, asked, classes, Runner(pack, Budget(5.0)))
    return {to_text(query, pack) for query, _ in found}


@pytest.mark.parametrize(
    ("text", "kinds", "wanted"),
    [
        ("where does Comet live?", ["path"], ["follow(<Comet>, <lives at>)"]),
        ("who owns the yard of Comet?", ["path"], ["follow(follow(<Comet>, <lives at>), <owner>)"]),
        ("how many foals has Duchess?", ["count"], ["count(follow(<Duchess>, <foal>))"]),
        (
            "the second tallest foal of Duchess", ["ordinal"],
            [
                "best(follow(<Duchess>, <foal>), value(<height>), most 2)",
                "best(follow(<Duchess>, <foal>), value(<height>), least 2)",
            ],
        ),
        ("the tallest horse", ["superlative"], ["best(class(<horse>), value(<height>), most 1)"]),
        (
            "horses taller than 150", ["filter"],
            ["where(class(<horse>), value(<height>) > 150)", "where(class(<horse>), value(<height>) <= 150)"],
        ),
        ("which horses are at Oakfield", ["path"], ["and(class(<horse>), follow(<Oakfield>, ^<lives at>))"]),
        ("total height of the foals of Duchess", ["arithmetic"], ["sum(values(follow(<Duchess>, <foal>), <height>))"]),
        ("foals of Thunder out of Duchess", ["path"], ["and(follow(<Thunder>, <foal>), follow(<Duchess>, <foal>))"]),
        ("foals of Duchess but not of Thunder", ["difference"],
         ["minus(follow(<Duchess>, <foal>), follow(<Thunder>, <foal>))"]),
        ("Dusk at Oakfield?", ["path"], ["holds(<Dusk>, <lives at>, <Oakfield>)"]),
        ("is Comet taller than Dusk", ["comparison"],
         ["compare(values(<Comet>, <height>) > values(<Dusk>, <height>))"]),
        # what the planner missed, and a word tells
        ("which horses are not at Oakfield", ["path"], ["minus(class(<horse>), follow(<Oakfield>, ^<lives at>))"]),
        (
            "how many horses live anywhere?", ["count"],
            ["and(class(<horse>), having(<lives at>))", "count(and(class(<horse>), having(<lives at>)))"],
        ),
        ("does any horse live anywhere?", ["yesno"], ["some(and(class(<horse>), having(<lives at>)))"]),
        ("horses without foals", ["path"], ["minus(class(<horse>), having(<foal>))"]),
        ("after the tallest horse, which is next?", ["path"], ["best(class(<horse>), value(<height>), most 2)"]),
        ("the two tallest horses", ["path"], ["best(class(<horse>), value(<height>), most 1 .. 2)"]),
        ("the horse that is number 2 by height", ["superlative"], ["best(class(<horse>), value(<height>), least 2)"]),
        ("which horses outgrow Comet?", ["path"],
         ["where(class(<horse>), value(<height>) > values(<Comet>, <height>))"]),
        ("horses between 150 and 160", ["filter"], ["where(class(<horse>), value(<height>) = range(150, 160))"]),
        ("horses of 150", ["filter"], ["where(class(<horse>), value(<height>) = 150)"]),
        ("horses with at least 2 foals", ["path"], ["where(class(<horse>), size(<foal>) >= 2)"]),
        ("which horse takes silver for height?", ["path"], ["best(class(<horse>), value(<height>), most 2)"]),
        ("apart from Dusk, which horse is the tallest?", ["path"],
         ["best(minus(class(<horse>), <Dusk>), value(<height>), most 1)"]),
        ("the horses and the yards", ["path"], ["or(class(<horse>), class(<yard>))"]),
        ("horses at Oakfield or Hill Farm", ["path"],
         ["and(class(<horse>), or(follow(<Oakfield>, ^<lives at>), follow(<Hill Farm>, ^<lives at>)))"]),
        ("which horse takes bronze for height?", ["path"], ["best(class(<horse>), value(<height>), most 3)"]),
        ("which horse has most foals", ["superlative"], ["best(class(<horse>), size(<foal>), most 1)"]),
        ("by how much is Dusk above Comet", ["path"],
         ["difference(values(<Dusk>, <height>), values(<Comet>, <height>))"]),
        ("Dusk and Comet added together", ["path"], ["sum(values(entities(<Comet>, <Dusk>), <height>))"]),
        ("all there is", ["path"], ["class(<yard>)", "having(<owner>)", "having(^<owner>)"]),
    ],
)  # fmt: skip
def test_what_is_named_is_put_together(stable: Pack, text: str, kinds: Sequence[str], wanted: Sequence[str]) -> None:
    assert set(wanted) <= proposed(stable, text, *kinds)


def test_what_a_name_lacks_is_reached_over_what_belongs_to_it(stable: Pack) -> None:
    """ "Who owns Comet?": of Comet the graph does not say, of the yard where it lives it does."""
    facts, text = RelationFacts(stable), "who owns Comet?"
    (one,) = linked_by(stable, Linker(stable, frozenset({"who"})), text)
    probs = np.zeros((2, 2 * stable.n_relations), np.float32)
    owner = stable.relation_labels().index("owner")
    probs[0, owner] = 0.9
    asked = Asked.of(text, np.zeros(len(KINDS)), [])
    certain = replace(one, branch=replace(one.branch, relation_probs=probs))
    for linked, is_found in ((certain, True), (one, False)):
        named = NamedRelations(facts)
        (name,) = named.of([linked])
        lives_at = stable.relation_labels().index("lives at")
        assert ([*named.through(name)] == [(lives_at, owner)]) is is_found
    found = Proposals(facts).of([certain], asked, [], Runner(stable, Budget(5.0)))
    assert "follow(follow(<Comet>, <lives at>), <owner>)" in {to_text(query, stable) for query, _ in found}


def test_statements_with_a_date_or_another_name(tmp_path: Path) -> None:
    builder = PackBuilder()
    for museum, curator, year in (("Tate", "Ada", "2016"), ("Louvre", "Bert", "2019")):
        builder.add("Old Vase", "lent to", museum, [("since", parse_literal("date", year)), ("curator", curator)])
    builder.write(tmp_path / "p")
    with Pack.open(tmp_path / "p") as pack:
        lent = "follow(<Old Vase>, <lent to>)"
        assert f"qualified({lent}, <since> in date(2016))" in proposed(pack, "who had Old Vase in 2016?", "path")
        assert f"qualified({lent}, <curator> in <Bert>)" in proposed(pack, "where was Old Vase with Bert?", "path")


def test_operators_that_a_question_does_not_ask_for_are_not_put_on(stable: Pack) -> None:
    found = proposed(stable, "where does Comet live?", "path")
    assert found and all(query.startswith("follow(") for query in found)


def claimed(pack: Pack, text: str) -> set[str]:
    """Truths in text form for a claim."""
    linker = Linker(pack, frozenset("the a and of at is was than by one".split()))
    linked = linked_by(pack, linker, text)
    request = Request(Question(text), words=tuple(linker.words(Question(text))))
    classes, values = chosen(class_readings(text, request.words, pack), ()), value_spans(text, ())
    runner = Runner(pack, Budget(5.0))
    found = TruthProposals(RelationFacts(pack)).of(request, linked, classes, values, runner)
    return {to_text(query, pack) for query, _ in found}


@pytest.mark.parametrize(
    ("claim", "query"),
    [
        ("Comet was Thunder's", "holds(<Thunder>, <foal>, <Comet>)"),
        ("Comet stands with Ruth", "holds(follow(<Comet>, <lives at>), <owner>, <Ruth>)"),
        ("Thunder's offspring is at Ruth's", "holds(follow(follow(<Thunder>, <foal>), <lives at>), <owner>, <Ruth>)"),
        ("Dusk is taller than Comet", "compare(values(<Dusk>, <height>) > values(<Comet>, <height>))"),
        ("Comet and Dusk have one sire", "some(and(follow(<Comet>, ^<foal>), follow(<Dusk>, ^<foal>)))"),
        ("Comet is 148 tall", "compare(values(<Comet>, <height>) = 148)"),
        ("Comet is over 150", "compare(values(<Comet>, <height>) > 150)"),
        ("Duchess had 2", "compare(count(follow(<Duchess>, <foal>)) = 2)"),
        ("Dusk is the tallest", "some(and(best(having(<height>), value(<height>), most 1), <Dusk>))"),
        ("Ruth owns something", "some(follow(<Ruth>, ^<owner>))"),
        ("Duchess is by Comet and Dusk", "all(holds(<Duchess>, <foal>, <Comet>), holds(<Duchess>, <foal>, <Dusk>))"),
    ],
)
def test_what_a_claim_names_may_have_to_do_with_each_other(stable: Pack, claim: str, query: str) -> None:
    assert query in claimed(stable, claim)
