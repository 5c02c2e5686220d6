"""Two- and three-hop questions composed from one-hop wordings (our own recipe).

Inner hops become noun phrases, the last hop a question about them: *the
director of [MASK]* inside *where was ... born*. Which relations can follow
each other is told by the domains and ranges in ``wordings.txt``, so no graph
is needed and none is leaked.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgask.corpus.examples import MASK, PathExample, Step, fill, tidy
from kgask.corpus.frames import also, article, many, plural, together
from kgask.corpus.voices import (
    ASK,
    NOUNS,
    agreeing,
    can_hold_phrase,
    decorate,
    keywords,
    names_other_kind,
    ordered,
    with_other,
)
from kgask.corpus.wordings import FORWARD, INVERSE, RelationWordings

# Relations that most graphs have and most multi-hop questions use are drawn more often.
COMMON = (  # noqa: SIM905
    "P50 P57 P58 P161 P577 P136 P364 P407 P921 P19 P20 P569 P570 P27 P106 P69 P26 P40 P166 P36 P38 "
    "P37 P47 P30 P17 P131 P175 P170 P112 P159 P61 P264 P54 P108 P22 P25 P3373 P551 P495 P1082 P35 P6 "
    "P737 P463 P123 P162 P86 P641 P1412 kgask:tag"
).split()
COMMON_WEIGHT = 8

# Texts such as "written by" read badly as nouns ("the written by of ...").
_NOT_A_NOUN = (
    " by", " in", " of", " to", " at", " as", " for", " on", " after", " from", " with", " a", "about", "born",
    "died", "won", "starring", "founded", "owns", "directed", "established", "married", "dated", "taught", "tall",
    "long", "sells", "makes", "serves", "eats", "wrote", "shows", "includes", "contains", "portrays", "knows",
    "borders", "speaks", "convicted", "supervised", "killed", "opened", "ended", "began", "closed", "lives",
)  # fmt: skip
_NOT_A_START = (
    "in ", "is ", "has ", "how ", "who ", "where ", "when ", "what ", "came ", "was ", "on ", "located ", "shares ",
    "contains ",
)  # fmt: skip


def noun_texts(wording: RelationWordings) -> list[str]:
    """The relation's texts that can stand after "the"."""
    good = [t for t in wording.texts if not t.endswith(_NOT_A_NOUN) and not t.startswith(_NOT_A_START)]
    return good or [re.sub(" (by|of|in|at|to|for|on|with|from)$", "", wording.texts[0])]


def is_round_trip(path: list[Step]) -> bool:
    """Two steps over the same relation, there and back."""
    return path[0][0] == path[1][0] and path[0][1] != path[1][1]


@dataclass(frozen=True, slots=True)
class Leg:
    """One step with the type letters it goes between."""

    step: Step
    start: str
    end: str


class PathComposer:
    """Draws multi-hop questions; the same seed draws the same questions.

    ``one_hop`` holds further question texts by step (public templates), which
    give the last hop more voices than our own wordings have; ``names`` are
    labels of things, for questions that name something beside their topic.
    """

    def __init__(
        self,
        wordings: dict[str, RelationWordings],
        one_hop: dict[Step, list[str]],
        rng: random.Random,
        names: Sequence[str] = (),
    ) -> None:
        self.wordings = wordings
        self.rng = rng
        self.names = names
        self._one_hop = one_hop
        common = set(COMMON)
        self.all_steps: list[Step] = [
            (key, inverse)
            for key in wordings
            for inverse in (False, True)
            for _ in range(COMMON_WEIGHT if key in common else 1)
        ]
        self._starting: dict[str, list[Step]] = {}

    def draw(self, n_hops: int) -> PathExample:
        """One question of ``n_hops`` hops."""
        return self.render(self.draw_path(n_hops))

    def draw_pair(self, n_hops: int) -> tuple[PathExample, PathExample]:
        """The question for a path, and the one for the path without its last hop.

        Now and then the two share their inner words, so that where to stop is all that tells them apart.
        """
        legs = self.draw_path(n_hops)
        if self.rng.random() < 0.7:
            return self.render(legs), self.render(legs[:-1])
        inner = self.inner(legs[:-1])
        whole = self._example(self.question(legs[-1], inner), legs)
        return whole, self._example(self._asked_phrase(legs[-2], inner), legs[:-1])

    def render(self, legs: list[Leg]) -> PathExample:
        """A question for a path."""
        path = [leg.step for leg in legs]
        rng, draw = self.rng, self.rng.random()
        round_trip = len(legs) == 2 and is_round_trip(path)
        if round_trip and draw < 0.6:
            text = self._together(legs[0]) if path[0][1] else self._same(legs[0])
        elif draw < 0.07:
            text = keywords([self._keyword(leg) for leg in legs], rng)
        elif draw < 0.27:
            text = self._asked_phrase(legs[-1], self.inner(legs))
        else:
            text = self.question(legs[-1], self.inner(legs[:-1]))
        return self._example(text, legs)

    def _example(self, text: str, legs: list[Leg]) -> PathExample:
        key, inverse = legs[-1].step
        path, answer_type = tuple(leg.step for leg in legs), self.wordings[key].answer_type(inverse)
        return PathExample(tidy(decorate(text, self.rng)), path, f"composed{len(legs)}", answer_type=answer_type)

    # --- paths ----------------------------------------------------------------------------

    def draw_path(self, n_hops: int) -> list[Leg]:
        while True:
            step = self.rng.choice(self.all_steps)
            start, end = (self.rng.choice(types or "?") for types in self.ends(step))
            legs = [Leg(step, start, end)]
            while len(legs) < n_hops and (following := self.draw_next(legs[-1])) is not None:
                legs.append(following)
            if len(legs) == n_hops:
                return legs

    def ends(self, step: Step) -> tuple[str, str]:
        return self.wordings[step[0]].ends(step[1])

    def draw_next(self, leg: Leg) -> Leg | None:
        """A step from where ``leg`` ends; None where nothing sensible goes on."""
        key, inverse = leg.step
        # There and back over one relation ("films by the same director") is what people ask often; from a
        # year, a number or a genre there is no other sensible way on.
        nowhere = leg.end in "SG?"
        if nowhere and self.rng.random() < 0.5:
            return None
        if nowhere or self.rng.random() < (0.15 if inverse else 0.25):
            allowed = not inverse or leg.start == "P"
            end = leg.start if self.rng.random() < 0.9 else self.rng.choice(self.ends((key, not inverse))[1] or "?")
            return Leg((key, not inverse), leg.end, end) if allowed else None
        step = self.rng.choice(self.starting(leg.end) or self.all_steps)
        return Leg(step, leg.end, self.rng.choice(self.ends(step)[1] or "?"))

    def starting(self, letter: str) -> list[Step]:
        """Steps that can be made from something of a type."""
        if letter not in self._starting:
            self._starting[letter] = [step for step in self.all_steps if letter in self.ends(step)[0]]
        return self._starting[letter]

    # --- noun phrases ---------------------------------------------------------------------

    def inner(self, legs: list[Leg]) -> str:
        """The noun phrase for what a path leads to."""
        if not legs:
            return MASK
        path = [leg.step for leg in legs]
        rng = self.rng
        if len(path) >= 2 and is_round_trip(path[-2:]) and rng.random() < 0.6:
            topic = self.inner(legs[:-2])
            if path[-2][1] or rng.random() < 0.4:
                return self.phrase(legs[-1], self._the_same(legs[-2], topic))
            return self._sharing(legs[-2], topic)
        if len(path) >= 2 and path[-1][1] and path[-2][1] and rng.random() < 0.4:
            whose = self._whose(legs[-2], legs[-1], self.inner(legs[:-2]))
            if whose:
                return whose
        return self.phrase(legs[-1], self.inner(legs[:-1]))

    def phrase(self, leg: Leg, topic: str) -> str:
        """The noun phrase for what one step leads to."""
        key, inverse = leg.step
        wording, rng = self.wordings[key], self.rng
        written = self._fitting(wording.phrases[INVERSE if inverse else FORWARD], leg, topic)
        if written and rng.random() < 0.72:
            return fill(agreeing(rng.choice(written), topic), topic)
        label = rng.choice(noun_texts(wording))
        if not inverse:
            possessive = topic == MASK or (len(topic.split()) < 4 and topic.endswith("s") is False)
            forms = [f"the {label} of {topic}", f"the {many(label)} of {topic}"]
            return rng.choice([*forms, f"{topic}'s {label}"] if possessive else forms)
        noun = self.noun(leg)
        if rng.random() < 0.25 and (by := [text for text in wording.texts if text.endswith(" by")]):
            return f"{noun} {rng.choice(by)} {topic}"
        forms = [
            f"{noun} whose {label} is {topic}",
            f"{noun} with {label} {topic}",
            f"{noun} that have {topic} as {label}",
            f"{noun} having {topic} as {label}",
            f"{noun} of which {topic} is the {label}",
            f"{noun} where the {label} is {topic}",
        ]
        return rng.choice(forms)

    def noun(self, leg: Leg) -> str:
        """A plural for what a step leads to."""
        table = NOUNS.get(leg.end)
        own = [plural(n) for n in self.wordings[leg.step[0]].nouns(leg.step[1])]
        own = [n for n in own if not names_other_kind(n, leg.end)]
        if own and (not table or self.rng.random() < 0.6):
            return self.rng.choice(own)
        return self.rng.choice(table) if table else "things"

    @staticmethod
    def _fitting(texts: list[str], leg: Leg, topic: str) -> list[str]:
        """Texts that name no other kind of thing than the step goes between, and that can hold the topic."""
        texts = [text for text in texts if not names_other_kind(text, leg.start + leg.end)]
        return texts if topic == MASK else [text for text in texts if can_hold_phrase(text, len(topic.split()))]

    def predicates(self, leg: Leg) -> list[str]:
        """What can be said of the subjects of an inverse step: *was born in {x}*."""
        texts = self.wordings[leg.step[0]].questions[INVERSE]
        return [text[4:] for text in texts if text.startswith("who ")]

    def _whose(self, first: Leg, then: Leg, topic: str) -> str | None:
        """Two inverse steps: *films whose director was born in [MASK]*."""
        predicates = self.predicates(first)
        if not predicates or first.end != "P":
            return None
        predicate = fill(agreeing(self.rng.choice(predicates), topic), topic)
        noun, label = self.noun(then), self.rng.choice(noun_texts(self.wordings[then.step[0]]))
        forms = (f"{noun} whose {label} {predicate}", f"{noun} that have {article(label)} who {predicate}")
        return self.rng.choice((*forms, f"{noun} with {article(label)} who {predicate}"))

    def _sharing(self, leg: Leg, topic: str) -> str:
        """What has an object in common with the topic, as a noun phrase."""
        label = self.rng.choice(noun_texts(self.wordings[leg.step[0]]))
        noun = self.rng.choice(NOUNS.get(leg.start, ("things",))).removeprefix("the ")
        forms = (
            f"{noun} that share {many(label)} with {topic}",
            f"{noun} with the same {label} as {topic}",
            f"{noun} that have the same {label} as {topic}",
            f"{noun} sharing {article(label)} with {topic}",
            f"other {noun} of the {label} of {topic}",
            f"other {noun} with the {label} of {topic}",
            f"{noun} which have {article(label)} in common with {topic}",
            *([f"{noun} by the same {label} as {topic}"] if leg.end in "PO" else ()),
        )
        return self.rng.choice(forms)

    # --- questions ------------------------------------------------------------------------

    def question(self, leg: Leg, topic: str) -> str:
        """A question for one step about a topic that may be a phrase."""
        key, inverse = leg.step
        wording, rng = self.wordings[key], self.rng
        draw = rng.random()
        public = self._one_hop.get(leg.step)
        if public and draw < 0.25:
            template = rng.choice(public).replace(MASK, "{x}")
            if topic == MASK or can_hold_phrase(template.rstrip("?. "), len(topic.split())):
                return agreeing(template, topic).replace("{x}", topic)
        written = self._fitting(wording.questions[INVERSE if inverse else FORWARD], leg, topic)
        if written and draw < 0.75:
            text = fill(agreeing(rng.choice(written), topic), topic)
            if inverse and topic != MASK and rng.random() < 0.15:
                text = with_other(text)
            return text
        return self._label_question(leg, topic)

    def _label_question(self, leg: Leg, topic: str) -> str:
        wording, rng = self.wordings[leg.step[0]], self.rng
        label = rng.choice(noun_texts(wording))
        ask = self.ask(leg)
        if leg.step[1]:
            forms = [
                f"{ask} have {topic} as {label}",
                f"{ask} has {topic} as its {label}",
                f"{topic} is the {label} of {ask}",
                f"name {self.noun(leg)} whose {label} is {topic}",
                f"of {ordered(ask)} is {topic} the {label}",
            ]
            return rng.choice(forms)
        several = many(label)
        forms = [
            f"what is the {label} of {topic}",
            f"what are the {several} of {topic}",
            f"who or what is the {label} of {topic}",
            f"the {label} of {topic} is {ask}",
            f"{topic} has which {label}",
            f"which {label} does {topic} have",
            f"{ask} is the {label} of {topic}",
            f"{ask} are the {several} of {topic}",
            f"tell me the {label} of {topic}",
            f"name the {label} of {topic}",
            f"give the {several} of {topic}",
            f"{label} of {topic}",
            *(f"{topic} were {text} {ask}" for text in wording.texts if text.endswith(" by")),
        ]
        if topic == MASK or len(topic.split()) < 4:
            forms += [f"what is {topic}'s {label}", f"{ask} is {topic}'s {label}", f"{topic}'s {label}"]
        return rng.choice(forms)

    def ask(self, leg: Leg) -> str:
        """A question word or phrase for what a step leads to: *which films*."""
        literal = self.wordings[leg.step[0]].literal
        if leg.end == "S":
            words = {"date": ("when", "what year", "which date"), "number": ("how much", "what number")}
            return self.rng.choice(words.get(literal, ("what",)))
        return self.rng.choice(ASK.get(leg.end, ("what", "which things")))

    def _asked_phrase(self, leg: Leg, phrase: str) -> str:
        """The whole path as a noun phrase: *name the wives of ...*, *who are the ...*."""
        be = "who" if leg.end in "PR" else "what"
        forms = (
            f"{be} is {phrase}", f"{be} are {phrase}", f"name {phrase}", f"list {phrase}", f"give me {phrase}",
            f"tell me {phrase}", f"show me {phrase}", f"find {phrase}", f"{phrase}", f"{phrase} is {be}",
            f"i am looking for {phrase}", f"{be} was {phrase}", f"{be} were {phrase}",
        )  # fmt: skip
        return self.rng.choice(forms)

    def _the_same(self, leg: Leg, topic: str) -> str:
        """What a step leads to, said as *the same city as [MASK]*: the way back then takes it for its topic."""
        wording, inverse = self.wordings[leg.step[0]], leg.step[1]
        nouns = wording.nouns(inverse)
        if inverse:
            noun = self.noun(leg).removeprefix("the ").replace("those", "things")
        else:
            noun = self.rng.choice(nouns or noun_texts(wording))
        return f"the same {noun} as {topic}"

    def _keyword(self, leg: Leg) -> str:
        wording = self.wordings[leg.step[0]]
        return self.noun(leg).removeprefix("the ") if leg.step[1] else self.rng.choice(noun_texts(wording))

    def _together(self, leg: Leg) -> str:
        """Back and there over one relation: who shares a subject with the topic."""
        wording, rng = self.wordings[leg.step[0]], self.rng
        label, noun = rng.choice(noun_texts(wording)), self.noun(leg).removeprefix("the ")
        back = Leg((leg.step[0], False), leg.end, leg.start)
        if rng.random() < 0.25:
            return self.question(back, self._the_same(leg, MASK))
        if leg.start != "P" or rng.random() < 0.35:
            return self.question(back, self.phrase(leg, MASK))
        forms = (
            f"who is {label} together with {MASK}",
            f"who was {label} of the same {noun} as {MASK}",
            f"who shares {noun} with {MASK}",
            f"who worked with {MASK} on {noun}",
            f"who worked together with {MASK}",
            f"which {many(label)} have {noun} in common with {MASK}",
            f"who are the other {many(label)} of {MASK}'s {noun}",
            f"with whom does {MASK} share {noun}",
            f"which {many(label)} were in the same {noun} as {MASK}",
            f"who is a co-{label} of {MASK}",
            f"who are the co-{many(label)} of {MASK}",
            *together(wording.frames, noun, MASK),
        )
        return rng.choice(forms)

    def _same(self, leg: Leg) -> str:
        """Out and back over one relation: what shares an object with the topic."""
        wording, rng = self.wordings[leg.step[0]], self.rng
        label, ask = rng.choice(noun_texts(wording)), rng.choice(ASK.get(leg.start, ("what",)))
        noun = rng.choice(NOUNS.get(leg.start, ("things",))).removeprefix("the ")
        back = Leg((leg.step[0], True), leg.end, leg.start)
        if rng.random() < 0.6:
            return self.question(back, self.phrase(leg, MASK) if rng.random() < 0.5 else self._the_same(leg, MASK))
        forms = (
            f"{ask} have the same {label} as {MASK}",
            f"{ask} share the {label} with {MASK}",
            f"{ask} share {article(label)} with {MASK}",
            f"which other {noun} have the same {label} as {MASK}",
            f"what else has the {label} of {MASK}",
            f"{noun} that share their {label} with {MASK}",
            f"{noun} with the same {label} as {MASK}",
            f"with {ordered(ask)} does {MASK} share its {label}",
            f"the {label} of {MASK} is also the {label} of {ask}",
            f"{MASK} has the same {label} as {ask}",
            f"name {noun} that have the {label} of {MASK}",
            f"{ask} has {article(label)} in common with {MASK}",
            *also(wording.frames, noun, MASK),
        )
        return rng.choice(forms)
