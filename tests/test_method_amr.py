"""--method amr: Penman graphs, the file that they stand in, and triples ranked by a model trained here."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kgask import config
from kgask.answer.pipeline import Pipeline
from kgask.cards import write_card
from kgask.errors import MethodError, ModelError, UsageError
from kgask.eval.recheck import Witness
from kgask.methods.amr import AmrCard, AmrModel, AmrRank
from kgask.methods.amr_graph import CONCEPT, MOST_NODES, NAMED, ROLE, TOPIC, UNKNOWN, PenmanError, read_graph
from kgask.methods.amr_inputs import links_of
from kgask.methods.amr_source import PARSER, AmrFile, open_source
from kgask.methods.protocol import Scope
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.types import Question, Seed
from kgask.verbalise import walked_ends

FIXTURES = Path(__file__).parent / "fixtures" / "amr"
ENCODER = config.shipped_root("model") / config.DEFAULT_ENCODER
PROMISED = """
# ::snt The boy promised to go.
(p / promise-01 :ARG0 (b / boy) :ARG2 (g / go-02 :ARG0 b))
"""


def paths(text: str) -> set[tuple[str, str, str]]:
    """(concept, role, filler) of each edge, in words."""
    graph = read_graph(text)
    into = {role: source for source, role in graph.edges if graph.kinds[role] == ROLE}
    return {
        (graph.texts[into[role]], graph.texts[role], graph.texts[target])
        for role, target in graph.edges
        if graph.kinds[role] == ROLE
    }


# --- Penman notation --------------------------------------------------------------------------------


def test_roles_are_nodes_and_a_reentrant_concept_stands_once() -> None:
    graph = read_graph("(p / promise-01 :ARG0 (b / boy) :ARG2 (g / go-02 :ARG0 b))")
    assert sorted(graph.texts) == sorted(["promise", "boy", "go", "agent", "second argument", "agent"])
    assert graph.kinds.count(ROLE) == 3 and len(graph.edges) == 6
    boy = graph.texts.index("boy")
    assert sum(target == boy for _, target in graph.edges) == 2


def test_inverse_roles_are_turned_round() -> None:
    turned = paths("(p / person :ARG0-of (w / write-01 :ARG1 (b / book)) :domain (a / amr-unknown))")
    assert turned == {("write", "agent", "person"), ("write", "theme", "book"), ("person", "is", "what")}
    assert paths("(a / atom :consist-of (i / iodine))") == {("atom", "consist of", "iodine")}


def test_names_are_joined_in_their_order_and_wiki_and_alignments_left_out() -> None:
    graph = read_graph(
        '(w / write-01~e.1 :ARG0~e.2 (a / amr-unknown~e.0) :ARG1 (b / book :wiki "Lady_Susan" '
        ':name (n / name :op2 "Susan" :op1 "Lady")) :polarity - :quant 3)'
    )
    assert graph.names == ("", "", "Lady Susan", "", "", "", "", "", "")[: len(graph.names)]
    assert graph.node_texts()[:3] == ["write", "what", "book Lady Susan"]
    assert {"not", "3"} <= set(graph.texts) and not any("Lady_Susan" in text for text in graph.node_texts())
    assert [kind for kind in graph.kinds if kind != ROLE] == [CONCEPT, UNKNOWN, NAMED, CONCEPT, CONCEPT]


def test_the_topic_is_marked_and_its_name_left_to_the_pair() -> None:
    graph = read_graph('(d / die-01 :ARG1 (p / person :name (n / name :op1 "Ann" :op2 "Ray")) :time (y / year))')
    marked = graph.about("ANN RAY", "")
    assert [text for text, kind in zip(marked.texts, marked.kinds, strict=True) if kind == TOPIC] == ["person"]
    assert marked.node_texts()[1] == "person" and graph.node_texts()[1] == "person Ann Ray"
    assert TOPIC in read_graph("(m / melt-01 :ARG1 (n / neon))").about("Neon").kinds
    assert TOPIC not in graph.about("agent", "Bob Stone").kinds


def test_links_have_a_direction_and_loops() -> None:
    graph = read_graph("(m / melt-01 :ARG1 (n / neon))")
    links, role = links_of(graph), graph.kinds.index(ROLE)
    assert links.dtype == np.float32 and (np.diag(links) == 1).all() and links.sum() == 3 + 2
    assert links[0, role] == 1 and links[role, 0] == 0 and links[role, 1] == 1


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("(w / write-01\n   :ARG0", "end of input", 2),
        ("(w write-01)", "role", 1),
        ("(w / write-01))", "too many", 1),
        ("(a / act-01 :ARG0 (a / actor))", "defined 2 times", 1),
        ("(a / act-01 :ARG0 (b))", "no concept", 1),
        ("(a / act-01 :ARG0 p2)", "no node", 1),
        ("(a / act-01) (b / be-01)", "2 graphs", 1),
        ("who wrote it", "no graph", 1),
        ('(a / act-01 :ARG0 "un', "expected", 1),
        ("(a / a :x " * 3000, "nested too deep", 1),
        (f"(a / and {' '.join(f':op{n} {n}' for n in range(MOST_NODES))})", "more than", 1),
    ],
)
def test_broken_graphs_say_why(text: str, reason: str, line: int) -> None:
    with pytest.raises(PenmanError, match=reason) as caught:
        read_graph(text)
    assert caught.value.line == line and "\n" not in str(caught.value)


# --- the file -----------------------------------------------------------------------------------------


def test_questions_are_found_in_any_spelling_and_may_share_a_graph(tmp_path: Path) -> None:
    path = tmp_path / "some.amr"
    path.write_text(
        "# AMR release; made by hand\n\n# ::id 1 ::date 2024\n# ::snt Who wrote Émile?\n# ::snt Émile is by whom?\n"
        f"(w / write-01 :ARG0 (a / amr-unknown))\n# ::snt Who wrote Émile?\n(x / other)\n{PROMISED}",
        encoding="utf-8",
    )
    source = AmrFile.open(path)
    assert len(source) == 3 and "the boy PROMISED to go" in source
    first = source.graph(Question("who wrote emile"))
    assert first == source.graph(Question("émile is by whom")) and first.texts[0] == "write"
    assert source.graph(Question("x", asked="who wrote [Émile]?")) == first
    with pytest.raises(MethodError, match=r"no AMR of 'who\?'.*::snt who\?.*--amr parser"):
        source.graph(Question("who?"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no AMR in it"),
        (b"# ::snt a\n\n# ::snt b\n", "some.amr:3: no graph"),
        (b"\n(a / act-01)\n", "some.amr:2: a graph without a question"),
        (b"# ::snt \xff", "not UTF-8"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "some.amr"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=re.escape(reason)):
        AmrFile.open(path)
    for given, reason in ((None, "needs the questions' AMRs: --amr FILE"), (str(path), "--amr-model FOLDER")):
        with pytest.raises(UsageError, match=reason):
            AmrRank.open(given, None, ENCODER)
    with pytest.raises(UsageError, match="no such file"):
        open_source(str(tmp_path / "none.amr"))


def test_a_broken_graph_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "some.amr"
    path.write_text(f"{PROMISED}\n# ::snt what?\n(a / act-01\n   :ARG0 (b / boy\n", encoding="utf-8")
    source = AmrFile.open(path)
    assert source.graph(Question("The boy promised to go."))
    with pytest.raises(MethodError, match=r"some\.amr:7: broken AMR: "):
        source.graph(Question("what?"))


@pytest.mark.skipif(importlib.util.find_spec("amrlib") is not None, reason="amrlib is installed")
def test_without_a_parser_it_says_what_to_install() -> None:
    with pytest.raises(ModelError, match=r"pip install amrlib.*--amr FILE"):
        open_source(PARSER).graph(Question("who?"))


def test_every_written_question_has_a_graph_and_a_relation_of_the_demo_pack() -> None:
    from kgask.corpus.amr_questions import read_gold

    source = AmrFile.open(FIXTURES / "questions.amr")
    with Pack.open(config.shipped_root("pack") / "demo") as pack:
        gold = read_gold(FIXTURES / "questions.tsv", pack)
    assert gold.n_unknown == 0 and len(gold.questions) == len(source) >= 100
    assert len({question.relation for question in gold.questions}) >= 60
    for question in gold.questions:
        graph = source.graph(Question(question.text)).about(question.mention)
        assert UNKNOWN in graph.kinds or "interrogative" in graph.texts, question.text
        assert sum(kind == TOPIC for kind in graph.kinds) == (question.mention != "Pirates"), question.text


# --- a trained model ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(films_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ranker that has learnt all of the films' questions."""
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from kgask.train.amr.loop import AmrConfig
    from kgask.train.amr.train import AmrJob, finish, prepare

    folder = tmp_path_factory.mktemp("amr")
    job = AmrJob(FIXTURES / "films.amr", FIXTURES / "films.tsv", films_path, ENCODER)
    settings = AmrConfig(steps=60, width=32, n_others=0, held_out=0.05, save_every=60)
    trainer, n_unknown = prepare(job, settings, folder / "work")
    trainer.run()
    finish(trainer, job, folder / "ranker")
    return folder / "ranker"


@pytest.fixture(scope="module")
def method(trained: Path) -> AmrRank:
    return AmrRank.open(str(FIXTURES / "films.amr"), trained, ENCODER)


@pytest.fixture(scope="module")
def films(films_path: Path) -> Iterator[Pack]:
    with Pack.open(films_path) as pack:
        yield pack


def seed(pack: Pack, label: str) -> Seed:
    entity = pack.exact([normalise(label)])[normalise(label)][0].entity
    return Seed(entity, (0, len(label)), 1.0, label, label)


@pytest.mark.slow
def test_the_asked_relation_comes_first(method: AmrRank, films: Pack) -> None:
    for text, topic, ends in (
        ("where was Ann Ray born?", "Ann Ray", {"Limerick"}),
        ("Which films did Carl Moss direct?", "Carl Moss", {"North Road", "Paper Moonrise"}),
        ("who starred in the long wait", "The Long Wait", {"Bob Stone", "Dora Quill"}),
    ):
        found = method.find(Question(text), [seed(films, topic)], films, Scope(len(ends)))
        assert set(films.labels(walked_ends(found.triples, films)[2].tolist())) == ends
        scores = [triple.score for triple in found.triples]
        assert scores == sorted(scores, reverse=True) and all(0.0 < score < 1.0 for score in scores)
        assert len(set(scores)) == 1 and found.truncated == (topic != "Carl Moss")  # who has no other triples


@pytest.mark.slow
def test_all_entities_are_ranked_together(method: AmrRank, films: Pack) -> None:
    seeds = [seed(films, "Bob Stone"), seed(films, "Ann Ray")]
    found = method.find(Question("Who is Ann Ray married to?"), seeds, films, Scope(50))
    assert {seeds[0].entity, seeds[1].entity} == set(walked_ends(found.triples, films)[0].tolist())
    assert len({triple.triple for triple in found.triples}) == len(found.triples) and not found.truncated
    scores = [triple.score for triple in found.triples]
    assert scores == sorted(scores, reverse=True) and not found.ways
    alone = method.find(Question("Who is Ann Ray married to?"), seeds[1:], films, Scope(50))
    assert films.labels(walked_ends(alone.triples[:1], films)[2].tolist()) == ["Bob Stone"]
    assert alone.triples[0] in found.triples


@pytest.mark.slow
def test_a_question_without_an_amr_is_not_answered(method: AmrRank, films: Pack) -> None:
    with pytest.raises(MethodError, match="add one under a line"):
        method.find(Question("who?"), [seed(films, "Ann Ray")], films, Scope())


@pytest.mark.slow
def test_answers_are_proved(method: AmrRank, films_path: Path) -> None:
    asked = ["Who directed Harbour Lights?", "Where was Ann Ray born?", "When did North Road come out?"]
    with Pipeline.open(str(films_path), reader=None) as pipeline:
        pipeline.retriever = method
        answers = [pipeline.ask(text) for text in asked]
    assert [answer.text for answer in answers] == ["Ann Ray", "Limerick", "1999"]
    with Witness(films_path) as witness:
        for answer in answers:
            assert answer.method == "amr" and not witness.faults(answer), witness.faults(answer)


@pytest.mark.slow
def test_a_hub_is_cut_to_the_likeliest_relations(method: AmrRank, films: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgask.methods.amr.MOST_PAIRS", 1)
    found = method.find(Question("Where was Ann Ray born?"), [seed(films, "Ann Ray")], films, Scope(9))
    assert films.labels(walked_ends(found.triples, films)[2].tolist()) == ["Limerick"]


@pytest.mark.slow
def test_folders_that_do_not_fit(trained: Path, tmp_path: Path) -> None:
    encoder = TextEncoder.load(ENCODER)
    with pytest.raises(ModelError, match="kgask train amr"):
        AmrModel.load(ENCODER, encoder)
    with pytest.raises(ModelError, match="cannot be read"):
        AmrCard.load(tmp_path)
    folder = Path(shutil.copytree(trained, tmp_path / "copy"))
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    for change, reason in (({"encoder": "0" * 64}, "another encoder"), ({"format_version": 9}, "newer kgask")):
        write_card(folder, card | change)
        with pytest.raises(ModelError, match=reason):
            AmrModel.load(folder, encoder)
    write_card(folder, card)
    graph = folder / "ranker.onnx"
    graph.write_bytes(b"x" * graph.stat().st_size)
    with pytest.raises(ModelError, match="is damaged"):
        AmrModel.load(folder, encoder)


@pytest.mark.slow
def test_ranking_imports_no_torch(trained: Path, films_path: Path) -> None:
    parts = str(FIXTURES / "films.amr"), str(trained), str(ENCODER)
    script = (
        "import sys\nfrom pathlib import Path\nfrom kgask.methods.amr import AmrRank\n"
        "from kgask.answer.pipeline import Pipeline\n"
        f"amr, ranker, encoder = {parts!r}\n"
        f"with Pipeline.open({str(films_path)!r}, reader=None) as kg:\n"
        "    kg.retriever = AmrRank.open(amr, Path(ranker), Path(encoder))\n"
        "    assert kg.ask('Where was Ann Ray born?').text == 'Limerick'\n"
        "assert not {'torch', 'transformers', 'amrlib'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
