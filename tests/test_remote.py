"""A real SPARQL server as a pack: what is asked over it is answered as over the pack that it serves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sparql_server import answering, as_rdf, sends, served

import kgask
from kgask.answer.derived import derived
from kgask.answer.result import PART_ONLY, Answer
from kgask.errors import EXIT_REMOTE, BuildError, PackError, RemoteError
from kgask.pack.check import check_pack
from kgask.pack.store import Pack
from kgask.query.growing import holds_of_a_part
from kgask.query.text import parse
from kgask.remote.connect import Wish, connect
from kgask.remote.connected import MOST_REQUESTS, ConnectedPack
from kgask.remote.endpoint import Limits
from kgask.remote.folder import open_pack
from kgask.retrieve.follow import all_edges, edges_with, neighbours, relations_of
from kgask.retrieve.frontier import having

QUESTIONS = (
    "who directed Stone Garden?",
    "Which films did Ann Ray direct?",
    "who is in the cast of the films directed by Ann Ray?",
    "when was The Long Wait published?",
    "Who is the spouse of the director of Harbour Lights?",
    "where was the director of Stone Garden born?",
    "how many films did Carl Moss direct?",
    "which film directed by Ann Ray is the newest?",
    "who directed Stone Gardn?",
    "who painted Guernica?",
)
QUERIES = (
    "count(having(<director>))",
    "follow(<Ann Ray>, ^<director>)",
    'where(follow(<Ann Ray>, ^<director>), value(<publication year>) < 2000)',
    "values(<North Road>, <publication year>)",
    "and(follow(<Bob Stone>, ^<cast member>), follow(<Ann Ray>, ^<director>))",
    "holds(<Stone Garden>, <director>, <Carl Moss>)",
)  # fmt: skip
TURTLE = """
@prefix : <http://x.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:directedBy rdfs:label "directed by"@en . :released rdfs:label "released"@en . :length rdfs:label "length"@en .
:inception a :Film ; rdfs:label "Inception"@en, "Origin"@de ; :directedBy :nolan ; :released "2010-07-16"^^xsd:date .
:dunkirk a :Film ; rdfs:label "Dunkirk"@en ; :directedBy :nolan ; :length 106 ; :released "2017"^^xsd:gYear .
:nolan a :Person ; rdfs:label "Christopher Nolan"@en ; :directedBy [ :length 1 ] .
:bad a :Film ; rdfs:label "Bad\\u001B[31m\\r\\nFilm"@en ; :directedBy :evil .
:evil a :Person ; rdfs:label "E\\u0000vil"@en, "\\u202EEvil"@en .
"""


@pytest.fixture(scope="module")
def films_url(films_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    with served(as_rdf(films_path, folder / "films.nt"), folder) as url:
        yield url


@pytest.fixture(scope="module")
def connected(films_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("connected") / "films"
    connect(Wish(films_url, target), lambda *_: None)
    return target


@pytest.fixture(scope="module")
def turtle_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("turtle")
    (folder / "data.ttl").write_text(TURTLE)
    with served(folder / "data.ttl", folder) as url:
        yield url


def told(answer: Answer) -> tuple[object, ...]:
    support = {(one.subject, one.relation, one.object) for one in answer.support}
    return answer.text, [one.key for one in answer.entities], support, answer.reason, answer.kind, answer.sparql


@pytest.mark.slow
def test_the_same_answers_as_over_the_pack(films_path: Path, connected: Path) -> None:
    # What the judge's word counts depends on how large a graph is, and one elsewhere may be of any size.
    with kgask.open(str(films_path), reader=None, judge=None, settings={}) as here:
        expected = [told(here.ask(question, query=True)) for question in QUESTIONS]
    assert sum(one[0] is not None for one in expected) >= 6
    for question, one in zip(QUESTIONS, expected, strict=True):
        with kgask.open(
            str(connected), reader=None, judge=None, settings={}
        ) as there:  # nothing is known from an earlier question
            answer = there.ask(question, query=True)
        assert told(answer) == one, question
        assert answer.source is not None and answer.source["complete"]
        assert answer.source["requests"] <= MOST_REQUESTS


def test_neighbours_are_those_of_the_pack_and_nothing_has_none(films_path: Path, connected: Path) -> None:
    with Pack.open(films_path) as here, ConnectedPack.open(connected, connected=True) as there:
        (ann,) = (hit.entity for hit in here.exact(["ann ray"])["ann ray"])
        (ann_there,) = (hit.entity for hit in there.exact(["ann ray"])["ann ray"])
        expected = here.labels(sorted(neighbours(here, [ann], True)))
        assert expected and sorted(there.labels(neighbours(there, [ann_there], True))) == sorted(expected)
        assert neighbours(there, [], True) == neighbours(here, [], True) == set()


def test_several_questions_are_fetched_for_together(films_path: Path, connected: Path) -> None:
    with kgask.open(str(films_path), reader=None, judge=None, settings={}) as here:
        expected = list(map(told, here.ask_many(QUESTIONS)))
    with kgask.open(str(connected), reader=None, judge=None, settings={}) as there:
        assert list(map(told, there.ask_many(QUESTIONS))) == expected
        assert isinstance(there.pack, ConnectedPack)
        assert there.pack.endpoint.n_requests <= MOST_REQUESTS
        assert there.verify("Ann Ray directed North Road").verdict != "supported"
        assert there.verify("Ann Ray directed Stone Garden").verdict == "supported"


@pytest.mark.parametrize("text", QUERIES)
def test_queries_come_to_the_same(text: str, films_path: Path, connected: Path) -> None:
    with Pack.open(films_path) as here, open_pack(connected) as there:
        expected = derived(parse(text, here), here).to_dict()
        found = there.complete(lambda: derived(parse(text, there), there).to_dict())
        for name in ("answer", "kind", "value"):
            assert found.get(name) == expected.get(name)


def test_what_is_read_alone_is_fetched_then(films_path: Path, connected: Path) -> None:
    with Pack.open(films_path) as here, open_pack(connected) as there:
        for entity in range(here.n_entities - here.n_literals):
            key = here.keys([entity])[0]
            other = there.find_key(key)
            assert other is not None and there.labels([other]) == here.labels([entity])
            assert there.degree([other]).tolist() == here.degree([entity]).tolist()
            ids = np.array([entity]), np.array([other])
            assert (relations_of(here, ids[0]) == relations_of(there, ids[1])).all()
            for inverse in (False, True):
                ends = [
                    sorted(g.keys(all_edges(g, i, inverse).targets)) for g, i in zip((here, there), ids, strict=True)
                ]
                assert ends[0] == ends[1]
        for relation in range(2 * here.n_relations):
            assert sorted(there.keys(having(there, relation))) == sorted(here.keys(having(here, relation)))
            assert here.relation_labels() == there.relation_labels()
        everything = np.arange(here.n_entities)
        assert len(edges_with(here, everything, np.arange(here.n_relations))) == here.n_triples


@pytest.mark.slow
def test_rdf_of_others(turtle_url: str, tmp_path: Path) -> None:
    """Typed literals, languages, blank nodes, and labels that a terminal must not see."""
    found = connect(Wish(turtle_url, tmp_path / "x", languages=("en", "de")), lambda *_: None)
    assert check_pack(tmp_path / "x") == [] and found.n_names == 5
    with kgask.open(str(tmp_path / "x"), reader=None, settings={}) as kg:
        for question, text in (
            ("who directed Inception?", "Christopher Nolan"),
            ("when was Inception released?", "2010-07-16"),
            ("what is the length of Dunkirk?", "106"),
        ):
            answer = kg.ask(question)
            assert answer.text == text or (answer.value or {}).get("low") == text, (question, answer)
        answer = kg.ask("which films did Christopher Nolan direct?")
        assert {one.key for one in answer.entities} == {"http://x.org/inception", "http://x.org/dunkirk"}
        evil = kg.ask("who directed it?", entity="http://x.org/bad")
        assert "\0" not in str(evil.to_dict()) and [one.key for one in evil.entities] == ["http://x.org/evil"]
    done = run("-p", str(tmp_path / "x"), "--entity", "http://x.org/evil", "which film was directed by this one?")
    assert done.stdout.strip("\n").isprintable() and "\x1b" not in done.stderr


def test_what_has_no_name_in_the_folder_is_named_when_it_is_met(turtle_url: str, tmp_path: Path) -> None:
    wish = Wish(turtle_url, tmp_path / "x", classes=("http://x.org/Film",))
    assert connect(wish, lambda *_: None).n_names == 3
    with kgask.open(str(tmp_path / "x"), reader=None, settings={}) as kg:
        answer = kg.ask("who directed Inception?")
        assert answer.text == "Christopher Nolan"
        assert [one.key for one in answer.entities] == ["http://x.org/nolan"]
        (new,) = kg.pack.names.ids_of_keys(["http://x.org/released"])  # named there, and not in the folder
        assert kg.pack.labels([new]) == ["released"]
        assert kg.pack.keys([new]) == ["http://x.org/released"] and kg.pack.literals([new]) == [None]


def test_a_cut_answer_is_said(films_url: str, tmp_path: Path) -> None:
    connect(Wish(films_url, tmp_path / "x", limits=Limits(rows=100)), lambda *_: None)
    with open_pack(tmp_path / "x") as pack:
        assert isinstance(pack, ConnectedPack)
        pack.endpoint.limits = Limits(rows=2)
        _ = pack.complete(lambda: all_edges(pack, np.arange(5), False))
        assert pack.source["complete"] is False


@pytest.mark.slow
def test_what_a_part_does_not_tell_is_refused(films_url: str, tmp_path: Path) -> None:
    """A list may be a part of all that is so; a count, a superlative, a "no" of a part may be wrong."""
    connect(Wish(films_url, tmp_path / "x", limits=Limits(rows=100)), lambda *_: None)

    def asked(question: str) -> Answer:
        with kgask.open(str(tmp_path / "x"), reader=None, settings={}) as there:
            assert isinstance(there.pack, ConnectedPack)
            there.pack.endpoint.limits = Limits(rows=2)
            answer = there.ask(question)
        assert answer.source is not None and answer.source["complete"] is False
        return answer

    listed = asked("Which films did Ann Ray direct?")
    assert listed.text and any("only a part" in note for note in listed.notes)
    with kgask.open(str(tmp_path / "x"), reader=None, settings={}) as there:
        claim = "Carl Moss directed Stone Garden."
        assert there.verify(claim).verdict == "refuted"  # of the whole
        assert isinstance(there.pack, ConnectedPack)
        parts = []
        for rows in (1, 2, 4, 8):
            there.pack.forget()
            there.pack.endpoint.limits = Limits(rows=rows)
            parts.append(there.verify(claim))
            assert there.pack.source["complete"] is False
        assert {one.verdict for one in parts} == {"not enough information"}
        assert PART_ONLY in {one.reason for one in parts}
    for question in ("How many films did Ann Ray direct?", "which film directed by Ann Ray is the newest?"):
        counted = asked(question)
        assert counted.text is None and counted.reason


@pytest.mark.parametrize(
    ("text", "truth", "expected"),
    [
        ("follow(<Ann Ray>, ^<director>)", None, True),
        ("and(follow(<Bob Stone>, ^<cast member>), follow(<Ann Ray>, ^<director>))", None, True),
        ("values(<North Road>, <publication year>)", None, True),
        ("where(follow(<Ann Ray>, ^<director>), value(<publication year>) < 2000)", None, True),
        ("where(follow(<Ann Ray>, ^<director>), size(<cast member>) > 1)", None, True),
        ("where(follow(<Ann Ray>, ^<director>), size(<cast member>) < 3)", None, False),
        ("minus(follow(<Ann Ray>, ^<director>), follow(<Bob Stone>, ^<cast member>))", None, False),
        ("count(follow(<Ann Ray>, ^<director>))", None, False),
        ("best(follow(<Ann Ray>, ^<director>), value(<publication year>), most 1)", None, False),
        ("mean(values(<North Road>, <publication year>))", None, False),
        ("holds(<Stone Garden>, <director>, <Carl Moss>)", True, True),
        ("holds(<Stone Garden>, <director>, <Carl Moss>)", False, False),
        ("not(holds(<Stone Garden>, <director>, <Carl Moss>))", True, False),
    ],
)
def test_which_queries_a_part_of_a_graph_answers(
    text: str, truth: bool | None, expected: bool, films_path: Path
) -> None:
    with Pack.open(films_path) as pack:
        assert holds_of_a_part(parse(text, pack), truth) is expected


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    command = [sys.executable, "-m", "kgask", *arguments]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_the_command(films_url: str, tmp_path: Path) -> None:
    home = {"KGASK_HOME": str(tmp_path / "home")}
    made = run("pack", "connect", films_url, "-n", "wd", **home)
    assert made.returncode == 0 and f"connected to {films_url}" in made.stderr, made.stderr
    answer = json.loads(run("-p", "wd", "who directed Stone Garden?", "--json", **home).stdout)
    assert answer["answer"] == "Ann Ray" and answer["source"]["endpoint"] == films_url
    again = run("pack", "connect", films_url, "-n", "wd", **home)
    assert again.returncode == 1 and "--force" in again.stderr
    shown = run("pack", "show", "-p", "wd", "Stone Garden", **home)
    assert "Dora Quill" in shown.stdout
    offline = run("-p", "wd", "who directed Stone Garden?", KGASK_OFFLINE="1", **home)
    assert (offline.returncode, offline.stdout) == (EXIT_REMOTE, "") and "KGASK_OFFLINE" in offline.stderr
    for file in ([], [tmp_path / "wd.kgpack"]):
        refused = run("pack", "export", "wd", *map(str, file), **home)
        assert refused.returncode == 1 and "its triples are elsewhere" in refused.stderr


@pytest.mark.slow
def test_without_the_server_the_folder_is_known_and_a_question_is_one_line(connected: Path, tmp_path: Path) -> None:
    """What looks at the folder alone opens no connection."""
    with answering(sends(b"")) as url:
        pass  # nobody listens there now
    folder = tmp_path / "down"
    with pytest.raises(RemoteError, match="cannot be asked"):
        connect(Wish(url, folder), lambda *_: None)
    assert list(tmp_path.iterdir()) == []
    for arguments in (("info",), ("check",)):
        done = run("pack", *arguments, str(connected), KGASK_OFFLINE="1")
        assert done.returncode == 0 and "http://127.0.0.1" in done.stdout + done.stderr, done.stderr
    with pytest.raises(PackError, match="its triples are elsewhere"):
        Pack.open(connected)
    done = run("-p", str(connected), "who directed Stone Garden?", KGASK_OFFLINE="1")
    assert done.returncode == EXIT_REMOTE and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr


def test_a_folder_of_another_kind_is_not_replaced(films_url: str, tmp_path: Path) -> None:
    (tmp_path / "thesis").write_text("x")
    with pytest.raises(BuildError):
        connect(Wish(films_url, tmp_path, force=True), lambda *_: None)
    assert (tmp_path / "thesis").read_text() == "x"
