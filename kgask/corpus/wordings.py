"""Relation texts, question wordings and noun phrases of our own (``wordings.txt``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources

from kgask.corpus.frames import FORWARD, INVERSE, Frames, expand
from kgask.errors import BuildError

__all__ = ["FORWARD", "INVERSE", "RelationWordings", "load_wordings"]

LITERAL_KINDS = ("date", "number")


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
    literal: str = ""  # "date" or "number" where the object is one
    questions: dict[str, list[str]] = field(default_factory=lambda: {FORWARD: [], INVERSE: []})
    phrases: dict[str, list[str]] = field(default_factory=lambda: {FORWARD: [], INVERSE: []})
    frames: Frames = field(default_factory=Frames)

    def ends(self, inverse: bool) -> tuple[str, str]:
        """Type letters of where a step starts and where it leads."""
        return (self.range, self.domain) if inverse else (self.domain, self.range)

    def nouns(self, inverse: bool) -> list[str]:
        """Singular nouns for what a step leads to; empty where the block names none."""
        return self.frames.subjects if inverse else self.frames.objects

    def answer_type(self, inverse: bool) -> str:
        """What a step leads to, as the planner's type hint says it."""
        return (self.literal or "entity") if not inverse else "entity"


def load_wordings() -> dict[str, RelationWordings]:
    """Parse the shipped ``wordings.txt``; raises :class:`BuildError` with the line on a slip."""
    text = (resources.files("kgask.corpus") / "wordings.txt").read_text(encoding="utf-8")
    wordings: dict[str, RelationWordings] = {}
    current: RelationWordings | None = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            current = _read_line(line, current)
        except ValueError:
            shapes = "[key], =e, =v, =s, =p, +q, -q, +n or -n"
            raise BuildError(f"wordings.txt:{number}: expected {shapes}") from None
        wordings[current.key] = current
    for wording in wordings.values():
        questions, phrases = expand(wording.frames, wording.domain, wording.literal)
        for table, made in ((wording.questions, questions), (wording.phrases, phrases)):
            for direction, texts in made.items():
                table[direction] = list(dict.fromkeys(table[direction] + texts))
    return wordings


def _read_line(line: str, current: RelationWordings | None) -> RelationWordings:
    """The block that ``line`` opens or adds to."""
    if line.startswith("["):
        head, _, texts = line[1:].partition("]")
        key, _, types = head.partition(" ")
        ends, _, literal = types.partition(" ")
        domain, _, range_ = ends.partition(">")
        if literal and literal not in LITERAL_KINDS:
            raise ValueError(line)
        return RelationWordings(key, _split(texts), domain, range_, literal)
    if current is None:
        raise ValueError(line)
    if line.startswith("="):
        current.frames.add(line)
    elif line[:2] in ("+q", "-q", "+n", "-n"):
        table = current.questions if line[1] == "q" else current.phrases
        table[line[0]].extend(_split(line[2:]))
    else:
        raise ValueError(line)
    return current


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]
