"""WebQuestions' training part with paths over the relations of FB15k-237.

A path comes from the set's own Freebase paths where FB15k-237 has the
relation, and from search in the graph. Many paths reach the answers by chance;
the one that counts fits its own question and questions of like wording.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from kgask.corpus.examples import MASK, PathExample, mask_label, tidy
from kgask.sets.fb15k237 import FreebaseGraph, Path2, f1
from kgask.sets.freebase_names import freebase_texts
from kgask.sets.topic_spans import words_of
from kgask.sets.webquestions import FOLDER, WebQuestion, answers_of, machine_paths, topics_of, web_questions

VOCABULARY = "freebase"
GIVEN = 0.1  # added to a path's fit where the set gives the path too
GIVEN_ALONE = 0.5  # fit of a given path where the topic is not in the graph
TWO_HOPS = 0.7  # factor of the fit of a two-hop path
LEAST = 0.05  # fit below which a path is not looked at
NEIGHBOURS = 20  # questions of like wording that are asked
SHARPNESS = 2  # exponent of their likeness
EVERYWHERE = 0.02  # weight of all questions beside the neighbours
_TOKEN = re.compile(r"MASK|[a-z0-9]+")
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
    questions = [question for question in web_questions(data / FOLDER, "trainmodel") if question.topic]
    given = machine_paths(data / FOLDER, "trainmodel")
    texts = [mask_topic(question, graph) for question in questions]
    fits = [_fits(question, given.get(question.id, ()), graph) for question in questions]
    wordings = [text or question.text for text, question in zip(texts, questions, strict=True)]
    for question, text, path in zip(questions, texts, agreed_paths(wordings, fits), strict=True):
        if path is not None:
            source = "webquestions" if text else "webquestions_unmasked"
            yield PathExample(tidy(text or question.text), path, source, VOCABULARY, answer_type="entity")


def _fits(question: WebQuestion, names_of: Iterable[tuple[str, ...]], graph: FreebaseGraph) -> dict[Path2, float]:
    """Paths with how well they fit, 0..1.1: searched ones by their ends; given ones alone without a topic."""
    given = {path for names in names_of if (path := mapped(names, graph.relations))}
    answers = answers_of(question, graph)
    fits: dict[Path2, float] = {}
    for topic in topics_of(question, graph):
        for path, ends in graph.paths_to(topic, answers).items():
            # F1 alone prefers long lists; what is printed first is right as often as the ends are.
            fit = (f1(ends, answers) + len(ends & answers) / len(ends)) / 2
            fit = fit * (1.0 if len(path) == 1 else TWO_HOPS) + GIVEN * (path in given)
            fits[path] = max(fit, fits.get(path, 0.0))
    fits = {path: fit for path, fit in fits.items() if fit >= LEAST}
    return fits or dict.fromkeys(given, GIVEN_ALONE)


def agreed_paths(texts: Sequence[str], fits: Sequence[dict[Path2, float]]) -> list[Path2 | None]:
    """For each question the path that fits it and the questions of like wording best; None where none fits.

    Questions that are asked alike ask for one relation, so a path that fits
    only one of them fits by chance.
    """
    likeness = _likeness(texts)
    likeness[:, [not fit for fit in fits]] = 0.0
    everywhere: Counter[Path2] = Counter()
    for fit in fits:
        everywhere.update({path: value / len(fits) for path, value in fit.items()})
    chosen: list[Path2 | None] = []
    for row, fit in zip(likeness, fits, strict=True):
        belief = {path: EVERYWHERE * everywhere[path] for path in fit}
        near = np.argsort(-row, kind="stable")[:NEIGHBOURS]
        weights = row[near] ** SHARPNESS
        for other, weight in zip(near.tolist(), weights / (weights.sum() + 1e-9), strict=True):
            for path in fit.keys() & fits[other].keys():
                belief[path] += float(weight) * fits[other][path]
        chosen.append(max(fit, key=lambda path: (fit[path] * belief[path], path), default=None))
    return chosen


def _likeness(texts: Sequence[str]) -> np.ndarray:
    """Cosines [n, n] of the texts' words and pairs of words, rare ones counting more; 0 with itself."""
    words = [_TOKEN.findall(text.lower().replace(MASK.lower(), " MASK ")) for text in texts]
    terms = [set(found) | set(pairwise(found)) for found in words]
    counts = Counter(term for found in terms for term in found)
    columns = {term: column for column, term in enumerate(term for term, count in counts.items() if count > 1)}
    rows, cols = [], []
    for row, found in enumerate(terms):
        here = sorted(columns[term] for term in found if term in columns)
        rows += [row] * len(here)
        cols += here
    by_column = np.array([math.log(len(texts) / counts[term]) for term in columns])
    matrix = csr_matrix((by_column[cols], (rows, cols)), shape=(len(texts), len(columns)))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel()) + 1e-9
    cosines = (matrix @ matrix.T).toarray() / lengths[:, None] / lengths[None, :]
    np.fill_diagonal(cosines, 0.0)
    return cosines


def mapped(names: tuple[str, ...], relations: set[str]) -> Path2 | None:
    """A Freebase path as a step over FB15k-237, where two relations through a nameless node are one."""
    name = "./".join(part.strip("/") for part in names)
    name, inverse = (REVERSED["/" + name], True) if "/" + name in REVERSED else ("/" + name, False)
    return ((name, inverse),) if name in relations else None


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
