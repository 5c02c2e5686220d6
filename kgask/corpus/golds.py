"""Whether what a question led to is right: by a gold query's outcome, or by what people gave as its answers."""

from __future__ import annotations

from collections.abc import Sequence

from kgask.methods.protocol import Hypothesis
from kgask.pack.normalise import normalise
from kgask.pack.quantities import Quantity, quantity
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.retrieve.outcome import Result
from kgask.sets.gold import Gold
from kgask.sets.said import NO, YES, says

CLOSE = 1e-6  # of numbers, as a share
LEAST_SHARE = 0.5  # of an answer's entities that must be gold, where a gold of people's may lack some


def is_some(found: Hypothesis) -> bool:
    """Whether there is anything in it to tell."""
    return found.outcome is not None or bool(len(found.answers))


def says_set(found: Hypothesis, answers: frozenset[int]) -> bool:
    """Whether it is this set, none left out."""
    return bool(answers) and frozenset(_ends(found)) == answers


def is_gold(pack: Pack, gold: Result | None, found: Hypothesis) -> bool:
    """Whether it comes to what a gold query does: the whole set, the value or the truth; never without a gold."""
    if gold is None:
        return False
    if gold.truth is not None:
        return found.outcome is not None and found.outcome.truth is gold.truth
    if not isinstance(gold.query, nodes.Count) and says_set(found, frozenset(gold.certain.tolist())):
        return True
    if gold.quantity is None:
        return False
    said = _value_of(pack, found)
    return said is not None and _alike(said, gold.quantity)


def _ends(found: Hypothesis) -> list[int]:
    """The entities and literals that it comes to; of what is asked of statements, what they say."""
    return (found.answers if found.outcome is None else found.outcome.certain).tolist()


def _value_of(pack: Pack, found: Hypothesis) -> Quantity | None:
    """The one number or date that a hypothesis comes to."""
    if found.outcome is not None and found.outcome.quantity is not None:
        return found.outcome.quantity
    literals = pack.literals(found.answers.tolist()) if len(found.answers) == 1 else []
    return quantity(literals[0]) if literals and literals[0] is not None else None


def _alike(said: Quantity, gold: Quantity) -> bool:
    slack = CLOSE * max(1.0, abs(gold.low), abs(gold.high))
    return said.axis == gold.axis and gold.low - slack <= said.low and said.high <= gold.high + slack


def is_said(pack: Pack, gold: Gold, found: Hypothesis) -> bool:
    """Whether it names the golds and not much else; people's golds may lack some of a set."""
    texts = [name.lower() for answer in gold.answers for name in answer.names if answer.key is None]
    truth = found.outcome.truth if found.outcome is not None else None
    if truth is not None:
        return bool(texts) and texts[0] in (YES if truth else NO)
    if found.outcome is not None and found.outcome.members is None and isinstance(found.outcome.query, nodes.Count):
        count = found.outcome.quantity
        return bool(texts) and count is not None and count.low == count.high and says(texts[0], f"{count.low:g}")
    ends = _ends(found)
    if not ends:
        return _says_value(pack, texts, found)
    called = list(zip(pack.keys(ends), pack.labels(ends), strict=True))
    named = [[_names(answer.key, answer.names, key, label) for key, label in called] for answer in gold.answers]
    hit = sum(any(row[at] for row in named) for at in range(len(called)))
    return all(map(any, named)) and hit >= LEAST_SHARE * len(called)


def _says_value(pack: Pack, texts: Sequence[str], found: Hypothesis) -> bool:
    said = _value_of(pack, found)
    return said is not None and said.low == said.high and bool(texts) and says(texts[0], f"{said.low:g}")


def _names(key: str | None, names: Sequence[str], found_key: str, label: str) -> bool:
    if key is not None and key == found_key:
        return True
    return any(normalise(name) == normalise(label) or says(name, label) for name in names)
