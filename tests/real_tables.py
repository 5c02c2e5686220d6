"""People's questions over real tables (WikiTableQuestions, dev): ``python tests/real_tables.py DATA OUT [N]``.

N of them are asked. Each table becomes a pack, as its owner would build it, and is asked as ``kgask ask --no-reader``
would. Many of the questions no query can answer (what stands within a cell, what only a look at the table tells), and a
gold may be worded otherwise than the table says it: what counts is how much of what is printed is wrong, and how much
is right. The figures are printed as JSON, the outcomes kept in OUT.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kgask.answer.request import AskOptions
from kgask.answer.result import Answer
from kgask.corpus.judged_answers import build_table, by_table
from kgask.eval.metrics import calibration_error
from kgask.pack.normalise import normalise
from kgask.sets.said import says
from kgask.sets.wikitablequestions import DEV, TableAnswer

LEVELS = (0.5, 0.8, 0.9)


def asked(data: Path, most: int) -> Iterator[tuple[TableAnswer, Answer, Answer]]:
    """Each question with its answer, and with the best there is whatever the confidence."""
    import kgask

    rng, n = random.Random(1), 0
    tables = list(by_table(data, DEV))
    rng.shuffle(tables)
    with tempfile.TemporaryDirectory(prefix="kgask-") as folder:
        for number, (table, questions) in enumerate(tables):
            path = Path(folder) / str(number)
            if n >= most or not build_table(table, path, rng):
                continue
            with kgask.open(str(path)) as pipeline:
                for one in questions[: most - n]:
                    n += 1
                    printed = pipeline.ask(one.question)
                    best = pipeline.ask(one.question, AskOptions(min_confidence=0.0)) if printed.abstained else printed
                    yield one, printed, best


def is_right(one: TableAnswer, answer: Answer) -> bool:
    """Whether the answer is the whole gold, as it stands in the table or as the number or date that it says."""
    said = [entity.label for entity in answer.entities] or [answer.text or ""]
    return len(said) == len(one.answers) and all(
        any(normalise(gold) == normalise(label) or says(gold, label) for label in said) for gold in one.answers
    )


def main(data: Path, out: Path, most: int) -> None:
    found = [
        {"question": one.question, "gold": one.answers, "printed": not printed.abstained, "answer": best.text,
         "confidence": best.confidence, "right": is_right(one, best), "query": best.query_text}
        for one, printed, best in asked(data, most)
    ]  # fmt: skip
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8")
    right = np.array([row["right"] for row in found])
    sure = np.array([row["confidence"] if row["answer"] is not None else 0.0 for row in found])
    printed = np.array([row["printed"] for row in found])
    figures = {
        "questions": len(found),
        "right": (right & printed).mean(),
        "printed_and_wrong": (printed & ~right).mean(),
    }
    figures |= {"right_at_any_confidence": right.mean(), "calibration_error": calibration_error(sure, right)}
    for least in LEVELS:
        told = sure >= least
        figures |= {f"told_from_{least}": told.mean(), f"right_of_them_{least}": right[told].mean()}
    print(json.dumps({name: round(float(value), 4) for name, value in figures.items()}, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int((sys.argv[3:] or ["600"])[0]))
