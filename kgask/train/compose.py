"""Two- and three-hop questions composed from one-hop wordings (our own recipe).

Inner hops become noun phrases, the last hop a question about them: *the
director of [MASK]* inside *where was ... born*. Which relations can follow
each other is told by the domains and ranges in ``wordings.txt``, so no graph
is needed and none is leaked.
"""

from __future__ import annotations

import random

from kgask.train.data import MASK, PathExample, Step, fill, tidy
from kgask.train.wordings import FORWARD, INVERSE, RelationWordings

# What the members of a domain are called, for phrases built from a relation's label.
NOUNS = {
    "W": ("films", "movies", "books", "works", "novels", "songs", "the movies", "the films"),
    "P": ("people", "persons", "those", "the people"),
    "C": ("countries", "states", "the countries"),
    "L": ("places", "cities", "towns"),
    "O": ("organisations", "companies", "bands", "groups"),
    "E": ("elements",),
    "A": ("awards",),
}
ASK = {
    "W": ("which films", "what movies", "which books", "which works", "what films"),
    "P": ("who", "which people", "which persons"),
    "C": ("which countries", "what countries"),
    "L": ("which places", "which cities", "where"),
    "O": ("which organisations", "which companies"),
    "S": ("when", "what year", "how much"),
    "N": ("which languages", "in which languages", "what languages"),
    "G": ("what", "which", "what kinds"),
    "E": ("which elements",),
    "A": ("which awards",),
}


# Relations that most graphs have and most multi-hop questions use are drawn more often.
COMMON = (
    "P50 P57 P58 P161 P577 P136 P364 P407 P921 P19 P20 P569 P570 P27 P106 P69 P26 P40 P166 P36 P38 "
    "P37 P47 P30 P17 P175 P170 P112 P159 P61 P264"
).split()
COMMON_WEIGHT = 4

# Texts such as "written by" read badly as nouns ("the written by of ...").
_NOT_A_NOUN = (" by", " in", " of", " to", " at", " as", " for", " on", "about", "born", "died", "won", "starring")


def noun_texts(wording: RelationWordings) -> list[str]:
    """The relation's texts that can stand after "the"."""
    return [t for t in wording.texts if not t.endswith(_NOT_A_NOUN) and not t.startswith("in ")] or wording.texts[:1]


def _is_round_trip(path: list[Step]) -> bool:
    """Two steps over the same relation, there and back."""
    return path[0][0] == path[1][0] and path[0][1] != path[1][1]


def _phrase_texts(wording: RelationWordings) -> list[str]:
    """Noun texts, and those that make a participle: films *directed by* someone."""
    return noun_texts(wording) + [text for text in wording.texts if text.endswith(" by")]


class Composer:
    """Draws multi-hop questions; the same seed draws the same questions.

    ``one_hop`` holds further question texts by step (public templates), which
    give the last hop more voices than our own wordings have.
    """

    def __init__(
        self,
        wordings: dict[str, RelationWordings],
        one_hop: dict[Step, list[str]],
        rng: random.Random,
    ) -> None:
        self._wordings = wordings
        self._one_hop = one_hop
        self._rng = rng
        common = set(COMMON)
        self._steps: list[Step] = [
            (key, inverse)
            for key in wordings
            for inverse in (False, True)
            for _ in range(COMMON_WEIGHT if key in common else 1)
        ]
        self._next: dict[str, list[Step]] = {}

    def draw(self, n_hops: int) -> PathExample:
        """One question of ``n_hops`` hops."""
        path = self._draw_path(n_hops)
        if n_hops == 2 and _is_round_trip(path) and self._rng.random() < 0.7:
            text = self._together(path[0]) if path[0][1] else self._same(path[0])
        else:
            text = self._question(path[-1], self._inner(path[:-1]))
        return PathExample(tidy(text), tuple(path), f"composed{n_hops}")

    def _inner(self, path: list[Step]) -> str:
        """The noun phrase for what a path leads to."""
        if len(path) >= 2 and _is_round_trip(path[-2:]) and not path[-2][1] and self._rng.random() < 0.5:
            return self._sharing(path[-2], self._inner(path[:-2]))
        return self._phrase(path[-1], self._inner(path[:-1])) if path else MASK

    def _ends(self, step: Step) -> tuple[str, str]:
        wording = self._wordings[step[0]]
        return (wording.range, wording.domain) if step[1] else (wording.domain, wording.range)

    def _draw_path(self, n_hops: int) -> list[Step]:
        while True:
            path = [self._rng.choice(self._steps)]
            while len(path) < n_hops:
                path.append(self._draw_next(path[-1]))
            if self._plausible(path):
                return path

    def _draw_next(self, step: Step) -> Step:
        ends = self._ends(step)[1]
        if ends not in self._next:
            self._next[ends] = [s for s in self._steps if set(self._ends(s)[0]) & set(ends)]
        # There and back over one relation ("films by the same director") is what people ask often.
        if self._rng.random() < (0.15 if step[1] else 0.25):
            return (step[0], not step[1])
        return self._rng.choice(self._next[ends] or self._steps)

    def _plausible(self, path: list[Step]) -> bool:
        """No walk through a year or a number into unrelated things, except out and back."""
        for first, then in zip(path, path[1:], strict=False):
            back_again = first[0] == then[0]
            if self._ends(first)[1] in ("S", "") and not back_again:
                return False
            if back_again and first[1] and self._ends(first)[0] != "P":
                return False
        return True

    def _phrase(self, step: Step, topic: str) -> str:
        wording = self._wordings[step[0]]
        written = wording.phrases[INVERSE if step[1] else FORWARD]
        if written and self._rng.random() < 0.65:
            return fill(self._rng.choice(written), topic)
        label = self._rng.choice(noun_texts(wording) if not step[1] else _phrase_texts(wording))
        if not step[1]:
            return self._rng.choice((f"the {label} of {topic}", f"{topic}'s {label}", f"the {label} of {topic}"))
        noun = self._noun(wording.domain, NOUNS)
        if label.endswith(" by"):
            return f"{noun} {label} {topic}"
        forms = (
            f"{noun} whose {label} is {topic}",
            f"{noun} with {label} {topic}",
            f"{noun} that have {topic} as {label}",
            f"{noun} having {topic} as {label}",
        )
        return self._rng.choice(forms)

    def _noun(self, types: str, table: dict[str, tuple[str, ...]]) -> str:
        kinds = [kind for kind in types if kind in table]
        return self._rng.choice(table[self._rng.choice(kinds)]) if kinds else "things"

    def _question(self, step: Step, topic: str) -> str:
        wording = self._wordings[step[0]]
        draw = self._rng.random()
        public = self._one_hop.get(step)
        if public and draw < 0.3:
            return self._rng.choice(public).replace(MASK, topic)
        written = wording.questions[INVERSE if step[1] else FORWARD]
        if written and draw < 0.7:
            return fill(self._rng.choice(written), topic)
        label = self._rng.choice(noun_texts(wording))
        ask = self._noun(self._ends(step)[1], ASK)
        if step[1]:
            forms = (
                f"{ask} have {topic} as {label}",
                f"{ask} has {topic} as its {label}",
                f"{topic} is the {label} of {ask}",
                f"name the {ask.split()[-1]} whose {label} is {topic}",
            )
        else:
            forms = (
                f"what is the {label} of {topic}",
                f"what are the {label}s of {topic}",
                f"what were the {label}s of {topic}",
                f"who or what are the {label}s of {topic}",
                f"{topic} have which {label}s",
                *(f"{topic} were {text} {ask}" for text in wording.texts if text.endswith(" by")),
                f"{topic} has which {label}",
                f"{topic} has what {label}",
                f"which {label} does {topic} have",
                f"{ask} is the {label} of {topic}",
                f"tell me the {label} of {topic}",
                f"{label} of {topic}",
            )
        return self._rng.choice(forms)

    def _sharing(self, step: Step, topic: str) -> str:
        """What has an object in common with the topic, as a noun phrase."""
        wording = self._wordings[step[0]]
        label = self._rng.choice(noun_texts(wording))
        noun = self._noun(wording.domain, NOUNS)
        forms = (
            f"{noun} that share {label}s with {topic}",
            f"{noun} with the same {label} as {topic}",
            f"{noun} that have the same {label} as {topic}",
            f"other {noun} of the {label} of {topic}",
        )
        return self._rng.choice(forms)

    def _together(self, step: Step) -> str:
        """Back and there over one relation: who shares a subject with the topic."""
        wording = self._wordings[step[0]]
        label = self._rng.choice(noun_texts(wording))
        noun = self._noun(wording.domain, NOUNS)
        forms = (
            f"who is {label} together with {MASK}",
            f"who was {label} of the same {noun} as {MASK}",
            f"who shares {noun} with {MASK}",
            f"who worked with {MASK} on {noun}",
            f"which {label}s have {noun} in common with {MASK}",
            self._question((step[0], False), self._phrase(step, MASK)),
            self._question((step[0], False), self._phrase(step, MASK)),
        )
        return self._rng.choice(forms)

    def _same(self, step: Step) -> str:
        """Out and back over one relation: what shares an object with the topic."""
        wording = self._wordings[step[0]]
        label = self._rng.choice(noun_texts(wording))
        ask = self._noun(wording.domain, ASK)
        noun = self._noun(wording.domain, NOUNS)
        inner = self._phrase(step, MASK)
        forms = (
            f"{ask} have the same {label} as {MASK}",
            f"{ask} share the {label} with {MASK}",
            f"which other {noun} have the same {label} as {MASK}",
            f"what else has the {label} of {MASK}",
            f"{noun} that share their {label} with {MASK}",
            self._question((step[0], True), inner),
            self._question((step[0], True), inner),
        )
        return self._rng.choice(forms)
