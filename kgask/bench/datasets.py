"""Question sets in their published forms."""

from __future__ import annotations

import gzip
import random
import re
from dataclasses import dataclass
from pathlib import Path

from kgask.errors import UsageError

_TOPIC = re.compile(r"\[([^\]]+)\]")
SAMPLE_SEED = 0


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    text: str  # without brackets
    topic: str
    answers: frozenset[str]  # labels, any of them right on top


def bracketed(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """Lines of ``text with [topic]<TAB>answer|answer`` (MetaQA); a sample of ``limit`` when given.

    Raises :class:`UsageError` with file and line for anything else.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    found = []
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            text, tab, answers = line.rstrip("\n").partition("\t")
            topic = _TOPIC.search(text)
            if not tab or topic is None:
                raise UsageError(f"{path}:{number}: expected 'text with [topic]<TAB>answer|answer'")
            found.append(GoldQuestion(_TOPIC.sub(r"\1", text), topic[1], frozenset(answers.split("|"))))
    if limit is not None and limit < len(found):
        found = random.Random(SAMPLE_SEED).sample(found, limit)
    return found
