"""Invented names, dates and numbers, so that a reader learns to read instead of to remember."""

from __future__ import annotations

import random
from collections.abc import Sequence

ONSETS = tuple(
    "b br c ch cl d dr f fl g gl gr h j k kr l m n p pl pr qu r s sh sk sl st t th tr v w y z".split()  # noqa: SIM905
)
NUCLEI = "a a a e e e i i o o u ae ai ea ee ia io oo ou y".split()  # noqa: SIM905
CODAS = ["", "", "", *"n n r r l s t th m nd rt sk x ck ng".split()]  # noqa: SIM905
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
LEAST_DAMAGED = 5  # letters of a word that gets a typo
UNITS = (
    "km",
    "square kilometre",
    "metre",
    "kilogram",
    "euro",
    "dollar",
    "°C",
    "inhabitants",
    "minute",
    "g/mol",
    "%",
)
WORK_FORMS = (
    "The {a}",
    "{a} of {b}",
    "The {a} and the {b}",
    "{a}",
    "{a}: {b}",
    "A {a} in {b}",
    "{a} {b}",
    "My {a}",
)


class NameMaker:
    """Makes names of the kind that a type letter of ``wordings.txt`` asks for.

    ``real_labels`` lend their words (shuffled together), and one name in seven is a real label.
    """

    def __init__(self, real_labels: Sequence[str]):
        self.labels = [label for label in real_labels if 3 <= len(label) <= 40 and "|" not in label]
        words = {word for label in self.labels for word in label.split() if word[:1].isupper() and word.isalpha()}
        self.words = sorted(words) or ["Amber", "Harbour"]

    def name(self, kind: str, rng: random.Random) -> str:
        """A name of one type letter: P person, S literal, W work, ...; an unknown letter gives any name."""
        if kind == "S":
            return self.literal(rng)
        draw = rng.random()
        if draw < 0.15 and self.labels:
            return rng.choice(self.labels)
        if kind == "P":
            return self._person(rng)
        if kind in "WFBMAGO" and draw < 0.75:
            form = rng.choice(WORK_FORMS)
            return form.format(a=self._words(rng), b=self._words(rng))
        return self._words(rng) if draw < 0.5 else self._invented(rng)

    def literal(self, rng: random.Random) -> str:
        """A year, a date, or a number with or without a unit."""
        draw = rng.random()
        if draw < 0.35:
            return str(rng.randint(1200, 2024))
        if draw < 0.6:
            day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1400, 2024)
            return rng.choice([f"{year}-{month:02d}-{day:02d}", f"{day} {MONTHS[month - 1]} {year}"])
        number = rng.choice([rng.randint(1, 300), rng.randint(1000, 9_999_999), round(rng.uniform(0, 900), 2)])
        text = f"{number:,}" if rng.random() < 0.4 else str(number)
        return f"{text} {rng.choice(UNITS)}" if rng.random() < 0.4 else text

    def _person(self, rng: random.Random) -> str:
        parts = [self._part(rng) for _ in range(rng.choice((2, 2, 2, 2, 3)))]
        if rng.random() < 0.1:
            parts[0] = f"{parts[0][0]}."
        return " ".join(parts)

    def _words(self, rng: random.Random) -> str:
        return " ".join(self._part(rng) for _ in range(rng.choice((1, 1, 1, 2))))

    def _part(self, rng: random.Random) -> str:
        return rng.choice(self.words) if rng.random() < 0.7 else self._invented(rng)

    def _invented(self, rng: random.Random) -> str:
        syllables = rng.choice((1, 2, 2))
        return "".join(
            rng.choice(ONSETS) + rng.choice(NUCLEI) + rng.choice(CODAS) for _ in range(syllables)
        ).capitalize()


def damaged(text: str, rng: random.Random) -> str:
    """One long word with a letter lost, doubled, or swapped with the next."""
    words = text.split(" ")
    places = [i for i, word in enumerate(words) if len(word) >= LEAST_DAMAGED and word.isalpha()]
    if not places:
        return text
    at = rng.choice(places)
    word, letter = words[at], rng.randrange(1, len(words[at]) - 2)
    a, b = word[letter], word[letter + 1]
    broken = rng.choice([b, a + a + b, b + a])
    return " ".join([*words[:at], word[:letter] + broken + word[letter + 2 :], *words[at + 1 :]])
