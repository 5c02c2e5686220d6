"""Benches: figures by hand, sets in their published forms, and one real run of each command."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from kgask.answer.pipeline import Pipeline
from kgask.cli.bench import bench
from kgask.corpus.examples import MASK
from kgask.errors import UsageError
from kgask.eval import datasets, off_topic
from kgask.eval.ask_set import run
from kgask.eval.datasets import GoldQuestion
from kgask.eval.metrics import auroc, macro
from kgask.eval.relations import simple_questions

SPOUSE = "/people/person/spouse_s./people/marriage/spouse"
BORN = "/people/person/place_of_birth"
CONTAINS = "/location/location/contains"


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def invoke(*args: object) -> Result:
    return CliRunner().invoke(bench, [str(arg) for arg in args], catch_exceptions=False)


def nothing(_done: int) -> None:
    """Progress that is not shown."""


# --- metrics ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "right", "expected"),
    [
        ([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0], 1.0),
        ([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1], 0.0),
        ([0.5, 0.5, 0.5], [1, 0, 0], 0.5),
        ([0.9, 0.4, 0.6, 0.1], [1, 1, 0, 0], 0.75),
    ],
)
def test_auroc_is_the_share_of_pairs_in_order(scores: list[float], right: list[int], expected: float) -> None:
    assert auroc(np.array(scores), np.array(right, bool)) == pytest.approx(expected)


def test_auroc_has_no_meaning_without_both_kinds() -> None:
    assert auroc(np.array([0.1, 0.2]), np.array([True, True])) is None


def test_macro_weighs_every_group_alike() -> None:
    assert macro(np.array([True, True, True, False]), ["a", "a", "a", "b"]) == 0.5


# --- sets ---------------------------------------------------------------------------------


def test_bracketed_questions_name_the_broken_line(tmp_path: Path) -> None:
    good = write(tmp_path / "good.txt.gz", "who wrote [Emma]\tJane Austen|J. A.\n")
    assert datasets.bracketed(good) == [GoldQuestion("who wrote Emma", "Emma", frozenset({"Jane Austen", "J. A."}))]
    bad = write(tmp_path / "bad.txt", "who wrote [Emma]\tJane Austen\nno topic here\tx\n")
    with pytest.raises(UsageError, match=r"bad\.txt:2"):
        datasets.bracketed(bad)


def test_entity_questions_topics_come_from_their_templates(tmp_path: Path) -> None:
    write(tmp_path / "relation_query_templates.json", {"P50": "Who wrote [X]?", "P50_similar": "[X] is by whom?"})
    rows = [{"question": q, "answers": ["A", "B"]} for q in ("Who wrote Emma?", "Emma is by whom?")]
    write(tmp_path / "dev" / "P50.dev.json.gz", rows)
    found = datasets.entity_questions(tmp_path / "dev")
    assert [(q.text, q.topic, q.answers) for q in found] == [
        ("Who wrote Emma?", "Emma", {"A", "B"}),
        ("Emma is by whom?", "Emma", {"A", "B"}),
    ]


def test_the_reworded_questions_name_their_topics_in_many_forms() -> None:
    found = datasets.reworded()
    assert len(found) == 200
    assert all(question.topic in question.text for question in found)
    forms = {question.text.replace(question.topic, "x") for question in found}
    assert len(forms) == 200


def test_a_sample_is_always_the_same_one() -> None:
    assert datasets.reworded(5) == datasets.reworded(5)
    assert len(datasets.reworded(5)) == 5


@pytest.fixture
def freebase(tmp_path: Path) -> Path:
    """Two questions that the graph answers, one whose answer it does not have, one whose topic it does not have."""
    rows = ["mid\twikidata_id\tlabel\tdescription\taliases"]
    people = ("Anna Berg", "Olaf Lind", "Iron Bay", "Saltland")
    rows += [f"/m/{i}\tQ{i}\t{name}\tsomething\t{name} Two" for i, name in enumerate(people)]
    write(tmp_path / "fb15k237" / "entities_named.tsv.gz", "\n".join(rows) + "\n")
    triples = [("0", SPOUSE, "1"), ("0", BORN, "2"), ("3", CONTAINS, "2")]
    text = "".join(f"/m/{s}\t{r}\t/m/{o}\ttrain\n" for s, r, o in triples)
    write(tmp_path / "fb15k237" / "triples_mid.tsv.gz", text)
    asked = [
        ("w1", "who is anna berg married to?", ["Olaf Lind"], "anna_berg"),
        ("w2", "what country was anna berg born in?", ["saltland"], "anna_berg"),
        ("w3", "what does anna berg eat?", ["Bread"], "anna_berg"),
        ("w4", "who is zoe quill?", ["Olaf Lind"], "zoe_quill"),
    ]
    folder = tmp_path / "webquestions"
    for split, rows_of in (("val", asked[:2]), ("devtest", asked[2:])):
        main = [{"qId": i, "qText": t, "answers": a} for i, t, a, _ in rows_of]
        write(folder / "main" / f"{split}.json.gz", main)
        write(folder / "d-freebase" / f"{split}.json.gz", [{"qId": i, "freebaseKey": k} for i, _, _, k in rows_of])
        for kind in ("mids", "rp", "brp"):
            write(folder / f"d-freebase-{kind}" / f"{split}.json.gz", [])
    return tmp_path


def test_webquestions_keeps_what_two_hops_can_answer(freebase: Path) -> None:
    found = datasets.webquestions(freebase, ("val", "devtest"))
    assert (found.n_read, found.n_topic) == (4, 3)
    assert [(q.topics[0].key, [a.key for a in q.answers]) for q in found.questions] == [
        ("/m/0", ["/m/1"]),
        ("/m/0", ["/m/3"]),
    ]
    assert found.oracle_hits_at_1 == 1.0


def test_relation_questions_are_masked_by_label_or_left_as_asked(tmp_path: Path) -> None:
    write(tmp_path / "wikidata_props" / "en1.json", {"P19": "place of birth"})
    write(tmp_path / "wikidata_labels_union.json.gz", {"Q1": "Anna Berg"})
    write(tmp_path / "kgconv" / "preferred_labels.json.gz", {})
    folder = tmp_path / "simplequestions_wikidata"
    write(folder / "annotated_wd_data_train.txt.gz", "Q1\tP19\tQ2\twhere was anna berg born\n")
    valid = write(
        folder / "annotated_wd_data_valid.txt.gz",
        "Q1\tR19\tQ2\twho is from Anna Berg?\nQ7\tP19\tQ2\twhere was Zoe Quill born\n",
    )
    found = simple_questions(valid, tmp_path)
    assert found.names == ["P19", "^P19"]
    assert [text.label for text in found.texts] == ["place of birth"]
    assert [(q.text, q.is_masked) for q in found.questions] == [
        (f"who is from {MASK} ?", True),
        ("where was zoe quill born", False),
    ]


# --- runs ---------------------------------------------------------------------------------


@pytest.fixture
def asked(family_path: Path) -> Callable[..., Pipeline]:
    """Opens a pipeline without a reader over a pack."""

    def open_pack(path: Path = family_path) -> Pipeline:
        return Pipeline.open(str(path), reader=None)

    return open_pack


def test_a_run_counts_hits_sets_and_topics(asked: Callable[..., Pipeline]) -> None:
    with asked() as pipeline:
        text, name, gold = "who is the sibling of Eve Reed?", "Eve Reed", frozenset({"Finn Reed"})
        questions = [
            GoldQuestion(text, name, gold),
            GoldQuestion(text, name, frozenset({"nobody"})),
            GoldQuestion(text, "no such entity", gold),
        ]
        linked = run(pipeline, questions, False, nothing, batch=2).figures()
        given = run(pipeline, questions, True, nothing).figures()
    assert (linked["questions"], linked["hits_at_1"], linked["topic_linked"]) == (3, 0.6667, 0.6667)
    assert (given["hits_at_1"], given["exact_set"]) == (0.3333, 0.3333)
    assert linked["auroc_of_confidence"] == 0.5
    assert given["ms_median"] > 0


def test_off_topic_questions_are_drawn_alike_and_refused(asked: Callable[..., Pipeline]) -> None:
    with asked() as pipeline:
        names = off_topic.sampled_names(pipeline, 5, 0)
        drawn = off_topic.questions(70, 3, names)
        assert drawn == off_topic.questions(70, 3, names)
        assert drawn != off_topic.questions(70, 4, names)
        figures = off_topic.figures(off_topic.run(pipeline, drawn, nothing)[0])
    assert (figures["questions"], figures["crashed"]) == (70, 0)
    assert figures["abstained"] > 0.8


def test_a_crash_is_counted(asked: Callable[..., Pipeline], family_path: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(family_path, broken)
    pipeline = asked(broken)
    pipeline.close()
    (broken / "names.sqlite").unlink()
    found, lines = off_topic.run(pipeline, [("talk", "who is Eve Reed?")], nothing)
    assert found["talk"].crashed == 1
    assert "crashed" in lines[0]


def test_commands_print_figures(freebase: Path, tmp_path: Path) -> None:
    pack = tmp_path / "fb"
    assert invoke("prepare", "fb15k237", freebase, "-o", pack).exit_code == 0
    result = invoke("webquestions", "--data", freebase, "--pack", pack, "--json")
    figures = json.loads(result.stdout)
    assert (figures["questions_read"], figures["topic_in_graph"], figures["questions"]) == (4, 3, 2)
    assert figures["topic_linked"] == 1.0
    result = invoke("abstain", "--pack", pack, "--questions", 14, "--json")
    assert json.loads(result.stdout)["crashed"] == 0


def test_linked_wants_one_set(family_path: Path) -> None:
    assert invoke("linked", "--pack", family_path).exit_code == 2
    result = invoke("linked", "--reworded", "--pack", family_path, "--limit", 3, "--json")
    assert json.loads(result.stdout)["questions"] == 3


def test_relations_are_ranked_by_the_shipped_planner(tmp_path: Path) -> None:
    write(tmp_path / "wikidata_props" / "en1.json", {"P19": "place of birth", "P50": "author"})
    write(tmp_path / "wikidata_labels_union.json.gz", {"Q1": "Anna Berg", "Q3": "Grey Heron"})
    write(tmp_path / "kgconv" / "preferred_labels.json.gz", {})
    rows = "Q1\tP19\tQ2\twhere was anna berg born\nQ3\tP50\tQ1\twho wrote grey heron\nQ1\tR50\tQ3\tbooks by anna berg\n"
    path = write(tmp_path / "simplequestions_wikidata" / "annotated_wd_data_valid.txt.gz", rows)
    figures = json.loads(invoke("relations", path, "--json").stdout)
    assert (figures["questions"], figures["directed_relations"], figures["masked_by_label"]) == (3, 3, 3)
    assert figures["top_1"] == 1.0


def test_sets_of_another_form_are_one_line(tmp_path: Path) -> None:
    write(tmp_path / "relation_query_templates.json", {"P7_author": "Who wrote [X]?"})
    for content in ([{"question": "Who wrote Emma?"}], {"question": 1}, [7], "[" * 100_000):
        write(tmp_path / "dev" / "P7.dev.json", content)
        done = CliRunner().invoke(bench, ["linked", str(tmp_path / "dev")])
        assert isinstance(done.exception, UsageError)
        assert "P7.dev.json" in str(done.exception)
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"who wrote [Emma]?\tJane Austen\n" * 9)[:20] + b"\xff" * 40)
    with pytest.raises(UsageError, match=r"cut\.txt\.gz"):
        datasets.bracketed(tmp_path / "cut.txt.gz")
