"""KQA Pro (Cao et al. 2022): questions that verify a fact or ask for what qualifies one, and the facts behind them.

``facts.tsv``: source, subject, relation, object, then pairs of qualifier and value; names are all there is, so they are
keys. ``questions_dev.jsonl``: the question, its gold facts and its answer; ``in_graph`` marks those whose gold facts
give exactly that answer over the facts, and only these are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from kgask.errors import UsageError
from kgask.pack.records import LiteralKind
from kgask.sets.gold import Gold, GoldAnswer
from kgask.sets.pack_lines import PackLines, literal
from kgask.sets.rows import fits, in_data, json_lines, lines_of, one_of_folder, text_at

FACTS = Path("kqapro_parts/facts.tsv.gz")
DATES = frozenset(
    ("start time", "end time", "point in time", "publication date", "retrieved", "inception", "archive date",
     "date of birth", "date of death", "year of taxon name publication")
)  # fmt: skip
NUMBERS = frozenset(
    ("number of subscribers", "number of matches played/races/starts", "number of points/goals/set scored",
     "population", "proportion", "number of speakers", "quantity", "duration", "length", "prize money",
     "elevation above sea level", "edition number", "series ordinal", "draft pick number", "volume")
)  # fmt: skip
_TEXTS = frozenset(
    ("title", "official name", "native label", "name in native language", "pseudonym", "subreddit", "name",
     "Twitter hashtag", "short name", "birth name", "nickname")
)  # fmt: skip
_ENTITIES = frozenset(("instance of",))
_LEAST_NAMED = 0.2  # share of a relation's objects that are subjects elsewhere, where it leads to entities

Row = tuple[str, str, str, list[tuple[str, str]]]


def kqapro(data: Path) -> PackLines:
    """The facts as lines: dates, numbers and texts as such, the rest as entities."""
    rows = _statements(_rows(in_data(data, FACTS)))
    subjects = {subject for subject, *_ in rows}
    leads_on = _leading_on(rows, subjects)
    found = PackLines()

    def value(relation: str, text: str) -> str:
        if relation in DATES | NUMBERS:
            kind: LiteralKind = "date" if relation in DATES else "number"
            number, _, unit = text.partition(" ") if kind == "number" else (text, "", "")
            try:
                return literal(kind, number, unit)
            except ValueError:
                return literal("string", text)
        return text if relation in leads_on and not text.startswith('"') else literal("string", text)

    for subject, relation, obj, said in rows:
        found.add(subject, relation, value(relation, obj), [(name, value(name, text)) for name, text in said])
    return found


def _rows(path: Path) -> Iterator[Row]:
    for number, line in lines_of(path):
        fields = line.split("\t")
        if len(fields) < 4 or len(fields) % 2:
            raise UsageError(f"{path}:{number}: {len(fields)} fields; 4 and pairs of qualifier and value expected")
        yield fields[1], fields[2], fields[3], list(zip(fields[4::2], fields[5::2], strict=True))


def _statements(rows: Iterable[Row]) -> list[Row]:
    """Without those that another row says with more: the questions' facts repeat some of the KB's in part."""
    said: dict[tuple[str, str, str], dict[frozenset[tuple[str, str]], Row]] = {}
    for row in rows:
        said.setdefault(row[:3], {}).setdefault(frozenset(row[3]), row)
    return [row for of in said.values() for pairs, row in of.items() if not any(pairs < other for other in of)]


def _leading_on(rows: list[Row], subjects: set[str]) -> set[str]:
    """Relations and qualifiers whose values are entities: many of them have facts of their own."""
    every: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for _, relation, obj, said in rows:
        for name, text in ((relation, obj), *said):
            every[name] += 1
            named[name] += text in subjects
    return {name for name, n in every.items() if named[name] >= _LEAST_NAMED * n} - _TEXTS | _ENTITIES


def load(path: Path, split: str | None) -> list[Gold]:
    """``questions_dev.jsonl``, or the set's folder and ``split``; ``kind`` is verify, qualifier or multihop."""
    file = one_of_folder(path, (".jsonl",), split)
    golds = []
    for where, _, row in json_lines(file):
        with fits(where):
            kind, answer = text_at(row, "kind"), text_at(row, "answer")
            if row["in_graph"]:
                gold = GoldAnswer((answer,))
                form = "yesno" if kind == "verify" else ""
                golds.append(Gold(f"{row['id']}", text_at(row, "question"), (gold,), kind=kind, answer_type=form))
    return golds
