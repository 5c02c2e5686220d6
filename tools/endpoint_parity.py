"""How many questions are answered otherwise over a connected graph than over the pack that its server has.

    kgask pack export metaqa | oxigraph load --location db --format nt
    oxigraph serve-read-only --location db --bind 127.0.0.1:7878 &
    kgask pack connect http://127.0.0.1:7878/query -n metaqa-there
    python tools/endpoint_parity.py metaqa metaqa-there 1000 DATA/metaqa/*-hop/qa_dev.txt.gz

Files have a question a line, and perhaps a tab and what is not read. Each question is asked of a graph of which nothing
is known from the one before, so that requests and rows are those of one question.
"""

from __future__ import annotations

import gzip
import random
import sys
import time
from collections import Counter

import kgask
from kgask.answer.result import Answer
from kgask.remote.connected import ConnectedPack


def main(pack: str, connected: str, number: str, *files: str) -> None:
    """Print figures; and each question that is answered otherwise."""
    questions: list[str] = []
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            every = [line.split("\t")[0].rstrip("\n") for line in lines]
        questions += random.Random(0).sample(every, min(len(every), int(number) // len(files)))
    with kgask.open(pack, reader=None, settings={}) as here, kgask.open(connected, reader=None, settings={}) as there:
        assert isinstance(there.pack, ConnectedPack)
        answers, times_ms = [], list[list[float]]()
        for question in questions:
            began = time.perf_counter()
            expected = here.ask(question)
            between = time.perf_counter()
            found = there.ask(question)
            times_ms.append([(between - began) * 1000, (time.perf_counter() - between) * 1000])
            answers.append((question, expected, found))
            there.pack.forget()
    for question, expected, found in answers:
        if _told(expected) != _told(found):
            print("otherwise:", question, expected, found, sep="\n  ")
    n_otherwise = sum(_told(expected) != _told(found) for _, expected, found in answers)
    sources = [found.source for _, _, found in answers if found.source]
    print(f"{len(answers)} questions, {n_otherwise} answered otherwise")
    print("other confidence:", sum(one.confidence != other.confidence for _, one, other in answers))
    print("requests: questions", dict(sorted(Counter(source["requests"] for source in sources).items())))
    for name in ("rows", "bytes"):
        every_one = sorted(source[name] for source in sources)
        print(f"{name}: median {every_one[len(every_one) // 2]:,}, most {every_one[-1]:,}")
    for name, spent in zip(("here", "there"), zip(*times_ms, strict=True), strict=True):
        print(f"ms {name}: median {sorted(spent)[len(spent) // 2]:.0f}")


def _told(answer: Answer) -> tuple[object, ...]:
    support = [(one.subject, one.relation, one.object) for one in answer.support]
    return answer.text, [one.key for one in answer.entities], answer.reason, support


if __name__ == "__main__":
    main(*sys.argv[1:])
