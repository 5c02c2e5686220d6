"""Loaders of public question sets: tiny files in the published forms, and files that are broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kgask.errors import UsageError
from kgask.sets import registry
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic


def write(path: Path, content: object) -> Path:
    """Text as it is, anything else as JSON; gzipped where the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = (content if isinstance(content, str) else json.dumps(content)).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def one(name: str, path: Path, split: str | None = None) -> Gold:
    found = registry.load(name, path, split)
    assert len(found) == 1
    return found[0]


def mintaka(answer: dict[str, Any], kind: str = "generic") -> list[dict[str, Any]]:
    topics = [
        {"name": "Q1", "entityType": "entity", "label": "Ann Ray", "mention": "Ray", "span": [0, 3]},
        {"name": None, "entityType": "entity", "label": None, "mention": "Moss", "span": [5, 9]},
        {"name": 2, "entityType": "ordinal", "mention": "second", "span": [10, 16]},
    ]
    return [{"id": "a1", "question": "Ray, Moss second?", "questionEntity": topics, "answer": answer,
             "category": "movies", "complexityType": kind}]  # fmt: skip


def names(gold: Gold) -> list[tuple[str, ...]]:
    return [answer.names for answer in gold.answers]


# --- MetaQA ---------------------------------------------------------------------------------


def metaqa(folder: Path, gz: str = "") -> Path:
    write(folder / "1-hop" / f"qa_dev.txt{gz}", "what did [Ann Ray] direct\tStone Garden|North Road\n"
                                                "when did [North Road] come out\t1999\n")  # fmt: skip
    write(folder / "1-hop" / f"qa_dev_qtype.txt{gz}", "director_to_movie\nmovie_to_year\n")
    write(folder / "2-hop" / f"qa_dev.txt{gz}", "who acts with [Bob Stone]\tDora Quill\n")
    write(folder / "2-hop" / f"qa_dev_qtype.txt{gz}", "actor_to_movie_to_actor\n")
    return folder


@pytest.mark.parametrize("gz", ["", ".gz"])
def test_metaqa_takes_paths_and_hops_from_the_file_of_types(tmp_path: Path, gz: str) -> None:
    found = registry.load("metaqa", metaqa(tmp_path, gz))

    assert [gold.id for gold in found] == ["1-hop/qa_dev:1", "1-hop/qa_dev:2", "2-hop/qa_dev:1"]
    assert found[0] == Gold(
        "1-hop/qa_dev:1", "what did Ann Ray direct", (GoldAnswer(("Stone Garden",)), GoldAnswer(("North Road",))),
        (GoldTopic("Ann Ray"),), ("^directed_by",), "director_to_movie", 1,
    )  # fmt: skip
    assert found[1].relations == ("release_year",)
    assert found[2].relations == ("^starred_actors", "starred_actors") and found[2].hops == 2


def test_metaqa_gives_a_file_the_same_ids_as_its_folder(tmp_path: Path) -> None:
    of_folder = registry.load("metaqa", metaqa(tmp_path))
    of_file = registry.load("metaqa", tmp_path / "2-hop" / "qa_dev.txt")
    assert of_file == of_folder[2:]


def test_metaqa_as_published_has_folders_of_wordings(tmp_path: Path) -> None:
    write(tmp_path / "3-hop" / "qa_dev_qtype.txt", "movie_to_writer_to_movie_to_year\n")
    write(tmp_path / "3-hop" / "vanilla" / "qa_dev.txt", "a [Stone Garden] b\t1999\n")
    write(tmp_path / "3-hop" / "ntm" / "qa_dev.txt", "c [Stone Garden] d\t1999\n")
    with pytest.raises(UsageError, match="which split.*dev, dev_ntm"):
        registry.load("metaqa", tmp_path)
    gold = one("metaqa", tmp_path, "dev_ntm")
    assert (gold.id, gold.text, gold.hops) == ("3-hop/qa_dev_ntm:1", "c Stone Garden d", 3)
    assert gold.relations == ("written_by", "^written_by", "release_year")


def test_metaqa_without_types_knows_hops_by_the_folder_only(tmp_path: Path) -> None:
    gold = one("metaqa", write(tmp_path / "2-hop" / "qa_dev.txt", "a [B] c\td|e\n"))
    assert (gold.kind, gold.hops, gold.relations) == ("2-hop", 2, ())
    assert one("metaqa", write(tmp_path / "qa_mine.txt", "a [B] c\td\n")).hops is None


@pytest.mark.parametrize(
    ("text", "types", "match"),
    [
        ("no topic here\tx\n", None, r"qa_dev.txt:1: expected"),
        ("a [B] c\tx\na [B] c\n", None, r"qa_dev.txt:2: expected"),
        ("a [B] c\tx\na [B] c\ty\n", "movie_to_year\n", r":2: the file of types"),
        ("a [B] c\tx\n", "movie_to_year\nmovie_to_year\n", r"1 questions, but 2 lines"),
        ("a [B] c\tx\n", "movie_to_weather\n", r":1: unknown type of question 'movie_to_weather'"),
        ("", None, "no questions"),
    ],
)
def test_metaqa_says_which_line_is_broken(tmp_path: Path, text: str, types: str | None, match: str) -> None:
    path = write(tmp_path / "qa_dev.txt", text)
    if types is not None:
        write(tmp_path / "qa_dev_qtype.txt", types)
    with pytest.raises(UsageError, match=match):
        registry.load("metaqa", path)


# --- EntityQuestions, SimpleQuestions ---------------------------------------------------------


def entity_questions(folder: Path) -> Path:
    write(folder / "relation_query_templates.json", {"P19": "Where was [X] born?", "P19_similar": "[X] is from where?"})
    write(folder / "dev" / "P19.dev.json", [
        {"question": "Where was Ann Ray born?", "answers": ["Limerick", "Ireland"]},
        {"question": "Carl Moss is from where?", "answers": []},
        {"question": "Birthplace of Bob?", "answers": ["Cork"]},
    ])  # fmt: skip
    write(folder / "train" / "P19.train.json.gz", [{"question": "Where was Bob Stone born?", "answers": ["Cork"]}])
    return folder


def test_entity_questions_find_topics_by_their_templates(tmp_path: Path) -> None:
    found = registry.load("entityquestions", entity_questions(tmp_path) / "dev")
    assert [gold.id for gold in found] == ["P19.dev:1", "P19.dev:2", "P19.dev:3"]
    assert [gold.topics for gold in found] == [(GoldTopic("Ann Ray"),), (GoldTopic("Carl Moss"),), ()]
    assert found[0].triples == (("Ann Ray", "P19", "Limerick"), ("Ann Ray", "P19", "Ireland"))
    assert found[1].answers == () and found[2].triples == ()
    assert registry.load("entityquestions", tmp_path, "dev") == found
    assert one("entityquestions", tmp_path, "train").text == "Where was Bob Stone born?"


def test_entity_questions_want_a_split_and_templates(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="which split.*dev, train"):
        registry.load("entityquestions", entity_questions(tmp_path))
    (tmp_path / "relation_query_templates.json").unlink()
    with pytest.raises(UsageError, match="relation_query_templates.json"):
        registry.load("entityquestions", tmp_path / "dev")


@pytest.mark.parametrize(
    "row", [{"question": "Q?"}, {"question": 3, "answers": []}, {"question": "Q?", "answers": [1]}, 7]
)
def test_entity_questions_name_the_broken_record(tmp_path: Path, row: Any) -> None:
    path = write(entity_questions(tmp_path) / "dev" / "P20.dev.json", [row])
    with pytest.raises(UsageError, match=r"P20.dev.json: record 1"):
        registry.load("entityquestions", path)


def test_simple_questions_turn_inverse_relations(tmp_path: Path) -> None:
    text = "Q1\tP19\tQ2\twhere was it\nQ5\tR19\tQ6\twho is from there\n"
    path = write(tmp_path / "annotated_wd_data_valid.txt", text)
    forward, inverse = registry.load("simplequestions", path)
    assert forward.relations == ("P19",) and forward.triples == (("Q1", "P19", "Q2"),)
    assert inverse.relations == ("^P19",) and inverse.triples == (("Q6", "P19", "Q5"),)
    assert inverse.topics == (GoldTopic("", "Q5"),) and inverse.answers == (GoldAnswer((), "Q6"),)
    assert inverse.id == "annotated_wd_data_valid:2"


@pytest.mark.parametrize("line", ["Q1\tP19\tQ2", "Q1\tX19\tQ2\ttext", "1\tP19\tQ2\ttext", "Q1\tP19\tQ2\t "])
def test_simple_questions_name_the_broken_line(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "a.txt", f"Q1\tP1\tQ2\tfine\n{line}\n")
    with pytest.raises(UsageError, match=r"a.txt:2: expected"):
        registry.load("simplequestions", path)


# --- Freebase ---------------------------------------------------------------------------------


def test_web_questions_as_first_published(tmp_path: Path) -> None:
    value = r'(list (description "Anna \"Ann\" Ray") (description Bob) (description "Dora Quill"))'
    gold = one("webquestions", write(tmp_path / "w.json", [
        {"utterance": "who played in stone garden?", "targetValue": value, "url": "http://x/view/en/stone_garden"},
    ]))  # fmt: skip
    assert names(gold) == [('Anna "Ann" Ray',), ("Bob",), ("Dora Quill",)]
    assert gold.topics == (GoldTopic("stone garden"),)


def brmson(folder: Path) -> Path:
    write(folder / "main" / "val.json.gz", [
        {"qId": "w1", "qText": "who is ann ray?", "answers": ["a director"]},
        {"qId": "w2", "qText": "who is nobody?", "answers": []},
    ])  # fmt: skip
    write(folder / "d-freebase" / "val.json.gz", [{"qId": "w1", "freebaseKey": "ann_ray"}])
    write(folder / "d-freebase-mids" / "val.json.gz", [{"qId": "w1", "freebaseMids": [
        {"concept": "Ann Ray", "mid": "m.01a"}, {"concept": "Ray", "mid": "m.02b"},
    ]}])  # fmt: skip
    return folder


def test_web_questions_with_freebase_topics_keep_those_without(tmp_path: Path) -> None:
    first, second = registry.load("webquestions", brmson(tmp_path), "val")
    assert first.topics == (GoldTopic("ann ray", "/m/01a"),)
    assert second.topics == () and second.answers == ()


def test_web_questions_miss_a_file_by_name(tmp_path: Path) -> None:
    (brmson(tmp_path) / "d-freebase" / "val.json.gz").unlink()
    with pytest.raises(UsageError, match="d-freebase/val.json.gz: no such file"):
        registry.load("webquestions", tmp_path, "val")
    with pytest.raises(UsageError, match="no file of the split 'test'; there is: val.json.gz"):
        registry.load("webquestions", tmp_path, "test")


def webqsp(**changes: Any) -> dict[str, Any]:
    answers = [
        {"AnswerType": "Entity", "AnswerArgument": "m.0a", "EntityName": "Ann Ray"},
        {"AnswerType": "Value", "AnswerArgument": "1999", "EntityName": None},
    ]
    parse = {"TopicEntityMid": "m.0t", "TopicEntityName": "Stone Garden", "Answers": answers,
             "InferentialChain": ["film.film.directed_by", "people.person.name_s"]} | changes  # fmt: skip
    return {"Questions": [{"QuestionId": "WebQTest-1", "RawQuestion": "who made it?", "Parses": [
        parse, {"TopicEntityMid": None, "Answers": [answers[0]], "InferentialChain": None}]}]}  # fmt: skip


def test_webqsp_joins_the_answers_of_all_parses(tmp_path: Path) -> None:
    gold = one("webqsp", write(tmp_path / "WebQSP.test.json", webqsp()))
    assert gold.answers == (GoldAnswer(("Ann Ray",), "/m/0a"), GoldAnswer(("1999",)))
    assert gold.topics == (GoldTopic("Stone Garden", "/m/0t"),)
    assert gold.relations == ("/film/film/directed_by", "/people/person/name_s") and gold.hops == 2


def test_webqsp_names_the_broken_record(tmp_path: Path) -> None:
    path = write(tmp_path / "WebQSP.test.json", webqsp(Answers=[{"AnswerType": "Entity"}]))
    with pytest.raises(UsageError, match=r"record 1: not as this set is published"):
        registry.load("webqsp", path)
    with pytest.raises(UsageError, match="a list under 'Questions' is expected"):
        registry.load("webqsp", write(tmp_path / "x.json", []))


CWQ_QUERY = """PREFIX ns: <http://rdf.freebase.com/ns/>
SELECT DISTINCT ?x WHERE {
FILTER (?x != ?c) FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))
?c ns:film.film.directed_by ns:m.0ray .
?c ns:film.film.starring ?k . ?k ns:film.performance.actor ?x .
?x ns:people.person.gender ns:m.0f . }"""


def test_cwq_reads_topics_and_relations_from_the_query(tmp_path: Path) -> None:
    gold = one("cwq", write(tmp_path / "ComplexWebQuestions_dev.json", [{
        "ID": "WebQTrn-1_abc", "question": "Which woman acted for Ann Ray?", "sparql": CWQ_QUERY,
        "compositionality_type": "conjunction",
        "answers": [{"answer": "Dora Quill", "answer_id": "m.0d", "aliases": ["D. Quill", "Dora Quill"]}],
    }]))  # fmt: skip
    assert gold.answers == (GoldAnswer(("Dora Quill", "D. Quill"), "/m/0d"),)
    assert [topic.key for topic in gold.topics] == ["/m/0ray", "/m/0f"]
    assert gold.relations == (
        "^/film/film/directed_by", "/film/film/starring", "/film/performance/actor", "^/people/person/gender",
    )  # fmt: skip
    assert gold.hops == 3 and gold.kind == "conjunction"


def test_cwq_test_part_has_no_answers(tmp_path: Path) -> None:
    gold = one("cwq", write(tmp_path / "c.json", [{"ID": "1", "question": "Who?"}]))
    assert gold.answers == () and gold.hops is None


# --- all of them --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(registry.NAMES.keys() - set(registry.SHIPPED)))
def test_no_set_takes_what_is_not_its_own(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        registry.load(name, tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError):
        registry.load(name, tmp_path / "empty")
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00garbage\n" * 20)
    with pytest.raises(UsageError):
        registry.load(name, binary)
    cut = tmp_path / "cut.json.gz"
    cut.write_bytes(gzip.compress(b'[{"question": "x"}]' * 50)[:-10])
    with pytest.raises(UsageError):
        registry.load(name, cut)
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000 + "\ta\tb\tc\td")
    with pytest.raises(UsageError):
        registry.load(name, deep)


def test_an_unknown_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean metaqa"):
        registry.load("metaq", tmp_path)
    with pytest.raises(UsageError, match="known: metaqa"):
        registry.load("xyzzy", tmp_path)


def test_a_file_of_another_split_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "mintaka_train.json", mintaka({"answer": [1]}))
    with pytest.raises(UsageError, match="not of the split 'dev'"):
        registry.load("mintaka", path, "dev")
    assert len(registry.load("mintaka", path, "train")) == len(registry.load("mintaka", tmp_path)) == 1


def test_ids_that_a_set_gives_twice_are_told_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", mintaka({"answer": [1]}) * 3)
    assert [gold.id for gold in registry.load("mintaka", path)] == ["a1", "a1#2", "a1#3"]
