"""WebQuestions (Berant et al. 2013), as first published and as brmson publishes it with Freebase topics."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.pack.normalise import normalise
from kgask.sets.fb15k237 import FreebaseGraph, Path2, f1
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.keys import freebase_key
from kgask.sets.rows import fits, in_data, json_of, json_records, one_of_folder, records, stem, text_at

FOLDER = Path("webquestions")
_DESCRIPTION = re.compile(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^\s()]+))\)')
_MAIN, _KEYS, _MIDS, _PATHS = "main", "d-freebase", "d-freebase-mids", ("d-freebase-rp", "d-freebase-brp")


def load(path: Path, split: str | None) -> list[Gold]:
    """A file of ``{"utterance", "targetValue", "url"}``, or brmson's folder with ``split`` (trainmodel, val, devtest).

    brmson's topic is the Freebase key of the page, in words; it has a mid where the entity linker beside it saw that
    very name. The relation paths there were found by a machine and are no gold.
    """
    if (path / _MAIN).is_dir():
        return [_of_brmson(question) for question in web_questions(path, split)]
    return [_berant(*record) for record in json_records(path, split)]


def _berant(file: Path, where: str, number: int, row: dict[str, Any]) -> Gold:
    with fits(where):
        found = [quoted.replace('\\"', '"') or word for quoted, word in _DESCRIPTION.findall(row["targetValue"])]
        page = str(row.get("url") or "").rstrip("/").rpartition("/")[2].replace("_", " ")
        answers = tuple(GoldAnswer((name,)) for name in dict.fromkeys(found))
        return Gold(f"{stem(file)}:{number}", text_at(row, "utterance"), answers, (GoldTopic(page),) if page else ())


# --- brmson -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WebQuestion:
    id: str
    text: str
    answers: tuple[str, ...]  # names
    topic: str  # words of the Freebase key, "" where there is none
    concepts: tuple[tuple[str, str], ...]  # (name, mid) that an entity linker saw in the text


def web_questions(folder: Path, split: str | None) -> list[WebQuestion]:
    """The questions of brmson's folder."""
    main = one_of_folder(folder / _MAIN, (".json",), split)
    keys = _by_question(folder / _KEYS / main.name, "freebaseKey")
    mids = _by_question(folder / _MIDS / main.name, "freebaseMids")
    found = []
    for where, _, row in records(main, json_of(main)):
        with fits(where):
            ident = text_at(row, "qId")
            concepts = tuple((c["concept"], freebase_key(c["mid"])) for c in mids.get(ident) or ())
            answers = tuple(dict.fromkeys(map(str, row["answers"])))
            topic = (keys.get(ident) or "").replace("_", " ")
            found.append(WebQuestion(ident, text_at(row, "qText"), answers, topic, concepts))
    return found


def machine_paths(folder: Path, split: str) -> dict[str, list[tuple[str, ...]]]:
    """Question id -> relation paths that a machine found; relation names, compound ones in parts."""
    paths: dict[str, list[tuple[str, ...]]] = {}
    for kind in _PATHS:
        for ident, found in _by_question(one_of_folder(folder / kind, (".json",), split), "relPaths").items():
            paths.setdefault(ident, []).extend(tuple(path) for path, _ in found)
    return paths


def _by_question(file: Path, field: str) -> dict[str, Any]:
    if not file.is_file():
        raise UsageError(f"{file}: no such file; it belongs to {_MAIN}/{file.name}")
    found = {}
    for where, _, row in records(file, json_of(file)):
        with fits(where):
            found[text_at(row, "qId")] = row[field]
    return found


def _of_brmson(question: WebQuestion) -> Gold:
    name = question.topic
    same = {mid for concept, mid in question.concepts if normalise(concept) == normalise(name)}
    topics = (GoldTopic(name, same.pop() if len(same) == 1 else None),) if name else ()
    return Gold(question.id, question.text, tuple(GoldAnswer((each,)) for each in question.answers), topics)


# --- over FB15k-237 -----------------------------------------------------------------------------


def topics_of(question: WebQuestion, graph: FreebaseGraph) -> list[str]:
    """Mids in the graph that the key names; the linker's concepts decide between namesakes.

    A concept counts when its name begins as the key does, or the other way
    round: the key *cleveland ohio* is the concept *Cleveland*.
    """
    key = normalise(question.topic)
    linked = [mid for name, mid in question.concepts if mid in graph and _same_start(normalise(name), key)]
    named = sorted(mid for mid in graph.named(question.topic) if mid in graph)
    return [mid for mid in named if mid in linked] or named or list(dict.fromkeys(linked))


def _same_start(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return bool(short) and f"{long} ".startswith(f"{short} ")


def answers_of(question: WebQuestion, graph: FreebaseGraph) -> set[str]:
    """Mids that an answer names."""
    return {mid for answer in question.answers for mid in graph.named(answer) if mid in graph}


@dataclass(frozen=True, slots=True)
class OverFreebase:
    """The questions that FB15k-237 answers within two hops, by mid, and how many there were before."""

    questions: list[Gold]
    n_read: int  # with a Freebase key
    n_topic: int  # whose topic is in the graph
    oracle_hits_at_1: float  # of the best single path: mean share of right ones among all that it ends at
    oracle_f1: float


def answerable(data: Path, splits: Iterable[str]) -> OverFreebase:
    """Questions whose topic and an answer one or two hops away are in FB15k-237; ``data`` has both folders."""
    graph = FreebaseGraph.load(data)
    asked = [one for split in splits for one in web_questions(data / FOLDER, split) if one.topic]
    n_topic, kept, shares, fits_of = 0, [], [], []
    for question in asked:
        topics, answers = topics_of(question, graph), answers_of(question, graph)
        n_topic += bool(topics)
        reached = {topic: graph.paths_to(topic, answers) for topic in topics}
        best = {topic: _best(paths, answers) for topic, paths in reached.items() if paths}
        if best:
            topic = max(best, key=best.__getitem__)
            golds = tuple(GoldAnswer(graph.names[mid], mid) for mid in sorted(answers))
            kept.append(Gold(question.id, question.text, golds, (GoldTopic(graph.names[topic][0], topic),)))
            shares.append(best[topic][0])
            fits_of.append(best[topic][1])
    n = max(1, len(kept))
    return OverFreebase(kept, len(asked), n_topic, sum(shares) / n, sum(fits_of) / n)


def over_fb15k237(data: Path, split: str | None) -> list[Gold]:
    """The questions of :func:`answerable` in ``split``; of val and devtest where none is named."""
    in_data(data / FOLDER / _MAIN, f"{split or 'val'}.json.gz")
    return answerable(data, [split] if split else ["val", "devtest"]).questions


def _best(paths: dict[Path2, set[str]], answers: set[str]) -> tuple[float, float]:
    """Of single paths: the best share of right ones among what a path ends at, and the best F1."""
    share = max(len(ends & answers) / len(ends) for ends in paths.values())
    return share, max(f1(ends, answers) for ends in paths.values())
