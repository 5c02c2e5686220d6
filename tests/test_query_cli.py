"""``kgask query`` on the shipped pack: lists, numbers, truths, what is unsure, and bad input."""

from __future__ import annotations

import json
import re

import pytest
from forked_cli import kgask

COUNTRIES = "and(class(<class-country|country>), follow(<Q15|Africa>, ^<P30|continent>))"
PLACES = "follow(<Q15|Africa>, ^<P30|continent>)"  # rivers and lakes too: not all have an area
ASKED = {
    f"best({COUNTRIES}, value(<P2046|area>), most 1)": "Algeria\n",
    f"count({COUNTRIES})": "54\n",
    f"sum(values({COUNTRIES}, <P2046>))": "30049078\n",
    "compare(values(<Q114|Kenya>, <P2046>) > values(<Q38|Italy>, <P2046>))": "yes\n",
    "holds(<Q17|Japan>, <P36|capital>, <Q35765|Osaka>)": "no\n",
    "age(values(<Q36322|Jane Austen>, <P569>), values(<Q36322>, <P570>))": "41 or 42\n",
    "values(<Q36322|Jane Austen>, <P569>)": "1775\n",
}


@pytest.mark.parametrize("query", ASKED)
def test_the_answer_and_nothing_else_is_on_stdout(query: str) -> None:
    done = kgask("query", query)
    assert (done.returncode, done.stdout) == (0, ASKED[query])


def test_missing_values_are_said() -> None:
    done = kgask("query", f"best({PLACES}, value(<P2046>), most 1)")
    said = re.fullmatch(r"kgask: among (\d+) of (\d+) with a known area\n", done.stderr)
    assert said and int(said[1]) < int(said[2]) == int(kgask("query", f"count({PLACES})").stdout)


def test_a_number_stands_bare_and_json_has_its_unit() -> None:
    found = json.loads(kgask("query", "-j", f"sum(values({COUNTRIES}, <P2046>))").stdout)
    assert (found["answer"], found["kind"]) == ("30049078", "value")
    assert found["value"] == {"kind": "number", "low": 30049078.0, "high": 30049078.0, "unit": "km²"}
    assert found["notes"] == []
    rivers_too = json.loads(kgask("query", "-j", f"sum(values({PLACES}, <P2046>))").stdout)
    assert rivers_too["notes"][0].endswith("with a known area")  # a sum of what is known


def test_what_is_not_known_is_no_answer() -> None:
    done = kgask("query", f"where({COUNTRIES}, value(<P2046>) > 1[kg])")
    assert (done.returncode, done.stdout) == (3, "")
    assert "54 more may belong" in done.stderr and "no answer: the graph does not decide" in done.stderr
    undecided = kgask("query", "compare(date(1817) < values(<Q36322>, <P570>))")
    assert undecided.stderr == (
        "kgask: no answer: the graph does not decide whether 1817 is before the date of death of Jane Austen\n"
    )


def test_json_has_the_derivation_and_its_triples() -> None:
    found = json.loads(kgask("query", "-j", f"best({COUNTRIES}, value(<P2046>), most 1)").stdout)
    assert found["answer"] == "Algeria" and found["kind"] == "set"
    assert {"subject": "Algeria", "relation": "area", "object": "2381741 km²"}.items() <= found["support"][-1].items()
    best = found["derivation"]
    assert (best["operator"], best["words"], best["n"]) == ("best", "the largest by area", 1)
    assert (best["known"], best["of"]) == (54, 54)
    rows = [(row["of"], row["value"]) for row in best["values"]]
    assert rows[:2] == [("Algeria", "2381741 km²"), ("Democratic Republic of the Congo", "2344858 km²")]
    assert best["values"][0]["triples"] == [found["support"][-1]["id"]]
    assert (best["parts"][0]["words"], best["parts"][0]["n"]) == ("countries whose continent is Africa", 54)
    assert found["sparql"].count("SELECT") >= 1
    again = json.loads(kgask("query", "-j", found["query"]).stdout)
    assert again["query"] == found["query"] and again["answer"] == found["answer"]


def test_explain_shows_steps_and_facts_on_stderr() -> None:
    done = kgask("query", "-e", "holds(<Q17>, <P36>, <Q35765>)")
    assert done.stdout == "no\n"
    assert "# derivation\nwhether Osaka is the capital of Japan: no\n" in done.stderr
    assert "Japan\tcapital\tTokyo" in done.stderr


def test_stdin_and_sparql() -> None:
    query = f"count({COUNTRIES})"
    assert kgask("query", stdin=query).stdout == "54\n"
    shown = kgask("query", "--sparql", query)
    assert shown.returncode == 0 and "COUNT(DISTINCT" in shown.stdout.replace(" ", "")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["foo"], 2, "expected a query"),
        (["count(<Q15>"], 2, "expected ')'"),
        (["follow(<nobody>, <P30>)"], 2, "kgask pack search"),
        (["follow(<Q15>, <nothing>)"], 2, "no relation with the key nothing"),
        (["count(3)"], 2, "takes a set"),
        (["-p", "nowhere", "count(<Q15>)"], 1, "nowhere"),
        (["--seconds", "1e-9", "class(<Q5>)"], 2, "no entity"),
        (["--seconds", "1e-9", f"count({COUNTRIES})"], 1, "was stopped after"),
    ],
)
def test_bad_input_is_one_line(words: list[str], code: int, says: str) -> None:
    done = kgask("query", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr and done.stderr.count("\n") == 1
