"""Asks the questions of README and of docs/guide.md, "What can be asked", and writes there what is answered.

``python tools/examples.py`` after a change of the planner or the demo pack; further words are options of ``kgask``.
``tests/test_docs_examples.py`` reads the same places.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
README, GUIDE = ROOT / "README.md", ROOT / "docs" / "guide.md"
LINE = re.compile(r'^(kgask "([^"]+)" \| cat +# )(?!piped)(.+)$', re.MULTILINE)  # "piped" explains, the others say
ROW = re.compile(r"^(\| [^|]+ \| ([^|]+) \| )(.+) \|$", re.MULTILINE)
TABLE = re.compile(r"(?<=\| kind \| question \| answer \|\n\|---\|---\|---\|\n).*?(?=\n\n)", re.DOTALL)
SHOWN = 240  # characters of an answer in the table


def in_readme() -> list[tuple[str, str]]:
    """Question and what is printed of it."""
    return [(question, printed) for _, question, printed in LINE.findall(README.read_text(encoding="utf-8"))]


def in_guide() -> list[tuple[str, str]]:
    """Question and answer."""
    found = TABLE.search(GUIDE.read_text(encoding="utf-8"))
    return [(question, answer) for _, question, answer in ROW.findall(found[0] if found else "")]


def asked(questions: Sequence[str], options: Sequence[str] = ()) -> dict[str, str]:
    """Question -> its answer, or why there is none."""
    command = [sys.executable, "-m", "kgask", "--json", *options]
    lines = "".join(f"{question}\n" for question in questions)
    done = subprocess.run(command, input=lines, text=True, stdout=subprocess.PIPE, cwd=ROOT, check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    answers = [one["answer"] or f"no answer: {one['reason']}" for one in told]
    return dict(zip(questions, answers, strict=True))


def in_a_cell(answer: str) -> str:
    """Several answers joined by commas; cut where it is long."""
    text = answer.replace(" | ", ", ")
    return text if len(text) <= SHOWN else f"{text[:SHOWN].rsplit(', ', 1)[0]}, ..."


def main(options: Sequence[str]) -> None:
    answers = asked(list(dict.fromkeys(question for question, _ in in_readme() + in_guide())), options)
    readme = LINE.sub(lambda line: f"{line[1]}{answers[line[2]]}", README.read_text(encoding="utf-8"))
    README.write_text(readme, encoding="utf-8")

    def rows(table: re.Match[str]) -> str:
        return ROW.sub(lambda row: f"{row[1]}{in_a_cell(answers[row[2]])} |", table[0])

    GUIDE.write_text(TABLE.sub(rows, GUIDE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
