"""Question sets in their published forms, as questions with gold answers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from kgask.errors import BuildError, UsageError
from kgask.sets.fb15k237 import FreebaseGraph, Path2, f1
from kgask.sets.files import of_its_form, open_text, read_json
from kgask.sets.webquestions import answers_of, topics_of, web_questions

_TOPIC = re.compile(r"\[([^\]]+)\]")
SAMPLE_SEED = 0
TEMPLATES = "relation_query_templates.json"
REWORDED = "entityquestions_reworded.tsv"


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    text: str  # without brackets
    topic: str  # label, or key
    answers: frozenset[str]  # labels, or keys; any of them right on top
    by_key: bool = False  # topic and answers are keys of the pack


def sample(questions: list[GoldQuestion], limit: int | None) -> list[GoldQuestion]:
    """At most ``limit`` of them, drawn with a fixed seed."""
    if limit is None or limit >= len(questions):
        return questions
    return random.Random(SAMPLE_SEED).sample(questions, limit)


def _lines(path: Path) -> Iterator[str]:
    try:
        yield from open_text(path)
    except BuildError as error:
        raise UsageError(str(error)) from error


def bracketed(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """Lines of ``text with [topic]<TAB>answer|answer`` (MetaQA); a sample of ``limit`` when given.

    Raises :class:`UsageError` with file and line for anything else.
    """
    found = []
    for number, line in enumerate(_lines(path), 1):
        text, tab, answers = line.rstrip("\n").partition("\t")
        topic = _TOPIC.search(text)
        if not tab or topic is None:
            raise UsageError(f"{path}:{number}: expected 'text with [topic]<TAB>answer|answer'")
        found.append(GoldQuestion(_TOPIC.sub(r"\1", text), topic[1], frozenset(answers.split("|"))))
    return sample(found, limit)


# --- EntityQuestions ----------------------------------------------------------------------


def entity_questions(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """A folder of EntityQuestions' ``P*.json`` files, or lines of ``text<TAB>topic<TAB>answer|answer``.

    The set does not mark its topics; they are what its templates leave open
    (``relation_query_templates.json`` in the folder or the one above).
    """
    return sample(_entity_questions_of(path) if path.is_dir() else tabbed(path), limit)


def tabbed(path: Path) -> list[GoldQuestion]:
    found = []
    for number, line in enumerate(_lines(path), 1):
        fields = line.rstrip("\n").split("\t")
        if len(fields) != 3 or not all(fields):
            raise UsageError(f"{path}:{number}: expected 'text<TAB>topic<TAB>answer|answer'")
        found.append(GoldQuestion(fields[0], fields[1], frozenset(fields[2].split("|"))))
    return found


def reworded(limit: int | None = None) -> list[GoldQuestion]:
    """200 questions of EntityQuestions' dev part in words of our own."""
    with resources.as_file(resources.files("kgask.eval") / REWORDED) as path:
        return sample(tabbed(path), limit)


def _entity_questions_of(folder: Path) -> list[GoldQuestion]:
    files = sorted([*folder.glob("P*.json"), *folder.glob("P*.json.gz")])
    if not files:
        raise UsageError(f"{folder}: no P*.json files (EntityQuestions' dev folder is expected)")
    places = [place / TEMPLATES for place in (folder, folder.parent)]
    templates = next((place for place in places if place.is_file()), None)
    if templates is None:
        raise UsageError(f"{places[1]}: no such file; it says where the topic of a question stands")
    with of_its_form(templates):
        patterns = _patterns(read_json(templates))
    found = []
    for path in files:
        with of_its_form(path):
            found += [_gold(row, patterns.get(path.name.partition(".")[0], ())) for row in read_json(path)]
    return found


def _gold(row: dict[str, Any], patterns: Iterable[re.Pattern[str]]) -> GoldQuestion:
    """A row of a file; the topic is "" where no template of its relation fits."""
    matches = (pattern.fullmatch(row["question"]) for pattern in patterns)
    topic = next((match[1] for match in matches if match), "")
    return GoldQuestion(row["question"], topic, frozenset(row["answers"]))


def _patterns(templates: dict[str, str]) -> dict[str, list[re.Pattern[str]]]:
    """Relation -> what its questions look like, the topic captured."""
    found: dict[str, list[re.Pattern[str]]] = {}
    for key, template in templates.items():
        before, after = map(re.escape, template.split("[X]"))
        found.setdefault(key.partition("_")[0], []).append(re.compile(f"{before}(.+){after}"))
    return found


# --- WebQuestions on FB15k-237 --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WebQuestionsSet:
    """The questions that the graph can answer within two hops, and how many there were before."""

    questions: list[GoldQuestion]
    n_read: int  # with a Freebase key
    n_topic: int  # whose topic is in the graph
    oracle_hits_at_1: float  # of the best single path: mean share of right ones among all that it ends at
    oracle_f1: float


def webquestions(data: Path, splits: tuple[str, ...], limit: int | None = None) -> WebQuestionsSet:
    """Questions whose topic and an answer one or two hops away are in FB15k-237; mids as topics and answers."""
    graph = FreebaseGraph.load(data)
    read = [question for split in splits for question in web_questions(data, split)]
    n_topic, kept, shares, fits = 0, [], [], []
    for question in read:
        topics, answers = topics_of(question, graph), answers_of(question, graph)
        n_topic += bool(topics)
        reached = {topic: graph.paths_to(topic, answers) for topic in topics}
        best = {topic: _best(paths, answers) for topic, paths in reached.items() if paths}
        if best:
            topic = max(best, key=best.__getitem__)
            kept.append(GoldQuestion(question.text, topic, frozenset(answers), by_key=True))
            shares.append(best[topic][0])
            fits.append(best[topic][1])
    n = max(1, len(kept))
    return WebQuestionsSet(sample(kept, limit), len(read), n_topic, sum(shares) / n, sum(fits) / n)


def _best(paths: dict[Path2, set[str]], answers: set[str]) -> tuple[float, float]:
    """Of single paths: the best share of right ones among what a path ends at, and the best F1."""
    share = max(len(ends & answers) / len(ends) for ends in paths.values())
    return share, max(f1(ends, answers) for ends in paths.values())
