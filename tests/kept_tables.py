"""Tables and small graphs as people keep them, asked, claimed about and talked of: ``python tests/kept_tables.py OUT``.

Made by people who had seen nothing of kgask (``tests/data/kept_tables``, one folder each): each graph is built as
``kgask pack build FOLDER`` builds it, and ``asked`` holds questions (kind, question, gold), claims (verdict, claim) and
conversations (turn, gold; an empty line between two); what is in ``demo`` is asked of the demo pack. ``REFUSE`` is what
the graph cannot answer, ``NONE`` what asks nothing. All of it was read while rules were written, or after; what came
before that stands in docs/figures.md. The figures are printed as JSON, what is not right goes to OUT. Further
arguments name the folders that are asked about. What is in ``published`` is asked of packs of public data, in a folder
``PACKS``: ``PACKS=packs python tests/kept_tables.py OUT published`` after ``kgask eval prepare f1 DATA -o packs/f1``,
and so for mondial.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kgask.answer.result import Answer
from kgask.build.recipe import Recipe, build
from kgask.build.source import files_of
from kgask.opened import Opened

FOLDER = Path(__file__).parent / "data" / "kept_tables"
_NUMBER = re.compile(r"[€$£]?\s*(-?[\d,]*\.?\d+)\s*([^\d]*)")
PUBLISHED = "published"
CLOSE = 0.006  # of a number that is no whole one, how far it may be off


class Judged(NamedTuple):
    what: str  # questions, claims or turns
    asked: str
    gold: str
    said: str
    right: bool
    decided: bool  # answered, or supported or refuted


def judged(opened: Opened, asked: Path) -> Iterator[Judged]:
    """All that was asked of one graph."""
    for line in _lines(asked / "questions.tsv"):
        _, question, gold = line.split("\t")[:3]
        answer = opened.ask(question)
        yield Judged("questions", question, gold, answer.text or "", is_right(gold, answer), bool(answer))
    for line in _lines(asked / "claims.tsv"):
        gold, claim = line.split("\t")[:2]
        said = opened.verify(claim).verdict
        said = said if said in ("supported", "refuted") else "nei"
        yield Judged("claims", claim, gold, said, said == gold, said != "nei")
    for talk in _text(asked / "chats.tsv").split("\n\n"):
        chat = opened.chat()
        for line in filter(None, talk.splitlines()):
            turn, gold = line.split("\t")[:2]
            found = chat.ask(turn).answer
            if gold.strip() != "NONE":
                assert found is not None
                yield Judged("turns", turn, gold, found.text or "", is_right(gold, found), bool(found))


def is_right(gold: str, answer: Answer) -> bool:
    """Whether an answer says what the gold says, or one of several that are as good."""
    return any(_is_right(one, answer) for one in gold.split(" <or> "))


def _is_right(gold: str, answer: Answer) -> bool:
    """Whether an answer says what the gold says, of several questions in one each."""
    gold = gold.strip()
    if gold == "REFUSE" or not answer:
        return gold == "REFUSE" and not answer
    golds, parts = gold.split(" || "), answer.to_dict().get("parts") or []
    if len(golds) > 1 and len(parts) == len(golds):
        return all(_same(one, part["answer"] or "") for one, part in zip(golds, parts, strict=True))
    return _same(" | ".join(golds), answer.text or "")


def _same(gold: str, said: str) -> bool:
    golds, ones = gold.split(" | "), said.split(" | ")
    found = all(any(_alike(one, other) for other in ones) for one in golds)
    return len(golds) == len(ones) and found


def _alike(one: str, other: str) -> bool:
    numbers = [float(found[1].replace(",", "")) for text in (one, other) if (found := _NUMBER.fullmatch(text.strip()))]
    if len(numbers) == 2:
        slack = 0 if numbers[0].is_integer() and numbers[1].is_integer() else CLOSE * max(1.0, abs(numbers[0]))
        return abs(numbers[0] - numbers[1]) <= slack
    return " ".join(one.lower().split()) == " ".join(other.lower().split())


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _lines(path: Path) -> list[str]:
    return [line for line in _text(path).splitlines() if line.strip()]


def _built(graph: Path, out: Path) -> str:
    """The pack of a folder; what has no files is asked of the demo, or of a pack of public data."""
    if graph.parent.name == PUBLISHED:
        return str(Path(os.environ["PACKS"]) / graph.name)
    if [one.name for one in graph.iterdir()] == ["asked"]:
        return "demo"
    sources = tuple(files_of(str(graph)))
    build(Recipe(sources, out / graph.name, recognise=True, force=True), tell=lambda line: None)
    return str(out / graph.name)


def main(out: Path, *parts: str) -> None:
    import kgask

    out.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    with (out / "not_right.tsv").open("w", encoding="utf-8") as stream:
        for asked in sorted(FOLDER.glob("*/*/asked")):
            graph, part = asked.parent, asked.parent.parent.name
            if (parts and part not in parts) or (part == PUBLISHED and "PACKS" not in os.environ):
                continue
            with kgask.open(_built(graph, out), reader=None) as opened:
                for one in judged(opened, asked):
                    for name, is_so in (("", True), (", right", one.right), (", wrong", one.decided and not one.right)):
                        counts[f"{part} {one.what}{name}"] += is_so
                    if not one.right:
                        print(part, graph.name, *one[:4], "wrong" if one.decided else "none", sep="\t", file=stream)
    print(json.dumps(counts, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
