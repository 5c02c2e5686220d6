"""WebQuestions' training part with paths over the relations of FB15k-237.

A path comes from the set's own Freebase paths where FB15k-237 has the
relation, and from search in the graph: the one whose end fits the answers
best; among almost equal ones, the one that most other questions use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kgask.sets.fb15k237 import FreebaseGraph, Path2, f1
from kgask.sets.freebase_names import freebase_texts
from kgask.sets.topic_spans import words_of
from kgask.sets.webquestions import WebQuestion, answers_of, topics_of, web_questions
from kgask.train.data import MASK, PathExample, mask_label, tidy

VOCABULARY = "freebase"
GIVEN = 0.1  # added to a path's F1 where the set gives the path too
PER_HOP = 0.15  # taken from it for the second hop
LEAST = 0.3  # F1 below which a path is taken for chance
ALMOST = 0.1  # paths this close to the best are voted on
TWO_HOP_VOTES = 5  # questions that a two-hop path must fit; fewer are chance
# Freebase has some relations in both directions, FB15k-237 in one: the given name, and whose inverse it is.
REVERSED = {
    "/location/location/containedby": "/location/location/contains",
    "/people/person/education./education/education/institution": (
        "/education/educational_institution/students_graduates./education/education/student"
    ),
    "/location/country/languages_spoken": "/language/human_language/countries_spoken_in",
    "/people/deceased_person/cause_of_death": "/people/cause_of_death/people",
    "/people/person/ethnicity": "/people/ethnicity/people",
    "/film/film/starring./film/performance/actor": "/film/actor/film./film/performance/film",
    "/film/film/directed_by": "/film/director/film",
    "/organization/organization/founders": "/organization/organization_founder/organizations_founded",
    "/music/artist/genre": "/music/genre/artists",
    "/music/artist/label": "/music/record_label/artist",
}


def freebase_relation_texts(data: Path) -> dict[str, list[str]]:
    """Relation name -> its texts, the label first."""
    return freebase_texts(sorted(FreebaseGraph.load(data).relations))


def freebase_questions(data: Path) -> Iterator[PathExample]:
    """Training questions that get a path; "webquestions_unmasked" where the text does not name the topic."""
    graph = FreebaseGraph.load(data)
    questions = web_questions(data, "trainmodel")
    scored = [_scored_paths(question, graph) for question in questions]
    votes = Counter(path for paths in scored for path in paths)
    for question, paths in zip(questions, scored, strict=True):
        path = _chosen(paths, votes)
        if path is None:
            continue
        text = mask_topic(question, graph)
        source = "webquestions" if text else "webquestions_unmasked"
        yield PathExample(tidy(text or question.text), path, source, VOCABULARY, answer_type="entity")


def _scored_paths(question: WebQuestion, graph: FreebaseGraph) -> dict[Path2, float]:
    """Paths with how well they fit: searched ones by F1; given ones alone where the topic is not in the graph."""
    given = {path for names in question.paths if (path := mapped(names, graph.relations))}
    answers = answers_of(question, graph)
    fits: dict[Path2, float] = {}
    for topic in topics_of(question, graph):
        for path, ends in graph.paths_to(topic, answers).items():
            score = f1(ends, answers) - PER_HOP * (len(path) - 1) + GIVEN * (path in given)
            fits[path] = max(score, fits.get(path, 0.0))
    return {path: score for path, score in fits.items() if score >= LEAST} or dict.fromkeys(given, LEAST)


def mapped(names: tuple[str, ...], relations: set[str]) -> Path2 | None:
    """A Freebase path as a step over FB15k-237, where two relations through a nameless node are one."""
    name = "./".join(part.strip("/") for part in names)
    name, inverse = (REVERSED["/" + name], True) if "/" + name in REVERSED else ("/" + name, False)
    return ((name, inverse),) if name in relations else None


def _chosen(paths: dict[Path2, float], votes: Counter[Path2]) -> Path2 | None:
    paths = {path: score for path, score in paths.items() if len(path) == 1 or votes[path] >= TWO_HOP_VOTES}
    best = max(paths.values(), default=0.0)
    close = [path for path, score in paths.items() if score >= best - ALMOST]
    return max(close, key=lambda path: (votes[path], paths[path], path), default=None)


def mask_topic(question: WebQuestion, graph: FreebaseGraph) -> str | None:
    """The text with the topic's longest name masked, else the longest run of words of its key."""
    known = {name for mid in topics_of(question, graph) for name in graph.names[mid]} | {question.topic}
    for name in sorted(known, key=len, reverse=True):
        masked = mask_label(question.text, name)
        if masked and len(masked.split()) > 1:
            return masked
    return _mask_run(question)


def _mask_run(question: WebQuestion) -> str | None:
    """Mask the longest run of words that the key has too."""
    key = set(question.topic.split())
    words = words_of(question.text)
    runs, start = [], None
    for i, word in enumerate([*(word for word, _ in words), ""]):
        if word in key and start is None:
            start = i
        elif word not in key and start is not None:
            runs.append((i - start, start))
            start = None
    n, start = max(runs, default=(0, 0))
    if n == 0 or not any(len(word) > 3 for word, _ in words[start : start + n]):
        return None
    return question.text[: words[start][1][0]] + MASK + question.text[words[start + n - 1][1][1] :]
