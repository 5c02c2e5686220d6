"""Published claims and conversations, from tiny files in their published forms: packs, golds, and what does not fit."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from forked_cli import kgask

import kgask as api
from kgask.errors import UsageError
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run
from kgask.sets import factbench, infotabs, kgconv
from kgask.sets.packs import build_pack
from kgask.sets.wikidata import PROPERTIES
from kgask.verify.verifier import Verifier, VerifyOptions

FACTS = [
    "label\tcorruption\trelation\tsubject\tproperty\tobject\tfrom\tto\tsubject_uri\tobject_uri",
    "supported\t\tbirth\tAnn Ray\tbirthPlace\tTirion\t1946-07-06\t1946-07-06\tx\tx",
    "supported\t\tleader\tBo Lund\toffice\tArda\t2001\t2006\tx\tx",
    "refuted\tdate\tleader\tBo Lund\toffice\tArda\t1990\t1994\tx\tx",
    "refuted\trange\tbirth\tAnn Ray\tbirthPlace\tKor\t1946\t1946\tx\tx",
    "refuted\tdomain\tbirth\tTirion\tbirthPlace\tKor\t1946\t1946\tx\tx",
]
TABLES = [
    "T1\tMovie\tThe Harbour\tDirected by\tAnn Ray",
    "T1\tMovie\tThe Harbour\tReleased\tOctober 10, 2007",
    "T1\tMovie\tThe Harbour\tSeats\t1,200",
    "T2\tMovie\tThe Quay\tReleased\t4 March 1999 (1999-03-04)",
    "T2\tMovie\tThe Quay\tSeats\t90",
]
TALK = {
    "id": "food/1",
    "turns": [
        {"triple": ["Q1", "P495", "Q2"], "labels": ["Brouwers", "country of origin", "Arda"], "answer": "Arda",
         "standalone": ["Where is Brouwers from?"], "in_context": []},
        {"triple": ["Q2", "-P1376", "Q3"], "labels": ["Arda", None, "Tirion"], "answer": "Tirion",
         "standalone": ["What is the capital of Arda?"],
         "in_context": [{"question": "What is its capital?", "subject_ref": "its"}]},
        {"triple": ["Q1", "P495", "Q2"], "labels": ["Brouwers", "country of origin", "Arda"], "answer": "Arda",
         "standalone": ["Brouwers comes from where?"],
         "in_context": [{"question": "Where does Brouwers come from?", "subject_ref": "Brouwers"}]},
    ],
}  # fmt: skip


def put(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line}\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def prepared(name: str, data: Path, target: Path) -> Pack:
    build_pack(name, data, target, lambda _: None)
    return Pack.open(target)


def answers(pack: Pack, query: str) -> list[str]:
    return sorted(pack.labels(run(parse(query, pack), pack).certain))


def test_factbench_is_a_pack_of_what_is_true_and_as_many_claims_that_are_not(tmp_path: Path) -> None:
    path = put(tmp_path / factbench.FACTS, FACTS)
    with prepared("factbench", tmp_path, tmp_path / "pack") as pack:
        led = "qualified(follow(<Bo Lund>, <office>), <start time> in date(2001))"
        assert answers(pack, led) == ["Arda"] and answers(pack, led.replace("2001", "1990")) == []
        assert answers(pack, "qualified(follow(<Ann Ray>, <birthPlace>), <point in time> in date(1946))") == ["Tirion"]
    claims = factbench.claims(path)
    assert [(one.kind, one.verdict) for one in claims] == [
        ("true", "supported"), ("true", "supported"), ("date", "refuted"), ("range", "refuted"),
    ]  # fmt: skip
    assert all("Ann Ray" in one.text or "Bo Lund" in one.text for one in claims)
    assert "from 1990 to 1994" in claims[2].text and "in 1946" in claims[3].text
    assert factbench.claims(path) == claims  # wordings are drawn by the facts themselves


def test_a_period_is_claimed_from_its_first_to_its_last_year(tmp_path: Path) -> None:
    put(tmp_path / factbench.FACTS, FACTS)
    prepared("factbench", tmp_path, tmp_path / "pack").close()
    with api.open(str(tmp_path / "pack"), reader=None) as kg:
        verifier = Verifier(kg, VerifyOptions(engine="rigel"))
        both = [verifier.verify(f"Bo Lund led Arda from {years}.") for years in ("2001 to 2006", "2000 to 2006")]
        undated = verifier.verify("Ann Ray was born in Tirion since 1990.")
    assert [one.verdict for one in both] == ["supported", "refuted"] and undated.verdict != "supported"
    assert all(str(one.query).startswith("all(compare(") for one in both)


@pytest.mark.parametrize("line", ["supported\tshort", FACTS[1].replace("birthPlace", "colour"), "maybe" + FACTS[1][9:]])
def test_what_is_no_fact_of_factbench(tmp_path: Path, line: str) -> None:
    with pytest.raises(UsageError, match=r"facts\.tsv:2"):
        factbench.claims(put(tmp_path / "facts.tsv", [FACTS[0], line]))


def test_infoboxes_are_entities_with_dates_and_numbers(tmp_path: Path) -> None:
    put(tmp_path / infotabs.TABLES, TABLES)
    with prepared("infotabs", tmp_path, tmp_path / "pack") as pack:
        assert answers(pack, "where(class(<class/Movie>), value(<Released>) < date(2000))") == ["The Quay"]
        assert answers(pack, "where(class(<class/Movie>), value(<Seats>) > 1000)") == ["The Harbour"]
        assert answers(pack, "follow(<T1|The Harbour>, <Directed by>)") == ["Ann Ray"]


def test_claims_about_infoboxes(tmp_path: Path) -> None:
    row = {"table": "T1", "claim": "The Harbour has 1,200 seats.", "verdict": "supported"}
    ((table, claim),) = infotabs.claims(put(tmp_path / "c.jsonl", [json.dumps(row)]))
    assert (table, claim.text, claim.verdict) == ("T1", row["claim"], "supported")
    with pytest.raises(UsageError, match=r"c\.jsonl:1"):
        list(infotabs.claims(put(tmp_path / "c.jsonl", [json.dumps(row | {"verdict": "perhaps"})])))


def test_kgconv_turns_and_their_facts(tmp_path: Path) -> None:
    put(tmp_path / PROPERTIES, [json.dumps({"P1376": "capital of", "P495": "country of origin"})])
    path = put(tmp_path / kgconv.CONVERSATIONS, [json.dumps(TALK)])
    with prepared("kgconv", tmp_path, tmp_path / "pack") as pack:
        assert answers(pack, "follow(<Q2|Arda>, ^<P1376|capital of>)") == ["Tirion"]
        assert {one.label for one in pack.relations()} == {"capital of", "country of origin"}
    talks: list[list[Any]] = []
    for number in range(1, 9):
        talks += kgconv.conversations(put(path, [json.dumps(TALK | {"id": f"food/{number}"})]))
    assert 0 < len(talks) < 8  # every second one, by its id
    first, second, third = talks[0]
    assert (first.kind, second.kind, third.kind) == ("first", "pronoun", "named")
    assert second.text == "What is its capital?" and second.golds == ("follow(<Q2>, ^<P1376>)",)


def test_turns_written_out_are_compared_with_what_people_wrote(tmp_path: Path) -> None:
    rows = [
        {"history": ["Who wrote Emma?", "Jane Austen"], "question": "When was she born?", "rewrite": "x",
         "more_rewrites": ["When was Jane Austen born?"]},
        {"history": [], "question": "Who directed Jaws?", "rewrite": "Who directed Jaws?"},
    ]  # fmt: skip
    path = put(tmp_path / "pairs.jsonl", [json.dumps(row) for row in rows])
    found = kgask("eval", "run", "rewriting", str(path), "--no-reader", "--json", "-o", str(tmp_path / "out.jsonl"))
    assert json.loads(found.stdout) == {"turns": 2, "changed": 1, "token_f1": 1.0, "token_f1_as_it_stands": 0.8333}
    kept = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [one["understood"] for one in kept] == ["When was Jane Austen born?", "Who directed Jaws?"]
    broken = kgask("eval", "run", "rewriting", str(put(tmp_path / "b.jsonl", ['{"question": 1}'])), "--no-reader")
    assert broken.returncode == 2 and "b.jsonl:1" in broken.stderr
