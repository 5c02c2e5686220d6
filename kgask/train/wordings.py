"""Relation texts, question wordings and noun phrases of our own (``wordings.txt``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources

from kgask.errors import BuildError

FORWARD, INVERSE = "+", "-"


@dataclass(slots=True)
class RelationWordings:
    """How people speak about one relation; ``{x}`` stands for the topic.

    ``questions`` and ``phrases`` are keyed by direction: ``+`` asks for the
    object of a given subject, ``-`` for the subject of a given object.
    """

    key: str
    texts: list[str]
    domain: str = ""  # letters of wordings.txt: what a subject can be
    range: str = ""  # what an object can be
    questions: dict[str, list[str]] = field(default_factory=lambda: {FORWARD: [], INVERSE: []})
    phrases: dict[str, list[str]] = field(default_factory=lambda: {FORWARD: [], INVERSE: []})


def load_wordings() -> dict[str, RelationWordings]:
    """Parse the shipped ``wordings.txt``; raises :class:`BuildError` with the line on a slip."""
    text = (resources.files("kgask.train") / "wordings.txt").read_text(encoding="utf-8")
    wordings: dict[str, RelationWordings] = {}
    current: RelationWordings | None = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            head, _, texts = line[1:].partition("]")
            key, _, types = head.partition(" ")
            domain, _, range_ = types.partition(">")
            current = wordings[key] = RelationWordings(key, _split(texts), domain, range_)
        elif current is None or line[:2] not in ("+q", "-q", "+n", "-n"):
            raise BuildError(f"wordings.txt:{number}: expected [key], +q, -q, +n or -n")
        else:
            table = current.questions if line[1] == "q" else current.phrases
            table[line[0]].extend(_split(line[2:]))
    return wordings


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]
