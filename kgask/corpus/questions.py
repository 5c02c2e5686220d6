"""Questions about one pack, by ids: what graph-supervised training and validation use.

Read from files in MetaQA's form, ``text with [topic]<TAB>answer|answer``. A
relation path stands in a third column (``directed_by -starred_actors``: keys
of the pack's relations, ``-`` for those followed from object to subject), or,
for MetaQA itself, in the file of question types beside it.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from kgask.errors import BuildError, UsageError
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import mask_mention
from kgask.sets.files import open_text
from kgask.types import directed

_TOPIC = re.compile(r"\[([^\]]+)\]")
INVERSE = "-"
METAQA_RELATIONS = {  # what MetaQA's question types call the things beside a film
    "director": "directed_by",
    "actor": "starred_actors",
    "writer": "written_by",
    "tag": "has_tags",
    "tags": "has_tags",
    "genre": "has_genre",
    "language": "in_language",
    "year": "release_year",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
}


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


@dataclass(frozen=True, slots=True)
class _Line:
    before: str
    topic: str
    after: str
    answers: tuple[str, ...]
    path: tuple[int, ...] | None

    def question(self, ids: dict[str, int]) -> GraphQuestion | None:
        answers = frozenset(ids[answer] for answer in self.answers if answer in ids)
        if self.topic not in ids or not answers:
            return None
        asked = self.before + self.topic + self.after
        masked = mask_mention(asked, (len(self.before), len(self.before) + len(self.topic)))
        return GraphQuestion(masked, ids[self.topic], answers, self.path, asked)


def read_questions(pack: Pack, path: Path) -> QuestionSet:
    """The questions of ``path`` (gzipped or not) about ``pack``.

    Topic and answers are found by label. Raises :class:`UsageError` with file
    and line for a line that is no question or a relation that the pack has not.
    """
    lines = _lines(pack, path)
    ids = entities_by_label(pack, {name for line in lines for name in (line.topic, *line.answers)})
    found = [line.question(ids) for line in lines]
    known = tuple(question for question in found if question is not None)
    return QuestionSet(known, len(lines) - len(known))


def _lines(pack: Pack, path: Path) -> list[_Line]:
    keys = {relation.key: index for index, relation in enumerate(pack.relations())}
    types = _question_types(path, keys, pack.n_relations)
    lines = []
    for number, text in enumerate(_text_lines(path), 1):
        question, *columns = text.rstrip("\n").split("\t")
        topic = _TOPIC.search(question)
        if topic is None or len(columns) not in (1, 2):
            raise UsageError(f"{path}:{number}: expected 'text with [topic]<TAB>answer|answer'")
        if types is not None and number > len(types):
            raise UsageError(f"{path}:{number}: the file of question types ends before")
        known = types[number - 1] if types else None
        if len(columns) == 2:
            known = _path(columns[1].split(), keys, pack.n_relations, f"{path}:{number}")
        answers = tuple(filter(None, columns[0].split("|")))
        lines.append(_Line(question[: topic.start()], topic[1], question[topic.end() :], answers, known))
    return lines


def _text_lines(path: Path) -> list[str]:
    try:
        return list(open_text(path))
    except BuildError as error:
        raise UsageError(str(error).split(";")[0]) from error


def _path(steps: Sequence[str], keys: dict[str, int], n_relations: int, where: str) -> tuple[int, ...]:
    path = []
    for step in steps:
        key = step.removeprefix(INVERSE)
        if key not in keys:
            raise UsageError(f"{where}: the pack has no relation {key!r}")
        path.append(directed(keys[key], step.startswith(INVERSE), n_relations))
    return tuple(path)


def _question_types(path: Path, keys: dict[str, int], n_relations: int) -> list[tuple[int, ...]] | None:
    """The paths in MetaQA's file of question types beside ``path``; None where there is none."""
    name, dot, rest = path.name.partition(".txt")
    beside = path.with_name(f"{name}_qtype{dot}{rest}")
    if not dot or not beside.is_file():
        return None
    return [
        _path(metaqa_steps(line.strip()), keys, n_relations, f"{beside}:{number}")
        for number, line in enumerate(_text_lines(beside), 1)
    ]


def metaqa_steps(question_type: str) -> list[str]:
    """``movie_to_actor_to_movie`` as steps: every hop of MetaQA leaves or reaches a film.

    A name that is none of MetaQA's stands as it is, and is refused by the caller.
    """
    things = question_type.split("_to_")
    return [
        METAQA_RELATIONS.get(end, end) if start == "movie" else INVERSE + METAQA_RELATIONS.get(start, start)
        for start, end in pairwise(things)
    ]


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
