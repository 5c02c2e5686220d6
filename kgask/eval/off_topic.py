"""Questions that no graph answers, drawn with a seed: noise, words without a name, talk, and real names misused.

Ours, made up; none is taken from a set. What a pack cannot answer must be
refused, and nothing may crash.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import MAX_QUESTION_CHARS, AskOptions
from kgask.answer.result import Answer
from kgask.errors import UsageError
from kgask.eval.forms import forms_of

N = 10_000  # questions of the bar
BATCH = 64

_FORMS = forms_of("off_topic.txt")
WORDS, THINGS, DOINGS, QUALITIES = (" ".join(_FORMS[kind]).split() for kind in ("word", "thing", "doing", "quality"))
ABOUT_THINGS, TALK, ABOUT_NAMES = (_FORMS[kind] for kind in ("about-things", "talk", "about-names"))
# Scripts, marks that join or turn text round, controls, symbols, a lone surrogate.
RANGES = (
    (0x21, 0x7E), (0xA1, 0x24F), (0x300, 0x36F), (0x400, 0x4FF), (0x590, 0x6FF), (0x900, 0x97F), (0x200B, 0x202E),
    (0x2190, 0x2BFF), (0x3040, 0x30FF), (0x4E00, 0x4FFF), (0xD800, 0xD8FF), (0x1F300, 0x1FAFF),
)  # fmt: skip


def _words(rng: random.Random, name: str = "") -> str:
    drawn = rng.choices(WORDS, k=rng.randint(1, 12))
    if name:
        drawn.insert(rng.randint(0, len(drawn)), name)
    return " ".join(drawn) + rng.choice(("", "?"))


def _letters(rng: random.Random) -> str:
    lengths = [rng.randint(3, 11) for _ in range(rng.randint(1, 8))]
    return " ".join("".join(rng.choices("bcdfghjklmnpqrstvwxzaeiouy", k=n)) for n in lengths)


def _garbage(rng: random.Random) -> str:
    size = rng.choice((1, 3, 10, 40, 200, MAX_QUESTION_CHARS))
    return "".join(chr(rng.randint(*rng.choice(RANGES))) for _ in range(rng.randint(1, size)))


def _filled(template: str, rng: random.Random, name: str = "") -> str:
    return template.format(
        do=rng.choice(DOINGS),
        thing=rng.choice(THINGS),
        quality=rng.choice(QUALITIES),
        quality2=rng.choice(QUALITIES),
        n=rng.randint(2, 99),
        m=rng.randint(2, 99),
        name=name,
    )


def questions(n: int, seed: int, names: Sequence[str]) -> list[tuple[str, str]]:
    """``n`` pairs of kind and text, the kinds in turn; the same seed draws the same ones.

    ``names`` are entities of the pack, for questions about real names that
    nothing in a graph answers.
    """
    rng = random.Random(seed)
    kinds: dict[str, Callable[[], str]] = {
        "random words": lambda: _words(rng),
        "random letters": lambda: _letters(rng),
        "garbage": lambda: _garbage(rng),
        "about things": lambda: _filled(rng.choice(ABOUT_THINGS), rng),
        "talk": lambda: _filled(rng.choice(TALK), rng),
        "words and a name": lambda: _words(rng, rng.choice(names)),
        "about names": lambda: _filled(rng.choice(ABOUT_NAMES), rng, rng.choice(names)),
    }
    order = list(kinds)
    return [(kind, kinds[kind]()) for kind in (order[i % len(order)] for i in range(n))]


Refusals = Counter[str]  # n, abstained, crashed: anything but an answer, a refusal or a one-line usage error


def figures(found: dict[str, Refusals]) -> dict[str, float]:
    """Over all kinds, then the share refused of each."""
    every = sum(found.values(), Refusals())
    shares = {f"_{kind.replace(' ', '_')}": counts for kind, counts in found.items()}
    return {"questions": every["n"], "crashed": every["crashed"]} | {
        f"abstained{kind}": round(counts["abstained"] / max(1, counts["n"]), 4)
        for kind, counts in ({"": every} | shares).items()
    }


def sampled_names(pipeline: Pipeline, n: int, seed: int) -> list[str]:
    """Labels of entities of the pack."""
    count = pipeline.pack.n_entities - pipeline.pack.n_literals
    ids = random.Random(seed).sample(range(count), min(n, count))
    return pipeline.pack.labels(sorted(ids))


def run(
    pipeline: Pipeline, asked: Sequence[tuple[str, str]], report: Callable[[int], None]
) -> tuple[dict[str, Refusals], list[str]]:
    """Refusals by kind, and one line for each answer or crash. The default threshold applies."""
    found: dict[str, Refusals] = {kind: Refusals() for kind, _ in asked}
    lines: list[str] = []
    for start in range(0, len(asked), BATCH):
        rows = asked[start : start + BATCH]
        for (kind, text), outcome in zip(rows, _ask([text for _, text in rows], pipeline), strict=True):
            counts = found[kind]
            counts["n"] += 1
            if isinstance(outcome, Answer):
                counts["abstained"] += outcome.abstained
                if not outcome.abstained:
                    lines.append(f"{kind}: {text!r} -> {outcome.text!r} ({outcome.confidence:.2f})")
            elif isinstance(outcome, UsageError):  # nothing but blanks: refused in one line
                counts["abstained"] += 1
            else:
                counts["crashed"] += 1
                lines.append(f"{kind}: {text!r} crashed: {type(outcome).__name__}: {outcome}")
        report(start + len(rows))
    return found, lines


def _ask(texts: list[str], pipeline: Pipeline) -> list[Answer | Exception]:
    """Answers, or how asking ended; one by one where a batch does not go through."""
    try:
        return list(pipeline.ask_many(texts, AskOptions()))
    except Exception:  # any way to end is counted, not hidden
        return [_ask_one(text, pipeline) for text in texts]


def _ask_one(text: str, pipeline: Pipeline) -> Answer | Exception:
    try:
        return pipeline.ask(text, AskOptions())
    except Exception as error:
        return error
