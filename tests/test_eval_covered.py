"""Which questions a pack can answer, by its triples alone: each kind of question, and what leaves it uncovered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgask.build.writer import PackBuilder
from kgask.cli.eval import evaluate
from kgask.eval.covered import covered
from kgask.pack.literals import parse_literal
from kgask.pack.store import Pack
from kgask.sets import registry
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic

LABELS = {
    "Q1": "Norland", "Q2": "Sudland", "Q3": "Westland", "Q10": "North Sea", "Q20": "Ann Ray", "Q21": "Bo Low",
    "Q22": "Cy Moss", "Q30": "Long Way", "Q31": "Short Way", "Q32": "Third Way", "Q40": "country", "Q50": "Moss Prize",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    builder = PackBuilder()
    for country, area, population in (("Q1", 30, 9), ("Q2", 20, 8), ("Q3", 10, 7)):
        builder.add(country, "P31", "Q40")
        builder.add(country, "P2046", parse_literal("number", str(area), "km²"))
        builder.add(country, "P1082", parse_literal("number", str(population)))
        builder.add(country, "P206", "Q10")
    builder.add("Q1", "P47", "Q2")
    builder.add("Q1", "P47", "Q3")
    builder.add("Q2", "P47", "Q1")
    for film, actors, year in (("Q30", ("Q20", "Q21"), 1990), ("Q31", ("Q20", "Q22"), 1995), ("Q32", ("Q20",), 2001)):
        builder.add(film, "P577", parse_literal("date", f"{year}-05"))
        for actor in actors:
            builder.add(film, "P161", actor)
    for person, born in (("Q20", 1950), ("Q21", 1960)):
        builder.add(person, "P569", parse_literal("date", f"{born}-02-03"))
    builder.add("Q20", "P166", "Q50")
    builder.add("Q21", "P27", "Q1")
    builder.add("Q22", "P27", "Q2")
    for key, label in LABELS.items():
        builder.label(key, label)
    relations = {
        "P31": "instance of", "P2046": "area", "P1082": "population", "P206": "located next to body of water",
        "P47": "shares border with", "P577": "publication date", "P161": "cast member", "P569": "date of birth",
        "P166": "award received", "P27": "country of citizenship",
    }  # fmt: skip
    for key, label in relations.items():
        builder.relation(key, label)
    path = tmp_path_factory.mktemp("packs") / "world"
    builder.write(path)
    return path


@pytest.fixture(scope="module")
def pack(folder: Path) -> Iterator[Pack]:
    with Pack.open(folder) as opened:
        yield opened


def question(text: str, kind: str, topics: list[str], answers: list[str]) -> Gold:
    """Answers are keys, or what is no key as words."""
    golds = (GoldAnswer((), one) if one[0] == "Q" else GoldAnswer((one,)) for one in answers)
    return Gold("1", text, tuple(golds), tuple(GoldTopic(LABELS.get(key, "?"), key) for key in topics), kind=kind)


YES = [
    ("Who was in Third Way?", "generic", ["Q32"], ["Q20"]),
    ("In what year did Long Way come out?", "generic", ["Q30"], ["1990"]),
    ("What is the homeland of the man in Short Way?", "multihop", ["Q31"], ["Q2"]),
    ("Which film has both Ann and Cy?", "intersection", ["Q20", "Q22"], ["Q31"]),
    ("Which film of Ann Ray was released in 1995?", "intersection", ["Q20"], ["Q31"]),
    ("Which films of Ann Ray are without Bo Low?", "difference", ["Q20", "Q21"], ["Q31", "Q32"]),
    ("What is the largest country by area?", "superlative", ["Q40"], ["Q1"]),
    ("Which country has the most borders?", "superlative", ["Q40"], ["Q1"]),
    ("What is the second largest country by area?", "ordinal", ["Q40"], ["Q2"]),
    ("What was the last film of Ann Ray?", "ordinal", ["Q20"], ["Q32"]),
    ("Is Norland or Sudland larger?", "comparative", ["Q1", "Q2"], ["Q1"]),
    ("Who is older, Ann or Bo?", "comparative", ["Q20", "Q21"], ["Q20"]),
    ("How many borders has Norland?", "count", ["Q1"], ["2"]),
    ("How many countries lie at the North Sea?", "count", ["Q10"], ["3"]),
    ("Did Ann Ray win the Moss Prize?", "yesno", ["Q20", "Q50"], ["yes"]),
    ("Does Sudland border on Westland?", "yesno", ["Q2", "Q3"], ["no"]),
    ("Is Norland smaller than Sudland?", "yesno", ["Q1", "Q2"], ["no"]),
]
NO = [
    ("Who was the best of Long Way?", "generic", ["Q30"], ["Q99"]),  # the gold is not in the pack
    ("Who was in it?", "generic", ["Q98"], ["Q20"]),  # nor is the topic
    ("Which film was his best?", "generic", ["Q20"], ["Q31"]),  # one of three
    ("In what year did Long Way come out?", "generic", ["Q30"], ["1991"]),
    ("Which country is the warmest?", "superlative", ["Q40"], ["Q1"]),  # no value for it
    ("What is the third largest country by area?", "ordinal", ["Q40"], ["Q2"]),
    ("Who is older, Ann or Cy?", "comparative", ["Q20", "Q22"], ["Q20"]),  # one birthday is not known
    ("How many cats live in Norland?", "count", ["Q1"], ["2"]),
    ("Did Bo Low meet Cy Moss?", "yesno", ["Q21", "Q22"], ["no"]),
]


@pytest.mark.parametrize(("is_covered", "row"), [(True, row) for row in YES] + [(False, row) for row in NO])
def test_what_follows_from_triples_is_covered(
    pack: Pack, is_covered: bool, row: tuple[str, str, list[str], list[str]]
) -> None:
    assert bool(covered(pack, [question(*row)])) is is_covered


def test_the_covered_questions_are_written_and_counted(folder: Path, tmp_path: Path) -> None:
    rows = [{"id": str(at), "question": text, "kind": kind, "answers": [{"key": key} for key in keys],
             "topics": [{"key": key} for key in topics]}
            for at, (text, kind, topics, keys) in enumerate((YES[0], YES[6], NO[0]))]  # fmt: skip
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    out = tmp_path / "out.jsonl"
    done = CliRunner().invoke(evaluate, ["covered", "jsonl", str(path), "-p", str(folder), "-o", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["generic"] == {"covered": 1, "questions": 2}
    assert [gold.id for gold in registry.load("jsonl", out)] == ["0", "1"]
