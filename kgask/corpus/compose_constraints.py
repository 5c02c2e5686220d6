"""Composed questions with a second name, and wrong masks.

A second name narrows the answers: *which films directed by [MASK] star Tom
Hanks* (Sen et al. 2021: one branch a topic, answers intersect). The path is
that of the masked topic alone; the other name is masked in a branch of its own.
"""

from __future__ import annotations

import random
import re
from functools import cached_property
from itertools import pairwise

from kgask.corpus.compose_paths import Leg, PathComposer
from kgask.corpus.examples import MASK, PathExample, Step, fill, tidy
from kgask.corpus.frames import FORWARD, INVERSE, singular
from kgask.corpus.names import NameMaker
from kgask.corpus.voices import NOUNS, decorate, names_other_kind

NOUNS_OF = {letter: {noun.removeprefix("the ") for noun in nouns} for letter, nouns in NOUNS.items()}
INVERTED = re.compile(r"(did|does|do|has|have|is|was|are|were) (the )?\{x\}(?!')")
_LEADS = re.compile(r"(that|who|whose|in|by|from|with|on|of|about|under|made|set|having|where) |\w+(ed|en|ing) ")
_CLAUSE = re.compile(r"(that|which|who|whose|where|having) ")
_REAL_NAMES = 0.5  # share of second names that are labels of real things, the rest are made up by type
_SOME_NAMES = 300  # labels that lend their words to made-up names


class ConstraintComposer(PathComposer):
    """Draws questions in which something is named beside the topic."""

    @cached_property
    def _invented(self) -> NameMaker:
        return NameMaker(self.names[:_SOME_NAMES])

    @cached_property
    def _ending(self) -> dict[str, list[Step]]:
        return {}

    # --- parts ----------------------------------------------------------------------------

    def other_name(self, leg: Leg) -> str:
        """What a step of this kind can start from, other than the topic."""
        if leg.start == "S":
            is_date = self.wordings[leg.step[0]].literal == "date"
            return str(self.rng.randint(1500, 2025)) if is_date else self._invented.literal(self.rng)
        if self.names and self.rng.random() < _REAL_NAMES:
            return self.rng.choice(self.names)
        return self._invented.name(leg.start, self.rng)

    def leg_to(self, letter: str) -> Leg:
        """A step that leads to things of a type."""
        if letter not in self._ending:
            self._ending[letter] = [step for step in self.all_steps if letter in self.ends(step)[1]]
        step = self.rng.choice(self._ending[letter])
        return Leg(step, self.rng.choice(self.ends(step)[0] or "?"), letter)

    def leg_from(self, letter: str) -> Leg:
        """A step that starts at things of a type."""
        step = self.rng.choice(self.starting(letter))
        return Leg(step, letter, self.rng.choice(self.ends(step)[1] or "?"))

    def topic_of(self, leg: Leg) -> tuple[list[Leg], str]:
        """The mask, or now and then a phrase that leads from the mask to where the step starts."""
        if self.rng.random() < 0.8 or leg.start in "SG?":
            return [], MASK
        before = self.leg_to(leg.start)
        return [before], self.phrase(before, MASK)

    def modifier(self, leg: Leg) -> str | None:
        """What can stand behind the noun for an inverse step's subjects: *directed by {x}*."""
        options = []
        for text in self.wordings[leg.step[0]].phrases[INVERSE] if leg.step[1] else ():
            noun, _, rest = re.sub("^(the|a|an) ", "", text).partition(" ")
            fits = noun in NOUNS_OF.get(leg.end, ()) or (leg.end == "P" and noun in ("person", "someone"))
            if not fits or names_other_kind(text, leg.start + leg.end):
                continue
            if rest.startswith("{x} "):
                rest = f"that {rest}"
            rest = re.sub("^(which|who) " if leg.end not in "PR" else "^which ", "that ", rest)
            if _LEADS.match(rest) and "{x}" in rest:
                options.append(rest)
        return self.rng.choice(options) if options else None

    def predicate(self, leg: Leg) -> str | None:
        """What can be said of the person that a step leads to: *wrote {x}*, *was born in {x}*."""
        texts = self.wordings[leg.step[0]].questions[INVERSE if leg.step[1] else FORWARD]
        options = [t[4:] for t in texts if t.startswith("who ") and not INVERTED.match(t[4:])]
        return self.rng.choice(options) if options else None

    def either_first(self, first: str, second: str) -> tuple[str, str]:
        return (first, second) if self.rng.random() < 0.5 else (second, first)

    def example(
        self, text: str, legs: list[Leg], source: str, answer_type: str | None = None, constrained: bool = False
    ) -> PathExample:
        text, path = tidy(decorate(text, self.rng)), tuple(leg.step for leg in legs)
        return PathExample(text, path, source, answer_type=answer_type, constrained=constrained)

    def type_of(self, leg: Leg) -> str:
        return self.wordings[leg.step[0]].answer_type(leg.step[1])

    # --- kinds ----------------------------------------------------------------------------

    def constrained(self) -> PathExample:
        """The topic and another name narrow the answers together."""
        while True:
            draw = self.rng.random()
            made = self._same_relation() if draw < 0.25 else self._people() if draw < 0.55 else self._things()
            if made is not None:
                text, legs = made
                return self.example(text, legs, "constrained", answer_type=self.type_of(legs[-1]), constrained=True)

    def _same_relation(self) -> tuple[str, list[Leg]] | None:
        """*which films star [MASK] and Tom Hanks*."""
        leg = self.draw_path(1)[0]
        if leg.start in "SG?" or leg.end in "S?":
            return None
        topic, other = self.either_first(MASK, self.other_name(leg))
        both = (f"{topic} and {other}", f"both {topic} and {other}", f"{topic} as well as {other}")
        noun = self.noun(leg)
        text = self.question(leg, self.rng.choices(both, (4, 1, 1))[0])
        if self.rng.random() < 0.2:
            forms = (f"what {noun} do {topic} and {other} share", f"{noun} that {topic} and {other} have in common")
            text = self.rng.choice(forms)
        return (text, [leg]) if text.count(MASK) == 1 else None

    def _people(self) -> tuple[str, list[Leg]] | None:
        """*who was born in [MASK] and won the Nobel Prize*."""
        first, second = self.leg_to("P"), self.leg_to("P")
        said, more = self.predicate(first), self.predicate(second)
        if said is None or more is None or first.step == second.step:
            return None
        before, topic = self.topic_of(first)
        said, more = self.either_first(fill(said, topic), fill(more, self.other_name(second)))
        forms = (
            f"who {said} and {more}", f"who {said} and also {more}", f"which person {said} and {more}",
            f"who {said} but also {more}", f"people who {said} and {more}", f"name someone who {said} and {more}",
            f"which of those who {said} {more}", f"of the people who {said}, who {more}", f"who both {said} and {more}",
        )  # fmt: skip
        return self._go_on(f"the person who {said} and {more}", self.rng.choice(forms), [*before, first])

    def _things(self) -> tuple[str, list[Leg]] | None:
        """*which films directed by [MASK] are about Peru*."""
        letter = self.rng.choice("FFFFBBBMMPCLOWUE")
        first, second = self.leg_to(letter), self.leg_to(letter)
        near, far = self.modifier(first), self.modifier(second)
        if near is None or far is None or first.step == second.step:
            return None
        before, topic = self.topic_of(first)
        near, far = self.either_first(fill(near, topic), fill(far, self.other_name(second)))
        noun = self.rng.choice(sorted(NOUNS_OF[letter] - {"those"}))
        forms = [
            f"{noun} {near} and {far}", f"{noun} {near} {far}", f"name {noun} {near} and {far}",
            f"what are the {noun} {near} {far}", f"list {noun} {near} {far}", f"find {noun} {near}, {far}",
            f"which {noun} {near} are also {noun} {far}",
        ]  # fmt: skip
        if not _CLAUSE.match(far):
            forms += [f"which {noun} {near} are {far}", f"what {noun} {near} are {far}"]
            forms += [f"which {noun} are {near} and {far}"] * (not _CLAUSE.match(near))
        return self._go_on(f"the {noun} {near} and {far}", self.rng.choice(forms), [*before, first])

    def _go_on(self, phrase: str, text: str, legs: list[Leg]) -> tuple[str, list[Leg]] | None:
        """Now and then one hop more: *who directed the film starring [MASK] and Tom Hanks*."""
        if self.rng.random() < 0.2 and len(legs) < 3:
            then = self.draw_next(legs[-1])
            if then is not None and then.step[0] != legs[-1].step[0]:
                text, legs = self.question(then, phrase), [*legs, then]
        return (text, legs) if text.count(MASK) == 1 else None

    def decorated(self) -> PathExample:
        """A year or a maker beside the topic that only says which topic is meant: no constraint."""
        while True:
            leg = self.leg_from(self.rng.choice("FFBBMW"))
            noun = singular(self.rng.choice(sorted(NOUNS_OF[leg.start])))
            year, name = self.rng.randint(1890, 2025), self.other_name(Leg(leg.step, "P", "?"))
            forms = (
                f"the {year} {noun} {MASK}", f"{MASK} ({year})", f"the {noun} {MASK} from {year}",
                f"the {noun} {MASK} by {name}", f"{MASK} by {name}", f"{name}'s {MASK}", f"{name}'s {noun} {MASK}",
                f"the {noun} {MASK} ({year})", f"the {noun} {MASK}", f"{MASK} from {year}",
            )  # fmt: skip
            text = self.question(leg, self.rng.choice(forms))
            if text.count(MASK) == 1:
                return self.example(text, [leg], "decorated", answer_type=self.type_of(leg))


_WORD = re.compile(r"\w[\w'’.-]*")
_EMPTY = frozenset(
    "a an the of in on at by to for from with and or is are was were be been do does did has have had "  # noqa: SIM905
    "who what which where when how whose whom that this it its as s i you me can could please tell name there".split()
)


def wrong_mask(text: str, name: str, rng: random.Random) -> str | None:
    """The question with a span masked that is not its topic; None where there is no such span.

    Part of the name, the name and a word too many, or other words of the
    question. ``text`` is unmasked, ``name`` stands in it.
    """
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    if found is None:
        return None
    words = [match.span() for match in _WORD.finditer(text)]
    inside = [span for span in words if span[0] >= found.start() and span[1] <= found.end()]
    content = [span for span in words if span not in inside and text[slice(*span)].lower() not in _EMPTY]
    spans: list[tuple[int, int]] = []
    if len(inside) > 1:
        cut = rng.randint(1, len(inside) - 1)
        spans += [(inside[0][0], inside[cut - 1][1]), (inside[cut][0], inside[-1][1])]
    if content:
        spans.append(rng.choice(content))
        spans += [_joined(found.span(), word) for word in content if _touch(text, word, found.span())]
        spans += [_joined(a, b) for a, b in pairwise(words) if a in content and b in content][:1]
    spans = [span for span in spans if text[: span[0]].strip() or text[span[1] :].strip("?. ")]
    if not spans:
        return None
    start, end = rng.choice(spans)
    return tidy(f"{text[:start]}{MASK}{text[end:]}")


def _joined(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])


def _touch(text: str, word: tuple[int, int], name: tuple[int, int]) -> bool:
    """Whether only blanks lie between a word and the name."""
    between = text[word[1] : name[0]] if word[1] <= name[0] else text[name[1] : word[0]]
    return bool(between) and not between.strip()
