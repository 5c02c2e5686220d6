"""People's questions over real tables of which only the answers are known (WikiTableQuestions), each table as a pack.

What kgask reads in a question is all at hand, run over the table. Of the queries that come to the answer the one that
the judge so far likes best is believed to be what was asked, the others may come to it by chance: hard expectation
maximisation, as in learning a parser from answers alone (Liang, Jordan and Klein 2011). Where no query comes to it, all
of them are wrong.
"""

from __future__ import annotations

import csv
import random
import re
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kgask.answer.choices import in_words
from kgask.answer.pipeline import Pipeline
from kgask.answer.readings import outcome_words, several
from kgask.answer.request import AskOptions
from kgask.build.recipe import Recipe, build
from kgask.corpus.golds import is_said, is_some
from kgask.corpus.judged import JudgedQuery, JudgedQuestion, without_doubles
from kgask.errors import KgaskError
from kgask.methods.protocol import Hypothesis
from kgask.methods.query_judge import Judged, QueryJudge
from kgask.pack.store import Pack
from kgask.sets.gold import Gold, GoldAnswer
from kgask.sets.wikitablequestions import TRAINING, Table, TableAnswer, answered, tables
from kgask.types import Question

SOURCE = "tables"
HELD_OUT = 8  # of so many tables, one is kept from training
ROWS, COLUMNS = range(4, 61), range(3, 13)
TYPED = 0.5  # share of the tables that say what a row is
BY_CHANCE = 3.0  # log-odds that the judge so far may give another query more than the one that comes to the answer
_APART, _LETTERS = 0.9, 0.6  # of the rows of the column that names them: shares of its own values, and with letters
_NOTHING = frozenset(("", "-", "–", "—", "n/a", "na", "none", "?", "tbd", "unknown"))
_TOGETHER = frozenset(("total", "totals", "average", "overall", "sum"))  # what a row of all the others is called
_PLAIN = re.compile(r"[a-z][a-z ]{2,30}")  # a column that can be called by its name
_NO_CLASS = frozenset(("name", "title", "notes", "note", "date", "year", "result", "score", "location", "type"))
# What only the order of the lines of a table tells, which no graph keeps.
_OF_LINES = re.compile(r"\b(next|previous(?:ly)?|listed|list|chart|table|row|column|above|below|consecutive\w*|page)\b")
_WORDS = re.compile(r"[^\W_]+")


def is_held_out(table: str) -> bool:
    """Whether a table, by its id, is kept from training."""
    return zlib.crc32(table.encode()) % HELD_OUT == 0


def by_table(
    data: Path, part: Path = TRAINING, held_out: bool | None = None
) -> Iterator[tuple[Table, list[TableAnswer]]]:
    """The tables of a part that make a graph, each with the questions that the order of lines is not in."""
    asked: dict[str, list[TableAnswer]] = defaultdict(list)
    for one in answered(data, part):
        if held_out in (None, is_held_out(one.table)) and not _OF_LINES.search(one.question.lower()):
            asked[one.table].append(one)
    known = tables(data)
    for name, questions in asked.items():
        table = known.get(name)
        if table is not None and len(table.rows) in ROWS and len(table.columns) in COLUMNS:
            yield table, questions


def packs_of(data: Path, held_out: bool, rng_seed: int) -> Iterator[tuple[Pack, list[TableAnswer]]]:
    """The tables of the training part as packs, open until the next is, with their questions."""
    rng = random.Random(rng_seed)
    with tempfile.TemporaryDirectory(prefix="kgask-") as folder:
        for number, (table, questions) in enumerate(by_table(data, held_out=held_out)):
            path = Path(folder) / str(number)
            if build_table(table, path, rng):
                with Pack.open(path) as pack:
                    yield pack, questions


def build_table(table: Table, folder: Path, rng: random.Random) -> bool:
    """The pack of a table: its rows by the first column that names them. False where no column does."""
    named_by = next((at for at in range(len(table.columns)) if _names_rows(table, at)), None)
    if named_by is None:
        return False
    file = folder.with_suffix(".csv")
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([("subject", "relation", "object"), *_triples(table, named_by, rng)])
    try:
        recipe = Recipe((str(file),), folder, columns=("subject", "relation", "object"), header=True, recognise=True)
        build(recipe, tell=lambda line: None)
    except KgaskError:  # a table of labels alone, or of one column twice
        return False
    return True


def _names_rows(table: Table, column: int) -> bool:
    cells = [row[column] for row in table.rows if row[column].lower() not in _NOTHING]
    lettered = sum(bool(re.search(r"[^\W\d_]{2}", cell)) for cell in cells)
    n = len(table.rows)
    return min(len(set(cells)) / _APART, lettered / _LETTERS) >= n and max(map(len, cells), default=0) < 80


def _triples(table: Table, named_by: int, rng: random.Random) -> Iterator[tuple[str, str, str]]:
    what = table.columns[named_by]
    is_typed = _PLAIN.fullmatch(what) is not None and what not in _NO_CLASS and rng.random() < TYPED
    for row in table.rows:
        if row[named_by].lower() in _NOTHING or any(cell.lower().strip(": ") in _TOGETHER for cell in row):
            continue
        if is_typed:
            yield row[named_by], "type", what
        for at, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            if at != named_by and column and cell.lower() not in _NOTHING:
                yield row[named_by], column, cell


def questions(pipeline: Pipeline, judge: QueryJudge, asked: Iterable[TableAnswer]) -> Iterator[JudgedQuestion]:
    """With all that is read in each; without those of which nothing is."""
    for one in asked:
        found = list(_read(pipeline, gold_of(one)))
        if found:
            judged = judge.judge(one.question, [(query.words, query.outcome) for query in found])
            yield JudgedQuestion(one.question, SOURCE, without_doubles(_believed(found, judged)))


def _read(pipeline: Pipeline, gold: Gold) -> Iterator[JudgedQuery]:
    """Each query once; whether it is right says only whether it comes to the gold."""
    found, told = pipeline.understand(Question(gold.text), AskOptions()), set()
    for one in (found, *found.find_alternatives()):
        said = in_words(one, pipeline.pack) if one.hypotheses else None
        if said is None or said[0] in told:
            continue
        told.add(said[0])
        best = one.hypotheses[0]
        yield JudgedQuery(*said, is_some(best) and is_answer(pipeline.pack, gold, best))


def is_answer(pack: Pack, gold: Gold, found: Hypothesis) -> bool:
    """Whether it comes to the gold, or reads like it whatever stands between the words."""
    if is_said(pack, gold, found):
        return True
    said = outcome_words(found.outcome, pack) if found.outcome is not None else several(found.answers, pack)
    wanted = sorted(word for answer in gold.answers for word in _WORDS.findall(answer.names[0].lower()))
    return wanted == sorted(_WORDS.findall(said.lower().replace(" and ", " ")))


def gold_of(one: TableAnswer) -> Gold:
    return Gold(one.table, one.question, tuple(GoldAnswer((answer,)) for answer in one.answers))


def _believed(found: Sequence[JudgedQuery], judged: Judged) -> list[JudgedQuery]:
    odds = dict(zip(judged.places, judged.queries, strict=True))
    right = [at for at in odds if found[at].right]
    best = max(right, key=odds.__getitem__, default=None)
    if best is not None and odds[best] + BY_CHANCE < max(odds.values()):
        best = None
    return [
        JudgedQuery(one.words, one.outcome, (True if at == best else None) if one.right else False)
        for at, one in enumerate(found)
    ]
