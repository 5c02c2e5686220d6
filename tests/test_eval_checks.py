"""``kgask eval``'s smaller commands: figures by hand, and one real run of each."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from predicted import gold_of, predicted

from kgask.answer.pipeline import Pipeline
from kgask.cli.eval import evaluate
from kgask.corpus.examples import MASK
from kgask.errors import UsageError
from kgask.eval import off_topic
from kgask.eval.compare import compare
from kgask.eval.folder import Saved
from kgask.eval.metrics import auroc, macro
from kgask.eval.reading import figures
from kgask.eval.relations import simple_questions
from kgask.sets import registry
from kgask.sets.webquestions import answerable

SPOUSE = "/people/person/spouse_s./people/marriage/spouse"
BORN = "/people/person/place_of_birth"
CONTAINS = "/location/location/contains"


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def invoke(*args: object) -> Result:
    return CliRunner().invoke(evaluate, [str(arg) for arg in args], catch_exceptions=False)


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
    found = answerable(freebase, ("val", "devtest"))
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


@pytest.mark.slow
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
    assert found["talk"]["crashed"] == 1
    assert "crashed" in lines[0]


@pytest.mark.slow
def test_webquestions_over_freebase_are_asked_of_the_pack_that_prepare_builds(freebase: Path, tmp_path: Path) -> None:
    pack, out = tmp_path / "fb", tmp_path / "run"
    assert invoke("prepare", "fb15k237", freebase, "-o", pack).exit_code == 0
    asked = ("run", "webquestions-fb15k237", freebase, "--pack", pack, "--no-reader", "-o", out, "--json")
    figures = json.loads(invoke(*asked).stdout)["figures"]
    assert figures["hits_at_1"]["n"] == 2 and figures["topic_linked"]["value"] == 1.0
    found = json.loads(invoke("oracle", freebase, "--json").stdout)
    assert (found["questions_read"], found["topic_in_graph"], found["questions"]) == (4, 3, 2)
    assert found["oracle_hits_at_1"] == 1.0
    result = invoke("off-topic", "--pack", pack, "--questions", 14, "--json")
    assert json.loads(result.stdout)["crashed"] == 0


def test_the_reworded_questions_ship_and_name_their_topics_in_many_forms(family_path: Path, tmp_path: Path) -> None:
    found = registry.load("reworded", Path())
    assert len(found) == 200 and all(gold.topics[0].name in gold.text for gold in found)
    assert len({gold.text.replace(gold.topics[0].name, "x") for gold in found}) == 200
    result = invoke(
        "run", "reworded", "--pack", family_path, "--limit", 3, "--no-reader", "-o", tmp_path / "r", "--json"
    )
    assert json.loads(result.stdout)["questions"] == 3
    wrong = invoke("score", tmp_path / "r", "--wrong", 2)
    assert wrong.stderr.count("lost at ") == 2
    with pytest.raises(UsageError, match="where are the questions"):
        invoke("run", "metaqa", "--pack", family_path, "-o", tmp_path / "x")


def test_relations_are_ranked_by_the_shipped_planner(tmp_path: Path) -> None:
    write(tmp_path / "wikidata_props" / "en1.json", {"P19": "place of birth", "P50": "author"})
    write(tmp_path / "wikidata_labels_union.json.gz", {"Q1": "Anna Berg", "Q3": "Grey Heron"})
    write(tmp_path / "kgconv" / "preferred_labels.json.gz", {})
    rows = "Q1\tP19\tQ2\twhere was anna berg born\nQ3\tP50\tQ1\twho wrote grey heron\nQ1\tR50\tQ3\tbooks by anna berg\n"
    path = write(tmp_path / "simplequestions_wikidata" / "annotated_wd_data_valid.txt.gz", rows)
    figures = json.loads(invoke("relations", path, "--json").stdout)
    assert (figures["questions"], figures["directed_relations"], figures["masked_by_label"]) == (3, 3, 3)
    assert figures["top_1"] == 1.0


# --- the reader against the plan ------------------------------------------------------------------


def run_of(answers: list[list[int]], confidences: list[float], threshold: float) -> Saved:
    """A run over questions whose gold answers are 1 and 2."""
    rows = zip(answers, confidences, strict=True)
    made = [predicted(ids, gold_of(1, 2), id=str(at), confidence=sure) for at, (ids, sure) in enumerate(rows)]
    decides = {"questions": len(made), "default_threshold": threshold}
    return Saved(Path("run"), decides, {}, made)


def test_repaired_and_spoiled_questions_are_counted_apart() -> None:
    read = run_of([[1, 2], [], [1]], [0.9, 0.0, 0.6], 0.7)
    plan = run_of([[3], [1], [2]], [0.4, 0.9, 0.6], 0.5)
    found = figures(compare(plan, read, 1), plan, read)
    assert (found["questions"], found["repaired"], found["spoiled"]) == (3, 1, 1)
    assert found["hits_at_1_reader"] == found["hits_at_1_plan"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["f1_reader"] == pytest.approx((1 + 0 + 2 / 3) / 3, abs=1e-4)
    assert (found["answered_reader"], found["answered_plan"]) == pytest.approx((1 / 3, 2 / 3), abs=1e-4)
    assert (found["better_sets"], found["worse_sets"]) == (1, 1)
    assert found["holds"]


def test_a_reader_that_loses_does_not_hold() -> None:
    plan = run_of([[1]] * 100, [0.9] * 100, 0.5)
    read = run_of([[1]] * 99 + [[3]], [0.9] * 100, 0.5)
    assert not figures(compare(plan, read, 1), plan, read)["holds"]
