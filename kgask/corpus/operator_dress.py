"""How a question is dressed: what people put around it, contractions, a slip of the keys."""

from __future__ import annotations

import random
import re

from kgask.corpus.voices import decorate

TYPO = 0.02
CONTRACTED = 0.3  # share of the questions that could be contracted
_SHORT = (
    (re.compile(r"\b(what|who|which|where|when|how) is\b"), r"\1's"), (re.compile(r"\bis not\b"), "isn't"),
    (re.compile(r"\bdo not\b"), "don't"), (re.compile(r"\bcan not\b"), "can't"),
    (re.compile(r"\bdoes not\b"), "doesn't"),
    (re.compile(r"\bdid not\b"), "didn't"), (re.compile(r"\bare not\b"), "aren't"),
    (re.compile(r"\bwere not\b"), "weren't"), (re.compile(r"\bwas not\b"), "wasn't"),
    (re.compile(r"\bhave not\b"), "haven't"), (re.compile(r"\bi would\b"), "i'd"),
)  # fmt: skip
_WORD = re.compile(r"[a-z]{5,}")


_BESIDE = {  # what people say around a question, by the kind of the operand in it that carries nothing
    "entity": (
        "for my essay on {}: ", "i am reading about {}. ", "hi {}, ", "this is for {}: ", "about {}: ", "hello {}! ",
        "we talked about {} yesterday; ", "after a visit to {} i wonder: ", "{} asked me: ", "{} wants to know ",
    ),
    "number": ("question {}: ", "{}. ", "{}) ", "task {}: ", "no. {}: ", "exercise {}) ", "for {} points: ", "({}) "),
    "date": ("homework for {}: ", "quiz of {}: ", "from the {} exam: ", "note of {}: "),
}  # fmt: skip


def beside(rng: random.Random) -> tuple[str, str]:
    """What is said before a question with an operand that has nothing to do with it, and its kind."""
    kind = rng.choices(list(_BESIDE), (4, 5, 1))[0]
    return rng.choice(_BESIDE[kind]), kind


def dressed(text: str, rng: random.Random) -> str:
    """Contractions, politeness and question marks, and now and then a typing error in a word that no operand is of."""
    if rng.random() < CONTRACTED:
        for pattern, short in _SHORT:
            text = pattern.sub(short, text)
    text = decorate(text, rng)
    return _slipped(text, rng) if rng.random() < TYPO else text


def _slipped(text: str, rng: random.Random) -> str:
    """One letter doubled, dropped, or swapped with its neighbour."""
    words = list(_WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    at = rng.randint(word.start() + 1, word.end() - 2)
    first, second = text[at], text[at + 1]
    wrong = rng.choice((first, first + first + second, second + first))
    return f"{text[:at]}{wrong}{text[at + 2 :]}"
