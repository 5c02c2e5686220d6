"""Questions about one pack, by ids: what graph-supervised training and validation use.

Read from files in MetaQA's form, ``text with [topic]<TAB>answer|answer``. A
relation path stands in a third column (``directed_by -starred_actors``: keys
of the pack's relations, ``-`` for those followed from object to subject), or,
for MetaQA itself, in the file of question types beside it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgask.errors import UsageError
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import mask_mention
from kgask.sets import metaqa
from kgask.sets.gold import INVERSE, Gold
from kgask.types import directed


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """A question with its topic masked; the ids are those of one pack."""

    text: str  # with [MASK] for the topic
    topic: int
    answers: frozenset[int]
    path: tuple[int, ...] | None = None  # directed relations from the topic to the answers, where known
    asked: str = ""  # as it was asked, the topic by its name


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a file that one pack can answer, and how many it cannot."""

    questions: tuple[GraphQuestion, ...]
    n_unknown: int  # topic or every answer is not in the pack


def read_questions(pack: Pack, path: Path) -> QuestionSet:
    """The questions of ``path`` (gzipped or not) about ``pack``.

    Topic and answers are found by label. Raises :class:`UsageError` with the file, and the line or the question, for
    a line that is no question or a relation that the pack has not.
    """
    golds = metaqa.load(path, None)
    keys = {relation.key: index for index, relation in enumerate(pack.relations())}
    paths = [_path(gold, keys, path) for gold in golds]
    ids = entities_by_label(pack, {name for gold in golds for name in (gold.topics[0].name, *_answers(gold))})
    known = []
    for gold, way in zip(golds, paths, strict=True):
        (topic,) = gold.topics
        answers = frozenset(ids[answer] for answer in _answers(gold) if answer in ids)
        if topic.name in ids and answers and topic.span is not None:
            known.append(GraphQuestion(mask_mention(gold.text, topic.span), ids[topic.name], answers, way, gold.text))
    return QuestionSet(tuple(known), len(golds) - len(known))


def _answers(gold: Gold) -> list[str]:
    return [answer.names[0] for answer in gold.answers]


def _path(gold: Gold, keys: dict[str, int], file: Path) -> tuple[int, ...] | None:
    """Directed relations; None where the file says no path."""
    path = []
    for step in gold.relations:
        key = step.removeprefix(INVERSE)
        if key not in keys:
            raise UsageError(f"{file}:{gold.id.rpartition(':')[2]}: the pack has no relation {key!r}")
        path.append(directed(keys[key], step.startswith(INVERSE), len(keys)))
    return tuple(path) or None


def entities_by_label(pack: Pack, names: Iterable[str]) -> dict[str, int]:
    """Name -> the entity or literal called so: the very label first, then a label, the best connected."""
    wanted = sorted(names)
    norms = {name: normalise(name) for name in wanted}
    hits = pack.exact(sorted(set(norms.values())))
    found = {}
    for name in wanted:
        candidates = hits.get(norms[name], [])
        if candidates:
            degrees = pack.degree([hit.entity for hit in candidates]).tolist()
            ranked = zip(candidates, degrees, strict=True)
            best = min(ranked, key=lambda pair: (pair[0].name != name, pair[0].is_alias, -pair[1], pair[0].entity))
            found[name] = best[0].entity
    return found


def split_templates(
    questions: Sequence[GraphQuestion], held_out: float, rng_seed: int
) -> tuple[list[GraphQuestion], list[GraphQuestion]]:
    """Two parts that share no masked text: ``(train, held out)``.

    The share is of the texts, not of the questions: where many questions have
    one text, a split by question would test memory.
    """
    texts = sorted({question.text for question in questions})
    random.Random(f"templates:{rng_seed}").shuffle(texts)
    away = set(texts[: round(held_out * len(texts))])
    return (
        [question for question in questions if question.text not in away],
        [question for question in questions if question.text in away],
    )


def by_template(questions: Iterable[GraphQuestion]) -> dict[str, list[GraphQuestion]]:
    """Questions by their masked text, in order of appearance."""
    found: dict[str, list[GraphQuestion]] = defaultdict(list)
    for question in questions:
        found[question.text].append(question)
    return dict(found)
