"""Questions that the link scorer learns from: public training parts, over packs of their own triples."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from kgask.corpus.names import damaged
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.sets import entityquestions, registry, simplequestions
from kgask.sets.fb15k237 import FreebaseGraph
from kgask.sets.gold import Gold
from kgask.sets.rows import in_data
from kgask.sets.webquestions import FOLDER, answers_of, topics_of, web_questions
from kgask.train.calibrate import Probe
from kgask.train.planner.link_scorer import LinkQuestion

LOWERED = 0.3  # share of the questions that are asked in lower case, as people type
DAMAGED = 0.15  # share with a typo


def entity_questions(data: Path, pack: Pack, n: int, rng: random.Random) -> list[LinkQuestion]:
    """A sample of EntityQuestions' training part (Sciavolino et al. 2021), with topics and answers by label."""
    in_data(data, entityquestions.FOLDER / entityquestions.TEMPLATES)
    golds = registry.load("entityquestions", data / entityquestions.FOLDER, "train")
    asked = [gold for gold in golds if gold.topics]
    found = []
    for gold in rng.sample(asked, min(n, len(asked))):
        topics = _called(pack, [gold.topics[0].name])
        answers = _called(pack, [answer.names[0] for answer in gold.answers])
        if topics and answers:
            found.append(LinkQuestion(gold.text, answers, topics))
    return found


def _called(pack: Pack, labels: Iterable[str]) -> frozenset[int]:
    """The entities with exactly these labels."""
    wanted = set(labels)
    hits = pack.exact({normalise(label) for label in wanted})
    return frozenset(hit.entity for found in hits.values() for hit in found if hit.name in wanted)


def simple_questions(data: Path, pack: Pack, n: int, rng: random.Random) -> list[LinkQuestion]:
    """A sample of the questions whose topic has a label; every triple of the pack that answers counts."""
    labels = dict(zip(pack.keys(range(pack.n_entities)), pack.labels(range(pack.n_entities)), strict=True))
    ids = {key: entity for entity, key in enumerate(labels)}
    ends: dict[tuple[str, str], set[int]] = defaultdict(set)
    golds = registry.load("simplequestions", in_data(data, simplequestions.TRAINING))
    for gold in golds:
        ((subject, relation, obj),) = gold.triples
        ends[subject, relation].add(ids[obj])
        ends[obj, f"^{relation}"].add(ids[subject])

    def topic(gold: Gold) -> str:
        return gold.topics[0].key or ""

    asked = [gold for gold in golds if labels[topic(gold)] != topic(gold)]
    return [
        LinkQuestion(gold.text, frozenset(ends[topic(gold), gold.relations[0]]), frozenset({ids[topic(gold)]}))
        for gold in rng.sample(asked, min(n, len(asked)))
    ]


def webquestions(data: Path, pack: Pack, n: int, rng: random.Random) -> list[LinkQuestion]:
    """A sample of WebQuestions' training part over FB15k-237 (a pack with mids as keys): people's own wordings."""
    graph = FreebaseGraph.load(data)
    found = []
    for question in web_questions(data / FOLDER, "trainmodel"):
        topics, answers = (
            frozenset(entity for mid in mids if (entity := pack.find_key(mid)) is not None)
            for mids in (topics_of(question, graph), answers_of(question, graph))
        )
        if topics and answers:
            found.append(LinkQuestion(question.text, answers, topics))
    return rng.sample(found, min(n, len(found)))


def from_probes(probes: Iterable[Probe]) -> list[LinkQuestion]:
    """Calibration's probes: answers only, unknown names among them."""
    return [LinkQuestion(probe.text, probe.answers) for probe in probes]


def varied(questions: Iterable[LinkQuestion], rng: random.Random) -> list[LinkQuestion]:
    """Some in lower case, some with a typo: sets that are made from templates have neither."""
    found = []
    for question in questions:
        text = question.text.lower() if rng.random() < LOWERED else question.text
        text = damaged(text, rng) if rng.random() < DAMAGED else text
        found.append(LinkQuestion(text, question.answers, question.topics))
    return found
