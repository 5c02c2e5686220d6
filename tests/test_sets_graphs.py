"""Loaders of question sets over Wikidata and DBpedia, and of PathQuestion: tiny files, and broken ones."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from test_sets_published import mintaka, one, write

from kgask.errors import UsageError
from kgask.sets import registry
from kgask.sets.bands import band_of_views
from kgask.sets.gold import GoldAnswer, GoldTopic

# --- Wikidata ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "kind", "expected"),
    [
        ({"answer": [{"name": "Q7", "label": "North Road"}]}, "generic", (GoldAnswer(("North Road",), "Q7"),)),
        ({"answer": [{"name": "Q7", "label": {"en": "North Road"}}]}, "generic", (GoldAnswer(("North Road",), "Q7"),)),
        ({"answer": [{"name": "Q7"}]}, "generic", (GoldAnswer((), "Q7"),)),
        ({"answer": [True]}, "yesno", (GoldAnswer(("yes",)),)),
        ({"answer": [56]}, "multihop", (GoldAnswer(("56",)),)),
        ({"answer": ["1947"]}, "ordinal", (GoldAnswer(("1947",)),)),
        ({"answer": [{"name": "Q7", "label": "x"}], "answerNum": 3}, "count", (GoldAnswer(("3",)),)),
        ({"answer": None, "mention": "The Hand"}, "difference", (GoldAnswer(("The Hand",)),)),
        ({"answer": None}, "difference", ()),
    ],
)
def test_mintaka_answers_are_entities_numbers_dates_or_words(
    tmp_path: Path, answer: dict[str, Any], kind: str, expected: tuple[GoldAnswer, ...]
) -> None:
    gold = one("mintaka", write(tmp_path / "mintaka_dev.json", mintaka(answer, kind)))
    assert gold.answers == expected and gold.kind == kind
    assert gold.topics == (GoldTopic("Ann Ray", "Q1"), GoldTopic("Moss", None))


def test_mintaka_names_the_broken_record(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", [{"id": "a", "question": "?"}])
    with pytest.raises(UsageError, match="m.json: record 1"):
        registry.load("mintaka", path)


LCQUAD2 = {
    "uid": 7, "question": "What is the capital?", "paraphrased_question": "Which city governs?",
    "NNQT_question": "{x}?",
    "sparql_wikidata": "select distinct ?obj where { wd:Q1 wdt:P36 ?obj . ?obj wdt:P31 wd:Q515 }", "answer": [],
    "subgraph": "simple question right", "template_index": 65, "sparql_dbpedia18": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("wordings", "text"),
    [({}, "What is the capital?"), ({"question": "n/a"}, "Which city governs?"),
     ({"question": None, "paraphrased_question": None}, "{x}?")],
)  # fmt: skip
def test_lcquad2_asks_the_wording_that_there_is(tmp_path: Path, wordings: dict[str, Any], text: str) -> None:
    gold = one("lcquad2", write(tmp_path / "test.json", [LCQUAD2 | wordings]))
    assert gold.text == text and gold.id == "7" and gold.answers == ()
    assert gold.topics == (GoldTopic("", "Q1"),) and gold.relations == ("P36",) and gold.hops == 1


def test_lcquad2_without_any_wording_is_an_error(tmp_path: Path) -> None:
    wordings = {"question": "n/a", "paraphrased_question": "", "NNQT_question": None}
    with pytest.raises(UsageError, match="record 1"):
        registry.load("lcquad2", write(tmp_path / "test.json", [LCQUAD2 | wordings]))


def test_popqa_has_bands_of_page_views(tmp_path: Path) -> None:
    columns = ["id", "subj", "prop", "obj", "s_uri", "o_uri", "s_pop", "question", "possible_answers"]
    table = io.StringIO()
    writer = csv.writer(table, delimiter="\t", lineterminator="\n")
    writer.writerow(columns)
    wiki = "http://www.wikidata.org/entity/"
    for number, views in enumerate(("250", "1000000", "")):
        writer.writerow([number, "Ann Ray", "occupation", "director", f"{wiki}Q1", f"{wiki}Q2", views,
                         "What is Ann Ray's occupation?", json.dumps(["director", 'film "boss"'])])  # fmt: skip
    found = registry.load("popqa", write(tmp_path / "popQA.tsv", table.getvalue()))
    assert [gold.band for gold in found] == ["III", "head", ""]
    assert found[0].answers == (GoldAnswer(("director", 'film "boss"'), "Q2"),)
    assert found[0].topics == (GoldTopic("Ann Ray", "Q1"),)
    assert found[0].triples == (("Q1", "occupation", "Q2"),)


@pytest.mark.parametrize(
    ("table", "match"),
    [
        ("subj\tprop\n", "no column 'obj'"),
        ("subj\tprop\tobj\tquestion\tpossible_answers\na\tb\n", ":2: 2 fields, 5 expected"),
        ("subj\tprop\tobj\tquestion\tpossible_answers\na\tb\tc\td\tno json\n", ":2: not as this set"),
        ("subj\tprop\tobj\tquestion\tpossible_answers\ts_pop\na\tb\tc\td\t[]\tnan\n", ":2: not as this set"),
    ],
)
def test_popqa_names_the_broken_line(tmp_path: Path, table: str, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        registry.load("popqa", write(tmp_path / "p.tsv", table))


def test_bands_begin_where_ltgen_says() -> None:
    views = [0, 9, 10, 99, 100, 999, 1_000, 9_999, 10_000, 99_999, 100_000]
    assert [band_of_views(n) for n in views] == [
        "below IV", "below IV", "IV", "IV", "III", "III", "II", "II", "I", "I", "head",
    ]  # fmt: skip


# --- DBpedia ----------------------------------------------------------------------------------

DBR, DBO = "http://dbpedia.org/resource/", "http://dbpedia.org/ontology/"


def test_lcquad1_reads_both_published_forms(tmp_path: Path) -> None:
    query = f"SELECT DISTINCT COUNT(?uri) WHERE {{ ?uri <{DBO}director> <{DBR}Ann_Ray> . }}"
    plain = {"_id": "ab", "corrected_question": "How many films?", "sparql_query": query, "sparql_template_id": 101}
    full = {"SerialNumber": "5", "question": "How many films?", "sparql_query": query,
            "entity mapping": [{"label": "Ray", "uri": f"{DBR}Ann_Ray", "seq": 1}]}  # fmt: skip
    first, second = registry.load("lcquad1", write(tmp_path / "train-data.json.gz", [plain, full]))
    assert first.topics == (GoldTopic("Ann Ray", f"{DBR}Ann_Ray"),)
    assert first.relations == (f"^{DBO}director",) and first.kind == "template 101" and first.id == "ab"
    assert second.topics == (GoldTopic("Ray", f"{DBR}Ann_Ray"),) and second.kind == "count" and second.id == "5"


def test_qald_asks_in_english_where_it_can(tmp_path: Path) -> None:
    bindings = [{"uri": {"type": "uri", "value": f"{DBR}North_Road"}}, {"n": {"type": "literal", "value": "7"}}]
    path = write(tmp_path / "qald.json", {"questions": [
        {"id": "1", "question": [{"language": "de", "string": "Was?"}, {"language": "en", "string": "What?"}],
         "query": {"sparql": f"SELECT ?x WHERE {{ <{DBR}Ann_Ray> <{DBO}film> ?x }}"},
         "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": bindings}}]},
        {"id": 2, "question": [{"language": "de", "string": "Ist es so?"}],
         "answers": [{"head": {}, "boolean": False}]},
        {"id": 3, "question": "Who?", "answers": [{"head": {}, "results": {}}]},
    ]})  # fmt: skip
    first, second, third = registry.load("qald", path)
    assert first.text == "What?" and first.relations == (f"{DBO}film",)
    assert first.answers == (GoldAnswer(("North Road",), f"{DBR}North_Road"), GoldAnswer(("7",)))
    assert second.text == "Ist es so?" and second.answers == (GoldAnswer(("no",)),)
    assert third.answers == () and third.id == "3"


@pytest.mark.parametrize("question", [[], [{"language": "en", "string": " "}], None])
def test_qald_names_a_record_without_wording(tmp_path: Path, question: Any) -> None:
    path = write(tmp_path / "q.json", {"questions": [{"id": 1, "question": question, "answers": []}]})
    with pytest.raises(UsageError, match="record 1"):
        registry.load("qald", path)


CLAIM = {"Label": [True], "Entity_set": ["Ann_Ray", "Limerick"], "types": ["written", "multi hop"],
         "Evidence": {"Ann_Ray": [["birthPlace", "~capital"]], "Limerick": [["country"]]}}  # fmt: skip


def test_factkg_is_read_from_a_json_export(tmp_path: Path) -> None:
    refuted = CLAIM | {"Label": [False], "types": ["negation", "num1"]}
    content = {"Ann Ray is from Limerick.": CLAIM, "She is not.": refuted}
    first, second = registry.load("factkg", write(tmp_path / "factkg_dev.json", content))
    assert first.text == "Ann Ray is from Limerick." and first.label is True and first.kind == "multi-hop"
    assert first.relations == ("birthPlace", "^capital", "country") and first.hops == 2
    assert first.topics[0] == GoldTopic("Ann Ray", "Ann_Ray")
    assert second.label is False and second.kind == "negation" and second.id == "factkg_dev:2"


@pytest.mark.parametrize("name", ["factkg_dev.pickle", "factkg_dev.json"])
def test_factkg_never_opens_a_pickle(tmp_path: Path, name: str) -> None:
    # Would make a folder if it were loaded: os.mkdir called by the pickle machine.
    folder = str(tmp_path / "made").encode()
    bomb = b"\x80\x03cos\nmkdir\nX" + len(folder).to_bytes(4, "little") + folder + b"\x85R."
    path = tmp_path / name
    path.write_bytes(bomb)
    with pytest.raises(UsageError, match="a pickle can run code"):
        registry.load("factkg", path)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("about", [{}, CLAIM | {"Label": ["yes"]}, CLAIM | {"Label": []}, []])
def test_factkg_names_the_broken_claim(tmp_path: Path, about: Any) -> None:
    with pytest.raises(UsageError, match="claim 1"):
        registry.load("factkg", write(tmp_path / "f.json", {"x": about}))


# --- PathQuestion -----------------------------------------------------------------------------


def test_path_question_gives_path_and_triples(tmp_path: Path) -> None:
    line = "who is ann_ray 's child 's spouse ?\tbob_(actor)(bob_(actor)/dora/)\tann_ray#child#eve#spouse#bob_(actor)"
    first, second = registry.load("pathquestion", write(tmp_path / "PQ-2H.txt", f"{line}#<end>#bob_(actor)\n{line}\n"))
    assert first.text == "who is ann ray's child's spouse?"
    assert first.answers == (GoldAnswer(("bob (actor)",), "bob_(actor)"), GoldAnswer(("dora",), "dora"))
    assert first.triples == (("ann_ray", "child", "eve"), ("eve", "spouse", "bob_(actor)"))
    assert first.relations == ("child", "spouse") and first.hops == 2 and first.topics[0].key == "ann_ray"
    assert second.triples == first.triples and second.id == "PQ-2H:2"


@pytest.mark.parametrize("line", ["who?\ta(a/)", "who?\ta(a/)\ta#b", "who?\ta(a/)\ta#b#c#d"])
def test_path_question_names_the_broken_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(UsageError, match="PQ.txt:1: expected"):
        registry.load("pathquestion", write(tmp_path / "PQ.txt", line + "\n"))
