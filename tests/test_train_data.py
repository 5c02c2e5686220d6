"""Training readers: topics found without labels, queries to paths, Freebase paths, answer types. No torch."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kgask.corpus import examples as data
from kgask.corpus.examples import MASK, PathExample
from kgask.corpus.freebase import (
    agreed_paths,
    freebase_questions,
    freebase_relation_texts,
    mapped,
)
from kgask.corpus.mintaka import mintaka_questions
from kgask.corpus.wikiweb import path_between, query_triples, wikiweb_questions
from kgask.errors import UsageError
from kgask.sets.freebase_names import freebase_labels, freebase_texts
from kgask.sets.topic_spans import SpanModel, label_span, words_of

SPOUSE = "/people/person/spouse_s./people/marriage/spouse"
BORN = "/people/person/place_of_birth"
CONTAINS = "/location/location/contains"


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


# --- topic spans --------------------------------------------------------------------------

KNOWN = ["anna berg", "olaf lind", "grey heron", "old mill", "tora vik", "iron bay", "salt moon", "blue fern"]
ASKED = [f"where was {name} born" for name in KNOWN] + [f"what book did {name} write" for name in KNOWN]


def test_names_are_found_between_wordings_that_others_share() -> None:
    questions = [("P19", text) for text in ASKED] + [
        ("P19", "where was qrystl vaandermeer born"),
        ("P50", "what book did zel imbrach of the hills write?"),
    ]
    known = [label_span(text, name) for text, name in zip(ASKED, KNOWN * 2, strict=True)] + [None, None]
    found = SpanModel(KNOWN).fit(questions, known)
    assert found[-2][0] == (2, 4)
    assert found[-1][0] == (3, 8)
    assert found[-1][1] > 0
    assert all(lead == float("inf") for _, lead in found[:-2])


def test_a_genitive_is_no_part_of_the_name() -> None:
    assert [word for word, _ in words_of("what is Anna Berg's job?")] == ["what", "is", "anna", "berg", "'s", "job"]
    assert label_span("what is Anna Berg's job?", "Anna Berg") == (2, 4)
    assert label_span("anna berg", "Anna Berg") is None
    assert label_span("what is her job", "Anna Berg") is None


def test_simple_questions_are_masked_or_kept_whole(tmp_path: Path) -> None:
    rows = [f"Q{i}\tP19\tQ99\t{text}" for i, text in enumerate(ASKED)]
    rows += ["Q77\tR19\tQ99\twhere was qrystl vaandermeer born", "Q78\tP569\tQ99\tage"]
    write(tmp_path / "simplequestions_wikidata" / "annotated_wd_data_train.txt.gz", "\n".join(rows) + "\n")
    labels = {f"Q{i}": KNOWN[i % len(KNOWN)] for i in range(len(ASKED))}
    found = list(data.simple_questions(tmp_path, labels))
    assert found[0] == PathExample(f"where was {MASK} born", (("P19", False),), "simple", answer_type="entity")
    assert len(found) == len(ASKED) + 3
    no_label = "where was qrystl vaandermeer born"
    assert found[-3] == PathExample(f"where was {MASK} born", (("P19", True),), "simple_found", answer_type="entity")
    assert found[-2] == PathExample(no_label, (("P19", True),), "simple_unmasked", answer_type="entity")
    assert found[-1] == PathExample("age", (("P569", False),), "simple_unmasked", answer_type="date")


def test_answer_types_follow_the_last_step() -> None:
    assert data.answer_type((("P57", False), ("P569", False))) == "date"
    assert data.answer_type((("P569", True),)) == "entity"
    assert data.answer_type((("P1082", False),)) == "number"
    assert data.answer_type((("P19", False),)) == "entity"


# --- WikiWebQuestions ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ("wd:Q3 wdt:P36 ?p. ?x wdt:P19 ?p.", {"Q3": (("P36", False), ("P19", True))}),
        ("?x wdt:P161 wd:Q1; wdt:P31/wdt:P279* wd:Q11424.", {"Q1": (("P161", True),)}),
        ("?x wdt:P161 wd:Q1; wdt:P57 wd:Q2.", {"Q1": (("P161", True),), "Q2": (("P57", True),)}),
        ("wd:Q5 p:P161 ?p. ?p ps:P161 ?x; pq:P453 wd:Q6.", {"Q5": (("P161", False),)}),
        (
            "?y wdt:P3450 wd:Q7; wdt:P1346 wd:Q8; wdt:P585 ?x.",
            {"Q7": (("P3450", True), ("P585", False)), "Q8": (("P1346", True), ("P585", False))},
        ),
    ],
)
def test_queries_become_one_path_a_topic(body: str, paths: dict[str, object]) -> None:
    triples = query_triples(f"PREFIX wd: <http://www.wikidata.org/entity/> SELECT DISTINCT ?x WHERE {{ {body} }}")
    assert triples is not None
    assert {topic: path_between(triples, topic) for topic in paths} == paths


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x WHERE { wd:Q1 wdt:P1 ?x. FILTER(?x > 3) }",
        "SELECT ?x WHERE { wd:Q1 wdt:P1|wdt:P2 ?x. }",
        "SELECT ?x WHERE { ?x wdt:P1 wd:Q1; wdt:P585 ?y. } ORDER BY ?y LIMIT 1",
        "SELECT ?x WHERE { wd:Q1 p:P39 ?y. ?y ps:P39 wd:Q2; pq:P580 ?x. }",
    ],
)
def test_queries_that_are_no_plain_tree_are_left_out(query: str) -> None:
    assert query_triples(query) is None


def test_two_named_entities_constrain_each_other(tmp_path: Path) -> None:
    query = "SELECT DISTINCT ?x WHERE { ?x wdt:P161 wd:Q1; wdt:P57 wd:Q2. }"
    row = {"id": "w1", "utterance": "which films by Tora Vik star Anna Berg?", "sparql": query}
    write(tmp_path / "wikiwebquestions" / "train.json.gz", [row])
    found = list(wikiweb_questions(tmp_path, {"Q1": "Anna Berg", "Q2": "Tora Vik"}))
    assert [(e.text, e.path, e.constrained) for e in found] == [
        (f"which films by tora vik star {MASK}?", (("P161", True),), True),
        (f"which films by {MASK} star anna berg?", (("P57", True),), True),
    ]


# --- Mintaka ------------------------------------------------------------------------------


def test_mintaka_teaches_types_without_paths(tmp_path: Path) -> None:
    named = {"entityType": "entity", "span": [4, 8], "mention": "Oslo"}
    rows = [
        ("Did Oslo win?", "yesno", "boolean", [named]),
        ("How many?", "count", "entity", []),
        ("Who, Oslo or I?", "intersection", "entity", [named | {"span": [5, 9]}]),
        ("What is it called?", "generic", "string", []),
    ]
    write(
        tmp_path / "mintaka" / "mintaka_train_500.json",
        [
            {
                "id": q,
                "question": q,
                "complexityType": c,
                "answer": {"answerType": a, "answer": None},
                "questionEntity": e,
            }
            for q, c, a, e in rows
        ],
    )
    assert [(e.text, e.path, e.answer_type, e.constrained) for e in mintaka_questions(tmp_path)] == [
        (f"did {MASK} win?", None, "yesno", False),
        ("how many?", None, "number", False),
        (f"who, {MASK} or i?", None, "entity", True),
    ]


# --- Freebase -----------------------------------------------------------------------------


def test_freebase_names_become_words() -> None:
    names = [SPOUSE, BORN, "/film/film/genre", "/tv/tv_program/genre", "/film/film/produced_by", "/a/b/c_d./e/f/c_d"]
    labels = freebase_labels(names)
    assert labels[SPOUSE] == "person spouse"
    assert labels["/film/film/genre"] == "film genre"
    assert labels["/tv/tv_program/genre"] == "tv program genre"
    assert labels["/film/film/produced_by"] == "produced by"
    assert labels["/a/b/c_d./e/f/c_d"] == "c d"
    assert len(set(labels.values())) == len(names)
    assert freebase_texts([SPOUSE])[SPOUSE][:2] == ["person spouse", "married to"]


def test_given_freebase_paths_are_mapped() -> None:
    relations = {SPOUSE, BORN, CONTAINS}
    assert mapped(("/people/person/spouse_s", "/people/marriage/spouse"), relations) == ((SPOUSE, False),)
    assert mapped(("/location/location/containedby",), relations) == ((CONTAINS, True),)
    assert mapped(("/people/person/parents",), relations) is None
    assert mapped((BORN, CONTAINS), relations) is None


@pytest.fixture
def freebase(tmp_path: Path) -> Path:
    """Six entities, five triples; one question answered by search, one by its given path, one by nothing."""
    rows = ["mid\twikidata_id\tlabel\tdescription\taliases"]
    people = ("Anna Berg", "Olaf Lind", "Iron Bay", "Saltland", "Tora Vik", "Old Mill")
    rows += [f"/m/{i}\tQ{i}\t{name}\t\t{name[:4]} X" for i, name in enumerate(people)]
    write(tmp_path / "fb15k237" / "entities_named.tsv.gz", "\n".join(rows) + "\n")
    triples = [("0", SPOUSE, "1"), ("0", BORN, "2"), ("3", CONTAINS, "2"), ("4", BORN, "5"), ("3", CONTAINS, "5")]
    text = "".join(f"/m/{s}\t{r}\t/m/{o}\ttrain\n" for s, r, o in triples)
    write(tmp_path / "fb15k237" / "triples_mid.tsv.gz", text)
    questions = [
        ("w1", "who is anna berg married to?", ["Olaf Lind"], "anna_berg", []),
        ("w2", "where was she born, olga ness?", ["Elsewhere"], "olga_ness", [[["/people/person/place_of_birth"], 1]]),
        ("w3", "what does tora vik eat?", ["Olaf Lind"], "tora_vik", []),
    ]
    folder = tmp_path / "webquestions"
    write(folder / "main" / "trainmodel.json.gz", [{"qId": i, "qText": t, "answers": a} for i, t, a, _, _ in questions])
    write(folder / "d-freebase" / "trainmodel.json.gz", [{"qId": i, "freebaseKey": k} for i, _, _, k, _ in questions])
    write(folder / "d-freebase-mids" / "trainmodel.json.gz", [])
    write(folder / "d-freebase-rp" / "trainmodel.json.gz", [{"qId": i, "relPaths": p} for i, _, _, _, p in questions])
    write(folder / "d-freebase-brp" / "trainmodel.json.gz", [])
    return tmp_path


def test_webquestions_get_the_path_that_fits_or_was_given(freebase: Path) -> None:
    found = list(freebase_questions(freebase))
    assert [(e.text, e.path, e.source, e.vocabulary) for e in found] == [
        (f"who is {MASK} married to?", ((SPOUSE, False),), "webquestions", "freebase"),
        (f"where was she born, {MASK}?", ((BORN, False),), "webquestions", "freebase"),
    ]
    texts = freebase_relation_texts(freebase)
    assert set(texts) == {SPOUSE, BORN, CONTAINS}


def test_questions_of_like_wording_decide_between_paths_that_fit_by_chance() -> None:
    born, lived = (("born in", False),), (("lived in", False),)
    texts = [f"where was {MASK} born", f"where was {MASK} born at", f"where was old {MASK} born", f"who loved {MASK}"]
    fits = [{born: 1.0}, {born: 0.9}, {lived: 1.0, born: 0.9}, {lived: 1.0}]
    assert agreed_paths(texts, fits) == [born, born, born, lived]
    assert agreed_paths(texts, [*fits[:2], {lived: 1.0}, {}]) == [
        born,
        born,
        lived,
        None,
    ]  # only what fits the question


def test_a_missing_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        list(mintaka_questions(tmp_path))
