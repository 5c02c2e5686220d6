"""Questions that the link scorer learns from: public training parts, over packs of their own triples."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from kgask.build.recipe import Recipe, build
from kgask.corpus.examples import load_labels
from kgask.errors import BuildError
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.sets.entityquestions import pack_recipe
from kgask.sets.fb15k237 import FreebaseGraph
from kgask.sets.files import open_text, read_json
from kgask.sets.webquestions import answers_of, topics_of, web_questions
from kgask.train.calibrate import Probe
from kgask.train.planner.link_scorer import LinkQuestion

LOWERED = 0.3  # share of the questions that are asked in lower case, as people type
DAMAGED = 0.15  # share with a typo
LEAST_DAMAGED = 5  # letters of a word that gets one


def entity_question_pack(data: Path, target: Path, tell: Callable[[str], None]) -> None:
    """EntityQuestions' triples as a pack: the names are the keys."""
    build(pack_recipe(data, target), tell)


def entity_questions(data: Path, pack: Pack, n: int, rng: random.Random) -> list[LinkQuestion]:
    """A sample of EntityQuestions' training part (Sciavolino et al. 2021), with topics and answers by label."""
    folder = data / "entityquestions"
    templates = read_json(folder / "relation_query_templates.json")
    rows = []
    for path in sorted((folder / "train").glob("P*.train.json.gz")):
        before, after = templates[path.name.partition(".")[0]].split("[X]")
        for row in read_json(path):
            text = row["question"]
            if text.startswith(before) and text.endswith(after):
                rows.append((text, text[len(before) : len(text) - len(after)], row["answers"]))
    if not rows:
        raise BuildError(f"{folder / 'train'}: no questions; --data names the folder with the public sets")
    found = []
    for text, topic, answers in rng.sample(rows, min(n, len(rows))):
        topics, golds = _called(pack, [topic]), _called(pack, answers)
        if topics and golds:
            found.append(LinkQuestion(text, golds, topics))
    return found


def _called(pack: Pack, labels: Iterable[str]) -> frozenset[int]:
    """The entities with exactly these labels."""
    wanted = set(labels)
    hits = pack.exact({normalise(label) for label in wanted})
    return frozenset(hit.entity for found in hits.values() for hit in found if hit.name in wanted)


def simple_question_pack(data: Path, target: Path, tell: Callable[[str], None]) -> None:
    """The triples behind SimpleQuestions' training part as a pack, labelled where a label is at hand."""
    with TemporaryDirectory() as folder:
        triples, labels, relations = (Path(folder) / f"{name}.tsv" for name in ("triples", "labels", "relations"))
        rows = sorted({triple for triple, _, _ in _simple_rows(data)})
        triples.write_text("".join(f"{s}\t{r}\t{o}\n" for s, r, o in rows), encoding="utf-8")
        _write_texts(labels, load_labels(data), {end for s, _, o in rows for end in (s, o)})
        _write_texts(relations, read_json(data / "wikidata_props" / "en1.json"), {r for _, r, _ in rows})
        texts = (("labels", str(labels)), ("relations", str(relations)))
        notes = ("SimpleQuestions over Wikidata, training part",)
        build(Recipe((str(triples),), target, texts=texts, licences=("CC BY 3.0",), source_notes=notes), tell)


def _write_texts(path: Path, texts: dict[str, str], wanted: set[str]) -> None:
    lines = [f"{key}\t{' '.join(text.split())}\n" for key, text in sorted(texts.items()) if key in wanted]
    path.write_text("".join(lines), encoding="utf-8")


def _simple_rows(data: Path) -> Iterable[tuple[tuple[str, str, str], str, str]]:
    """(triple, topic, question): ``R19`` asks for the subject of ``P19``."""
    for line in open_text(data / "simplequestions_wikidata" / "annotated_wd_data_train.txt.gz"):
        topic, relation, answer, question = line.rstrip("\n").split("\t")
        key = "P" + relation[1:]
        triple = (answer, key, topic) if relation.startswith("R") else (topic, key, answer)
        yield triple, topic, question


def simple_questions(data: Path, pack: Pack, n: int, rng: random.Random) -> list[LinkQuestion]:
    """A sample of the questions whose topic has a label; every triple of the pack that answers counts."""
    keys = dict(zip(pack.keys(range(pack.n_entities)), pack.labels(range(pack.n_entities)), strict=True))
    ids = {key: entity for entity, key in enumerate(keys)}
    ends: dict[tuple[str, str, bool], set[int]] = defaultdict(set)
    rows = list(_simple_rows(data))
    for (subject, relation, obj), _, _ in rows:
        ends[subject, relation, True].add(ids[obj])
        ends[obj, relation, False].add(ids[subject])
    asked = [row for row in rows if keys[row[1]] != row[1]]
    return [
        LinkQuestion(text, frozenset(ends[topic, triple[1], triple[0] == topic]), frozenset({ids[topic]}))
        for triple, topic, text in rng.sample(asked, min(n, len(asked)))
    ]


def webquestions(data: Path, pack: Pack, n: int, rng: random.Random) -> list[LinkQuestion]:
    """A sample of WebQuestions' training part over FB15k-237 (a pack with mids as keys): people's own wordings."""
    graph = FreebaseGraph.load(data)
    found = []
    for question in web_questions(data, "trainmodel"):
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


def damaged(text: str, rng: random.Random) -> str:
    """One long word with a letter lost, doubled, or swapped with the next."""
    words = text.split(" ")
    places = [i for i, word in enumerate(words) if len(word) >= LEAST_DAMAGED and word.isalpha()]
    if not places:
        return text
    at = rng.choice(places)
    word, letter = words[at], rng.randrange(1, len(words[at]) - 2)
    a, b = word[letter], word[letter + 1]
    broken = rng.choice([b, a + a + b, b + a])
    return " ".join([*words[:at], word[:letter] + broken + word[letter + 2 :], *words[at + 1 :]])
